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
LATE: Final = (CardLanded, CardTakenBack)
"""What may be reported long after it happened."""
IN_ORDER: Final = (CardLanded, CardTakenBack, PileRead, RowRead)
"""What must be taken in in the order in which it happened: cards, and the looks that show them."""


class Moment(msgspec.Struct, eq=False):
    """One observation, and what was said after it."""

    n: int
    seen: AnyObservation
    happened_ns: int
    """When the card came down, or the look was taken, that it is; anything else is as if long ago."""
    said: tuple[AnyVerdict, ...] = ()


class Stretch(msgspec.Struct, Generic[State], eq=False):
    """A state that was kept, and the moments since."""

    before: State
    since_ns: int
    moments: list[Moment] = []
    said_before: frozenset[Hashable] = frozenset()
    """What was said before these moments were taken in again."""


class Recent(msgspec.Struct, Generic[State], eq=False):
    """The observations of the last moments in the order in which they were taken in."""

    stretches: list[Stretch[State]] = []
    oldest_ns: int = -REACH_NS
    """What happened before is out of reach."""

    def copy(self) -> "Recent[State]":
        stretches = [replace(one, moments=[replace(moment) for moment in one.moments]) for one in self.stretches]
        return Recent(stretches, self.oldest_ns)

    def remember(self, n: int, seen: AnyObservation, state: Callable[[], State]) -> None:
        """Keep an observation, now and then with the state before it, which `state` copies; what is old is
        forgotten."""
        at_ns, is_in_order = seen.at_ns, isinstance(seen, IN_ORDER)
        past_ns = at_ns - self.stretches[-1].since_ns if self.stretches else IDLE_NS
        if is_in_order and not 0 <= past_ns < SNAPSHOT_NS:
            self.oldest_ns = max(self.oldest_ns, at_ns - REACH_NS)
            while self.stretches and self.stretches[0].since_ns <= self.oldest_ns:
                del self.stretches[0]
            self.stretches.append(Stretch(state(), at_ns))
        elif past_ns > IDLE_NS:
            self.stretches = []
        if self.stretches:
            self.stretches[-1].moments.append(Moment(n, seen, at_ns if is_in_order else LONG_AGO))

    def note(self, verdicts: list[AnyVerdict]) -> None:
        """What was said after the last observation."""
        if self.stretches:
            self.stretches[-1].moments[-1].said += tuple(verdicts)

    def note_said(self, said: frozenset[Hashable]) -> None:
        """What had been said before these moments were taken in again."""
        if self.stretches:
            self.stretches[-1].said_before |= said

    def before(self, late: CardLanded | CardTakenBack) -> int | None:
        """Where to go back to for a card that comes late: the stretch of the first card or look that happened after it
        and was told earlier. None if nothing did."""
        place = None
        for n in range(len(self.stretches) - 1, -1, -1):
            for moment in reversed(self.stretches[n].moments):
                if moment.happened_ns > late.at_ns:
                    place = n
                elif moment.happened_ns > LONG_AGO:
                    return place
        return place

    def cut(self, place: int) -> tuple[State, list[Numbered], frozenset[Hashable]]:
        """Forget everything from this stretch on; return the state before it, what was seen, and what was said."""
        past, self.stretches = self.stretches[place:], self.stretches[:place]
        moments = [moment for stretch in past for moment in stretch.moments]
        said = frozenset(content(verdict) for moment in moments for verdict in moment.said)
        said = said.union(*(stretch.said_before for stretch in past))
        return past[0].before, [(moment.n, moment.seen) for moment in moments], said


def content(verdict: AnyVerdict) -> Hashable:
    """What a verdict says, without when it was decided and how sure it was."""
    if isinstance(verdict, PlayJudged | SpitJudged):
        return verdict.of, verdict.ruling, verdict.reason, verdict.ruling != "legal" and verdict.card
    plain = msgspec.to_builtins(verdict)
    return type(verdict).__name__, str({k: v for k, v in plain.items() if k not in ("at_ns", "decided_ns")})
