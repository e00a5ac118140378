"""Within a row: turn up, move (R34 to R38), fill a gap from the deck (R76, R77), draw (R83)."""

from referee.cards import UNREAD
from referee.game.actions import changed, other_hand, remember_hand
from referee.game.events import Draw, Move, Refill, TurnUp
from referee.game.outcome import Burst, Outcome, nothing
from referee.game.phases import Phase
from referee.game.position import Position
from referee.game.rulings import Breach, Doubt, Facts, Illegal, Legal, Undecided
from referee.rules.deals import HAND_SIZE
from referee.rules.legality import same_rank
from referee.rules.rows import Stock, with_place
from referee.rules.rule_set import RuleSet


def turn_up(rules: RuleSet, position: Position, event: TurnUp, burst: Burst) -> Outcome:
    """A face-down card on top of a pile may be turned up (R34)."""
    if _deal_is_over(position):
        return nothing(position)
    player, place = event.player, event.place
    two_hands = other_hand(rules, position, player, event.hand, event.at_ns)
    position = remember_hand(position, player, event.hand, event.at_ns)
    row = position.side(player).row
    if two_hands is not None:
        return two_hands, position, ()
    if not 0 < place <= len(row) or not row[place - 1].can_turn:
        return Illegal(Breach.NOTHING_TO_TURN, player, Facts(card=event.card, place=place)), position, ()
    turned = with_place(row, place, row[place - 1].turned(event.card))
    return Legal(player), changed(position.with_side(player, row=turned), player), ()


def move(rules: RuleSet, position: Position, event: Move, burst: Burst) -> Outcome:
    """A face-up top may go into an empty space (R35), and onto an equal top where the house says so (R38)."""
    if _deal_is_over(position):
        return nothing(position)
    player = event.player
    two_hands = other_hand(rules, position, player, event.hand, event.at_ns)
    position = remember_hand(position, player, event.hand, event.at_ns)
    refusal = two_hands or _why_not_moved(rules, position, event)
    if refusal is not None:
        return refusal, position, ()
    if event.from_place == event.to_place:
        return nothing(position)
    row = position.side(player).row
    stock = row[event.from_place - 1]
    card = event.card if stock.top == UNREAD else stock.up[-1]
    row = with_place(row, event.from_place, stock.without_top())
    row = with_place(row, event.to_place, row[event.to_place - 1].with_top(card))
    return Legal(player), changed(position.with_side(player, row=row), player), ()


def _why_not_moved(rules: RuleSet, position: Position, event: Move) -> Illegal | Undecided | None:
    """The ruling if the card may not go there."""
    player, source, target = event.player, event.from_place, event.to_place
    row = position.side(player).row
    if event.owner not in (None, player):
        return Illegal(Breach.NOT_YOUR_ROW, player, Facts(card=event.card))
    if event.count > 1:
        return Illegal(Breach.TWO_CARDS, player, Facts(count=event.count, limit=1))
    if not 0 < target <= len(row):
        return Illegal(Breach.TOO_MANY_PILES, player, Facts(count=len(row) + 1, limit=len(row)))
    stock = row[source - 1] if 0 < source <= len(row) else Stock()
    if stock.can_turn:
        return Illegal(Breach.FACE_DOWN_CARD, player, Facts(place=source))
    if stock.top is None or (stock.top != event.card and UNREAD not in (stock.top, event.card)):
        return Illegal(Breach.NOT_A_TOP_CARD, player, Facts(card=event.card, place=source))
    return None if source == target else _why_not_onto(rules, event, row[target - 1])


def _why_not_onto(rules: RuleSet, event: Move, target: Stock) -> Illegal | Undecided | None:
    """The ruling if a top may not go onto what lies at its new place."""
    if target.is_empty:
        return None
    if rules.row_stack_same_rank and target.top is not None:
        if UNREAD in (event.card, target.top):
            return Undecided(Doubt.UNREAD, event.player, Facts(card=event.card, place=event.to_place))
        if same_rank(event.card, target.top):
            return None
    facts = Facts(card=event.card, other=target.top, place=event.to_place)
    return Illegal(Breach.SPACE_NOT_EMPTY, event.player, facts)


def refill(rules: RuleSet, position: Position, event: Refill, burst: Burst) -> Outcome:
    """A gap of a row of four may be filled from the deck, never more than four cards (R76, R77)."""
    if _deal_is_over(position) or not rules.refills:
        return nothing(position)
    player, place = event.player, event.place
    two_hands = other_hand(rules, position, player, event.hand, event.at_ns)
    position = remember_hand(position, player, event.hand, event.at_ns)
    side = position.side(player)
    if two_hands is not None:
        return two_hands, position, ()
    if not 0 < place <= len(side.row) or not side.row[place - 1].is_empty:
        return Illegal(Breach.ROW_FULL, player, Facts(card=event.card, place=place, limit=len(side.row))), position, ()
    if not side.packet:
        return Illegal(Breach.NOTHING_TO_TURN, player, Facts(card=event.card, place=place)), position, ()
    row = with_place(side.row, place, Stock(0, (event.card,)))
    return Legal(player), changed(position.with_side(player, row=row, packet=side.packet - 1), player), ()


def draw(rules: RuleSet, position: Position, event: Draw, burst: Burst) -> Outcome:
    """A card is drawn from the stock into the hand, which never holds more than five (R83)."""
    if _deal_is_over(position) or rules.row_is_visible:
        return nothing(position)
    player = event.player
    side = position.side(player)
    if side.hand >= HAND_SIZE:
        return Illegal(Breach.HAND_FULL, player, Facts(count=side.hand + 1, limit=HAND_SIZE)), position, ()
    if not side.packet:
        return Illegal(Breach.NOTHING_TO_TURN, player), position, ()
    position = position.with_side(player, hand=side.hand + 1, packet=side.packet - 1)
    return Legal(player), changed(position, player), ()


def _deal_is_over(position: Position) -> bool:
    """After a deal the players gather their cards in any way they like."""
    return position.phase in (Phase.SLAP, Phase.OVER)
