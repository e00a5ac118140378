"""What the referee decided: rulings about one event, and announcements to the table. Together they are verdicts.

A verdict names everything a person needs to check it without the tracker's state, and says its reason as a value
(a reason of the rule engine), its rule number and a sentence.
"""

from typing import Literal

import msgspec

from referee.cards import Card
from referee.table import Pile, Player, Who

Ruling = Literal["legal", "illegal", "beaten", "cannot_tell"]


class Verdict(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """Base of everything that the referee says. `at_ns` is the moment of the event it is about."""

    at_ns: int
    decided_ns: int = 0
    """When the tracker had enough evidence, on the same clock."""
    of: int | None = None
    """Running number `n` in the log of the observation that it judges."""
    revised: bool = False
    """Said anew because somebody corrected what came before: written down and shown, but never sounded."""


class PlayJudged(Verdict, frozen=True, kw_only=True, tag="play_judged"):
    """A card that came down on a middle pile (R20 to R32)."""

    player: Who
    pile: Pile
    card: Card
    p: float
    ruling: Ruling
    reason: str | None = None
    rule: str | None = None
    top: Card | None = None
    """The logical top it was judged against."""
    sentence: str = ""
    provisional: bool = False
    blameless: bool = False
    """The card has to go back, but its player did nothing wrong (R30, R31, and R49 within the race window)."""


class SpitJudged(Verdict, frozen=True, kw_only=True, tag="spit_judged"):
    """A spit card turned onto a pile (R16, R40 to R46)."""

    player: Who
    pile: Pile
    card: Card
    p: float
    ruling: Ruling
    reason: str | None = None
    rule: str | None = None
    sentence: str = ""
    blameless: bool = False
    """The card has to go back, but its player did nothing wrong (R49 within the race window)."""


class RowJudged(Verdict, frozen=True, kw_only=True, tag="row_judged"):
    """A turn-up, a move or a refill within a row (R34 to R38, R76)."""

    player: Who
    what: Literal["turn_up", "move", "refill", "draw", "layout"]
    place: int
    card: Card
    ruling: Ruling
    reason: str | None = None
    rule: str | None = None
    sentence: str = ""
    to_place: int | None = None


class SlapJudged(Verdict, frozen=True, kw_only=True, tag="slap_judged"):
    """A slap that mattered, or a false one (R51)."""

    player: Who
    pile: Pile
    ruling: Literal["legal", "ignored", "false_slap", "cannot_tell"]
    reason: str | None = None


class Award(Verdict, frozen=True, kw_only=True, tag="award"):
    """Who takes which pile (R52 to R56, R65 to R67), with the margin between the first two slaps if there were two."""

    p1: Pile | None
    p2: Pile | None
    first: Who = "unknown"
    margin_us: float | None = None
    uncertainty_us: float | None = None
    sentence: str = ""


class DeadHeat(Verdict, frozen=True, kw_only=True, tag="dead_heat"):
    """Too close: both lights, slap again."""

    pile: Pile
    margin_us: float
    uncertainty_us: float


class TakenBack(Verdict, frozen=True, kw_only=True, tag="taken_back"):
    """A card that had to go back (or should have stayed, R29) was taken off its pile."""

    player: Who
    pile: Pile
    card: Card
    was_due: bool


class LeftLying(Verdict, frozen=True, kw_only=True, tag="left_lying"):
    """A card that had to go back still lies there, or was played on."""

    pile: Pile
    card: Card
    played_on: bool


class Stuck(Verdict, frozen=True, kw_only=True, tag="stuck"):
    """Nobody can play (R40)."""


class SpitCall(Verdict, frozen=True, kw_only=True, tag="spit_call"):
    """Turn a spit card: who onto which pile; `any` where the choice is free."""

    onto: dict[Player, str]


class NotStuck(Verdict, frozen=True, kw_only=True, tag="not_stuck"):
    """Called too early; names only players, never a card."""

    who: tuple[Player, ...]


class DealOver(Verdict, frozen=True, kw_only=True, tag="deal_over"):
    """A row is cleared (R49), or nobody can play and nobody can spit (R50)."""

    reason: Literal["cleared", "stuck_out"]
    by: Player | None = None
    piles: Literal[1, 2] = 2
    """With two middle piles the slap follows (R51), also in a blocked deal (R50); with one there is none (R65)."""


class DealPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A player's share of the next deal: cards in all, sizes of the row's piles, spit cards (R61, R62)."""

    cards: int
    row: tuple[int, ...]
    spit: int


class NextDeal(Verdict, frozen=True, kw_only=True, tag="next_deal"):
    """What each lays out now, and who turns the first spit card onto which pile: `A`, `B` or `AB` (R59 to R64)."""

    piles: int
    p1: DealPlan
    p2: DealPlan
    first: dict[Player, str]


class GameOver(Verdict, frozen=True, kw_only=True, tag="game_over"):
    """Somebody has won, or nobody can any more (R70, R81, R82)."""

    winner: Literal["p1", "p2", "draw"]


class PhaseChanged(Verdict, frozen=True, kw_only=True, tag="phase_changed"):
    """The game has come into another phase."""

    phase: str
    """`layout`, `await_spit`, `play`, `slap`, `over`, `paused`."""


class CannotTell(Verdict, frozen=True, kw_only=True, tag="cannot_tell"):
    """The referee lost the thread and says so; it comes back by itself (`in_step`)."""

    about: str
    pile: Pile | None = None


class BackInStep(Verdict, frozen=True, kw_only=True, tag="back_in_step"):
    """The thread is found again after `cannot_tell`."""

    landings: int
    """How many landings it was out of step."""


class Breach(Verdict, frozen=True, kw_only=True, tag="breach"):
    """A breach that is not one card on a pile: both hands carrying, too many piles."""

    player: Who
    reason: str
    rule: str | None = None
    sentence: str = ""


class Paused(Verdict, frozen=True, kw_only=True, tag="paused"):
    """A sensor is lost: nothing is judged until it is back."""

    reason: str


class Resumed(Verdict, frozen=True, kw_only=True, tag="resumed"):
    """Play goes on after a pause."""


class Corrected(Verdict, frozen=True, kw_only=True, tag="corrected"):
    """A person's correction was taken in; `was` and `now` in words. What follows from it is said after this verdict."""

    was: str
    now: str
    withdrawn: tuple[int, ...] = ()
    """Running numbers in the log of earlier verdicts that do not hold any more."""


AnyVerdict = (
    PlayJudged
    | SpitJudged
    | RowJudged
    | SlapJudged
    | Award
    | DeadHeat
    | TakenBack
    | LeftLying
    | Stuck
    | SpitCall
    | NotStuck
    | DealOver
    | NextDeal
    | GameOver
    | PhaseChanged
    | CannotTell
    | BackInStep
    | Breach
    | Paused
    | Resumed
    | Corrected
)
