"""The language models of the program: lists, keys, tests, and the clients that ask them."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeyStore, LlmChoice, LlmModel, LlmTest, LocalServer, Provider, StreamingLlm
from kame_desktop.backend.llm.keys import SystemKeyStore, key_for
from kame_desktop.backend.llm.routing import AUTO_NAME, make_router
from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import LlmSettings, SettingsStore
from kame_desktop.session.oracle_options import OracleOptions


class LanguageModels:
    """See the module's text. Any thread; what blocks says so.

    Args:
        store: The settings.
        starter: Makes the local server of the starter model.
    """

    def __init__(self, store: SettingsStore, starter: Callable[[], LocalServer]) -> None:
        self._store = store
        self._starter = starter
        self._keys = SystemKeyStore()

    @property
    def _settings(self) -> LlmSettings:
        return self._store.settings.llm

    @property
    def keys(self) -> KeyStore:
        """The keys of providers."""
        return self._keys

    def available(self) -> Sequence[LlmModel]:
        """The starter when it is installed, the well-known ones and the user's own."""
        return catalog.available(self._settings)

    def chosen(self) -> LlmModel:
        """The one of the settings. Raises BadInputError when it can't be one."""
        return catalog.chosen(self._settings)

    def choices(self) -> Sequence[LlmChoice]:
        """All in groups, with where their keys come from. May block on the keyring."""
        return catalog.choices(self._settings, self._keys)

    def discover(self) -> Sequence[LlmChoice]:
        """Models of services on this computer. Blocks up to 1 s."""
        from kame_desktop.backend.llm.local_services import discover

        return discover()

    def providers(self) -> Sequence[Provider]:
        """Those that a key can be given for."""
        return catalog.providers()

    def client(self) -> StreamingLlm:
        """A client of all of them."""
        from kame_desktop.backend.llm.litellm_client import LiteLlmClient

        return LiteLlmClient(self._starter, functools.partial(key_for, self._keys))

    def test(self, model: LlmModel) -> LlmTest:
        """One real call. Blocks."""
        from kame_desktop.backend.llm.probe import probe

        async def ask() -> LlmTest:
            client = self.client()
            try:
                return await probe(client, model)
            finally:
                await client.close()

        return asyncio.run(ask())

    def oracle_options(self) -> OracleOptions:
        """How a session asks; the rules are there in any case, for the user may switch to them later."""
        llm = self._settings
        router, _ = make_router(llm, self._resolve, self._first_ready())  # the settings' page shows what is wrong
        return OracleOptions(
            system_prompt=llm.system_prompt, router=router, fallback=self._fallback(), budget_usd=llm.budget_usd
        )

    def _resolve(self, name: str) -> LlmModel:
        """A model of the settings or of the catalogue by its name. Raises BadInputError."""
        address = next((own.api_base for own in self._settings.custom_models if own.name == name), None)
        return catalog.resolve(name, address)

    def _fallback(self) -> LlmModel | None:
        name = self._settings.fallback_model
        try:
            return self._resolve(name) if name else None
        except AppError:
            return None  # written into the file by hand; the settings page shows it

    def _first_ready(self) -> LlmModel:
        """The first model that can be asked; the starter, when it is installed, without a look at any key."""
        if catalog.starter_installed():
            return catalog.STARTER
        ready = [choice.model for choice in self.choices() if choice.ready and choice.model.name != AUTO_NAME]
        return ready[0] if ready else catalog.STARTER

    @contextmanager
    def loopback(
        self, first_token_s: float, chunks_per_s: float, chunks: int
    ) -> Iterator[tuple[StreamingLlm, LlmModel]]:
        """A server of fixed timing on the loopback, and a client and model to ask it (for benchmarks)."""
        from kame_desktop.backend.llm.loopback import LoopbackLlmServer

        with LoopbackLlmServer(first_token_s, chunks_per_s, chunks).in_thread() as server:
            yield self.client(), catalog.resolve("benchmark", server.api_base)
