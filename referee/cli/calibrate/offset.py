"""The step of the calibration that ties the camera's clock to the pads'."""

from typing import Annotated, Final

import typer

from referee.cli.calibrate.options import TableOption
from referee.cli.options import ConfigOption, JsonOption
from referee.errors import DeviceError
from referee.settings import load_settings, table_file

GOOD_MS: Final = 5.0
"""An uncertainty above this is worth another measurement."""


def offset(
    seconds: Annotated[float, typer.Option("--seconds", min=3, max=120, help="How long the lights blink.")] = 10.0,
    table: TableOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how late the camera's stamps are against the pads': it watches the table's lights blink."""
    from dataclasses import replace

    from calibration.offset import film_blinking
    from hardware.cameras.choose import one_camera
    from hardware.checks.report import ok, warn
    from hardware.signals import outputs_of
    from hardware.tablefile import load_table, save_table
    from referee.cli.check import show

    settings = load_settings(config).settings
    if settings.signals.backend in ("mock", "none"):
        raise DeviceError(f"signals.backend is {settings.signals.backend}: no light can blink; set it to auto")
    path = table or table_file(settings)
    known = load_table(path)
    camera, outputs = one_camera(settings.camera), outputs_of(settings.signals)
    typer.echo("One of the lights must be in the camera's picture. They blink now.", err=True)
    try:
        camera.open()
        found = film_blinking(camera, outputs, seconds)
    finally:
        outputs.close()
        camera.close()
    behind_ms, uncertainty_ms = found.behind_ns / 1e6, found.uncertainty_ns / 1e6
    says = f"camera {behind_ms:.1f} +- {uncertainty_ms:.1f} ms behind the pads (light seen at {found.at_px})"
    coarse = uncertainty_ms > GOOD_MS
    show("offset", warn(says, "measure longer: --seconds 30") if coarse else ok(says), as_json)
    measured = replace(known, behind_pads_ns=found.behind_ns, behind_pads_uncertainty_ns=found.uncertainty_ns)
    save_table(measured, path)
    show("table file", ok(f"{path}: every picture is stamped so from the next start on"), as_json)
