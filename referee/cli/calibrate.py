"""`spit-referee calibrate`: the wizard or one of its steps."""

from pathlib import Path
from typing import Annotated

import typer

from referee.errors import SettingsError

calibrate = typer.Typer(help="Set the table up, step by step. Each step can be repeated alone.", no_args_is_help=True)

ImageOption = Annotated[Path | None, typer.Option("--image", help="Use a saved picture instead of the camera.")]
TableOption = Annotated[Path | None, typer.Option("--table", help="The table file; default: the settings' place.")]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="A settings file.")]
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


@calibrate.command()
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


@calibrate.command()
def corners(
    image: ImageOption = None,
    corners: CornersOption = None,
    size_mm: SizeOption = None,
    table: TableOption = None,
    overlay: Annotated[Path | None, typer.Option("--overlay", help="Where to draw what was found.")] = None,
    config: ConfigOption = None,
) -> None:
    """Find the table in the picture, write the table file, and draw what is believed to be where."""
    import cv2

    from calibration import corners as steps
    from hardware.tablefile import save_table
    from hardware.vision.quads import card_quads
    from hardware.vision.tablefinder import find_table
    from referee.settings import load_settings, table_file

    if (corners is None) != (size_mm is None):
        raise SettingsError("--corners and --size-mm belong together: give both, or none to find the mat")
    settings = load_settings(config).settings
    if image is None:
        raise SettingsError("calibrate corners needs a picture of the table: give one with --image")
    picture = steps.load_picture(str(image))
    if corners is not None and size_mm is not None:
        found = steps.table_from_points(picture, steps.parse_points(corners), size_mm)
        found = steps.with_residual(found, card_quads(picture))
    else:
        found = find_table(picture)
    path = table or table_file(settings)
    save_table(found, path)
    drawn_path = overlay or path.with_name(f"{path.stem}-overlay.png")
    cv2.imwrite(str(drawn_path), steps.draw_overlay(picture, found))
    typer.echo(f"{path}: the table file ({found.px_per_mm():.2f} pixels per millimetre)")
    typer.echo(f"{drawn_path}: look at it: every zone must lie where its cards lie")
    typer.echo(f"residual: {steps.traffic_light(found.residual_mm)}")
    if found.px_per_mm() < steps.LEAST_PX_PER_MM:
        typer.echo(
            f"warning: below {steps.LEAST_PX_PER_MM} pixels per millimetre cards are hard to read; lower the camera"
        )
