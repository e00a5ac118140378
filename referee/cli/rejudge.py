"""`spit-referee rejudge`: judge a logged game again and say where the verdicts differ."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from referee.log import LoggedGame, find_game, games_dir

if TYPE_CHECKING:
    from referee.replay.rejudge import Difference


def rejudge(
    game: Annotated[str | None, typer.Argument(help="A game's folder, its name or the beginning of it.")] = None,
    rules: Annotated[str | None, typer.Option("--rules", metavar="NAME", help="Judge by this rule set.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every difference, not only the first.")] = False,
    games: Annotated[Path | None, typer.Option("--games", metavar="DIR", help="The games folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One object a line for each difference.")] = False,
) -> None:
    """Judge a logged game (by default the newest) again: exit 0 if every verdict is the same, 1 if not."""
    from referee.replay.rejudge import differences, judge_for

    logged = LoggedGame(find_game(game, games_dir(games)))
    found = 0
    for difference in differences(logged, judge_for(logged.header, rules)):
        found += 1
        if as_json:
            sys.stdout.buffer.write(msgspec.json.encode(difference) + b"\n")
        else:
            _print(difference)
        if not every:
            break
    _close(logged, found, every, as_json)
    if found:
        raise typer.Exit(1)


def _print(difference: "Difference") -> None:
    """The observation, then line by line what the log says and what is said today."""
    from referee.replay.words import clock

    print(f"{difference.n}: {_kind(difference.seen)} at {clock(difference.seen.at_ns)} on the log's clock")
    for words, verdicts, other in (
        ("logged", difference.logged, difference.judged),
        ("judged", difference.judged, difference.logged),
    ):
        told = [msgspec.json.encode(verdict).decode() for verdict in verdicts if verdict not in other]
        for line in told or ["nothing else"]:
            print(f"  {words}  {line}")


def _kind(item: object) -> str:
    return str(msgspec.to_builtins(item)["kind"]).replace("_", " ")


def _close(logged: LoggedGame, found: int, every: bool, as_json: bool) -> None:
    if logged.troubles:
        trouble = logged.troubles[0]
        more = f" and {len(logged.troubles) - 1} more" if len(logged.troubles) > 1 else ""
        print(f"The log is not whole (line {trouble.line}: {trouble.what}{more}).", file=sys.stderr)
    if as_json:
        return
    if not found:
        print(f"{logged.directory.name}: no difference.")
    elif every:
        print(f"{logged.directory.name}: {found} {'difference' if found == 1 else 'differences'}.")
