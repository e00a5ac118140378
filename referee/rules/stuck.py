"""Can this player still do something? (R40) Exact, because a wrong "stuck" ends a game and a missed one hangs it.

A player is not stuck if some series of moves within his own row leads to a top that plays or to a face-down top that
can be turned up. Moves only permute, split or stack the few face-up cards of one row, so the positions they reach are
searched one by one; nearly every position of a real game is answered by the first look.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from referee.cards import JOKERS, PACK, UNREAD, Card
from referee.rules.legality import cards_on, same_rank
from referee.rules.rows import EMPTY, Row, place_to_turn
from referee.rules.rule_set import RuleSet

Equal = Callable[[Card, Card], bool]

_ANY_CARD: Final = frozenset((*PACK, *JOKERS, UNREAD))


def can_still_play(row: Row, tops: Sequence[Card], rules: RuleSet, deck: int = 0) -> bool | None:
    """Return whether a player can play, turn a card up, fill a gap, or come to that by moves within his row.

    `tops` are the logical tops of the middle piles in use, `deck` the cards of a Bicycle deck (R76, R78).
    None: it depends on a face that was not read, or on a hidden hand (R88); then nobody may be called stuck.
    """
    if not rules.row_is_visible:
        return None
    if place_to_turn(row) or (rules.refills and deck and EMPTY in row):
        return True
    if _plays_at_once(row, tops, rules):
        return True
    playable = frozenset[Card]().union(*(cards_on(top, rules) for top in tops))
    stacking = rules.row_stack_same_rank
    if _can_get_ready(row, playable, same_rank if stacking else None):
        return True
    if UNREAD not in tops and not any(UNREAD in stock.up for stock in row):
        return False
    hoped_for = _ANY_CARD if UNREAD in tops else playable | {UNREAD}
    return None if _can_get_ready(row, hoped_for, _perhaps_same_rank if stacking else None) else False


def _plays_at_once(row: Row, tops: Sequence[Card], rules: RuleSet) -> bool:
    """Whether a card can be played right now: so it is in nearly every position."""
    for top in tops:
        fitting = cards_on(top, rules)
        for stock in row:
            if stock.up and stock.up[-1] in fitting:
                return True
    return False


def _perhaps_same_rank(card: Card, other: Card) -> bool:
    return UNREAD in (card, other) or same_rank(card, other)


def _is_ready(row: Row, playable: frozenset[Card]) -> bool:
    """Whether a card can be played or turned right now."""
    for stock in row:
        up = stock.up
        if up[-1] in playable if up else stock.down:
            return True
    return False


def _can_get_ready(row: Row, playable: frozenset[Card], equal: Equal | None) -> bool:
    """Whether some series of row moves (or none) leads to a position in which a card can be played or turned."""
    if _is_ready(row, playable):
        return True
    if equal is None and EMPTY not in row:
        return False
    seen = {_shape(row)}
    waiting = [row]
    while waiting:
        for moved in _moves(waiting.pop(), equal):
            shape = _shape(moved)
            if shape not in seen:
                if _is_ready(moved, playable):
                    return True
                seen.add(shape)
                waiting.append(moved)
    return False


def _shape(row: Row) -> tuple[tuple[int, tuple[Card, ...]], ...]:
    """What matters of a row: its piles, wherever they lie."""
    return tuple(sorted((stock.down, stock.up) for stock in row))


def _moves(row: Row, equal: Equal | None) -> Iterator[Row]:
    """Every row after one move: a top into the first space (R35), or onto an equal top where that is allowed (R38).

    A single card into a space changes nothing and is left out.
    """
    space = row.index(EMPTY) if EMPTY in row else None
    for source, stock in enumerate(row):
        if not stock.up:
            continue
        card = stock.up[-1]
        targets = [] if space is None or stock.count == 1 else [space]
        if equal is not None:
            targets += [n for n, other in enumerate(row) if n != source and other.up and equal(card, other.up[-1])]
        for target in targets:
            piles = list(row)
            piles[source] = stock.without_top()
            piles[target] = row[target].with_top(card)
            yield tuple(piles)
