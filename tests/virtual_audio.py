"""Sound hardware without hardware: a private PulseAudio daemon with null sinks, which real PortAudio opens.

``ci_speaker`` is the loudspeaker, ``ci_loop`` a microphone in front of it; ``ci_mic`` hears what is played into the
sink ``ci_micfeed``. Whoever uses PortAudio on it needs a process of its own: it reads this environment once, when it
loads.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

needs_virtual_audio = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("pulseaudio") is None or shutil.which("pactl") is None,
        reason="pulseaudio is not installed (apt install pulseaudio libasound2-plugins libportaudio2)",
    ),
    pytest.mark.skipif(ctypes.util.find_library("portaudio") is None, reason="libportaudio2 is not installed"),
    pytest.mark.skipif(importlib.util.find_spec("sounddevice") is None, reason="sounddevice is not installed"),
]

_DAEMON = """
load-module module-native-protocol-unix auth-anonymous=1 socket={folder}/native
load-module module-null-sink sink_name=ci_speaker rate={speaker_hz} channels={speaker_channels}
load-module module-null-sink sink_name=ci_micfeed rate={mic_hz} channels={mic_channels}
load-module module-remap-source source_name=ci_mic master=ci_micfeed.monitor
load-module module-remap-source source_name=ci_loop master=ci_speaker.monitor
set-default-sink ci_speaker
set-default-source ci_mic
"""
_ALSA = """
pcm.!default { type pulse hint.description "CI default" }
ctl.!default { type pulse }
pcm.ci_speaker { type pulse device "ci_speaker" hint { show on description "speaker" } }
pcm.ci_mic { type pulse device "ci_mic" hint { show on description "microphone" } }
pcm.ci_loop { type pulse device "ci_loop" hint { show on description "microphone at the loudspeaker" } }
"""
_COMMAND = "pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no --realtime=no --high-priority=no"
_UP_S = 15.0


class VirtualAudio:
    """A daemon that can be killed and started again; it belongs to the process that made it.

    Args:
        folder: Where its socket and settings lie (short, private).
        environment: What leads PortAudio to it.
    """

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self.environment = environment
        self._daemon: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the daemon and wait for it."""
        with (self._folder / "log").open("ab") as log:
            self._daemon = subprocess.Popen(
                [*_COMMAND.split(), "-F", str(self._folder / "ci.pa")], env=self.environment, stdout=log, stderr=log
            )
        give_up_s = time.monotonic() + _UP_S
        while self.pactl("info").returncode != 0:
            assert self._daemon.poll() is None, (self._folder / "log").read_text(encoding="utf-8")
            assert time.monotonic() < give_up_s, "the sound server did not come up"
            time.sleep(0.02)

    def kill(self) -> None:
        """As a crash would; idempotent."""
        daemon, self._daemon = self._daemon, None
        if daemon is not None:
            daemon.kill()
            daemon.wait(5.0)

    def pactl(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Ask the daemon."""
        return subprocess.run(
            ["pactl", *arguments], env=self.environment, capture_output=True, text=True, check=False, timeout=10
        )

    def unload(self, what: str) -> None:
        """Take away the module whose arguments hold ``what``."""
        for line in self.pactl("list", "short", "modules").stdout.splitlines():
            if what in line:
                assert self.pactl("unload-module", line.split("\t")[0]).returncode == 0
                return
        raise AssertionError(f"no module with {what}")

    def probe(self, module: str, *arguments: str, timeout_s: float = 40.0) -> dict[str, Any]:
        """Run a program of ours on it, killed after ``timeout_s``; what its last line of output says.

        It may ask for ``kill`` or ``start`` by a line of its output, "! kill", and is told by a line when that is done.
        """
        program = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", module, *arguments],
            cwd=ROOT,
            env=self.environment | {"PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        watchdog = threading.Timer(timeout_s, program.kill)
        watchdog.start()
        errors: list[str] = []
        with program:
            assert program.stdin is not None
            assert program.stdout is not None
            assert program.stderr is not None
            reader = threading.Thread(target=lambda stream: errors.append(stream.read()), args=(program.stderr,))
            reader.start()
            last = ""
            for line in program.stdout:
                if line.startswith("! "):
                    {"kill": self.kill, "start": self.start}[line[2:].strip()]()
                    program.stdin.write("done\n")
                    program.stdin.flush()
                else:
                    last = line
            reader.join()
        watchdog.cancel()
        watchdog.join()
        # ALSA tells of each underrun.
        told = [line for text in errors for line in text.splitlines() if not line.startswith("ALSA lib")]
        assert program.returncode == 0, "\n".join(told[-60:])
        return json.loads(last)


@contextmanager
def virtual_audio(
    folder: Path, *, speaker: tuple[int, int] = (48_000, 2), microphone: tuple[int, int] = (48_000, 1)
) -> Iterator[VirtualAudio]:
    """A daemon with hardware of these rates (Hz) and channels, for the length of the block."""
    folder.chmod(0o700)
    setup = _DAEMON.format(
        folder=folder,
        speaker_hz=speaker[0],
        speaker_channels=speaker[1],
        mic_hz=microphone[0],
        mic_channels=microphone[1],
    )
    (folder / "ci.pa").write_text(setup, encoding="utf-8")
    (folder / "asoundrc").write_text(_ALSA, encoding="utf-8")
    environment = os.environ | {
        "XDG_RUNTIME_DIR": str(folder),
        "PULSE_RUNTIME_PATH": str(folder / "run"),
        "PULSE_STATE_PATH": str(folder / "state"),
        "PULSE_SERVER": f"unix:{folder}/native",
        "PULSE_COOKIE": str(folder / "cookie"),
        "ALSA_CONFIG_PATH": f"/usr/share/alsa/alsa.conf:{folder}/asoundrc",
    }
    audio = VirtualAudio(folder, environment)
    try:
        audio.start()
        yield audio
    finally:
        audio.kill()
