"""The steps of the calibration that look: camera, light, and the test of the calibrated table."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.calibrate.options import (
    ConfigOption,
    ImageOption,
    ImagesOption,
    JsonOption,
    TableOption,
    alike,
    picture,
    table_if_any,
)
from referee.cli.check import show
from referee.settings import Settings, load_settings, table_file

if TYPE_CHECKING:
    from hardware.frames import Image

FILMED: Final = 45
"""So many pictures tell flicker and rate: a second and a half at 30 a second."""

DeckOption = Annotated[
    Path | None, typer.Option("--deck", metavar="FILE", help="The enrolled deck; default: beside the table file.")
]


def camera(
    image: ImageOption = None, table: TableOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Look through the camera: which there are, size, rate, age, sharpness, height, turn."""
    from calibration.camera import cameras_there, film, stream_answers, view_answers
    from hardware.checks.report import ok

    settings = load_settings(config).settings
    known = table_if_any(table, settings)
    if image is not None:
        seen = picture(image, settings)
    else:
        for name in cameras_there():
            show("there is", ok(name), as_json)
        filmed = film(settings.camera, FILMED)
        seen = filmed.frames[-1].image
        for what, answer in stream_answers(filmed, settings.camera):
            show(what, answer, as_json)
    for what, answer in view_answers(seen, known):
        show(what, answer, as_json)


def light(
    image: ImagesOption = None,
    video: Annotated[Path | None, typer.Option("--video", help="A short video: it tells flicker, too.")] = None,
    table: TableOption = None,
    out: Annotated[Path | None, typer.Option("--map", help="Where to draw what is burnt out.")] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge the light: brightness, glare, evenness, flicker, sharpness, each with its cure."""
    import cv2

    from calibration.light import glare_map, light_answers

    settings = load_settings(config).settings
    images = alike(_pictures(image, video, settings))
    for what, answer in light_answers(images, table_if_any(table, settings)):
        show(what, answer, as_json)
    path = out or (table or table_file(settings)).with_name("light.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), glare_map(images[len(images) // 2]))
    typer.echo(f"{path}: red is burnt out, nothing can be read there", err=as_json)


def _pictures(images: list[Path] | None, video: Path | None, settings: Settings) -> "list[Image]":
    if video is not None:
        from itertools import islice

        from hardware.cameras.video import VideoFile

        film_file = VideoFile(video)
        try:
            return [frame.image.copy() for frame in islice(film_file.frames(), FILMED)]
        finally:
            film_file.close()
    if images:
        return [picture(path, settings) for path in images]
    from calibration.camera import film

    return [frame.image for frame in film(settings.camera, FILMED).frames]


def test(
    image: ImageOption = None,
    table: TableOption = None,
    deck: DeckOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read piles and rows with the table file, and measure how exact it is on single cards lying free."""
    from calibration.trial import answers, measured, read_table
    from hardware.tablefile import load_table, save_table
    from hardware.vision.enrolled import deck_file, reader_for

    settings = load_settings(config).settings
    path = table or table_file(settings)
    known = load_table(path)
    seen = picture(image, settings)
    places = read_table(seen, known, reader_for(deck or deck_file(path), deck is not None))
    for what, answer in answers(places):
        show(what, answer, as_json)
    checked, (what, answer) = measured(known, seen, places)
    show(what, answer, as_json)
    if checked is not known:
        save_table(replace(known, residual_mm=checked.residual_mm), path)
        typer.echo(f"{path}: the residual was written", err=as_json)
