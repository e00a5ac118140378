"""The steps of the calibration that say where things are: the printed mat, and the table in the picture."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.calibrate.options import ImageOption, TableOption
from referee.cli.options import ConfigOption, JsonOption
from referee.errors import SettingsError

CornersOption = Annotated[
    tuple[str, str, str, str] | None,
    typer.Option(
        "--corners",
        metavar="X,Y X,Y X,Y X,Y",
        help="Corners of a rectangle in pixels: p1-left, p1-right, p2-right, p2-left. Without: the mat is found.",
    ),
]
SizeOption = Annotated[
    tuple[float, float] | None, typer.Option("--size-mm", metavar="W H", help="Size of that rectangle.")
]


def mat(
    out: Annotated[Path, typer.Option("--out", help="Where to write the PDF.")] = Path("spit-mat.pdf"),
    paper: Annotated[str, typer.Option("--paper", help="a2 (one sheet), a3 (two) or a4 (four).")] = "a4",
) -> None:
    """Make the play mat to print, and beside it the card with signals, pad gestures and a ruler."""
    from calibration.mat import Paper, write_mat
    from calibration.signal_card import write_signal_card

    try:
        size = Paper(paper.lower())
    except ValueError:
        raise SettingsError(f"--paper {paper} is not known: choose a2, a3 or a4") from None
    out = out if out.suffix.lower() == ".pdf" else out.with_name(f"{out.name}.pdf")
    card = out.with_name(f"{out.stem}-signals.pdf")
    write_mat(out, size)
    write_signal_card(card)
    typer.echo(f"{out}: the mat. Print it at 100 % (no fitting to the page), then measure the ruler.")
    typer.echo(f"{card}: what the lights, the buzzer and the pads say, for the table's edge.")


def corners(
    image: ImageOption = None,
    corners: CornersOption = None,
    size_mm: SizeOption = None,
    table: TableOption = None,
    card: Annotated[
        str | None, typer.Option("--card", help="Size of the cards: poker or bridge; default: the settings'.")
    ] = None,
    overlay: Annotated[Path | None, typer.Option("--overlay", help="Where to draw what was found.")] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the table in the picture, write the table file, and draw what is believed to be where."""
    from calibration import steps
    from calibration.corners import parse_points
    from referee.cli.calibrate.terminal import TerminalBench, print_step
    from referee.settings import load_settings

    if (corners is None) != (size_mm is None):
        raise SettingsError("--corners and --size-mm belong together: give both, or none to find the mat")
    settings = load_settings(config).settings
    size_of_card = card_size(card or settings.cards.size)
    shown = steps.Rectangle(parse_points(corners), size_mm) if corners and size_mm else None
    with TerminalBench(settings, table, [image] if image else []) as bench:
        drawn = overlay or bench.table_path.with_name(f"{bench.table_path.stem}-overlay.png")
        print_step(steps.corners(bench, shown, size_of_card), as_json, {"overlay": drawn})


def card_size(name: str) -> tuple[float, float]:
    """Return the size of a card in mm; raises SettingsError for a name that is not known."""
    from hardware.tablefile import CARD_SIZES

    if name.lower() not in CARD_SIZES:
        raise SettingsError(f"--card {name} is not known: choose poker or bridge")
    return CARD_SIZES[name.lower()]
