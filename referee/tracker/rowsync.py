"""A world follows what the looks at a row show: cards turned up, moved, taken back, or gone unseen."""

from collections.abc import Mapping

from msgspec.structs import replace

from referee.cards import UNREAD, Card
from referee.game.events import Move, Refill, TurnUp
from referee.game.judge import judge
from referee.game.position import Lying, Position
from referee.game.rulings import Legal
from referee.observations import CardOdds
from referee.rules.legality import same_rank
from referee.rules.rows import EMPTY, Row, Stock, count_cards, place_of_top, with_place
from referee.rules.rule_set import RuleSet
from referee.table import PILES, PLAYERS, Pile, Player
from referee.tracker.evidence import card_likelihood
from referee.tracker.rows import PlaceView, RowView
from referee.tracker.worlds import World, lies_at, waited_for_ns

Happened = TurnUp | Move | Refill

SURELY_THERE = 3
"""So many looks more must read the same face where none can lie, before it is believed."""
RULED_OUT = 5e-4
"""A reading that fits a card less was not of it, however seldom it is wrong."""
MOVE_NS = 1_000_000_000
ROW_SEEN_NS = 500_000_000
"""A change in a row is seen at most so long after it was made."""
SELDOM_LEFT = 0.1
SELDOM_LEFT_BURIED = 0.5
"""How often a card that has to go back is left lying for good, and one that lies under another by then."""
PLAYS_ON_NS = 300_000_000
"""Who plays on so long after his own card was refused has left it lying."""


def unsettled(world: World, player: Player, row: RowView, gone: frozenset[Card]) -> list[int]:
    """Places that showed, in this look and before, another face than the world has there: look again."""
    places = []
    for place, (view, (kind, card)) in enumerate(zip(row.places, world.lies(player), strict=False), 1):
        if view.kind != "face" or (kind == "face" and card == view.card) or view.card in gone:
            continue
        if view.since_ns < view.seen_ns == row.read_ns:
            places.append(place)
    return places


def follow(
    rules: RuleSet, world: World, player: Player, row: RowView, places: list[int], at_ns: int
) -> tuple[World, list[Happened]]:
    """The world after the looks at `places` that showed something new, and what happened in the row for that."""
    happened: list[Happened] = []
    before, tops = world, world.position.side(player).row

    def is_no_move(place: int) -> bool:
        card = row.places[place - 1].card
        return card is None or place_of_top(tops, card) in (None, place)

    for place in sorted(places, key=is_no_move):  # where a top was moved to, before the face that it uncovered
        view = row.places[place - 1]
        if view.kind == "face" and view.card is not None:
            world, what = _face(rules, world, player, row, place, view.card, at_ns)
            happened += what
    if happened and world.away and before is not world:
        world = given_up(world, (player,), at_ns - ROW_SEEN_NS)
    return world, happened


def _face(
    rules: RuleSet, world: World, player: Player, row: RowView, place: int, card: Card, at_ns: int
) -> tuple[World, list[Happened]]:
    """A place shows `card`."""
    position, away = world.position, world.away
    kind, lying = lies_at(world, player, place)
    if lying == card:
        return world, []
    stock = position.side(player).row[place - 1]
    if card in away and stock.up and stock.up[-1] == card:
        return world.moved_to(without_lying(position, card)), []
    world = bared(world, player, place)
    position = world.position
    event: Happened
    if kind == "down":
        doubtful = position.knows_in_middle(card) or bool(position.shows(card))
        event = TurnUp(at_ns=at_ns, player=player, place=place, card=UNREAD if doubtful else card)
    elif kind == "face":
        onto = _stacked(rules, world, player, row, place, card)
        if onto is None:
            return (world if _lies_elsewhere(world, player, place, card) else named(world, player, place, card)), []
        event = Move(at_ns=at_ns, player=player, from_place=onto, to_place=place, card=card)
    elif rules.refills and position.side(player).packet and not place_of_top(position.side(player).row, card):
        event = Refill(at_ns=at_ns, player=player, place=place, card=card)
    else:
        source = place_of_top(position.side(player).row, card)
        over = _lies_over(position.side(player).row, card) if source is None else None
        if over is not None:  # an equal card lay over it, that was moved here first, and not seen here
            world, first = _face(rules, world, player, row, place, over, at_ns)
            world, then = _face(rules, world, player, row, place, card, at_ns) if first else (world, [])
            return world, first + then
        seen_twice = source is not None and _shows(row.places[source - 1], card)
        if source is None or seen_twice:
            moved = _just_left(world, player, row, row.places[place - 1].odds, at_ns)
            lies_there = row.places[place - 1].agreed >= SURELY_THERE
            if moved is None and lies_there and position.knows_in_middle(card) and card not in world.stayed:
                return named(_not_in_middle(world, card), player, place, card), []
            if moved is None and (seen_twice or position.knows_in_middle(card)) and card not in world.stayed:
                return world, []  # misread, and nothing is gone from elsewhere yet: look again
            if moved is None and card not in world.stayed:
                return world.moved_to(_turned_and_moved(position, player, place, card)), []
            if moved is None:
                return named(world, player, place, card), []
            source, card = moved
        event = Move(at_ns=at_ns, player=player, from_place=source, to_place=place, card=card)
    ruling, after, _ = judge(rules, position, event, (event,))
    if not isinstance(ruling, Legal):
        return named(world, player, place, card), []
    if isinstance(event, Move):
        row.places[event.from_place - 1] = _left_behind(row.places[event.from_place - 1], card)
    return world.moved_to(after), [event]


