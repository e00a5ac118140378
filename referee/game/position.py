"""The whole table as one frozen value: what lies where by the rules, what lies there beside the rules, what is due.

The *logical* top of a middle pile is the last card that counts; cards that have to go back may lie over it
(`Middle.lying`). Every handler of an event returns a new position, so a copy costs nothing and nothing is undone by
hand. Values hold only values, so the garbage collector need not follow them (`gc=False`).
"""

from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from referee.cards import PACK_WITH_JOKERS, UNREAD, Card
from referee.game.phases import Cause, Phase, next_phase
from referee.game.rulings import Breach
from referee.rules.deals import OWN_PILE
from referee.rules.rows import Row, count_cards
from referee.rules.rule_set import RuleSet
from referee.rules.stuck import can_still_play
from referee.table import PILES, PLAYERS, Pile, Player, Who

Due = Pile | Literal["any"]

LONG_AGO: Final = -(2**62)
"""A moment before everything."""

_BIT: Final = {card: 1 << n for n, card in enumerate(PACK_WITH_JOKERS)}


def seen_bits(cards: Iterable[Card]) -> int:
    """The cards as `Position.seen` holds them."""
    bits = 0
    for card in cards:
        bits |= _BIT.get(card, 0)
    return bits


class Lying(msgspec.Struct, frozen=True, gc=False):
    """A card that has to go back to its row (or its packet) and still lies on a middle pile."""

    card: Card
    who: Who
    reason: Breach | None
    """None: nobody can say which of two cards was first (R31)."""
    at_ns: int
    buried: bool = False
    """A card that counts was played over it since."""


class Cover(msgspec.Struct, frozen=True, gc=False):
    """A top that was covered by a card that counts: whoever aimed at it may be beaten (R31)."""

    top: Card
    by: Who
    at_ns: int


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where a card came from: a place of a row, the hand of Speed, a packet, or nobody knows (`astray`)."""

    player: Player | None
    place: int | Literal["hand", "packet", "astray"]


class Unread(msgspec.Struct, frozen=True, gc=False):
    """A card on a middle pile that counts but was not read; what is needed to judge it once it is."""

    who: Who
    under: Card | None
    """The top it covered; None for a spit card and for one on another unread card, of which nothing is to be judged."""
    source: Source


class Middle(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A middle pile."""

    top: Card | None = None
    """The logical top; None as long as the pile is not started."""
    count: int = 0
    started_by: Player | None = None
    outer: int = 0
    """Speed: cards of the outer stack beside it (R84)."""
    covers: tuple[Cover, ...] = ()
    """What was covered of late, the last one last."""
    lying: tuple[Lying, ...] = ()
    unread: Unread | None = None
    touched_ns: tuple[int, int, int] = (LONG_AGO, LONG_AGO, LONG_AGO)
    """When a card of p1, of p2 and of nobody known last came down here."""

    @property
    def physical_top(self) -> Card | None:
        """The card that a camera sees on top."""
        if self.lying and not self.lying[-1].buried:
            return self.lying[-1].card
        return self.top


