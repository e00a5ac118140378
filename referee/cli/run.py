"""`spit-referee run`: the live table, by hand or as a service."""

import sys
from typing import Annotated

import typer

from referee.cli.options import ConfigOption, GamesOption
from referee.settings import from_home, games_dir, table_file


def run(
    config: ConfigOption = None,
    shadow: Annotated[bool, typer.Option("--shadow", help="Log everything, say nothing.")] = False,
    simulate: Annotated[bool, typer.Option("--simulate", help="A rendered table in real time, no hardware.")] = False,
    keys: Annotated[
        bool, typer.Option("--keys", help="With --simulate: you slap (A S, K L), not the players.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the simulated table.")] = 7,
    deals: Annotated[int, typer.Option("--deals", min=1, help="Of the simulated table.")] = 1,
    record: Annotated[bool, typer.Option("--record", help="Film the whole game, to be scored with it.")] = False,
    games: GamesOption = None,
    pages: Annotated[
        bool,
        typer.Option("--pages/--no-pages", help="Serve the pages; without, a simulated game ends the command."),
    ] = True,
    set_up: Annotated[
        bool, typer.Option("--set-up", help="Begin with the set-up on the pages, not with a game.")
    ] = False,
    port: Annotated[int | None, typer.Option("--port", min=1024, max=65535, help="Of the pages.")] = None,
) -> None:
    """Referee the table in front of the camera, until you press q or Ctrl-C. The pages show it, and set it up."""
    from hardware.checks.report import left_out
    from referee.cli.patience import usable_settings
    from referee.cli.table_loop import TableLoop
    from referee.web.access import access_file

    loaded = usable_settings(config, pages)
    access = access_file(table_file(loaded.settings))
    practice = None
    if simulate:
        from referee.cli.practice import Practice, practice_settings

        practice, loaded = Practice(seed, deals, keys), practice_settings(loaded)
    for complaint in loaded.complaints:
        print(f"spit-referee goes on without what was chosen on the pages: {complaint}", file=sys.stderr)
    settings = loaded.settings
    folder = games_dir(settings) if games is None else from_home(games).absolute()
    loop = TableLoop(settings, folder, access, shadow=shadow, practice=practice, record=record)
    loop.desk.trouble = left_out(loaded.complaints)
    has_pages = pages and settings.web.enabled
    loop.run(port or settings.web.port if has_pages else None, strict=port is not None, set_up=set_up)
