"""`spit-referee correct`: put right what the referee saw or ruled wrong, after the game."""

import sys
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import GamesOption, games_folder
from referee.errors import CorrectionError, DeviceError
from referee.log import LoggedGame, find_game
from referee.units import counted

if TYPE_CHECKING:
    from referee.replay.amend import Outcome, Words


class Who(StrEnum):
    """A player."""

    P1 = "p1"
    P2 = "p2"


class Where(StrEnum):
    """A middle pile."""

    A = "A"
    B = "B"


class Ruled(StrEnum):
    """What players can agree on about a card."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    BEATEN = "beaten"


def correct(
    game: Annotated[str, typer.Argument(help="A game's folder, its name or the beginning of it.")],
    file: Annotated[Path | None, typer.Argument(help="Corrections that a replay page saved; - reads them.")] = None,
    of: Annotated[int | None, typer.Option("--of", metavar="N", help="Or one: the line's number in the log.")] = None,
    card: Annotated[str | None, typer.Option(help="What the card was, like 10S.")] = None,
    player: Annotated[Who | None, typer.Option(help="Whose it was.")] = None,
    pile: Annotated[Where | None, typer.Option(help="Where it came down; of a slap: which pile was taken.")] = None,
    place: Annotated[int | None, typer.Option(help="Of a row that was read wrong: the place.", min=1, max=5)] = None,
    ruling: Annotated[Ruled | None, typer.Option(help="What you agree on.")] = None,
    first: Annotated[Who | None, typer.Option(help="Who was first on the pads.")] = None,
    missed_ms: Annotated[
        float | None, typer.Option(help="A card nobody saw: so long after line N (--card, --player, --pile).")
    ] = None,
    spit: Annotated[int | None, typer.Option(help="Counted: the spit cards of --player.", min=0, max=52)] = None,
    row: Annotated[str | None, typer.Option(help="Counted: the row of --player, like 1,2,3,4,5.")] = None,
    dismiss: Annotated[
        bool, typer.Option("--dismiss", help="It did not happen; of a correction: take it back.")
    ] = False,
    by: Annotated[str, typer.Option(help="Who says so.")] = "",
    games: GamesOption = None,
) -> None:
    """Correct a logged game: what follows from it is judged anew, and the old value stays beside the new one."""
    from referee.replay.amend import amend

    if missed_ms is not None and not isfinite(missed_ms):
        raise CorrectionError(f"{missed_ms} is no time: give --missed-ms in milliseconds")
    if (file is None) == (of is None):
        raise CorrectionError("give a file that a replay page saved, or one correction with --of N")
    said = {"card": card, "player": player, "pile": pile, "place": place, "ruling": ruling, "first": first}
    given: dict[str, object] = {"of": of, "missed_ms": missed_ms, "spit": spit, "dismiss": dismiss, "by": by}
    given["row"] = None if row is None else _counts(row)
    words = _read(file) if file is not None else _one(given | said)
    if not any(word.says_something for word in words.words):
        raise CorrectionError("nothing is corrected: say what is right, as with --card 10S, --player p2 or --dismiss")
    directory = find_game(game, games_folder(games))
    with _nobody_plays(directory):
        outcome = amend(directory, words)
    _tell(outcome, len(words.words) - len(outcome.unknown))


def _counts(row: str) -> list[int]:
    counts = [count.strip() for count in row.split(",")]
    if not all(count.isascii() and count.isdigit() for count in counts):
        raise CorrectionError(f"--row {row} is no row: give how many cards lie at each place, like 1,2,3,4,5")
    return [int(count) for count in counts]


def _read(file: Path) -> "Words":
    from referee.replay.amend import LARGEST_FILE_BYTES, words_of

    try:
        if str(file) == "-":
            return words_of(sys.stdin.buffer.read(LARGEST_FILE_BYTES))
        with file.open("rb") as opened:
            return words_of(opened.read(LARGEST_FILE_BYTES))
    except OSError as error:
        raise CorrectionError(f"{file} cannot be read ({error.strerror}): save it from a replay page") from error


def _one(given: dict[str, object]) -> "Words":
    import msgspec

    from referee.replay.amend import words_of

    return words_of(msgspec.json.encode({"game": "", "words": [given]}))


def _nobody_plays(directory: Path) -> AbstractContextManager[None]:
    """Hold off a referee that might go on with a game that was not closed."""
    from referee.cli.table_run import only_one

    game = LoggedGame(directory)
    for _ in game.entries():
        pass
    if game.was_closed or not directory.is_dir():
        return nullcontext()
    try:
        return only_one(directory.parent)
    except DeviceError as error:
        raise CorrectionError(f"this game may be running ({error}); correct it on its live page") from None


def _tell(outcome: "Outcome", taken_in: int) -> None:
    for told in outcome.told:
        changed = f"; {counted(len(told.withdrawn), 'ruling')} changed" if told.withdrawn else ""
        print(f"{told.was} is now {told.now}{changed}")
    if taken_in and not outcome.is_rejudged:
        print("noted; the log comes from another version or is not whole, so nothing was judged anew", file=sys.stderr)
    elif taken_in and not outcome.told:
        print("noted; no ruling changed")
    if outcome.unknown:
        lines = ", ".join(str(word.of) for word in outcome.unknown[:5])
        raise CorrectionError(
            f"nothing that can be corrected has the number {lines} in the log: "
            "`spit-referee replay GAME --json` shows the numbers"
        )
