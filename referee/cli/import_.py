"""`spit-referee import`: a game in notation as a log, so that it can be looked at like any other."""

from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.options import GamesOption, games_folder
from referee.errors import LogError, NotationError

LARGEST_BYTES: Final = 20_000_000


def import_(
    file: Annotated[Path, typer.Argument(help="A game in notation, as `spit-referee export` writes it.")],
    games: GamesOption = None,
) -> None:
    """Take a game in notation into the games folder. `spit-referee replay` shows it then."""
    from referee.replay.exchange import write_log
    from referee.replay.notation import parse

    game = parse(_text(file))
    if not any(game.deals):
        raise NotationError(f"{file} holds no game: it needs a line `deal 1` and then what happened, a line each")
    directory = write_log(game, games_folder(games))
    print(f"{directory}: see it with `spit-referee replay {directory.name}`.")


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise NotationError(f"{file} is larger than any game: give a file that `spit-referee export` wrote")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise LogError(
            f"{file} cannot be read ({error.strerror}): give a file that holds a game in notation"
        ) from error
    except UnicodeDecodeError:
        raise NotationError(f"{file} is not text: give a file that `spit-referee export` wrote") from None
