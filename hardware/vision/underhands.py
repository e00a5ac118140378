"""What is read of a spot while a hand rests on it: the end of a card that the hand leaves free."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeGuard

from hardware.frames import Frame, Image
from hardware.vision.cardfit import Free
from hardware.vision.laststill import LastStill
from hardware.vision.looks import CERTAIN, FREE_END, Expected, Glimpse, Look, Under, is_expected, likely_faces
from hardware.vision.motion import Hand
from hardware.vision.piles import LEAST_WORTH, TopFinder
from hardware.vision.rectify import Patch
from hardware.vision.tops import SAME_PLACE_MM, SURE_ENOUGH, Finding, Top
from referee.cards import Card

PILE_PAUSE_NS: Final = 120_000_000
"""Pause between looks under a hand that rests on a pile."""
ROW_PAUSE_NS: Final = 400_000_000
"""The same for a place of a row."""
HALF_SHOWN: Final = 0.4
"""A place of a row that shows so much of its card's print still has that card on top."""
GLIMPSED: Final = 0.8
LEAST_NEW_MM2: Final = 500.0
"""A new card that is not yet free of the hand changes at least so much."""
SWAYS_NS: Final = 200_000_000
"""In so long a hand that holds a card over a pile sways by more than a fraction of a millimetre."""
CLEAR_EDGES: Final = 0.3
"""From here on the edges of a card in a row leave no doubt where it lies."""


