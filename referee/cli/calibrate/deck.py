"""The step of the calibration that learns the deck."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.calibrate.options import ImagesOption, TableOption, picture
from referee.cli.options import ConfigOption
from referee.errors import DeckError
from referee.settings import load_settings, table_file
from referee.units import counted


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
    from calibration import steps
    from calibration.deck import Enrolment, parse_order
    from hardware.vision.enrolled import deck_file
    from hardware.vision.reader import CardReader
    from hardware.vision.stills import StillReader
    from referee.cli.calibrate.terminal import TerminalBench, print_step

    settings = load_settings(config).settings
    if order and len(order) != len(image or []):
        raise DeckError("--order names the cards of one picture: give it once for each --image, in the same order")
    if not image:
        with TerminalBench(settings, table) as bench:
            print_step(steps.deck(bench, out))
        return
    gathered, reader = Enrolment(), CardReader()
    stills = StillReader(reader=reader)
    for n, path in enumerate(image):
        names = parse_order(order[n]) if order else None
        count = gathered.see(picture(path, settings), stills, reader, path.name, names)
        typer.echo(f"{path.name}: {counted(count, 'card')} lying free")
    print_step(steps.learned(gathered, reader, out or deck_file(table or table_file(settings))))
