"""The process that the starter model lives in: ``python -m kame_desktop.backend.llm.starter_host``.

Why a process of its own: ``xllamacpp.Server`` (2026.10, measured) holds Python's interpreter lock while it loads
(0.6 s) and while it ends (30 s with a stream still open, until its keep-alive ping finds the client gone); in our
process the window, the frame loop and the sound callbacks would freeze with it. A process also gives memory and port
back at once, and takes nobody with it when native code aborts.

Protocol: the parent writes one JSON line to standard input, ``{"model": path, "token": secret, "context": tokens,
"slots": n, "threads": n}``; this process answers one JSON line, ``{"url": ...}`` or ``{"error": "missing" | "model"}``,
and serves until standard input ends: when the parent closes it, or when the parent dies in whatever way.

It imports the standard library and xllamacpp, nothing else of the package: it must start fast.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, TextIO


def _take_stdout() -> TextIO:
    """Keep standard output for the protocol; whatever native code prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return answers


def _parameters(llama: Any, order: dict[str, Any]) -> Any:
    """llama.cpp's parameters for one small model on the CPU."""
    params = llama.CommonParams()
    params.model.path = order["model"]
    params.n_gpu_layers = 0
    params.n_ctx = order["context"]
    params.n_parallel = order["slots"]
    params.cpuparams.n_threads = order["threads"]
    params.cpuparams_batch.n_threads = order["threads"]
    # An idle kept-alive connection holds one of these; with fewer a new request would wait for it to time out.
    params.n_threads_http = 8
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order["token"]]
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = ""
    params.cors_credentials = False
    params.offline = True
    params.cache_ram_mib = 0
    params.verbosity = -1
    return params


def main() -> None:
    """Serve one model until standard input ends."""
    answers = _take_stdout()

    def answer(**values: str) -> None:
        answers.write(json.dumps(values) + "\n")
        answers.flush()

    order = json.loads(sys.stdin.readline() or "null")
    if order is None:
        return
    try:
        llama: Any = importlib.import_module("xllamacpp")
    except ImportError:
        answer(error="missing")
        return
    try:
        server = llama.Server(_parameters(llama, order))
    except Exception:  # noqa: BLE001 - whatever native code raises, the parent is told one thing
        answer(error="model")
        return
    answer(url=server.listening_address)
    sys.stdin.read()
    # The destructor would wait for open streams; the system frees everything at once.
    os._exit(0)


if __name__ == "__main__":
    main()
