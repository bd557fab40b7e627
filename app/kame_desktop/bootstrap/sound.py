"""Sound devices and sound files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kame_desktop.audio.base import DeviceList, MicTestResult
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.checks import Check
from kame_desktop.core.settings import AudioSettings

if TYPE_CHECKING:
    from kame_desktop.bootstrap.sessions import RecordedSession


class Sound:
    """Asks the adapters. Any thread but the GUI's, unless a method says otherwise."""

    def __init__(self, settings: Callable[[], AudioSettings]) -> None:
        self._settings = settings

    def microphone_problem(self) -> str | None:
        """Why the microphone can't be used; quick enough for the GUI thread."""
        from kame_desktop.audio.choices import microphone_problem

        return microphone_problem()

    def devices(self, *, rescan: bool) -> DeviceList:
        """What can be chosen."""
        from kame_desktop.audio.choices import list_devices

        return list_devices(rescan=rescan)

    def test_microphone(self, level: Callable[[float], None]) -> MicTestResult:
        """Record three seconds. Raises DeviceError."""
        from kame_desktop.audio.mic_test import test_microphone

        return test_microphone(self._settings().input_device, level)

    def play(self, result: MicTestResult) -> None:
        """Play a test back. Raises DeviceError."""
        from kame_desktop.audio.mic_test import play

        play(result, self._settings().output_device)

    def checks(self, *, measure: bool) -> Iterator[Check]:
        """What works of the sound, and what doesn't."""
        from kame_desktop.audio.checks import audio_checks

        audio = self._settings()
        return audio_checks(audio.input_device, audio.output_device, measure=measure)

    def read_question(self, path: Path) -> Pcm:
        """Read a WAV in which somebody speaks, at model rate. Raises AudioFileError, MissingPackageError."""
        from kame_desktop.audio.file import assert_speech, read_wav
        from kame_desktop.audio.vad import SileroVad

        pcm = read_wav(path)
        assert_speech(pcm, SileroVad(), path.name)
        return pcm

    def check_writable(self, path: Path) -> None:
        """Raise AudioFileError when ``path`` can't be written; leaves nothing behind."""
        from kame_desktop.audio.file import check_writable

        check_writable(path)

    def write_answer(self, path: Path, recorded: RecordedSession) -> None:
        """Write what was heard (left) and spoken (right). Raises AudioFileError."""
        from kame_desktop.audio.file import write_answer_wav

        write_answer_wav(path, recorded.heard(), recorded.spoken())
