"""Whose card was it? The row that lost the same card, and the hand that was at the pile."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hardware.tablefile import SPIT_CENTRES_MM, Points
from hardware.vision.landings import Landed
from hardware.vision.rows import Departure
from hardware.vision.tops import Top
from referee.cards import Card
from referee.observations import CardOdds, Origin, PlayerOdds
from referee.table import PLAYERS, Player

LEFT_BEFORE_NS: Final = 1_500_000_000
"""A card on a pile left its row at most so long before it touched."""
CARRY_NS: Final = 50_000_000
"""A card that still lay in its row so long before a touch is not the one that touched."""
REMEMBER_NS: Final = 10_000_000_000
UNSEEN: Final = 0.0004
"""Odds of a card that comes from the spit cards, or from where nobody saw, before anything else is known."""
LATER: Final = 0.1
"""Odds that a card is from a player whose hand was at the pile before or after it touched, but not then."""
STIRS: Final = 0.05
"""From this share on something comes across the strip before a player's row."""
RESTED: Final = 0.15
"""Odds that a card is from a hand that has rested there, while the other one came."""
STRANGER: Final = 0.02
"""Odds that a card is from a player whose hand was not seen at the pile."""
KNOWN: Final = 0.5
SURELY_IT: Final = 0.9
CLEARLY_READ: Final = 0.98
ANY_CARD: Final = 0.0006
"""Odds of each card when cards left the rows just before, that it is none of them."""
UNNAMED: Final = 0.003
"""Share of what a reading leaves open that belongs to one card which it does not name."""
HARDLY: Final = 0.001
"""A reading leaves out the cards that are less likely than this."""
CARDS: Final = 52
HOVERED: Final = 0.3
"""Odds that a card has left over which a hand still is, against one that is seen to be gone."""
WRONG_WAY: Final = 0.02
"""Odds of a card that came from somewhere else."""
FAR_MM: Final = 15.0
WRONG_WAY_FAR: Final = 0.004
"""The same for a thrown card that was followed from so far."""
LEAST_FIT: Final = 0.005
"""A card that is missed in a row is from there, whatever hands and ways seem to say."""
THROWN: Final = 0.3
"""Odds that a thrown card is from a player whose hand was not seen at the pile."""
WIDE: Final = 5.0
"""How fast the odds fall with the angle between where a card came from and where it should have lain."""
UNKNOWN_PLACE: Final = 0.3
"""Odds that a card nobody saw leave came from a row, against the spit cards."""
WRONG_END: Final = 0.05
"""Odds of a hand that covered the other player's end of its card."""


@dataclass(frozen=True, slots=True)
class _Used:
    player: Player
    place: int | None
    card: Card
    at_ns: int


