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


class Stretch(msgspec.Struct, Generic[State], eq=False):
    """A state that was kept, what was seen since, in order, and what was said to that."""

    before: State
    since_ns: int
    until_ns: int
    """When the last card came down, or the last look was taken, that is among that."""
    seen: list[Numbered] = []
    said: list[AnyVerdict] = []
    said_before: frozenset[Hashable] = frozenset()
    """What was said before all that was taken in again."""


class Recent(msgspec.Struct, Generic[State], eq=False):
    """The observations of the last moments in the order in which they were taken in."""

    stretches: list[Stretch[State]] = []
    oldest_ns: int = -REACH_NS
    """What happened before is out of reach."""

    def copy(self) -> "Recent[State]":
        stretches = [replace(one, seen=list(one.seen), said=list(one.said)) for one in self.stretches]
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
            self.stretches.append(Stretch(state(), at_ns, at_ns))
        elif past_ns > IDLE_NS:
            self.stretches = []
        if self.stretches:
            last = self.stretches[-1]
            last.seen.append((n, seen))
            if is_in_order and at_ns > last.until_ns:
                last.until_ns = at_ns

    def note(self, verdicts: list[AnyVerdict]) -> None:
        """What was said after the last observation."""
        if self.stretches:
            self.stretches[-1].said += verdicts

    def note_said(self, said: frozenset[Hashable]) -> None:
        """What had been said before all that was taken in again."""
        if self.stretches:
            self.stretches[-1].said_before |= said

    def before(self, late: CardLanded | CardTakenBack) -> int | None:
        """Where to go back to for a card that comes late: the stretch of the first card or look that happened after it
        and was told earlier. None if nothing did."""
        return next((n for n, stretch in enumerate(self.stretches) if stretch.until_ns > late.at_ns), None)

    def cut(self, place: int) -> tuple[State, list[Numbered], frozenset[Hashable]]:
        """Forget everything from this stretch on; return the state before it, what was seen, and what was said."""
        past, self.stretches = self.stretches[place:], self.stretches[:place]
        said = frozenset(content(verdict) for stretch in past for verdict in stretch.said)
        said = said.union(*(stretch.said_before for stretch in past))
        return past[0].before, [numbered for stretch in past for numbered in stretch.seen], said


def content(verdict: AnyVerdict) -> Hashable:
    """What a verdict says, without when it was decided and how sure it was."""
    if isinstance(verdict, PlayJudged | SpitJudged):
        return verdict.of, verdict.ruling, verdict.reason, verdict.ruling != "legal" and verdict.card
    plain = msgspec.to_builtins(verdict)
    return type(verdict).__name__, str({k: v for k, v in plain.items() if k not in ("at_ns", "decided_ns")})
