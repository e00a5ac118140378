"""May this card be played on that one? (R22 to R25, R71; jokers R5, R86). Pure questions that change nothing."""

from collections.abc import Mapping
from itertools import product
from typing import Final, Literal, get_args

from referee.cards import COLOUR_OF, JOKERS, PACK, RANK_OF, RANKS, UNREAD, Card
from referee.rules.rule_set import Colours, Jokers, RuleSet

Misfit = Literal["rank", "colour"]


def _misfit(card: Card, top: Card, jokers: Jokers, colours: Colours) -> Misfit | None:
    rank, under = RANK_OF.get(card), RANK_OF.get(top)
    if rank is None or under is None:
        return None if jokers == "wild" and (card in JOKERS or top in JOKERS) else "rank"
    if (rank - under) % len(RANKS) not in (1, len(RANKS) - 1):
        return "rank"
    return "colour" if colours == "alternate" and COLOUR_OF[card] == COLOUR_OF[top] else None


_FACES: Final = (*PACK, *JOKERS, UNREAD)

_CARDS_ON: Final[Mapping[tuple[Jokers, Colours], Mapping[Card, frozenset[Card]]]] = {
    (jokers, colours): {
        top: frozenset(card for card in _FACES if _misfit(card, top, jokers, colours) is None) for top in _FACES
    }
    for jokers, colours in product(get_args(Jokers), get_args(Colours))
}
"""Every legal play there is, worked out once."""


def cards_on(top: Card, rules: RuleSet) -> frozenset[Card]:
    """The cards that may be played on `top` (R22). An unread face is sure to play only where a wild joker is.

    >>> sorted(cards_on(Card("KD"), RuleSet(colours="alternate")))
    ['AC', 'AS', 'QC', 'QS']
    """
    return _CARDS_ON[rules.jokers, rules.colours][top]


def follows(card: Card, top: Card, rules: RuleSet) -> bool:
    """Whether `card` may be played on `top` (R22)."""
    return card in _CARDS_ON[rules.jokers, rules.colours][top]


def why_not(card: Card, top: Card, rules: RuleSet) -> Misfit | None:
    """Return what keeps `card` from being played on `top`: its rank or, where colours alternate, its colour."""
    return _misfit(card, top, rules.jokers, rules.colours)


def ranks_apart(card: Card, top: Card) -> int | None:
    """How many ranks lie between two cards the short way round the ring of thirteen (R25); None with a joker."""
    rank, under = RANK_OF.get(card), RANK_OF.get(top)
    if rank is None or under is None:
        return None
    gap = (rank - under) % len(RANKS)
    return min(gap, len(RANKS) - gap)


def same_rank(card: Card, other: Card) -> bool:
    """Whether two faces may lie on each other in a row (R38); jokers count as equal."""
    if card in JOKERS:
        return other in JOKERS
    rank = RANK_OF.get(card)
    return rank is not None and rank == RANK_OF.get(other)
