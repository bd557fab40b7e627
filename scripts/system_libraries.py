"""Finds the system libraries that wheels don't bring along, and gets the missing ones where it can.

On Debian and its kin they are installed with apt when this runs as root; anyone else is shown the one line
to run. Elsewhere they are named. macOS needs none. `--packages NAME...` does the same for Debian packages by
name.

Exit code: 0 all there, 3 something is missing that much works without, 1 the application can't start.
"""

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


def has_library(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def has_module(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def has_fonts(_: str) -> bool:
    folders = (Path(folder).expanduser() for folder in FONT_FOLDERS)
    return any(next(folder.rglob(f"*.{kind}"), None) for folder in folders for kind in ("ttf", "otf", "ttc", "pfb"))


def has_package(package: str) -> bool:
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    return subprocess.run(query, capture_output=True, text=True, check=False).stdout == "installed"


@dataclass(frozen=True)
class Need:
    """Something to have, how to look for it, the Debian packages that bring it (the first known counts)."""

    what: str
    packages: tuple[str, ...]
    found: Callable[[str], bool] = has_library
    vital: bool = True


VENV = Need("ensurepip", (f"python3.{sys.version_info.minor}-venv", "python3-venv"), has_module)
# What PySide6's QtGui, QtWidgets, QtDBus and QtNetwork, and its X11 and Wayland plug-ins, are linked against.
WINDOW = (
    Need("libEGL.so.1", ("libegl1",)),
    Need("libGL.so.1", ("libgl1",)),
    Need("libX11.so.6", ("libx11-6",)),
    Need("libX11-xcb.so.1", ("libx11-xcb1",)),
    Need("libdbus-1.so.3", ("libdbus-1-3",)),
    Need("libfontconfig.so.1", ("libfontconfig1",)),
    Need("libfreetype.so.6", ("libfreetype6",)),
    Need("libglib-2.0.so.0", ("libglib2.0-0t64", "libglib2.0-0")),
    Need("libgssapi_krb5.so.2", ("libgssapi-krb5-2",)),
    Need("libxcb-cursor.so.0", ("libxcb-cursor0",)),
    Need("libxcb-glx.so.0", ("libxcb-glx0",)),
    Need("libxcb-icccm.so.4", ("libxcb-icccm4",)),
    Need("libxcb-image.so.0", ("libxcb-image0",)),
    Need("libxcb-keysyms.so.1", ("libxcb-keysyms1",)),
    Need("libxcb-randr.so.0", ("libxcb-randr0",)),
    Need("libxcb-render-util.so.0", ("libxcb-render-util0",)),
    Need("libxcb-render.so.0", ("libxcb-render0",)),
    Need("libxcb-shape.so.0", ("libxcb-shape0",)),
    Need("libxcb-shm.so.0", ("libxcb-shm0",)),
    Need("libxcb-sync.so.1", ("libxcb-sync1",)),
    Need("libxcb-util.so.1", ("libxcb-util1",)),
    Need("libxcb-xfixes.so.0", ("libxcb-xfixes0",)),
    Need("libxcb-xkb.so.1", ("libxcb-xkb1",)),
    Need("libxkbcommon-x11.so.0", ("libxkbcommon-x11-0",)),
    Need("libxkbcommon.so.0", ("libxkbcommon0",)),
    Need("libwayland-client.so.0", ("libwayland-client0",), vital=False),
    Need("libwayland-cursor.so.0", ("libwayland-cursor0",), vital=False),
    Need("libwayland-egl.so.1", ("libwayland-egl1",), vital=False),
    Need("a font", ("fonts-dejavu-core",), has_fonts, vital=False),
)
MODELS = (Need("libgomp.so.1", ("libgomp1",)),)  # xllamacpp
SOUND = (Need("libportaudio.so.2", ("libportaudio2",), vital=False),)


def known_to_apt(package: str) -> bool:
    policy = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True, check=False).stdout
    return "Candidate:" in policy and "Candidate: (none)" not in policy


def debian_names(needs: Iterable[Need]) -> list[str]:
    names = (next(filter(known_to_apt, need.packages), need.packages[-1]) for need in needs)
    return list(dict.fromkeys(names))


def apt(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["apt-get", "--quiet", "--yes", "-o", "DPkg::Lock::Timeout=120", *arguments]
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=env,
        check=False,
    )


def install(needs: list[Need]) -> None:
    print("Looking up Debian packages (apt-get update)", flush=True)
    update = apt("update")
    names = debian_names(needs)
    print(f"Installing Debian packages: {' '.join(names)}", flush=True)
    installation = apt("install", "--no-install-recommends", *names)
    if installation.returncode != 0:
        for output in (update.stdout, installation.stdout):
            print(*output.splitlines()[-10:], sep="\n", file=sys.stderr)


def missing_of(needs: Iterable[Need]) -> list[Need]:
    return [need for need in needs if not need.found(need.what)]


def main(arguments: list[str]) -> int:
    if not sys.platform.startswith("linux"):
        return 0
    has_apt = shutil.which("apt-get") is not None
    if arguments[:1] == ["--packages"]:
        needs = [Need(name, (name,), has_package, vital=False) for name in arguments[1:] if has_apt]
    else:
        needs = [VENV, *WINDOW, *MODELS, *SOUND]
    missing = missing_of(needs)
    if missing and has_apt and os.geteuid() == 0:
        install(missing)
        missing = missing_of(missing)
    if not missing:
        return 0

    vital = any(need.vital for need in missing)
    if has_apt:
        sudo = "" if os.geteuid() == 0 else "sudo "
        print(
            "Debian packages are missing. Install them, then try again:"
            if vital
            else "Debian packages are missing, without which some things don't work. To install them:",
            f"  {sudo}apt-get install --no-install-recommends {' '.join(debian_names(missing))}",
            sep="\n",
            file=sys.stderr,
        )
        return 1 if vital else 3
    print(f"Missing on this system: {', '.join(need.what for need in missing)}", file=sys.stderr)
    print(
        "Install what brings it with your package manager: Python's venv, EGL, OpenGL, X11, xcb's utility"
        " libraries, xkbcommon, D-Bus, fontconfig, GLib, Kerberos' GSSAPI, OpenMP, PortAudio, a font.",
        file=sys.stderr,
    )
    return 1 if VENV in missing else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
