"""`spit-referee export`: a logged game for other programs."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.cli.options import GameArgument, GamesOption, games_folder
from referee.errors import LogError
from referee.log import LoggedGame, find_game
from referee.units import counted


class Form(StrEnum):
    """What a game can be written as."""

    NOTATION = "notation"
    CSV = "csv"


def export(
    game: GameArgument = None,
    form: Annotated[Form, typer.Option("--as", help="Text that reads aloud, or a table.")] = Form.NOTATION,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write there, not to the terminal.")] = None,
    truth: Annotated[
        bool, typer.Option("--truth", help="Of a filmed game: write its landings beside the film.")
    ] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of the log's lines instead.")] = False,
    games: GamesOption = None,
) -> None:
    """Write a game (by default the newest) as notation, one line an event, or as comma separated values."""
    if truth:
        _truth(LoggedGame(find_game(game, games_folder(games))))
        return
    text = _schema() if schema else _game(LoggedGame(find_game(game, games_folder(games))), form)
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LogError(f"{out} cannot be written ({error.strerror}): choose another place with --out") from error
    lines = text.count("\n")
    print(f"{out}: {counted(lines, 'line')} written.")


def _truth(game: LoggedGame) -> None:
    from referee.replay.truth import write_truth

    for path in write_truth(game):
        print(f"{path}: score it with `spit-referee score {path.parent}`.")


def _schema() -> str:
    from referee.log.schema import log_schema

    return msgspec.json.format(msgspec.json.encode(log_schema()), indent=2).decode() + "\n"


def _game(game: LoggedGame, form: Form) -> str:
    from referee.replay.exchange import csv_of, notation_of
    from referee.replay.notation import text_of
    from referee.replay.timeline import timeline_of

    timeline = timeline_of(game)
    return csv_of(timeline) if form is Form.CSV else text_of(notation_of(timeline))