class UnderHands:
    """Looks under the hands over one spot: a picture in one frame, what is read in it in the next."""

    def __init__(self, patch: Patch, finder: TopFinder, still: LastStill, is_pile: bool) -> None:
        self._patch, self._finder, self._still, self._is_pile = patch, finder, still, is_pile
        self._pause_ns = PILE_PAUSE_NS if is_pile else ROW_PAUSE_NS
        self._glimpses: list[Glimpse] = []
        self._last: Finding | None = None
        """What was read for certain in the last look: if the next one agrees, it is told."""
        self._under: Under | None = None
        self._steps: Iterator[None] | None = None
        """The search of that picture, a frame for each step."""
        self._earlier: Under | None = None
        """An earlier picture: what stood there in exactly the same place is no card that a hand holds."""
        self._lies = False
        """Whether what was found stood in exactly the same place in the earlier picture."""
        self._asked: set[tuple[Card, Free]] = set()
        """Which ends of which of them it was searched for since something moved."""
        self._found: Finding | None = None
        """What was found in it."""
        self._peeked_ns = self._peeks_done = 0

    @property
    def has_more(self) -> bool:
        """Whether a picture has been taken that is not read yet."""
        return self._under is not None

    def is_due(self, at_ns: int) -> bool:
        """Whether it is time for another look."""
        return at_ns - self._peeked_ns >= self._pause_ns

    def stirred(self) -> None:
        """Something moves: what was read in the last look proves nothing any more, and a pile is due at once."""
        self._peeks_done, self._last = 0, None
        self._asked.clear()
        if self._is_pile:
            self._peeked_ns = 0

    def forget(self) -> None:
        """Nothing lies here that was not here before."""
        self._earlier = None
        self._glimpses.clear()

    def glimpses(self, picture: Image) -> tuple[Glimpse, ...]:
        """Return what was read once and does not lie bare in the picture: it was covered. They are forgotten."""
        glimpses, self._glimpses = self._glimpses, []
        return tuple(one for one in glimpses if not self._still.shows(one, picture))

    def look(self, frame: Frame, over: Sequence[Hand]) -> Look | None:
        """Take a picture for `read`. Return a card that lies free in it: it only hangs together with the hand."""
        ends = self._free_ends(over)
        if self._last is None and self._shows_old_top(frame, ends):
            self._peeked_ns = frame.at_ns
            return None
        picture = self._patch.cut(frame.image)
        if self._still.changed(picture).area_mm2 < LEAST_NEW_MM2:
            self._peeked_ns = frame.at_ns
            return None
        near = None if self._is_pile or self._still.top is None else self._still.top.pose
        rough = self._finder.rough(picture, ends if self._last is None else (), near)
        free = self._finder.free(picture, rough)
        if free is not None and free.top.sure > GLIMPSED:
            return Look(frame.at_ns, picture.copy(), True, free)
        if not self._is_pile and self._last is None and not any(rough[end] for end in ends):
            self._peeked_ns = frame.at_ns
            return None
        self._under = Under(frame.at_ns, picture.copy(), rough, frozenset(hand.player for hand in over))
        return None

    def read(self, expected: Expected) -> Glimpse | None:
        """Read the picture that was taken last. Return a new card only if two looks agree, or if it is expected."""
        under, last = self._under, self._last
        assert under is not None
        self._steps = self._steps or self._search(under, last, expected)
        for _ in self._steps:
            return None
        self._steps = None
        found, self._found = self._found, None
        self._under, self._last, self._peeked_ns = None, None, under.at_ns
        if found is None or not self._is_new(found):
            return None
        if self._is_confirmed(found, last) or self._lies or is_expected(found, expected):
            self._glimpses = [one for one in self._glimpses if not one.top.shows_same(found.top)]
            now = self._finder.sharpened(under.picture, found)
            return None if now is None else Glimpse(under.at_ns, now, found.free, under.players, under.picture)
        read = self._read_as(found)
        if read > GLIMPSED:
            self._remember(Glimpse(under.at_ns, found.top, found.free, under.players, under.picture))
        if read > CERTAIN:
            self._last, self._peeked_ns = found, 0
        return None

    def _search(self, under: Under, last: Finding | None, expected: Expected) -> Iterator[None]:
        """Look for a new card by the edges of its free end. Then, for white on white hardly shows edges, where one lies
        on a pile that cannot be named, by the print of that end of a card of the rows; and, where something has lain
        still since the last look, by its indices.
        """
        self._lies = False
        self._found = self._finder.under_hands(under.picture, self._still.picture, under.rough, last)
        if not self._is_pile or self._is_clear(self._found):
            return
        if self._found is not None:
            yield
            self._found = self._expected_one(under, expected) or self._found
        earlier, self._earlier = self._earlier, self._earlier or under
        if self._is_clear(self._found) or earlier is None or under.at_ns - earlier.at_ns < SWAYS_NS:
            return
        yield
        self._earlier = under
        changed = self._still.changed(under.picture).biggest()
        found = yield from self._finder.by_index(under.picture, self._still.picture, changed, earlier.picture)
        if self._is_clear(found):
            self._found, self._lies = found, found.top.sure > CERTAIN
            yield

    def _expected_one(self, under: Under, expected: Expected) -> Finding | None:
        """Return one of the cards that may have come, found by the print of the end that is free."""
        faces = [face for face in likely_faces(expected, self._still.lying) if not self._lies_here(face.top)]
        halves = {
            (face.top.reading.best[0], end): (face, end) for face in faces for end in under.rough if end != "whole"
        }
        new = [half for key, half in halves.items() if key not in self._asked]
        self._asked |= halves.keys()
        found = self._finder.like_half(under.picture, new) if new else None
        return found if found is not None and is_expected(found, expected) else None

    def _is_new(self, found: Finding | None) -> bool:
        """Whether a card was found that did not lie here before."""
        if found is None or found.worth < LEAST_WORTH:
            return False
        return not self._lies_here(found.top)

    def _is_clear(self, found: Finding | None) -> TypeGuard[Finding]:
        """Whether a new card was read."""
        return found is not None and self._is_new(found) and self._read_as(found) > GLIMPSED

    def _lies_here(self, top: Top) -> bool:
        return any(top.shows_same(old) for old in self._still.lying)

    def _is_confirmed(self, found: Finding, last: Finding | None) -> bool:
        """Whether the look before showed the same card; in a row a clear one needs no second look."""
        read = self._read_as(found)
        again = last is not None and found.top.shows_same(last.top) and read > CERTAIN
        return again or (not self._is_pile and read > SURE_ENOUGH and found.edges > CLEAR_EDGES)

    def _read_as(self, found: Finding) -> float:
        """Return how surely a new card was read: no back lands on a pile."""
        return found.top.reading.best[1] if self._is_pile else found.top.sure

    def _shows_old_top(self, frame: Frame, ends: Sequence[Free]) -> bool:
        if self._is_pile:
            return self._still.is_bare_at(frame.image, ends)
        self._still.shown(frame)
        return self._still.share > HALF_SHOWN

    def _free_ends(self, over: Sequence[Hand]) -> list[Free]:
        """Return which ends of a card the hands over it leave free; every other time both of a pile's card.

        A glove that looks like the table is no hand that could be seen.
        """
        if self._last is None:
            self._peeks_done += 1
        if self._is_pile and self._peeks_done % 2 == 0:
            return ["upper", "lower"]
        return [FREE_END[player] for player in sorted({hand.player for hand in over})]

    def _remember(self, glimpse: Glimpse) -> None:
        """Keep a glimpse; of two of one card the surer one."""
        last = self._glimpses[-1] if self._glimpses else None
        if last is None or last.top.pose.apart_mm(glimpse.top.pose) > SAME_PLACE_MM:
            self._glimpses.append(glimpse)
        elif glimpse.top.sure > last.top.sure:
            self._glimpses[-1] = glimpse
