"""The command line: arguments, logging, exit code; nothing else."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kame_desktop import __version__
from kame_desktop.core.errors import AppError, MissingError
from kame_desktop.core.heap import limit_heaps

if TYPE_CHECKING:
    from kame_desktop.bootstrap import Application


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kame-desktop",
        description="A voice assistant that answers at once and corrects itself while it speaks. "
        "Without a command it opens the window.",
    )
    parser.add_argument("--version", action="version", version=f"kame-desktop {__version__}")
    parser.add_argument("--verbose", action="store_true", help="log to standard error (never your words or keys)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    demo = commands.add_parser("demo", help="answer two spoken sample questions in the terminal")
    demo.add_argument("--out", type=Path, metavar="OUT.wav", help="where to write the conversation")
    demo.add_argument("--engine", default="lite", metavar="ENGINE", help="lite (default) or cascade")
    demo.add_argument("--fast", action="store_true", help="as fast as the CPU allows instead of real time")

    run = commands.add_parser("run", help="answer a sound file as if it were the microphone")
    run.add_argument("wav", type=Path, metavar="IN.wav", help="any rate, mono or stereo, 8-32 bit or float")
    run.add_argument("--out", type=Path, metavar="OUT.wav", help="stereo: left what was heard, right what was said")
    run.add_argument("--events", type=Path, metavar="EVENTS.jsonl", help="every event, one a line")
    run.add_argument("--engine", metavar="ENGINE", help="lite or cascade")
    run.add_argument("--stt", metavar="NAME", help="'whisper', a folder of CTranslate2 weights, or a cached size")
    run.add_argument("--llm", metavar="NAME", help="'starter' or any litellm model name")
    run.add_argument("--api-base", metavar="URL", help="address of an OpenAI-compatible service for --llm")
    run.add_argument("--fast", action="store_true", help="on the audio clock, as fast as the CPU allows")
    run.add_argument("--json", action="store_true", help="print one summary object")

    bench = commands.add_parser("bench", help="measure this machine")
    benches = bench.add_subparsers(dest="bench", metavar="WHAT", required=True)
    latency = benches.add_parser("latency", help="end of speech to first sound and first word, lite and cascade")
    latency.add_argument("--runs", type=_positive, default=5, metavar="N", help="how often (default 5)")
    latency.add_argument("--json", action="store_true", help="print one object")
    oracle = benches.add_parser("oracle", help="how soon an answer has seen a new word, against a loopback server")
    oracle.add_argument("--json", action="store_true", help="print one object")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _set_up_logging(verbose: bool) -> None:
    logging.basicConfig(
        level=logging.INFO if verbose else logging.ERROR,
        format="%(asctime)s %(name)s %(message)s",
        stream=sys.stderr,
    )
    if not verbose:
        for library in ("faster_whisper", "httpx", "LiteLLM", "huggingface_hub"):
            logging.getLogger(library).setLevel(logging.CRITICAL)


def _dispatch(arguments: argparse.Namespace) -> int:
    from kame_desktop.bootstrap import Application

    app = Application()
    if app.settings_warning:
        sys.stderr.write(f"kame-desktop: {app.settings_warning}\n")
    match arguments.command:
        case "run":
            from kame_desktop.commands.run import RunOptions, run

            return run(
                app,
                RunOptions(
                    wav=arguments.wav,
                    out=arguments.out,
                    events=arguments.events,
                    engine=arguments.engine,
                    stt=arguments.stt,
                    llm=arguments.llm,
                    api_base=arguments.api_base,
                    fast=arguments.fast,
                    as_json=arguments.json,
                ),
            )
        case "bench" if arguments.bench == "latency":
            from kame_desktop.commands.bench import bench_latency

            return bench_latency(app, runs=arguments.runs, as_json=arguments.json)
        case "bench":
            from kame_desktop.commands.bench_oracle import bench_oracle

            return bench_oracle(app, as_json=arguments.json)
        case "demo":
            from kame_desktop.commands.demo import demo

            return demo(app, out=arguments.out, engine=arguments.engine, fast=arguments.fast)
        case _:
            return _open_window(app)


def _open_window(app: Application) -> int:
    """The window; without a display, or without what Qt needs, the demo in the terminal."""
    from kame_desktop.commands.demo import demo

    try:
        return app.run_window()
    except MissingError as problem:
        sys.stderr.write(f"kame-desktop: {problem}\nHere is the demo in the terminal instead.\n")
    return demo(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of ``kame-desktop``. Returns the exit code: 0 done, 1 failed, 2 bad input, 130 Ctrl+C."""
    arguments = _parser().parse_args(argv)
    limit_heaps()
    _set_up_logging(arguments.verbose)
    try:
        return _dispatch(arguments)
    except AppError as error:
        from kame_desktop.commands.runner import exit_code

        sys.stderr.write(f"kame-desktop: {error}\n")
        return exit_code(error)
    except KeyboardInterrupt:
        sys.stderr.write("\nkame-desktop: stopped.\n")
        return 130
    except BrokenPipeError:
        # The reader has gone; Python would complain once more when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
