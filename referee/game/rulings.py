"""Rulings: one for each event. Refusals are values with a reason; the facts behind it travel with it.

The reasons' values are those of the scenarios; logs hold them: add, never rename or reuse.
"""

from enum import StrEnum, unique
from typing import Final

import msgspec

from referee.cards import Card
from referee.table import Pile, Who


@unique
class Breach(StrEnum):
    """Why an event does not stand."""

    NOT_ADJACENT = "not_adjacent"
    SAME_COLOUR = "same_colour"
    BEATEN = "beaten"
    ON_ILLEGAL_CARD = "on_illegal_card"
    TWO_CARDS = "two_cards"
    TWO_HANDS = "two_hands"
    NOT_A_TOP_CARD = "not_a_top_card"
    NOT_YOUR_CARD = "not_your_card"
    CARD_WAS_PLAYED = "card_was_played"
    NOT_STARTED = "not_started"
    DEAL_IS_OVER = "deal_is_over"
    PILE_NOT_IN_USE = "pile_not_in_use"
    SPACE_NOT_EMPTY = "space_not_empty"
    FACE_DOWN_CARD = "face_down_card"
    TOO_MANY_PILES = "too_many_piles"
    NOT_YOUR_ROW = "not_your_row"
    NOTHING_TO_TURN = "nothing_to_turn"
    NOT_STUCK = "not_stuck"
    WRONG_PILE = "wrong_pile"
    ALREADY_SPAT = "already_spat"
    NOT_YOUR_SPIT = "not_your_spit"
    ROW_FULL = "row_full"
    HAND_FULL = "hand_full"
    LAYOUT_MISMATCH = "layout_mismatch"


@unique
class Doubt(StrEnum):
    """Why an event cannot be decided."""

    ORDER_UNKNOWN = "order_unknown"
    UNREAD = "unread"
    UNREAD_TOP = "unread_top"
    MISREAD = "misread"
    SLAPPER_UNKNOWN = "slapper_unknown"
    DEAD_HEAT = "dead_heat"


Reason = Breach | Doubt


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The numbers and names behind a ruling, so that a person can check it without the engine's state."""

    card: Card | None = None
    other: Card | None = None
    """The card it was judged against."""
    pile: Pile | None = None
    """The middle pile it is about."""
    place: int | None = None
    """The place of the row it is about."""
    apart: int | None = None
    """Ranks between card and other, the short way round."""
    after_ns: int | None = None
    """Time since what it came too late (or too soon) after."""
    limit: int | None = None
    """What the rules allow, in the unit that the reason's sentence says."""
    count: int | None = None
    """What was found instead."""
    expected: str | None = None
    """What would have been right, in words."""


NO_FACTS: Final = Facts()


class Legal(msgspec.Struct, frozen=True, tag_field="ruling", tag="legal", gc=False):
    """It stands."""

    who: Who


class Illegal(msgspec.Struct, frozen=True, tag_field="ruling", tag="illegal", gc=False):
    """It does not stand. `who` is unknown where nobody may be named."""

    reason: Breach
    who: Who
    facts: Facts = NO_FACTS
    blameless: bool = False
    """No fault: beaten in a race, built in good faith on an illegal card, or just too late."""


class Undecided(msgspec.Struct, frozen=True, tag_field="ruling", tag="undecided", gc=False):
    """It cannot be known."""

    reason: Doubt
    who: Who
    facts: Facts = NO_FACTS


class Ignored(msgspec.Struct, frozen=True, tag_field="ruling", tag="ignored"):
    """It changes nothing."""


class Nothing(msgspec.Struct, frozen=True, tag_field="ruling", tag="none"):
    """There is nothing to rule."""


Ruling = Legal | Illegal | Undecided | Ignored | Nothing

IGNORED: Final = Ignored()
NOTHING: Final = Nothing()
