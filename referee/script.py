"""What physically happens on a table, without a camera: the truth that a simulated table plays.

A script is what two simulated players do with real cards. The renderer turns it into frames, the simulated pads into
edges, the noise model into observations; the score compares verdicts with it. Times are nanoseconds from the start
of the script.
"""

import msgspec

from referee.cards import Card
from referee.table import Hand, Pile, Player


class Action(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", omit_defaults=True):
    """`at_ns`: when the card touches (or the pad closes); the hand starts moving at `start_ns`."""

    at_ns: int
    start_ns: int
    player: Player


class Deal(Action, frozen=True, kw_only=True, tag="deal"):
    """The player's row lies there: each place bottom to top, all face down but the last; spit cards top first."""

    row: tuple[tuple[Card, ...], ...]
    spit: tuple[Card, ...]


class Lay(Action, frozen=True, kw_only=True, tag="lay"):
    """A row card goes from a place (1..5) onto a middle pile. `legal`, `beaten`, or the reason why not: the intent."""

    place: int
    pile: Pile
    card: Card
    hand: Hand
    dx_mm: float = 0.0
    dy_mm: float = 0.0
    angle_deg: float = 0.0
    """Where it comes to rest relative to the pile's centre and the table's y axis."""
    owner: Player | None = None
    """Whose row the card comes from; None: the own one."""
    intent: str = "legal"
    """What the rules make of it; two cards in one movement are two actions with the same `at_ns`, lower card first."""


class TakeBack(Action, frozen=True, kw_only=True, tag="take_back"):
    """The card goes back from the pile to the place it came from; `place` 0 is the packet of spit cards."""

    place: int
    pile: Pile
    card: Card
    hand: Hand
    owner: Player | None = None
    """Whose row it goes back to; None: the own one."""


class TurnUp(Action, frozen=True, kw_only=True, tag="turn_up"):
    """The face-down top of a place is turned."""

    place: int
    card: Card
    hand: Hand


class Move(Action, frozen=True, kw_only=True, tag="move"):
    """A face-up top goes to an empty place of the own row."""

    place: int
    to_place: int
    card: Card
    hand: Hand


class Refill(Action, frozen=True, kw_only=True, tag="refill"):
    """Bicycle: a gap of the row is filled from the deck."""

    place: int
    card: Card


class SpitDown(Action, frozen=True, kw_only=True, tag="spit"):
    """A spit card is turned onto a middle pile."""

    pile: Pile
    card: Card
    hand: Hand
    dx_mm: float = 0.0
    dy_mm: float = 0.0
    angle_deg: float = 0.0
    intent: str = "legal"


class Slap(Action, frozen=True, kw_only=True, tag="slap"):
    """A hand comes down on a pad. `release_ns`: end of contact."""

    pile: Pile
    hand: Hand
    release_ns: int
    intent: str = "legal"
    """`legal`: the deal is over; `false_slap`: too early; `call`: both own pads at once, "I can't play"."""


class Hover(Action, frozen=True, kw_only=True, tag="hover"):
    """A hand goes over a pile and away again, without a card. `at_ns` is the moment in the middle."""

    pile: Pile
    hand: Hand
    end_ns: int
    height_mm: float = 38.0
    """Of the fingertips over the table; at 4 or less they rest on the pile."""


class Knock(Action, frozen=True, kw_only=True, tag="knock"):
    """A hand pushes a pile a little."""

    pile: Pile
    dx_mm: float
    dy_mm: float
    angle_deg: float


class SquareUp(Action, frozen=True, kw_only=True, tag="square_up"):
    """A hand pushes the cards of a pile together into a tidy packet."""

    pile: Pile
    hand: Hand


class Gather(Action, frozen=True, kw_only=True, tag="gather"):
    """The player takes a middle pile (None: none) and clears the own row away."""

    pile: Pile | None


AnyAction = Deal | Lay | TakeBack | TurnUp | Move | Refill | SpitDown | Slap | Hover | Knock | SquareUp | Gather


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A whole game (or some deals of one), in order of `at_ns`."""

    seed: int
    rules: str
    actions: tuple[AnyAction, ...]
    end_ns: int
