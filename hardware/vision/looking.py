"""Looks at a spot that lies free, frame by frame, until it is known what lies there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hardware.frames import Image
from hardware.vision.changes import Change
from hardware.vision.laststill import LastStill
from hardware.vision.looks import (
    CERTAIN,
    LIKELY,
    Expected,
    Look,
    as_agreed,
    is_expected,
    is_nothing,
    is_read,
    is_sure,
    likely_faces,
    worth_of,
)
from hardware.vision.piles import MOST_READ_AT_FIRST, SURELY_IT, TopFinder
from hardware.vision.steps import Steps, at_once
from hardware.vision.tops import FOUR_SIDES, LEAST_EDGES, SURE_ENOUGH, Finding, Top, is_same

MOST_LOOKS: Final = 3
"""So many frames are looked at before an unsure reading is taken as it is."""
MOST_IN_VAIN: Final = 4
"""So often a spot where nothing can be read is looked at again a little later, before it counts as unread or bare."""
MOST_AT_FIRST: Final = 2
"""So many of the likeliest cards are looked for by their print before the indices are: it costs a fifth."""
LATER_NS: Final = 120_000_000
"""So much later."""
EMPTY_NS: Final = 250_000_000
"""So long a place must show no card after a hand was there, before it is empty."""
VISITED_NS: Final = 600_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What lies on top, by the look that counts."""

    look: Look
    top: Top | None
    moved: bool = False
    """Whether no card in view does not mean that none lies there: something came over the spot again since, or what was
    read is a back, and none lands on a pile.
    """
    as_before: bool = False
    """Whether, with a hand near, the card surely shows that lay there before: nothing has happened."""


