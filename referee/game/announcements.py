"""What the table is told. Nothing here ever says which card could be played, or how large a pile is before the slap."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from referee.game.rulings import Breach
from referee.table import Pile, Player, Who
from referee.verdicts import DealPlan


class Announcement(msgspec.Struct, frozen=True, kw_only=True, tag_field="say"):
    """Base of everything that is announced."""


class Stuck(Announcement, frozen=True, kw_only=True, tag="stuck"):
    """Nobody can play (R40)."""


class SpitCall(Announcement, frozen=True, kw_only=True, tag="spit_call"):
    """Who turns a spit card onto which pile; `any` where the choice is free (R41, R43, R44)."""

    onto: Mapping[Player, Pile | Literal["any"]]


class DealOver(Announcement, frozen=True, kw_only=True, tag="deal_over"):
    """A row is cleared (R49), or nobody can play and nobody can spit (R50)."""

    reason: Literal["cleared", "stuck_out"]
    by: Player | None = None
    piles: Literal[1, 2] = 2
    """With two middle piles the slap follows (R51), also in a blocked deal (R50); with one there is none (R65)."""


class Award(Announcement, frozen=True, kw_only=True, tag="award"):
    """Which pile each player takes (R52 to R56, R65 to R67)."""

    p1: Pile | Literal["none"]
    p2: Pile | Literal["none"]


class NextDeal(Announcement, frozen=True, kw_only=True, tag="next_deal"):
    """Counts of the next deal, and who turns the first spit card where (R59 to R64)."""

    piles: Literal[1, 2]
    p1: DealPlan
    p2: DealPlan
    first: Mapping[Player, tuple[Pile, ...]]


class GameOver(Announcement, frozen=True, kw_only=True, tag="game_over"):
    """R70, R81, R82."""

    winner: Literal["p1", "p2", "draw"]


class DeadHeat(Announcement, frozen=True, kw_only=True, tag="dead_heat"):
    """Slap again (R53)."""

    pile: Pile


class FalseSlap(Announcement, frozen=True, kw_only=True, tag="false_slap"):
    """A slap before the deal is over; play goes on (R51)."""

    who: Who


class NotStuck(Announcement, frozen=True, kw_only=True, tag="not_stuck"):
    """Called too early: these players can still do something (R40)."""

    who: tuple[Player, ...]


class BreachSeen(Announcement, frozen=True, kw_only=True, tag="breach"):
    """A breach that is not a card on a pile (R27)."""

    reason: Breach
    who: Player


AnyAnnouncement = (
    Stuck | SpitCall | DealOver | Award | NextDeal | GameOver | DeadHeat | FalseSlap | NotStuck | BreachSeen
)