class Whose:
    """Gives each landing its origins, and remembers which departures are thereby explained."""

    def __init__(self, rows_mm: Mapping[Player, Sequence[Points]]) -> None:
        """`rows_mm`: for each player the outlines of the five places, in mm on the table."""
        self._used: list[_Used] = []
        self._from_mm: dict[tuple[Player, int], tuple[float, float]] = {
            **{(player, 0): SPIT_CENTRES_MM[player] for player in PLAYERS},
            **{(who, n): _middle(place) for who, row in rows_mm.items() for n, place in enumerate(row, 1)},
        }

    def origins(self, landed: Landed, gone: Iterable[Departure]) -> tuple[Origin, ...]:
        """Return where the card came from, likeliest first."""
        gone = [left for left in gone if _fits(left, landed.touch.at_ns) or _is_it(left, landed)]
        self._used = [used for used in self._used if used.at_ns != landed.touch.at_ns]
        weights: dict[tuple[Player, int | None], float] = {}
        for player in PLAYERS:
            near = self._fit(landed, player, None)
            weights[player, None] = UNSEEN * near
            for left in gone:
                if left.player == player:
                    key, near = (player, left.place), self._fit(landed, player, left.place)
                    weights[key] = max(weights.get(key, 0.0), near * overlap(landed.top, left.top))
        total = sum(weights.values())
        shares = sorted(((key, weight / total) for key, weight in weights.items()), key=lambda item: -item[1])
        (player, place), share = shares[0]
        if place is not None and share > KNOWN:
            cards = {left.top.reading.best[0] for left in gone if (left.player, left.place) == (player, place)}
            used = [_Used(player, place, card, landed.touch.at_ns) for card in cards]
            self._used += [one for one in used if one not in self._used]
        elif place is None and share > KNOWN and landed.top.reading.best[1] > CLEARLY_READ:
            self._used.append(_Used(player, None, landed.top.reading.best[0], landed.touch.at_ns))
        return tuple(Origin(player=player, place=place, p=round(p, 4)) for (player, place), p in shares if p > 0.001)

    def named(self, landed: Landed, gone: Iterable[Departure]) -> CardOdds:
        """Return which card it is: a reading that is not sure is weighed with what left the rows just before."""
        reading = landed.top.reading
        if reading.best[1] > CLEARLY_READ:
            return dict(reading.cards)
        left = [one for one in gone if _fits(one, landed.touch.at_ns) and not self._is_explained(one, landed)]
        odds = {card: p * ANY_CARD for card, p in reading.cards.items()}
        named = sum(reading.cards.values())
        rest = max(HARDLY / 4, (1.0 - named) / CARDS)
        likeliest = max(self._fit(landed, player, None) for player in PLAYERS)
        likeliest = max([likeliest, *(self._fit(landed, one.player, one.place) for one in left)])
        for one in left:
            near = self._fit(landed, one.player, one.place) / likeliest * (1.0 if one.sure else HOVERED)
            for card, p in one.top.reading.cards.items():
                odds[card] = odds.get(card, rest * ANY_CARD) + near * p * reading.cards.get(card, rest)
        total = sum(odds.values()) / max(HARDLY, named)
        shares = sorted(((card, p / total) for card, p in odds.items()), key=lambda item: -item[1])
        return {card: round(p, 4) for card, p in shares if p > HARDLY} if left and total > 0 else dict(reading.cards)

    def _fit(self, landed: Landed, player: Player, place: int | None) -> float:
        """Return how well all that was seen of a landing goes with this player, and a card from this place.

        `place` None: from the spit cards, or from a place whose card was not known.
        """
        if place is None:
            rows = max(self._came(landed, player, n) for n in range(1, 6))
            way = max(self._came(landed, player, 0), UNKNOWN_PLACE * rows)
        else:
            way = self._came(landed, player, place)
        fit = _near(landed, player) * _held(landed, player) * way
        return fit if place is None else max(LEAST_FIT, fit)

    def _came(self, landed: Landed, player: Player, place: int) -> float:
        """Return how well the way that a card came goes with a place; 0: that of the spit cards."""
        came = np.array(landed.touch.came_mm)
        length = float(np.linalg.norm(came))
        if length == 0.0:
            return 1.0
        pose = landed.top.pose
        way = np.array(self._from_mm[player, place]) - (pose.x_mm, pose.y_mm)
        cosine = float(came @ way / (length * np.linalg.norm(way)))
        least = WRONG_WAY_FAR if landed.touch.thrown and length > FAR_MM else WRONG_WAY
        return max(least, float(np.exp(WIDE * (cosine - 1.0))))

    def _is_explained(self, left: Departure, landed: Landed) -> bool:
        """Whether another landing has explained a departure."""
        others = (used for used in self._used if used.at_ns != landed.touch.at_ns)
        return any(_explains(used, left) for used in others)

    def missing(self, gone: Iterable[Departure], touch_ns: int) -> list[Departure]:
        """Return the departures before a touch that no landing has explained."""
        self._used = [used for used in self._used if touch_ns - used.at_ns < REMEMBER_NS]
        left = [
            left for left in gone if _fits(left, touch_ns) and not any(_explains(used, left) for used in self._used)
        ]
        return list({(one.player, one.place): one for one in left}.values())

    def unexplained(self, gone: Iterable[Departure]) -> list[Departure]:
        """Return the departures that no landing has explained so far."""
        return [left for left in gone if not any(_explains(used, left) for used in self._used)]


def overlap(one: Top, other: Top) -> float:
    """Return the probability that both are the same card."""
    theirs = other.reading.cards
    both = sum(p * theirs.get(card, 0.0) for card, p in one.reading.cards.items())
    return max(both, UNNAMED * (1.0 - one.reading.best[1]))


def players_of(origins: Sequence[Origin]) -> PlayerOdds:
    """Return the odds of each player."""
    odds: PlayerOdds = {}
    for origin in origins:
        odds[origin.player] = round(odds.get(origin.player, 0.0) + origin.p, 4)
    return odds


def _middle(polygon_mm: Points) -> tuple[float, float]:
    x, y = polygon_mm.mean(axis=0)
    return float(x), float(y)


def _near(landed: Landed, player: Player) -> float:
    """Return how well the moment of the touch goes with this player: whose card it is has a hand there."""
    if player in landed.at_touch:
        most = max(landed.stirred.values(), default=0.0)
        return 1.0 if most < STIRS else max(RESTED, landed.stirred.get(player, 0.0) / most)
    away = LATER if player in landed.visits else STRANGER
    return max(THROWN, away) if landed.touch.thrown else away


def _held(landed: Landed, player: Player) -> float:
    """Return how well the covered end of the card goes with this player's hand: a hand covers its own end."""
    towards = landed.touch.far_end if player == "p2" else -landed.touch.far_end
    return max(WRONG_END, 0.5 + 0.5 * towards)


def _fits(left: Departure, touch_ns: int) -> bool:
    return left.from_ns + CARRY_NS <= touch_ns and left.to_ns >= touch_ns - LEFT_BEFORE_NS


def _is_it(left: Departure, landed: Landed) -> bool:
    """Whether surely the very card that left is the one that was seen at rest later: a pack has each card once."""
    since_ns = landed.touch.at_ns - LEFT_BEFORE_NS
    return overlap(landed.top, left.top) > SURELY_IT and left.from_ns < landed.settled_ns and left.to_ns >= since_ns


def _explains(used: _Used, left: Departure) -> bool:
    same = used.player == left.player and used.place in (left.place, None) and used.card == left.top.reading.best[0]
    return same and left.from_ns - LEFT_BEFORE_NS <= used.at_ns <= left.to_ns + LEFT_BEFORE_NS
