"""Child processes that run a module of this program, from a checkout, an installation or a frozen bundle."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kame_desktop


def spawn_module(module: str, flag: str) -> subprocess.Popen[bytes]:
    """Start ``module`` as a silent child with pipes for input and output; whoever starts it ends it. Raises OSError.

    Args:
        module: Its full name; it must run as ``python -m``.
        flag: What a frozen bundle is started with instead; ``__main__`` knows it.
    """
    root = str(Path(kame_desktop.__file__).resolve().parent.parent)
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
    frozen = getattr(sys, "frozen", False)
    return subprocess.Popen(
        [sys.executable, flag] if frozen else [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # no console window on Windows
        start_new_session=sys.platform != "win32",
    )
