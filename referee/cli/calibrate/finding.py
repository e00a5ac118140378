"""The steps of the calibration that say where things are: the printed mat, and the table in the picture."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.calibrate.options import ConfigOption, ImageOption, TableOption, picture
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
    card: Annotated[str, typer.Option("--card", help="Size of the cards: poker or bridge.")] = "poker",
    overlay: Annotated[Path | None, typer.Option("--overlay", help="Where to draw what was found.")] = None,
    config: ConfigOption = None,
) -> None:
    """Find the table in the picture, write the table file, and draw what is believed to be where."""

    from calibration import corners as steps
    from calibration.trial import measured, read_table
    from hardware.tablefile import save_table
    from hardware.vision.reader import CardReader
    from hardware.vision.tablefinder import find_table
    from referee.settings import load_settings, table_file

    if (corners is None) != (size_mm is None):
        raise SettingsError("--corners and --size-mm belong together: give both, or none to find the mat")
    settings = load_settings(config).settings
    size_of_card = _card_size(card)
    seen = picture(image, settings)
    if corners is not None and size_mm is not None:
        found = steps.table_from_points(seen, steps.parse_points(corners), size_mm, size_of_card)
        found, _ = measured(found, seen, read_table(seen, found, CardReader()))
    else:
        found = find_table(seen, size_of_card)
    path = table or table_file(settings)
    save_table(found, path)
    drawn_path = overlay or path.with_name(f"{path.stem}-overlay.png")
    steps.save_picture(drawn_path, steps.draw_overlay(seen, found))
    typer.echo(f"{path}: the table file ({found.px_per_mm():.2f} pixels per millimetre)")
    typer.echo(f"{drawn_path}: look at it: every zone must lie where its cards lie")
    typer.echo(f"residual: {steps.traffic_light(found.residual_mm)}")
    if found.px_per_mm() < steps.LEAST_PX_PER_MM:
        typer.echo(
            f"warning: below {steps.LEAST_PX_PER_MM} pixels per millimetre cards are hard to read; lower the camera"
        )


def _card_size(name: str) -> tuple[float, float]:
    from hardware.tablefile import BRIDGE_MM, POKER_MM

    sizes = {"poker": POKER_MM, "bridge": BRIDGE_MM}
    if name.lower() not in sizes:
        raise SettingsError(f"--card {name} is not known: choose poker or bridge")
    return sizes[name.lower()]
