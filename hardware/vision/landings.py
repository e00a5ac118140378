"""What happened on a middle pile between two settled pictures: a landing, a card taken back, a knock, a pile taken."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from hardware.frames import Image
from hardware.tablefile import Table, rectangle
from hardware.vision.looks import Settled
from hardware.vision.motion import Motion, Zone
from hardware.vision.piles import LIKE_IT
from hardware.vision.reader import Reader
from hardware.vision.rectify import Patch
from hardware.vision.ring import Ring
from hardware.vision.spots import UNSURE, Spot
from hardware.vision.tops import Face, Top
from hardware.vision.touch import Touch, touch_of
from referee.cards import Card, is_joker
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
SOON_NS: Final = 150_000_000
"""So long after a hand came its card touches, where nothing tells better."""
MOVED_MM: Final = 3.0
SAME_PRINT: Final = 0.9
"""Correlation from which two pictures show one card, wherever it lies."""
SURELY_SAME_PRINT: Final = 0.96
"""The same for cards that are read as different ones: courts that lie exactly alike come near it."""
CERTAIN: Final = 0.9
CLEAR: Final = 0.97
"""A card that is read so surely needs no better look."""
HARDLY_READ: Final = 0.1
"""If a reading leaves so much to all but the two likeliest cards, the card is the one that is read there soon after."""
MAY_BE: Final = 0.02
SOON_READ_NS: Final = 1_500_000_000


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
    stirred: Mapping[Player, float] = field(default_factory=dict)
    """How much moved before each player's row right before."""


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


