"""`spit-referee import`: a game in notation as a log, so that it can be looked at like any other."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.options import GamesOption, games_folder
from referee.errors import LogError, NotationError
from referee.files import read_given_text


def import_(
    file: Annotated[Path, typer.Argument(help="A game in notation, as `spit-referee export` writes it.")],
    games: GamesOption = None,
) -> None:
    """Take a game in notation into the games folder. `spit-referee replay` shows it then."""
    from referee.replay.exchange import write_log
    from referee.replay.notation import parse

    text = _text(file)
    try:
        game = parse(text)
    except NotationError as error:
        raise NotationError(f"{file}, {error}") from None
    if not any(game.deals):
        raise NotationError(f"{file} holds no game: it needs a line `deal 1` and then what happened, a line each")
    directory = write_log(game, games_folder(games))
    print(f"{directory}: see it with `spit-referee replay {directory.name}`.")


def _text(file: Path) -> str:
    try:
        return read_given_text(file)
    except OSError as error:
        raise LogError(
            f"{file} cannot be read ({error.strerror}): give a file that holds a game in notation"
        ) from error
    except UnicodeDecodeError:
        raise NotationError(f"{file} is not text: give a file that `spit-referee export` wrote") from None
