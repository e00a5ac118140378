"""What a landing may have been: every card that a player could have put down, and how likely each is.

Combined are the reading of the card, the hand, the movement, what left a row just before, what is known to lie
elsewhere (a shared pack has each card once), what is due, and that people mostly keep to the rules.
"""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from referee.cards import PACK, UNREAD, Card
from referee.game.events import Land, Spit
from referee.game.phases import Phase
from referee.game.position import Position
from referee.game.rulings import Breach
from referee.game.spits import AGREEMENT_NS
from referee.observations import CardLanded
from referee.rules.legality import cards_on
from referee.rules.rule_set import RuleSet
from referee.table import OPPONENT, PLAYERS, Player
from referee.tracker import evidence
from referee.tracker.rows import RowView
from referee.tracker.worlds import FORGOTTEN, LEAST_LIKELY, NO_CARDS, World
from referee.units import MS

Rows = Mapping[Player, RowView]
Hands = Mapping[Player, float]
"""How well the hand that was seen fits each player."""

LEGAL = 1.0
ON_UNREAD = 0.18
"""A card fits one that was not read by chance, unless its player saw better."""
BEATEN = 0.3
ILLEGAL = 0.03
ON_REFUSED = 0.2
"""Some play on a card that has to go back before it is taken."""
CLEAR = 0.3
"""Where the top of a row fits so well, no card is thought of that nobody has seen, or that was misread."""
SPIT_DUE = 1.0
WRONG_PILE = 0.03
SPIT_NOT_DUE = 0.003
AGREED = 0.05
STOLEN = 3.5e-3
STOLEN_IN_VAIN = 0.025
"""How often somebody plays another's card, beside his own (41 of 11 678 cards that followed, over 40 simulated games);
and how often such a card does not fit, beside how often his own does not."""
TURNED_IN_HAND = 0.15
MOVED_UNSEEN = 0.03
MOVED_NS = 4_000_000_000
"""How often a top that has left its place was moved and not seen since, and so long it may not have been."""
NO_IDEA = 0.02
"""How much likelier than the next each origin is before anything was seen: people mostly keep to the rules."""

KNOWN_ELSEWHERE = 0.01
"""A card that is thought to lie elsewhere: it may have been misread there."""
NOT_IN_VIEW = 0.005
"""Likelihood of a landing by a player whose hands nobody saw over the table."""
JUST_LEFT = 15.0
"""A top that was seen to leave within the last moments weighs this much more."""
LIKELIEST = LEGAL * JUST_LEFT
"""No guess is likelier."""
STILL_THERE = 0.002
LONG_GONE = 0.05
"""A card that was seen not to lie there before it was played: it was held for long."""
JUST_NOW_NS = 2_500_000_000
HAND_BACK_NS = 170_000_000
TOO_SOON = 0.01
"""A hand needs so long to bring the next card, and seldom less."""
HAND_TRAVEL_NS = 60_000_000


class Guess(msgspec.Struct, frozen=True, gc=False):
    """One way to understand a landing: its likelihood, the event it would be, and the place the card came from."""

    likelihood: float
    event: Land | Spit
    place: int | None
    renames: bool = False
    """The place was thought to show another card, and was misread."""
    moved_from: int | None = None
    """The place that the card had left before, unseen, for the space from which it was played."""


