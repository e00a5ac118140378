"""The phases of a game and the one table of changes between them. The engine runs on it, the docs draw it."""

from collections.abc import Mapping
from enum import StrEnum, unique
from typing import Final

from referee.errors import PhaseError


@unique
class Phase(StrEnum):
    """Where a game stands."""

    FIRST_SPIT = "first_spit"
    """A deal is laid out and its middle piles are not started yet: nothing may be played (R16)."""
    PLAY = "play"
    SPIT = "spit"
    """Spit was called and somebody still has to turn a card; plays between the spits stand (R40)."""
    SLAP = "slap"
    """The deal is over, two piles wait to be slapped (R51)."""
    OVER = "over"

    @property
    def public_name(self) -> str:
        """The name that scenarios and the log use: both waits for a spit are `await_spit`."""
        return "await_spit" if self in (Phase.FIRST_SPIT, Phase.SPIT) else self.value


@unique
class Cause(StrEnum):
    """What changes a phase."""

    PILES_STARTED = "both piles are started"
    SPIT_CALLED = "nobody can play, or both agree"
    ALL_SPAT = "every spit card due was turned"
    DEAL_ENDED = "a row is cleared, or blocked without spit cards"
    NEXT_DEAL = "a pile is taken, cards are dealt"
    GAME_WON = "a player has no cards left, or fewest"


TRANSITIONS: Final[Mapping[Phase, Mapping[Cause, Phase]]] = {
    Phase.FIRST_SPIT: {Cause.PILES_STARTED: Phase.PLAY},
    Phase.PLAY: {
        Cause.SPIT_CALLED: Phase.SPIT,
        Cause.DEAL_ENDED: Phase.SLAP,
        Cause.NEXT_DEAL: Phase.FIRST_SPIT,
        Cause.GAME_WON: Phase.OVER,
    },
    Phase.SPIT: {
        Cause.ALL_SPAT: Phase.PLAY,
        Cause.DEAL_ENDED: Phase.SLAP,
        Cause.NEXT_DEAL: Phase.FIRST_SPIT,
        Cause.GAME_WON: Phase.OVER,
    },
    Phase.SLAP: {Cause.NEXT_DEAL: Phase.FIRST_SPIT, Cause.GAME_WON: Phase.OVER},
    Phase.OVER: {},
}


def next_phase(phase: Phase, cause: Cause) -> Phase:
    """Return the phase that follows; raises PhaseError (a bug, never a player's doing) if the table has none."""
    try:
        return TRANSITIONS[phase][cause]
    except KeyError:
        allowed = ", ".join(TRANSITIONS[phase]) or "nothing"
        raise PhaseError(f"{cause!s} while in phase {phase}; allowed here: {allowed}") from None


def state_diagram() -> str:
    """The table as a Mermaid state diagram for the documentation."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.FIRST_SPIT}"]
    lines += [f"    {phase} --> {after}: {cause}" for phase, row in TRANSITIONS.items() for cause, after in row.items()]
    return "\n".join([*lines, f"    {Phase.OVER} --> [*]", ""])
