"""The text of "Copy diagnostics", and the parts of the doctor as the program puts them together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kame_desktop.bootstrap import Application
from kame_desktop.bootstrap.diagnosis import Diagnosis
from kame_desktop.bootstrap.language_models import LanguageModels
from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.crash import CrashReport
from kame_desktop.core.crash_care import CrashCare
from kame_desktop.core.errors import AppError, MissingPackageError
from kame_desktop.core.last_run import LastRun
from kame_desktop.core.redact import Redactor
from kame_desktop.core.settings import CustomModel, SettingsStore
from kame_desktop.diagnostics import models
from kame_desktop.diagnostics.engines import EngineVerdict, engine_check
from kame_desktop.diagnostics.gpu import Card, GpuFacts, Torch
from kame_desktop.diagnostics.network import fetch_status, hub_check
from kame_desktop.diagnostics.report import PACKAGES, package_versions, report_text
from kame_desktop.frontends.registry import EngineInfo, EngineOptions
from kame_desktop.weights.download import Downloader
from kame_desktop.weights.store import WeightStore
from tests.fakes.session import FakeKeyStore

GB = 10**9
WORDS = "planted words"
BIG = Card("RTX 4090", 24 * GB, 23 * GB, (8, 9))
SMALL = Card("RTX 3060", 12 * GB, 11 * GB, (8, 6))


class NoSound:
    """Stands in for ``Sound``."""

    def checks(self, *, measure: bool) -> Sequence[Check]:
        return [Check("microphones", CheckState.OK, "One, 'Ann's headset'.", values={"measured": measure})]


class Machine:
    """An application on an empty weights store, and a doctor for it."""

    def __init__(self, folder: Path, *, cards: Sequence[Card] = (), packages: bool = True) -> None:
        self.store = SettingsStore(folder / "settings.json")
        self.settings = self.store.settings
        self.problem = None if packages else MissingPackageError("No torch.", "Install it.")
        self.downloader = Downloader(WeightStore(folder / "weights"))
        self.options = EngineOptions()
        torch = Torch("2.9.1", "12.4", cards=tuple(cards)) if packages else None
        facts = GpuFacts(tuple(cards), "555", "12.5", torch, packages)
        self.llms = LanguageModels(self.store, lambda: pytest.fail("no server is started"))
        self.llms._keys = FakeKeyStore()  # type: ignore[assignment]
        self.care: CrashCare | None = None
        self.doctor = Diagnosis(
            self,
            self.llms,
            NoSound(),  # type: ignore[arg-type]
            lambda: self.care,
            data_folder=lambda: folder,
            find=lambda: facts,
        )

    def engines(self) -> Sequence[EngineInfo]:
        return [EngineInfo("lite", "Lite"), EngineInfo("kame", "KAME")]

    def engine_problem(self, engine: str) -> AppError | None:
        return None if engine == "lite" else self.problem

    def engine_options(self, engine: str) -> EngineOptions:
        return self.options

    def weights(self) -> Downloader:
        return self.downloader

    def check(self, name: str) -> Check:
        found = self.doctor.check(lambda part, check: None)
        return next(check for _, check in found if check.name.startswith(name))


def test_every_part_is_looked_at_and_told_of_at_once(tmp_path: Path) -> None:
    told: list[tuple[str, str]] = []
    found = Machine(tmp_path).doctor.check(lambda part, check: told.append((part, check.name)))
    assert [(part, check.name) for part, check in found] == told
    assert list(dict.fromkeys(part for part, _ in told)) == [
        "Computer",
        "Graphics",
        "Sound",
        "Models",
        "Language model",
        "Engines",
    ]
    assert all(check.remedy for _, check in found if check.state is CheckState.FAIL)


def test_sound_is_left_alone_while_a_conversation_runs_and_the_network_until_it_is_asked_for(tmp_path: Path) -> None:
    doctor = Machine(tmp_path).doctor
    assert "Sound" not in [name for name, _ in doctor.parts(sound=False)]
    assert "Network" not in [name for name, _ in doctor.parts()]
    assert [name for name, _ in doctor.parts(network=True)][-1] == "Network"


@pytest.mark.parametrize(
    ("cards", "packages", "state", "says"),
    [
        ((), True, CheckState.WARN, "needs a GPU"),
        ((SMALL,), True, CheckState.WARN, "are missing"),
        ((BIG,), False, CheckState.WARN, "No torch."),
        ((BIG,), True, CheckState.WARN, "weights aren't on this computer"),
    ],
)
def test_a_large_engine_says_what_hinders_it_most(
    tmp_path: Path, cards: Sequence[Card], packages: bool, state: CheckState, says: str
) -> None:
    check = Machine(tmp_path, cards=cards, packages=packages).check("engine kame")
    assert check.state is state
    assert says in check.what
    assert check.remedy


def test_a_large_engine_that_can_run_says_where(tmp_path: Path) -> None:
    machine = Machine(tmp_path, cards=[BIG])
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    names = {"moshi_name": "m.safetensors", "mimi_name": "c.safetensors", "tokenizer_name": "t.model"}
    (folder / "config.json").write_text(str(names).replace("'", '"'), encoding="utf-8")
    for name in names.values():
        with (folder / name).open("wb") as stream:
            stream.truncate(5 * GB)
    machine.options = EngineOptions(checkpoint=str(folder))
    check = machine.check("engine kame")
    assert check.state is CheckState.OK
    assert "RTX 4090 in bfloat16" in check.what
    assert "about 18 GB, 23 are free" in check.what


def test_the_chosen_engine_fails_when_it_cant_run(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.settings.engine = "kame"
    assert machine.check("engine kame (chosen)").state is CheckState.FAIL
    assert engine_check(EngineVerdict("x", "X", True, "", AppError("Broken."))).remedy
    assert engine_check(EngineVerdict("x", "X", True, "Runs.")).state is CheckState.OK


@pytest.mark.parametrize(
    ("model", "key", "state", "says"),
    [
        ("starter", False, CheckState.OK, "on this computer"),
        ("gpt-4.1", False, CheckState.FAIL, "needs a key of OpenAI"),
        ("gpt-4.1", True, CheckState.OK, "keyring"),
        ("mine", False, CheckState.OK, "mine at"),
        ("two words", False, CheckState.FAIL, "spaces"),
    ],
)
def test_the_chosen_language_model(tmp_path: Path, model: str, key: bool, state: CheckState, says: str) -> None:
    machine = Machine(tmp_path)
    machine.settings.llm.model = model
    machine.settings.llm.custom_models = [CustomModel(name="mine", api_base="http://192.168.1.2:8000/v1")]
    if key:
        machine.llms.keys.set(next(one for one in machine.llms.providers() if one.name == "openai"), "sk-0123456789")
    check = machine.check("chosen model")
    assert check.state is state
    assert says in check.what
    assert "sk-0123456789" not in machine.doctor.text()


def test_a_computer_without_a_keyring_is_said(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.llms._keys = FakeKeyStore("No keyring; install one.")  # type: ignore[assignment]
    assert machine.check("keyring").state is CheckState.WARN


@pytest.mark.logs_errors
def test_a_part_that_fails_itself_is_a_finding_and_the_others_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    machine = Machine(tmp_path)

    def broken() -> Downloader:
        raise ValueError(WORDS)

    machine.weights = broken  # type: ignore[method-assign]
    found = machine.doctor.check(lambda part, check: None)
    failed = [check for _, check in found if check.state is CheckState.FAIL]
    assert [check.name for check in failed] == ["models", "engines"]
    assert "ValueError" in failed[0].what
    assert "Language model" in [part for part, _ in found]
    assert WORDS not in f"{caplog.text}{failed}"


def test_weights_and_packages_that_are_not_all_there() -> None:
    sets = [
        models.Weights("kame", "", True, False, 16 * GB, Path("/w")),
        models.Weights("moshi", "", False, True, GB),
        models.Weights("other/one", "", False, False, 2 * GB),
    ]
    here, begun, absent = models.weights_checks(sets)
    assert (here.state, begun.state, absent.state) == (CheckState.OK, CheckState.WARN, CheckState.OK)
    assert "models get moshi" in begun.remedy
    missing = models.missing_parts(installed=lambda part: part.package != "hibari")
    assert [part.distribution for part in missing] == ["hibari-tts"]
    check = models.starter_check(missing)
    assert check.state is CheckState.WARN
    assert "hibari-tts" in check.what


@pytest.mark.parametrize(("status", "state"), [(200, CheckState.OK), (403, CheckState.OK), (None, CheckState.WARN)])
def test_the_hub(status: int | None, state: CheckState) -> None:
    check = hub_check("https://hub.example:8443/x", lambda address: status)
    assert check.state is state
    assert "hub.example" in check.what


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/", "http://nowhere.invalid/", "rubbish", ""])
def test_an_address_that_cant_be_reached_has_no_status(address: str) -> None:
    assert fetch_status(address) is None


# The text -----------------------------------------------------------------------------------------------------------

hide = Redactor(environment={"X_API_KEY": "planted-key-value"}, home="/home/ann", names=["ann"])


def text(checks: Sequence[tuple[str, Check]] = (), **more: object) -> str:
    arguments: dict[str, object] = {"reports": [], "last_run": None, "packages": [("numpy", "2.4")], **more}
    return report_text(checks, redact=hide, **arguments)  # type: ignore[arg-type]


def test_the_text_has_checks_versions_and_crashes() -> None:
    reports = [CrashReport(f"t{number}", "frame", "ValueError", "  in a\n  in b", count=2) for number in range(9)]
    shown = text(
        [
            ("Computer", Check("disk", CheckState.FAIL, "Full.", "Free some.")),
            ("Computer", Check("memory", CheckState.OK, "Fine.")),
            ("Sound", Check("microphones", CheckState.WARN, "None.", "Plug one in.")),
        ],
        reports=reports,
        last_run=LastRun("t0", "0.1", "Fatal Python error: Segmentation fault"),
    )
    assert "\nComputer\n  fail  disk: Full.\n        Free some.\n  ok    memory: Fine.\n\nSound\n  warn" in shown
    assert "  numpy 2.4\n" in shown
    assert "t8 ValueError in frame, 2 times\n    in a\n" in shown
    assert "t3 ValueError" not in shown
    assert "Segmentation fault" in shown
    assert "Crashes\n  none" in text()


@pytest.mark.parametrize(
    ("planted", "where"),
    [
        ("/home/ann", "/home/ann/.local"),
        ("Ann", "Ann's headset"),
        ("planted-key-value", "planted-key-value"),
        ("sk-abcdefgh12345", "sk-abcdefgh12345"),
        ("secret", "https://ann:secret@example.org/v1?token=secret"),
    ],
)
def test_nothing_planted_gets_into_the_text(planted: str, where: str) -> None:
    check = Check(where, CheckState.FAIL, where, where)
    report = CrashReport("t", where, "ValueError", where)
    shown = text([(where, check)], reports=[report], last_run=LastRun("t", "1", where), packages=[(where, where)])
    assert planted not in shown


def test_the_programs_own_text_hides_home_and_device_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "Ann")
    machine = Machine(tmp_path / "home" / "data")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shown = machine.doctor.text(machine.doctor.check(lambda part, check: None))
    assert str(tmp_path / "home") not in shown
    assert "Ann's" not in shown
    assert "<name>'s headset" in shown


def test_versions_are_those_that_are_installed() -> None:
    found = dict(package_versions([*PACKAGES, "no-such-package-at-all"]))
    assert found["numpy"][0].isdigit()
    assert found["no-such-package-at-all"] == "not installed"


@pytest.mark.logs_errors
def test_crash_care_of_a_run_is_in_the_text(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.care = CrashCare()
    machine.care.log.add_kind("loop trouble", "asyncio loop")
    assert "loop trouble in asyncio loop" in machine.doctor.text()


def test_the_application_has_a_doctor(tmp_path: Path) -> None:
    app = Application(tmp_path / "settings.json")
    assert "Sound" in [name for name, _ in app.doctor_parts()]