class Side(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A player's side of the table."""

    row: Row = ()
    packet: int = 0
    """Face-down cards apart from the row: spit cards, a Bicycle deck, or the stock of Speed."""
    hand: int = 0
    """Cards held in Speed (R83)."""
    due: tuple[Due, ...] = ()
    """Middle piles on which this player still has to turn a spit card."""
    has_spat: bool = False
    """Whether he turned one since spit was last called."""
    has_called: bool = False
    """Whether he said that he cannot play, and nothing changed since."""
    left_acted_ns: int = LONG_AGO
    """When his left hand was last seen to act, whatever became of it (R27)."""
    right_acted_ns: int = LONG_AGO
    carries_two: bool = False
    """Both hands were last seen carrying row cards."""
    astray: int = 0
    """Cards that lie in the middle, but nobody saw which place of the row they left."""

    @property
    def count(self) -> int:
        """All cards that are his, on the table and in his hands."""
        return count_cards(self.row) + self.packet + self.hand - self.astray


class Position(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The table between two events."""

    phase: Phase
    p1: Side
    p2: Side
    A: Middle = Middle()
    B: Middle = Middle()
    piles: Literal[1, 2] = 2
    total: int = 52
    cleared_by: Player | None = None
    """Who cleared his row; None if the deal was blocked, or if both did and nobody was first."""
    ended_ns: int = LONG_AGO
    """When the last deal ended."""
    ended_on: Pile | None = None
    """Where the last card of a deal lies, also while it is open whether it ended the deal."""
    solo_pile: Pile | None = None
    """The pile that the lone spitter chose in this deal (R44)."""
    seen: int = 0
    """The cards known to lie in the middle, one bit each (R4)."""
    astray: int = 0
    """Cards on the middle piles that came from nobody knows whose row; both rows still count them."""

    def side(self, player: Player) -> Side:
        return self.p1 if player == "p1" else self.p2

    def middle(self, pile: Pile) -> Middle:
        return self.A if pile == "A" else self.B

    def with_side(self, player: Player, **changes: Any) -> "Position":
        return self.seat(player, replace(self.side(player), **changes))

    def with_middle(self, pile: Pile, **changes: Any) -> "Position":
        return self.put(pile, replace(self.middle(pile), **changes))

    def seat(self, player: Player, side: Side) -> "Position":
        return replace(self, p1=side) if player == "p1" else replace(self, p2=side)

    def put(self, pile: Pile, middle: Middle) -> "Position":
        return replace(self, A=middle) if pile == "A" else replace(self, B=middle)

    def enter(self, cause: Cause, **changes: Any) -> "Position":
        """The position in the next phase, by the table of phases."""
        return replace(self, phase=next_phase(self.phase, cause), **changes)

    @property
    def piles_in_use(self) -> tuple[Pile, ...]:
        return PILES if self.piles == 2 else ("A",)

    @property
    def tops(self) -> tuple[Card, ...]:
        """The logical tops of the piles that are started."""
        a, b = self.A.top, self.B.top if self.piles == 2 else None
        if a is not None and b is not None:
            return (a, b)
        return tuple(top for top in (a, b) if top is not None)

    @property
    def is_started(self) -> bool:
        """Whether a middle pile of this deal has been started."""
        return self.A.count > 0 or self.B.count > 0

    @property
    def due(self) -> bool:
        """Whether somebody still has to turn a spit card."""
        return bool(self.p1.due or self.p2.due)

    @property
    def must_go_back(self) -> tuple[tuple[Pile, Lying], ...]:
        """Cards that lie on the middle piles and do not belong there, the lowest first."""
        return tuple((pile, lying) for pile in PILES for lying in self.middle(pile).lying)

    @property
    def in_game(self) -> int:
        """Cards in all places: always `total`."""
        middle = self.A.count + self.B.count + self.A.outer + self.B.outer
        return self.p1.count + self.p2.count + middle - self.astray

    def own_pile(self, player: Player) -> Pile:
        """The pile on which a player spits (R41); the single pile is everybody's."""
        return OWN_PILE[player] if self.piles == 2 else "A"

    def can(self, player: Player, rules: RuleSet) -> bool | None:
        """Whether the player can still do something (R40); None if that depends on what is not known."""
        side = self.side(player)
        can = can_still_play(side.row, self.tops, rules, side.packet)
        if can is False and self.phase is Phase.PLAY and rules.has_slap and not count_cards(side.row):
            return None  # his last card was not read, so it is open whether the deal is over
        return can

    @property
    def has_twins(self) -> bool:
        """Whether each player brought a pack, so that every card exists twice (R72)."""
        return self.total > len(_BIT)

    def knows_in_middle(self, card: Card) -> bool:
        """Whether the card is known to lie in the middle, so that it cannot land again (R4)."""
        return bool(self.seen & _BIT.get(card, 0)) and not self.has_twins

    def with_seen(self, card: Card) -> int:
        """`seen` with one more card."""
        return self.seen | _BIT.get(card, 0)

    def without_seen(self, card: Card) -> int:
        """`seen` with one card less."""
        return self.seen & ~_BIT.get(card, 0)

    def shows(self, card: Card) -> tuple[Player, ...]:
        """The players whose rows show the card as a top."""
        return tuple(
            player for player in PLAYERS if any(stock.up and stock.up[-1] == card for stock in self.side(player).row)
        )


def holder(position: Position, card: Card, said: Who) -> Who:
    """Who played the card: the player whose hand was seen, else the only one whose row shows it (R20)."""
    if said != "unknown" or card == UNREAD:
        return said
    showing = position.shows(card)
    return showing[0] if len(showing) == 1 else "unknown"
