"""The last few moments, so that a card reported late can be taken in at its place among all that was seen.

A landing is reported some frames after its touch, much later if a hand lingers over it. Until then other cards may have
landed, and looks have shown a pile or a row with it. The order of touch decides who cleared first, and a look can only
be understood after the landing that it shows: so the tracker goes back and takes everything in again in the order in
which it happened. What it then says the same is not said twice.
"""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from referee.observations import AnyObservation, CardLanded, CardTakenBack, PileRead, RowRead
from referee.tracker.rows import LONG_AGO
from referee.tracker.sequencer import Numbered
from referee.verdicts import AnyVerdict, PlayJudged, SpitJudged

State = TypeVar("State")

REACH_NS: Final = 2_500_000_000
"""So far back a late report is taken in at its place."""
SNAPSHOT_NS: Final = 250_000_000
"""States are kept about so often: at most so much is taken in again for nothing."""
IDLE_NS: Final = 4 * REACH_NS
"""When no card and no look came for so long, nothing is kept for a late report any more."""
MANY: Final = 100
"""So many moments may pile up before the old ones are forgotten."""
LATE: Final = (CardLanded, CardTakenBack)
"""What may be reported long after it happened."""
IN_ORDER: Final = (CardLanded, CardTakenBack, PileRead, RowRead)
"""What must be taken in in the order in which it happened: cards, and the looks that show them."""


class Moment(msgspec.Struct, Generic[State], eq=False):
    """One observation, the state before it if that was kept, and what was said after it."""

    n: int
    seen: AnyObservation
    before: State | None
    happened_ns: int
    """When the card came down, or the look was taken, that it is; anything else is as if long ago."""
    said: tuple[AnyVerdict, ...] = ()
    said_before: frozenset[Hashable] = frozenset()
    """What was said before this moment was taken in again."""


class Recent(msgspec.Struct, Generic[State], eq=False):
    """The observations of the last moments in the order in which they were taken in."""

    moments: list[Moment[State]] = []
    kept_ns: int = -REACH_NS
    """The moment before which a state was kept last."""
    oldest_ns: int = -REACH_NS
    """What happened before is out of reach."""

    def copy(self) -> "Recent[State]":
        return Recent([replace(moment) for moment in self.moments], self.kept_ns, self.oldest_ns)

    def remember(self, n: int, seen: AnyObservation, state: Callable[[], State]) -> None:
        """Keep an observation, now and then with the state before it, which `state` copies; what is old is
        forgotten."""
        at_ns, is_in_order, before = seen.at_ns, isinstance(seen, IN_ORDER), None
        if is_in_order and not 0 <= at_ns - self.kept_ns < SNAPSHOT_NS:
            before = state()
            self.kept_ns = at_ns
            self.oldest_ns = max(self.oldest_ns, at_ns - REACH_NS)
            if len(self.moments) > MANY:
                self._forget_the_old()
        elif at_ns - self.kept_ns > IDLE_NS:
            self.moments = []
        if before is not None or self.moments:
            self.moments.append(Moment(n, seen, before, at_ns if is_in_order else LONG_AGO))

    def _forget_the_old(self) -> None:
        """Forget what is out of reach: all before the first young moment with a state."""
        young = (k for k, m in enumerate(self.moments) if m.before is not None and m.seen.at_ns > self.oldest_ns)
        del self.moments[: next(young, len(self.moments))]

    def note(self, verdicts: list[AnyVerdict]) -> None:
        """What was said after the last observation."""
        if self.moments:
            self.moments[-1].said += tuple(verdicts)

    def note_said(self, said: frozenset[Hashable]) -> None:
        """What had been said before these moments were taken in again."""
        if self.moments:
            self.moments[-1].said_before |= said

    def before(self, late: CardLanded | CardTakenBack) -> int | None:
        """Where to go back to for a card that comes late: the last kept state before the first card or look that
        happened after it and was told earlier. None if nothing did."""
        if not any(moment.happened_ns > late.at_ns for moment in self.moments[-12:]):
            return None
        self._forget_the_old()
        place = 0
        for n, moment in enumerate(self.moments):
            if moment.before is not None:
                place = n
            if moment.happened_ns > late.at_ns:
                return place
        return None

    def cut(self, place: int) -> tuple[State, list[Numbered], frozenset[Hashable]]:
        """Forget everything from this moment on; return the state before it, what was seen, and what was said."""
        past, self.moments = self.moments[place:], self.moments[:place]
        state = past[0].before
        assert state is not None  # `before` chose a moment that has one
        self.kept_ns = max((m.seen.at_ns for m in self.moments if m.before is not None), default=-REACH_NS)
        said = frozenset(content(verdict) for m in past for verdict in m.said)
        return state, [(m.n, m.seen) for m in past], said.union(*(m.said_before for m in past))


def content(verdict: AnyVerdict) -> Hashable:
    """What a verdict says, without when it was decided and how sure it was."""
    if isinstance(verdict, PlayJudged | SpitJudged):
        return verdict.of, verdict.ruling, verdict.reason, verdict.ruling != "legal" and verdict.card
    plain = msgspec.to_builtins(verdict)
    return type(verdict).__name__, str({k: v for k, v in plain.items() if k not in ("at_ns", "decided_ns")})
