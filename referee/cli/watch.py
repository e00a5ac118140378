"""`spit-referee watch VIDEO`: a recorded video in place of the camera, as fast as it can."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cards import UNREAD
from referee.observations import AnyObservation, CardLanded

if TYPE_CHECKING:
    from hardware.cameras.video import VideoFile
    from hardware.vision.eyes import Eyes


def watch(
    video: Annotated[Path, typer.Argument(metavar="VIDEO", help="A recorded game, seen from above.")],
    table: Annotated[Path | None, typer.Option(metavar="FILE", help="The table file; else the table is looked for.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Referee a recorded video: what landed when, whose it was, and whether it was legal."""
    from hardware.cameras.video import VideoFile

    source = VideoFile(video)
    try:
        for seen in _seen(source, _eyes(source, table)):
            if isinstance(seen, CardLanded):
                line = landed_line(seen)
                print(json.dumps(line) if as_json else _landed_words(line), flush=True)
    finally:
        source.close()


def _eyes(source: "VideoFile", table_file: Path | None) -> "Eyes":
    from hardware.tablefile import load_table
    from hardware.vision.eyes import Eyes
    from hardware.vision.reader import CardReader
    from hardware.vision.tablefinder import find_table

    first = next(iter(source.frames())).image
    table = load_table(table_file) if table_file is not None else find_table(first)
    return Eyes(table, CardReader())


def _seen(source: "VideoFile", eyes: "Eyes") -> Iterator[AnyObservation]:
    for frame in source.frames():
        yield from eyes.see(frame)


def landed_line(seen: CardLanded) -> dict[str, object]:
    """Return what is printed of a landing: its likeliest card and player."""
    card, p = max(seen.cards.items(), key=lambda item: item[1], default=(UNREAD, 0.0))
    player, share = max(seen.players.items(), key=lambda item: item[1], default=("unknown", 0.0))
    return {
        "kind": "card_landed",
        "at_ms": round(seen.at_ns / 1e6, 1),
        "pile": seen.pile,
        "player": player if share > 0.5 else "unknown",
        "card": card,
        "p": round(p, 4),
    }


def _landed_words(line: dict[str, object]) -> str:
    return f"{line['at_ms']:>9} ms  {line['player']} lays {line['card']} on {line['pile']} (p {line['p']})"


__all__: Iterable[str] = ("landed_line", "watch")
