"""What a person sees of a game: moments to step through, spans of time, deals. Values only; times count from its start.

A moment joins what was seen with what was ruled about it, and holds all that a reader needs to check the ruling.
"""

from typing import Final, Literal

import msgspec

from referee.cards import Card
from referee.log import Header, Trouble
from referee.table import Pile, Player, Who

Kind = Literal[
    "play",
    "spit",
    "taken_back",
    "left_lying",
    "row",
    "breach",
    "slap",
    "dead_heat",
    "award",
    "called",
    "stuck",
    "not_stuck",
    "spit_call",
    "deal_over",
    "next_deal",
    "game_over",
    "cannot_tell",
    "back_in_step",
    "paused",
    "resumed",
    "corrected",
    "undo",
    "continued",
]

LANDINGS: Final = ("play", "spit")
"""The moments at which a card came down on a middle pile."""

DISPUTED_KINDS: Final = ("left_lying", "breach", "dead_heat", "not_stuck", "cannot_tell", "undo")
DISPUTED_RULINGS: Final = ("illegal", "beaten", "cannot_tell", "false_slap")


class Edge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One contact of a pad, from first touch to release; `end_ns` None: the release was not logged."""

    player: Who
    pile: Pile
    start_ns: int
    end_ns: int | None = None
    uncertainty_ns: int = 0


class Duel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two hands for one pile: the pads' contacts around the decision, and by how much the first one was ahead."""

    edges: tuple[Edge, ...]
    first: Who = "unknown"
    margin_us: float | None = None
    uncertainty_us: float | None = None


class Chance(msgspec.Struct, frozen=True, kw_only=True):
    """A card that could have been played: it lay on top of its row and fitted the pile from `start_ns` to `end_ns`."""

    player: Player
    place: int
    card: Card
    pile: Pile
    start_ns: int
    end_ns: int


class Shot(msgspec.Struct, frozen=True):
    """A picture of the film around an event."""

    at_ns: int
    name: str


class Lying(msgspec.Struct, frozen=True):
    """A card on a pile. `counts` False: it lies there, but the card under it is still the top."""

    card: Card
    counts: bool = True


class Moment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened at one time. `n` is its number in the log: the observation's, else the verdict's;
    negative for a restart of the referee, which has none."""

    n: int
    at_ns: int
    kind: Kind
    deal: int = 1
    player: Who = "unknown"
    pile: Pile | None = None
    card: Card | None = None
    p: float | None = None
    """Probability of the card."""
    odds: dict[Card, float] = {}
    """What the eyes thought it may be, the likeliest first."""
    ruling: str | None = None
    """None: nobody judged it, for instance because the log ends before."""
    reason: str | None = None
    rule: str | None = None
    sentence: str = ""
    action: str = ""
    """What was done in the row: `turn_up`, `move`, `refill`, `draw`, `layout`."""
    place: int | None = None
    to_place: int | None = None
    takes: dict[Player, Pile] = {}
    """Who was awarded which pile."""
    top: Card | None = None
    """The card that counted as the pile's top when it was judged."""
    early_ns: int | None = None
    late_ns: int | None = None
    """Bounds of the touch, where the sensor gave them."""
    decided_ns: int | None = None
    since_ns: int | None = None
    """Time since the last landing of this deal."""
    before: dict[Pile, tuple[Lying, ...]] = {}
    after: dict[Pile, tuple[Lying, ...]] = {}
    """The uppermost cards of both piles as they lay, top last: down to the one that counts."""
    frame: str | None = None
    frame_before: str | None = None
    """Names of pictures: the piles as this landing left them, and as the one before left them."""
    strip: tuple[Shot, ...] = ()
    """The film around it, where the log has one."""
    duel: Duel | None = None
    chances: tuple[Chance, ...] | None = None
    """At a refused call: what lay there to be played, for as long as it did; None: not claimed."""
    was: str = ""
    """What was said before a correction or a better reading."""
    dismissed: bool = False
    """A person said that it did not happen."""

    @property
    def is_landing(self) -> bool:
        return self.kind in LANDINGS

    @property
    def is_dispute(self) -> bool:
        return self.kind in DISPUTED_KINDS or self.ruling in DISPUTED_RULINGS or self.dismissed or bool(self.was)


class Span(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stretch of time. `drought`: in play, nobody landed a card for two seconds or more."""

    kind: Literal["stuck", "paused", "drought", "out_of_step"]
    start_ns: int
    end_ns: int
    reason: str = ""
    chances: tuple[Chance, ...] | None = None
    """None: the rows were not seen, or the deal has not ended, so nothing is claimed."""


class Deal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One deal: from its first spit (`play_ns`) until it ended."""

    number: int
    start_ns: int
    end_ns: int
    play_ns: int | None = None
    over_ns: int | None = None
    result: str = ""

    @property
    def is_over(self) -> bool:
        return self.over_ns is not None


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """A whole game, ready to be shown. `troubles`: what the log lacks; `closed`: it was ended in order."""

    name: str
    header: Header
    moments: tuple[Moment, ...]
    spans: tuple[Span, ...]
    deals: tuple[Deal, ...]
    length_ns: int
    result: str
    troubles: tuple[Trouble, ...]
    closed: bool
    is_cut_short: bool = False
    """The log goes on: only its first hours are shown."""
