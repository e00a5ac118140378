"""A card that lies on the table: where, what it shows, and how well it answers what is looked for."""

from dataclasses import dataclass
from typing import Final

from hardware.frames import Image
from hardware.vision.cardfit import Free
from hardware.vision.reader import Reading
from hardware.vision.rectify import Patch, Pose

PLAIN: Final = 1.6
"""An answer worth this much needs no second search."""
SAME_PLACE_MM: Final = 8.0
SURE_ENOUGH: Final = 0.97
NOTHING_THERE: Final = 0.8
HARDLY: Final = 0.01
"""What is less likely is ruled out by a reading."""
LEAST_EDGES: Final = 0.15
"""What shows fewer edges of a card and is not clearly read is the pattern of a cloth."""
FOUR_SIDES: Final = 0.34
"""From this score on all four sides of a card show: no hand lies over any of them."""


@dataclass(frozen=True, slots=True)
class Top:
    """A lying card: its pose and what it shows."""

    pose: Pose
    reading: Reading

    @property
    def sure(self) -> float:
        """How surely this is one certain card, face up or face down."""
        return max(self.reading.best[1], self.reading.face_down)

    def shows_same(self, other: "Top") -> bool:
        """Whether both are most likely the same face."""
        mine, theirs = self.reading, other.reading
        if mine.face_down > 0.5 or theirs.face_down > 0.5:
            return mine.face_down > 0.5 and theirs.face_down > 0.5
        return mine.best[0] == theirs.best[0]

    def may_be(self, other: "Top") -> bool:
        """Whether at least one of the two readings leaves it open that both are the same face."""
        mine, theirs = self.reading, other.reading
        return max(theirs.cards.get(mine.best[0], 0.0), mine.cards.get(theirs.best[0], 0.0)) > HARDLY


@dataclass(frozen=True, slots=True)
class Face:
    """A card whose face is known: how it lay in a picture of `patch`."""

    top: Top
    picture: Image
    patch: Patch


@dataclass(frozen=True, slots=True)
class Finding:
    """A card and how well it answers: edges all round, a clear reading, and all that changed lies inside."""

    worth: float
    top: Top
    edges: float
    """How well four edges of a card show there."""
    free: Free = "whole"
    """The part that no hand covers."""

    @property
    def convinces(self) -> bool:
        return self.worth > PLAIN and self.top.sure > 0.9


def is_same(one: Top, other: Top) -> bool:
    """Whether both are the same card in the same place."""
    return one.shows_same(other) and one.pose.apart_mm(other.pose) < SAME_PLACE_MM
