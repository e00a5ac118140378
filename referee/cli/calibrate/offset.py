"""The step of the calibration that ties the camera's clock to the pads'."""

from typing import Annotated

import typer

from referee.cli.calibrate.options import TableOption
from referee.cli.options import ConfigOption, JsonOption
from referee.errors import DeviceError
from referee.settings import load_settings


def offset(
    seconds: Annotated[float, typer.Option("--seconds", min=3, max=120, help="How long the lights blink.")] = 10.0,
    table: TableOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how late the camera's stamps are against the pads': it watches the table's lights blink."""
    from calibration import steps
    from referee.cli.calibrate.terminal import TerminalBench, print_step

    settings = load_settings(config).settings
    if settings.signals.backend in ("mock", "none"):
        raise DeviceError(f"signals.backend is {settings.signals.backend}: no light can blink; set it to auto")
    with TerminalBench(settings, table) as bench:
        print_step(steps.offset(bench, seconds), as_json)
