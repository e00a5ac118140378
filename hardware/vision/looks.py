"""What is seen of a spot in one frame, and what it shows when it lies still again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hardware.frames import Image
from hardware.vision.cardfit import Fit, Free
from hardware.vision.reader import mean_reading
from hardware.vision.tops import LEAST_EDGES, NOTHING_THERE, SAME_PLACE_MM, Face, Finding, Top
from referee.cards import Card
from referee.table import Player

CERTAIN: Final = 0.93
LIKELY: Final = 0.6
EXPECTED: Final = 0.85
FREE_END: Final[dict[Player, Free]] = {"p1": "upper", "p2": "lower"}
"""The end of a card that its player's hand leaves free."""
MOST_EXPECTED: Final = 5
"""So many cards of the rows are looked for by their print."""
Expected = Callable[[], Mapping[Card, Face]]
"""Gives the cards that may come to a spot, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A new card that was read in a single frame, at rest under its player's hand, before the next one came."""

    at_ns: int
    top: Top
    free: Free
    players: frozenset[Player]
    """Whose hands were over it."""
    picture: Image
    """The spot in that frame."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A spot that lies still again after something was over it."""

    since_ns: int
    """When the disturbance began."""
    at_ns: int
    visits: dict[Player, int]
    """Whose hands were over it, and when last."""
    before: Top | None
    before_picture: Image
    now: Top | None
    picture: Image
    glimpses: tuple[Glimpse, ...] = ()
    same: bool = False
    """It is still the card that was read under its player's hand, now read better."""


@dataclass(frozen=True, slots=True)
class Look:
    """A spot in one frame, and what was found there."""

    at_ns: int
    picture: Image
    covered: bool
    """Whether the top that lay there no longer shows."""
    found: Finding | None


@dataclass(frozen=True, slots=True)
class Under:
    """A picture of the spot with a hand over it, and where cards may lie in it: read a frame later."""

    at_ns: int
    picture: Image
    rough: Mapping[Free, Sequence[Fit]]
    players: frozenset[Player]


def as_agreed(now: Top, others: Sequence[Finding]) -> Top:
    """Return a card as all looks at the same place show it, if they name different ones."""
    same = [
        one.top for one in others if one.edges > LEAST_EDGES / 2 and one.top.pose.apart_mm(now.pose) < SAME_PLACE_MM
    ]
    named = [top for top in same if top.sure > LIKELY]
    if all(top.shows_same(now) for top in named):
        return now
    return replace(now, reading=mean_reading([now.reading, *(top.reading for top in named)]))


def worth_of(look: Look) -> float:
    """Return how good an answer a look gave."""
    return -1.0 if look.found is None else look.found.worth


def is_sure(found: Finding) -> bool:
    """Whether a card was read for certain, and its edges show."""
    return found.top.sure > CERTAIN and found.edges > LEAST_EDGES


def is_nothing(found: Finding | None) -> bool:
    """Whether clearly no card was found."""
    return found is None or (found.top.reading.nothing > NOTHING_THERE and found.edges < LEAST_EDGES)


def is_read(found: Finding | None) -> bool:
    """Whether a card was likely read."""
    return found is not None and found.top.sure > LIKELY


def is_expected(found: Finding, expected: Expected) -> bool:
    """Whether what was found is one of the cards that may have come here: then it need not be read so surely."""
    card, read = found.top.reading.best
    return read > EXPECTED and card in expected()


def likely_faces(expected: Expected, lying: Sequence[Top]) -> list[Face]:
    """Return a few of the cards that may have come, those that seem to lie there already last.

    They are looked for by their own print: white on white shows no edges.
    """
    faces = [face for face in expected().values() if face.top.reading.face_down < 0.5]
    faces.sort(key=lambda face: any(face.top.shows_same(top) for top in lying))
    return faces[:MOST_EXPECTED]
