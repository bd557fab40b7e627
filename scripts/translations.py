"""Brings the translations up to date with the window's sources, and compiles them.

    .venv/bin/python scripts/translations.py            update assets/translations/*.ts, make *.qm, list what is open
    .venv/bin/python scripts/translations.py --check    change nothing; exit code 1 when something is open or stale
    ... --fill es FILE                                  take translations from a JSON object {"English": "Español"}

Both kinds of files are kept in the repository: running the program takes no tool of Qt's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SOURCES = HERE / "app" / "kame_desktop" / "ui"
TRANSLATIONS = HERE / "assets" / "translations"
_NOT_TRANSLATED = ("gallery", "scenes.py")
"""What only developers see."""

Message = tuple[str, str, str]
"""Context, source, translation; the translation is "" while it is open."""


def tool(name: str) -> Path:
    """A program of PySide6, beside this Python."""
    return Path(sys.executable).parent / f"pyside6-{name}"


def sources() -> list[Path]:
    """The modules with texts for the user."""
    found = [path for path in SOURCES.rglob("*.py") if not set(_NOT_TRANSLATED) & {*path.parts, path.name}]
    return sorted(found)


def extract(target: Path) -> None:
    """Bring a ``.ts`` file up to date, keeping what is translated. Raises CalledProcessError."""
    language = target.stem.partition("_")[2]
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "sources.lst"
        listed.write_text("\n".join(str(path) for path in sources()), encoding="utf-8")
        command = [
            tool("lupdate"),
            "-silent",
            "-no-obsolete",
            "-locations",
            "none",
            "-disable-heuristic",
            "similartext",
        ]
        command += [
            "-disable-heuristic",
            "similartext",
            "-source-language",
            "en_US",
            "-target-language",
            language,
            f"@{listed}",
            "-ts",
            target,
        ]
        subprocess.run([str(part) for part in command], check=True, capture_output=True)


def compile_one(source: Path, target: Path) -> None:
    """Make a ``.qm`` of a ``.ts``. Raises CalledProcessError."""
    command = [str(tool("lrelease")), "-silent", "-nounfinished", str(source), "-qm", str(target)]
    subprocess.run(command, check=True, capture_output=True)


def messages(path: Path) -> list[Message]:
    """What a ``.ts`` file holds."""
    found: list[Message] = []
    for context in ET.parse(path).getroot().iter("context"):
        name = context.findtext("name") or ""
        for message in context.iter("message"):
            translation = message.find("translation")
            finished = translation is not None and translation.get("type") is None
            text = translation.text or "" if translation is not None and finished else ""
            found.append((name, message.findtext("source") or "", text))
    return found


def fill(path: Path, known: dict[str, str]) -> None:
    """Put translations of English texts into a ``.ts`` file, in every context that has them open."""
    tree = ET.parse(path)
    for message in tree.getroot().iter("message"):
        translation = message.find("translation")
        text = known.get(message.findtext("source") or "")
        if translation is not None and text is not None and translation.get("type") is not None:
            translation.text = text
            del translation.attrib["type"]
    tree.write(path, encoding="utf-8", xml_declaration=True)


def check(path: Path) -> list[str]:
    """What is wrong with a ``.ts`` file and its ``.qm``, one line each."""
    problems = [f"not translated: {context}: {source}" for context, source, text in messages(path) if not text]
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / path.name
        fresh.write_bytes(path.read_bytes())
        extract(fresh)
        old = {(context, source) for context, source, _ in messages(path)}
        new = {(context, source) for context, source, _ in messages(fresh)}
        problems += [f"missing: {context}: {source}" for context, source in sorted(new - old)]
        problems += [f"no longer used: {context}: {source}" for context, source in sorted(old - new)]
        compiled = Path(folder) / "compiled.qm"
        compile_one(path, compiled)
        shipped = path.with_suffix(".qm")
        if not shipped.exists() or shipped.read_bytes() != compiled.read_bytes():
            problems.append(f"{shipped.name} is older than {path.name}")
    return problems


def main() -> int:
    """Update or check; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, and tell what is open or stale")
    parser.add_argument("--fill", nargs=2, metavar=("LANGUAGE", "FILE"), help="take translations from a JSON object")
    arguments = parser.parse_args()
    if not tool("lupdate").exists():
        print(
            f"There is no {tool('lupdate')}. It comes with PySide6: run this with the Python of the checkout's .venv."
        )
        return 3
    if arguments.fill:
        language, file = arguments.fill
        path = TRANSLATIONS / f"kame_{language}.ts"
        extract(path)
        fill(path, json.loads(Path(file).read_text(encoding="utf-8")))
    problems: list[str] = []
    for path in sorted(TRANSLATIONS.glob("kame_*.ts")):
        if not arguments.check:
            extract(path)
            compile_one(path, path.with_suffix(".qm"))
        found = check(path)
        print(f"{path.name}: {len(messages(path))} texts, {len(found)} problems")
        problems += found
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
