"""How much a reading says: likelihoods of what lies there, given what a sensor reported.

A reading is a distribution. What it does not name shares what is missing to 1; nothing is ever impossible, because
every reader is sometimes sure and wrong.
"""

import math
from collections.abc import Sequence
from typing import Final

from referee.cards import Card
from referee.observations import CardOdds, Origin, PlaceSeen, PlayerOdds
from referee.table import OPPONENT, Player, Who

SURELY_WRONG: Final = 1e-3
"""Of readings that claim certainty, at least this share is wrong all the same."""

FORGOTTEN: Final = 1e-7
"""Candidates this unlikely are not kept: far below what blame needs."""

RULED_OUT = 0.002
SURE = 0.99
"""Readings beyond these two contradict each other and are not both of one card."""

SHARED_ERROR: Final = 0.3
"""How often a repeated reading of a lying card repeats the first reading's error instead of looking afresh."""

COME_AGAIN: Final = 0.8
"""The same when the second guess is the same one, too. A card that is read afresh has another second guess mostly, so
a reading that is the first in everything says hardly more than the first did."""

OTHER_RUNNER_UP: Final = 0.03
"""The same when the second guess is another one."""

ENOUGH_LOOKS: Final = 12
"""More looks that read the same card make it no surer."""

ALIKE: Final = 1.0
"""So far apart, in log odds, may two readings be of which one repeats the other."""

OTHER_CARDS: Final = 51

NOT_SEEN: Final = 1.0 / 52
"""Likelihood of a reading that says nothing, for any card."""


def card_likelihood(odds: CardOdds, card: Card) -> float:
    """How well a reading fits `card`, on a scale where a perfect reading of it is 1 and no reading is 1/52."""
    if not odds:
        return NOT_SEEN
    p = odds.get(card)
    return p if p is not None and p > 0 else rest_of(odds)


def rest_of(odds: CardOdds) -> float:
    """What each card gets that a reading does not name."""
    return max(1.0 - sum(odds.values()), SURELY_WRONG) / OTHER_CARDS


def best_card(odds: CardOdds) -> Card | None:
    """The likeliest card of a reading; None if it names none."""
    best, most = None, -1.0
    for card, p in odds.items():
        if p > most:
            best, most = card, p
    return best


def contradict(one: CardOdds, other: CardOdds) -> bool:
    """Whether two readings cannot be of the same card: each is sure of a card that the other rules out."""
    first, second = best_card(one), best_card(other)
    if first is None or second is None or first == second:
        return False
    ruled_out = one.get(second, 0.0) < RULED_OUT and other.get(first, 0.0) < RULED_OUT
    return ruled_out and min(one[first], other[second]) > SURE


def shared_error(odds: CardOdds, first: CardOdds) -> float:
    """How often a reading would be the first reading of the lying card come again, if that was an error: it names the
    same card, about as surely, and the same second guess. One that is clearly surer, or less sure, saw the card
    afresh; so did, most likely, one with another second guess."""
    card = best_card(first)
    if card is None or best_card(odds) != card or abs(_log_odds(odds[card]) - _log_odds(first[card])) >= ALIKE:
        return 0.0
    second = _runner_up(first, card)
    if second != _runner_up(odds, card):
        return OTHER_RUNNER_UP
    return SHARED_ERROR if second is None else COME_AGAIN


def _runner_up(odds: CardOdds, card: Card) -> Card | None:
    """The second guess of a reading whose first is `card`; None if it has none."""
    second, most = None, 0.0
    for other, p in odds.items():
        if p > most and other != card:
            second, most = other, p
    return second


def _log_odds(p: float) -> float:
    p = min(p, 1 - SURELY_WRONG)
    return math.log(p / (1 - p))


def repeat_likelihood(odds: CardOdds, card: Card, first: CardOdds) -> float:
    """How well a repeated reading fits `card` when the lying card was first read as `first`.

    Agreement with the first reading may be the first error come back, so it proves less than a fresh look.
    """
    shared = shared_error(odds, first)
    return shared + (1 - shared) * card_likelihood(odds, card)


def player_likelihood(odds: PlayerOdds, player: Player) -> float:
    """How well the hand that was seen fits `player`."""
    if not odds:
        return 0.5
    p = odds.get(player)
    if p is None:
        p = 1.0 - odds.get(OPPONENT[player], 0.5)
    return min(max(p, SURELY_WRONG / 10), 1.0)


def repeated_error(odds: CardOdds, first: CardOdds) -> float:
    """How likely the card of a reading that was wrong is named again, if nothing more is known than that."""
    shared = shared_error(odds, first)
    return shared + (1 - shared) * max(1.0 - sum(odds.values()), SURELY_WRONG)


def likely_player(odds: PlayerOdds) -> Who:
    """The player whose hand it most likely was."""
    if not odds:
        return "unknown"
    return "p1" if odds.get("p1", 0.0) > odds.get("p2", 0.0) else "p2"


def other_origin_likelihood(origins: Sequence[Origin]) -> float:
    """How well the movement that was seen fits a place that it does not name."""
    rest = 1.0
    for origin in origins:
        rest -= origin.p
    return max(rest, SURELY_WRONG) / 6 if origins else 1.0


def merged(belief: CardOdds, odds: CardOdds, first: CardOdds) -> CardOdds:
    """The belief about a lying card, first read as `first`, after one more reading, normalized; small candidates are
    dropped."""
    rest, other = rest_of(belief), rest_of(odds)
    believed, read = rest if belief else NOT_SEEN, other if odds else NOT_SEEN  # of a card that is not named
    shared = shared_error(odds, first)
    product = {}
    for card in belief | odds:  # in a fixed order: a replay must agree
        p, q = belief.get(card, 0.0), odds.get(card, 0.0)
        fresh = q if q > 0 else read
        product[card] = (p if p > 0 else believed) * (shared + (1 - shared) * fresh)
    total = sum(product.values()) + rest * other * OTHER_CARDS
    kept = {}
    for card, value in product.items():
        if value / total > FORGOTTEN:
            kept[card] = value / total
    return kept


def repeated(odds: CardOdds, card: Card, times: int) -> CardOdds:
    """The belief about a lying card after so many more looks that read `card` again."""
    if not times or not odds:
        return odds
    doubt = SHARED_ERROR ** min(times, ENOUGH_LOOKS)
    p = odds.get(card, 0.0)
    rest = {other: q * doubt for other, q in odds.items() if other != card}
    missing = max(1.0 - sum(odds.values()), SURELY_WRONG) * doubt
    total = p + sum(rest.values()) + missing
    return {card: p / total, **{other: q / total for other, q in rest.items() if q / total > FORGOTTEN}}


def kind_of(seen: PlaceSeen) -> tuple[str, Card | None]:
    """What a place most likely shows: `face` with its card, `down`, `empty`, or `hidden`."""
    face, down, empty = sum(seen.cards.values()), seen.face_down, seen.empty
    if face < 0.5 and down < 0.5 and empty < 0.5:
        return "hidden", None
    if face >= down and face >= empty:
        return "face", best_card(seen.cards)
    return ("down", None) if down >= empty else ("empty", None)
