"""Can this player still do something? (R40) Exact, because a wrong "stuck" ends a game and a missed one hangs it.

A player is not stuck if some series of moves within his own row leads to a top that plays or to a face-down top that
can be turned up. Moves only permute, split or stack the few face-up cards of one row, so the positions they reach are
searched one by one; nearly every position of a real game is answered by its first look.
"""

from collections.abc import Callable, Iterator, Sequence

from referee.cards import UNREAD, Card
from referee.rules.legality import follows, same_rank
from referee.rules.rows import EMPTY, Row
from referee.rules.rule_set import RuleSet

Fits = Callable[[Card, Card], bool]


def can_still_play(row: Row, tops: Sequence[Card], rules: RuleSet, deck: int = 0) -> bool | None:
    """Return whether a player can play, turn a card up, fill a gap, or come to that by moves within his row.

    `tops` are the logical tops of the middle piles in use, `deck` the cards of a Bicycle deck (R76, R78).
    None: it depends on a face that was not read, or on a hidden hand (R88); then nobody may be called stuck.
    """
    if not rules.row_is_visible:
        return None
    if rules.refills and deck and EMPTY in row:
        return True

    def fits(card: Card, top: Card) -> bool:
        return follows(card, top, rules)

    if _can_get_ready(row, tops, rules, fits, same_rank):
        return True
    unread = UNREAD in tops or any(UNREAD in stock.up for stock in row)
    if unread and _can_get_ready(row, tops, rules, _hopefully(fits), _hopefully(same_rank)):
        return None
    return False


def _hopefully(fits: Fits) -> Fits:
    """The same question where an unread face may be whatever helps."""
    return lambda card, other: UNREAD in (card, other) or fits(card, other)


def _is_ready(row: Row, tops: Sequence[Card], fits: Fits) -> bool:
    """Whether a card can be played or turned right now."""
    for stock in row:
        if stock.up:
            card = stock.up[-1]
            for top in tops:
                if fits(card, top):
                    return True
        elif stock.down:
            return True
    return False


def _can_get_ready(row: Row, tops: Sequence[Card], rules: RuleSet, fits: Fits, equal: Fits) -> bool:
    """Whether some series of row moves (or none) leads to a position in which a card can be played or turned."""
    if _is_ready(row, tops, fits):
        return True
    stack = equal if rules.row_stack_same_rank else None
    seen = {_shape(row)}
    waiting = [row]
    while waiting:
        for moved in _moves(waiting.pop(), stack):
            shape = _shape(moved)
            if shape not in seen:
                if _is_ready(moved, tops, fits):
                    return True
                seen.add(shape)
                waiting.append(moved)
    return False


def _shape(row: Row) -> tuple[tuple[int, tuple[Card, ...]], ...]:
    """What matters of a row: its piles, wherever they lie."""
    return tuple(sorted((stock.down, stock.up) for stock in row))


def _moves(row: Row, stack: Fits | None) -> Iterator[Row]:
    """Every row after one move: a top into the first space (R35), or onto an equal top where that is allowed (R38).

    A single card into a space changes nothing and is left out.
    """
    space = row.index(EMPTY) if EMPTY in row else None
    for source, stock in enumerate(row):
        if not stock.up:
            continue
        card = stock.up[-1]
        targets = [] if space is None or stock.count == 1 else [space]
        if stack is not None:
            targets += [n for n, other in enumerate(row) if n != source and other.up and stack(card, other.up[-1])]
        for target in targets:
            piles = list(row)
            piles[source] = stock.without_top()
            piles[target] = row[target].with_top(card)
            yield tuple(piles)
