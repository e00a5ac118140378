"""The steps of the calibration that feel: wires, and who sits where."""

import sys
from typing import Annotated

import typer

from referee.cli.calibrate.options import TableOption
from referee.cli.options import ConfigOption, JsonOption
from referee.errors import DeviceError
from referee.settings import SignalsSection, load_settings

KeysOption = Annotated[bool, typer.Option("--keys", help="Try it without pads: keys A S for p1, K L for p2.")]
WaitOption = Annotated[float, typer.Option("--patience-s", min=0.1, help="How long to wait for each press.")]


def wires(
    presses: Annotated[int, typer.Option("--presses", min=1, help="How often each pad is pressed.")] = 1,
    patience_s: WaitOption = 20.0,
    keys: KeysOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Press each pad in turn: which pin moved, how long, how cleanly; then name each light that is on."""
    from calibration import steps
    from referee.cli.calibrate.terminal import TerminalBench, print_step

    settings = load_settings(config).settings
    with TerminalBench(settings, keys=keys) as bench:
        print_step(steps.wires(bench, presses, round(patience_s * 1e9)), as_json)
    _lights(settings.signals, as_json)


def _lights(settings: SignalsSection, as_json: bool) -> None:
    """Switch lights and buzzer on one by one and ask what was seen, where there are some and somebody to ask."""
    from calibration.lamps import lamps_in_turn
    from hardware.checks.report import from_error, skip
    from hardware.signals import outputs_of
    from referee.cli.check import show

    if settings.backend in ("mock", "none"):
        show("lights", skip("switched off in the settings"), as_json)
        return
    if not sys.stdin.isatty():
        show("lights", skip("run this in a terminal: somebody has to say what is on"), as_json)
        return
    try:
        outputs = outputs_of(settings)
    except DeviceError as error:
        show("lights", from_error(error), as_json)
        return
    typer.echo("Now lights and buzzer, one by one.", err=as_json)
    for name, answer in lamps_in_turn(settings, outputs, lambda names: _seen(names, as_json)):
        show(name, answer, as_json)


def _seen(names: list[str], as_json: bool) -> str:
    known = [*names, "none"]
    while (said := str(typer.prompt(f"What is on? ({', '.join(known)})", err=as_json)).strip().lower()) not in known:
        pass
    return said


def sides(
    table: TableOption = None,
    patience_s: WaitOption = 20.0,
    keys: KeysOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Touch one pad to tell who sits at the bottom edge of the picture; turns the table file round if need be."""
    from calibration import steps
    from referee.cli.calibrate.terminal import TerminalBench, print_step

    with TerminalBench(load_settings(config).settings, table, keys=keys) as bench:
        print_step(steps.sides(bench, round(patience_s * 1e9)), as_json)
