"""The virtual sound hardware, for those who want real PortAudio."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.virtual_audio import VirtualAudio, virtual_audio


@pytest.fixture
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualAudio]:
    """A daemon of its own for one test: 48 kHz, stereo out, mono in."""
    with virtual_audio(tmp_path_factory.mktemp("pulse")) as audio:
        yield audio
