"""Who sits where and what lies where, as words. No geometry: that is in the table file.

Player p1 sits at the bottom edge of the picture, p2 at the top. Middle pile A is on p1's left, B on p1's right.
A player's row has the stock piles 1 to 5, numbered from its owner's left (R8).
"""

from collections.abc import Mapping
from typing import Final, Literal

Player = Literal["p1", "p2"]
Who = Literal["p1", "p2", "unknown"]
Pile = Literal["A", "B"]
Hand = Literal["L", "R"]

PLAYERS: Final[tuple[Player, Player]] = ("p1", "p2")
PILES: Final[tuple[Pile, Pile]] = ("A", "B")
LONGEST_NAME: Final = 30
"""A player's name fits beside its pile on a phone; of a longer one in somebody else's log the beginning is shown."""
OPPONENT: Final[Mapping[Player, Player]] = {"p1": "p2", "p2": "p1"}
OTHER_PILE: Final[Mapping[Pile, Pile]] = {"A": "B", "B": "A"}
