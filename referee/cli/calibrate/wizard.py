"""`spit-referee calibrate` without a step: all of them in order, each to be done, repeated or skipped."""

import sys
from collections.abc import Callable
from typing import Final, NamedTuple

import typer

from calibration.plan import BEFORE
from referee.cli.calibrate import deck, finding, pads, seeing
from referee.cli.options import ConfigOption
from referee.errors import RefereeError, SettingsError
from referee.settings import load_settings, table_file


class Step(NamedTuple):
    """A step of the wizard: `before` says what to do with one's hands first."""

    name: str
    before: str
    run: Callable[..., None]


STEPS: Final = (
    Step("mat", "Makes the play mat as a PDF to print; skip it if you have one.", finding.mat),
    Step("wires", BEFORE["wires"], pads.wires),
    Step("camera", BEFORE["camera"], seeing.camera),
    Step("light", BEFORE["light"], seeing.light),
    Step("corners", BEFORE["corners"], finding.corners),
    Step("sides", BEFORE["sides"], pads.sides),
    Step("deck", BEFORE["deck"], deck.deck),
    Step("test", BEFORE["test"], seeing.test),
)
ASK: Final = "Enter does it, s skips, q quits"
AGAIN: Final = "Enter goes on, r repeats the step, q quits"


def wizard(context: typer.Context, config: ConfigOption = None) -> None:
    """Set the table up, step by step. Each step can be repeated alone."""
    if context.invoked_subcommand is not None:
        return
    if not sys.stdin.isatty():
        names = ", ".join(step.name for step in STEPS)
        raise SettingsError(f"the wizard asks questions: run it in a terminal, or run one step ({names})")
    done = [step.name for number, step in enumerate(STEPS, 1) if walk(number, step, {"config": config})]
    typer.echo(f"Done: {', '.join(done) or 'nothing'}. Table file: {table_file(load_settings(config).settings)}")
    typer.echo("Next: `spit-referee check`, then `spit-referee run`.")


def walk(number: int, step: Step, options: dict[str, object], ask: Callable[[str], str] | None = None) -> bool:
    """Go through one step as often as the person wants; return whether it was done. Quitting ends the command."""
    asked = ask or (lambda text: typer.prompt(text, default="", show_default=False))
    typer.echo(f"\nStep {number} of {len(STEPS)}: {step.name}. {step.before}")
    done = False
    answer = asked(ASK).strip().lower()
    while answer not in ("s", "q") and (not done or answer == "r"):
        try:
            step.run(**({} if step.run is finding.mat else options))
            done = True
        except RefereeError as error:
            typer.echo(f"{error}", err=True)
            done = False
        answer = asked(AGAIN if done else "Enter tries again, s skips, q quits").strip().lower()
    if answer == "q":
        raise typer.Exit
    return done