def _lies_over(row: Row, card: Card) -> Card | None:
    """The top of a pile of the row under which `card` comes next (R38), if there is one."""
    return next((stock.up[-1] for stock in row if stock.up[-2:-1] == (card,)), None)


def _lies_elsewhere(world: World, player: Player, place: int, card: Card) -> bool:
    """Whether another place of a row shows the card: there is only one, so it was misread here or there (R4)."""
    if world.position.has_twins:
        return False
    return any(
        lies == ("face", card) and (whose, n) != (player, place)
        for whose in PLAYERS
        for n, lies in enumerate(world.lies(whose), 1)
    )


def _stacked(rules: RuleSet, world: World, player: Player, row: RowView, place: int, card: Card) -> int | None:
    """From which place the card came that now lies on an equal one (R38), if it did: that place shows it no more."""
    stocks = world.position.side(player).row
    source = place_of_top(stocks, card)
    under = stocks[place - 1].top
    if not rules.row_stack_same_rank or source in (None, place) or under is None or not same_rank(card, under):
        return None
    return source if source is not None and row.places[source - 1].card != card else None


def _just_left(world: World, player: Player, row: RowView, odds: CardOdds, at_ns: int) -> tuple[int, Card] | None:
    """The top that the last look found gone from its place, and from where: if a face appears in a space with it, the
    face is that card, whatever was read, unless it was read too well (`odds`)."""
    for place, view in enumerate(row.places[: len(world.position.side(player).row)], 1):
        _, face = lies_at(world, player, place)
        if face is None or view.left != face or view.kind == "face":
            continue
        if at_ns - view.left_before_ns < MOVE_NS and card_likelihood(odds, face) > RULED_OUT:
            return place, face
    return None


def _shows(view: PlaceView, card: Card) -> bool:
    """Whether a place was last seen to show the card: it has not been moved from there, as far as is known."""
    return view.kind == "face" and view.card == card


def _left_behind(view: PlaceView, card: Card) -> PlaceView:
    """The place from which a card was moved within the row: it was not played from there."""
    return replace(view.lose("unknown", view.seen_ns) if view.card == card else view, left=None)


def _turned_and_moved(position: Position, player: Player, place: int, card: Card) -> Position:
    """The position after a face-down card was turned and moved to a space between two looks."""
    row = position.side(player).row
    hidden = [n for n, stock in enumerate(row, 1) if stock.down]
    if hidden:
        source = min(hidden, key=lambda n: (not row[n - 1].can_turn, -row[n - 1].down))
        row = with_place(row, source, Stock(row[source - 1].down - 1, row[source - 1].up))
    return without_lying(position, card).with_side(player, row=with_place(row, place, Stock(0, (card,))))


def named(world: World, player: Player, place: int, card: Card) -> World:
    """The world in which the top of a place is `card`, whatever was thought to lie there."""
    position = world.position
    if card in world.stayed:
        position = _uncounted(position, card)
    row = position.side(player).row
    stock = row[place - 1]
    named = Stock(stock.down, (*stock.up[:-1], card)) if stock.up or not stock.down else stock.turned(card)
    position = without_lying(position, card).with_side(player, row=with_place(row, place, named))
    return World(position, world.log_weight, world.claims, world.stayed - {card})


def _not_in_middle(world: World, card: Card) -> World:
    """The world in which a card that was thought to lie under others in the middle never came to lie there."""
    position = replace(world.position, seen=world.position.without_seen(card))
    piles = [pile for pile in PILES if card not in (position.middle(pile).top, UNREAD)]
    if position.in_game >= position.total and piles:
        pile = max(piles, key=lambda pile: position.middle(pile).count)
        position = position.with_middle(pile, count=position.middle(pile).count - 1)
    return world.moved_to(position)


