"""Possible worlds: what may have happened so far, each with the table it leads to and its weight.

Most of the time there is one. An event that can be understood in several ways splits it; later readings weigh the
branches against each other until one is left.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from referee.cards import UNREAD, Card
from referee.game.announcements import AnyAnnouncement
from referee.game.position import Lying, Position
from referee.game.rulings import Breach, Doubt, Illegal, Reason, Ruling, Undecided
from referee.observations import PlaceSeen
from referee.rules.rows import Stock, count_cards, place_of_top
from referee.table import OPPONENT, PILES, Pile, Player, Who
from referee.tracker import evidence
from referee.tracker.rows import Lies
from referee.verdicts import Ruling as RulingWord

NO_CARDS: Final = frozenset[Card]()
MOST_WORLDS = 12
MOST_OPINIONS = 6
FORGOTTEN = 1e-8
"""A world with less than this share of the heaviest is forgotten: far below what blame needs."""
FORGOTTEN_IN_PEACE = 1e-5
"""The same as long as the heaviest world blames nobody: what is unlikelier would have to be lifted above it by several
looks in a row before anybody heard of it."""

LEAST_LIKELY = 1e-12
"""Nothing is impossible."""

BURIED_NS = 3_800_000_000
LYING_NS = 5_000_000_000
"""So long a card that has to go back is waited for, if it was played on and if it was not."""

LIFTED = 0.05
"""Likelihood that a top lies in a hand, or that its landing has not been reported yet."""
TURNED = 0.1
"""Likelihood that a face-down top was turned since the last look."""
MOVED = 0.03
STRANGE = 0.003
MISNAMED = 0.003
"""Likelihood that a top shows another face than it was named by: it was misread before."""


class Claim(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one landing was, in one world, and what the rules say to that."""

    at_ns: int
    is_spit: bool
    player: Who
    pile: Pile
    card: Card
    place: int | None
    ruling: Ruling
    word: RulingWord
    reason: str | None
    """The ruling as it is told: by the rules, or as people agreed."""
    top: Card | None
    said: tuple[AnyAnnouncement, ...] = ()
    agreed: RulingWord | None = None
    """What people ruled themselves."""

    @property
    def blames(self) -> bool:
        """Whether it names somebody for a fault that the referee alone has found."""
        return self.agreed is None and isinstance(self.ruling, Illegal) and not self.ruling.blameless

    @property
    def owner(self) -> Who:
        """Whose row it came from, if it came from one."""
        if self.player == "unknown" or self.reason != Breach.NOT_YOUR_CARD:
            return self.player
        return OPPONENT[self.player]

    @property
    def counts(self) -> bool:
        return self.word == "legal" or self.reason in ("unread", "unread_top")


_WORDS: Final[Mapping[Reason, tuple[RulingWord, str]]] = {
    **{breach: ("beaten" if breach is Breach.BEATEN else "illegal", breach.value) for breach in Breach},
    **{doubt: ("cannot_tell", doubt.value) for doubt in Doubt},
}


def in_words(ruling: Ruling) -> tuple[RulingWord, str | None]:
    """How a ruling on a landing is told, and its reason."""
    match ruling:
        case Illegal() | Undecided():
            return _WORDS[ruling.reason]
        case _:
            return "legal", None


NOTHING_LIES: Final[Lies] = ("empty", None)
FACE_DOWN: Final[Lies] = ("down", None)


def waited_for_ns(lying: Lying) -> int:
    """Until when a card that has to go back is waited for."""
    return lying.at_ns + (BURIED_NS if lying.buried else LYING_NS)


class WorkedOut(msgspec.Struct, eq=False, gc=False):
    """What follows from a world whatever its weight, worked out when it is first asked for."""

    away: frozenset[Card] | None = None
    in_the_middle: frozenset[Card] | None = None
    p1: tuple[Lies, ...] | None = None
    p2: tuple[Lies, ...] | None = None
    key: tuple[object, ...] | None = None
    waits_ns: int | None = None


