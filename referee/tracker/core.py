"""The believing part of the tracker: several possible worlds, weighed by what is seen, told as soon as they agree.

Input comes in the order of touch (the tracker sees to that). A landing splits the worlds, a look at a pile or a row
weighs them, and a verdict is told when the worlds that say so have enough weight. Accusations need more weight than
anything else, and the looks that could still excuse the player.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import msgspec

from referee.cards import UNREAD, Card
from referee.game.deal_end import cleared, has_cleared, settle
from referee.game.events import Call, Land, Read, Spit, TakeBack
from referee.game.judge import judge
from referee.game.phases import Phase
from referee.game.position import Middle, Position
from referee.observations import (
    Called,
    CardLanded,
    CardOdds,
    CardTakenBack,
    HandsSeen,
    PileRead,
    PilesTaken,
    RowRead,
)
from referee.rules.legality import follows
from referee.rules.rule_set import RuleSet
from referee.rules.deals import OWN_PILE
from referee.table import OPPONENT, PILES, PLAYERS, Pile, Player
from referee.tracker import evidence, rowsync, telling
from referee.tracker.guesses import Guess, guesses
from referee.tracker.layout import Layout
from referee.tracker.rows import LONG_AGO, RowView
from referee.tracker.worlds import (
    Claim,
    World,
    lies_at,
    look_likelihood,
    pruned,
    shares,
)
from referee.verdicts import (
    AnyVerdict,
    BackInStep,
    CannotTell,
    LeftLying,
    PhaseChanged,
    TakenBack,
)

MS = 1_000_000
NOT_STUCK_AFTER_ALL = 3e-4
"""How often a spit card shows that nobody could play although somebody seemed to be able to."""
NOBODY_EXPECTED = 1e-3
"""Where a landing has a likelier explanation than this, no unexpected spit is thought of."""
BUILT_ON = 4
BUILT_ON_NS = 3500 * MS
"""So many refused cards must follow one another, the first lying so long, before the players are believed."""
MISCOUNTED = 0.01
"""How often a player has a spit card left who seemed to have none, after a deal with doubts."""
MISSED = 0.003
"""Share of landings that nobody reports."""
REPORT_NS = 1000 * MS
"""A landing is reported at most so long after its touch; what was seen earlier and not reported was missed."""
SEEN_ENOUGH_NS = 700 * MS
UNLIKELY = -11.5
"""Logarithm of the weight under which a world is given up when there was time to look."""
NAME_NS = 300 * MS
"""So long a landing that is legal whichever card it was waits for its name."""
SURE = 0.9995
"""Share of the likeliest world over which the others do not matter for anything but blame."""


class Caution(msgspec.Struct, frozen=True, kw_only=True):
    """When the tracker speaks. One false accusation in a thousand games means one in some 60 000 accusations."""

    blame: float = 1 - 3e-5
    """Share of the worlds that must agree before somebody is blamed."""
    no_blame: float = 0.98
    """The same for rulings that blame nobody."""
    wait_ms: int = 1900
    """So long after the touch it is told that the play cannot be judged."""
    still_ms: int = 300
    """The table must have been still so long before it is called stuck."""


@dataclass(slots=True)
class OpenLanding:
    """A landing that is not settled yet."""

    landing: CardLanded
    top_seen_ns: int
    """When the card under it was last seen to be what it was thought to be."""
    told: Claim | None = None
    is_told: bool = False


@dataclass(slots=True)
class PileView:
    """What a middle pile was last seen to show."""

    first: Card | None = None
    odds: CardOdds = field(default_factory=dict)
    """The reading of the lying top when it came down."""
    seen_ns: int = LONG_AGO
    strange: list[PileRead] = field(default_factory=list)
    """Looks that no world explains: misread, or ahead of the report of a landing."""
    odd_looks: int = 0
    empty_looks: int = 0
    is_old: bool = False
    """It still shows the cards of the deal before."""
    changed_ns: int = LONG_AGO


@dataclass(slots=True)
class Core:
    """Follow one game from `worlds` on; `step` takes an observation and returns what there is to tell."""

    rules: RuleSet
    caution: Caution
    worlds: tuple[World, ...]
    layout: Layout
    counts_known: bool = True
    counts_doubtful: bool = False
    """Whether something in this game was not seen that may have changed a player's count."""
    rows: dict[Player, RowView] = field(default_factory=lambda: {player: RowView() for player in PLAYERS})
    piles: dict[Pile, PileView] = field(default_factory=lambda: {pile: PileView() for pile in PILES})
    open: dict[int, OpenLanding] = field(default_factory=dict)
    now_ns: int = LONG_AGO
    hands_ns: int = LONG_AGO
    """Since when no hand is over the table; far in the future while there is one."""
    in_view: list[HandsSeen] = field(default_factory=list)
    moved_ns: int = LONG_AGO
    """The last landing, taking back or change in a row."""
    not_stuck: Position | None = None
    """The position that was last found not to be stuck."""
    lost: int = 0
    """Landings since the thread was lost; 0 while it is held."""
    landed: list[tuple[int, Pile]] = field(default_factory=list)
    """The last few landings."""
    phase: str = ""
    unseen: int = 0
    """Counts landings that nobody reported, as negative numbers."""

    def copy(self) -> "Core":
        return replace(
            self,
            layout=self.layout.copy(),
            rows={player: row.copy() for player, row in self.rows.items()},
            piles={pile: replace(view, strange=list(view.strange)) for pile, view in self.piles.items()},
            open={n: replace(one) for n, one in self.open.items()},
        )

    @property
    def position(self) -> Position:
        """The table in the likeliest world."""
        return self.worlds[0].position

    def top(self, pile: Pile) -> Card | None:
        """The card that lies on top of a pile in the likeliest world, whether it stands or not."""
        return self.worlds[0].position.middle(pile).physical_top

    # -- landings ---------------------------------------------------------------------------------------------------

    def land(self, n: int, landing: CardLanded) -> None:
        """A card came down: every world splits into what it may have been."""
        self._begin_in_a_hurry()
        pile = self.piles[landing.pile]
        self._wonder_at(n, landing.pile, until_ns=landing.earliest_ns)
        self.landed = [*self.landed[-7:], (landing.at_ns, landing.pile)]
        self.open[n] = OpenLanding(landing, max(pile.seen_ns, pile.changed_ns))
        self._drop_the_unlikely(landing.at_ns)
        hands = self._whose_hands(landing.at_ns)
        landing = self._read_together(landing)
        branches: list[tuple[float, World, Guess | Claim]] = []
        for world in self.worlds:
            for before, guess in self._guesses(world, landing, hands):
                branches.append((before.weighed(guess.likelihood).log_weight, before, guess))
            branches += self._reports_of_unseen(world, landing)
        heaviest = max(log_weight for log_weight, _, _ in branches)
        self.become(
            self._branch(n, world, what, log_weight)
            for log_weight, world, what in branches
            if log_weight > heaviest - 18
        )
        if landing.at_ns >= pile.changed_ns:
            pile.first, pile.odd_looks = evidence.best_card(landing.cards), 0
        pile.is_old, pile.changed_ns = False, max(pile.changed_ns, landing.at_ns)
        self.moved_ns = max(self.moved_ns, landing.at_ns)
        self.lost += self.lost > 0

    def _drop_the_unlikely(self, at_ns: int) -> None:
        """Worlds that the looks since the last landing have not helped are given up before the next one splits all."""
        if len(self.worlds) > 1 and at_ns - self.moved_ns > SEEN_ENOUGH_NS:
            self.worlds = tuple(world for world in self.worlds if world.log_weight > UNLIKELY)

    def _spits_nobody_expected(
        self, world: World, landing: CardLanded, hands: tuple[Player, ...]
    ) -> list[tuple[World, Guess]]:
        """Spit cards that would be due if the tracker were wrong about who can play, or about a count."""
        found: list[tuple[World, Guess]] = []
        position = world.position
        if position.phase not in (Phase.PLAY, Phase.SPIT, Phase.FIRST_SPIT):
            return found
        for player in PLAYERS:
            side, pile = position.side(player), position.own_pile(player)
            other = OPPONENT[player]
            if side.due or side.has_spat and position.phase is not Phase.PLAY:
                continue
            doubt = NOT_STUCK_AFTER_ALL
            if not side.packet:
                if not self.counts_doubtful:
                    continue
                doubt, pile = MISCOUNTED, OWN_PILE[player]
            if landing.pile != pile:
                continue
            fixed = position.with_side(player, due=(pile,), packet=max(1, side.packet), has_spat=False)
            if position.phase is Phase.PLAY and side.packet and position.side(other).packet:
                fixed = fixed.with_side(other, due=(position.own_pile(other),), has_spat=False)
            phase = Phase.FIRST_SPIT if fixed.middle(pile).top is None else Phase.SPIT
            fixed = msgspec.structs.replace(fixed, phase=phase, piles=2 if pile == "B" else position.piles)
            before = world.moved_to(fixed).weighed(doubt)
            spits = guesses(self.rules, before, self.rows, landing, hands)
            found += [(before, g) for g in spits if isinstance(g.event, Spit) and g.event.player == player]
        return found

    def _read_together(self, landing: CardLanded) -> CardLanded:
        """The landing with the looks that were ahead of its report: they read the same card. A look that flatly
        contradicts it saw the next landing, whose report is still to come."""
        view = self.piles[landing.pile]
        cards, first, kept = landing.cards, evidence.best_card(landing.cards), []
        for look in view.strange:
            if evidence.contradict(landing.cards, look.cards):
                kept.append(look)
                continue
            cards = evidence.merged(cards, look.cards, first) if cards else look.cards
            if evidence.best_card(look.cards) == first:
                view.seen_ns = max(view.seen_ns, look.at_ns)
        view.strange, view.odds = kept, cards
        return msgspec.structs.replace(landing, cards=cards)

    def _guesses(self, world: World, landing: CardLanded, hands: tuple[Player, ...]) -> list[tuple[World, Guess]]:
        """What the landing may have been, each with the world just before it: players may spit before the referee
        has called it, and only then was it a call."""
        found = [(world, guess) for guess in guesses(self.rules, world, self.rows, landing, hands)]
        called = self._called_if_stuck(world, landing.at_ns)
        if called is world and not any(guess.likelihood > NOBODY_EXPECTED for _, guess in found):
            found += self._spits_nobody_expected(world, landing, hands)
        elif called is not world:
            spits = guesses(self.rules, called, self.rows, landing, hands)
            found += [(called, guess) for guess in spits if isinstance(guess.event, Spit)]
        return found

    def _branch(self, n: int, world: World, what: Guess | Claim, log_weight: float) -> World:
        if isinstance(what, Claim):
            claims = {k: claim for k, claim in world.claims.items() if claim is not what} | {n: what}
            position = _dated(world.position, what.pile, what.at_ns, self.open[n].landing.at_ns)
            return World(position, log_weight, claims, world.stayed)
        claim, position = self._judged(world, what)
        claims = {k: old for k, old in world.claims.items() if k > 0 or old.at_ns > claim.at_ns - 3000 * MS}
        return World(position, log_weight, {**claims, n: claim}, world.stayed)

    def _judged(self, world: World, guess: Guess) -> tuple[Claim, Position]:
        event = guess.event
        if guess.place is not None and event.player != "unknown":
            world = rowsync.bared(world, event.player, guess.place)
            if guess.renames and isinstance(event, Land):
                world = rowsync.named(world, event.player, guess.place, event.cards[-1])
        top = world.position.middle(event.pile).top
        ruling, position, said = judge(self.rules, world.position, event, (event,))
        card = event.card if isinstance(event, Spit) else event.cards[-1]
        claim = Claim(at_ns=event.at_ns, is_spit=isinstance(event, Spit), player=event.player, pile=event.pile, card=card,
                      place=guess.place, ruling=ruling, top=top, said=said)  # fmt: skip
        return claim, position

    def _called_if_stuck(self, world: World, at_ns: int) -> World:
        """Players may spit before the referee has called it: where nobody can play, spit cards are due."""
        if world.position.phase is not Phase.PLAY or world.position is self.not_stuck:
            return world
        position, _ = settle(self.rules, world.position, at_ns)
        return world if position.phase is not Phase.SPIT else world.moved_to(position)

    def _reports_of_unseen(self, world: World, landing: CardLanded) -> list[tuple[float, World, Claim]]:
        """A landing that a look at the pile had already told of, reported now."""
        return [
            (world.weighed(self._reports(landing, claim)).log_weight, world, claim)
            for n, claim in world.claims.items()
            if n < 0 and claim.word == "legal" and claim.pile == landing.pile and claim.at_ns > landing.at_ns - 1500 * MS
        ]

    @staticmethod
    def _reports(landing: CardLanded, claim: Claim) -> float:
        """How well a report fits the unseen landing that it may be about."""
        hand = 1.0 if claim.player == "unknown" else evidence.player_likelihood(landing.players, claim.player)
        return hand * evidence.card_likelihood(landing.cards, claim.card)

    def take_back(self, n: int, taken: CardTakenBack) -> list[AnyVerdict]:
        """A card was taken off a pile: each world says which."""
        told: list[AnyVerdict] = []
        worlds = []
        for world in self.worlds:
            after, card, due, likelihood = self._without(world, taken)
            if world is self.worlds[0] and card is not None:
                who = max(taken.players, key=lambda p: taken.players[p]) if taken.players else "unknown"
                told.append(TakenBack(at_ns=taken.at_ns, decided_ns=self.now_ns, of=n, player=who, pile=taken.pile,
                                      card=card, was_due=due))  # fmt: skip
            worlds.append(after.weighed(likelihood))
        self.become(worlds)
        view = self.piles[taken.pile]
        view.first, view.changed_ns, view.odd_looks = None, max(view.changed_ns, taken.at_ns), 0
        self.moved_ns = max(self.moved_ns, taken.at_ns)
        self._look_again(n, taken.pile)
        return told

    def _without(self, world: World, taken: CardTakenBack) -> tuple[World, Card | None, bool, float]:
        """The world without the card that was taken, that card, whether it was due back, and how likely that is."""
        middle = world.position.middle(taken.pile)
        due = [(evidence.card_likelihood(taken.cards, one.card), one.card, one.who) for one in middle.lying]
        if due:
            likelihood, card, who = max(due)
            if who != "unknown":
                likelihood *= evidence.player_likelihood(taken.players, who)
            event = TakeBack(at_ns=taken.at_ns, player="unknown", pile=taken.pile, card=card)
            _, position, _ = judge(self.rules, world.position, event, (event,))
            left = World(position, world.log_weight, world.claims, world.stayed - {card})
            return left, card, True, likelihood
        if middle.top is None:
            return world, None, False, evidence.NOT_SEEN
        return world, middle.top, False, 0.003 * evidence.card_likelihood(taken.cards, middle.top)

    # -- looks ------------------------------------------------------------------------------------------------------

    def look_at_pile(self, n: int, look: PileRead) -> None:
        """A lying top was read again."""
        view = self.piles[look.pile]
        if look.empty > 0.5:
            self._look_at_empty(look)
            return
        view.empty_looks = 0
        if self.position.phase is Phase.FIRST_SPIT and self.phase != Phase.FIRST_SPIT:
            return  # the cards of the old deal still lie there
        if view.is_old or not look.cards or look.at_ns < view.changed_ns:
            return
        tops = {world.position.middle(look.pile).physical_top for world in self.worlds}
        best = evidence.best_card(look.cards)
        if best not in tops and UNREAD not in tops:
            view.odd_looks += 1
            view.strange.append(look)
            return
        if best == self.top(look.pile):
            view.seen_ns, view.odd_looks = look.at_ns, 0
            view.strange.clear()
        if UNREAD in tops:
            self.worlds = tuple(self._named_top(world, look, best) for world in self.worlds)
        if len(tops) > 1:
            self.become(world.weighed(self._fits_pile(world, look, view)) for world in self.worlds)
        if view.first is None:
            view.first = best

    def _look_at_empty(self, look: PileRead) -> None:
        """Nothing lies there. Before the spit that is believed at the second look, whatever was thought to lie there."""
        view = self.piles[look.pile]
        view.is_old, view.seen_ns = False, look.at_ns
        view.strange.clear()
        view.empty_looks += 1
        position = self.position
        if position.phase is not Phase.FIRST_SPIT or position.middle(look.pile).top is None or view.empty_looks < 2:
            return
        starter = position.middle(look.pile).started_by
        position = position.with_middle(look.pile, **msgspec.structs.asdict(Middle()))
        if starter is not None:
            side = position.side(starter)
            position = position.with_side(starter, due=(look.pile,), packet=side.packet + 1)
        self.worlds = (World(position),)
        self.open.clear()

    def _look_again(self, n: int, pile: Pile) -> None:
        """A landing or a taking back was reported: looks that were ahead of it are understood now."""
        looks, self.piles[pile].strange = self.piles[pile].strange, []
        for look in looks:
            self.look_at_pile(n, look)

    def _wonder_at(self, n: int, pile: Pile, until_ns: int) -> None:
        """Looks from before `until_ns` will not be explained by any report any more: something was missed."""
        view = self.piles[pile]
        looks = [look for look in view.strange if look.at_ns < until_ns]
        view.strange = [look for look in view.strange if look.at_ns >= until_ns]
        for look in looks:
            if look.at_ns >= view.changed_ns:
                self._wonder(n, look, evidence.best_card(look.cards))
                self.become(world.weighed(self._fits_pile(world, look, view)) for world in self.worlds)

    def _named_top(self, world: World, look: PileRead, card: Card | None) -> World:
        """The world in which an unread top is the card that the look shows: one of fifty that it might have been."""
        if world.position.middle(look.pile).top != UNREAD or card is None or _is_known(world.position, card):
            return world
        event = Read(at_ns=look.at_ns, player="unknown", place=look.pile, card=card)
        _, position, _ = judge(self.rules, world.position, event, (event,))
        return world.moved_to(position).weighed(evidence.NOT_SEEN)

    @staticmethod
    def _fits_pile(world: World, look: PileRead, view: PileView) -> float:
        top = world.position.middle(look.pile).physical_top
        if top is None:
            return 1e-3
        if top == UNREAD:
            return evidence.NOT_SEEN
        return evidence.repeat_likelihood(look.cards, top, view.first)

    def _wonder(self, n: int, look: PileRead, best: Card | None) -> None:
        """The pile shows something that no world expects: a landing that nobody reported, or a card gone."""
        if best is None or self.position.phase in (Phase.SLAP, Phase.OVER):
            return
        more: list[World] = []
        view = self.piles[look.pile]
        for world in self.worlds:
            middle = world.position.middle(look.pile)
            if middle.lying and middle.top == best:
                lying = tuple(one for one in middle.lying if one.buried)
                more.append(world.moved_to(world.position.with_middle(look.pile, lying=lying)).weighed(0.1))
            more += self._unreported(world, look)
            if middle.top is not None and not middle.lying and not _is_known(world.position, best):
                named = world.position.with_middle(look.pile, top=best)
                renamed = {k: msgspec.structs.replace(c, card=best) if c.card == middle.top else c
                           for k, c in world.claims.items()}  # fmt: skip
                wrong = evidence.card_likelihood(view.odds, best) / evidence.card_likelihood(view.odds, middle.top)
                more.append(World(named, world.log_weight, renamed, world.stayed).weighed(min(wrong, 0.5) * 0.1))
        self.worlds = (*self.worlds, *more)

    def _unreported(self, world: World, look: PileRead) -> list[World]:
        """Worlds in which a card of a row, or a spit card, came down here since the last look."""
        since = max(self.piles[look.pile].seen_ns, look.at_ns - 1500 * MS)
        landing = CardLanded(at_ns=max(since + MS, look.at_ns - 300 * MS), earliest_ns=since, latest_ns=look.at_ns,
                             pile=look.pile, cards=look.cards, players={})  # fmt: skip
        found = self._guesses(world, landing, PLAYERS)
        best = max(guess.likelihood for _, guess in found)
        worlds = []
        for before, guess in found:
            if guess.likelihood >= best / 1000:
                self.unseen -= 1
                claim, position = self._judged(before, guess)
                log_weight = before.weighed(MISSED * guess.likelihood / evidence.card_likelihood(look.cards, claim.card))
                worlds.append(World(position, log_weight.log_weight, {**world.claims, self.unseen: claim}, world.stayed))
        return worlds

    def look_at_row(self, n: int, look: RowRead) -> list[AnyVerdict]:
        """A row was read: weigh the worlds, then let each follow what changed."""
        row = self.rows[look.player]
        gone = self._gone()
        if len(self.worlds) > 1:
            self.become(world.weighed(self._fits_row(world, look, gone)) for world in self.worlds)
        news = row.look(look.places, look.at_ns, gone)
        if not self.layout.is_laid(look.player):
            return self._lay_out(look.player, look.at_ns)
        if self.position.phase in (Phase.SLAP, Phase.OVER):
            return []  # after a deal the players gather their cards in any way they like
        news = sorted({*news, *rowsync.unsettled(self.worlds[0], look.player, row, gone)})
        if not news:
            return self._settle_hidden(look.player)
        self.moved_ns = max(self.moved_ns, look.at_ns)
        told: list[AnyVerdict] = []
        worlds = []
        for world in self.worlds:
            after, happened = rowsync.follow(self.rules, world, look.player, row, news, look.at_ns)
            if world is self.worlds[0]:
                told = [telling.row_judged(event, look.at_ns, self.now_ns, n) for event in happened]
                told += [self._left(card) for card in after.stayed - world.stayed]
            worlds.append(after)
        self.become(worlds)
        return told + self._settle_hidden(look.player)

    def _settle_hidden(self, player: Player) -> list[AnyVerdict]:
        """Face-down cards lie where they are seen; a row that is seen to be empty was cleared (R49)."""
        world, onto = self.worlds[0], max(PILES, key=lambda pile: self.piles[pile].changed_ns)
        if self.open or not self.is_sure() or self.position.phase is not Phase.PLAY:
            return []
        after = rowsync.with_hidden_as_seen(world, player, self.rows[player], self.now_ns)
        if after is world:
            return []
        self.worlds, self.counts_doubtful = (after,), True
        if not has_cleared(self.rules, after.position.side(player)):
            return []
        position, said = cleared(self.rules, after.position, player, onto, self.now_ns)
        self.worlds = (after.moved_to(position),)
        return telling.announced(said, self.now_ns, self.now_ns, None, self.counts_known)

    def _lay_out(self, player: Player, at_ns: int) -> list[AnyVerdict]:
        """A freshly dealt row is taken as it lies once it lies still."""
        if self.position.phase is not Phase.FIRST_SPIT or not self.layout.look(player, self.rows[player], at_ns):
            return []
        ruling, position = self.layout.lay(self.rules, self.position, player, self.rows[player], at_ns)
        self.become([self.worlds[0].moved_to(position)])
        if not all(map(self.layout.is_laid, PLAYERS)):
            return []
        return [PhaseChanged(at_ns=at_ns, decided_ns=self.now_ns, phase="await_spit")]

    def _begin_in_a_hurry(self) -> None:
        """A card lands before a row was seen well."""
        for player in PLAYERS:
            if not self.layout.is_laid(player) and self.position.phase is Phase.FIRST_SPIT:
                position = self.layout.force(self.position, self.rows[player], player)
                self.become([self.worlds[0].moved_to(position)])

    def _leave_lying(self) -> list[AnyVerdict]:
        """Cards that are not taken back any more count where they lie."""
        before = self.worlds[0].stayed
        worlds = tuple(rowsync.left_lying(world, self.now_ns) for world in self.worlds)
        if worlds == self.worlds:
            return []
        self.worlds = worlds
        return [self._left(card) for card in worlds[0].stayed - before]

    def _left(self, card: Card) -> LeftLying:
        pile: Pile = "A"
        played_on = False
        for candidate in PILES:
            for one in self.position.middle(candidate).lying:
                if one.card == card:
                    pile, played_on = candidate, one.buried
        return LeftLying(at_ns=self.now_ns, decided_ns=self.now_ns, pile=pile, card=card, played_on=played_on)

    def _gone(self) -> frozenset[Card]:
        """Cards that lie on the middle piles in the likeliest world, as far as it matters: the tops and what lies over them."""
        position = self.position
        tops = {position.A.top, position.B.top} - {None, UNREAD}
        return frozenset(card for card in tops if card is not None) | self.worlds[0].away

    def _fits_row(self, world: World, look: RowRead, gone: frozenset[Card]) -> float:
        position, away = world.position, world.away
        there = away | {card for card in (position.A.top, position.B.top) if card is not None}
        tops = {stock.up[-1] for stock in position.side(look.player).row if stock.up}
        likelihood = 1.0
        for place, seen in enumerate(look.places, 1):
            likelihood *= look_likelihood(seen, lies_at(position, away, look.player, place), there, tops)
        return likelihood

    # -- other news -------------------------------------------------------------------------------------------------

    def hands(self, seen: HandsSeen) -> None:
        self.hands_ns = 2**62 if seen.players else seen.at_ns
        self.in_view = [*self.in_view[-7:], seen]

    def _whose_hands(self, at_ns: int) -> tuple[Player, ...]:
        """Whose hands were over the table around this moment; both, if nobody watched."""
        present: set[Player] = set()
        for n, seen in enumerate(self.in_view):
            until_ns = self.in_view[n + 1].at_ns if n + 1 < len(self.in_view) else 2**62
            if until_ns > at_ns - 150 * MS and seen.at_ns < at_ns + 50 * MS:
                present |= set(seen.players)
        return tuple(sorted(present)) or PLAYERS

    def pile_taken(self, taken: PilesTaken) -> None:
        self.piles[taken.pile].is_old = False
        self.piles[taken.pile].strange.clear()

    def call(self, n: int, called: Called) -> list[AnyVerdict]:
        """Somebody says that he cannot play. A call is answered only if the table is known."""
        if called.word != "spit" or not self.is_sure():
            return []
        event = Call(at_ns=called.at_ns, player=called.player)
        _, position, said = judge(self.rules, self.position, event, (event,))
        self.become([self.worlds[0].moved_to(position)])
        return telling.announced(said, called.at_ns, self.now_ns, n, self.counts_known)

    # -- deciding ---------------------------------------------------------------------------------------------------

    def decide(self) -> list[AnyVerdict]:
        """Tell what the worlds agree on by now, in the order of touch."""
        told = self._leave_lying() if self.worlds[0].away else []
        for pile in PILES:
            if self.piles[pile].strange:
                self._wonder_at(0, pile, self.now_ns - REPORT_NS)
        for n, one in list(self.open.items()):
            if not one.is_told:
                verdicts = self._tell(n, one)
                if not verdicts and not one.is_told:
                    break
                told += verdicts
        for pile in PILES:
            told += self._believe_the_players(pile)
        self._forget()
        return told

    def _believe_the_players(self, pile: Pile) -> list[AnyVerdict]:
        """Cards that both players build on and nobody takes back: the top they were judged against was wrong."""
        world = self.worlds[0]
        lying = [one for one in world.position.middle(pile).lying if not one.buried and one.reason != "two_cards"]
        if len(lying) < BUILT_ON or pile not in world.position.piles_in_use or not self.is_sure():
            return []
        chain = 1
        while chain < len(lying) and follows(lying[-chain].card, lying[-chain - 1].card, self.rules):
            chain += 1
        both = len({one.who for one in lying[-chain:]}) > 1
        waited_ns = self.now_ns - lying[-chain].at_ns
        if chain < BUILT_ON or not both or waited_ns < BUILT_ON_NS or world.position.phase is not Phase.PLAY:
            return []
        self.worlds = (rowsync.as_it_lies(world, pile),)
        self.counts_doubtful = True
        told: list[AnyVerdict] = [
            CannotTell(at_ns=self.now_ns, decided_ns=self.now_ns, about="top", pile=pile),
            BackInStep(at_ns=self.now_ns, decided_ns=self.now_ns, landings=chain),
        ]
        return told

    def _tell(self, n: int, one: OpenLanding) -> list[AnyVerdict]:
        """The verdict on one landing, if it is time."""
        claims: dict[tuple[object, ...], tuple[float, Claim]] = {}
        for world, share in zip(self.worlds, shares(self.worlds), strict=True):
            claim = world.claims.get(n)
            if claim is not None:
                key = (claim.word, claim.reason, claim.player, claim.card, claim.is_spit)
                claims[key] = (claims.get(key, (0.0, claim))[0] + share, claim)
        p, best = max(claims.values(), key=lambda pair: pair[0])
        needed = self.caution.blame if best.blames else self.caution.no_blame
        if best.word != "cannot_tell" and p >= needed and (not best.blames or self._nothing_excuses(one, best)):
            return self._say(n, one, best, p)
        age = self.now_ns - one.landing.at_ns
        legal = sum(share for share, claim in claims.values() if claim.word == "legal")
        if best.word == "legal" and legal >= self.caution.no_blame and age > NAME_NS:
            return self._say(n, one, best, p)
        if age < self.caution.wait_ms * MS:
            return []
        if best.word == "legal" and legal > 0.8:
            return self._say(n, one, best, p)
        one.is_told = self.counts_doubtful = True
        return [telling.cannot_tell(n, one.landing.at_ns, one.landing.pile, best, p, self.now_ns)]

    def _nothing_excuses(self, one: OpenLanding, claim: Claim) -> bool:
        """Whether the looks are in that could have shown a landing nobody reported, or another card gone."""
        landing = one.landing
        if landing.at_ns - one.top_seen_ns > 900 * MS:
            return False
        return all(self._all_explained(player, landing.at_ns) for player in PLAYERS)

    def _all_explained(self, player: Player, since_ns: int) -> bool:
        """Whether the row was looked at since, and no top is gone that nobody played in the likeliest world."""
        row, world = self.rows[player], self.worlds[0]
        if row.read_ns <= since_ns:
            return False
        return not any(
            view.kind in ("down", "empty") and lies_at(world.position, world.away, player, place)[0] == "face"
            for place, view in enumerate(row.places, 1)
        )

    def agrees(self, player: Player, since_ns: int) -> bool:
        """Whether the row was looked at since, and shows what the likeliest world expects."""
        row, world = self.rows[player], self.worlds[0]
        if row.read_ns <= since_ns:
            return False
        return all(
            view.kind == lies_at(world.position, world.away, player, place)[0]
            for place, view in enumerate(row.places[: len(world.position.side(player).row)], 1)
        )

    def _say(self, n: int, one: OpenLanding, claim: Claim, p: float) -> list[AnyVerdict]:
        one.told, one.is_told = claim, True
        at_ns = one.landing.at_ns
        if claim.place is not None and claim.player != "unknown":
            view = self.rows[claim.player].places[claim.place - 1]
            view.left = None if view.left == claim.card else view.left
        told: list[AnyVerdict] = [telling.judged(n, at_ns, claim, p, self.now_ns)]
        told += telling.announced(claim.said, at_ns, self.now_ns, n, self.counts_known)
        return told

    def _new_deal(self) -> None:
        """Nothing of the old deal matters any more; its cards still lie there for a while."""
        self.layout.begin(self.now_ns, cleared=False)
        self.worlds = (World(self.position),)
        self.open.clear()
        for view in self.piles.values():
            view.is_old, view.first, view.odd_looks = True, None, 0
            view.strange.clear()

    def _forget(self) -> None:
        """What was told needs no memory: worlds that differed only in that become one. What the looks never decide is
        decided by weight, once nothing has moved for a while."""
        told = {n for n, one in self.open.items() if one.is_told}
        if told:
            self.open = {n: one for n, one in self.open.items() if n not in told}
            self.become(
                World(world.position, world.log_weight, {n: c for n, c in world.claims.items() if n not in told},
                      world.stayed)
                for world in self.worlds
            )  # fmt: skip
        if len(self.worlds) > 1 and not self.open:
            age = self.now_ns - self.moved_ns
            if age > 4000 * MS or (age > 500 * MS and shares(self.worlds)[0] > self.caution.blame):
                self.worlds = self.worlds[:1]

    def become(self, worlds: Iterable[World]) -> None:
        """These are the worlds from now on."""
        self.worlds = pruned(worlds)

    def is_sure(self) -> bool:
        """Whether one understanding of the game outweighs all others."""
        return len(self.worlds) == 1 or shares(self.worlds)[0] > SURE

    def is_in_doubt(self, before_ns: int) -> bool:
        """Whether a landing before this moment is not judged yet."""
        return any(not one.is_told and one.landing.at_ns <= before_ns + 100 * MS for one in self.open.values())

    def phase_changes(self) -> list[AnyVerdict]:
        """The phase, if it is another than the one told last."""
        phase = self.position.phase
        if phase == self.phase or any(not one.is_told for one in self.open.values()):
            return []
        self.phase = phase
        if phase is Phase.FIRST_SPIT and self.position.A.count == self.position.B.count == 0 and self.moved_ns > 0:
            self._new_deal()
        name = "layout" if phase is Phase.FIRST_SPIT and not all(map(self.layout.is_laid, PLAYERS)) else phase.public_name
        return [PhaseChanged(at_ns=self.now_ns, decided_ns=self.now_ns, phase=name)]


def _dated(position: Position, pile: Pile, guessed_ns: int, at_ns: int) -> Position:
    """The position in which a card whose touch was only guessed came down when it was reported to."""
    middle = position.middle(pile)
    covers = tuple(
        msgspec.structs.replace(cover, at_ns=at_ns) if cover.at_ns == guessed_ns else cover for cover in middle.covers
    )
    touched = tuple(at_ns if moment == guessed_ns else moment for moment in middle.touched_ns)
    position = position.with_middle(pile, covers=covers, touched_ns=touched)
    return msgspec.structs.replace(position, ended_ns=at_ns) if position.ended_ns == guessed_ns else position


def _is_known(position: Position, card: Card) -> bool:
    """Whether the card lies face up elsewhere, so that it cannot be this one (R4)."""
    return position.knows_in_middle(card) or bool(position.shows(card))
