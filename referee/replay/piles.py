"""What lies on the middle piles before and after each moment, played through the moments in order of time."""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from referee.cards import UNREAD, Card
from referee.replay.moments import Lying, Moment
from referee.table import PILES, Pile

COUNTING_RULINGS = ("legal", None)
"""A card that nobody judged is taken to lie there in good order."""
DEEPEST_SHOWN = 3


class PileTaken(msgspec.Struct, frozen=True):
    """A whole pile was picked up."""

    n: int
    at_ns: int
    pile: Pile


class Shown(msgspec.Struct, frozen=True):
    """The tops that counted from `at_ns` on; None: nothing lies there."""

    at_ns: int
    tops: dict[Pile, Card | None]


def with_piles(moments: Iterable[Moment | PileTaken]) -> tuple[list[Moment], list[Shown]]:
    """Return the moments with both piles before and after, the pictures of the pile before, and the tops over time."""
    table = _MiddlePiles()
    done = [table.play(moment) for moment in moments if not table.was_taken(moment)]
    return done, table.shown


class _MiddlePiles:
    def __init__(self) -> None:
        self._lying: dict[Pile, list[Lying]] = {pile: [] for pile in PILES}
        self._frame: str | None = None
        self.shown: list[Shown] = []

    def was_taken(self, moment: Moment | PileTaken) -> bool:
        """Clear a pile that was picked up; False for anything else."""
        if not isinstance(moment, PileTaken):
            return False
        self._clear(moment.pile)
        self._show(moment.at_ns)
        return True

    def play(self, moment: Moment | PileTaken) -> Moment:
        assert isinstance(moment, Moment)
        if moment.is_landing and moment.pile and moment.top:
            _believe(self._lying[moment.pile], moment.top)
        before, frame_before = self._view(), self._frame
        if moment.kind == "next_deal":
            self._frame = None
            for pile in PILES:
                self._clear(pile)
        elif moment.pile is not None and not moment.dismissed:
            self._apply(moment, moment.pile)
        self._show(moment.at_ns)
        if not moment.is_landing and moment.kind != "taken_back":
            return replace(moment, before=before)
        return replace(moment, before=before, after=self._view(), frame_before=frame_before)

    def _apply(self, moment: Moment, pile: Pile) -> None:
        lying = self._lying[pile]
        if moment.is_landing:
            lying.append(Lying(moment.card or UNREAD, counts=moment.ruling in COUNTING_RULINGS or _is_unread(moment)))
        elif moment.kind == "taken_back":
            _take_off(lying, moment.card)
        self._frame = moment.frame or self._frame
        del lying[:-12]

    def _clear(self, pile: Pile) -> None:
        self._lying[pile].clear()

    def _view(self) -> dict[Pile, tuple[Lying, ...]]:
        return {pile: _uppermost(lying) for pile, lying in self._lying.items()}

    def _show(self, at_ns: int) -> None:
        tops = {pile: _top(lying) for pile, lying in self._lying.items()}
        if not self.shown or self.shown[-1].tops != tops:
            self.shown.append(Shown(at_ns, tops))


def _is_unread(moment: Moment) -> bool:
    """An unread card stays on its pile and counts, although nobody can say whether it fits."""
    return moment.ruling == "cannot_tell" and moment.reason in ("unread", "unread_top")


def _believe(lying: list[Lying], top: Card) -> None:
    """The referee names the top it judged by: where later evidence made it think anew, the piles shown follow it."""
    if _top(lying) == top:
        return
    place = next((index for index in reversed(range(len(lying))) if lying[index].card == top), None)
    if place is None:
        lying.append(Lying(top))
    else:
        lying[place:] = [Lying(top), *(Lying(item.card, counts=False) for item in lying[place + 1 :])]


def _top(lying: list[Lying]) -> Card | None:
    return next((item.card for item in reversed(lying) if item.counts), None)


def _uppermost(lying: list[Lying]) -> tuple[Lying, ...]:
    """The cards from the top down to the one that counts, top last."""
    shown: list[Lying] = []
    for item in reversed(lying[-DEEPEST_SHOWN:]):
        shown.insert(0, item)
        if item.counts:
            break
    return tuple(shown)


def _take_off(lying: list[Lying], card: Card | None) -> None:
    """Take off the uppermost such card; of an unknown one, the uppermost that does not count."""
    for index in range(len(lying) - 1, -1, -1):
        if lying[index].card == card:
            del lying[index]
            return
    for index in range(len(lying) - 1, -1, -1):
        if not lying[index].counts:
            del lying[index]
            return
