"""A spot is where one stack of cards lies: a pile or a place of a row. It is looked at when it has settled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from hardware.frames import Frame, Image
from hardware.tablefile import Table, rectangle
from hardware.vision.cardfit import Free
from hardware.vision.changes import Change
from hardware.vision.laststill import LastStill
from hardware.vision.looking import Answer, Looking
from hardware.vision.looks import Expected, Look, Settled
from hardware.vision.motion import Hand, Mask, Motion, Zone
from hardware.vision.piles import LEAST_CHANGE_MM2, TopFinder
from hardware.vision.presence import Presence
from hardware.vision.reader import Reader, mean_reading
from hardware.vision.rectify import Patch
from hardware.vision.tops import NOTHING_THERE, SURE_ENOUGH, Top, is_same
from hardware.vision.underhands import UnderHands
from referee.table import Player

CORE_MM: Final = 5.0
"""Nothing may move or lie over a tidy card and so much around it while it is read."""
MOVING_SHARE: Final = 0.012
COVERED_SHARE: Final = 0.02
APPROACH_SHARE: Final = 0.15
"""An arm that reaches a pile covers so much of the strip between the pile and its player's row."""
COVERED_PRINT: Final = 0.5
"""Of a top that lies bare where it lay more than this share of the print shows."""
SCALE: Final = 1.5
"""Pixels a millimetre of the pictures in which cards are looked for."""
KEEP_NS: Final = 2_000_000_000
"""So long the picture of a spot serves that was taken when it was last found bare: light changes slowly."""
BARE_NS: Final = 120_000_000
"""So long a top that was just seen bare under a hand is not asked again."""
MOST_READ_AGAIN: Final = 6
UNSURE: Final = 0.8
"""A card that was read less surely than this may turn out to be another one at a better look."""
SURER: Final = 0.1


