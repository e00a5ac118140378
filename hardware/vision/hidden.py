"""Landings that were covered again before the pile was still: what left a row must have gone somewhere, and of a card
that is covered an index mostly shows beside its cover.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from hardware.frames import Image
from hardware.vision.carried import NEWER, Portrait, Sighting, portrait, sighting
from hardware.vision.closeup import share_in_place
from hardware.vision.landings import REACH_MM, Landed
from hardware.vision.looks import CERTAIN, Glimpse
from hardware.vision.reader import Reader, rectify
from hardware.vision.rectify import Pose
from hardware.vision.ring import Ring
from hardware.vision.rows import Departure
from hardware.vision.spots import Spot
from hardware.vision.tops import Top
from hardware.vision.touch import Touch, touch_of
from referee.table import Player

Frames = Sequence[tuple[int, Image]]

SAME_MM: Final = 12.0
"""Two coarse sightings of one card are at most so far apart."""
LAY_THERE: Final = 0.7
"""A card that was there before shows so much of its print in place in the picture from before."""
AT_A_TIME: Final = 3
"""Frames that are searched for a card before the next frame is due."""
AGAIN_MM: Final = 5.0
"""A card that is read again under a hand is found at most so far from where it lay."""
SURELY_READ: Final = 0.97
"""What is read less surely where a card is known to lie is that card, read wrong under a hand."""
NOT_IT: Final = 0.02
ANOTHER: Final = 0.8
"""What rests there is another card if the reader names one with these odds, and the missing one with less."""
EARLIER_NS: Final = 8_000_000
"""A covered card touched at least so long before the one that covers it."""
BARE_NS: Final = 75_000_000
"""A card that nobody saw lay bare for about so long: two or three frames, with hands over it."""
LEAD_NS: Final = 100_000_000
"""Frames from so long before a disturbance show how the pile lay."""
COVERED_SOON_NS: Final = 150_000_000
"""A card that was covered sooner was hardly seen lying still."""
SOONEST_NS: Final = 80_000_000
"""A card is at a pile at the soonest so long after it left its row."""
CARRY_NS: Final = 900_000_000
"""From leaving the row to the pile takes at most about so long."""
HAND_MM: Final = (64.0, 56.0)
"""The part of a laying hand whose stop tells when its card touched."""


@dataclass(frozen=True, slots=True)
class Quest:
    """A landing under which others may lie."""

    cover: Landed
    owner: Player
    missing: Sequence[Departure]
    """Cards that left a row and were not seen to land."""
    elsewhere: Set[Player]
    """Whose hands were at the other pile, where it is not known yet what they did."""
    here: Spot
    there: Spot
    """The pile, and the other one."""
    around_mm: tuple[float, float]
    """The pile's place."""
    since_ns: int
    """When the pile was last still."""
    before: Image
    """The middle as it lay then."""
    pictures: tuple[Image, Image]
    """The pile before and after the landing."""
    glimpses: Sequence[Glimpse] = ()
    """Cards that were seen at rest for one frame."""
    known: Sequence[Top] = ()
    """Cards that are known to lie on the pile."""

    def brought(self, gone: Departure) -> bool:
        """Whether the player's hand can have brought this card here, and nowhere else, before the cover touched."""
        if gone.player in self.elsewhere:
            return False
        at_ns, player = self.cover.touch.at_ns, gone.player
        if player in self.here.presence.at(at_ns):
            return True
        span = gone.from_ns + SOONEST_NS, at_ns
        return self.here.presence.was_near(player, *span) and not self.there.presence.was_near(player, *span)