class Report(msgspec.Struct, frozen=True, gc=False):
    """What was seen of a landing, ready to be asked about any hand, card and place; the same for every world."""

    landing: CardLanded
    hands: Hands
    other_card: float
    """Likelihood of a card that the reading does not name."""
    origins: Mapping[tuple[Player, int | None], float]
    other_origin: float
    """Likelihood of an origin that the movement does not name."""

    @classmethod
    def of(cls, landing: CardLanded, in_view: tuple[Player, ...] = PLAYERS) -> "Report":
        """`in_view` are the players whose hands were over the table."""
        hands = {
            player: evidence.player_likelihood(landing.players, player) * (1.0 if player in in_view else NOT_IN_VIEW)
            for player in PLAYERS
        }
        origins: dict[tuple[Player, int | None], float] = {}
        for origin in landing.origins:
            origins.setdefault((origin.player, origin.place), max(origin.p, evidence.SURELY_WRONG))
        other_card = evidence.rest_of(landing.cards) if landing.cards else evidence.NOT_SEEN
        return cls(landing, hands, other_card, origins, evidence.other_origin_likelihood(landing.origins))

    def with_busy_hands(self, position: Position) -> "Report":
        """What was seen, with the doubt that a hand comes again so soon after its player's last card."""
        at_ns, a, b = self.landing.at_ns, position.A.touched_ns, position.B.touched_ns
        if at_ns - max(a[0], b[0], a[1], b[1]) > HAND_BACK_NS:
            return self
        hands = {
            player: p * (1.0 if at_ns - max(a[n], b[n]) > HAND_BACK_NS else TOO_SOON)
            for n, (player, p) in enumerate(self.hands.items())
        }
        return msgspec.structs.replace(self, hands=hands)

    def origin(self, player: Player, place: int | None) -> float:
        """How well the movement fits a place of a row, or (None) the packet of spit cards."""
        return self.origins.get((player, place), self.other_origin)


Top = tuple[float, Player, Card, int]
"""How likely it is that the top of a place landed: its likelihood, whose row it is, the card and the place."""
Prior = Callable[[Player, Card], float]
Candidates = list[tuple[Card, float]]
"""Cards that may have come from where nobody has seen them, and how well each fits the reading."""


def guesses(
    rules: RuleSet, world: World, rows: Rows, report: Report, least: float | None = 0.0, share: float = FORGOTTEN, *,
    only_spits: bool = False,
) -> list[Guess]:  # fmt: skip
    """All guesses that matter, in no order: none less likely than `least`, nor than this share of the likeliest one
    (`least` None: really all); or only spit cards that are due."""
    report = report.with_busy_hands(world.position)
    landing, prior = report.landing, _prior(rules, world.position, report.landing)
    is_bounded = least is not None and landing.together == 1
    if least is None or landing.together > 1 or least < LEAST_LIKELY:
        least = 0.0  # nothing is impossible
    tops, best = _from_rows(world, rows, report, prior, CLEAR if only_spits else min(least, CLEAR))
    found: list[Guess] = []
    if not only_spits:
        if is_bounded and tops:
            likeliest, _, _, _ = max(tops)
            if likeliest * share > LEAST_LIKELY:
                least = max(least, likeliest * share)
        found += [Guess(p, _land(landing, player, card, place), place)
                  for p, player, card, place in tops if p >= least]  # fmt: skip
        found += _stolen(world, rows, report, prior, least)
        if not rules.row_is_visible:
            found += _from_hands(world, report, prior)
    if best < CLEAR:
        hidden = _hidden_cards(world.position)
        cards, each = _unread_candidates(world, landing, hidden), 1.0 / hidden
        found += _spits(rules, world, report, cards, each, least, only_due=only_spits)
        if not only_spits:
            found += _unseen(rules, world, rows, report, prior, cards, each, least)
            found += _misread_tops(world, rows, report, prior, cards, least)
            found += _moved(world, rows, report, prior, least)
            if sum(landing.cards.values()) < 0.5 or not _has_cards(world, rules):
                found.append(_nobody_knows(landing))
    if landing.together > 1:
        found = list(_in_pairs(world, rows, found))
    return found


def _from_rows(world: World, rows: Rows, report: Report, prior: Prior, least: float) -> tuple[list[Top], float]:
    """The face-up tops of rows, played by their owners; and how likely the best of them is whatever the row showed."""
    tops, landing, best = [], report.landing, 0.0
    named, other_card = landing.cards, report.other_card
    origins, other_origin = report.origins, report.other_origin
    for player in PLAYERS:
        hand, row = report.hands[player], rows[player]
        if hand * JUST_LEFT < least:
            continue
        for place, (_, card) in enumerate(world.lies(player), 1):
            if card is None or card == UNREAD:
                continue
            p = named.get(card, 0.0)
            likelihood = hand * (p if p > 0 else other_card) * origins.get((player, place), other_origin)
            if likelihood * JUST_LEFT < least:
                continue
            likelihood *= prior(player, card)
            best = max(best, likelihood)
            likelihood *= _left(row, place, card, landing)
            if likelihood >= least:
                tops.append((likelihood, player, card, place))
    return tops, best


