"""The step of the calibration that learns the deck."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.calibrate.options import ConfigOption, ImagesOption, TableOption, picture
from referee.errors import DeckError
from referee.settings import Settings, load_settings, table_file

if TYPE_CHECKING:
    from calibration.deck import Enrolment
    from hardware.vision.reader import CardReader
    from hardware.vision.stills import StillReader


def deck(
    image: ImagesOption = None,
    order: Annotated[
        list[str] | None,
        typer.Option("--order", help='Names for a picture, row by row: "AS 2S 3S". Once for each --image.'),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--deck", metavar="FILE", help="The deck's file; default: beside the table file.")
    ] = None,
    table: TableOption = None,
    config: ConfigOption = None,
) -> None:
    """Learn the deck from pictures of its cards lying apart; refuse one whose cards cannot be told apart."""
    from calibration.deck import Enrolment, parse_order, report
    from hardware.vision.enrolled import deck_file, save_deck
    from hardware.vision.reader import CardReader
    from hardware.vision.stills import StillReader

    settings = load_settings(config).settings
    if order and len(order) != len(image or []):
        raise DeckError("--order names the cards of one picture: give it once for each --image, in the same order")
    gathered, reader = Enrolment(), CardReader()
    stills = StillReader(reader=reader)
    if not image:
        _from_camera(gathered, stills, reader, settings)
    for n, path in enumerate(image or []):
        names = parse_order(order[n]) if order else None
        count = gathered.see(picture(path, settings), stills, reader, path.name, names)
        typer.echo(f"{path.name}: {count} cards lie free")
    gathered.settle_rest()
    learned, pairs = gathered.learned(reader)
    for line in report(learned, pairs, gathered.doubtful):
        typer.echo(line)
    file = out or deck_file(table or table_file(settings))
    save_deck(learned, file)
    typer.echo(f"{file}: the deck's file; `run` uses it, `watch --table` too where it lies beside the table file")


def _from_camera(gathered: "Enrolment", stills: "StillReader", reader: "CardReader", settings: Settings) -> None:
    """Take pictures until every card was seen or the person says that it is enough."""
    if not sys.stdin.isatty():
        raise DeckError("without pictures this step asks for the pack in parts: run it in a terminal, or give --image")
    number = 0
    while gathered.missing:
        typer.echo("Lay a part of the pack on the table, face up, the cards apart from each other.")
        answer = typer.prompt("Enter takes a picture, f finishes", default="", show_default=False)
        if answer.strip().lower().startswith("f"):
            return
        number += 1
        count = gathered.see(picture(None, settings), stills, reader, f"picture {number}")
        typer.echo(f"{count} cards lie free; still missing: {' '.join(gathered.missing) or 'none'}")
