"""Where a landed card came from (R20): which row, which place of it, or why it cannot have come from there."""

from typing import Final

from msgspec.structs import replace

from referee.cards import UNREAD, Card
from referee.game.position import Position, Source
from referee.game.rulings import Breach, Doubt
from referee.rules.rows import EMPTY, Row, count_cards, place_of_top, place_to_turn, with_place
from referee.rules.rule_set import RuleSet
from referee.table import OPPONENT, PLAYERS, Player, Who

NOBODY_KNOWS: Final = Source(None, "astray")


def trace(rules: RuleSet, position: Position, who: Who, card: Card, from_place: int | None) -> Source | Breach | Doubt:
    """Return where `card` came from, a breach if it was not his to play, or a doubt if it was misread.

    In this order: his own face-up top; the opponent's top; a card known to lie in the middle (in one shared pack);
    a card known to lie in a row but not on top; a card that may have been turned, read or laid in passing.
    """
    owners: tuple[Player, ...] = PLAYERS if who == "unknown" else (who,)
    if rules.row_is_visible:
        if who != "unknown":
            row = position.side(who).row
            if from_place and _shows(row, from_place, card):
                return Source(who, from_place)
            if place := place_of_top(row, card):
                return Source(who, place)
            if place_of_top(position.side(OPPONENT[who]).row, card):
                return Breach.NOT_YOUR_CARD
        else:
            showing = [player for player in owners if place_of_top(position.side(player).row, card)]
            if len(showing) == 1:
                return _from_top(position, showing[0], card, from_place)
            if showing:
                return NOBODY_KNOWS  # twins (R72)
    if rules.decks == "shared" and position.knows_in_middle(card):
        return Doubt.MISREAD
    if not rules.row_is_visible:
        return _from_hand(position, who)
    for stock in position.p1.row + position.p2.row:
        if card in stock.up:
            return Breach.NOT_A_TOP_CARD
    return _from_unseen(rules, position, owners, from_place)


def _from_top(position: Position, player: Player, card: Card, from_place: int | None) -> Source:
    """The place whose top it was; `from_place` tells two equal cards of one row apart."""
    row = position.side(player).row
    if from_place and _shows(row, from_place, card):
        return Source(player, from_place)
    return Source(player, place_of_top(row, card) or "astray")


def _shows(row: Row, place: int, card: Card) -> bool:
    return 0 < place <= len(row) and row[place - 1].top == card


def _from_unseen(
    rules: RuleSet, position: Position, owners: tuple[Player, ...], from_place: int | None
) -> Source | Breach:
    """A card that no row showed: it may have lain there unread or face down, or been laid and played at once (R76)."""
    possible = []
    for player in owners:
        side = position.side(player)
        place = _unseen_place(side.row, from_place)
        if place:
            possible.append(Source(player, place))
        elif rules.refills and side.packet and EMPTY in side.row:
            possible.append(Source(player, "packet"))
    if not possible:
        return Breach.NOT_A_TOP_CARD
    return possible[0] if len(possible) == 1 else NOBODY_KNOWS


def _unseen_place(row: Row, from_place: int | None) -> int | None:
    """A place whose top is unread or face down: the one it was seen to leave, else the first."""
    if from_place and 0 < from_place <= len(row):
        stock = row[from_place - 1]
        if stock.can_turn or stock.top == UNREAD:
            return from_place
    return place_of_top(row, UNREAD) or place_to_turn(row)


def _from_hand(position: Position, who: Who) -> Source:
    """Speed: the hand hides its cards; an empty one was filled in passing (R83, R88)."""
    if who == "unknown":
        return NOBODY_KNOWS
    side = position.side(who)
    return Source(who, "hand" if side.hand else "packet" if side.packet else "astray")


def unread_source(rules: RuleSet, position: Position, who: Who, from_place: int | None) -> Source:
    """Where an unread card came from: the place it was seen to leave, or the only place there is."""
    if who == "unknown":
        return NOBODY_KNOWS
    if not rules.row_is_visible:
        return _from_hand(position, who)
    side = position.side(who)
    row = side.row
    if count_cards(row) <= side.astray:
        return NOBODY_KNOWS  # by the count he has no card left that could have landed
    if from_place and 0 < from_place <= len(row) and not row[from_place - 1].is_empty:
        return Source(who, from_place)
    filled = [place for place, stock in enumerate(row, 1) if not stock.is_empty]
    return Source(who, filled[0] if len(filled) == 1 else "astray")


def take(position: Position, source: Source) -> Position:
    """The position without the card at its source."""
    return _moved(position, source, -1, None)


def give_back(position: Position, source: Source, card: Card) -> Position:
    """The position with the card at its source again."""
    return _moved(position, source, +1, card)


def _moved(position: Position, source: Source, by: int, card: Card | None) -> Position:
    """The position with one card less (`by` -1) or with `card` more (+1) at the source."""
    player, place = source.player, source.place
    if player is None:
        return replace(position, astray=position.astray - by)
    side = position.side(player)
    match place:
        case "hand":
            return position.with_side(player, hand=side.hand + by)
        case "packet":
            return position.with_side(player, packet=side.packet + by)
        case "astray":
            return position.with_side(player, astray=side.astray - by)
    stock = side.row[place - 1]
    stock = stock.without_top() if card is None else stock.with_top(card)
    return position.seat(player, replace(side, row=with_place(side.row, place, stock)))