def _uncounted(position: Position, card: Card) -> Position:
    """The position in which a card that was left lying is not counted where it lay: it came back after all."""
    for pile in PILES:
        if any(one.card == card for one in position.middle(pile).lying):
            return uncounted(position, card, pile)
    return replace(position, seen=position.without_seen(card))


def came_back(world: World, card: Card) -> World:
    """The world in which a card that seemed to be left lying is not there any more."""
    return World(_uncounted(world.position, card), world.log_weight, world.claims, world.stayed - {card})


def uncounted(position: Position, card: Card, pile: Pile) -> Position:
    """The position without a card that was left lying on a pile and counted there."""
    position = position.with_middle(pile, count=position.middle(pile).count - 1)
    return replace(position, seen=position.without_seen(card))


def back_in_row(position: Position, card: Card, rows: Mapping[Player, RowView]) -> Position:
    """The position with a card in the row again that it was seen to leave, if it was."""
    for player in PLAYERS:
        row = position.side(player).row
        for place, (view, stock) in enumerate(zip(rows[player].places, row, strict=False), 1):
            if view.left == card and not stock.up:
                return position.with_side(player, row=with_place(row, place, Stock(stock.down, (card,))))
    return position


def without_top(world: World, pile: Pile, under: Card, rows: Mapping[Player, RowView]) -> World:
    """The world in which the top of a pile was taken off although it counted: it lies again where it came from, if it
    was seen to leave a row, and the card under it is the top."""
    position, card = world.position, world.position.middle(pile).top
    middle = position.middle(pile)
    if card is None or card == UNREAD or middle.count < 2:
        return world
    position = replace(position, seen=position.without_seen(card))
    position = position.with_middle(pile, top=under, count=middle.count - 1, covers=(), unread=None)
    back = back_in_row(position, card, rows)
    if back is not position:
        return world.moved_to(back)
    starter = middle.started_by if middle.started_by is not None else "p1"
    return world.moved_to(position.with_side(starter, packet=position.side(starter).packet + 1))


def on_what_lies(world: World, pile: Pile, at_ns: int) -> World:
    """The world in which the top of a pile lies there but does not count, so that nobody knows what one plays on."""
    middle = world.position.middle(pile)
    if middle.top is None:
        return world
    lying = (*middle.lying, Lying(middle.top, "unknown", None, at_ns))
    return world.moved_to(world.position.with_middle(pile, top=UNREAD, lying=lying))


def without_lying(position: Position, card: Card) -> Position:
    """The position in which `card` does not lie on a middle pile to be taken back any more."""
    for pile in PILES:
        lying = position.middle(pile).lying
        if any(one.card == card for one in lying):
            position = position.with_middle(pile, lying=tuple(one for one in lying if one.card != card))
    return position


def stay(world: World, player: Player, place: int) -> World:
    """A card that had to go back was left lying and its row went on without it: it counts where it lies."""
    position = world.position
    row = position.side(player).row
    card = row[place - 1].up[-1]
    pile, lying = next(((p, one) for p, one in position.must_go_back if one.card == card), (None, None))
    position = position.with_side(player, row=with_place(row, place, row[place - 1].without_top()))
    is_covered = False
    if pile is not None and lying is not None:
        is_covered = lying.buried or lying is not position.middle(pile).lying[-1]
        position = position.with_middle(pile, count=position.middle(pile).count + 1)
    position = replace(position, seen=position.with_seen(card))
    seldom = SELDOM_LEFT_BURIED if is_covered else SELDOM_LEFT
    return World(position, world.weight_if(seldom), world.claims, world.stayed | {card})


def given_up(world: World, players: tuple[Player, ...], at_ns: int) -> World:
    """The world in which these players go on without taking their cards back: where those lie, they stay."""
    position = world.position
    for one in position.A.lying + position.B.lying:
        if one.card in world.stayed or one.who not in players or at_ns - one.at_ns < PLAYS_ON_NS:
            continue
        for player in PLAYERS:
            place = place_of_top(world.position.side(player).row, one.card)
            if place is not None:
                world = stay(world, player, place)
                break
    return world


def moved_unseen(world: World, player: Player, place: int, to_place: int, card: Card) -> World:
    """The world in which the top that has left a place lies in a space of its row, and the face that shows there since
    is the next one, turned."""
    row = world.position.side(player).row
    stock = row[place - 1]
    row = with_place(row, place, Stock(max(0, stock.down - 1), stock.up))
    return world.moved_to(world.position.with_side(player, row=with_place(row, to_place, Stock(0, (card,)))))


