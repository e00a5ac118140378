"""The believing part of the tracker: several possible worlds, weighed by what is seen, told as soon as they agree.

Input comes in the order of touch (the tracker sees to that). A landing splits the worlds, a look at a pile or a row
weighs them, and a verdict is told when the worlds that say so have enough weight. Accusations need more weight than
anything else, and the looks that could still excuse the player.
"""

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
from referee.rules.legality import follows
from referee.table import OPPONENT, OTHER_PILE, PILES, PLAYERS, Pile, Player, Who
from referee.tracker import evidence, rowsync, telling
from referee.tracker.belief import (
    AT_ONCE,
    BUILT_ON,
    BUILT_ON_NS,
    COUNTED,
    COUNTED_BUT_TAKEN,
    FITS,
    FROM_UNDER,
    LOST_NS,
    MS,
    NAME_NS,
    NAMED,
    NOT_YET,
    ON_ITS_WAY_NS,
    PUT_BACK_NS,
    QUIET_NS,
    REPORT_NS,
    SEEN_ENOUGH_NS,
    SURE,
    UNCLEAR_PILE,
    UNHEARD_OF,
    UNLIKELY,
    UNREPORTED_NS,
    CardTaken,
    OpenLanding,
    Touch,
)
from referee.tracker.guesses import Report
from referee.tracker.landings import Bounds, Branch
from referee.tracker.looks import Looks
from referee.tracker.rows import LONG_AGO
from referee.tracker.worlds import NEGLIGIBLE, Claim, World, has_more_than, lies_at, shares
from referee.verdicts import (
    AnyVerdict,
    BackInStep,
    CannotTell,
    Paused,
    PhaseChanged,
    Resumed,
    TakenBack,
)

FORGET_NS = 500 * MS
FORGET_MORE_NS = 4000 * MS
"""When nothing has moved for so long, what is very unlikely, and what is unlikely, is given up."""
BUILT_IN_GOOD_FAITH = 0.3
"""How often players build so high on a refused card, beside how often the top was another than it seemed."""
SURELY_HIS = 0.999
"""Where counts are in doubt, whose hand it was must be as sure as this."""
NOT_THERE = (Breach.NOT_STARTED, Breach.PILE_NOT_IN_USE)
"""Why a card of a row is refused where no pile lies."""


