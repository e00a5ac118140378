"""May this card be played on that one? (R22 to R25, R71; jokers R5, R86). Pure questions that change nothing."""

from typing import Literal

from referee.cards import COLOUR_OF, JOKERS, RANK_OF, Card
from referee.rules.rule_set import RuleSet

Misfit = Literal["rank", "colour"]


def why_not(card: Card, top: Card, rules: RuleSet) -> Misfit | None:
    """Return what keeps `card` from being played on `top`, or None if it may be played.

    An unread card fits nothing: ask `may_fit` where "perhaps" counts.

    >>> why_not(Card("AS"), Card("KD"), RuleSet()) is None
    True
    """
    rank, under = RANK_OF.get(card), RANK_OF.get(top)
    if rank is None or under is None:
        wild = rules.jokers == "wild" and (card in JOKERS or top in JOKERS)
        return None if wild else "rank"
    if (rank - under) % 13 not in (1, 12):
        return "rank"
    if rules.colours == "alternate" and COLOUR_OF[card] == COLOUR_OF[top]:
        return "colour"
    return None


def follows(card: Card, top: Card, rules: RuleSet) -> bool:
    """Whether `card` may be played on `top` (R22); False as long as a face that matters is unread."""
    return why_not(card, top, rules) is None


def ranks_apart(card: Card, top: Card) -> int | None:
    """How many ranks lie between two cards the short way round the ring of thirteen (R25); None with a joker."""
    rank, under = RANK_OF.get(card), RANK_OF.get(top)
    if rank is None or under is None:
        return None
    gap = (rank - under) % 13
    return min(gap, 13 - gap)


def same_rank(card: Card, other: Card) -> bool:
    """Whether two faces may lie on each other in a row (R38); jokers count as equal."""
    if card in JOKERS:
        return other in JOKERS
    rank = RANK_OF.get(card)
    return rank is not None and rank == RANK_OF.get(other)
