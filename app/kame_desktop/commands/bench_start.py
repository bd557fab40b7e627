"""``kame-desktop bench start``: from the command to the painted window, and to a conversation that runs.

Each run is a process of its own with settings of its own; Start is pressed the moment the window is there, with a
sample question and the starter model. The first run also fills the system's file cache and is shown apart.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from kame_desktop.commands.answer_times import spread
from kame_desktop.commands.output import put
from kame_desktop.commands.runner import EXIT_FAILED, EXIT_OK

PAINTED_LIMIT_MS = 1_000.0
READY_LIMIT_MS = 4_000.0
_RUN_LIMIT_S = 90.0
_PROGRAM = (
    "import sys\n"
    "from kame_desktop.__main__ import main\n"
    "from kame_desktop.ui import start_probe\n"
    "sys.exit(start_probe.main(main, float(sys.argv[1])))\n"
)


def bench_start(*, runs: int, as_json: bool) -> int:
    """Measure; exit code 1 when a run failed. ``runs``: warm ones, after the first."""
    results = [_run_once() for _ in range(runs + 1)]
    if any(result is None for result in results):
        put("A window could not be opened or did not come to a running conversation.\n")
        return EXIT_FAILED
    first, *warm = [result for result in results if result is not None]
    report: dict[str, Any] = {
        "first": first,
        "painted_ms": spread([run["painted_ms"] for run in warm]),
        "ready_ms": spread([run["ready_ms"] for run in warm]),
        "painted_limit_ms": PAINTED_LIMIT_MS,
        "ready_limit_ms": READY_LIMIT_MS,
    }
    if as_json:
        put(json.dumps(report, indent=2) + "\n")
    else:
        for key, name, limit in (("painted_ms", "window painted", 1_000), ("ready_ms", "conversation runs", 4_000)):
            numbers = report[key]
            line = f"{name:<18} median {numbers['median']:.0f} ms, 90 % {numbers['p90']:.0f} ms (at most {limit} ms)"
            kept = "kept" if numbers["median"] <= limit else "NOT kept"
            put(f"{line}: {kept}; the very first run {first[key]:.0f} ms\n")
    return EXIT_OK


def _run_once() -> dict[str, float] | None:
    with tempfile.TemporaryDirectory(prefix="kame-start-") as home:
        environment = {**os.environ}
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
            environment[name] = home
        if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            environment["QT_QPA_PLATFORM"] = "offscreen"
        command = [sys.executable, "-c", _PROGRAM, repr(time.time())]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=_RUN_LIMIT_S, check=False
            )
            found = json.loads(done.stdout.strip().splitlines()[-1])
        except (subprocess.TimeoutExpired, OSError, ValueError, IndexError):
            return None
    return found if found.get("painted_ms") and found.get("ready_ms") else None