class Spot:
    """Watches one spot; `top` is what lay there when it was last settled."""

    def __init__(
        self,
        table: Table,
        motion: Motion,
        reader: Reader,
        centre_mm: tuple[float, float],
        reach_mm: float,
        turned_deg: float,
        is_pile: bool = False,
        approach: Mapping[Player, Zone] | None = None,
    ) -> None:
        width, height = table.card_size_mm
        room = 2 * reach_mm
        self._table = table
        self.centre_mm = centre_mm
        self.zone = motion.zone(rectangle(*centre_mm, width + 0.6 * room, height + 0.6 * room))
        self._core = motion.zone(rectangle(*centre_mm, width + CORE_MM, height + CORE_MM))
        self.patch = Patch.of(table, centre_mm, (width + room + 10.0, height + room + 10.0), SCALE)
        self.finder = TopFinder(self.patch, table.card_size_mm, reader, centre_mm, reach_mm, turned_deg)
        self._is_pile = is_pile
        self._approach = approach or {}
        self._motion = motion
        self.last = LastStill(table, self.patch, self.finder, is_pile)
        self._looking = Looking(self.finder, self.last, is_pile)
        self._under_hands = UnderHands(self.patch, self.finder, self.last, is_pile)
        self.disturbed_ns: int | None = None
        self.looked = False
        """Whether cards were read in the frame that was seen last."""
        self.visits: dict[Player, int] = {}
        self.presence = Presence()
        self._moved_ns = 0
        self._read_again = 0
        self._bare_ns = -BARE_NS
        """When the top was last seen bare, if nothing has moved over it since."""
        self._kept_ns = 0
        """When the picture was last taken of the bare top."""

    @property
    def top(self) -> Top | None:
        return self.last.top

    @property
    def picture(self) -> Image:
        """How it looked when it was last settled: uint8 (height, width, 3), cut by `patch`."""
        return self.last.picture

    @property
    def still(self) -> bool:
        """Whether nothing is or was over it since it was last looked at."""
        return self.disturbed_ns is None

    @property
    def patience(self) -> tuple[bool, int]:
        """How well it can wait: a kept picture best, then what is still for long, least what has just come to rest."""
        return self._looking.has_more or self._under_hands.has_more, -self._moved_ns

    def start(self, image: Image) -> None:
        """Look at the spot as it lies."""
        picture = self.patch.cut(image)
        self.last.keep(picture, self.finder.find(picture, may_lie_across=self._is_pile))

    def take_over(self, other: "Spot") -> None:
        """Go on with what another watch of the same spot knows; its picture is of the table, wherever that lies."""
        self.disturbed_ns, self.visits, self.presence = other.disturbed_ns, other.visits, other.presence
        self.last.keep(other.picture, other.top)

    # -- a frame ----------------------------------------------------------------------------------------------------

    def see(
        self, frame: Frame, hands: Sequence[Hand], may_look: bool = True, expected: Expected = dict
    ) -> Settled | None:
        """Take a frame in; return what is new once the spot lies still after a disturbance.

        `may_look` False: reading has to wait for a later frame. On a pile a new card is also told while a hand still
        rests on it, if it can be read for certain, or is one of those `expected`.
        """
        self.looked, self._looking.expected = False, expected
        over = [hand for hand in hands if self._is_over(hand)]
        if not self._note_hands(frame, over):
            return None
        moving = self._core.share(self._motion.moving) > MOVING_SHARE
        if moving:
            self._moved_ns = frame.at_ns
        covered = any(hand.share_of(self._core) > COVERED_SHARE for hand in over)
        if self._looking.has_more:
            self._looking.disturbed |= moving or covered
            return self._read_on(bool(over)) if may_look else None
        if self._under_hands.has_more:
            return self._read_under_hands(expected) if may_look else None
        if moving:
            self._under_hands.stirred()
            self._bare_ns = -BARE_NS
            return self._interrupted()
        if not may_look or not self._looking.is_due(frame.at_ns):
            return None
        if over and frame.at_ns - self._bare_ns < BARE_NS:
            self.disturbed_ns = frame.at_ns
            return None
        if covered:
            if not self._under_hands.is_due(frame.at_ns):
                return None
            if not self._is_pile or not self.last.shown(frame).bare:
                self._look_under_hands(frame, over)
                return None
        return self._look(frame, bool(over))

    def _note_hands(self, frame: Frame, over: Sequence[Hand]) -> bool:
        """Remember whose hands are over the spot; return whether it is disturbed, by them or by anything that moves."""
        for hand in over:
            self.visits[hand.player] = frame.at_ns
        if over:
            self.presence.hands.append((frame.at_ns, frozenset(hand.player for hand in over)))
        if self.disturbed_ns is None:
            if not over and (not self._motion.moved or self.zone.share(self._motion.moving) <= MOVING_SHARE):
                return False
            self.disturbed_ns = frame.at_ns
        if self._is_pile and self._motion.moved:
            stirs = {player: zone.share(self._motion.moving) for player, zone in self._approach.items()}
            self.presence.stirs.append((frame.at_ns, stirs))
        return True

    def _is_over(self, hand: Hand) -> bool:
        """Whether a hand covers a part of the spot and crosses the strip before it, as no new card does."""
        if hand.share_of(self.zone) <= COVERED_SHARE:
            return False
        return hand.player not in self._approach or hand.share_of(self._approach[hand.player]) > APPROACH_SHARE

    def _moves(self, moving: Mask, top: Top) -> bool:
        """Whether what was taken for a lying card was on its way when these cells moved."""
        if not self.zone.share(moving):
            return False
        return self._motion.zone(top.pose.quad_mm(self._table.card_size_mm)).share(moving) > MOVING_SHARE

    # -- looks ------------------------------------------------------------------------------------------------------

    def _look_under_hands(self, frame: Frame, over: Sequence[Hand]) -> None:
        free = self._under_hands.look(frame, over)
        self.looked = free is not None or self._under_hands.has_more
        if free is not None:
            self._looking.take_free(free)

    def _read_under_hands(self, expected: Expected) -> Settled | None:
        self.looked = True
        new = self._under_hands.read(expected)
        return None if new is None else self._settled(new.at_ns, new.picture, new.top, new.free)

    def _look(self, frame: Frame, hand_near: bool) -> Settled | None:
        """Look at the spot as it lies free, again in the next frames if it does not convince."""
        shown = self.last.shown(frame)
        if shown.bare:
            self._looking.forget()
            return None if self._is_better(frame) else self._still_bare(frame, hand_near)
        picture = self.patch.cut(frame.image)
        changed = self.last.changed(picture)
        if self._is_still_empty(changed):
            self._looking.forget()
            return self._still_bare(frame, hand_near)
        if changed.area_mm2 < LEAST_CHANGE_MM2:
            self._looking.forget()
            return self._at_rest(self._settled(frame.at_ns, picture, self.top), hand_near)
        self.looked = True
        covered = shown.share < COVERED_PRINT and not self.last.shows_free_end(frame.image)
        last_visit_ns = max(self.visits.values(), default=0)
        look = Look(frame.at_ns, picture.copy(), covered, None)
        moves = partial(self._moves, self._motion.moving.copy())
        answer = self._looking.look(look, changed, moves, last_visit_ns, hand_near)
        return None if answer is None else self._answered(answer, hand_near)

    def _is_still_empty(self, changed: Change) -> bool:
        """Whether a place of a row had no card and nothing changed where one would lie, only round about."""
        if self._is_pile or self.top is not None:
            return False
        return changed.area_in_mm2(rectangle(*self.centre_mm, *self._table.card_size_mm)) < LEAST_CHANGE_MM2

    def _read_on(self, hand_near: bool) -> Settled | None:
        """Do the next bit of reading the look that counts; return what is new when it is done."""
        self.looked = True
        answer = self._looking.go_on()
        return None if answer is None else self._answered(answer, hand_near)

    def _interrupted(self) -> Settled | None:
        """Something comes over the spot again: what was read so far counts."""
        answer = self._looking.interrupt()
        self.looked = answer is not None or self._looking.has_more
        return None if answer is None else self._answered(answer, hand_near=True)

    def _is_better(self, frame: Frame) -> bool:
        """Look once more for a card that was not read surely, now that it lies bare: whether it is surer now."""
        if not self._is_pile or self.top is None or self.top.sure > UNSURE or self._read_again:
            return False
        self.looked, self._read_again = True, self._read_again + 1
        picture = self.patch.cut(frame.image)
        found = self.finder.search(picture, None)
        if found is None or found.top.sure < self.top.sure + SURER:
            return False
        self._looking.read(Look(frame.at_ns, picture.copy(), False, found))
        return True

    def read_again(self, image: Image) -> bool:
        """Read a card that was not read surely and lies still once more; return whether it was.

        Each look has its own noise: the mean of a few is better than any of them.
        """
        top = self.top
        if top is None or not self.still or top.sure > SURE_ENOUGH or self._read_again >= MOST_READ_AGAIN:
            return False
        self._read_again += 1
        reading = self.finder.again(self.patch.cut(image), top)
        if reading.nothing < NOTHING_THERE:
            shares = [top.reading] * self._read_again
            self.last.top = replace(top, reading=mean_reading([*shares, reading]))
        return True

    # -- at rest ----------------------------------------------------------------------------------------------------

    def _answered(self, answer: Answer, hand_near: bool) -> Settled | None:
        if answer.as_before:
            self._nothing_new(answer.look.at_ns)
            return None
        if answer.moved and answer.top is None:
            return None
        seen = self._settled(answer.look.at_ns, answer.look.picture, answer.top)
        return seen if answer.moved else self._at_rest(seen, hand_near)

    def _still_bare(self, frame: Frame, hand_near: bool) -> Settled | None:
        """Nothing has happened here so far. While a hand is near, the picture of the spot is left as it was."""
        self._nothing_new(frame.at_ns)
        if hand_near:
            return None
        is_fresh = self.last.free == "whole" and frame.at_ns - self._kept_ns < KEEP_NS
        seen = self._settled(frame.at_ns, self.picture, self.top)
        if not is_fresh:
            self.last.renew(self.patch.cut(frame.image))
            self._kept_ns = frame.at_ns
        return self._at_rest(seen, hand_near)

    def _nothing_new(self, at_ns: int) -> None:
        self._under_hands.forget()
        self._looking.settled()
        self.disturbed_ns = self._bare_ns = at_ns

    def _at_rest(self, seen: Settled, hand_near: bool) -> Settled:
        """The spot lies free and still: this is how it looks from now on, unless a hand is still near."""
        self._motion.accept(self._core if hand_near else self.zone)
        if not hand_near:
            self.disturbed_ns = None
            self.visits.clear()
        return seen

    def _settled(self, at_ns: int, picture: Image, now: Top | None, free: Free = "whole") -> Settled:
        assert self.disturbed_ns is not None
        visits = {player: last for player, last in self.visits.items() if last >= self.disturbed_ns}
        glimpses = self._under_hands.glimpses(picture)
        same = free == "whole" and self.last.is_same_card(picture)
        if (
            same
            and self.top is not None
            and now is not None
            and now.sure < self.top.sure
            and not now.shows_same(self.top)
        ):
            now = self.top  # its print shows as it did: what names it otherwise was misread
        seen = Settled(self.disturbed_ns, at_ns, visits, self.top, self.picture, now, picture, glimpses, same)
        if now is None or self.top is None or not is_same(now, self.top):
            self._read_again = 0
        self.last.keep(picture, now, free)
        self._looking.settled()
        self.disturbed_ns = at_ns
        return seen
