"""What lies on the table at the start of a deal: the row's piles, spit cards, middle piles, who spits first."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from referee.rules.rule_set import RuleSet
from referee.table import OPPONENT, PLAYERS, Pile, Player
from referee.verdicts import DealPlan

OWN_PILE: Final[Mapping[Player, Pile]] = {"p1": "A", "p2": "B"}
"""The middle pile that each player starts (R17); a single middle pile is called A whoever starts it."""

HAND_SIZE: Final = 5
"""Cards in a hand of Speed (R83)."""

ShortDeal = Literal["pile_by_pile", "row_by_row"]
OTHER_WAY: Final[Mapping[ShortDeal, ShortDeal]] = {"pile_by_pile": "row_by_row", "row_by_row": "pile_by_pile"}


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """A deal to come: one or two middle piles, both shares, and who turns the first spit card where."""

    piles: Literal[1, 2]
    p1: DealPlan
    p2: DealPlan
    first: Mapping[Player, tuple[Pile, ...]]


def full_row(rules: RuleSet) -> tuple[int, ...]:
    """Sizes of the piles of a full lay-out, from the owner's left (R8, R13, R15, R73); empty where a hand is held."""
    match rules.setup:
        case "pyramid":
            return tuple(range(1, rules.piles + 1))
        case "canfield":
            return (1, 1, 1, 1, 11)
        case "row_of_four":
            return (1, 1, 1, 1)
        case "hand_of_five":
            return ()


def row_sizes(cards: int, rules: RuleSet, short_deal: ShortDeal | None = None) -> tuple[int, ...]:
    """Sizes of the piles of a row dealt from `cards` cards, as far as they go (R61).

    `short_deal` overrides the rule set's way: pile by pile, or one card to each pile, then one to each that is not
    full yet, and so on.
    """
    sizes = full_row(rules)
    if (short_deal or rules.short_deal) == "pile_by_pile":
        return _pile_by_pile(cards, sizes)
    return _row_by_row(cards, sizes)


def _pile_by_pile(cards: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    dealt = []
    for size in sizes:
        dealt.append(min(size, cards))
        cards -= dealt[-1]
    return tuple(dealt)


def _row_by_row(cards: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    dealt = [0] * len(sizes)
    for n in range(max(sizes, default=0)):
        for pile, size in enumerate(sizes):
            if n < size and cards:
                dealt[pile] += 1
                cards -= 1
    return tuple(dealt)


def share(cards: int, rules: RuleSet) -> DealPlan:
    """What a player with `cards` cards lays out, and how many spit cards are left to him (R10, R62)."""
    row = row_sizes(cards, rules)
    return DealPlan(cards=cards, row=row, spit=cards - sum(row))


def next_deal(p1: int, p2: int, rules: RuleSet) -> Deal:
    """The deal that follows when the players hold `p1` and `p2` cards (R59 to R64)."""
    shares: dict[Player, DealPlan] = {"p1": share(p1, rules), "p2": share(p2, rules)}
    size = sum(full_row(rules))
    fewest = min(p1, p2)
    one_pile = fewest <= size if rules.one_pile == "at_most_layout" else fewest < size
    spitters = [player for player in PLAYERS if shares[player].spit]
    first: dict[Player, tuple[Pile, ...]]
    if one_pile:
        first = dict.fromkeys(spitters, ("A",))
    elif len(spitters) == 1:  # "fewer than 15" by the letter: who has cards starts his own pile, then the other
        own = spitters[0]
        first = {own: (OWN_PILE[own], OWN_PILE[OPPONENT[own]])}
    else:
        first = {player: (OWN_PILE[player],) for player in PLAYERS}
    return Deal(piles=1 if one_pile else 2, p1=shares["p1"], p2=shares["p2"], first=first)
