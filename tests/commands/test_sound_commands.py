"""``devices``, ``mic-test`` and ``doctor``: what they print and return."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from kame_desktop.audio.base import DeviceChoiceInfo, DeviceList, MicTestResult
from kame_desktop.commands.devices import run_devices
from kame_desktop.commands.doctor import DoctorPart, run_doctor
from kame_desktop.commands.mic_test import run_mic_test
from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.errors import AudioFileError, DeviceError

RESULT = MicTestResult("Mic", np.zeros(72_000, np.float32), -31.04, -63.0, -12.0, "Good.")


class Terminal(io.StringIO):
    """Somebody looks at it."""

    def isatty(self) -> bool:
        return True


class FakeSound:
    """An application of which only the sound is there."""

    def __init__(self, devices: DeviceList | None = None, checks: Iterable[Check] = ()) -> None:
        self.devices = devices or DeviceList()
        self.checks = list(checks)
        self.played: list[MicTestResult] = []
        self.written: list[Path] = []
        self.deaf = False
        self.measured: bool | None = None

    def audio_devices(self, *, rescan: bool = False) -> DeviceList:
        assert rescan
        return self.devices

    def check_writable(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise AudioFileError(f"There is no folder {path.parent}.")

    def test_microphone(self, level: Callable[[float], None]) -> MicTestResult:
        level(-31.0)
        level(-70.0)
        return RESULT

    def play(self, result: MicTestResult) -> None:
        if self.deaf:
            raise DeviceError("No loudspeaker was found.", "Plug one in.")
        self.played.append(result)

    def write_recording(self, path: Path, result: MicTestResult) -> None:
        self.written.append(path)

    def doctor_parts(self, *, network: bool = False) -> Sequence[DoctorPart]:
        def look(measure: bool) -> Iterable[Check]:
            self.measured = measure
            return self.checks

        return [("sound", look), ("nothing", lambda measure: ())]

    def diagnostics(self, checks: Sequence[tuple[str, Check]] = ()) -> str:
        return "".join(f"{name}: {check.what}\n" for name, check in checks)


MICROPHONES = DeviceList(
    inputs=(DeviceChoiceInfo("Mic", "ALSA", 48_000, 1, True), DeviceChoiceInfo("Übermikro", "JACK", 44_100, 2)),
)


def test_devices_are_listed_with_the_default_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_devices(FakeSound(MICROPHONES)) == 0
    printed = capsys.readouterr().out
    assert "  * Mic        ALSA, 48000 Hz, 1 channel\n    Übermikro  JACK, 44100 Hz, 2 channels\n" in printed
    assert "Loudspeakers: none" in printed
    assert run_devices(FakeSound(MICROPHONES), as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["inputs"][1] == {
        "name": "Übermikro",
        "host_api": "JACK",
        "rate_hz": 44_100,
        "channels": 2,
        "default": False,
    }


def test_no_devices_at_all_is_said_and_returned(capsys: pytest.CaptureFixture[str]) -> None:
    app = FakeSound(DeviceList(problem="PortAudio is missing. Install it."))
    assert run_devices(app) == 2
    assert "PortAudio is missing. Install it." in capsys.readouterr().out
    assert run_devices(app, as_json=True) == 2
    assert json.loads(capsys.readouterr().out)["problem"] == "PortAudio is missing. Install it."


def test_the_microphone_is_metered_judged_kept_and_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app, terminal = FakeSound(), Terminal()
    assert run_mic_test(app, out=tmp_path / "a.wav", err=terminal) == 0
    assert app.played == [RESULT]
    assert app.written == [tmp_path / "a.wav"]
    printed = capsys.readouterr().out
    assert "level -31 dBFS, peak -12 dBFS, noise -63 dBFS\nGood.\n" in printed
    shown = terminal.getvalue()
    assert "\r[##############                ]  -31 dBFS\r[                              ]  -70 dBFS\n" in shown


def test_for_programs_there_is_one_object_and_no_meter(capsys: pytest.CaptureFixture[str]) -> None:
    app, pipe = FakeSound(), io.StringIO()
    assert run_mic_test(app, play=False, as_json=True, err=pipe) == 0
    assert not app.played
    assert "\r" not in pipe.getvalue()
    told = json.loads(capsys.readouterr().out)
    assert told["level_dbfs"] == -31.0
    assert told["verdict"] == "Good."


def test_a_file_that_cannot_be_written_is_refused_before_anybody_speaks(tmp_path: Path) -> None:
    app = FakeSound()
    with pytest.raises(AudioFileError):
        run_mic_test(app, out=tmp_path / "nowhere" / "a.wav", err=io.StringIO())
    assert not app.played


def test_without_a_loudspeaker_the_test_counts_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    app, err = FakeSound(), io.StringIO()
    app.deaf = True
    assert run_mic_test(app, err=err) == 0
    assert "No loudspeaker was found. Plug one in." in err.getvalue()
    assert "Good." in capsys.readouterr().out


def test_the_doctor_names_what_fails_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    fine = Check("microphones", CheckState.OK, "2.", values={"count": 2})
    odd = Check("round trip", CheckState.WARN, "It is slow.", "Use a wire.")
    app = FakeSound(checks=[fine, odd])
    assert run_doctor(app, measure=True) == 0
    assert app.measured is True
    assert capsys.readouterr().out == (
        "sound\n  ok    microphones: 2.\n  warn  round trip: It is slow.\n        Use a wire.\nnothing\n"
    )
    app.checks.append(Check.of("PortAudio", DeviceError("It is missing.", "Install it.")))
    assert run_doctor(app, as_json=True) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    assert [one["state"] for one in told["parts"]["sound"]] == ["ok", "warn", "fail"]
    assert told["parts"]["sound"][0]["values"] == {"count": 2}
