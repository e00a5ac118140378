"""Many games together: who has won how often against whom, and how each player's figures go from game to game."""

from collections.abc import Iterable, Iterator
from statistics import median
from typing import Literal

import msgspec

from referee.errors import LogError
from referee.log import GameEntry, LoggedGame
from referee.replay.moments import Timeline
from referee.replay.statistics import PlayerFigures, statistics_of
from referee.replay.timeline import timeline_of
from referee.replay.words import player_names
from referee.table import OPPONENT, PLAYERS, Player, Who


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """One game of one player."""

    game: str
    started: str
    opponent: str
    result: Literal["won", "lost", "drawn", "not finished"]
    deals: int
    figures: PlayerFigures


class PlayerHistory(msgspec.Struct, frozen=True, kw_only=True):
    """All games of one player, oldest first. A name is a player; two people of one name are one here."""

    name: str
    games: tuple[Played, ...]

    @property
    def won(self) -> int:
        return sum(game.result == "won" for game in self.games)

    @property
    def finished(self) -> int:
        return sum(game.result != "not finished" for game in self.games)

    @property
    def reaction_ns(self) -> int | None:
        """Median over all reactions of all games."""
        values = [value for game in self.games for value in game.figures.reaction.values_ns]
        return round(median(values)) if values else None

    @property
    def per_minute(self) -> float | None:
        """Median over the games."""
        values = [game.figures.per_minute for game in self.games if game.figures.per_minute is not None]
        return median(values) if values else None


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """The score between two players over their finished games."""

    names: tuple[str, str]
    won: tuple[int, int]
    draws: int


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Every player and every pairing. `unreadable`: games that could not be taken in."""

    players: tuple[PlayerHistory, ...]
    matches: tuple[Match, ...]
    unreadable: tuple[str, ...]


def history_of(games: Iterable[GameEntry]) -> History:
    """Return the history of the games, which may come in any order; damaged games count as far as they go."""
    played: dict[str, list[Played]] = {}
    scores: dict[tuple[str, str], list[int]] = {}
    unreadable: list[str] = []
    for entry in sorted(games, key=lambda entry: entry.name):
        try:
            timeline = timeline_of(LoggedGame(entry.directory))
        except LogError:
            unreadable.append(entry.name)
            continue
        for name, game in _both(timeline):
            played.setdefault(name, []).append(game)
        _count(timeline, scores)
    players = [PlayerHistory(name=name, games=tuple(games)) for name, games in sorted(played.items())]
    matches = [Match(names=names, won=(won[0], won[1]), draws=won[2]) for names, won in sorted(scores.items())]
    return History(players=tuple(players), matches=tuple(matches), unreadable=tuple(unreadable))


def _both(timeline: Timeline) -> Iterator[tuple[str, Played]]:
    names, figures = player_names(timeline.header.players), statistics_of(timeline).game
    winner = _winner(timeline)
    for player in PLAYERS:
        yield (
            names[player],
            Played(
                game=timeline.name,
                started=timeline.header.started[:16],
                opponent=names[OPPONENT[player]],
                result=_result(player, winner),
                deals=sum(deal.is_over for deal in timeline.deals),
                figures=figures.players[player],
            ),
        )


def _count(timeline: Timeline, scores: dict[tuple[str, str], list[int]]) -> None:
    names, winner = player_names(timeline.header.players), _winner(timeline)
    if winner is None:
        return
    first, second = sorted(names.values())
    score = scores.setdefault((first, second), [0, 0, 0])
    score[2 if winner == "unknown" else (first, second).index(names[winner])] += 1


def _result(player: Player, winner: Who | None) -> Literal["won", "lost", "drawn", "not finished"]:
    if winner is None:
        return "not finished"
    if winner == "unknown":
        return "drawn"
    return "won" if winner == player else "lost"


def _winner(timeline: Timeline) -> Who | None:
    """`p1`, `p2`, `unknown` for a draw, None for a game that was not finished."""
    return next((moment.player for moment in reversed(timeline.moments) if moment.kind == "game_over"), None)
