"""Runs .venv/bin/uv on .venv, with the package index, proxy and certificates that pip is configured with.

uv does not read pip's configuration. Where pip has an index of its own (a mirror, an air-gapped folder), uv
gets it through the environment, so that it is written nowhere. Extra indexes are left out: a lock's hashes
are the main index's, which makes other builds of the same release (piwheels, local wheels) useless here.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

VENV = Path(__file__).resolve().parent.parent / ".venv"

# pip's option -> the variables it becomes for uv
VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX",),
    "proxy": ("HTTP_PROXY", "HTTPS_PROXY"),
    "cert": ("SSL_CERT_FILE",),
    "trusted-host": ("UV_INSECURE_HOST",),
    "timeout": ("UV_HTTP_TIMEOUT",),
    "default-timeout": ("UV_HTTP_TIMEOUT",),
}
# A user's own choice of an index for uv wins over pip's.
UV_INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")


def pip_options() -> dict[str, str]:
    """pip's options: its files', then [install]'s, then the environment's win."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"]
    listing = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    options: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listing.splitlines():
        name, _, value = line.partition("=")
        section, _, option = name.partition(".")
        if section in options:
            options[section][option] = str(ast.literal_eval(value))
    return options["global"] | options["install"] | options[":env:"]


def environment(inherited: dict[str, str], options: dict[str, str]) -> dict[str, str]:
    """The environment for uv: what it has, and what pip's options add to it."""
    env = dict(inherited)
    for option, names in VARIABLES.items():
        if option not in options or (option == "index-url" and any(name in env for name in UV_INDEXES)):
            continue
        for name in names:
            if name not in env and name.lower() not in env:  # proxies may be set in lower case
                env[name] = " ".join(options[option].split())
    if "SSL_CERT_FILE" not in env:
        env.setdefault("UV_SYSTEM_CERTS", "true")  # as pip does
    # Another environment that happens to be active is not ours to change.
    env.pop("CONDA_PREFIX", None)
    env["VIRTUAL_ENV"] = str(VENV)
    return env


def offline_arguments(options: dict[str, str]) -> list[str]:
    """Where pip takes wheels from folders in place of an index, uv does so too."""
    if options.get("no-index", "").lower() not in {"1", "true", "yes", "on"}:
        return []
    folders = options.get("find-links", "").split()
    return ["--no-index", *(f"--find-links={folder}" for folder in folders)]


def main(arguments: list[str]) -> None:
    options = pip_options()
    if arguments[:2] in (["pip", "install"], ["pip", "compile"]):
        arguments = [*arguments[:2], *offline_arguments(options), *arguments[2:]]
    uv = str(VENV / "bin" / "uv")
    os.execve(uv, [uv, *arguments], environment(dict(os.environ), options))


if __name__ == "__main__":
    main(sys.argv[1:])