def _from_hands(world: World, report: Report, prior: Prior) -> Iterator[Guess]:
    """A card of a hidden hand (R83, R88): whichever card it is, its player may have held it."""
    landing, hidden = report.landing, _hidden_cards(world.position)
    each = 1.0 / hidden
    for player in PLAYERS:
        side = world.position.side(player)
        if side.hand or side.packet:
            for card, p in _unread_candidates(world, landing, hidden):
                lawful = 1.0 if card == UNREAD else prior(player, card)
                yield Guess(each * report.hands[player] * p * lawful, _land(landing, player, card, None), None)


def _left(row: RowView, place: int, card: Card, landing: CardLanded) -> float:
    """What the looks at a row say: a top that left just before is likelier, one that still lies there is not it."""
    view = row.places[place - 1]
    if view.kind == "face" and view.card == card:
        return STILL_THERE if view.seen_ns > landing.at_ns + HAND_TRAVEL_NS else 1.0
    if view.left == card and view.left_before_ns >= landing.at_ns - JUST_NOW_NS:
        return JUST_LEFT
    if view.kind in ("empty", "down") and view.since_ns < landing.at_ns - JUST_NOW_NS:
        return LONG_GONE
    return 1.0


def _prior(rules: RuleSet, position: Position, landing: CardLanded) -> Prior:
    """How likely a player lays a card there: people mostly keep to the rules; who does not, mostly came second."""
    middle = position.middle(landing.pile)
    if position.phase not in (Phase.PLAY, Phase.SPIT) or middle.top is None:
        return lambda player, card: ILLEGAL
    if middle.top == UNREAD:
        return lambda player, card: ON_UNREAD
    fitting, window_ns = cards_on(middle.top, rules), rules.race_window_ms * MS
    raced = [
        (cover.by, PACK, BEATEN * ON_UNREAD) if cover.top == UNREAD else (cover.by, cards_on(cover.top, rules), BEATEN)
        for cover in middle.covers
        if landing.at_ns - cover.at_ns <= window_ns
    ]
    refused = middle.physical_top
    good_faith = cards_on(refused, rules) if refused is not None and refused not in (UNREAD, middle.top) else NO_CARDS
    if not raced and not good_faith:
        return lambda player, card: LEGAL if card in fitting else ILLEGAL

    def prior(player: Player, card: Card) -> float:
        if card in fitting:
            return LEGAL
        others = ON_REFUSED if card in good_faith else ILLEGAL
        return max([others, *(chance for by, cards, chance in raced if by != player and card in cards)])

    return prior


def _unread_candidates(world: World, landing: CardLanded, hidden: int) -> Candidates:
    """Cards that the reading names and that are not known to lie face up anywhere; `??` if it names none."""
    position = world.position
    if not landing.cards:
        return [(UNREAD, evidence.NOT_SEEN)]
    known = [card for stock in position.p1.row + position.p2.row for card in stock.up]
    tops = (position.A.top, position.B.top)
    named = []
    for card, p in landing.cards.items():
        if card not in tops:
            lies_elsewhere = card in known or position.knows_in_middle(card)
            named.append((card, p * (KNOWN_ELSEWHERE if lies_elsewhere else 1.0)))
    unnamed = max(1.0 - sum(landing.cards.values()), evidence.SURELY_WRONG)
    return [*named, (UNREAD, unnamed * min(1.0, hidden / evidence.OTHER_CARDS))]


def _hidden_cards(position: Position) -> int:
    """How many cards nobody has seen yet: each is as likely as the other to be turned."""
    hidden = position.p1.packet + position.p2.packet
    for stock in position.p1.row + position.p2.row:
        hidden += stock.down
    return max(1, hidden)


