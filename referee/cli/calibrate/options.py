"""What the steps of the calibration have in common: their options, and where a picture comes from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.errors import PictureError
from referee.settings import Settings, table_file

if TYPE_CHECKING:
    from hardware.frames import Image
    from hardware.tablefile import Table

ImageOption = Annotated[Path | None, typer.Option("--image", help="Use a saved picture instead of the camera.")]
ImagesOption = Annotated[
    list[Path] | None,
    typer.Option("--image", help="Use saved pictures instead of the camera; may be given several times."),
]
TableOption = Annotated[Path | None, typer.Option("--table", help="The table file; default: the settings' place.")]


def picture(image: Path | None, settings: Settings) -> "Image":
    """Return the saved picture, or one of the camera after its warm-up; raises PictureError or DeviceError."""
    if image is not None:
        from hardware.vision.stills import open_picture

        return open_picture(image)
    from calibration.camera import film

    return film(settings.camera, 1).frames[-1].image


def table_if_any(chosen: Path | None, settings: Settings) -> "Table | None":
    """Return the table of the table file; None where none was named and there is none yet."""
    from hardware.tablefile import load_table

    path = chosen or table_file(settings)
    return load_table(path) if chosen is not None or path.exists() else None


def alike(images: "list[Image]") -> "list[Image]":
    """Return the pictures if they are of one size; raises PictureError."""
    if len({image.shape for image in images}) > 1:
        raise PictureError("the pictures differ in size; give pictures of one camera")
    return images
