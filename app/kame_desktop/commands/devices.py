"""``kame-desktop devices``: the microphones and loudspeakers that can be chosen."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Protocol

from kame_desktop.audio.base import DeviceChoiceInfo, DeviceList
from kame_desktop.commands.output import put
from kame_desktop.commands.runner import EXIT_BAD_INPUT, EXIT_OK


class DevicesApp(Protocol):
    """What this command needs of ``Application``."""

    def audio_devices(self, *, rescan: bool = False) -> DeviceList:
        """Sound devices to choose from."""
        ...


def add_arguments(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``devices`` to the program's parser."""
    devices = subparsers.add_parser("devices", help="list microphones and loudspeakers")
    devices.add_argument("--json", action="store_true", help="print one object")


def run_devices(app: DevicesApp, *, as_json: bool = False) -> int:
    """Print what there is. Returns 2 when there is nothing, and says why."""
    found = app.audio_devices(rescan=True)
    if as_json:
        put(json.dumps(asdict(found), ensure_ascii=False, indent=2) + "\n")
    else:
        put("\n".join([*_lines("Microphones", found.inputs), "", *_lines("Loudspeakers", found.outputs)]) + "\n")
        if found.problem is not None:
            put(f"\n{found.problem}\n")
        elif found.inputs or found.outputs:
            put("\n* is the system's default.\n")
    return EXIT_OK if found.inputs or found.outputs else EXIT_BAD_INPUT


def _lines(title: str, devices: Sequence[DeviceChoiceInfo]) -> list[str]:
    if not devices:
        return [f"{title}: none"]
    width = max(len(one.name) for one in devices)
    return [
        f"{title}:",
        *(
            f"  {'*' if one.default else ' '} {one.name:<{width}}  {one.host_api}, {one.rate_hz} Hz, "
            f"{one.channels} channel{'' if one.channels == 1 else 's'}"
            for one in devices
        ),
    ]
