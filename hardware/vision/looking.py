"""Looks at a spot that lies free, frame by frame, until it is known what lies there."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from hardware.frames import Image
from hardware.vision.changes import Change
from hardware.vision.laststill import LastStill
from hardware.vision.looks import (
    CERTAIN,
    LIKELY,
    SEARCHES,
    Choice,
    Expected,
    Look,
    as_agreed,
    is_expected,
    is_nothing,
    is_read,
    is_sure,
    is_sure_enough,
    likely_faces,
    worth_of,
)
from hardware.vision.piles import MOST_READ_AT_FIRST, SURELY_IT, TopFinder
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


class Looking:
    """The looks at one spot since something was over it last, and the reading of the one that counts.

    `moves` tells of a card whether it is on its way in the newest frame.
    """

    def __init__(self, finder: TopFinder, still: LastStill, moves: Callable[[Top], bool], is_pile: bool) -> None:
        self._finder, self._still, self._moves, self._is_pile = finder, still, moves, is_pile
        self._looks: list[Look] = []
        self.choice: Choice | None = None
        """The look that counts, while its card is being read."""
        self.expected: Expected = dict
        self._asked = False
        """Whether the first look was for cards that are expected."""
        self._in_vain = 0
        self._wait_until_ns = 0

    def is_due(self, at_ns: int) -> bool:
        """Whether it is time for another look."""
        return at_ns >= self._wait_until_ns

    def forget(self) -> None:
        """Drop the looks: the spot lies as it did before, or not still after all."""
        self._looks.clear()

    def settled(self) -> None:
        """It is known what lies here: looks in vain are counted afresh."""
        self._in_vain = 0

    # -- looking ----------------------------------------------------------------------------------------------------

    def find(self, picture: Image, changed: Change, is_covered: bool) -> Finding | None:
        """Look for what is expected and where a card is likely; if that is not sure, next time everywhere, then for one
        that lies across.

        `is_covered`: the card that lay here before does not show any more.
        """
        covered = self._still.top if is_covered else None
        main = changed.biggest()
        if not self._looks:
            same = self._same_again(picture, main) if covered is None else None
            faces = likely_faces(self.expected, self._still.lying) if same is None else []
            if same is None and self._is_pile:
                found = self._finder.like(picture, faces[:MOST_AT_FIRST], SURELY_IT)
                if found is None or not is_sure(found):
                    found = self._finder.by_index(picture, self._still.picture, main)
                if found is not None and is_sure(found):
                    return found
            self._asked = bool(faces)
            if same is not None or faces:
                found = same or self._finder.like(picture, faces)
                return found if is_read(found) else None
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

    def take(self, look: Look, last_visit_ns: int) -> Answer | None:
        """Take one more look; return the answer if it needs no more reading. Else, once the looks convince or are
        enough, the best of them is the `choice`.

        `last_visit_ns`: when a hand was over the spot last.
        """
        agreed = look.found is not None and any(self._agree(look.found, other.found) for other in self._looks)
        self._looks.append(look)
        if look.found is not None and self._moves(look.found.top):
            self._looks.clear()
            return None
        if look.found is not None and (agreed or self._is_convincing(look.found, look.covered)):
            if self._is_pile and look.found.top.sure > SURE_ENOUGH:
                return self._concluded()
            self.choice = Choice(self._best_look())
            return None
        if self._is_empty_place():
            # a sleeve that looks like the table may still lie over it
            empty_ns = min(self._looks[0].at_ns + EMPTY_NS, last_visit_ns + VISITED_NS)
            if look.at_ns < empty_ns:
                self._wait_until_ns = empty_ns
                del self._looks[1:]
                return None
            return self._concluded()
        if len(self._looks) >= MOST_LOOKS + self._asked:
            self._choose_or_wait(look.at_ns)
        return None

    def take_free(self, look: Look) -> None:
        """Take a card that lies free beside or under a hand."""
        assert look.found is not None
        self._looks.append(look)
        if look.found.top.sure > SURE_ENOUGH or len(self._looks) >= MOST_LOOKS:
            self.choice = Choice(self._best_look())

    def interrupted(self) -> Answer | None:
        """Something comes over the spot again: what was read so far counts, what was not is left for later."""
        faces = [look.found for look in self._looks if not self._is_back(look.found)]
        if any(is_sure_enough(found) for found in faces):
            return replace(self._concluded(), moved=True)
        if any(is_read(found) for found in faces):
            self.choice = Choice(self._best_look(), moved=True)
        self._looks.clear()
        return None

    def is_as_before(self, found: Finding | None, is_covered: bool) -> bool:
        """Whether a look surely shows the card that lay there before.

        In a row, where nobody lays a card on another one, it may have been moved.
        """
        if found is None or self._still.top is None or not is_sure(found):
            return False
        return is_same(found.top, self._still.top) and not (is_covered and self._is_pile)

    def _choose_or_wait(self, at_ns: int) -> None:
        """There have been looks enough: read the best of them; if none shows anything, look again a little later."""
        if self._in_vain < MOST_IN_VAIN and not any(is_read(look.found) for look in self._looks):
            self._in_vain += 1
            self._wait_until_ns = at_ns + LATER_NS
            self._looks.clear()
            return
        others = [look.found for look in self._looks if look.found is not None]
        self.choice = Choice(self._best_look(), others=others)

    def _is_convincing(self, found: Finding, is_covered: bool) -> bool:
        """Whether one look is enough."""
        if found.convinces and (is_covered or found.edges > LEAST_EDGES):
            return True
        return self.is_as_before(found, is_covered) and self._shows_whole(found)

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
        return found if self.is_as_before(found, is_covered=False) else None

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

    def read_on(self) -> Answer | None:
        """Do the next bit of reading the choice; return the answer when it is done."""
        choice = self.choice
        assert choice is not None
        look = choice.look
        if choice.searched < SEARCHES and self._is_unsure(look):
            choice.look = self._searched(look, choice.searched)
            choice.searched += 1
            return None
        known = look.found is not None and is_expected(look.found, self.expected)
        if look.found is not None and not known and not choice.surer and look.found.top.sure <= SURE_ENOUGH:
            choice.look = replace(look, found=self._finder.surer(look.picture, look.found))
            choice.surer = True
            return None
        self.choice = None
        now = None if look.found is None else self._finder.refined(look.picture, look.found, known)
        now = None if now is None else as_agreed(now, choice.others)
        return self._answer(look, now, choice.moved)

    def _concluded(self) -> Answer:
        """Return the best of the looks, read at once. If there was only time for a glance, search now."""
        last = self._looks[-1]
        if len(self._looks) == 1 and not (self._is_answer(last) or (last.found is not None and last.found.convinces)):
            found = self.find(last.picture, self._still.changed(last.picture), last.covered)
            self._looks.append(replace(last, found=found))
        best = self._best_look()
        for search in range(SEARCHES):
            best = self._searched(best, search) if self._is_unsure(best) else best
        now = None if best.found is None else self._finder.sharpened(best.picture, best.found)
        return self._answer(best, now)

    def _answer(self, look: Look, now: Top | None, moved: bool = False) -> Answer:
        if self._is_pile and now is not None and now.reading.face_down > LIKELY and self._in_vain < MOST_IN_VAIN:
            self._in_vain += 1
            self._wait_until_ns = look.at_ns + LATER_NS
            return Answer(look, None, moved=True)
        return Answer(look, self._top_of(look, now), moved)

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

    def _searched(self, look: Look, search: int) -> Look:
        """Search a look in one of the `SEARCHES`: white on white, the right place is not the likeliest."""
        main = self._still.changed(look.picture).biggest()
        covered = self._still.top if look.covered else None
        if search == 0:
            found = self._finder.by_index(look.picture, self._still.picture, main)
        else:
            found = self._finder.search(look.picture, main, most=MOST_READ_AT_FIRST, covered=covered)
        return max(look, replace(look, found=found), key=worth_of)

    def _top_of(self, look: Look, now: Top | None) -> Top | None:
        """Return what lies on top after a look; the old top where nothing better was read and its print still shows."""
        vague = now is None or now.sure < LIKELY or look.found is None or look.found.edges < LEAST_EDGES
        return self._still.top if vague and not look.covered else now
