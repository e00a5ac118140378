"""All commands in one table: name, module, function. A module is imported only to build its help or to run it."""

from importlib import import_module
from importlib.util import find_spec
from typing import Final

import typer

COMMANDS: Final = (
    # name, module under referee.cli, function, panel of the help page
    ("demo", "demo", "demo", "Start here"),
    ("run", "run", "run", "At the table"),
    ("calibrate", "calibrate", "calibrate", "At the table"),
    ("web", "web", "web", "At the table"),
    ("check", "check", "check", "At the table"),
    ("signals", "signals", "signals", "At the table"),
    ("rules", "rules", "rules", "At the table"),
    ("replay", "replay", "replay", "After the game"),
    ("correct", "correct", "correct", "After the game"),
    ("rejudge", "rejudge", "rejudge", "After the game"),
    ("history", "history", "history", "After the game"),
    ("export", "export", "export", "After the game"),
    ("import", "import_", "import_", "After the game"),
    ("read", "read", "read", "From pictures"),
    ("watch", "watch", "watch", "From pictures"),
    ("judge", "judge", "judge", "For the curious"),
    ("score", "score", "score", "For the curious"),
    ("bench", "bench", "bench", "For the curious"),
)


def build_app() -> typer.Typer:
    """Return the command line with every command of `COMMANDS`."""
    built = typer.Typer(
        name="spit-referee",
        help="A referee for a real game of Spit. Try `spit-referee demo` first: it needs no hardware.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name, module, function, panel in COMMANDS:
        if find_spec(f"referee.cli.{module}") is None:
            continue
        command = getattr(import_module(f"referee.cli.{module}"), function)
        if isinstance(command, typer.Typer):
            built.add_typer(command, name=name, rich_help_panel=panel)
        else:
            built.command(name, rich_help_panel=panel)(command)
    return built


app = build_app()
