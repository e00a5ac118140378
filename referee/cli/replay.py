"""`spit-referee replay`: the list of games, the timeline of one, or its page as a single file."""

import sys
import webbrowser
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer
from rich.console import Console

from referee.cli.options import GameArgument, GamesOption, games_folder, is_sure
from referee.errors import LogError
from referee.log import LoggedGame, find_game, game_entry, game_folders, remove_game

SHOWN_AT_ONCE: Final = 50


def replay(
    game: GameArgument = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page.")] = None,
    video: Annotated[Path | None, typer.Option("--video", metavar="FILE", help="Write a video (.mp4).")] = None,
    start: Annotated[float, typer.Option("--from", metavar="S", min=0, help="Video: from this second on.")] = 0.0,
    end: Annotated[float | None, typer.Option("--to", metavar="S", min=0, help="Video: up to this second.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    games: GamesOption = None,
    pictures_mb: Annotated[
        float, typer.Option("--pictures-mb", metavar="MB", min=0, help="At most this much of pictures in the page.")
    ] = 8.0,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the game for good, after a question.")] = False,
    every: Annotated[bool, typer.Option("--all", help="List every game, not only the newest.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One object a line: games, or the moments of one.")] = False,
) -> None:
    """Look at a logged game: who was first and by how much, what was illegal and why, how both played.

    Without GAME it lists the games. Options that need one take the newest.
    """
    folder = games_folder(games)
    if delete:
        _delete(game, folder)
        return
    if game is None and html is None and video is None and not open_:
        _list(folder, games is not None, every, as_json)
        return
    logged = LoggedGame(find_game(game, folder))
    if video is not None:
        _write_video(logged, video, start, end)
    if html is not None or open_:
        _write_page(logged, html or logged.directory / "replay.html", pictures_mb, open_)
    elif video is None:
        _print(logged, as_json)


def _list(folder: Path, is_chosen: bool, every: bool, as_json: bool) -> None:
    from referee.replay.terminal import games_table

    if is_chosen and not folder.is_dir():
        raise LogError(f"there is no folder {folder}: give the one that holds the games with --games DIR")
    found = game_folders(folder)
    if as_json:
        for game in map(game_entry, found):
            line = {"game": game.name, "header": game.header, "closed": game.closed, "trouble": game.trouble or None}
            sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
        return
    if not found:
        print(f"No game is logged in {folder} yet: play one with `spit-referee demo`, or give --games DIR.")
        return
    shown = found if every else found[:SHOWN_AT_ONCE]
    Console().print(games_table([game_entry(directory) for directory in shown]))
    if len(shown) < len(found):
        print(f"The newest {len(shown)} of {len(found)} games; --all lists every one.")


def _delete(game: str | None, folder: Path) -> None:
    if game is None:
        raise LogError("which game is to be deleted? Name one: `spit-referee replay GAME --delete`")
    directory = find_game(game, folder)
    if is_sure(f"Delete {directory} with its log and pictures for good?"):
        remove_game(directory)
        print(f"{directory.name} is gone.")


def _print(logged: LoggedGame, as_json: bool) -> None:
    from referee.replay import statistics_of, timeline_of
    from referee.replay.terminal import print_timeline

    timeline = timeline_of(logged)
    if as_json:
        for moment in timeline.moments:
            sys.stdout.buffer.write(msgspec.json.encode(moment) + b"\n")
    else:
        print_timeline(Console(), timeline, statistics_of(timeline))


def _write_page(logged: LoggedGame, path: Path, pictures_mb: float, open_: bool) -> None:
    from referee.replay.page import write_page

    size_bytes = write_page(logged, path, picture_budget_bytes=round(pictures_mb * 1e6))
    print(f"{path} ({size_bytes / 1e6:.1f} MB): open it in any browser, it needs no network.")
    if open_:
        webbrowser.open(path.absolute().as_uri())


def _write_video(logged: LoggedGame, path: Path, start: float, end: float | None) -> None:
    from rich.progress import Progress

    from referee.cli.film import write_film

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("video", total=1.0)
        for done in write_film(logged, path, round(start * 1e9), None if end is None else round(end * 1e9)):
            progress.update(task, completed=done)
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB).")
