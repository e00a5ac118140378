"""`spit-referee demo`: a simulated table through the whole chain, without any hardware."""

import sys
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.options import GamesOption, games_folder

if TYPE_CHECKING:
    from referee.demo import Compared, Summary

DEFAULT_SEED: Final = 92
"""The game and the table that the documentation shows."""


def demo(
    seed: Annotated[int, typer.Option(help="Another seed is another game at another table.")] = DEFAULT_SEED,
    deals: Annotated[int, typer.Option(help="Deals to play.", min=1)] = 1,
    fast: Annotated[bool, typer.Option("--fast", help="As fast as this machine can, not in real time.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="Open the replay page in the browser at the end.")] = False,
    games: GamesOption = None,
    pages: Annotated[bool, typer.Option("--pages/--no-pages", help="Show it on a page of this machine, too.")] = True,
) -> None:
    """Watch a simulated game being refereed: rendered frames, real eyes, real tracker. Needs no hardware."""
    from rich.console import Console

    from hardware.simulated.look import Look
    from referee.cli.demo_pages import DemoPages
    from referee.cli.screen import LiveScreen, PlainScreen
    from referee.demo import run_demo, simulated_script
    from referee.log import LoggedGame
    from referee.replay.page import write_page

    console, folder = Console(), games_folder(games)
    on_terminal = console.is_terminal
    look = Look() if seed == DEFAULT_SEED else Look.seeded(seed)
    print("SIMULATED TABLE: two simulated players, rendered frames; eyes, tracker, log and signals are the real ones.")
    print("The table is being laid: a few seconds ...")
    with ExitStack() as stack:
        onlookers = [stack.enter_context(DemoPages(folder))] if pages else []
        screen: LiveScreen | PlainScreen = LiveScreen(console) if on_terminal else PlainScreen()
        stack.enter_context(screen)
        script = simulated_script(seed, deals)
        real_time = on_terminal and not fast
        summary = run_demo(script, look, folder, screen, real_time=real_time, onlookers=onlookers)
    page = summary.game / "replay.html"
    write_page(LoggedGame(summary.game), page)
    _print_summary(summary, page)
    if open_:
        webbrowser.open(page.absolute().as_uri())


def _print_summary(summary: "Summary", page: Path) -> None:
    from referee.verdicts import SpitCall, Stuck

    right = sum(compared.agrees for compared in summary.compared)
    illegal = sum(c.agrees and c.verdict is not None and c.verdict.ruling == "illegal" for c in summary.compared)
    stuck = sum(isinstance(verdict, Stuck) for verdict in summary.verdicts)
    spits = sum(isinstance(verdict, SpitCall) for verdict in summary.verdicts)
    print()
    print(f"{right} of {len(summary.compared)} cards were ruled as the script had it; illegal ones called: {illegal}.")
    print(f"Stuck called: {stuck}; spits called: {spits}; slaps: {summary.slaps} ({summary.slaps_right} rightly).")
    for compared in summary.compared:
        if not compared.agrees:
            print(f"  not as in the script: {_difference(compared)}")
    if summary.trouble:
        print(f"spit-referee: {summary.trouble}", file=sys.stderr)
    print(f"Log:    {summary.game}")
    print(f"Replay: {page}  (open it in any browser; `spit-referee replay {summary.game.name}` tells it here)")


def _difference(compared: "Compared") -> str:
    from referee.demo import ruling_of

    action, verdict = compared.action, compared.verdict
    really = f"{action.at_ns / 1e9:.2f} s, {action.player}'s {action.card} on {action.pile} was {ruling_of(action)}"
    return f"{really}, ruled {verdict.ruling} as {verdict.card}" if verdict else f"{really}, nothing was ruled"
