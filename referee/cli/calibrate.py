"""`spit-referee calibrate`: the wizard or one of its steps."""

from pathlib import Path
from typing import Annotated

import typer

calibrate = typer.Typer(help="Set the table up: the wizard, or one step of it.", invoke_without_command=True)

ImageOption = Annotated[Path | None, typer.Option("--image", help="Use a saved picture instead of the camera.")]
TableOption = Annotated[Path, typer.Option("--table", help="The table file to write.")]


@calibrate.command()
def mat(
    out: Annotated[Path, typer.Option("--out", help="Where to write the PDF.")] = Path("spit-mat.pdf"),
    paper: Annotated[str, typer.Option("--paper", help="a2 (one sheet), a3 (two) or a4 (four).")] = "a4",
) -> None:
    """Make the play mat to print, and the card with signals, pad gestures and a ruler."""
    from calibration.mat import Paper, write_mat
    from referee.errors import SettingsError

    try:
        size = Paper(paper.lower())
    except ValueError:
        raise SettingsError(f"--paper {paper} is not known: choose a2, a3 or a4") from None
    write_mat(out, size)
    typer.echo(f"{out}: print it at 100 % (no fitting to the page), then measure the ruler.")