def _has_cards(world: World, rules: RuleSet) -> bool:
    """Whether anybody has a card that could have landed."""
    if world.position.p1.packet or world.position.p2.packet or not rules.row_is_visible:
        return True
    return any(kind != "empty" for player in PLAYERS for kind, _ in world.lies(player))


def _spits(
    rules: RuleSet, world: World, report: Report, cards: Candidates, each: float, least: float, *, only_due: bool
) -> Iterator[Guess]:
    """The top of a packet (of an outer stack in Speed): due or not, on the right pile or not."""
    position, landing = world.position, report.landing
    for player in PLAYERS:
        side = position.side(player)
        due = side.due
        if (only_due and not due) or (not side.packet and rules.row_is_visible):
            continue
        prior = SPIT_NOT_DUE
        if due:
            prior = SPIT_DUE if landing.pile in due or "any" in due else WRONG_PILE
        elif side.has_spat and position.phase in (Phase.SPIT, Phase.FIRST_SPIT):
            prior = SPIT_NOT_DUE / 10
        agreed = 0.0 if due else _agreement(rules, position, player, landing)
        is_spit = (bool(due) and (prior != WRONG_PILE or rules.row_is_visible)) or agreed > prior
        hand, seen = report.hands[player], report.origin(player, None)
        for card, p in cards:
            likelihood = max(prior, agreed) * each * p * hand * seen
            if likelihood < least:
                continue
            event: Land | Spit = _land(landing, player, card, None)
            if is_spit or card == UNREAD:  # whichever card of the packet it is, it is no play
                event = Spit(at_ns=landing.at_ns, player=player, pile=landing.pile, card=card)
            yield Guess(likelihood, event, None)


def _agreement(rules: RuleSet, position: Position, player: Player, landing: CardLanded) -> float:
    """How likely the players agree to turn a card each although the referee has not called it (R46, R88): likelier
    once the other has."""
    if rules.spit_when == "stuck" or position.phase is not Phase.PLAY or landing.pile != position.own_pile(player):
        return 0.0
    lying = position.middle(position.own_pile(OPPONENT[player])).lying
    has_turned = any(one.reason is Breach.NOT_STUCK and landing.at_ns - one.at_ns < AGREEMENT_NS for one in lying)
    return SPIT_DUE if has_turned else AGREED


def _unseen(
    rules: RuleSet, world: World, rows: Rows, report: Report, prior: Prior, cards: Candidates, each: float, least: float
) -> Iterator[Guess]:
    """A face-down or unread top that was turned and played since the last look at the row; or (Bicycle, R76) a card
    that was laid from the deck into a gap and played."""
    landing = report.landing
    for player in PLAYERS:
        hand = report.hands[player]
        if TURNED_IN_HAND * each * hand * JUST_LEFT < least:
            continue
        for place, (kind, face) in enumerate(world.lies(player), 1):
            filled = rules.refills and kind == "empty" and world.position.side(player).packet > 0
            if kind != "down" and face != UNREAD and not filled:
                continue
            view = rows[player].places[place - 1]
            fresh = STILL_THERE if kind == "down" and view.kind == "down" and view.seen_ns > landing.at_ns else 1.0
            if view.left is not None and view.left_before_ns >= landing.at_ns - JUST_NOW_NS:
                fresh = JUST_LEFT
            for card, p in cards:
                lawful = 1.0 if card == UNREAD else prior(player, card)
                likelihood = TURNED_IN_HAND * each * p * hand * lawful * fresh
                likelihood *= report.origin(player, place)
                if likelihood >= least:
                    yield Guess(likelihood, _land(landing, player, card, place), place)


