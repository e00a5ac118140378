"""Whose hands were over a spot of late, and what moved before the players' rows."""

from collections import deque
from typing import Final

from referee.table import PLAYERS, Player

AROUND_NS: Final = 45_000_000
STIR_NS: Final = 90_000_000
MOST_REMEMBERED: Final = 300


class Presence:
    """What is remembered of the hands at one spot."""

    def __init__(self) -> None:
        self.hands: deque[tuple[int, frozenset[Player]]] = deque(maxlen=MOST_REMEMBERED)
        """Moments, and whose hands were over it then."""
        self.stirs: deque[tuple[int, dict[Player, float]]] = deque(maxlen=MOST_REMEMBERED)
        """Moments, and which share of the strip before each player's row moved then, 0 to 1."""

    def at(self, at_ns: int) -> frozenset[Player]:
        """Return whose hands were over the spot around a moment."""
        near = [players for moment, players in self.hands if abs(moment - at_ns) <= AROUND_NS]
        return frozenset().union(*near)

    def stirred(self, at_ns: int) -> dict[Player, float]:
        """Return how much moved before each player's row shortly before a moment: the share of that strip, 0 to 1.

        A card that is laid comes with a hand that has just arrived; a hand that rests has not brought it.
        """
        near = [stirs for moment, stirs in self.stirs if at_ns - STIR_NS <= moment <= at_ns]
        return {player: max((stirs.get(player, 0.0) for stirs in near), default=0.0) for player in PLAYERS}

    def was_near(self, player: Player, from_ns: int, until_ns: int) -> bool:
        """Return whether a player's hand was over the spot at any time between two moments."""
        return any(player in players for moment, players in self.hands if from_ns <= moment <= until_ns)
