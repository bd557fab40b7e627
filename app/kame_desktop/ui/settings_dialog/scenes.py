"""The settings in states worth a picture, for ``ui.gallery``: scripted services, nothing is asked or heard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from kame_desktop.audio.base import DeviceList, MicTestResult
from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource, KeyStore, LlmChoice, LlmModel, LlmTest, Provider
from kame_desktop.core.errors import LlmError
from kame_desktop.core.settings import CustomModel, DeviceChoice, SettingsStore
from kame_desktop.ui.gallery.services import ScriptedServices
from kame_desktop.ui.settings_dialog.answers_page import AnswersPage
from kame_desktop.ui.settings_dialog.audio_page import AudioPage
from kame_desktop.ui.settings_dialog.auto_page import AutoPage
from kame_desktop.ui.settings_dialog.dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.keys_page import KeysPage
from kame_desktop.ui.settings_dialog.models_page import ModelsPage

Scene = Callable[[Path, tuple[int, int]], SettingsDialog]

_OPENAI = Provider("openai", "OpenAI", ("OPENAI_API_KEY",), "https://platform.openai.com/api-keys")
_ANTHROPIC = Provider("anthropic", "Anthropic", ("ANTHROPIC_API_KEY",), "https://console.anthropic.com/settings/keys")
_GOOGLE = Provider("gemini", "Google", ("GEMINI_API_KEY",), "https://aistudio.google.com/apikey")
_MISTRAL = Provider("mistral", "Mistral", ("MISTRAL_API_KEY",), "https://console.mistral.ai/api-keys")
_OLLAMA = "http://localhost:11434"
_OWN = CustomModel(name="openai/qwen2.5-14b", api_base="http://192.168.1.20:8000/v1")
_SETTLE_ROUNDS = 6


class _Keys:
    """Keys of every kind."""

    def __init__(self, problem: str | None) -> None:
        self.problem = problem

    def source(self, provider: Provider) -> KeySource:
        """One of each."""
        if provider.name == _GOOGLE.name:
            return KeySource.ENVIRONMENT
        if provider.name == _OPENAI.name:
            return KeySource.SESSION if self.problem else KeySource.KEYRING
        return KeySource.MISSING

    def get(self, provider: Provider) -> str | None:
        """Never asked for."""
        return None

    def set(self, provider: Provider, key: str, *, keep: bool = True) -> KeySource:
        """It is taken, and forgotten."""
        return KeySource.SESSION

    def forget(self, provider: Provider) -> bool:
        """There was one."""
        return True


class SettingsServices(ScriptedServices):
    """Choices to show. ``keyring_problem``: why keys can't be kept."""

    def __init__(self, keyring_problem: str | None = None, *, devices: bool = True) -> None:
        super().__init__(None)
        self._keys = _Keys(keyring_problem)
        self._has_devices = devices

    def llm_choices(self) -> list[LlmChoice]:
        """Of every group and state."""
        here, keys = catalog.GROUP_LOCAL, self._keys
        return [
            LlmChoice(LlmModel("starter", "Starter model", starter=True, hint="small, often wrong"), here),
            LlmChoice(LlmModel("ollama/llama3.2", "llama3.2 (Ollama)", api_base=_OLLAMA), here),
            LlmChoice(catalog.AUTO, catalog.GROUP_AUTO),
            LlmChoice(LlmModel("gpt-4.1", "GPT-4.1", provider="openai"), _OPENAI.label, keys.source(_OPENAI)),
            LlmChoice(LlmModel("gpt-4.1-nano", "GPT-4.1 nano", provider="openai"), _OPENAI.label, keys.source(_OPENAI)),
            LlmChoice(
                LlmModel("claude-opus-4-1", "Claude Opus 4.1", provider="anthropic"), "Anthropic", KeySource.MISSING
            ),
            LlmChoice(
                LlmModel("gemini/gemini-2.5-flash", "Gemini 2.5 Flash", provider="gemini"),
                _GOOGLE.label,
                keys.source(_GOOGLE),
            ),
            LlmChoice(
                LlmModel(_OWN.name, "qwen2.5-14b at 192.168.1.20:8000", api_base=_OWN.api_base), catalog.GROUP_OWN
            ),
        ]

    def llm_providers(self) -> list[Provider]:
        """Four of them."""
        return [_OPENAI, _ANTHROPIC, _GOOGLE, _MISTRAL]

    def keys(self) -> KeyStore:
        """As the scene wants them."""
        return self._keys

    def audio_devices(self, *, rescan: bool = False) -> DeviceList:
        """Some, or a reason why not."""
        if self._has_devices:
            return super().audio_devices(rescan=rescan)
        return DeviceList(
            problem="PortAudio isn't installed, so there is no sound. Install it: sudo apt install libportaudio2."
        )


