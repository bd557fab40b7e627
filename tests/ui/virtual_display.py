"""A screen and a keyboard without either: an X server in memory, and a hand that presses keys on it (XTest)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_PROGRAMS = ("Xvfb", "xdotool", "xkbcomp")
needs_virtual_display = pytest.mark.skipif(
    any(shutil.which(program) is None for program in _PROGRAMS),
    reason=f"{', '.join(_PROGRAMS)} are needed (apt install xvfb xdotool x11-xkb-utils)",
)
_PATIENCE_S = 30.0


class VirtualDisplay:
    """One X server; the process that made it ends it."""

    def __init__(self) -> None:
        reader, writer = os.pipe()
        self._process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=(writer,),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as number:
            self.name = f":{number.readline().strip()}"  # the server writes it when it is up

    def keys(self, *actions: str) -> None:
        """Press and let go: ``down ctrl``, ``up space``."""
        words = [word for action in actions for word in f"key{action}".split()]
        self._run("xdotool", *words)

    def relabel(self, folder: Path, **symbols: str) -> None:
        """Put other symbols on keys, by the keys' names: ``SPCE="a"``."""
        dump, changed = folder / "before.xkb", folder / "after.xkb"
        self._run("xkbcomp", "-w0", self.name, str(dump))
        lines = dump.read_text(encoding="utf-8").splitlines()
        for key, symbol in symbols.items():
            place = next(n for n, line in enumerate(lines) if line.strip().startswith(f"key <{key}> {{"))
            end = next(n for n in range(place, len(lines)) if lines[n].rstrip().endswith("};"))
            lines[place : end + 1] = [f"    key <{key}> {{ [ {symbol} ] }};"]
        changed.write_text("\n".join(lines), encoding="utf-8")
        self._run("xkbcomp", "-w0", str(changed), self.name)

    def end(self) -> None:
        """The server goes away; idempotent."""
        self._process.terminate()
        self._process.wait(_PATIENCE_S)

    def _run(self, *command: str) -> None:
        env = {**os.environ, "DISPLAY": self.name}
        subprocess.run(command, env=env, check=True, timeout=_PATIENCE_S, capture_output=True)
