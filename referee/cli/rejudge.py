"""`spit-referee rejudge`: judge a logged game again and say where the verdicts differ."""

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from referee.cli.options import GameArgument, GamesOption, games_folder
from referee.log import LoggedGame, find_game
from referee.units import counted

if TYPE_CHECKING:
    from referee.replay.side_by_side import SideBySide


def rejudge(
    game: GameArgument = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="NAME", help="Judge by this rule set, or by a file of house rules.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every difference, not only the first.")] = False,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write all of them as a page.")] = None,
    games: GamesOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One object a line for each difference.")] = False,
) -> None:
    """Judge a logged game (by default the newest) again: exit 0 if every verdict is the same, 1 if not.

    Differences stand side by side: what the log says, and what is said now.
    """
    from referee.house_rules import load_rules
    from referee.replay.rejudge import differences, judge_for

    logged = LoggedGame(find_game(game, games_folder(games)))
    found = differences(logged, judge_for(logged.header, None if rules is None else load_rules(rules)))
    if as_json:
        told = [msgspec.json.encode(difference) + b"\n" for difference in (found if every else islice(found, 1))]
        count = len(told)
        sys.stdout.buffer.write(b"".join(told))
    else:
        from referee.replay.side_by_side import side_by_side

        first_ns = next((at_ns for entry in logged.entries() if (at_ns := entry.at_ns) is not None), 0)
        shown = side_by_side(found if every or html else islice(found, 1), logged.header, first_ns)
        count = len(shown.rows)
        _show(shown, logged, f"the rules {rules}" if rules else "this version", every, html)
    _complain(logged)
    if count:
        raise typer.Exit(1)


def _show(shown: "SideBySide", logged: LoggedGame, judged_by: str, every: bool, html: Path | None) -> None:
    from referee.replay.side_by_side import difference_page, more_words

    name = logged.directory.name
    if html is not None:
        from referee.replay.page import save

        print(f"{html} ({save(difference_page(shown, name, judged_by), html) / 1e3:.0f} kB): open it in any browser.")
    elif shown.rows:
        _print(shown, judged_by)
    if not shown.rows:
        print(f"{name}: no difference.")
    elif every or html is not None:
        more = f"; {words}" if (words := more_words(shown)) else ""
        print(f"{name}: {counted(len(shown.rows), 'difference')}{more}.")


def _print(shown: "SideBySide", judged_by: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_lines=True, header_style="bold")
    for title in ("when", "seen", "the log", judged_by):
        table.add_column(title, overflow="fold", ratio=1 if title in ("when", "seen") else 3)
    for row in shown.rows:
        cells = (f"{row.at}\nline {row.n}", row.seen, "\n".join(row.logged), "\n".join(row.judged))
        table.add_row(*map(Text, cells))
    Console().print(table)


def _complain(logged: LoggedGame) -> None:
    if logged.troubles:
        trouble = logged.troubles[0]
        more = f" and {len(logged.troubles) - 1} more" if len(logged.troubles) > 1 else ""
        print(f"The log is not whole (line {trouble.line}: {trouble.what}{more}).", file=sys.stderr)
