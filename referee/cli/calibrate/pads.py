"""The steps of the calibration that feel: wires, and who sits where."""

from typing import Annotated

import typer

from referee.cli.calibrate.options import TableOption
from referee.cli.options import ConfigOption, JsonOption
from referee.settings import load_settings

KeysOption = Annotated[bool, typer.Option("--keys", help="Try it without pads: keys A S for p1, K L for p2.")]
WaitOption = Annotated[float, typer.Option("--patience-s", min=0.1, help="How long to wait for each press.")]


def wires(
    presses: Annotated[int, typer.Option("--presses", min=1, help="How often each pad is pressed.")] = 1,
    patience_s: WaitOption = 20.0,
    keys: KeysOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Press each pad in turn: which pin moved, for how long, and how clean its contact was."""
    from calibration import steps
    from referee.cli.calibrate.terminal import TerminalBench, print_step

    with TerminalBench(load_settings(config).settings, keys=keys) as bench:
        print_step(steps.wires(bench, presses, round(patience_s * 1e9)), as_json)
    typer.echo("Lights and buzzer: `spit-referee signals`", err=as_json)


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