class Looking:
    """The looks at one spot since something was over it last, and the reading of the one that counts."""

    def __init__(self, finder: TopFinder, still: LastStill, is_pile: bool) -> None:
        self._finder, self._still, self._is_pile = finder, still, is_pile
        self._looks: list[Look] = []
        self._work: Steps[Answer | None] | None = None
        self.expected: Expected = dict
        self.disturbed = False
        """Whether anything came over the spot again since the picture was taken that is being read."""
        self._asked = False
        """Whether the first look was for cards that are expected."""
        self._indexed: Image | None = None
        """The picture in which indices were looked for last."""
        self._in_vain = 0
        self._wait_until_ns = 0

    @property
    def has_more(self) -> bool:
        """Whether a picture is being read."""
        return self._work is not None

    def is_due(self, at_ns: int) -> bool:
        """Whether it is time for another look."""
        return at_ns >= self._wait_until_ns

    def forget(self) -> None:
        """Drop the looks: the spot lies as it did before, or not still after all."""
        self._looks.clear()

    def settled(self) -> None:
        """It is known what lies here: looks in vain are counted afresh."""
        self._in_vain = 0

    # -- bit by bit -------------------------------------------------------------------------------------------------

    def look(
        self, look: Look, changed: Change, moves: Callable[[Top], bool], last_visit_ns: int, hand_near: bool
    ) -> Answer | None:
        """Take one more look, in which nothing is found yet; return the answer if it is known at once.

        `moves`: whether a card was on its way then; `last_visit_ns`: when a hand was over the spot last; `hand_near`:
        whether one still was.
        """
        self._start(self._looked(look, changed.biggest(), moves, last_visit_ns, hand_near))
        return self.go_on()

    def read(self, look: Look) -> None:
        """Let this look be the one that counts."""
        self._start(self._sharpened(look))

    def take_free(self, look: Look) -> None:
        """Take a card that lies free beside or under a hand."""
        assert look.found is not None
        self._looks.append(look)
        if look.found.top.sure > SURE_ENOUGH or len(self._looks) >= MOST_LOOKS:
            self._start(self._read(self._best_look()))

    def interrupt(self) -> Answer | None:
        """Something comes over the spot again: what was read so far counts, what was not is left for later."""
        if not self._looks:
            return None
        self._start(self._interrupted())
        self.disturbed = True
        return self.go_on()

    def go_on(self) -> Answer | None:
        """Do the next bit of reading a picture; return the answer when it is done, if there is one."""
        assert self._work is not None
        try:
            next(self._work)
            return None
        except StopIteration as done:
            answer: Answer | None = done.value
        self._work = None
        return None if answer is None else replace(answer, moved=answer.moved or self.disturbed)

    def _start(self, work: Steps[Answer | None]) -> None:
        self._work, self.disturbed = work, False

    # -- looking ----------------------------------------------------------------------------------------------------

    def _looked(
        self, look: Look, main: Change, moves: Callable[[Top], bool], last_visit_ns: int, hand_near: bool
    ) -> Steps[Answer | None]:
        """Find what the picture shows; read it once the looks convince or are enough."""
        found = yield from self._found(look.picture, main, self._still.top if look.covered else None)
        look = replace(look, found=found)
        if hand_near and not self._is_pile and not look.covered and self._is_as_before(found, is_covered=False):
            self._looks.clear()
            return Answer(look, self._still.top, as_before=True)
        agreed = found is not None and any(self._agree(found, other.found) for other in self._looks)
        self._looks.append(look)
        if found is not None and moves(found.top):
            self._looks.clear()
            return None
        if found is not None and (agreed or self._is_convincing(found, look.covered)):
            if not self._is_pile or found.top.sure <= SURE_ENOUGH:
                yield
            return (yield from self._read(self._best_look()))
        elif self._is_empty_place():
            # a sleeve that looks like the table may still lie over it
            empty_ns = min(self._looks[0].at_ns + EMPTY_NS, last_visit_ns + VISITED_NS)
            if look.at_ns >= empty_ns:
                return (yield from self._read(self._best_look()))
            self._wait_until_ns = empty_ns
            del self._looks[1:]
        elif len(self._looks) >= MOST_LOOKS + self._asked:
            return (yield from self._enough(look.at_ns))
        return (yield from self._interrupted()) if self.disturbed else None

    def _found(self, picture: Image, main: Change, covered: Top | None) -> Steps[Finding | None]:
        """Look for what is expected and where a card is likely; if that is not sure, next time everywhere, then for one
        that lies across.

        `covered`: the card that lay here before, if it does not show any more.
        """
        if not self._looks:
            same = self._same_again(picture, main) if covered is None else None
            faces = likely_faces(self.expected, self._still.lying) if same is None else []
            places = self._finder.alike_places(picture, faces[:MOST_AT_FIRST])
            if same is None and self._is_pile:
                same = at_once(self._finder.like(picture, places, SURELY_IT))
                if same is None or not is_sure(same):
                    same = yield from self._finder.by_index(picture, self._still.picture, main)
                    self._indexed = picture
                if same is not None and is_sure(same):
                    return same
                yield
            self._asked = bool(faces)
            if faces:
                places += self._finder.alike_places(picture, faces[MOST_AT_FIRST:])
                like = yield from self._finder.like(picture, places)
                same = max((one for one in (like, same) if one is not None), key=lambda one: one.worth, default=None)
            if same is not None or faces:
                return same
        sure = any(self._is_answer(look) for look in self._looks)
        tried = len(self._looks) - self._asked
        if not sure and (tried == 1 or (tried == 2 and self._is_pile)):
            return self._finder.search(picture, main, sideways=tried == 2, covered=covered)
        seen = [look.found for look in self._looks if look.found is not None]
        if sure:
            again = [found.top.pose for found in seen if is_sure(found)][-1:]
            return self._finder.glance(picture, main, again, covered, fill=False)
        near = [found.top.pose for found in seen][-2:]
        near += [self._still.top.pose] if self._still.top is not None and not near else []
        return self._finder.glance(picture, main, near, covered)

    def _interrupted(self) -> Steps[Answer | None]:
        """Read the best of the looks so far, if any shows a card."""
        if any(is_read(look.found) for look in self._looks if not self._is_back(look.found)):
            return (yield from self._read(self._best_look()))
        self._looks.clear()
        return None

    def _enough(self, at_ns: int) -> Steps[Answer | None]:
        """There have been looks enough: read the best of them; if none shows anything, look again a little later."""
        if self._in_vain < MOST_IN_VAIN and not any(is_read(look.found) for look in self._looks):
            self._in_vain += 1
            self._wait_until_ns = at_ns + LATER_NS
            self._looks.clear()
            return None
        others = [look.found for look in self._looks if look.found is not None]
        yield
        return (yield from self._read(self._best_look(), others))

    def _is_as_before(self, found: Finding | None, is_covered: bool) -> bool:
        """Whether a look surely shows the card that lay there before.

        In a row, where nobody lays a card on another one, it may have been moved.
        """
        if found is None or self._still.top is None or not is_sure(found):
            return False
        return is_same(found.top, self._still.top) and not (is_covered and self._is_pile)

    def _is_convincing(self, found: Finding, is_covered: bool) -> bool:
        """Whether one look is enough."""
        if found.convinces and (is_covered or found.edges > LEAST_EDGES):
            return True
        return self._is_as_before(found, is_covered) and self._shows_whole(found)

    def _shows_whole(self, found: Finding) -> bool:
        """Whether nothing lies on a card that was found before: all its sides show, or no card can lie there, or a hand
        left it under which it was read.
        """
        return found.edges > FOUR_SIDES or not self._is_pile or self._still.free != "whole"

    def _same_again(self, picture: Image, main: Change) -> Finding | None:
        """Return the card that was read under a hand, if it surely lies there still."""
        if self._still.top is None or self._still.free == "whole":
            return None
        found = self._finder.glance(picture, main, [self._still.top.pose], fill=False)
        return found if self._is_as_before(found, is_covered=False) else None

    def _agree(self, found: Finding, earlier: Finding | None) -> bool:
        """Whether two looks surely show the same new card: the old one may be what another leaves free of it."""
        if earlier is None or not (is_sure(found) and is_sure(earlier) and is_same(found.top, earlier.top)):
            return False
        return self._still.top is None or not is_same(found.top, self._still.top)

    def _is_answer(self, look: Look) -> bool:
        """Whether a look shows a card for certain, and not what another one leaves free of the old top."""
        if look.found is None or not is_sure(look.found):
            return False
        return not look.covered or self._still.top is None or not is_same(look.found.top, self._still.top)

    def _is_empty_place(self) -> bool:
        """Whether a place of a row clearly shows no card, neither where one lay nor anywhere near."""
        return not self._is_pile and len(self._looks) > 1 and all(is_nothing(look.found) for look in self._looks)

    def _is_back(self, found: Finding | None) -> bool:
        """Whether a pile seems to show a back, as the picture of a hand over it may."""
        return self._is_pile and found is not None and found.top.reading.face_down > LIKELY

    # -- reading the look that counts ---------------------------------------------------------------------------------

    def _read(self, look: Look, others: Sequence[Finding] = ()) -> Steps[Answer | None]:
        """Read the look that counts; search its picture by indices, then everywhere, if it does not tell enough: white
        on white, the right place is not the likeliest. `others`: what was found in the other looks.
        """
        if self._is_unsure(look):
            main = self._still.changed(look.picture).biggest()
            if look.picture is not self._indexed:
                found = yield from self._finder.by_index(look.picture, self._still.picture, main)
                look = max(look, replace(look, found=found), key=worth_of)
                yield
            if self._is_unsure(look):
                covered = self._still.top if look.covered else None
                found = self._finder.search(look.picture, main, most=MOST_READ_AT_FIRST, covered=covered)
                look = max(look, replace(look, found=found), key=worth_of)
                yield
        return (yield from self._sharpened(look, others))

    def _sharpened(self, look: Look, others: Sequence[Finding] = ()) -> Steps[Answer | None]:
        """Return what lies there at its exact pose, read again unless that is sure or expected."""
        found = look.found
        if found is None:
            return self._answer(look, None)
        known = is_expected(found, self.expected)
        if not known and found.top.sure <= SURE_ENOUGH:
            found = self._finder.surer(look.picture, found)
            look = replace(look, found=found)
            yield
        now = self._finder.refined(look.picture, found, known)
        return self._answer(look, None if now is None else as_agreed(now, others))

    def _answer(self, look: Look, now: Top | None) -> Answer:
        if self._is_pile and now is not None and now.reading.face_down > LIKELY and self._in_vain < MOST_IN_VAIN:
            self._in_vain += 1
            self._wait_until_ns = look.at_ns + LATER_NS
            return Answer(look, None, moved=True)
        return Answer(look, self._top_of(look, now))

    def _best_look(self) -> Look:
        best = max(self._looks, key=worth_of)
        self._looks.clear()
        return best

    def _is_unsure(self, look: Look) -> bool:
        if not self._is_pile or look.found is None:
            return self._is_pile
        if look.found.edges < LEAST_EDGES and not look.covered:
            return True
        return not is_expected(look.found, self.expected) and look.found.top.sure < CERTAIN

    def _top_of(self, look: Look, now: Top | None) -> Top | None:
        """Return what lies on top after a look; the old top where nothing better was read and its print still shows."""
        vague = now is None or now.sure < LIKELY or look.found is None or look.found.edges < LEAST_EDGES
        return self._still.top if vague and not look.covered else now
