"""The command line: arguments, standard streams, logging, exit code; nothing else."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import logging
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

from kame_desktop import __version__
from kame_desktop.commands import devices, doctor, mic_test
from kame_desktop.commands.export import add_export
from kame_desktop.commands.history import add_history
from kame_desktop.commands.llm import add_llm
from kame_desktop.commands.models import add_arguments as add_models
from kame_desktop.commands.replay import add_replay
from kame_desktop.core.crash import PlaceFormatter
from kame_desktop.core.crash_care import CrashCare
from kame_desktop.core.errors import AppError, MissingError, as_app_error, stack_of
from kame_desktop.core.heap import limit_heaps
from kame_desktop.frontends.registry import EngineOptions

if TYPE_CHECKING:
    from kame_desktop.bootstrap import Application

_log = logging.getLogger(__name__)
_LIBRARIES = (
    "faster_whisper",
    "httpcore",
    "httpcore2",
    "httpx",
    "httpx2",
    "huggingface_hub",
    "keyring",
    "LiteLLM",
    "openai",
)
_OTHER_ENGINES = "cascade, alone, kame or moshi"
_CHILDREN = {  # what a frozen bundle is started with as a child of itself, see core.child_process
    "--device-lookout": "kame_desktop.audio.device_lookout",
    "--starter-host": "kame_desktop.backend.llm.starter_host",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kame-desktop",
        description="A voice assistant that answers at once and corrects itself while it speaks. "
        "Without a command it opens the window.",
    )
    parser.add_argument("--version", action="version", version=f"kame-desktop {__version__}")
    parser.add_argument("--verbose", action="store_true", help="log to standard error (never your words or keys)")
    _add_weather(parser, default=None)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    demo = commands.add_parser("demo", help="answer two spoken sample questions in the terminal")
    demo.add_argument("--out", type=Path, metavar="OUT.wav", help="where to write the conversation")
    demo.add_argument("--engine", default="lite", metavar="ENGINE", help=f"lite (default), {_OTHER_ENGINES}")
    _add_engine_options(demo)
    _add_weather(demo)
    demo.add_argument("--fast", action="store_true", help="as fast as the CPU allows instead of real time")

    run = commands.add_parser("run", help="answer a sound file as if it were the microphone")
    run.add_argument("wav", type=Path, metavar="IN.wav", help="any rate, mono or stereo, 8-32 bit or float")
    run.add_argument("--out", type=Path, metavar="OUT.wav", help="stereo: left what was heard, right what was said")
    run.add_argument("--events", type=Path, metavar="EVENTS.jsonl", help="every event, one a line")
    run.add_argument("--engine", metavar="ENGINE", help=f"lite, {_OTHER_ENGINES}")
    _add_engine_options(run)
    run.add_argument("--stt", metavar="NAME", help="'whisper', a folder of CTranslate2 weights, or a cached size")
    run.add_argument("--llm", metavar="NAME", help="'starter' or any litellm model name")
    run.add_argument("--api-base", metavar="URL", help="address of an OpenAI-compatible service for --llm")
    _add_weather(run)
    run.add_argument("--fast", action="store_true", help="on the audio clock, as fast as the CPU allows")
    run.add_argument("--json", action="store_true", help="print one summary object")

    bench = commands.add_parser("bench", help="measure this machine")
    benches = bench.add_subparsers(dest="bench", metavar="WHAT", required=True)
    latency = benches.add_parser("latency", help="end of speech to first sound and first word, lite and cascade")
    latency.add_argument("--runs", type=_positive, default=5, metavar="N", help="how often (default 5)")
    latency.add_argument("--json", action="store_true", help="print one object")
    oracle = benches.add_parser("oracle", help="how soon an answer has seen a new word, against a loopback server")
    oracle.add_argument("--json", action="store_true", help="print one object")
    weather = benches.add_parser("weather", help="what a slow network changes, and that the first sound stays")
    weather.add_argument("--json", action="store_true", help="print one object")
    start = benches.add_parser("start", help="from the command to the window, and to a conversation that runs")
    start.add_argument("--runs", type=_positive, default=3, metavar="N", help="how often (default 3)")
    start.add_argument("--json", action="store_true", help="print one object")
    frames = benches.add_parser("frames", help="what a frame of the speech-to-speech model takes")
    frames.add_argument("--engine", default="kame", metavar="ENGINE", help="kame (default) or moshi")
    _add_engine_options(frames)
    frames.add_argument("--json", action="store_true", help="print one object")

    add_models(commands)
    add_llm(commands)
    add_history(commands)
    add_replay(commands)
    add_export(commands)
    devices.add_arguments(commands)
    mic_test.add_arguments(commands)
    doctor.add_arguments(commands)
    return parser


def _add_weather(parser: argparse.ArgumentParser, default: object = argparse.SUPPRESS) -> None:
    """``default``: a command must not undo what was said before it."""
    parser.add_argument(
        "--weather",
        default=default,
        metavar="SPEC",
        help='a bad network in front of the language model, as in "latency=300ms,jitter=100ms,loss=2%%"',
    )


def _add_engine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--checkpoint", metavar="DIR", help="kame, moshi: a folder, or a name that 'models' knows")
    parser.add_argument("--device", metavar="DEVICE", help="kame, moshi: cuda, cuda:1, mps or cpu")
    parser.add_argument("--quantize", metavar="HOW", help="kame, moshi: int8")


def _engine_options(arguments: argparse.Namespace) -> EngineOptions:
    return EngineOptions(arguments.checkpoint, arguments.device, arguments.quantize)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number, at least 1")
    return int(text)


def _set_up_logging(verbose: bool) -> None:
    logging.basicConfig(
        level=logging.INFO if verbose else logging.ERROR,
        format="%(asctime)s %(name)s %(message)s",
        stream=sys.stderr,
    )
    for handler in logging.getLogger().handlers:
        handler.setFormatter(PlaceFormatter("%(asctime)s %(name)s %(message)s"))
    for library in _LIBRARIES:
        # They log addresses, which may hold a key, from INFO on.
        logging.getLogger(library).setLevel(logging.WARNING if verbose else logging.CRITICAL)


def _dispatch(arguments: argparse.Namespace) -> int:
    from kame_desktop.backend.llm.weather import Weather
    from kame_desktop.bootstrap import Application
    from kame_desktop.commands.signals import stop_signals

    app = Application(weather=Weather.parse(arguments.weather) if arguments.weather is not None else None)
    if app.settings_warning:
        _say(app.settings_warning)
    if arguments.command is None:
        return _open_window(app)
    if arguments.command == "replay" and arguments.re_ask is None:
        return _carry_out(app, arguments)  # the window has its own way with signals
    with stop_signals, CrashCare():
        return _carry_out(app, arguments)


def _carry_out(app: Application, arguments: argparse.Namespace) -> int:
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
                    engine_options=_engine_options(arguments),
                ),
            )
        case "models":
            from kame_desktop.commands.models import run_models

            return run_models(arguments)
        case "llm":
            from kame_desktop.commands.llm import run_llm

            return run_llm(app, arguments)
        case "history":
            from kame_desktop.commands.history import run_history

            return run_history(app, arguments)
        case "replay":
            from kame_desktop.commands.replay import run_replay

            return run_replay(app, arguments)
        case "export":
            from kame_desktop.commands.export import run_export

            return run_export(app, arguments)
        case "devices":
            return devices.run_devices(app, as_json=arguments.json)
        case "mic-test":
            return mic_test.run_mic_test(app, out=arguments.out, play=not arguments.no_play, as_json=arguments.json)
        case "doctor":
            return doctor.run_doctor(
                app,
                measure=arguments.measure,
                network=arguments.network,
                report=arguments.report,
                as_json=arguments.json,
            )
        case "bench" if arguments.bench == "start":
            from kame_desktop.commands.bench_start import bench_start

            return bench_start(runs=arguments.runs, as_json=arguments.json)
        case "bench" if arguments.bench == "weather":
            from kame_desktop.commands.bench_weather import bench_weather

            return bench_weather(app, as_json=arguments.json)
        case "bench" if arguments.bench == "frames":
            from kame_desktop.commands.bench_frames import bench_frames

            return bench_frames(
                app,
                engine=arguments.engine,
                checkpoint=Path(arguments.checkpoint) if arguments.checkpoint is not None else None,
                as_json=arguments.json,
                device=arguments.device,
                quantize=arguments.quantize,
            )
        case "bench" if arguments.bench == "latency":
            from kame_desktop.commands.bench import bench_latency

            return bench_latency(app, runs=arguments.runs, as_json=arguments.json)
        case "bench":
            from kame_desktop.commands.bench_oracle import bench_oracle

            return bench_oracle(app, as_json=arguments.json)
        case _:
            from kame_desktop.commands.demo import demo

            return demo(
                app,
                out=arguments.out,
                engine=arguments.engine,
                engine_options=_engine_options(arguments),
                fast=arguments.fast,
            )


def _open_window(app: Application) -> int:
    """The window; without a display, or without what Qt needs, the demo in the terminal."""
    from kame_desktop.commands.demo import demo
    from kame_desktop.commands.signals import stop_signals

    try:
        return app.run_window()
    except MissingError as problem:
        _say(f"{problem} Here is the demo in the terminal instead.")
    with stop_signals:
        return demo(app)


def _say(text: str) -> None:
    """One line to standard error, if anybody listens there."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"kame-desktop: {text}\n")
        sys.stderr.flush()


