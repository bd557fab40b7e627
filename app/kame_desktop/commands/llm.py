"""``kame-desktop llm``: list and test language models, give and remove keys.

A key is typed in or read from a pipe; on the command line other programs and the shell's history would see it, so there
it is refused. Answers go to standard output, remarks to standard error; neither ever holds a key.
"""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource, LlmChoice, LlmModel, Provider
from kame_desktop.commands.output import put
from kame_desktop.commands.runner import EXIT_OK, exit_code
from kame_desktop.core.errors import BadInputError, MissingError
from kame_desktop.session.services import Services

_MOST_INPUT = 64 * 1024
_PROVIDER_HELP = "openai, anthropic, gemini, ... ('kame-desktop llm list' names them), or the address of a service"
_KEY_TEXT = {
    KeySource.NOT_NEEDED: "ready",
    KeySource.ENVIRONMENT: "ready, key from the environment",
    KeySource.KEYRING: "ready, key from the keyring",
    KeySource.SESSION: "ready, key until the program ends",
    KeySource.MISSING: "needs a key",
}


class _DiscreetParser(argparse.ArgumentParser):
    """Keeps what it doesn't know to itself (``more``): it may be a key, and argparse would repeat it."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride] - argparse has overloads
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        parsed, more = super().parse_known_args(args, namespace or argparse.Namespace())
        parsed.more = bool(more)
        return parsed, []


def add_llm(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``llm`` and its commands to the program's parser."""
    llm = subparsers.add_parser("llm", help="list and test language models, give and remove keys")
    what = llm.add_subparsers(dest="llm_command", metavar="WHAT", required=True, parser_class=_DiscreetParser)

    listing = what.add_parser("list", help="the language models to choose from, and which of them are ready")
    listing.add_argument("--json", action="store_true", help="print one array")

    test = what.add_parser("test", help="one real call: the time to the first word, or what is wrong")
    test.add_argument("name", metavar="NAME", help="a name of the list, or any litellm model name")
    test.add_argument("--api-base", metavar="URL", help="address of an OpenAI-compatible service")
    test.add_argument("--json", action="store_true", help="print one object")

    give = what.add_parser("set-key", help="keep a provider's key in the keyring; it is asked for, or read from a pipe")
    give.add_argument("provider", metavar="PROVIDER", help=_PROVIDER_HELP)

    forget = what.add_parser("forget-key", help="remove a provider's key from the keyring")
    forget.add_argument("provider", metavar="PROVIDER", help=_PROVIDER_HELP)


@dataclass(frozen=True, slots=True)
class LlmContext:
    """What the commands work with; tests give their own.

    Attributes:
        out: Writes to standard output.
        err: Standard error.
        ask: Puts a question to the user and returns what is typed, unseen; None: there is nobody to ask.
        pipe: Where a key is read from then.
    """

    out: Callable[[str], object]
    err: TextIO
    ask: Callable[[str], str] | None
    pipe: TextIO

    def line(self, text: str = "") -> None:
        """Answer with one line."""
        self.out(text + "\n")

    def note(self, text: str) -> None:
        """Remark something."""
        self.err.write(text + "\n")
        self.err.flush()


def _context() -> LlmContext:
    ask = getpass.getpass if sys.stdin.isatty() else None
    return LlmContext(put, sys.stderr, ask, sys.stdin)


def run_llm(app: Services, arguments: argparse.Namespace, *, context: LlmContext | None = None) -> int:
    """Do what ``add_llm`` parsed.

    Args:
        app: The program.
        arguments: ``llm_command`` names the command.
        context: None: the real one.

    Returns:
        The exit code: 0 done; with ``test --json`` that of the error.

    Raises:
        AppError: A name, a provider or a key that can't be one; no keyring; the test's error.
        KeyboardInterrupt: Ctrl+C.
    """
    context = context or _context()
    if arguments.more:
        raise BadInputError(
            f"'llm {arguments.llm_command}' was given more than it takes.",
            "A key doesn't belong on the command line, where other programs and the shell's history see it: leave it "
            "out, you are asked for it.",
            component="keys",
        )
    match arguments.llm_command:
        case "list":
            return _list(app, context, as_json=arguments.json)
        case "test":
            return _test(app, context, arguments.name, arguments.api_base, as_json=arguments.json)
        case "set-key":
            return _set_key(app, context, arguments.provider)
        case _:
            return _forget_key(app, context, arguments.provider)


# list -----------------------------------------------------------------------------------------------------------------


def _choices(app: Services) -> list[LlmChoice]:
    """What there is to choose from, with what runs on this computer behind its group; no name twice."""
    listed = {choice.model.name: choice for choice in app.llm_choices()}
    for choice in app.discover_llms():
        listed.setdefault(choice.model.name, choice)
    groups: dict[str, list[LlmChoice]] = {}
    for choice in listed.values():
        groups.setdefault(choice.group, []).append(choice)
    return [choice for members in groups.values() for choice in members]


