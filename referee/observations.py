"""What sensors saw. The only input of the tracker: frozen values that carry their own moment and survive JSON.

Every observation is stamped where it was sensed (`at_ns`, CLOCK_MONOTONIC). Whatever a sensor is not sure of is a
distribution: a mapping from the possibilities to probabilities that add up to at most 1; what is missing to 1 is
"something else".
"""

from typing import Literal

import msgspec

from referee.cards import Card
from referee.table import Hand, Pile, Player

CardOdds = dict[Card, float]
PlayerOdds = dict[Player, float]


class Observation(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True, gc=False):
    """Base of everything that a sensor saw."""

    at_ns: int


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One guess where a landed card came from: a place of a row, or the spit cards (`place` None), with its odds."""

    player: Player
    place: int | None = None
    p: float


class CardLanded(Observation, frozen=True, kw_only=True, tag="card_landed"):
    """A card came to rest on a middle pile. `at_ns` is the estimated first touch, inside `[earliest_ns, latest_ns]`.

    `cards` empty: something landed that could not be read. `origins` empty: nobody saw where it came from.
    """

    pile: Pile
    earliest_ns: int
    latest_ns: int
    cards: CardOdds
    players: PlayerOdds
    origins: tuple[Origin, ...] = ()
    hand: Hand | None = None
    together: int = 1
    """How many cards came down in one movement (R26)."""
    frame: str | None = None
    """Name of the picture that shows it, under the game's `frames/`."""


class CardTakenBack(Observation, frozen=True, kw_only=True, tag="card_taken_back"):
    """The top card of a middle pile was taken off again; `cards` is the card that was taken."""

    pile: Pile
    cards: CardOdds
    players: PlayerOdds
    frame: str | None = None


class PileRead(Observation, frozen=True, kw_only=True, tag="pile_read"):
    """A lying top card was read again: about every 0.5 s, and at once after hands have left."""

    pile: Pile
    cards: CardOdds
    empty: float = 0.0
    """Probability that nothing lies there."""


class PlaceSeen(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One place of a row: odds of each face, of a face-down top, and of an empty place; the rest is "hidden"."""

    cards: CardOdds = {}
    face_down: float = 0.0
    empty: float = 0.0


class RowRead(Observation, frozen=True, kw_only=True, tag="row_read"):
    """A player's row as it lay, places 1..5 from its owner's left. A hidden place is a `PlaceSeen` without odds."""

    player: Player
    places: tuple[PlaceSeen, ...]


class PilesTaken(Observation, frozen=True, kw_only=True, tag="piles_taken"):
    """A whole middle pile was picked up (after the slap)."""

    pile: Pile
    players: PlayerOdds


class HandsSeen(Observation, frozen=True, kw_only=True, tag="hands_seen"):
    """Whether hands were over the piles and rows from now on; the tracker calls stuck only over a still table (R40)."""

    players: tuple[Player, ...]
    """Whose hands are in view; empty: the table is clear."""


class PadSlapped(Observation, frozen=True, kw_only=True, tag="pad_slapped"):
    """First contact of a slap pad. `player` None: a shared pad, the hand is told by the camera or not at all."""

    player: Player | None
    pile: Pile
    uncertainty_ns: int
    """Half-width of the stamp's measured uncertainty."""
    under: bool = False
    """The camera saw this hand underneath the other (R54)."""


class PadReleased(Observation, frozen=True, kw_only=True, tag="pad_released"):
    """End of a contact, for gestures and for the replay's strip."""

    player: Player | None
    pile: Pile
    contact_ns: int


class Called(Observation, frozen=True, kw_only=True, tag="called"):
    """A player says "I can't play" (both own pads together), or "ready" (both own pads held)."""

    player: Player
    word: Literal["spit", "ready"]


class Undo(Observation, frozen=True, kw_only=True, tag="undo"):
    """All four pads for two seconds: take the last call back."""


class Correction(Observation, frozen=True, kw_only=True, tag="correction"):
    """A person knows better. `of` is the `n` in the log of the landing, slap, look or verdict that it is about, or of
    an earlier correction; what is left out stays as it was."""

    of: int
    card: Card | None = None
    player: Player | None = None
    pile: Pile | None = None
    place: int | None = None
    """Of a look at a row: the place whose top is `card`."""
    ruling: str | None = None
    """What the players agreed on: `legal`, `illegal` or `beaten`, whatever the rules say."""
    first: Player | None = None
    """Of a decided or undecided slap: who was first on the pads; with `pile`, which one he takes."""
    missed_ns: int | None = None
    """The referee missed a landing near `of`: `card` of `player` touched `pile` at this moment."""
    dismiss: bool = False
    """It did not happen at all; of an earlier correction: it is taken back."""
    by: str = ""


class Recount(Observation, frozen=True, kw_only=True, tag="recount"):
    """A person counted: true numbers of hidden cards."""

    player: Player
    row: tuple[int, ...] | None = None
    spit: int | None = None


class Tick(Observation, frozen=True, kw_only=True, tag="tick"):
    """Time passed and nothing was seen."""


class SensorLost(Observation, frozen=True, kw_only=True, tag="sensor_lost"):
    """A sensor stopped telling the truth; play is paused until it is back."""

    sensor: Literal["camera", "pads", "table", "light"]
    reason: str


class SensorBack(Observation, frozen=True, kw_only=True, tag="sensor_back"):
    """A lost sensor tells the truth again."""

    sensor: Literal["camera", "pads", "table", "light"]


AnyObservation = (
    CardLanded
    | CardTakenBack
    | PileRead
    | RowRead
    | PilesTaken
    | HandsSeen
    | PadSlapped
    | PadReleased
    | Called
    | Undo
    | Correction
    | Recount
    | Tick
    | SensorLost
    | SensorBack
)
"""The closed list: what the log holds and the tracker understands."""