def _prepare_streams() -> None:
    """Every standard stream is there, and takes every letter.

    A stream that was closed by whoever started us is None in Python, and the next file to be opened would get its
    number.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - for the length of the process
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - as above
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _unexpected(error: Exception) -> int:
    """What no part has foreseen, in one line; the exit code."""
    from kame_desktop.commands.runner import EXIT_BAD_INPUT, EXIT_FAILED

    _log.info("%s", stack_of(error))
    if isinstance(error, ImportError):
        _say(f"A library is not installed ({error.name}). Install the program again; in a checkout: make run.")
        return EXIT_BAD_INPUT
    _say(f"{as_app_error(error, 'command line')} (--verbose shows where.)")
    return EXIT_FAILED


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the arguments say; for programs that go on afterwards.

    Returns:
        The exit code: 0 done, 1 failed, 2 bad input, 130 Ctrl+C, 143 killed.
    """
    _prepare_streams()
    try:
        arguments = _parser().parse_args(argv)
        limit_heaps()
        _set_up_logging(arguments.verbose)
        return _dispatch(arguments)
    except AppError as error:
        from kame_desktop.commands.output import ReaderGone
        from kame_desktop.commands.runner import exit_code

        if not isinstance(error, ReaderGone):
            _say(str(error))
        return exit_code(error)
    except KeyboardInterrupt as stop:
        if sys.stderr.isatty():
            sys.stderr.write("\n")  # the terminal shows ^C
        _say("stopped.")
        return getattr(stop, "exit_code", 130)
    except Exception as error:  # noqa: BLE001 - the user gets one plain line for whatever it is
        return _unexpected(error)


def _settle(stream: TextIO) -> None:
    """Flush; what can't be written is given up, or Python would try again at its end and choose the exit code."""
    try:
        stream.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def command() -> NoReturn:
    """Entry point of ``kame-desktop``: ``main``, then out.

    A model's load, or an import, that was cut short by Ctrl+C still runs on its thread. Python would wait for it, and
    native code that is caught in Python's own end aborts the process: so the process ends at once then.
    """
    if len(sys.argv) == 2 and sys.argv[1] in _CHILDREN:
        importlib.import_module(_CHILDREN[sys.argv[1]]).main()
        sys.exit(0)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        _settle(stream)
    if threading.active_count() > 1:
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    command()