def _list(app: Services, context: LlmContext, *, as_json: bool) -> int:
    choices = _choices(app)
    if as_json:
        context.line(json.dumps([_as_dict(choice) for choice in choices], indent=2))
    else:
        _print(context, choices)
    problem = app.keys().problem
    if problem:
        context.note(problem)
    return EXIT_OK


def _print(context: LlmContext, choices: Sequence[LlmChoice]) -> None:
    width = max((len(choice.model.name) for choice in choices), default=0)
    group: str | None = None
    for choice in choices:
        if choice.group != group:
            if group is not None:
                context.line()
            group = choice.group
            context.line(group)
        model = choice.model
        label = model.label if model.label != model.name else ""
        text = ", ".join(part for part in (label, model.hint, _KEY_TEXT[choice.key]) if part)
        context.line(f"  {model.name:<{width}}  {text}")


def _as_dict(choice: LlmChoice) -> dict[str, Any]:
    model = choice.model
    return {
        "name": model.name,
        "label": model.label,
        "group": choice.group,
        "provider": model.provider or None,
        "api_base": model.api_base,
        "hint": model.hint,
        "key": choice.key.value,
        "ready": choice.ready,
    }


# test -----------------------------------------------------------------------------------------------------------------


def _test(app: Services, context: LlmContext, name: str, api_base: str | None, *, as_json: bool) -> int:
    model = app.resolve_llm(name, api_base) if api_base else _named(app, name)
    if model.name == catalog.AUTO_NAME and not model.api_base:
        raise BadInputError(
            "'auto' chooses among models and can't be tested.", "Test one of those it chooses from.", component="llm"
        )
    result = app.test_llm(model)
    error = result.error
    if as_json:
        outcome: dict[str, Any] = {
            "name": model.name,
            "api_base": model.api_base,
            "ok": error is None,
            "first_token_ms": round(result.first_token_ms, 1) if result.first_token_ms is not None else None,
            "error": None,
        }
        if error is not None:
            outcome["error"] = {"category": error.category.value, "what": error.what, "remedy": error.remedy}
        context.line(json.dumps(outcome, indent=2))
        return EXIT_OK if error is None else exit_code(error)
    if error is not None:
        raise error
    context.line(f"{model.label} answers: {result.first_token_ms or 0.0:.0f} ms to the first word.")
    return EXIT_OK


def _named(app: Services, name: str) -> LlmModel:
    """The model of this name: listed, served on this computer, or whatever the name means."""
    wanted = app.resolve_llm(name)
    for choices in (app.llm_choices, app.discover_llms):
        for choice in choices():
            if wanted.name in (choice.model.name, choice.model.name.removeprefix("openai/")):
                return choice.model
    return wanted


# keys -----------------------------------------------------------------------------------------------------------------


def _set_key(app: Services, context: LlmContext, name: str) -> int:
    provider = _provider(app, name)
    keys = app.keys()
    problem = keys.problem
    if problem is not None:
        raise _not_kept(provider, problem)
    if keys.set(provider, _read_key(context, provider)) is not KeySource.KEYRING:
        raise _not_kept(provider, keys.problem or "The keyring didn't take the key.")
    context.line(f"The key of {provider.label} is kept in the keyring.")
    if keys.source(provider) is KeySource.ENVIRONMENT:
        context.note(f"The one in the environment ({' or '.join(provider.key_variables)}) goes first.")
    return EXIT_OK


def _read_key(context: LlmContext, provider: Provider) -> str:
    """What the user types, or the first line of the pipe; "" for nothing."""
    try:
        if context.ask is not None:
            return context.ask(f"Key of {provider.label} (it isn't shown): ")
        # Some shells put a mark of the encoding before what they pipe.
        return context.pipe.readline(_MOST_INPUT).lstrip("\ufeff")
    except EOFError:
        return ""
    except UnicodeDecodeError:
        return "\ufffd"  # no text, so no key: refused like any other that has such a letter


def _not_kept(provider: Provider, problem: str) -> MissingError:
    return MissingError(
        f"The key of {provider.label} was not kept. {problem}",
        f"Its variable is {' or '.join(provider.key_variables)}.",
        component="keys",
    )


def _forget_key(app: Services, context: LlmContext, name: str) -> int:
    provider = _provider(app, name)
    keys = app.keys()
    removed = keys.forget(provider)
    context.line(f"The key of {provider.label} was removed." if removed else f"No key of {provider.label} was kept.")
    if keys.source(provider) is KeySource.ENVIRONMENT:
        context.note(f"The one in the environment ({' or '.join(provider.key_variables)}) is still there.")
    return EXIT_OK


def _provider(app: Services, name: str) -> Provider:
    """Raises BadInputError, which doesn't repeat the name: a key may have slipped in there."""
    known = app.llm_providers()
    for provider in known:
        if name.casefold() in (provider.name.casefold(), provider.label.casefold()):
            return provider
    return catalog.find_provider(name)
