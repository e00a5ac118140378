"""Possible worlds: what may have happened so far, each with the table it leads to and its weight.

Most of the time there is one. An event that can be understood in several ways splits it; later readings weigh the
branches against each other until one is left.
"""

import math
from collections.abc import Iterable, Mapping

import msgspec

from referee.cards import Card
from referee.game.announcements import AnyAnnouncement
from referee.game.position import Position
from referee.game.rulings import Illegal, Ruling, Undecided
from referee.observations import PlaceSeen
from referee.table import PILES, Pile, Player, Who
from referee.tracker import evidence
from referee.verdicts import Ruling as RulingWord

MOST_WORLDS = 12
NEGLIGIBLE = math.log(1e-8)
"""A branch this much lighter than the heaviest is forgotten: far below what blame needs."""

LIFTED = 0.05
"""Likelihood that a top lies in a hand, or that its landing has not been reported yet."""
TURNED = 0.1
"""Likelihood that a face-down top was turned since the last look."""
MOVED = 0.03
STRANGE = 0.003
MISNAMED = 0.003
"""Likelihood that a top shows another face than it was named by: it was misread before."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What one landing was, in one world, and what the rules say to that."""

    at_ns: int
    is_spit: bool
    player: Who
    pile: Pile
    card: Card
    place: int | None
    ruling: Ruling
    top: Card | None
    said: tuple[AnyAnnouncement, ...] = ()
    agreed: RulingWord | None = None
    """What people ruled themselves."""

    @property
    def word(self) -> RulingWord:
        if self.agreed is not None:
            return self.agreed
        match self.ruling:
            case Illegal(reason=reason):
                return "beaten" if reason.value == "beaten" else "illegal"
            case Undecided():
                return "cannot_tell"
            case _:
                return "legal"

    @property
    def reason(self) -> str | None:
        if self.agreed is not None:
            return None
        return self.ruling.reason.value if isinstance(self.ruling, Illegal | Undecided) else None

    @property
    def blames(self) -> bool:
        """Whether it names somebody for a fault that the referee alone has found."""
        return self.agreed is None and isinstance(self.ruling, Illegal) and not self.ruling.blameless

    @property
    def counts(self) -> bool:
        return self.word == "legal" or self.reason in ("unread", "unread_top")


class World(msgspec.Struct, frozen=True):
    """One understanding of the game. `claims` are the landings that are not settled yet, by their numbers."""

    position: Position
    log_weight: float = 0.0
    claims: Mapping[int, Claim] = {}
    stayed: frozenset[Card] = frozenset()
    """Cards that had to go back and were left lying: they count where they lie, and no row waits for them."""

    @property
    def away(self) -> frozenset[Card]:
        """Cards that belong to a row by the rules but lie on a middle pile."""
        position = self.position
        if not position.A.lying and not position.B.lying:
            return frozenset()
        lying = (one.card for pile in PILES for one in position.middle(pile).lying)
        return frozenset(lying) - self.stayed

    def weighed(self, likelihood: float) -> "World":
        log_weight = self.log_weight + math.log(max(likelihood, 1e-12))
        return World(self.position, log_weight, self.claims, self.stayed)

    def moved_to(self, position: Position) -> "World":
        return World(position, self.log_weight, self.claims, self.stayed)

    def key(self) -> tuple[object, ...]:
        """Two worlds with the same key lie alike, whatever led to them."""
        p = self.position
        lying = tuple(one.card for pile in PILES for one in p.middle(pile).lying)
        return (p.phase, p.p1.row, p.p2.row, p.p1.packet, p.p2.packet, p.A.top, p.B.top, p.A.count, p.B.count, lying)


def lies_at(position: Position, away: frozenset[Card], player: Player, place: int) -> tuple[str, Card | None]:
    """What a place of a row physically shows: `face` with its card, `down` or `empty`."""
    row = position.side(player).row
    if not 0 < place <= len(row):
        return "empty", None
    stock = row[place - 1]
    up = stock.up
    while up and up[-1] in away:
        up = up[:-1]
    if up:
        return "face", up[-1]
    return ("down", None) if stock.down else ("empty", None)


def look_likelihood(
    seen: PlaceSeen, lies: tuple[str, Card | None], gone: frozenset[Card], row_tops: set[Card]
) -> float:
    """How well a look at a place fits what lies there in a world; a few things may have happened since."""
    kind, card = evidence.kind_of(seen)
    if kind == "hidden":
        return 1.0
    expected, face = lies
    if expected == "face" and face is not None:
        return max(evidence.card_likelihood(seen.cards, face), MISNAMED) if kind == "face" else LIFTED
    if kind == expected:
        return 1.0
    if kind != "face" or card is None:
        return STRANGE
    if card in gone:
        return evidence.rest_of(seen.cards)
    if expected == "down":
        return TURNED / 2 if card in row_tops else TURNED
    return MOVED if card in row_tops else STRANGE


def pruned(worlds: Iterable[World]) -> tuple[World, ...]:
    """Worlds that lie alike become one; the negligible are dropped; the heaviest comes first with weight 1."""
    best: dict[tuple[object, ...], World] = {}
    for world in worlds:
        claims = sorted((n, c.word, c.reason or "", c.card, c.player) for n, c in world.claims.items() if n > 0)
        key = (world.key(), tuple(claims))
        other = best.get(key)
        if other is not None:
            heavy, light = (world, other) if world.log_weight > other.log_weight else (other, world)
            total = heavy.log_weight + math.log1p(math.exp(light.log_weight - heavy.log_weight))
            world = World(heavy.position, total, heavy.claims, heavy.stayed)
        best[key] = world
    ordered = sorted(best.values(), key=lambda world: -world.log_weight)[:MOST_WORLDS]
    heaviest = ordered[0].log_weight
    return tuple(
        World(world.position, world.log_weight - heaviest, world.claims, world.stayed)
        for world in ordered
        if world.log_weight - heaviest > NEGLIGIBLE
    )


def shares(worlds: tuple[World, ...]) -> list[float]:
    """The probability of each world."""
    weights = [math.exp(world.log_weight) for world in worlds]
    total = sum(weights)
    return [weight / total for weight in weights]
