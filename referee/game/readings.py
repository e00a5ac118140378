"""A face becomes readable: in a row, or on a middle pile, where the card is judged now."""

from msgspec.structs import replace

from referee.cards import UNREAD, Card
from referee.game.deal_end import Ended, cleared, open_end
from referee.game.events import Layout, Read
from referee.game.outcome import Burst, Outcome, nothing
from referee.game.phases import Phase
from referee.game.position import Lying, Position
from referee.game.rulings import Breach, Facts, Illegal, Legal
from referee.game.sources import give_back
from referee.rules.deals import OTHER_WAY, full_row, row_sizes
from referee.rules.legality import follows, ranks_apart, why_not
from referee.rules.rows import Stock, count_cards, with_place
from referee.rules.rule_set import RuleSet
from referee.table import PILES, Pile, Who


def read(rules: RuleSet, position: Position, event: Read, burst: Burst) -> Outcome:
    """Take a reading in. It rules nothing, unless an unread card on a middle pile turns out not to follow (R22)."""
    if event.place in PILES:
        return _read_middle(rules, position, event, event.place)
    if event.player == "unknown" or isinstance(event.place, str) or event.card == UNREAD:
        return nothing(position)
    row = position.side(event.player).row
    if not 0 < event.place <= len(row) or row[event.place - 1].is_empty:
        return nothing(position)
    stock = row[event.place - 1]
    shown = stock.turned(event.card) if stock.can_turn else Stock(stock.down, (*stock.up[:-1], event.card))
    return nothing(position.with_side(event.player, row=with_place(row, event.place, shown)))


def _read_middle(rules: RuleSet, position: Position, event: Read, pile: Pile) -> Outcome:
    """The card on a middle pile is read after it landed unread: now its ruling is known."""
    middle = position.middle(pile)
    unread, card = middle.unread, event.card
    if unread is None or card == UNREAD:
        return nothing(read_top(position, pile, card) if middle.top == UNREAD else position)
    if unread.under is not None and not follows(card, unread.under, rules):
        ruling = misfit(rules, card, unread.under, pile, unread.who)
        back = put_back_unread(position, pile, card)
        lying = Lying(card, unread.who, ruling.reason, event.at_ns)
        return ruling, back.with_middle(pile, lying=(*back.middle(pile).lying, lying)), ()
    position, said = told(rules, position, pile, card, event.at_ns)
    return nothing(position, *said)


def told(rules: RuleSet, position: Position, pile: Pile, card: Card, at_ns: int) -> Ended:
    """The table once the unread card of `pile` is known; the deal is over if only that was open (R49)."""
    top = position.middle(pile).top
    position = read_top(position, pile, card)
    player = open_end(rules, position)
    is_judged = top == UNREAD or (top is not None and follows(top, card, rules))
    if player is None or position.ended_on != pile or not is_judged:
        return position, ()
    return cleared(rules, position, player, pile, at_ns)


def misfit(rules: RuleSet, card: Card, top: Card, pile: Pile, who: Who) -> Illegal:
    """The ruling on a card that does not follow `top`: by its rank (R22) or, where colours alternate, by its colour."""
    reason = Breach.SAME_COLOUR if why_not(card, top, rules) == "colour" else Breach.NOT_ADJACENT
    return Illegal(reason, who, Facts(card=card, other=top, pile=pile, apart=ranks_apart(card, top)))


def read_top(position: Position, pile: Pile, card: Card) -> Position:
    """The position in which the unread card of `pile` is known."""
    top = card if position.middle(pile).top == UNREAD else position.middle(pile).top
    return replace(position.with_middle(pile, top=top, unread=None), seen=position.with_seen(card))


def put_back_unread(position: Position, pile: Pile, card: Card) -> Position:
    """The position in which the unread card of `pile` is its row's again, and `card` if it was read."""
    middle = position.middle(pile)
    unread = middle.unread
    assert unread is not None
    top = unread.under if middle.top == UNREAD else middle.top
    position = position.with_middle(pile, top=top, count=middle.count - 1, unread=None)
    return give_back(position, unread.source, card)


def lay_out(rules: RuleSet, position: Position, event: Layout, burst: Burst) -> Outcome:
    """A freshly dealt row shows its tops (R59): the sizes follow from their number and the player's count (R8, R61)."""
    if position.phase is not Phase.FIRST_SPIT:
        return nothing(position)
    player, tops = event.player, event.tops
    limit = len(full_row(rules))
    if len(tops) > limit:
        return Illegal(Breach.TOO_MANY_PILES, player, Facts(count=len(tops), limit=limit)), position, ()
    side = position.side(player)
    cards = count_cards(side.row) + side.packet
    ways = [row_sizes(cards, rules, way) for way in (rules.short_deal, OTHER_WAY[rules.short_deal])]
    for sizes in ways:
        if len(tops) == sum(size > 0 for size in sizes):
            row = tuple(Stock(size - 1, (top,)) for size, top in zip(sizes, tops, strict=False))
            row += (Stock(),) * (len(sizes) - len(row))
            return Legal(player), position.with_side(player, row=row, packet=cards - sum(sizes)), ()
    return Illegal(Breach.LAYOUT_MISMATCH, player, _mismatch(len(tops), cards, ways)), position, ()


def _mismatch(count: int, cards: int, ways: list[tuple[int, ...]]) -> Facts:
    numbers = sorted({sum(size > 0 for size in sizes) for sizes in ways})
    return Facts(count=count, limit=cards, expected=" or ".join(str(number) for number in numbers))
