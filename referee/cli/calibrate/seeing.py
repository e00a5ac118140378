"""The steps of the calibration that look: camera, light, and the test of the calibrated table."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.calibrate.options import ImageOption, ImagesOption, TableOption
from referee.cli.calibrate.pads import KeysOption
from referee.cli.options import ConfigOption, JsonOption
from referee.settings import load_settings, table_file

DeckOption = Annotated[
    Path | None, typer.Option("--deck", metavar="FILE", help="The enrolled deck; default: beside the table file.")
]


def camera(
    image: ImageOption = None, table: TableOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Look through the camera: which there are, size, rate, age, sharpness, height, turn."""
    from calibration import steps
    from referee.cli.calibrate.terminal import TerminalBench, print_step

    with TerminalBench(load_settings(config).settings, table, [image] if image else []) as bench:
        print_step(steps.camera(bench), as_json)


def light(
    image: ImagesOption = None,
    video: Annotated[
        Path | None, typer.Option("--video", help="A short video: it tells flicker and motion blur, too.")
    ] = None,
    table: TableOption = None,
    out: Annotated[Path | None, typer.Option("--map", help="Where to draw what is burnt out.")] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge the light: brightness, glare, evenness, flicker, sharpness, motion blur, each with its cure."""
    from calibration import steps
    from referee.cli.calibrate.terminal import TerminalBench, print_step

    settings = load_settings(config).settings
    drawn = out or (table or table_file(settings)).with_name("light.png")
    with TerminalBench(settings, table, image or [], video) as bench:
        print_step(steps.light(bench), as_json, {"glare": drawn})


def test(
    image: ImageOption = None,
    table: TableOption = None,
    deck: DeckOption = None,
    keys: KeysOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read piles and rows with the table file, and measure how exact it is on single cards lying free.

    With the camera both players are then asked to slap together.
    """
    from calibration import steps
    from referee.cli.calibrate.terminal import TerminalBench, print_step

    settings = load_settings(config).settings
    with TerminalBench(settings, table, [image] if image else [], keys=keys) as bench:
        print_step(steps.test(bench, deck), as_json)
        if image is None and (keys or settings.pads.backend not in ("mock", "none")):
            print_step(steps.together(bench), as_json)