class Core(Looks, eq=False):
    """Follow one game: observations change what is believed, `decide` tells what the worlds agree on."""

    # -- landings ---------------------------------------------------------------------------------------------------

    def land(self, n: int, landing: CardLanded) -> list[AnyVerdict]:
        """A card came down: every world splits into what it may have been."""
        if (bared := self._bared_top(landing)) is not None:
            return self.take_back(n, bared)
        self._begin_in_a_hurry()
        self.ended, self.takers = None, {}
        pile = self.piles[landing.pile]
        self._wonder_at(n, landing.pile, until_ns=landing.earliest_ns)
        touch = Touch(n, landing.at_ns, landing.earliest_ns, landing.latest_ns, landing.pile)
        self.landed = [*self.landed[-7:], touch]
        refused = any(one.reason in NOT_THERE for one in self.position.middle(landing.pile).lying)
        self.open[n] = OpenLanding(landing, onto=pile.shown, onto_refused=refused, unseen=self.unseen, taken=pile.taken)
        self._drop_the_unlikely(landing.at_ns)
        first, landing = landing.cards, self._read_together(landing)
        report = Report.of(landing, self._whose_hands(landing.at_ns))
        branches = self._branches(self.worlds, report, all_of_them=n in self.agreed)
        for world in self.worlds:
            branches += self._reports_of_unseen(world, landing)
        bounds = self._bounds_ns(landing)
        if not self._looks_legal(branches, bounds):
            branches += self._excuses(report, branches, all_of_them=n in self.agreed)
        branches = self._as_agreed(n, landing, branches)
        heaviest = max(log_weight for log_weight, _, _ in branches)
        if heaviest < UNHEARD_OF:
            self.quiet_until_ns = landing.at_ns + LOST_NS  # none of these worlds may be the true one
        self.become(
            self._branch(n, world, what, log_weight, bounds)
            for log_weight, world, what in branches
            if log_weight > heaviest + NEGLIGIBLE
        )
        pile.put(self._with_row_readings(n, landing), first)
        if landing.at_ns >= pile.changed_ns:
            pile.empty_looks = 0
        pile.is_old, pile.changed_ns = False, max(pile.changed_ns, landing.at_ns)
        self.moved_ns = max(self.moved_ns, landing.at_ns)
        return []

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
        if claim is None or claim.place is None or claim.player == "unknown":
            return landing.cards
        owner = OPPONENT[claim.player] if claim.reason == "not_your_card" else claim.player
        odds = self.rows[owner].places[claim.place - 1].readings(claim.card)
        return evidence.merged(odds, landing.cards, {}) if odds and landing.cards else odds or landing.cards

    def _looks_legal(self, branches: list[Branch], bounds: Bounds) -> bool:
        """Whether the likeliest understanding of a landing blames nobody."""
        _, world, what = max(branches, key=lambda branch: branch[0])
        return isinstance(what, Claim) or self._judged(world, what, bounds)[0].word == "legal"

    def _drop_the_unlikely(self, at_ns: int) -> None:
        """Worlds that the looks since the last landing have not helped are given up before the next one splits all."""
        if len(self.worlds) > 1 and at_ns - self.moved_ns > SEEN_ENOUGH_NS:
            self.worlds = tuple(world for world in self.worlds if world.log_weight > UNLIKELY)

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
            self.doubted_ns = taken.at_ns
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
            over = DealOver(reason="cleared" if by else "stuck_out", by=by)
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

    # -- deciding ---------------------------------------------------------------------------------------------------

    def decide(self) -> list[AnyVerdict]:
        """Tell what the worlds agree on by now, in the order of touch."""
        is_overdue = self.worlds[0].away and any(world.waits_ns <= self.now_ns for world in self.worlds)
        told = self._leave_lying() if is_overdue else []
        for pile, view in self.piles.items():
            if view.strange:
                self._wonder_at(0, pile, self.now_ns - REPORT_NS)
        if self.open:
            told += self._tell_open()
        for pile in PILES:
            if self._is_built_on(pile):
                told += self._believe_the_players(pile)
        if self.open or len(self.worlds) > 1:
            self._forget()
        return told

    def _is_built_on(self, pile: Pile) -> bool:
        """Whether many cards that have to go back lie over the pile."""
        return len(self.worlds[0].position.middle(pile).lying) >= BUILT_ON

    def decides_ns(self) -> int:
        """When `decide` may have something to say, or a world to give up, next, if nothing new is seen until then."""
        if self.open or self._is_built_on("A") or self._is_built_on("B"):
            return AT_ONCE
        moments = [look.at_ns + REPORT_NS for view in self.piles.values() for look in view.strange]
        if self.worlds[0].away:
            moments += [world.waits_ns for world in self.worlds]
        if len(self.worlds) > 1:
            ages = (FORGET_NS, FORGET_MORE_NS)
            moments += [self.moved_ns + age for age in ages if self.moved_ns + age >= self.now_ns]
        return min(moments, default=NOT_YET)

    def _tell_open(self) -> list[AnyVerdict]:
        """The verdicts on open landings up to the first that has to wait."""
        told: list[AnyVerdict] = []
        for n, one in list(self.open.items()):
            if not one.is_told:
                verdicts = self._tell(n, one)
                if not verdicts and not one.is_told:
                    break
                told += verdicts
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
        self.become([rowsync.as_it_lies(world, pile), world.weighed(BUILT_IN_GOOD_FAITH)])
        self.counts_doubtful, self.quiet_until_ns = True, self.now_ns + QUIET_NS
        told: list[AnyVerdict] = [
            CannotTell(at_ns=self.now_ns, decided_ns=self.now_ns, about="top", pile=pile),
            BackInStep(at_ns=self.now_ns, decided_ns=self.now_ns, landings=chain),
        ]
        return told

    def _tell(self, n: int, one: OpenLanding) -> list[AnyVerdict]:
        """The verdict on one landing, if it is time."""
        claims = self._claims(n)
        p, best = max(claims, key=lambda pair: pair[0])
        if n in self.agreed:
            return self._say(n, one, best, p)
        age = self.now_ns - one.landing.at_ns
        if (blame := self._blame(one, claims, age)) is not None:
            return self._say(n, one, blame, p)
        if best.word != "cannot_tell" and not best.blames and p >= self.caution.no_blame:
            return self._say(n, one, best, p)
        legal = sum(share for share, claim in claims if claim.word == "legal")
        if best.word == "legal" and legal >= self.caution.no_blame and age > NAME_NS:
            return self._say(n, one, best, p)
        if age < self.caution.wait_ms * MS:
            return []
        if best.word == "legal" and legal > 0.8:
            return self._say(n, one, best, p)
        self.lost += 1
        one.is_told = True
        return [telling.cannot_tell(n, one.landing.at_ns, one.landing.pile, best, p, self.now_ns)]

    def _claims(self, n: int) -> list[tuple[float, Claim]]:
        """What the worlds say that a landing was, each with its share; the likeliest world has the word."""
        claims: dict[tuple[object, ...], tuple[float, Claim]] = {}
        for world, share in zip(self.worlds, shares(self.worlds), strict=True):
            claim = world.claims.get(n)
            if claim is not None:
                key = (claim.word, claim.reason, claim.player, claim.card, claim.is_spit)
                others, likeliest = claims.get(key, (0.0, claim))
                claims[key] = (others + share, likeliest)
        return list(claims.values())

    def _blame(self, one: OpenLanding, claims: list[tuple[float, Claim]], age_ns: int) -> Claim | None:
        """What somebody is to be blamed for by now: he did wrong whichever card it was and for whatever reason, so
        the likeliest one is named; a card that is not known well enough is left unnamed."""
        best = max(claims, key=lambda pair: pair[0] * pair[1].blames)[1]
        if not best.blames:
            return None
        sure = sum(share for share, claim in claims if claim.blames and claim.player == best.player)
        needed = self.caution.blame if age_ns < self.caution.late_ms * MS else self.caution.blame_late
        if sure < needed or not self._nothing_excuses(one, best):
            return None
        same_card = sum(share for share, claim in claims if claim.blames and claim.card == best.card)
        same_reason = sum(share for share, claim in claims if claim.blames and claim.reason == best.reason)
        is_named = same_card >= self.caution.no_blame and same_reason >= NAMED
        if not is_named and age_ns < self.caution.late_ms * MS:
            return None
        return best if same_card >= self.caution.no_blame else msgspec.structs.replace(best, card=UNREAD)

    def _nothing_excuses(self, one: OpenLanding, claim: Claim) -> bool:
        """Whether the looks are in that could have shown a landing nobody reported, or another card gone."""
        landing = one.landing
        if self.is_quiet(landing.at_ns) or not self._is_certain_of(claim, one):
            return False
        if any(view.strange for view in self.piles.values()) or self._came_late(one):
            return False
        if self.phase in (Phase.SLAP, Phase.OVER) and claim.reason != Breach.DEAL_IS_OVER:
            return False  # the table was told that the deal is over
        if self._is_unclear(claim):
            return False
        if claim.reason in FITS and not (self._was_seen_to_leave(claim, landing) and not self._just_gone(one, claim)):
            return False
        return all(self.rows[player].read_ns > landing.at_ns and self.is_explained(player) for player in PLAYERS)

    def _is_unclear(self, claim: Claim) -> bool:
        """Whether so many other refused cards lie over the top that it may be another than it seems."""
        world = self.worlds[0]
        lying = [one for one in world.position.middle(claim.pile).lying
                 if not one.buried and one.card not in world.stayed and one.at_ns != claim.at_ns]  # fmt: skip
        return len(lying) >= UNCLEAR_PILE

    def _came_late(self, one: OpenLanding) -> bool:
        """Whether a card came down unreported about then, that was thought of only after this landing was judged."""
        return any(
            n < one.unseen and abs(claim.at_ns - one.landing.at_ns) < UNREPORTED_NS
            for n, claim in self.worlds[0].claims.items()
        )

    def _just_gone(self, one: OpenLanding, claim: Claim) -> bool:
        """Whether the card would have followed one that was taken off its pile under the player's hand (R30)."""
        taken = one.taken
        if taken is None or not 0 <= claim.at_ns - taken.at_ns < ON_ITS_WAY_NS:
            return False
        return follows(claim.card, taken.card, self.rules)

    def _was_seen_to_leave(self, claim: Claim, landing: CardLanded) -> bool:
        """Whether the place that the card came from, if it came from one, was looked at since."""
        if claim.place is None or claim.player == "unknown":
            return True
        return self.rows[claim.player].places[claim.place - 1].seen_ns > landing.at_ns

    def _is_certain_of(self, claim: Claim, one: OpenLanding) -> bool:
        """Whether what the reason rests on was seen: an empty row, or counts that nothing has put in doubt."""
        position = self.position
        match claim.reason:
            case "deal_is_over" if position.cleared_by is not None:
                row = self.rows[position.cleared_by]  # bare, and no card was seen there since the end
                return row.is_bare and all(view.left_after_ns <= position.ended_ns for view in row.places)
            case "deal_is_over" if position.phase is Phase.OVER:  # whoever lays out anew does not think so
                return self._counts_are_sure and any(row.is_bare for row in self.rows.values())
            case "not_started" | "pile_not_in_use" if claim.place is not None:
                # a card of a row may not come first, however many piles there are
                nothing_lay = one.onto is None or one.onto_refused
                return self.piles[claim.pile].was_empty and position.middle(claim.pile).top is None and nothing_lay
            case "not_started":
                return self._counts_are_sure and any(self.piles[pile].empty_looks for pile in PILES)
            case "not_stuck" if self.rules.spit_when != "stuck":
                return False  # the other may agree yet
            case "not_a_top_card" if claim.place is None:
                return self._counts_are_sure or (self._can_only_be_his(claim, one) and self._can_be_seen_to_play())
            case "wrong_pile":
                return position.piles == 2 and (self._counts_are_sure or self._is_started(claim.pile))
        return claim.reason not in COUNTED or self._counts_are_sure

    def _can_only_be_his(self, claim: Claim, one: OpenLanding) -> bool:
        """Whether a spit card was not left out of account as the other player's because of a count: he seems to have
        some, too, or the hand was seen too well."""
        if claim.player == "unknown":
            return False
        is_surely_his = one.landing.players.get(claim.player, 0.0) > SURELY_HIS
        return is_surely_his or self.position.side(OPPONENT[claim.player]).packet > 0

    def _can_be_seen_to_play(self) -> bool:
        """Whether somebody can play a card that lies open, or turn one: no count decides that spit is not due."""
        tops = [top for pile in PILES if (top := self.position.middle(pile).top) not in (None, UNREAD)]
        for player in PLAYERS:
            for view, (kind, card) in zip(self.rows[player].places, self.worlds[0].lies(player), strict=False):
                if kind == view.kind == "down":
                    return True
                if card is not None and any(follows(card, top, self.rules) for top in tops):
                    return True
        return False

    def _is_started(self, pile: Pile) -> bool:
        """Whether the owner's card started the pile in this deal."""
        middle = self.position.middle(pile)
        return middle.count > 0 and middle.started_by is not None

    @property
    def _counts_are_sure(self) -> bool:
        return self.counts_known and not self.counts_doubtful

    def is_explained(self, player: Player) -> bool:
        """Whether no top is gone from the row that nobody played in the likeliest world. One that was just taken off a
        pile is on its way back."""
        world, row = self.worlds[0], self.rows[player]
        if row.is_bare and any(kind == "down" for kind, _ in world.lies(player)):
            return False  # he may have been out before
        carried = {view.taken.card for view in self.piles.values()
                   if view.taken is not None and self.now_ns - view.taken.at_ns < PUT_BACK_NS}  # fmt: skip
        for place, view in enumerate(row.places, 1):
            kind, card = lies_at(world, player, place)
            if kind == "face" and view.kind in ("down", "empty") and card not in carried:
                return False
        return True

    def agrees(self, player: Player, since_ns: int) -> bool:
        """Whether the row was looked at since, and shows what the likeliest world expects."""
        row, world = self.rows[player], self.worlds[0]
        if row.read_ns <= since_ns:
            return False
        return all(view.kind == kind for view, (kind, _) in zip(row.places, world.lies(player), strict=False))

    def _say(self, n: int, one: OpenLanding, claim: Claim, p: float) -> list[AnyVerdict]:
        one.told, one.is_told = claim, True
        if claim.word == "legal":
            self.lost = 0
        self.landed = [msgspec.structs.replace(touch, player=claim.player) if touch.n == n else touch
                       for touch in self.landed]  # fmt: skip
        at_ns = one.landing.at_ns
        if claim.place is not None and claim.player != "unknown":
            places = self.rows[claim.player].places
            if places[claim.place - 1].left == claim.card:
                places[claim.place - 1] = msgspec.structs.replace(places[claim.place - 1], left=None)
        told: list[AnyVerdict] = [telling.judged(n, at_ns, claim, p, self.now_ns)]
        told += telling.announced(claim.said, at_ns, self.now_ns, n, self.counts_known)
        return told

    def _new_deal(self) -> None:
        """Nothing of the old deal matters any more; its cards still lie there for a while."""
        self.layout.begin(self.now_ns, cleared=False)
        self.worlds = (World(self.position),)
        self.open.clear()
        for view in self.piles.values():
            view.is_old, view.stack, view.strange, view.was_empty = True, (), (), False

    def _forget(self) -> None:
        """What was told needs no memory: worlds that differed only in that become one. What the looks never decide is
        decided by weight, once nothing has moved for a while."""
        told = [n for n, one in self.open.items() if one.is_told] if self.open else []
        if told:
            self.open = {n: one for n, one in self.open.items() if n not in told}
            self.become(
                [world.with_claims({n: c for n, c in world.claims.items() if n not in told}) for world in self.worlds]
            )
        age = self.now_ns - self.moved_ns
        needed = self.caution.blame if age < FORGET_MORE_NS else SURE
        if age > FORGET_NS and not self.open and has_more_than(needed, self.worlds):
            self.worlds = self.worlds[:1]

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