class World(msgspec.Struct, frozen=True, gc=False):
    """One understanding of the game. `claims` are the landings that are not settled yet, by their numbers."""

    position: Position
    log_weight: float = 0.0
    claims: Mapping[int, Claim] = {}
    stayed: frozenset[Card] = frozenset()
    """Cards that had to go back and were left lying: they count where they lie, and no row waits for them."""
    worked_out: WorkedOut = msgspec.field(default_factory=WorkedOut)
    """Shared by all worlds that differ in nothing but their weight."""

    @property
    def away(self) -> frozenset[Card]:
        """Cards that belong to a row by the rules but lie on a middle pile."""
        away = self.worked_out.away
        if away is None:
            lying = self.position.A.lying + self.position.B.lying
            away = self.worked_out.away = frozenset([one.card for one in lying]) - self.stayed if lying else NO_CARDS
        return away

    @property
    def waits_ns(self) -> int:
        """Until when the first of the cards that have to go back to a row is waited for; far in the future if there is
        none. A player's last card is waited for as long as it takes."""
        until_ns = self.worked_out.waits_ns
        if until_ns is None:
            position, until_ns = self.position, 2**62
            for one in position.A.lying + position.B.lying:
                if one.card not in self.stayed and waited_for_ns(one) < until_ns:
                    rows = (position.p1.row, position.p2.row)
                    if any(place_of_top(row, one.card) and count_cards(row) > 1 for row in rows):
                        until_ns = waited_for_ns(one)
            self.worked_out.waits_ns = until_ns
        return until_ns

    @property
    def in_the_middle(self) -> frozenset[Card]:
        """Cards that lie on the middle piles for all to see: the tops, and what lies over them."""
        cards = self.worked_out.in_the_middle
        if cards is None:
            tops = [top for top in (self.position.A.top, self.position.B.top) if top is not None and top != UNREAD]
            cards = self.worked_out.in_the_middle = self.away.union(tops)
        return cards

    def lies(self, player: Player) -> tuple[Lies, ...]:
        """What the places of a player's row physically show, from his left."""
        lies = self.worked_out.p1 if player == "p1" else self.worked_out.p2
        if lies is None:
            away = self.away
            lies = tuple([_lies(stock, away) for stock in self.position.side(player).row])
            if player == "p1":
                self.worked_out.p1 = lies
            else:
                self.worked_out.p2 = lies
        return lies

    @property
    def forgotten(self) -> float:
        """The share of its weight under which other worlds are forgotten beside this one, if it is the heaviest."""
        return FORGOTTEN if any(claim.blames for claim in self.claims.values()) else FORGOTTEN_IN_PEACE

    def top(self, pile: Pile) -> Card | None:
        """The card that lies on a middle pile, whether it counts or not."""
        position = self.position
        middle = position.A if pile == "A" else position.B
        return middle.physical_top if middle.lying else middle.top

    def weighted(self, log_weight: float) -> "World":
        return World(self.position, log_weight, self.claims, self.stayed, self.worked_out)

    def weight_if(self, likelihood: float) -> float:
        """Its weight, as a logarithm, after something was seen that is so likely in it."""
        return self.log_weight + math.log(likelihood if likelihood > LEAST_LIKELY else LEAST_LIKELY)

    def weighed(self, likelihood: float) -> "World":
        return self.weighted(self.weight_if(likelihood))

    def with_claims(self, claims: Mapping[int, Claim]) -> "World":
        """The same table, with other landings that are to be told."""
        known = self.worked_out
        return World(self.position, self.log_weight, claims, self.stayed,
                     WorkedOut(known.away, known.in_the_middle, known.p1, known.p2, None, known.waits_ns))  # fmt: skip

    def moved_to(self, position: Position) -> "World":
        return World(position, self.log_weight, self.claims, self.stayed)

    def without_races(self, before_ns: int) -> "World":
        """The world once nobody can be beaten any more by a card that came down before this moment."""
        position = self.position
        for pile in PILES:
            covers = position.middle(pile).covers
            if covers and covers[0].at_ns < before_ns:
                position = position.with_middle(pile, covers=tuple([c for c in covers if c.at_ns >= before_ns]))
        return self if position is self.position else self.moved_to(position)

    @property
    def key(self) -> tuple[object, ...]:
        """Two worlds with the same key lie alike, whatever led to them, leave the same to be told, and the same races
        are open."""
        key = self.worked_out.key
        if key is None:
            p = self.position
            a, b, p1, p2 = p.A, p.B, p.p1, p.p2
            lying = tuple([one.card for one in a.lying + b.lying]) if a.lying or b.lying else ()
            claims = [(n, one.word, one.reason, one.card, one.player) for n, one in self.claims.items() if n > 0]
            if len(claims) > 1:
                claims.sort()
            raced = tuple([cover.top for cover in a.covers + b.covers]) if a.covers or b.covers else ()
            key = self.worked_out.key = (
                p.phase, p1.row, p2.row, p1.packet, p2.packet, a.top, b.top, a.count, b.count, lying, tuple(claims),
                raced,
            )  # fmt: skip
        return key


def _lies(stock: Stock, away: frozenset[Card]) -> Lies:
    up = stock.up
    if away:
        while up and up[-1] in away:
            up = up[:-1]
    if up:
        return "face", up[-1]
    return FACE_DOWN if stock.down else NOTHING_LIES


