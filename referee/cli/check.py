"""`spit-referee check`: one line per check with its cure; exit 1 where one fails."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.options import ConfigOption, JsonOption
from referee.errors import SettingsError
from referee.settings import Settings, games_dir, load_settings, settings_places

if TYPE_CHECKING:
    from hardware.checks import Answer

COLOURS: Final = {"OK": "green", "WARN": "yellow", "FAIL": "red", "SKIP": "bright_black"}


def check(
    as_json: JsonOption = False,
    config: ConfigOption = None,
    bundle: Annotated[
        Path | None, typer.Option("--bundle", metavar="ZIP", help="Also write a file to attach to a report.")
    ] = None,
) -> None:
    """Check this machine, its pads, camera and settings; each line says what to do."""
    from hardware.checks import run_checks, worst

    settings, first = checked_settings(config)
    answers = {"settings": first}
    show("settings", first, as_json)
    for each, answer in run_checks(settings):
        answers[each.name] = answer
        show(each.name, answer, as_json)
    if bundle is not None:
        from referee.cli.bundle import write_bundle

        places = settings_places(config)
        names = write_bundle(bundle, answers.items(), settings, places, games_dir(settings))
        typer.echo(f"{bundle}: {', '.join(names)}. It holds player names and pictures of the table.", err=True)
    if worst(answers.values()) == "FAIL":
        raise typer.Exit(1)


def checked_settings(config: Path | None) -> tuple[Settings, "Answer"]:
    """Return the settings, or the defaults and what is wrong with what was set."""
    from hardware.checks.report import from_error, left_out, ok

    try:
        loaded = load_settings(config)
    except SettingsError as error:
        return Settings(), from_error(error)
    well = ok(f"{len(loaded.origins)} set, the rest by default" if loaded.origins else "all by default")
    return loaded.settings, left_out(loaded.complaints) or well


def show(name: str, answer: "Answer", as_json: bool) -> None:
    """Print one line."""
    if as_json:
        typer.echo(json.dumps({"check": name, "state": answer.state, "says": answer.says, "cure": answer.cure}))
        return
    state = typer.style(f"{answer.state:4}", fg=COLOURS[answer.state], bold=answer.state == "FAIL")
    typer.echo(f"{state}  {name:9} {answer.says}{f'. {cure_text(answer.cure)}' if answer.cure else ''}")


def cure_text(cure: str) -> str:
    return cure[:1].upper() + cure[1:]