def bared(world: World, player: Player, place: int) -> World:
    """The world in which a place goes on without the card that had to come back to it."""
    row = world.position.side(player).row
    if not 0 < place <= len(row) or not row[place - 1].up or row[place - 1].up[-1] not in world.away:
        return world
    return stay(world, player, place)


def left_lying(world: World, now_ns: int) -> World:
    """The world in which cards that nobody takes back any more stay where they lie (never a player's last card)."""
    position = world.position
    for one in position.A.lying + position.B.lying:
        if now_ns < waited_for_ns(one) or one.card in world.stayed:
            continue
        for player in PLAYERS:
            row = world.position.side(player).row
            place = place_of_top(row, one.card)
            if place is not None and count_cards(row) > 1:
                world = stay(world, player, place)
                break
    return world


def as_it_lies(world: World, pile: Pile) -> World:
    """The world in which every card that lies over a pile counts, and the uppermost is the top."""
    lying, log_weight = world.position.middle(pile).lying, world.log_weight
    for one in lying:
        for player in PLAYERS:
            place = place_of_top(world.position.side(player).row, one.card)
            if one.card not in world.stayed and place is not None:
                world = stay(world, player, place)
    position = world.position.with_middle(pile, top=lying[-1].card, lying=(), covers=())
    return World(position, log_weight, world.claims, world.stayed - {one.card for one in lying})


def settled_by_the_end(world: World) -> World:
    """The world in which every card that was never taken back counts where it lies: the piles are taken as they are."""
    for _, one in world.position.must_go_back:
        for player in PLAYERS:
            place = place_of_top(world.position.side(player).row, one.card)
            if one.card not in world.stayed and place is not None:
                world = stay(world, player, place)
    return world


def with_hidden_as_seen(world: World, player: Player, row: RowView, now_ns: int) -> World:
    """The world in which face-down cards lie where they were seen in two looks, and none where none were: they were
    counted elsewhere in the row, or not at all."""
    position = world.position
    stocks = position.side(player).row
    for place, (view, stock) in enumerate(zip(row.places, stocks, strict=False), 1):
        if view.since_ns >= view.seen_ns or now_ns - view.seen_ns >= MOVE_NS:
            continue
        if view.kind == "empty" and stock.can_turn:
            moved = with_place(stocks, place, EMPTY)
            others = [n for n, other in enumerate(stocks, 1) if n != place and not other.is_empty]
            if others:
                onto = max(others, key=lambda n: (row.places[n - 1].kind == "down", stocks[n - 1].down))
                moved = with_place(moved, onto, Stock(stocks[onto - 1].down + stock.down, stocks[onto - 1].up))
        elif view.kind == "down" and stock.is_empty:
            source = max(range(1, len(stocks) + 1), key=lambda n: stocks[n - 1].down)
            hidden = stocks[source - 1]
            moved = with_place(stocks, place, Stock(1))
            if hidden.count > 1 and hidden.down:
                moved = with_place(moved, source, Stock(hidden.down - 1, hidden.up))
        else:
            continue
        return world.moved_to(position.with_side(player, row=moved))
    return world


def caught_up(world: World, player: Player, row: RowView, onto: Pile, since_ns: int) -> World:
    """The world made to agree with what a row has shown since this moment, or for longer: what is not there any more
    was played unseen."""
    for place, view in enumerate(row.places[: len(world.position.side(player).row)], 1):
        kind, _ = lies_at(world, player, place)
        if (
            view.kind in ("unknown", kind)
            or view.odd_looks
            or view.seen_ns <= view.since_ns
            or view.since_ns > since_ns
        ):
            continue
        stock = world.position.side(player).row[place - 1]
        if stock.up and stock.up[-1] in world.away:
            world = stay(world, player, place)
            stock = world.position.side(player).row[place - 1]
        world = world.moved_to(_as_seen(world.position, player, place, stock, view, onto))
    return world


def _as_seen(position: Position, player: Player, place: int, stock: Stock, view: PlaceView, onto: Pile) -> Position:
    """The position in which a place is what was seen there; a card that vanished lies on the pile `onto`."""
    if view.kind == "empty":
        seen = EMPTY
    elif view.kind == "down":
        seen = Stock(max(1, stock.down))
    else:
        seen = Stock(stock.down, (view.card,)) if view.card else stock
    lost = max(0, stock.count - seen.count)
    row = with_place(position.side(player).row, place, seen)
    position = position.with_side(player, row=row)
    for card in stock.up if view.kind != "face" else ():
        position = replace(position, seen=position.with_seen(card))
    return position.with_middle(onto, count=position.middle(onto).count + lost) if lost else position