def lies_at(world: World, player: Player, place: int) -> Lies:
    """What a place of a row physically shows in a world; nothing lies beyond the row."""
    lies = world.lies(player)
    return lies[place - 1] if 0 < place <= len(lies) else NOTHING_LIES


def look_likelihood(seen: PlaceSeen, kind: str, lies: Lies) -> float:
    """How well a look at a place, which shows `kind`, fits what is thought to lie there; a few things may have happened
    since. For a face where none is expected there is `face_likelihood`."""
    expected, face = lies
    if expected == "face" and face is not None:
        return max(evidence.card_likelihood(seen.cards, face), MISNAMED) if kind == "face" else LIFTED
    return 1.0 if kind == expected else STRANGE


def face_likelihood(seen: PlaceSeen, card: Card, expected: str, world: World, player: Player) -> float:
    """How well a face fits a world in which the place shows none: something was turned or moved, or it is misread."""
    position = world.position
    if card in (position.A.top, position.B.top) or card in world.away:
        other = max(1.0 - seen.cards.get(card, 0.0), evidence.SURELY_WRONG)
        return (TURNED if expected == "down" else STRANGE) * other
    is_row_top = any(stock.top == card for stock in position.side(player).row)
    if expected == "down":
        return TURNED / 2 if is_row_top else TURNED
    return MOVED if is_row_top else STRANGE


Weighed = list[tuple[float, World]]
"""Worlds with the logarithms of their new weights."""


def pruned(worlds: Iterable[World]) -> tuple[World, ...]:
    """Worlds that lie alike become one; the negligible are dropped; the heaviest comes first with weight 1."""
    worlds = tuple(worlds)
    if len(worlds) == 1:
        return (worlds[0].weighted(0.0),)
    different: dict[tuple[object, ...], tuple[float, World]] = {}
    for world in worlds:
        key, weighed = world.key, (world.log_weight, world)
        other = different.setdefault(key, weighed)
        if other is not weighed:
            heavy, light = (weighed, other) if weighed[0] > other[0] else (other, weighed)
            different[key] = heavy[0] + math.log1p(math.exp(light[0] - heavy[0])), heavy[1]
    return _by_weight(list(different.values()))


def reweighed(worlds: tuple[World, ...], likelihoods: list[float]) -> tuple[World, ...]:
    """Different worlds after a look that fits each so well."""
    return _by_weight([(world.weight_if(fits), world) for world, fits in zip(worlds, likelihoods, strict=True)])


def _by_weight(weighed: Weighed) -> tuple[World, ...]:
    """The heaviest first, with weight 1; the negligible are dropped."""
    if len(weighed) == 1:
        return (weighed[0][1].weighted(0.0),)
    weighed.sort(key=_lightness)
    heaviest = weighed[0][0]
    least = heaviest + math.log(weighed[0][1].forgotten)
    others = _other_opinions(weighed) if len(weighed) > MOST_WORLDS else []
    return tuple([world.weighted(weight - heaviest) for weight, world in (*weighed[:MOST_WORLDS], *others)
                  if weight > least])  # fmt: skip


def _lightness(weighed: tuple[float, World]) -> float:
    return -weighed[0]


def _other_opinions(ordered: Weighed) -> Weighed:
    """Of the worlds beyond the most, the heaviest of each that rules otherwise than all before it: many worlds that
    blame somebody, each for another card, must not crowd out the one that excuses him."""
    heard = {_opinion(world) for _, world in ordered[:MOST_WORLDS]}
    others: Weighed = []
    for weight, world in ordered[MOST_WORLDS:]:
        opinion = _opinion(world)
        if opinion not in heard and len(others) < MOST_OPINIONS:
            heard.add(opinion)
            others.append((weight, world))
    return others


def _opinion(world: World) -> tuple[tuple[int, str, bool, Who | None], ...]:
    """What a world says of the landings that are not settled, and whom it blames for them."""
    return tuple([(n, claim.word, claim.is_spit, claim.player if claim.blames else None)
                  for n, claim in world.claims.items() if n > 0])  # fmt: skip


def has_more_than(share: float, worlds: tuple[World, ...]) -> bool:
    """Whether the likeliest world, the first of them, has more than this share of all."""
    if len(worlds) == 1:
        return True
    return math.exp(worlds[1].log_weight - worlds[0].log_weight) < 1 / share - 1 and shares(worlds)[0] > share


def shares(worlds: tuple[World, ...]) -> list[float]:
    """The probability of each world."""
    weights = [math.exp(world.log_weight) for world in worlds]
    total = sum(weights)
    return [weight / total for weight in weights]
