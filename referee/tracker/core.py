"""The believing part of the tracker: several possible worlds, weighed by what is seen, told as soon as they agree.

Input comes in the order of touch (the tracker sees to that). A landing splits the worlds, a look at a pile or a row
weighs them, and a verdict is told when the worlds that say so have enough weight (`Deciding`).
"""

import math
from typing import Literal

import msgspec

from referee.cards import UNREAD, Card
from referee.game.announcements import DealOver, NextDeal
from referee.game.deal_end import award, has_cleared
from referee.game.events import Call, TakeBack
from referee.game.judge import judge
from referee.game.phases import Phase
from referee.game.position import Lying
from referee.game.rulings import Breach
from referee.observations import (
    Called,
    CardLanded,
    CardOdds,
    CardTakenBack,
    HandsSeen,
    PilesTaken,
    Recount,
    SensorBack,
    SensorLost,
)
from referee.table import OPPONENT, OTHER_PILE, PILES, PLAYERS, Pile, Player, Who
from referee.tracker import evidence, rowsync, telling
from referee.tracker.belief import (
    COUNTED_BUT_TAKEN,
    FROM_UNDER,
    LOST_NS,
    NOT_YET,
    UNHEARD_OF,
    CardTaken,
    OpenLanding,
    Touch,
)
from referee.tracker.deciding import Deciding
from referee.tracker.guesses import Report
from referee.tracker.rows import LONG_AGO
from referee.tracker.worlds import World
from referee.units import MS
from referee.verdicts import (
    AnyVerdict,
    Paused,
    PhaseChanged,
    Resumed,
    TakenBack,
)

NOT_THERE = (Breach.NOT_STARTED, Breach.PILE_NOT_IN_USE)
"""Why a card of a row is refused where no pile lies."""


