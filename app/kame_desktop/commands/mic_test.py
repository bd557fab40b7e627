"""``kame-desktop mic-test``: record three seconds, say how loud it was, play it back."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TextIO

from kame_desktop.audio.base import MicTestResult
from kame_desktop.commands.output import put
from kame_desktop.commands.runner import EXIT_OK
from kame_desktop.core.errors import DeviceError

_BAR_WIDTH = 30
_BAR_FLOOR_DBFS = -60.0


class MicTestApp(Protocol):
    """What this command needs of ``Application``."""

    def check_writable(self, path: Path) -> None:
        """Raise AudioFileError when ``path`` can't be written."""
        ...

    def test_microphone(self, level: Callable[[float], None]) -> MicTestResult:
        """Record three seconds, tell the level about ten times a second. Raises DeviceError."""
        ...

    def play(self, result: MicTestResult) -> None:
        """Play a test back. Raises DeviceError."""
        ...

    def write_recording(self, path: Path, result: MicTestResult) -> None:
        """Write a test as a WAV. Raises AudioFileError."""
        ...


def add_arguments(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``mic-test`` to the program's parser."""
    test = subparsers.add_parser("mic-test", help="record three seconds, show how loud they are, play them back")
    test.add_argument("--out", type=Path, metavar="OUT.wav", help="keep the recording")
    test.add_argument("--no-play", action="store_true", help="don't play it back")
    test.add_argument("--json", action="store_true", help="print one object")


def run_mic_test(
    app: MicTestApp,
    *,
    out: Path | None = None,
    play: bool = True,
    as_json: bool = False,
    err: TextIO | None = None,
) -> int:
    """Test the microphone of the settings; meters go to standard error. Raises AppError."""
    if out is not None:
        app.check_writable(out)
    meter = _Meter(sys.stderr if err is None else err)
    meter.say("Speak for three seconds, as you would to the assistant.")
    result = app.test_microphone(meter.show)
    meter.end()
    if out is not None:
        app.write_recording(out, result)
    if as_json:
        put(json.dumps(_summary(result, out), ensure_ascii=False, indent=2) + "\n")
    else:
        put(
            f"Microphone '{result.name}': level {result.level_dbfs:.0f} dBFS, peak {result.peak_dbfs:.0f} dBFS, "
            f"noise {result.noise_dbfs:.0f} dBFS\n{result.verdict}\n"
        )
        if out is not None:
            put(f"Written: {out}\n")
    if play:
        meter.say("Playing it back.")
        try:
            app.play(result)
        except DeviceError as error:
            meter.say(f"It can't be played back: {error}")
    return EXIT_OK


def _summary(result: MicTestResult, out: Path | None) -> dict[str, object]:
    return {
        "name": result.name,
        "level_dbfs": round(result.level_dbfs, 1),
        "peak_dbfs": round(result.peak_dbfs, 1),
        "noise_dbfs": round(result.noise_dbfs, 1),
        "verdict": result.verdict,
        "file": str(out) if out is not None else None,
    }


class _Meter:
    """A line that moves; nothing of it where standard error is no terminal."""

    def __init__(self, err: TextIO) -> None:
        self._err = err
        self._live = err.isatty()
        self._shown = False

    def say(self, text: str) -> None:
        self._err.write(text + "\n")
        self._err.flush()

    def show(self, level_dbfs: float) -> None:
        if self._live:
            filled = round(_BAR_WIDTH * min(1.0, max(0.0, 1.0 - level_dbfs / _BAR_FLOOR_DBFS)))
            self._err.write(f"\r[{'#' * filled}{' ' * (_BAR_WIDTH - filled)}] {level_dbfs:4.0f} dBFS")
            self._err.flush()
            self._shown = True

    def end(self) -> None:
        if self._shown:
            self._err.write("\n")
            self._err.flush()
