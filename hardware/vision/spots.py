"""A spot is where one stack of cards lies: a pile or a place of a row. It is looked at when it has settled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from hardware.frames import Frame, Image
from hardware.tablefile import Table, rectangle
from hardware.vision.cardfit import Free
from hardware.vision.changes import Change
from hardware.vision.likeness import Likeness, Shown
from hardware.vision.looks import (
    CERTAIN,
    FREE_END,
    LIKELY,
    Choice,
    Expected,
    Glimpse,
    Look,
    Settled,
    Under,
    as_agreed,
    is_nothing,
    is_read,
    is_sure,
    is_sure_enough,
    worth_of,
)
from hardware.vision.motion import Hand, Motion, Zone
from hardware.vision.piles import (
    FOUR_SIDES,
    LEAST_CHANGE_MM2,
    LEAST_EDGES,
    LEAST_WORTH,
    MOST_READ_AT_FIRST,
    NOTHING_THERE,
    SAME_PLACE_MM,
    SURE_ENOUGH,
    Face,
    Finding,
    Reader,
    Top,
    TopFinder,
    is_same,
    mean_reading,
)
from hardware.vision.presence import Presence
from hardware.vision.rectify import Patch
from referee.table import Player

PEEK_NS: Final = 120_000_000
"""Pause between looks under a hand that rests."""
ROW_PEEK_NS: Final = 400_000_000
"""The same for a place of a row."""
HALF_SHOWN: Final = 0.4
"""A place of a row that shows so much of its card's print still has that card on top."""
EXPECTED: Final = 0.85
GLIMPSED: Final = 0.8
UNMOVED: Final = 0.8
"""Correlation from which the free end of a card shows the same as before."""
LEAST_NEW_MM2: Final = 500.0
"""A new card that is not yet free of the hand changes at least so much."""
CLEAR_EDGES: Final = 0.3
"""From here on the edges of a card in a row leave no doubt where it lies."""
MOST_EXPECTED: Final = 5
"""So many cards of the rows are looked for by their print."""
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
MOST_IN_VAIN: Final = 4
"""So often a spot where nothing can be read is looked at again a little later, before it counts as unread or bare."""
EMPTY_NS: Final = 250_000_000
"""So long a place must show no card after a hand was there, before it is empty."""
VISITED_NS: Final = 600_000_000
MOST_READ_AGAIN: Final = 6
UNSURE: Final = 0.8
"""A card that was read less surely than this may turn out to be another one at a better look."""
SURER: Final = 0.1
MOST_LOOKS: Final = 3
"""So many frames are looked at before an unsure reading is taken as it is."""


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
        peeks: bool = False,
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
        self._peeks = peeks
        self._approach = approach or {}
        self._motion = motion
        self.top: Top | None = None
        self.picture: Image = self.patch.picture.copy()
        self._likeness: Likeness | None = None
        self.disturbed_ns: int | None = None
        self.looked = False
        """Whether cards were read in the frame that was seen last."""
        self.visits: dict[Player, int] = {}
        self.presence = Presence()
        self._looks: list[Look] = []
        self._choice: Choice | None = None
        self._under: Under | None = None
        self._asked = False
        """Whether the first look was for cards that are expected."""
        self._glimpse: Finding | None = None
        self._glimpses: list[Glimpse] = []
        self._free: Free = "whole"
        """The end of the top that was free when it was read."""
        self.known: Sequence[Top] = ()
        """Cards that are known to lie below the top: under a hand none of them is taken for a new one."""
        self._expected: Expected = dict
        self._peeked_ns = self._moved_ns = 0
        self._peeks_done = 0
        self._read_again = 0
        self._bare_ns = -PEEK_NS
        """When the top was last seen bare, if nothing has moved over it since."""
        self._wait_until_ns = 0
        self._in_vain = 0
        self.share = 0.0
        """Which share of the top's print showed in its place when it was last asked for."""
        self.shown_ns = -PEEK_NS
        """When that was."""
        self._kept_ns = 0
        """When the picture was last taken of the bare top."""

    @property
    def still(self) -> bool:
        """Whether nothing is or was over it since it was last looked at."""
        return self.disturbed_ns is None

    @property
    def patience(self) -> tuple[bool, int]:
        """How well it can wait: a kept picture best, then what is still for long, least what has just come to rest."""
        return self._choice is not None or self._under is not None, -self._moved_ns

    def start(self, image: Image) -> None:
        """Look at the spot as it lies."""
        self._keep(self.patch.cut(image))
        self.top = self.finder.find(self.picture, may_lie_across=self._peeks)

    def take_over(self, other: "Spot") -> None:
        """Go on with what another watch of the same spot knows; its picture is of the table, wherever that lies."""
        self.top, self.disturbed_ns = other.top, other.disturbed_ns
        self._keep(other.picture)

    def read_again(self, image: Image) -> bool:
        """Read a card that was not read surely and lies still once more; return whether it was.

        Each look has its own noise: the mean of a few is better than any of them.
        """
        if self.top is None or not self.still or self.top.sure > SURE_ENOUGH or self._read_again >= MOST_READ_AGAIN:
            return False
        self._read_again += 1
        reading = self.finder.again(self.patch.cut(image), self.top)
        if reading.nothing < NOTHING_THERE:
            shares = [self.top.reading] * self._read_again
            self.top = replace(self.top, reading=mean_reading([*shares, reading]))
        return True

    def see(
        self, frame: Frame, hands: Sequence[Hand], may_look: bool = True, expected: Expected = dict
    ) -> Settled | None:
        """Take a frame in; return what is new once the spot lies still after a disturbance.

        `may_look` False: reading has to wait for a later frame. Where `peeks`, a new card is also told while a hand
        still rests on it, if it can be read for certain, or is one of those `expected`.
        """
        self.looked, self._expected = False, expected
        over = [hand for hand in hands if self._is_over(hand)]
        for hand in over:
            self.visits[hand.player] = frame.at_ns
        if over:
            self.presence.hands.append((frame.at_ns, frozenset(hand.player for hand in over)))
        if self.disturbed_ns is None:
            if not over and (not self._motion.moved or self.zone.share(self._motion.moving) <= MOVING_SHARE):
                return None
            self.disturbed_ns = frame.at_ns
        if self._peeks and self._motion.moved:
            stirs = {player: zone.share(self._motion.moving) for player, zone in self._approach.items()}
            self.presence.stirs.append((frame.at_ns, stirs))
        moving = self._core.share(self._motion.moving) > MOVING_SHARE
        if moving:
            self._moved_ns = frame.at_ns
        if self._choice is not None:
            self._choice.moved |= moving or any(hand.share_of(self._core) > COVERED_SHARE for hand in over)
            return self._read_choice(self._choice, bool(over)) if may_look else None
        if self._under is not None:
            return self._read_under(self._under) if may_look else None
        if moving:
            self._peeked_ns, self._peeks_done, self._bare_ns, self._glimpse = 0, 0, -PEEK_NS, None
            return self._conclude_if_read()
        if not may_look or frame.at_ns < self._wait_until_ns:
            return None
        if over and frame.at_ns - self._bare_ns < PEEK_NS:
            self.disturbed_ns = frame.at_ns
            return None
        if any(hand.share_of(self._core) > COVERED_SHARE for hand in over):
            if frame.at_ns - self._peeked_ns < (PEEK_NS if self._peeks else ROW_PEEK_NS):
                return None
            if not self._peeks or not self._shown(frame).bare:
                return self._peek(frame, over)
        return self._look(frame, bool(over))

    def _is_over(self, hand: Hand) -> bool:
        """Whether a hand covers a part of the spot and crosses the strip before it, as no new card does."""
        if hand.share_of(self.zone) <= COVERED_SHARE:
            return False
        return hand.player not in self._approach or hand.share_of(self._approach[hand.player]) > APPROACH_SHARE

    def _peek(self, frame: Frame, over: Sequence[Hand]) -> Settled | None:
        """Look under a resting hand: only a certain new card counts, if two looks agree, or one that is expected."""
        ends = self._free_ends(over)
        bare = self._is_bare_at(frame.image, ends) if self._peeks else self.shows(frame) > HALF_SHOWN
        if self._glimpse is None and bare:
            self._peeked_ns = frame.at_ns
            return None
        picture = self.patch.cut(frame.image)
        if self._changed(picture).area_mm2 < LEAST_NEW_MM2:
            self._peeked_ns = frame.at_ns
            return None
        self.looked = True
        near = None if self._peeks or self.top is None else self.top.pose
        rough = self.finder.rough(picture, ends if self._glimpse is None else (), near)
        free = self.finder.free(picture, rough)
        if free is not None and free.top.sure > GLIMPSED:
            self._look_at(frame, picture, free)
            return None
        self._under = Under(frame.at_ns, picture.copy(), rough, frozenset(hand.player for hand in over))
        return None

    def _read_under(self, under: Under) -> Settled | None:
        """Read what showed under a hand one frame ago."""
        self.looked, self._under, self._peeked_ns = True, None, under.at_ns
        glimpse, self._glimpse = self._glimpse, None
        found = self.finder.under_hands(under.picture, self.picture, under.rough, glimpse)
        if found is None or found.worth < LEAST_WORTH or any(found.top.shows_same(old) for old in self._lying()):
            return None
        read = found.top.reading.best[1] if self._peeks else found.top.sure
        again = glimpse is not None and found.top.shows_same(glimpse.top) and read > CERTAIN
        again = again or (not self._peeks and read > SURE_ENOUGH and found.edges > CLEAR_EDGES)
        if again or self._is_known(found):
            self._glimpses = [one for one in self._glimpses if not one.top.shows_same(found.top)]
            now = self.finder.sharpened(under.picture, found)
            return self._settled(under.at_ns, under.picture, now, found.free)
        if read > GLIMPSED:
            self._remember(Glimpse(under.at_ns, found.top, found.free, under.players, under.picture))
        if read > CERTAIN:
            self._glimpse, self._peeked_ns = found, 0
        return None

    def _free_ends(self, over: Sequence[Hand]) -> list[Free]:
        """Return which ends of a card the hands over it leave free; every other time both of a pile's card.

        A glove that looks like the table is no hand that could be seen.
        """
        if self._glimpse is None:
            self._peeks_done += 1
        if self._peeks and self._peeks_done % 2 == 0:
            return ["upper", "lower"]
        return [FREE_END[player] for player in sorted({hand.player for hand in over})]

    def _look_at(self, frame: Frame, picture: Image, free: Finding) -> None:
        """Take a card that lies free, though a hand seems to be over it: it only hangs together with the hand."""
        self._looks.append(Look(frame.at_ns, picture.copy(), True, free))
        if free.top.sure > SURE_ENOUGH or len(self._looks) >= MOST_LOOKS:
            self._choice = Choice(self._best_look())

    def _remember(self, glimpse: Glimpse) -> None:
        """Keep a glimpse; of two of one card the surer one."""
        last = self._glimpses[-1] if self._glimpses else None
        if last is None or last.top.pose.apart_mm(glimpse.top.pose) > SAME_PLACE_MM:
            self._glimpses.append(glimpse)
        elif glimpse.top.sure > last.top.sure:
            self._glimpses[-1] = glimpse

    def _lying(self) -> Sequence[Top]:
        return self.known if self.top is None else (*self.known, self.top)

    def _look(self, frame: Frame, hand_near: bool) -> Settled | None:
        """Look at the spot as it lies free, again in the next frames if it does not convince."""
        bare, share = self._shown(frame)
        if bare:
            self._looks.clear()
            return None if self._is_better(frame) else self._still_bare(frame, hand_near)
        picture = self.patch.cut(frame.image)
        changed = self._changed(picture)
        if changed.area_mm2 < LEAST_CHANGE_MM2:
            self._looks.clear()
            return self._at_rest(self._settled(frame.at_ns, picture, self.top), hand_near)
        self.looked = True
        covered = share < COVERED_PRINT and not self._shows_free_end(frame.image)
        found = self._found(picture, changed, covered)
        agreed = found is not None and any(self._agree(found, look.found) for look in self._looks)
        as_before = found is not None and self._is_as_before(found, covered)
        if as_before and hand_near and not covered and not self._peeks:
            self._looks.clear()
            return self._still_bare(frame, hand_near)
        self._looks.append(Look(frame.at_ns, picture.copy(), covered, found))
        if found is not None and self._moves(found.top):
            self._looks.clear()
            return None
        convinces = found is not None and found.convinces and (covered or found.edges > LEAST_EDGES)
        if found is not None and (convinces or agreed or (as_before and self._shows_whole(found))):
            if self._peeks and found.top.sure > SURE_ENOUGH:
                return self._at_rest(self._conclude(), hand_near)
            self._choice = Choice(self._best_look())
            return None
        if self._is_empty_place():
            last_ns = max(self.visits.values(), default=0)  # a sleeve that looks like the table may still lie over it
            if frame.at_ns < min(self._looks[0].at_ns + EMPTY_NS, last_ns + VISITED_NS):
                del self._looks[1:]
                return None
            return self._at_rest(self._conclude(), hand_near)
        if len(self._looks) < MOST_LOOKS + self._asked:
            return None
        if self._in_vain < MOST_IN_VAIN and not any(is_read(look.found) for look in self._looks):
            self._in_vain += 1
            self._wait_until_ns = frame.at_ns + PEEK_NS
            self._looks.clear()
            return None
        others = [look.found for look in self._looks if look.found is not None]
        self._choice = Choice(self._best_look(), others=others)
        return None

    def _is_empty_place(self) -> bool:
        """Whether a place of a row clearly shows no card, neither where one lay nor anywhere near."""
        return not self._peeks and len(self._looks) > 1 and all(is_nothing(look.found) for look in self._looks)

    def _read_choice(self, choice: Choice, hand_near: bool) -> Settled | None:
        """Do the next bit of reading the look that counts; return what is new when it is done."""
        self.looked = True
        look = choice.look
        if not choice.searched and self._is_unsure(look):
            choice.look, choice.searched = self._searched_well(look), True
            return None
        known = look.found is not None and self._is_known(look.found)
        if look.found is not None and not known and not choice.surer and look.found.top.sure <= SURE_ENOUGH:
            choice.look = replace(look, found=self.finder.surer(look.picture, look.found))
            choice.surer = True
            return None
        self._choice = None
        now = None if look.found is None else self.finder.refined(look.picture, look.found, known)
        now = None if now is None else as_agreed(now, choice.others)
        top = self._top_of(look, now)
        if choice.moved and top is None:
            return None  # no card in view does not mean that none lies there
        seen = self._settled(look.at_ns, look.picture, top)
        return seen if choice.moved else self._at_rest(seen, hand_near)

    def _faces(self) -> list[Face]:
        """Return the cards that left a row of late, those that seem to lie here already last: they are looked for by
        their own print, white on white shows no edges.
        """
        lying = self._lying()
        faces = [face for face in self._expected().values() if face.top.reading.face_down < 0.5]
        faces.sort(key=lambda face: any(face.top.shows_same(top) for top in lying))
        return faces[:MOST_EXPECTED]

    def shows(self, frame: Frame) -> float:
        """Return the share of the top's print that shows in its place: a hand or another card may cover the rest.

        Of a card that was read under a hand only the end counts that was free then.
        """
        self._shown(frame)
        return self.share

    def _shown(self, frame: Frame) -> Shown:
        """Return what shows of the top in its place, and whether it lies bare, no card on it or beside it."""
        likeness = self._like_before()
        shown = Shown(False, 0.0) if likeness is None else likeness.shown(frame.image)
        self.share, self.shown_ns = shown.share, frame.at_ns
        if likeness is not None and self._free != "whole":
            self.share = likeness.share(frame.image, self._free == "upper")
        return shown

    def _is_bare_at(self, image: Image, ends: Sequence[Free]) -> bool:
        """Whether the top still shows at the ends that hands leave free: no card was laid on it."""
        likeness = self._like_before()
        return likeness is not None and all(likeness.is_bare_at(image, end == "upper") for end in ends)

    def _still_bare(self, frame: Frame, hand_near: bool) -> Settled | None:
        """Nothing has happened here so far. While a hand is near, the picture of the spot is left as it was."""
        self._glimpses.clear()
        self.disturbed_ns = self._bare_ns = frame.at_ns
        self._in_vain = 0
        if hand_near:
            return None
        if self._free == "whole" and frame.at_ns - self._kept_ns < KEEP_NS:
            return self._at_rest(self._settled(frame.at_ns, self.picture, self.top), hand_near)
        likeness = self._likeness
        seen = self._settled(frame.at_ns, self.patch.cut(frame.image), self.top)
        self._likeness, self._kept_ns = likeness, frame.at_ns
        return self._at_rest(seen, hand_near)

    def _shows_free_end(self, image: Image) -> bool:
        """Whether the end of the top that was free when it was read under a hand still shows."""
        return self._free != "whole" and self._is_bare_at(image, [self._free])

    def _is_better(self, frame: Frame) -> bool:
        """Look once more for a card that was not read surely, a few times: whether it is surer now."""
        if not self._peeks or self.top is None or self.top.sure > UNSURE or self._read_again >= MOST_READ_AGAIN:
            return False
        self.looked, self._read_again = True, self._read_again + 1
        picture = self.patch.cut(frame.image)
        found = self.finder.search(picture, None)
        if found is None or found.top.sure < self.top.sure + SURER:
            return False
        self._choice = Choice(Look(frame.at_ns, picture.copy(), False, found), searched=True)
        return True

    def _like_before(self) -> Likeness | None:
        if self._likeness is None and self.top is not None:
            quad_mm = self.top.pose.quad_mm(self._table.card_size_mm)
            quad, quad_px = self.patch.to_patch(quad_mm), self._table.to_px(quad_mm)
            self._likeness = Likeness(self._table.card_size_mm, self.picture, quad, quad_px)
        return self._likeness

    def _changed(self, picture: Image) -> Change:
        """Return where a picture differs from the last settled one."""
        return Change.between(picture, self.picture, self.patch)

    def _moves(self, top: Top) -> bool:
        """Whether what was taken for a lying card is on its way."""
        place = self._motion.zone(top.pose.quad_mm(self._table.card_size_mm))
        return place.share(self._motion.moving) > MOVING_SHARE

    def _found(self, picture: Image, changed: Change, is_covered: bool) -> Finding | None:
        """Look for what is expected and where a card is likely; if that is not sure, next time everywhere, then for one
        that lies across.
        """
        covered = self.top if is_covered else None
        main = changed.biggest()
        if not self._looks:
            same = self._same_again(picture, main) if covered is None else None
            faces = self._faces() if same is None else []
            self._asked = bool(faces)
            if same is not None or faces:
                found = same or self.finder.like(picture, faces)
                return found if is_read(found) else None
        sure = any(self._is_answer(look) for look in self._looks)
        tried = len(self._looks) - self._asked
        if not sure and (tried == 1 or (tried == 2 and self._peeks)):
            return self.finder.search(picture, main, sideways=tried == 2, covered=covered)
        seen = [look.found for look in self._looks if look.found is not None]
        if sure:
            again = [found.top.pose for found in seen if is_sure(found)][-1:]
            return self.finder.glance(picture, main, again, covered, fill=False)
        near = [found.top.pose for found in seen][-2:]
        near += [self.top.pose] if self.top is not None and not near else []
        return self.finder.glance(picture, main, near, covered)

    def _same_again(self, picture: Image, main: Change) -> Finding | None:
        """Return the card that was read under a hand, if it surely lies there still."""
        if self.top is None or self._free == "whole":
            return None
        found = self.finder.glance(picture, main, [self.top.pose], fill=False)
        return found if found is not None and self._is_as_before(found, covered=False) else None

    def _agree(self, found: Finding, earlier: Finding | None) -> bool:
        """Whether two looks surely show the same new card: the old one may be what another leaves free of it."""
        if earlier is None or not (is_sure(found) and is_sure(earlier) and is_same(found.top, earlier.top)):
            return False
        return self.top is None or not is_same(found.top, self.top)

    def _is_as_before(self, found: Finding, covered: bool) -> bool:
        """Whether a look surely shows the card that lay there before.

        In a row, where nobody lays a card on another one, it may have been moved.
        """
        if self.top is None or not is_sure(found):
            return False
        return is_same(found.top, self.top) and not (covered and self._peeks)

    def _shows_whole(self, found: Finding) -> bool:
        """Whether nothing lies on a card that was found before: all its sides show, or no card can lie there, or a hand
        left it under which it was read.
        """
        return found.edges > FOUR_SIDES or not self._peeks or self._free != "whole"

    def _is_answer(self, look: Look) -> bool:
        """Whether a look shows a card for certain, and not what another one leaves free of the old top."""
        if look.found is None or not is_sure(look.found):
            return False
        return not look.covered or self.top is None or not is_same(look.found.top, self.top)

    def _conclude_if_read(self) -> Settled | None:
        """Something comes over the spot again: what was read so far counts, what was not is left for later."""
        faces = [look.found for look in self._looks if not self._is_back(look.found)]
        if any(is_sure_enough(found) for found in faces):
            look, top = self._concluded()  # no card in view does not mean that none lies there
            return None if top is None else self._settled(look.at_ns, look.picture, top)
        if any(is_read(found) for found in faces):
            self._choice = Choice(self._best_look(), moved=True)
        self._looks.clear()
        return None

    def _is_back(self, found: Finding | None) -> bool:
        """Whether a pile seems to show a back, as the picture of a hand over it may."""
        return self._peeks and found is not None and found.top.reading.face_down > LIKELY

    def _conclude(self) -> Settled:
        """Take the best of the looks."""
        look, top = self._concluded()
        return self._settled(look.at_ns, look.picture, top)

    def _concluded(self) -> tuple[Look, Top | None]:
        """Return the best of the looks, and the card on top in it. If there was only time for a glance, search now."""
        self.looked = True
        last = self._looks[-1]
        if len(self._looks) == 1 and not (self._is_answer(last) or (last.found is not None and last.found.convinces)):
            changed = self._changed(last.picture)
            found = self._found(last.picture, changed, last.covered)
            self._looks.append(Look(last.at_ns, last.picture, last.covered, found))
        best = self._best_look()
        if self._is_unsure(best):
            best = self._searched_well(best)
        now = None if best.found is None else self.finder.sharpened(best.picture, best.found)
        return best, self._top_of(best, now)

    def _best_look(self) -> Look:
        best = max(self._looks, key=worth_of)
        self._looks.clear()
        return best

    def _is_unsure(self, look: Look) -> bool:
        if look.found is None:
            return self._peeks
        return self._peeks and not self._is_known(look.found) and look.found.top.sure < CERTAIN

    def _is_known(self, found: Finding) -> bool:
        """Whether what was found is one of the cards that may have come here: then it need not be read so surely."""
        card, read = found.top.reading.best
        return read > EXPECTED and card in self._expected()

    def _searched_well(self, look: Look) -> Look:
        """Search the picture of a look at more places: white on white, the right one is not the likeliest."""
        main = self._changed(look.picture).biggest()
        covered = self.top if look.covered else None
        found = self.finder.search(look.picture, main, most=MOST_READ_AT_FIRST, covered=covered)
        return max(look, replace(look, found=found), key=worth_of)

    def _top_of(self, look: Look, now: Top | None) -> Top | None:
        """Return what lies on top after a look; the old top where nothing better was read and its print still shows."""
        vague = now is None or now.sure < LIKELY or look.found is None or look.found.edges < LEAST_EDGES
        return self.top if vague and not look.covered else now

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
        glimpses, self._glimpses = tuple(one for one in self._glimpses if not self._shows(one, picture)), []
        same = free == "whole" and self._is_same_card(picture)
        seen = Settled(self.disturbed_ns, at_ns, visits, self.top, self.picture.copy(), now, glimpses, same)
        self._free, self._read_again = free, 0
        self._keep(picture)
        self.top = now
        self.disturbed_ns = at_ns
        self._in_vain = 0
        return seen

    def _shows(self, glimpse: Glimpse, picture: Image) -> bool:
        """Whether the card of a glimpse still lies there bare: then it is not one that was covered."""
        return self.finder.alike(picture, glimpse.picture, glimpse.top.pose, glimpse.free) > UNMOVED

    def _is_same_card(self, picture: Image) -> bool:
        """Whether the card that was read under a hand shows as it did then, at the end that was free."""
        if self.top is None or self._free == "whole":
            return False
        return self.finder.alike(picture, self.picture, self.top.pose, self._free) > UNMOVED

    def _keep(self, picture: Image) -> None:
        if picture is not self.picture:
            self.picture[:] = picture
            self._likeness = None