class Core(Deciding, eq=False):
    """Follow one game: observations change what is believed, `decide` tells what the worlds agree on."""

    # -- landings ---------------------------------------------------------------------------------------------------

    def land(self, n: int, landing: CardLanded) -> list[AnyVerdict]:
        """A card came down: every world splits into what it may have been."""
        if (bared := self._bared_top(landing)) is not None:
            return self.take_back(n, bared)
        self._begin_in_a_hurry()
        self.ended, self.takers = None, {}
        pile = self.piles[landing.pile]
        for one in PILES if self.position.phase is Phase.FIRST_SPIT else (landing.pile,):
            self._wonder_at(n, one, until_ns=landing.earliest_ns)
        touch = Touch(n, landing.at_ns, landing.earliest_ns, landing.latest_ns, landing.pile)
        self.landed = [*self.landed[-7:], touch]
        refused = any(one.reason in NOT_THERE for one in self.position.middle(landing.pile).lying)
        unread = self._may_be_unread(landing.pile)
        onto = None if pile.shown in landing.cards else pile.shown  # the look was ahead of the touch, and saw this card
        self.open[n] = OpenLanding(landing, onto=onto, onto_refused=refused, onto_unread=unread,
                                   onto_any=self._may_lie_uppermost(landing.pile), unseen=self.unseen,
                                   taken=pile.taken)  # fmt: skip
        self.forget_races(landing.at_ns)
        first, landing = landing.cards, self._read_together(landing)
        report = Report.of(landing, self._whose_hands(landing.at_ns))
        bounds = self._bounds_ns(landing)
        branches, share = self._understood(n, report, bounds)
        branches = self._as_agreed(n, landing, branches)
        heaviest = max([branch.log_weight for branch in branches])
        if heaviest < UNHEARD_OF:
            self.quiet_until_ns = landing.at_ns + LOST_NS  # none of these worlds may be the true one
        least = heaviest + math.log(share)
        self.become([self._after_branch(n, branch, bounds) for branch in branches if branch.log_weight > least])
        pile.put(self._with_row_readings(n, landing), first)
        if landing.at_ns >= pile.changed_ns:
            pile.empty_looks = 0
        pile.is_old, pile.changed_ns = False, max(pile.changed_ns, landing.at_ns)
        self.moved_ns = max(self.moved_ns, landing.at_ns)
        return []

    def _may_lie_uppermost(self, pile: Pile) -> tuple[Card, ...]:
        """The refused cards of which each may be the uppermost, where readings and belief do not agree which is."""
        view, middle = self.piles[pile], self.position.middle(pile)
        if not middle.lying or not view.stack:
            return ()
        is_clear = evidence.best_card(view.stack[-1].together) == middle.physical_top
        return () if is_clear else tuple([one.card for one in middle.lying])

    def _read_together(self, landing: CardLanded) -> CardLanded:
        """The landing with the looks that were ahead of its report: they read the same card. A look that flatly
        contradicts it saw the next landing, whose report is still to come."""
        view = self.piles[landing.pile]
        cards, first, kept = landing.cards, evidence.best_card(landing.cards), []
        for look in view.strange:
            if evidence.contradict(landing.cards, look.cards):
                kept.append(look)
                continue
            cards = evidence.merged(cards, look.cards, landing.cards) if cards else look.cards
            if evidence.best_card(look.cards) == first:
                view.seen_ns = max(view.seen_ns, look.at_ns)
        view.strange = tuple(kept)
        return msgspec.structs.replace(landing, cards=cards)

    def _bared_top(self, landing: CardLanded) -> CardTakenBack | None:
        """A card cannot land where it lies already (R4): the one over it, that had to go back, was taken off."""
        middle = self.position.middle(landing.pile)
        card = evidence.best_card(landing.cards)
        if card is None or card != middle.top or not middle.lying or middle.physical_top == card:
            return None
        cards = {middle.lying[-1].card: landing.cards[card]}
        return CardTakenBack(at_ns=landing.at_ns, pile=landing.pile, cards=cards, players=landing.players)

    def _with_row_readings(self, n: int, landing: CardLanded) -> CardOdds:
        """What the landing's own reading and those in its row say together, as far as it is known whence it came."""
        claim = self.worlds[0].claims.get(n)
        if claim is None or claim.place is None or claim.owner == "unknown":
            return landing.cards
        odds = self.rows[claim.owner].places[claim.place - 1].readings(claim.card)
        return evidence.merged(odds, landing.cards, {}) if odds and landing.cards else odds or landing.cards

    def take_back(self, n: int, taken: CardTakenBack) -> list[AnyVerdict]:
        """A card was taken off a pile: each world says which."""
        told: list[AnyVerdict] = []
        worlds: list[World] = []
        for world in self.worlds:
            after, card, due, likelihood = self._without(world, taken)
            if world is self.worlds[0] and card is not None:
                who = evidence.likely_player(taken.players)
                told.append(TakenBack(at_ns=taken.at_ns, decided_ns=self.now_ns, of=n, player=who, pile=taken.pile,
                                      card=card, was_due=due))  # fmt: skip
            worlds += [one.weighed(likelihood / len(after)) for one in after]
        if any(isinstance(verdict, TakenBack) and not verdict.was_due for verdict in told):
            self.piles[taken.pile].doubted_ns = taken.at_ns
        self.become(worlds)
        view = self.piles[taken.pile]
        view.take(taken.cards)
        card = next((verdict.card for verdict in told if isinstance(verdict, TakenBack)), None)
        view.taken = CardTaken(card, taken.at_ns) if card is not None else None
        if self.top(taken.pile) is None:
            view.shown = None  # nothing is left that a next card could come down on
        view.changed_ns = max(view.changed_ns, taken.at_ns)
        self.moved_ns = max(self.moved_ns, taken.at_ns)
        self._look_again(n, taken.pile)
        return told

    def _without(self, world: World, taken: CardTakenBack) -> tuple[list[World], Card | None, bool, float]:
        """The worlds without the card that was taken, that card, whether it was due back, and how likely that is. A
        card that seemed to count did not: it was not his who laid it, or what lies under it does not count either."""
        middle = world.position.middle(taken.pile)
        due = [(evidence.card_likelihood(taken.cards, one.card) * _could_take(taken, one, middle.lying[-1]), one.card)
               for one in middle.lying]  # fmt: skip
        counted = 0.0
        if middle.top is not None:
            laid = [
                claim.player for claim in world.claims.values() if (claim.pile, claim.card) == (taken.pile, middle.top)
            ]
            counted = COUNTED_BUT_TAKEN * evidence.card_likelihood(taken.cards, middle.top)
            counted *= _is_his(taken, laid[-1] if laid else "unknown")
        if due:
            likelihood, card = max(due)
            if likelihood > counted:
                event = TakeBack(at_ns=taken.at_ns, player="unknown", pile=taken.pile, card=card)
                _, position, _ = judge(self.rules, world.position, event, (event,))
                if card in world.stayed:
                    position = rowsync.uncounted(position, card, taken.pile)
                    position = rowsync.back_in_row(position, card, self.rows)
                left = World(position, world.log_weight, world.claims, world.stayed - {card})
                return [left], card, True, likelihood
        if middle.top is None:
            return [world], None, False, evidence.NOT_SEEN
        under = self.piles[taken.pile].under(middle.top)
        bared = rowsync.without_top(world, taken.pile, under, self.rows)
        if under == UNREAD or bared is world:
            return [bared], middle.top, False, counted
        return [bared, rowsync.on_what_lies(bared, taken.pile, taken.at_ns)], middle.top, False, counted

    def hands(self, seen: HandsSeen) -> None:
        if seen.players:
            self.hands_ns = NOT_YET
        elif self.hands_ns == NOT_YET or self.hands_ns == LONG_AGO:
            self.hands_ns = seen.at_ns
            self.due_ns = min(self.due_ns, seen.at_ns + self.caution.still_ms * MS)
        self.in_view = [*self.in_view[-7:], seen]

    def _whose_hands(self, at_ns: int) -> tuple[Player, ...]:
        """Whose hands were over the table around this moment; both, if nobody watched."""
        present: set[Player] = set()
        for n, seen in enumerate(self.in_view):
            until_ns = self.in_view[n + 1].at_ns if n + 1 < len(self.in_view) else 2**62
            if until_ns > at_ns - 150 * MS and seen.at_ns < at_ns + 50 * MS:
                present |= set(seen.players)
        return tuple(sorted(present)) or PLAYERS

    def pile_taken(self, n: int, taken: PilesTaken) -> list[AnyVerdict]:
        """A pile was picked up. Who takes which says how many cards each has from now on, whatever the slaps said."""
        view = self.piles[taken.pile]
        view.is_old, view.strange = False, ()
        who = evidence.likely_player(taken.players)
        if who == "unknown" or self.position.phase is Phase.OVER:
            return []
        if self.ended is None:
            if self.position.phase is Phase.FIRST_SPIT or self.position.middle(taken.pile).top is None:
                return []
            self.ended = self.worlds[0]
        self.takers = {**self.takers, taken.pile: who}
        if self.position.phase in (Phase.FIRST_SPIT, Phase.SLAP) or len(self.takers) == self.ended.position.piles:
            return self._taken_as_seen(n, taken.at_ns)
        return []

    def _taken_as_seen(self, n: int, at_ns: int) -> list[AnyVerdict]:
        """The next deal by who took which pile."""
        assert self.ended is not None
        world = rowsync.settled_by_the_end(self.ended)
        position = world.position
        taken: dict[Player, Pile | Literal["none"]] = {}
        for pile, who in self.takers.items():
            taken[who] = pile
            taken.setdefault(OPPONENT[who], OTHER_PILE[pile] if position.piles == 2 else "none")
        after, said = award(self.rules, position, taken)
        if self.position.phase is Phase.FIRST_SPIT:
            now = self.position
            if (after.p1.count, after.p2.count) == (now.p1.count, now.p2.count) or after.phase is not now.phase:
                return []
            said = tuple(one for one in said if isinstance(one, NextDeal))
        elif position.phase in (Phase.PLAY, Phase.SPIT):
            by = next((p for p in PLAYERS if has_cleared(self.rules, position.side(p))), None)
            over = DealOver(reason="cleared" if by else "stuck_out", by=by, piles=position.piles)
            said = (over, *said)
        self.become([world.moved_to(after)])
        self.open.clear()
        return telling.announced(said, at_ns, self.now_ns, n, self.counts_known)

    def call(self, n: int, called: Called) -> list[AnyVerdict]:
        """Somebody says that he cannot play. A call is answered only if the table is known."""
        if called.word != "spit" or not self.is_sure():
            return []
        event = Call(at_ns=called.at_ns, player=called.player)
        _, position, said = judge(self.rules, self.position, event, (event,))
        self.become([self.worlds[0].moved_to(position)])
        return telling.announced(said, called.at_ns, self.now_ns, n, self.counts_known)

    def recount(self, counted: Recount) -> None:
        """A person counted: these are the numbers of hidden cards, and no count is in doubt any more."""
        position = self.position
        side = position.side(counted.player)
        row = side.row
        if counted.row is not None and len(counted.row) == len(row):
            row = tuple(
                msgspec.structs.replace(stock, down=max(0, count - len(stock.up)))
                for stock, count in zip(row, counted.row, strict=True)
            )
        packet = side.packet if counted.spit is None else counted.spit
        self.worlds = (self.worlds[0].moved_to(position.with_side(counted.player, row=row, packet=packet)),)
        self.counts_known, self.counts_doubtful, self.not_stuck = True, False, None

    def pause(self, lost: SensorLost) -> list[AnyVerdict]:
        """A sensor does not tell the truth any more: nothing is judged until it is back."""
        self.lost_sensors = self.lost_sensors | {lost.sensor}
        return [Paused(at_ns=lost.at_ns, decided_ns=self.now_ns, reason=lost.reason)]

    def resume(self, back: SensorBack) -> list[AnyVerdict]:
        """Play goes on; what happened meanwhile is taken from the next looks, and nobody is judged for it."""
        self.lost_sensors = self.lost_sensors - {back.sensor}
        if self.lost_sensors:
            return []
        self.open, self.counts_doubtful = {}, True
        self.moved_ns = max(self.moved_ns, back.at_ns)
        return [Resumed(at_ns=back.at_ns, decided_ns=self.now_ns)]

    # -- deals and phases ---------------------------------------------------------------------------------------------

    def _new_deal(self) -> None:
        """Nothing of the old deal matters any more; its cards still lie there for a while."""
        self.layout.begin(self.now_ns, cleared=False)
        self.worlds = (World(self.position),)
        self.open.clear()
        for view in self.piles.values():
            view.is_old, view.stack, view.strange, view.was_empty, view.unjudged = True, (), (), False, None

    def phase_changes(self) -> list[AnyVerdict]:
        """The phase, if it is another than the one told last."""
        phase = self.position.phase
        if phase == self.phase or self.waits_for_a_landing():
            return []
        self.phase = phase
        if phase is Phase.PLAY:
            # The table has been told to play and goes on from there: a world that still waits for a spit is no help.
            self.worlds = tuple(world for world in self.worlds if world.position.phase is phase)
        if phase is Phase.FIRST_SPIT and self.position.A.count == self.position.B.count == 0 and self.moved_ns > 0:
            self._new_deal()
        is_laid = phase is not Phase.FIRST_SPIT or all(map(self.layout.is_laid, PLAYERS))
        name = phase.public_name if is_laid else "layout"
        return [PhaseChanged(at_ns=self.now_ns, decided_ns=self.now_ns, phase=name)]


def _could_take(taken: CardTakenBack, one: Lying, uppermost: Lying) -> float:
    """How well the taking of a card fits one that has to go back; others may lie over it, whether they count or not."""
    is_covered = one.buried or one is not uppermost
    return _is_his(taken, one.who) * (FROM_UNDER if is_covered else 1.0)


def _is_his(taken: CardTakenBack, who: Who) -> float:
    """How well the hand that took a card fits the player whose card it was."""
    return 1.0 if who == "unknown" else evidence.player_likelihood(taken.players, who)