def _misread_tops(
    world: World, rows: Rows, report: Report, prior: Prior, cards: Candidates, least: float
) -> Iterator[Guess]:
    """A face-up top that the looks at the row had named wrong."""
    landing = report.landing
    if not landing.cards:
        return
    likely = [(card, p) for card, p in cards if card == UNREAD or landing.cards.get(card, 0.0) > 0.1]
    for player in PLAYERS:
        hand = report.hands[player]
        if hand * JUST_LEFT < least:
            continue
        for place, (_, face) in enumerate(world.lies(player), 1):
            if face is None or face == UNREAD:
                continue
            view = rows[player].places[place - 1]
            left, seen = _left(rows[player], place, face, landing), report.origin(player, place)
            if hand * left * seen < least:
                continue
            looks = view.readings(face) or (view.odds if view.kind == "face" else {face: 0.97})
            for card, p in likely:
                likelihood = hand * p * evidence.card_likelihood(looks, card) * left
                likelihood *= ON_UNREAD if card == UNREAD else prior(player, card)
                likelihood *= seen
                if likelihood >= least:
                    yield Guess(likelihood, _land(landing, player, card, place), place, renames=True)


def _moved(world: World, rows: Rows, report: Report, prior: Prior, least: float) -> Iterator[Guess]:
    """A top that has left its place, where another face shows since, and was not seen to lie anywhere else."""
    landing, position = report.landing, world.position
    for player in PLAYERS:
        spaces = [place for place, (kind, _) in enumerate(world.lies(player), 1) if kind == "empty"]
        for place, view in enumerate(rows[player].places if spaces else (), 1):
            card = view.left
            if card is None or card not in landing.cards or view.kind != "face":
                continue
            was_long_ago = landing.at_ns - view.left_before_ns > MOVED_NS
            if was_long_ago or position.knows_in_middle(card) or position.shows(card):
                continue
            likelihood = MOVED_UNSEEN * report.hands[player] * landing.cards[card] * prior(player, card)
            likelihood *= report.origin(player, spaces[0])
            if likelihood >= least:
                event = _land(landing, player, card, spaces[0])
                yield Guess(likelihood, event, spaces[0], moved_from=place)


def _stolen(world: World, rows: Rows, report: Report, prior: Prior, least: float) -> Iterator[Guess]:
    """The opponent's top."""
    landing = report.landing
    for owner in PLAYERS:
        thief = OPPONENT[owner]
        hand = report.hands[thief]
        if STOLEN * hand * JUST_LEFT < least:
            continue
        for place, (_, card) in enumerate(world.lies(owner), 1):
            if card is None or card not in landing.cards:
                continue
            likelihood = STOLEN * hand * landing.cards[card] * _left(rows[owner], place, card, landing)
            fits = prior(thief, card)
            likelihood *= fits if fits == LEGAL else fits * STOLEN_IN_VAIN
            if likelihood >= least:
                yield Guess(likelihood, _land(landing, thief, card, None), place)


def _nobody_knows(landing: CardLanded) -> Guess:
    """A card of whom and whence nobody can tell."""
    player = evidence.likely_player(landing.players)
    event = Land(at_ns=landing.at_ns, player=player, pile=landing.pile, cards=(UNREAD,))
    return Guess(NO_IDEA * evidence.NOT_SEEN, event, None)


def _in_pairs(world: World, rows: Rows, found: list[Guess]) -> Iterator[Guess]:
    """Two cards in one movement: the upper one was read, the lower one is another top of the same row."""
    for guess in found:
        yield Guess(0.02 * guess.likelihood, guess.event, guess.place, guess.renames)
        player = guess.event.player
        if isinstance(guess.event, Spit) or player == "unknown":
            continue
        upper = guess.event.cards[0]
        others = [
            (place, card) for place, (_, card) in enumerate(world.lies(player), 1) if card is not None and card != upper
        ]
        for _, lower in others:
            event = msgspec.structs.replace(guess.event, cards=(lower, upper))
            yield Guess(guess.likelihood / len(others), event, guess.place, guess.renames)


def _land(landing: CardLanded, player: Player, card: Card, place: int | None) -> Land:
    return Land(at_ns=landing.at_ns, player=player, pile=landing.pile, cards=(card,), from_place=place)
