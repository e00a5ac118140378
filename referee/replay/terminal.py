"""The timeline for a terminal: one line a moment, both players' lanes beside the two piles."""

from collections.abc import Iterable, Mapping

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from referee.log import GameEntry
from referee.replay.history import History
from referee.replay.moments import Moment, Timeline
from referee.replay.statistics import PlayerFigures, Sample, Statistics
from referee.replay.words import clock, margin_words, plain, player_names
from referee.table import PILES, PLAYERS, Pile, Player
from referee.units import MS

SUIT_SIGNS = str.maketrans("SHDC", "♠♥♦♣")
MARKS: Mapping[str, tuple[str, str]] = {
    "legal": ("●", "green"),
    "illegal": ("✗", "bold red"),
    "beaten": ("○", "yellow"),
    "cannot_tell": ("?", "magenta"),
    "false_slap": ("▽", "red"),
    "ignored": ("▿", "dim"),
}
"""Shape and colour of each ruling; the shape alone tells them apart."""
HEADLINES = ("stuck", "deal_over", "award", "next_deal", "game_over", "dead_heat", "paused")


def games_table(games: Iterable[GameEntry]) -> RenderableType:
    """Return the list of logged games, newest first."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("game", "started", "players", "rules", ""):
        table.add_column(title)
    for game in games:
        if game.header is None:
            table.add_row(_shown(game.name), "", "", "", _shown(game.trouble, "red"))
            continue
        names = player_names(game.header.players)
        started = game.header.started[:16].replace("T", " ") + (" (clock unsure)" if game.header.clock_unsure else "")
        ended = Text("" if game.closed else "not closed: being played, or the power went", style="yellow")
        table.add_row(
            _shown(game.name),
            _shown(started),
            _shown(" – ".join(names.values())),
            _shown(game.header.rules_name),
            ended,
        )
    return table


def _shown(text: str, style: str = "") -> Text:
    """Return text from a file: what would steer the terminal is left out."""
    return Text(plain(text), style=style)


def print_timeline(console: Console, timeline: Timeline, figures: Statistics) -> None:
    """Print the whole game: what is missing first, then every moment, then the figures."""
    names = player_names(timeline.header.players)
    console.print(_shown(f"{timeline.name}   {names['p1']} – {names['p2']}   {timeline.header.started}", "bold"))
    console.print(Text(timeline.result))
    for trouble in timeline.troubles[:10]:
        console.print(_shown(f"line {trouble.line}: {trouble.what}", "yellow"))
    if len(timeline.troubles) > 10:
        console.print(Text(f"and {len(timeline.troubles) - 10} more lines that could not be used", style="yellow"))
    console.print(_moments_table(timeline, names))
    if timeline.is_cut_short:
        console.print(Text("the log goes on: only its beginning is shown", style="yellow"))
    console.print(_figures_table(figures, names))


def _moments_table(timeline: Timeline, names: Mapping[Player, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("+ms", justify="right", style="dim", no_wrap=True)
    table.add_column(Text(names["p1"][:8]), justify="center", no_wrap=True)
    for pile in PILES:
        table.add_column(pile, justify="center", min_width=4, no_wrap=True)
    table.add_column(Text(names["p2"][:8]), justify="center", no_wrap=True)
    table.add_column("", ratio=1)
    for moment in timeline.moments:
        since = "" if moment.since_ns is None else str(moment.since_ns // MS)
        lanes = [_mark(moment, player) for player in PLAYERS]
        cards = [_card(moment, pile) for pile in PILES]
        table.add_row(clock(moment.at_ns), since, lanes[0], *cards, lanes[1], _words(moment))
    return table


def _mark(moment: Moment, player: Player) -> Text:
    if moment.player != player:
        return Text("")
    if moment.kind == "slap":
        return Text("▲", style="cyan" if moment.ruling == "legal" else "dim")
    if moment.kind == "taken_back":
        return Text("↩", style="dim")
    mark, style = MARKS.get(moment.ruling or "", ("·", "dim"))
    return Text(mark, style=style)


def _card(moment: Moment, pile: Pile) -> Text:
    if moment.pile != pile or moment.card is None:
        return Text("")
    style = "red" if moment.card[-1] in "HD" else ""
    struck = " strike" if moment.dismissed or moment.ruling in ("illegal", "beaten") else ""
    return Text(moment.card.translate(SUIT_SIGNS), style=(style + struck).strip())


def _words(moment: Moment) -> Text:
    style = "bold" if moment.kind in HEADLINES else "" if moment.is_dispute else "dim"
    words = Text(moment.sentence, style=style)
    if moment.rule:
        words.append(f"  {moment.rule}", style="cyan")
    if moment.p is not None and moment.is_landing:
        words.append(f"  {_percent(moment.p)}", style="dim")
    if moment.was and moment.was != moment.sentence:
        words.append(f"  was: {moment.was}", style="dim strike")
    return words


def print_history(console: Console, history: History) -> None:
    """Print the scores, then each player's figures over all games."""
    for match in history.matches:
        drawn = f"  ({match.draws} drawn)" if match.draws else ""
        console.print(Text(f"{match.names[0]}  {match.won[0]} : {match.won[1]}  {match.names[1]}{drawn}", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("player", "games", "won", "plays a minute", "reaction", "illegal", "slaps won"):
        table.add_column(title, justify="left" if title == "player" else "right")
    for player in history.players:
        figures = [game.figures for game in player.games]
        won, slaps = sum(one.slaps_won for one in figures), sum(one.slaps_won + one.slaps_lost for one in figures)
        table.add_row(
            Text(player.name),
            str(len(player.games)),
            f"{player.won} of {player.finished}",
            "–" if player.per_minute is None else f"{player.per_minute:.1f}",
            _seconds(player.reaction_ns),
            str(sum(one.illegal for one in figures)),
            f"{won} of {slaps}",
        )
    console.print(table)
    if history.unreadable:
        console.print(Text(f"could not be read: {', '.join(history.unreadable)}", style="yellow"))


def _percent(p: float) -> str:
    return ">99%" if p > 0.99 else f"{p:.0%}"


def _figures_table(figures: Statistics, names: Mapping[Player, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title="Deals that have ended", title_justify="left")
    table.add_column("")
    for player in PLAYERS:
        table.add_column(Text(names[player]), justify="right")
    both = [figures.game.players[player] for player in PLAYERS]
    for title, texts in _figure_rows(both):
        table.add_row(title, *texts)
    return table


def _figure_rows(both: list[PlayerFigures]) -> list[tuple[str, list[str]]]:
    return [
        ("legal plays", [str(one.plays) for one in both]),
        ("plays a minute", ["–" if one.per_minute is None else f"{one.per_minute:.1f}" for one in both]),
        ("between two plays, median", [_sample(one.between) for one in both]),
        ("reaction to a new top, median", [_sample(one.reaction) for one in both]),
        ("longest drought", [_seconds(one.longest_drought_ns) for one in both]),
        ("illegal", [str(one.illegal) for one in both]),
        ("beaten", [str(one.beaten) for one in both]),
        ("cannot tell", [str(one.unsure) for one in both]),
        ("slaps won", [str(one.slaps_won) for one in both]),
        ("smallest lead", [margin_words(min(one.margins_us, default=None), None) or "–" for one in both]),
        ("false slaps", [str(one.false_slaps) for one in both]),
    ]


def _sample(sample: Sample) -> str:
    return "–" if sample.median_ns is None else f"{_seconds(sample.median_ns)} of {sample.count}"


def _seconds(ns: int | None) -> str:
    return "–" if ns is None else f"{ns / 1e9:.2f} s"
