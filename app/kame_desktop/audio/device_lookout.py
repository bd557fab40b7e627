"""Looks for sound devices that come and go while streams are open, in a process of its own.

PortAudio makes its list when it begins, and can't begin anew while a stream is open. A second process can. It is
started only when there is something to look for: a device that is missing, or a default device that PortAudio won't
follow (Windows, macOS; on Linux the sound server moves streams itself).

Protocol: for each line on standard input the child answers one line, ``{"input": [[name, host API, default], ...],
"output": [...]}``; it ends when its standard input does: when the parent closes it or dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from kame_desktop.audio.portaudio import look_again, sounddevice
from kame_desktop.core.child_process import spawn_module

if TYPE_CHECKING:
    from kame_desktop.audio.base import DeviceList

_END_S = 0.5


class DeviceLookout:
    """The parent's side. ``look`` belongs to one thread; ``end`` may be called from any, also while that one waits."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._ended = False

    def look(self) -> DeviceList | None:
        """The devices that there are now; blocks until the child has looked. None: it can't be told."""
        if self._ended:
            return None
        try:
            if self._child is None:
                self._child = spawn_module("kame_desktop.audio.device_lookout", "--device-lookout")
                if self._ended:
                    self.end()
                    return None
            child = self._child
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(b"look\n")
            child.stdin.flush()
            return _device_list(json.loads(child.stdout.readline()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def end(self) -> None:
        """End the child; idempotent, at most half a second."""
        self._ended = True
        child = self._child
        if child is None:
            return
        child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_END_S)

    def close(self) -> None:
        """Free the pipes, when nobody looks any more."""
        child, self._child = self._child, None
        for pipe in (child.stdin, child.stdout) if child is not None else ():
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _device_list(answer: dict[str, Any]) -> DeviceList:
    from kame_desktop.audio.base import DeviceChoiceInfo, DeviceList  # with numpy, which the child doesn't need

    inputs, outputs = (
        tuple(DeviceChoiceInfo(name, host_api, 0, 0, default) for name, host_api, default in answer[kind])
        for kind in ("input", "output")
    )
    return DeviceList(inputs, outputs)


def _look() -> dict[str, list[list[Any]]]:
    look_again()
    library = sounddevice()
    hosts = [str(host["name"]) for host in library.query_hostapis()]
    devices = [dict(one) for one in library.query_devices()]
    seen: dict[str, list[list[Any]]] = {}
    for kind in ("input", "output"):
        try:
            default = library.query_devices(kind=kind)["index"]
        except (library.PortAudioError, ValueError):
            default = -1
        seen[kind] = [
            [one["name"], hosts[one["hostapi"]], one["index"] == default]
            for one in devices
            if one[f"max_{kind}_channels"] > 0
        ]
    return seen


def main() -> None:
    """The child: answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # PortAudio's host APIs print
    for _ in sys.stdin:
        answers.write(json.dumps(_look()) + "\n")
        answers.flush()
    os._exit(0)  # a hanging sound service must not keep it


if __name__ == "__main__":
    main()
