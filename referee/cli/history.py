"""`spit-referee history`: scores and trends over all logged games, and forgetting a player."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.cli.options import GamesOption, games_folder, is_sure
from referee.errors import LogError
from referee.log import game_entry, game_folders, remove_game
from referee.units import counted


def history(
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page.")] = None,
    forget: Annotated[
        str | None, typer.Option("--forget", metavar="NAME", help="Delete all games of a player, after a question.")
    ] = None,
    games: GamesOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One object a line for each player.")] = False,
) -> None:
    """Who has won how often, and how each player's figures go from game to game. Nothing leaves this machine."""
    folder = games_folder(games)
    found = game_folders(folder)
    if forget is not None:
        _forget(forget, found)
        return
    if not found:
        raise LogError(f"no game is logged in {folder} yet: play one, or give --games DIR")
    _show(found, html, as_json)


def _show(found: list[Path], html: Path | None, as_json: bool) -> None:
    from rich.console import Console
    from rich.progress import track

    from referee.replay.history import history_of
    from referee.replay.terminal import print_history

    told = history_of(track(sorted(found), "reading games", console=Console(stderr=True), transient=True))
    if html is not None:
        from referee.replay.history_page import history_page
        from referee.replay.page import save

        print(f"{html} ({save(history_page(told), html) / 1e3:.0f} kB): open it in any browser.")
    elif as_json:
        for player in told.players:
            sys.stdout.buffer.write(msgspec.json.encode(player) + b"\n")
    else:
        print_history(Console(), told)


def _forget(name: str, found: list[Path]) -> None:
    games = map(game_entry, found)
    theirs = [game for game in games if game.header and name in game.header.players.values()]
    if not theirs:
        raise LogError(f"no game of {name!r} is logged here: write the name as `spit-referee history` shows it")
    what = counted(len(theirs), "game")
    if not is_sure(f"Delete {what} of {name} with log and pictures for good?"):
        return
    for game in theirs:
        remove_game(game.directory)
    print(f"Deleted: {what}.")
