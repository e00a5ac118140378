"""Many games together: who has won how often against whom, and how each player's figures go from game to game."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final, Literal

import msgspec

from referee.errors import LogError
from referee.log import LoggedGame
from referee.log.header import LOG_FILE
from referee.log.writer import software_version
from referee.replay.moments import Timeline
from referee.replay.statistics import PlayerFigures, statistics_of
from referee.replay.timeline import timeline_of
from referee.replay.words import player_names
from referee.table import OPPONENT, PLAYERS, Player, Who

KEPT_FILE: Final = ".figures.json"
LARGEST_KEPT_BYTES: Final = 10_000_000


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


def history_of(games: Iterable[Path]) -> History:
    """Return the history of games by their folders, which may come in any order; damaged games count as far as they
    go."""
    software = software_version()
    played: dict[str, list[Played]] = {}
    scores: dict[tuple[str, str], list[int]] = {}
    unreadable: list[str] = []
    for directory in sorted(games, key=lambda directory: directory.name):
        try:
            both = both_of(directory, software)
        except LogError:
            unreadable.append(directory.name)
            continue
        for name, game in zip(_names(both), both, strict=True):
            played.setdefault(name, []).append(game)
        _count(both, scores)
    players = [PlayerHistory(name=name, games=tuple(games)) for name, games in sorted(played.items())]
    matches = [Match(names=names, won=(won[0], won[1]), draws=won[2]) for names, won in sorted(scores.items())]
    return History(players=tuple(players), matches=tuple(matches), unreadable=tuple(unreadable))


Both = tuple[Played, Played]
"""One game, as p1 and as p2 played it."""


class _Kept(msgspec.Struct, frozen=True):
    """What was made of a log, and of which: name, length and time, and the version that read it."""

    log: tuple[str, int, int, str]
    both: Both


def both_of(directory: Path, software: str) -> Both:
    """Return one game as both played it. It is kept in the game's folder, and goes with it: a log of many thousand
    lines is read once by each version. Raises LogError for a log that cannot be read."""
    game, kept_file = LoggedGame(directory), directory / KEPT_FILE
    stat = (directory / LOG_FILE).stat()
    log = (directory.name, stat.st_size, stat.st_mtime_ns, software)
    with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # else it is made anew
        if kept_file.is_file() and kept_file.stat().st_size < LARGEST_KEPT_BYTES:
            kept = msgspec.json.decode(kept_file.read_bytes(), type=_Kept)
            if kept.log == log:
                return kept.both
    timeline = timeline_of(game)
    both = _both(timeline)
    if timeline.closed:
        with suppress(OSError):  # somebody else's folder: it is made again the next time
            kept_file.unlink(missing_ok=True)
            with kept_file.open("xb") as file:  # never through a link
                file.write(msgspec.json.encode(_Kept(log, both)))
    return both


def _both(timeline: Timeline) -> Both:
    names, figures = player_names(timeline.header.players), statistics_of(timeline).game
    winner = _winner(timeline)
    first, second = (
        Played(
            game=timeline.name,
            started=timeline.header.started[:16],
            opponent=names[OPPONENT[player]],
            result=_result(player, winner),
            deals=sum(deal.is_over for deal in timeline.deals),
            figures=figures.players[player],
        )
        for player in PLAYERS
    )
    return first, second


def _names(both: Both) -> tuple[str, str]:
    return both[1].opponent, both[0].opponent


def _count(both: Both, scores: dict[tuple[str, str], list[int]]) -> None:
    names = _names(both)
    if both[0].result == "not finished":
        return
    first, second = sorted(names)
    score = scores.setdefault((first, second), [0, 0, 0])
    won = next((name for name, game in zip(names, both, strict=True) if game.result == "won"), None)
    score[2 if won is None else (first, second).index(won)] += 1


def _result(player: Player, winner: Who | None) -> Literal["won", "lost", "drawn", "not finished"]:
    if winner is None:
        return "not finished"
    if winner == "unknown":
        return "drawn"
    return "won" if winner == player else "lost"


def _winner(timeline: Timeline) -> Who | None:
    """`p1`, `p2`, `unknown` for a draw, None for a game that was not finished."""
    return next((moment.player for moment in reversed(timeline.moments) if moment.kind == "game_over"), None)
