"""What happened on a middle pile between two settled pictures: a landing, a card taken back, a knock, a pile taken."""

from dataclasses import dataclass
from typing import Final

from hardware.frames import Image
from hardware.tablefile import Table, rectangle
from hardware.vision.motion import Motion, Zone
from hardware.vision.piles import Reader, Top
from hardware.vision.rectify import Patch
from hardware.vision.spots import Settled, Spot
from hardware.vision.touch import Ring, Touch, touch_of
from referee.cards import is_joker
from referee.table import Pile, Player

REACH_MM: Final = 30.0
"""How far from its pile's place a top card may lie."""
TURNED_DEG: Final = 36.0
SIDES: Final[dict[Player, float]] = {"p1": -1.0, "p2": 1.0}
"""Towards whom y grows."""
APPROACH_MM: Final = (15.0, 130.0)
"""Depth and width of the strip before a player's row that an arm must cross on its way to a pile."""
SAME_PLACE_MM: Final = 8.0
REMEMBERED: Final = 4
CERTAIN: Final = 0.9


@dataclass(frozen=True, slots=True)
class Landed:
    """A new card lies on top."""

    pile: Pile
    touch: Touch
    top: Top
    visits: dict[Player, int]
    settled_ns: int
    """When it was seen lying still."""
    at_touch: frozenset[Player] = frozenset()
    """Whose hands were there when it touched."""


@dataclass(frozen=True, slots=True)
class TakenOff:
    """The top card is gone again and the one below it lies bare."""

    pile: Pile
    at_ns: int
    top: Top
    visits: dict[Player, int]


@dataclass(frozen=True, slots=True)
class Cleared:
    """The whole pile is gone."""

    pile: Pile
    at_ns: int
    visits: dict[Player, int]


PileChange = Landed | TakenOff | Cleared


class PileWatch:
    """Follows one middle pile."""

    def __init__(self, pile: Pile, table: Table, motion: Motion, reader: Reader, ring: Ring) -> None:
        centre = table.piles[pile].mean(axis=0)
        self.pile: Pile = pile
        x, y = float(centre[0]), float(centre[1])
        depth, width = APPROACH_MM
        strip = table.card_size_mm[1] / 2 + 1.5 * depth - 1.0
        approach: dict[Player, Zone] = {
            player: motion.zone(rectangle(x, y + side * strip, width, depth)) for player, side in SIDES.items()
        }
        self.spot = Spot(table, motion, reader, (x, y), REACH_MM, TURNED_DEG, peeks=True, approach=approach)
        self._card_mm = table.card_size_mm
        self._ring = ring
        self._below: list[Top] = []

    def take_over(self, other: "PileWatch") -> None:
        """Go on with what another watch of the same pile knows."""
        self.spot.take_over(other.spot)
        self._below, self.spot.known = other._below, other.spot.known

    def judge(self, seen: Settled, middle_before: Image) -> PileChange | None:
        """Return what the pile's new settled picture means; None if nothing landed and nothing left."""
        change = self._change(seen, middle_before)
        self.spot.known = tuple(self._below)
        return change

    def _change(self, seen: Settled, middle_before: Image) -> PileChange | None:
        now, before = seen.now, seen.before
        if now is None:
            self._below.clear()
            return Cleared(self.pile, seen.at_ns, seen.visits) if before is not None else None
        if before is not None and (seen.same or now is before or now.shows_same(before)):
            return None
        for depth, lower in enumerate(reversed(self._below), 1):
            if before is not None and _is_bare_again(now, lower):
                del self._below[-depth:]
                return TakenOff(self.pile, seen.at_ns, before, seen.visits)
        if before is not None:
            self._below = [*self._below, before][-REMEMBERED:]
        touch = self._touch(seen, now, middle_before)
        present = self.spot.present(touch.at_ns)
        return Landed(self.pile, touch, now, seen.visits, seen.at_ns, present)

    def _touch(self, seen: Settled, now: Top, middle_before: Image) -> Touch:
        frames = self._ring.between(seen.since_ns - 200_000_000, seen.at_ns)
        found = touch_of(frames, self._ring.patch, now.pose, self._card_mm, middle_before)
        if found is not None:
            return found
        return Touch((seen.since_ns + seen.at_ns) // 2, seen.since_ns, seen.at_ns, False)


def _is_bare_again(now: Top, lower: Top) -> bool:
    """Whether the card on top is one that lay there before. A pack has each card once: its place may have changed."""
    if not now.shows_same(lower):
        return False
    certain = min(now.reading.best[1], lower.reading.best[1]) > CERTAIN and not is_joker(now.reading.best[0])
    return certain or now.pose.apart_mm(lower.pose) < SAME_PLACE_MM


def middle_patch(table: Table) -> Patch:
    """Return the patch that covers both middle piles and their reach."""
    a, b = table.piles["A"].mean(axis=0), table.piles["B"].mean(axis=0)
    width, height = table.card_size_mm
    centre = (float(a[0] + b[0]) / 2, float(a[1] + b[1]) / 2)
    size = (abs(float(b[0] - a[0])) + width + 2 * REACH_MM, height + 2 * REACH_MM)
    return Patch.of(table, centre, size, 1.25)
