"""The last few moments, so that a card reported late can be taken in at its place among the others.

A hand that lingers over one pile hides its card while another card lands, and is reported, on the other pile. The
order of touch decides who cleared first and whether both spit cards lay there, so the tracker goes back and takes the
cards in again in that order. What it then says the same is not said twice.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import msgspec

from referee.observations import AnyObservation, CardLanded, CardTakenBack
from referee.tracker.sequencer import Numbered
from referee.verdicts import AnyVerdict, PlayJudged, SpitJudged

State = TypeVar("State")

REACH_NS = 2_500_000_000
"""So far back a late report is taken in at its place."""


@dataclass(slots=True)
class Moment(Generic[State]):
    """One observation, the state before it if it was a card, and what was said after it."""

    n: int
    seen: AnyObservation
    before: State | None
    said: list[Hashable] = field(default_factory=list)


@dataclass(slots=True)
class Recent(Generic[State]):
    """The observations of the last moments in order of arrival."""

    moments: list[Moment[State]] = field(default_factory=list)

    def copy(self) -> "Recent[State]":
        return Recent([replace(moment, said=list(moment.said)) for moment in self.moments])

    def remember(self, n: int, seen: AnyObservation, before: State | None = None) -> None:
        """Keep an observation; only cards need the state before them, and what is old is forgotten."""
        if before is not None:
            oldest_ns = seen.at_ns - REACH_NS
            cards = (k for k, m in enumerate(self.moments) if m.before is not None and m.seen.at_ns > oldest_ns)
            self.moments = self.moments[next(cards, len(self.moments)) :]
        if before is not None or self.moments:
            self.moments.append(Moment(n, seen, before))

    def note(self, verdicts: list[AnyVerdict]) -> None:
        """What was said after the last observation."""
        if self.moments:
            self.moments[-1].said += [content(verdict) for verdict in verdicts]

    def note_said(self, said: set[Hashable]) -> None:
        """What had been said before these moments were taken in again."""
        if self.moments:
            self.moments[-1].said += said

    def before(self, late: CardLanded | CardTakenBack) -> int | None:
        """The place of the first card that touched another pile later than this one, and was told earlier."""
        for place, moment in enumerate(self.moments):
            if moment.before is None or not isinstance(moment.seen, CardLanded | CardTakenBack):
                continue
            if moment.seen.pile != late.pile and moment.seen.at_ns > late.at_ns:
                return place
        return None

    def cut(self, place: int) -> tuple[State, list[Numbered], set[Hashable]]:
        """Forget everything from this moment on; return the state before it, what was seen, and what was said."""
        past, self.moments = self.moments[place:], self.moments[:place]
        state = past[0].before
        assert state is not None  # `before` chose a moment that has one
        return state, [(m.n, m.seen) for m in past], {one for m in past for one in m.said}


def content(verdict: AnyVerdict) -> Hashable:
    """What a verdict says, without when it was decided and how sure it was."""
    if isinstance(verdict, PlayJudged | SpitJudged):
        return verdict.of, verdict.ruling, verdict.reason, verdict.ruling != "legal" and verdict.card
    plain = msgspec.to_builtins(verdict)
    return type(verdict).__name__, str({k: v for k, v in plain.items() if k not in ("at_ns", "decided_ns")})
