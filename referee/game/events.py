"""Crisp events: what happened on the table, without doubt about card or player beyond `??` and `unknown`.

One struct per `do` of the scenarios. Events of one burst come in the order of contact; `at_ns` is on one clock.
"""

from typing import Literal

import msgspec

from referee.cards import UNREAD, Card
from referee.table import Hand, Pile, Player, Who

Carried = Literal["card", "spit", "empty"]


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", omit_defaults=True, gc=False):
    """Base of everything that happens on the table."""

    at_ns: int


class Land(Event, frozen=True, kw_only=True, tag="land"):
    """A card (or several in one movement, R26) came down on a middle pile, in the order of contact (R29)."""

    player: Who
    pile: Pile
    cards: tuple[Card, ...]
    hand: Hand | None = None
    touched: bool = True
    """False: it fell beside the pile and is not played."""
    order_known: bool = True
    """False: nothing shows whether it or another card of the burst touched first."""
    from_place: int | None = None
    """The place of the row it was seen to leave."""

    @property
    def card(self) -> Card:
        """The card, or the lowest of several."""
        return self.cards[0] if self.cards else UNREAD


class TakeBack(Event, frozen=True, kw_only=True, tag="take_back"):
    """A card was taken off a middle pile again."""

    player: Who
    pile: Pile
    card: Card


class TurnUp(Event, frozen=True, kw_only=True, tag="turn_up"):
    """A face-down top of a row was turned up (R34)."""

    player: Player
    place: int
    card: Card
    hand: Hand | None = None


class Move(Event, frozen=True, kw_only=True, tag="move"):
    """A card was moved within a row (R35, R38); `owner` is whose row, if it is not the mover's."""

    player: Player
    from_place: int
    to_place: int
    card: Card
    count: int = 1
    owner: Player | None = None
    hand: Hand | None = None


class Spit(Event, frozen=True, kw_only=True, tag="spit"):
    """A spit card (Bicycle: deck card; Speed: outer stack) was turned onto a middle pile (R16, R40)."""

    player: Who
    pile: Pile
    card: Card


class Refill(Event, frozen=True, kw_only=True, tag="refill"):
    """Bicycle: the deck's top card was laid into the row (R76)."""

    player: Player
    place: int
    card: Card
    hand: Hand | None = None


class Draw(Event, frozen=True, kw_only=True, tag="draw"):
    """Speed: a card was drawn from the stock into the hand (R83)."""

    player: Player


class Slap(Event, frozen=True, kw_only=True, tag="slap"):
    """A slap pad fired; `under`: this hand was seen underneath the other (R54)."""

    player: Who
    pile: Pile
    under: bool = False


class Hands(Event, frozen=True, kw_only=True, tag="hands"):
    """Both hands of a player were seen, and what each carries (R27)."""

    player: Player
    left: Carried = "empty"
    right: Carried = "empty"


class Call(Event, frozen=True, kw_only=True, tag="call"):
    """A player, or both, says "spit" or "I can't play"."""

    player: Literal["p1", "p2", "both"]


class Read(Event, frozen=True, kw_only=True, tag="read"):
    """A face became readable: the top at a place of a row, or the card on a middle pile."""

    place: int | Pile
    card: Card
    player: Who = "unknown"


class Layout(Event, frozen=True, kw_only=True, tag="layout"):
    """The tops of a freshly dealt row, from its owner's left (R59)."""

    player: Player
    tops: tuple[Card, ...]


class Tick(Event, frozen=True, kw_only=True, tag="tick"):
    """Time passed."""


AnyEvent = Land | TakeBack | TurnUp | Move | Spit | Refill | Draw | Slap | Hands | Call | Read | Layout | Tick