def _settle(dialog: SettingsDialog) -> None:
    """Wait for the scripted answers, which come at once."""
    app = QApplication.instance()
    rounds = 0
    while app is not None and (rounds < _SETTLE_ROUNDS or not dialog.idle):
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        app.processEvents()
        rounds += 1


def _scene(
    page: str,
    act: Callable[[SettingsDialog], object] | None = None,
    problem: str | None = None,
    *,
    devices: bool = True,
) -> Scene:
    """A dialog at a page, in which something has been done."""

    def make(folder: Path, size: tuple[int, int]) -> SettingsDialog:
        store = SettingsStore(folder / "settings.json")
        llm, audio = store.settings.llm, store.settings.audio
        llm.model, llm.custom_models, llm.budget_usd = "gpt-4.1", [_OWN], 0.5
        audio.input_device = DeviceChoice(name="Yeti Nano", host_api="ALSA")
        dialog = SettingsDialog(SettingsServices(problem, devices=devices), store)
        dialog.resize(*size)
        dialog.show()
        dialog.show_page(page)
        _settle(dialog)
        if act is not None:
            act(dialog)
            _settle(dialog)
        return dialog

    return make


def _record(dialog: SettingsDialog) -> None:
    page = dialog.pages["audio"]
    if isinstance(page, AudioPage):
        good = "Good: your voice is well above the noise."
        page.test.show_result(MicTestResult("Yeti Nano", np.zeros(72_000, np.float32), -31.0, -63.0, -12.0, good))


def _tested(dialog: SettingsDialog) -> None:
    page = dialog.pages["models"]
    if isinstance(page, ModelsPage):
        models = dialog.llms.model
        refused = LlmError("The service refused the key.", "Check the key, or choose another language model.")
        page.panel.tests["gpt-4.1"] = LlmTest(models("gpt-4.1"), first_token_ms=412.3)
        page.panel.tests["gpt-4.1-nano"] = LlmTest(models("gpt-4.1-nano"), error=refused)
        page.tree.want("gpt-4.1-nano")
        page.show_settings()


def _needs_key(dialog: SettingsDialog) -> None:
    page = dialog.pages["models"]
    if isinstance(page, ModelsPage):
        page.tree.want("claude-opus-4-1")
        page.show_settings()


def _enter_key(dialog: SettingsDialog) -> None:
    page = dialog.pages["keys"]
    if isinstance(page, KeysPage):
        page.show_item("anthropic")
        page.key_rows["anthropic"].field.setText("0123456789abcdef")


def _ask_auto(dialog: SettingsDialog) -> None:
    page = dialog.pages["auto"]
    if isinstance(page, AutoPage):
        page.question.setText("How does photosynthesis work?")


def _long_prompt(dialog: SettingsDialog) -> None:
    page = dialog.pages["answers"]
    if isinstance(page, AnswersPage):
        page.prompt.setPlainText("Answer like a pirate, in one sentence.\nNever say that you are a computer.")


def scenes() -> dict[str, Scene]:
    """Name -> makes the dialog, shown, of a size; the caller takes the picture and closes it."""
    no_keyring = (
        "This computer has no keyring to keep keys in, so a key given here lasts until the program ends; to keep one,"
        " install a keyring (on Linux GNOME Keyring or KWallet), or set the provider's environment variable."
    )
    return {
        "settings-audio": _scene("audio"),
        "settings-audio-test": _scene("audio", _record, devices=False),
        "settings-models": _scene("models", _tested),
        "settings-models-key": _scene("models", _needs_key),
        "settings-keys": _scene("keys", _enter_key),
        "settings-no-keyring": _scene("keys", problem=no_keyring),
        "settings-answers": _scene("answers", _long_prompt),
        "settings-auto": _scene("auto", _ask_auto),
        "settings-appearance": _scene("appearance"),
        "settings-privacy": _scene("privacy"),
        "settings-search": _scene("audio", lambda dialog: dialog.search.setText("echo")),
        "settings-nothing": _scene("audio", lambda dialog: dialog.search.setText("teleport")),
    }