@dataclass(frozen=True, slots=True)
class _Lying:
    """A card and the picture of the pile in which it lay on top."""

    top: Top
    picture: Image | None
    """None if it was never seen lying still."""


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
        self.spot = Spot(table, motion, reader, (x, y), REACH_MM, TURNED_DEG, is_pile=True, approach=approach)
        self._card_mm = table.card_size_mm
        self._ring = ring
        self._below: list[_Lying] = []
        self.known: list[Top] = []
        """Every card that is known to have come here since the pile was last taken."""
        self._newest: Landed | None = None
        """The last landing that was seen here, with the best look at its card."""

    def take_over(self, other: "PileWatch") -> None:
        """Go on with what another watch of the same pile knows."""
        self.spot.take_over(other.spot)
        self._below, self._newest, self.spot.last.known = other._below, other._newest, other.spot.last.known
        self.known = other.known

    def lay_below(self, top: Top) -> None:
        """Remember a card that was covered before the pile was ever still."""
        self.known.append(top)
        self._below = [*self._below, _Lying(top, None)][-REMEMBERED:]
        self.spot.last.known = tuple(lower.top for lower in self._below)

    def lies_elsewhere(self, top: Top | None) -> None:
        """Forget a card that was known to lie here, if it surely lies in a row: it was taken off."""
        if top is None or top.reading.best[1] < CLEAR:
            return
        self.known = [other for other in self.known if not other.shows_same(top)]
        self._below = [lower for lower in self._below if not lower.top.shows_same(top)]
        self.spot.last.known = tuple(lower.top for lower in self._below)

    def judge(self, seen: Settled, middle_before: Image, left: Mapping[Card, int]) -> PileChange | None:
        """Return what the pile's new settled picture means; None if nothing landed and nothing left.

        `left`: cards that left a row and were not seen to land so far, with the last moment when each lay there.
        """
        change = self._change(seen, middle_before, left)
        self.spot.last.known = tuple(lower.top for lower in self._below)
        if change is not None:
            self._newest = change if isinstance(change, Landed) else None
        elif self._newest is not None and seen.now is not None and seen.now.sure > self._newest.top.sure:
            self._newest = replace(self._newest, top=seen.now)
        return change

    def looked_again(self, landed: Landed) -> Landed:
        """Return a landing as it is known now: its card may have been read better since, when a hand left it."""
        return self._newest if self._newest is not None and self._is_newest(landed) else landed

    def is_unsure(self, landed: Landed) -> bool:
        """Whether the card on top is one that was not read surely when it landed."""
        return landed.top.sure < CLEAR and self._is_newest(landed)

    def _is_newest(self, landed: Landed) -> bool:
        return self._newest is not None and landed.settled_ns == self._newest.settled_ns

    def _change(self, seen: Settled, middle_before: Image, left: Mapping[Card, int]) -> PileChange | None:
        now, before = seen.now, seen.before
        if now is None:
            self._below.clear()
            self.known.clear()
            return Cleared(self.pile, seen.at_ns, seen.visits) if before is not None else None
        if before is not None and (seen.same or now is before or self._shows(now, _Lying(before, seen.before_picture))):
            return None
        if before is not None and before.sure < min(UNSURE, now.sure) and self._lay_there(before, now, seen):
            return None
        for depth, lower in enumerate(reversed(self._below), 1):
            if before is not None and now.reading.best[0] not in left and self._is_bare_again(now, lower):
                del self._below[-depth:]
                return TakenOff(self.pile, seen.at_ns, before, seen.visits)
        if before is not None:
            self._below = [*self._below, _Lying(before, seen.before_picture)][-REMEMBERED:]
            self.known.append(before)
        touch = self._touch(seen, now, middle_before, left.get(now.reading.best[0], 0) if now.sure > CLEAR else 0)
        present, stirred = self.spot.presence.at(touch.at_ns), self.spot.presence.stirred(touch.at_ns)
        return Landed(self.pile, touch, now, seen.visits, seen.at_ns, present, stirred)

    def _shows(self, now: Top, then: _Lying) -> bool:
        """Whether the top is a card that lay there before. What is not read surely is told by its print."""
        if now.shows_same(then.top):
            return True
        if then.picture is None or min(now.sure, then.top.sure) > CERTAIN:
            return False
        alike = self.spot.finder.print_alike(self.spot.picture, now.pose, then.picture, then.top.pose)
        return alike > (SAME_PRINT if now.may_be(then.top) else SURELY_SAME_PRINT)

    def _lay_there(self, before: Top, now: Top, seen: Settled) -> bool:
        """Whether the card that is read now lay there already when other names seemed likelier."""
        landed_ns = self._newest.settled_ns if self._newest is not None else 0
        open_odds = 1.0 - sum(sorted(before.reading.cards.values())[-2:])
        if open_odds > HARDLY_READ:
            return seen.at_ns - landed_ns < SOON_READ_NS
        if before.reading.cards.get(now.reading.best[0], 0.0) < MAY_BE:
            return False  # courts look so much alike that their print alone tells nothing
        spot = self.spot
        alike, _ = spot.finder.most_like(seen.before_picture, Face(now, spot.picture, spot.patch))
        return alike > LIKE_IT

    def _is_bare_again(self, now: Top, lower: _Lying) -> bool:
        """Whether the top is one that lay there before. A pack has each card once: its place may have changed."""
        if not self._shows(now, lower):
            return False
        read = min(now.reading.best[1], lower.top.reading.best[1])
        certain = read > CERTAIN and not is_joker(now.reading.best[0])
        return certain or now.pose.apart_mm(lower.top.pose) < SAME_PLACE_MM

    def _touch(self, seen: Settled, now: Top, middle_before: Image, left_ns: int) -> Touch:
        """Return when the new top touched. What seems to be that card before it left its row is another one."""
        since_ns = max(seen.since_ns - 200_000_000, left_ns)
        for glimpse in seen.glimpses:  # it was read before it was knocked to where it lies
            if glimpse.top.shows_same(now) and glimpse.top.pose.apart_mm(now.pose) > MOVED_MM:
                frames = self._ring.between(since_ns, glimpse.at_ns)
                found = touch_of(frames, self._ring.window, glimpse.top.pose, self._card_mm, middle_before)
                if found is not None and found.earliest_ns >= since_ns:  # else it shows what lay there before
                    return found
        frames = self._ring.between(since_ns, seen.at_ns)
        found = touch_of(frames, self._ring.window, now.pose, self._card_mm, middle_before)
        if found is not None and found.earliest_ns < left_ns:
            found = touch_of(frames, self._ring.window, now.pose, self._card_mm, frames[0][1])
        if found is not None:
            return found
        at_ns = min(seen.since_ns + SOON_NS, (seen.since_ns + seen.at_ns) // 2)
        return Touch(at_ns, seen.since_ns, seen.at_ns, False)


def middle_patch(table: Table) -> Patch:
    """Return the patch that covers both middle piles and their reach."""
    a, b = table.piles["A"].mean(axis=0), table.piles["B"].mean(axis=0)
    width, height = table.card_size_mm
    centre = (float(a[0] + b[0]) / 2, float(a[1] + b[1]) / 2)
    size = (abs(float(b[0] - a[0])) + width + 2 * REACH_MM, height + 2 * REACH_MM)
    return Patch.of(table, centre, size, 1.25)
