"""`spit-referee calibrate`: the wizard, or one of its steps. Heavy modules are imported by the step that needs them."""

import typer

from referee.cli.calibrate import deck, finding, offset, pads, seeing, wizard

calibrate = typer.Typer(help="Set the table up, step by step. Each step can be repeated alone.")
calibrate.callback(invoke_without_command=True)(wizard.wizard)
for step in (
    finding.mat,
    pads.wires,
    seeing.camera,
    seeing.light,
    finding.corners,
    pads.sides,
    deck.deck,
    seeing.test,
    offset.offset,
):
    calibrate.command()(step)
