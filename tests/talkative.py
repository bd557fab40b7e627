"""Logging at its most talkative, for tests of what must never be written down."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator


@contextlib.contextmanager
def everything_logged(handler: logging.Handler) -> Iterator[None]:
    """All loggers that exist, whatever library they belong to, write every level to ``handler`` meanwhile."""
    loggers = [logging.getLogger(), *map(logging.getLogger, list(logging.root.manager.loggerDict))]
    levels = [(logger, logger.level, logger.disabled) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
        logger.disabled = False
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        for logger, level, disabled in levels:
            logger.setLevel(level)
            logger.disabled = disabled
