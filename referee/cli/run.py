"""`spit-referee run`: the live table, by hand or as a service."""

import sys
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.errors import TableFileError
from referee.settings import Settings, load_settings, table_file

if TYPE_CHECKING:
    from hardware.heart import Heart
    from hardware.tablefile import Table
    from referee.rules.rule_set import RuleSet

LOOK_AGAIN_S: Final = 2.0


def run(
    config: Annotated[Path | None, typer.Option("--config", metavar="FILE", help="A settings file.")] = None,
    shadow: Annotated[bool, typer.Option("--shadow", help="Log everything, say nothing.")] = False,
    simulate: Annotated[bool, typer.Option("--simulate", help="A rendered table in real time, no hardware.")] = False,
    keys: Annotated[
        bool, typer.Option("--keys", help="With --simulate: you slap (A S, K L), not the players.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the simulated table.")] = 7,
    deals: Annotated[int, typer.Option("--deals", min=1, help="Of the simulated table.")] = 1,
    games: Annotated[Path | None, typer.Option("--games", metavar="DIR", help="The games folder.")] = None,
) -> None:
    """Referee the table in front of the camera, until you press q or Ctrl-C."""
    from hardware.heart import Heart, is_service
    from referee.cli.table_parts import games_folder, real_parts, simulated_parts
    from referee.cli.table_run import TableRun

    settings = load_settings(config).settings
    table_run = TableRun(settings, rules_of(settings), shadow=shadow)
    heart = Heart(table_run.ages)
    if simulate:
        parts = simulated_parts(settings, seed, deals, keys, table_run.felt)
    else:
        table = calibrated_table(table_file(settings), heart if is_service() else None)
        parts = real_parts(settings, table, table_run.queue, table_run.felt, is_service())
    for notice in parts.notices:
        print(notice, file=sys.stderr)
    game = table_run.play(parts, games_folder(settings, games), heart)
    print(f"Log:    {game}")
    print(f"Replay: spit-referee replay {game.name} --html replay.html")


def rules_of(settings: Settings) -> "RuleSet":
    """Return the rule set of the settings; raises SettingsError with the cure."""
    from referee.cli.rules import load_rules
    from referee.rules.rule_set import rule_set_from

    if settings.rules.options:
        return rule_set_from({"extends": settings.rules.name} | settings.rules.options)
    return load_rules(settings.rules.name)


def calibrated_table(path: Path, heart: "Heart | None") -> "Table":
    """Return the table of the table file. By hand a missing one raises TableFileError; a service waits for it."""
    from hardware.tablefile import load_table

    waited = False
    while True:
        try:
            return load_table(path)
        except TableFileError as error:
            if heart is None:
                raise
            if not waited:
                print(f"spit-referee waits for a table file: {error}", file=sys.stderr, flush=True)
                heart.ready()
                waited = True
            heart.beat(f"waits for the calibration: {error}")
            sleep(LOOK_AGAIN_S)
