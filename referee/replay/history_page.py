"""The history as one page without any script: scores, and each player's figures from game to game as small plots."""

from collections.abc import Sequence
from typing import Final

import msgspec

from referee.replay.history import History, Played, PlayerHistory
from referee.replay.page import scriptless_page

WIDTH: Final = 320.0
HEIGHT: Final = 64.0


class Dot(msgspec.Struct, frozen=True):
    """One game in a plot: where it stands, and what it says when pointed at."""

    x: float
    y: float
    words: str


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """A figure from game to game, lowest value at the bottom."""

    title: str
    dots: tuple[Dot, ...]
    lowest: str
    highest: str


def history_page(history: History) -> str:
    """Return the page as HTML. It holds no script; names are escaped."""
    return scriptless_page(
        "history.html",
        history=history,
        trends={player.name: trends_of(player) for player in history.players},
        width=WIDTH,
        height=HEIGHT,
    )


def trends_of(player: PlayerHistory) -> tuple[Trend, ...]:
    """Return the player's trends, those with at least two games to compare."""
    figures = (
        ("plays a minute", "{:.1f}", [game.figures.per_minute for game in player.games]),
        ("reaction, median in s", "{:.2f}", [_seconds(game.figures.reaction.median_ns) for game in player.games]),
        ("illegal cards", "{:.0f}", [float(game.figures.illegal) for game in player.games]),
    )
    trends = (_trend(title, form, player.games, values) for title, form, values in figures)
    return tuple(trend for trend in trends if len(trend.dots) > 1)


def _trend(title: str, form: str, games: Sequence[Played], values: Sequence[float | None]) -> Trend:
    known = [(index, value) for index, value in enumerate(values) if value is not None]
    low = min((value for _, value in known), default=0.0)
    high = max((value for _, value in known), default=0.0)
    step = WIDTH / max(1, len(games) - 1)
    dots = tuple(
        Dot(
            round(index * step, 1),
            round(HEIGHT * (1 - (value - low) / (high - low if high > low else 1)), 1),
            f"{games[index].started.replace('T', ' ')} against {games[index].opponent}: {form.format(value)}",
        )
        for index, value in known
    )
    return Trend(title=title, dots=dots, lowest=form.format(low), highest=form.format(high))


def _seconds(ns: int | None) -> float | None:
    return None if ns is None else ns / 1e9