class HiddenLandings:
    """Looks for cards under a landing."""

    def __init__(self, ring: Ring, card_mm: tuple[float, float], reader: Reader) -> None:
        self._ring, self._card_mm, self._reader = ring, card_mm, reader

    def under(self, quest: Quest) -> Iterator[list[Landed]]:
        """Yield the landings that were hidden, in order of time; before that, after each bit of work, nothing."""
        cover = quest.cover
        frames = self._ring.between(quest.since_ns - LEAD_NS, cover.touch.at_ns - EARLIER_NS)
        found = self._glimpsed(quest)
        if quest.glimpses:
            yield []
        found += self._peeking(quest, found)
        unseen: list[Departure] = []
        for gone in quest.missing if len(frames) > 1 else ():
            if any(gone.top.shows_same(top) for top in (*quest.known, *(landed.top for landed in found))):
                continue  # else looked for even if its player's hand was not seen: a black glove over a black table
            rest: Sighting | None = None
            for n, found_there in enumerate(self._rests(gone, frames, quest.around_mm)):
                rest = found_there
                if n % AT_A_TIME == 0:
                    yield []
            touch = None if rest is None else self._seen_at_rest(gone, rest, frames, quest)
            if touch is not None:
                found.append(_landed(gone, touch, cover))
            elif gone.sure and gone.player in cover.visits and gone.player != quest.owner and quest.brought(gone):
                unseen.append(gone)
        if len(unseen) == 1 and not any(unseen[0].player in landed.visits for landed in found):
            touch = self._hand_at_rest(unseen[0], frames, quest)
            if touch.at_ns > unseen[0].from_ns:  # else the hand was there before the card left, and has not brought it
                found.append(_landed(unseen[0], touch, cover))
        yield sorted(found, key=lambda landed: landed.touch.at_ns)

    def _glimpsed(self, quest: Quest) -> list[Landed]:
        """Return the cards that were read at rest for one frame, and are not known to lie there anyway."""
        found: list[Landed] = []
        for glimpse in quest.glimpses:
            cover = quest.cover
            told = [cover.top, *quest.known, *(landed.top for landed in found)]
            there = told if glimpse.at_ns >= cover.touch.earliest_ns else told[1:]
            frames = self._ring.between(quest.since_ns - LEAD_NS, glimpse.at_ns)
            lies = any(glimpse.top.shows_same(top) for top in told)
            again = any(glimpse.top.pose.apart_mm(top.pose) < AGAIN_MM for top in there)
            lies = lies or (again and glimpse.top.sure < SURELY_READ)
            if lies or not frames:
                continue
            touch = touch_of(frames, self._ring.window, glimpse.top.pose, self._card_mm, quest.before)
            touch = touch or Touch(glimpse.at_ns, frames[0][0], glimpse.at_ns, False)
            visits = dict.fromkeys(sorted(glimpse.players), touch.at_ns)
            found.append(Landed(cover.pile, touch, glimpse.top, visits, cover.settled_ns, glimpse.players))
        return found

    def _peeking(self, quest: Quest, others: Sequence[Landed]) -> Iterator[Landed]:
        """The cards of which an index shows beside the cover, and did not before it came."""
        if not quest.missing and len(quest.cover.visits) < 2:
            return
        cover, (before, after) = quest.cover, quest.pictures
        told = [cover.top, *quest.known, *(landed.top for landed in others)]
        frames = self._ring.between(quest.since_ns - LEAD_NS, cover.touch.earliest_ns - 1)
        for top in quest.here.finder.beside(after, before, cover.top):
            if top.sure < CERTAIN or any(top.shows_same(other) for other in told):
                continue
            touch = touch_of(frames, self._ring.window, top.pose, self._card_mm, quest.before)
            if touch is None or cover.touch.at_ns - touch.at_ns < COVERED_SOON_NS:  # it was hardly ever seen at rest
                touch = _before(cover, quest.since_ns)
            there = quest.here.presence.at(touch.at_ns)
            players = there - {quest.owner} or there  # nobody lays two cards at once
            visits = dict.fromkeys(sorted(players), touch.at_ns)
            told.append(top)
            yield Landed(cover.pile, touch, top, visits, cover.settled_ns, players)

    def _portrait(self, gone: Departure) -> Portrait:
        scale = self._ring.coarse_patch.px_per_mm
        return portrait(gone.picture, gone.patch, gone.top.pose, self._card_mm, gone.player, scale)

    def _rests(self, gone: Departure, frames: Frames, around_mm: tuple[float, float]) -> Iterator[Sighting | None]:
        """Look for the card frame by frame, from the last one back to when it left its row; yield nothing for each, and
        in the end where it lay still near the pile, if it did.
        """
        patch, scale = self._ring.coarse_patch, self._ring.coarse_patch.px_per_mm
        look_for, later = self._portrait(gone), None
        for n, (at_ns, picture) in reversed(list(enumerate(frames))):
            if not gone.from_ns <= at_ns <= gone.to_ns + CARRY_NS:
                continue
            one = sighting(look_for, n, self._ring.coarse(picture), patch, self._card_mm, scale)
            if one is not None and later is not None:
                seconds = (frames[later.frame][0] - at_ns) / 1e9
                if later.is_near(around_mm, REACH_MM) and later.lay_still_since(one, seconds):
                    yield later
                    return
            later = one or later
            yield None

    def _seen_at_rest(self, gone: Departure, rest: Sighting, frames: Frames, quest: Quest) -> Touch | None:
        """Return the touch of a card that lay still there, if it is neither the cover nor an old card."""
        patch, card_mm, before = self._ring.window, self._card_mm, quest.before
        if share_in_place(frames[rest.frame][1], before, patch, rest.pose, card_mm) > LAY_THERE:
            return None
        if self._lay_there(gone, rest, before) or self._is_another(gone, rest, frames[rest.frame][1]):
            return None
        if self._is_cover(rest, frames, quest.cover):
            return None
        return touch_of(frames[: rest.frame + 1], patch, rest.pose, card_mm, before)

    def _lay_there(self, gone: Departure, rest: Sighting, before: Image) -> bool:
        """Whether the picture from before shows it there just as well: then it is an old card that looks like it."""
        patch, scale = self._ring.coarse_patch, self._ring.coarse_patch.px_per_mm
        then = sighting(self._portrait(gone), rest.frame, self._ring.coarse(before), patch, self._card_mm, scale)
        return then is not None and then.pose.apart_mm(rest.pose) < SAME_MM and then.alike > rest.alike - NEWER

    def _is_another(self, gone: Departure, rest: Sighting, picture: Image) -> bool:
        """Whether the reader clearly names another card there."""
        quad = self._ring.window.to_patch(rest.pose.quad_mm(self._card_mm))
        [reading] = self._reader.read(rectify(picture, quad)[None])
        reading = self._reader.checked(reading, picture, quad)
        return reading.best[1] > ANOTHER and reading.cards.get(gone.top.reading.best[0], 0.0) < NOT_IT

    def _is_cover(self, rest: Sighting, frames: Frames, cover: Landed) -> bool:
        """Whether what rests there is the covering card itself, which looks much like the one that is missing."""
        patch, scale = self._ring.coarse_patch, self._ring.coarse_patch.px_per_mm
        settled = self._ring.between(cover.settled_ns, cover.settled_ns)
        owner: Player = "p1" if cover.touch.far_end <= 0 else "p2"
        if not settled:
            return False
        own = portrait(settled[0][1], self._ring.window, cover.top.pose, self._card_mm, owner, scale)
        same = sighting(own, rest.frame, self._ring.coarse(frames[rest.frame][1]), patch, self._card_mm, scale)
        return same is not None and same.pose.apart_mm(rest.pose) < SAME_MM and same.alike > rest.alike - 0.03

    def _hand_at_rest(self, gone: Departure, frames: Frames, quest: Quest) -> Touch:
        """Return when the hand of the card's player stopped over the pile: the card was hidden at once."""
        side = -1.0 if gone.player == "p1" else 1.0
        pose = Pose(quest.around_mm[0], quest.around_mm[1] + side * (self._card_mm[1] / 2), 0.0)
        touch = touch_of(frames, self._ring.window, pose, HAND_MM, quest.before)
        if touch is None:
            return _before(quest.cover, gone.from_ns)
        at = min(touch.at_ns, quest.cover.touch.at_ns - EARLIER_NS)
        return Touch(at, touch.earliest_ns, max(at, touch.latest_ns), False)


def covered_at_once(gone: Departure, cover: Landed) -> Landed:
    """Return the landing of a card that nobody saw: it touched right before the one that covers it."""
    return _landed(gone, _before(cover, gone.from_ns), cover)


def _before(cover: Landed, from_ns: int) -> Touch:
    """Return the touch of a card that nobody saw, between when it may have come at the soonest and its cover's."""
    latest_ns = cover.touch.at_ns - EARLIER_NS
    at_ns = min(latest_ns, max(from_ns + SOONEST_NS, cover.touch.at_ns - BARE_NS))
    return Touch(at_ns, min(at_ns, from_ns), max(latest_ns, cover.touch.latest_ns), False)


def _landed(gone: Departure, touch: Touch, cover: Landed) -> Landed:
    there = frozenset((gone.player,))
    return Landed(cover.pile, touch, gone.top, {gone.player: touch.at_ns}, cover.settled_ns, there)
