"""When a verdict is told: as soon as the worlds that say so have enough weight.

Accusations need more weight than anything else, and the looks that could still excuse the player.
"""

import msgspec

from referee.cards import UNREAD, Card
from referee.game.phases import Phase
from referee.game.rulings import Breach, Doubt
from referee.observations import (
    CardLanded,
)
from referee.rules.legality import follows
from referee.rules.rows import place_of_top
from referee.table import OPPONENT, PILES, PLAYERS, Pile, Player
from referee.tracker import rowsync, telling
from referee.tracker.belief import (
    AT_ONCE,
    BUILT_ON,
    BUILT_ON_NS,
    COUNTED,
    FITS,
    NAME_NS,
    NAMED,
    NOT_YET,
    ON_ITS_WAY_NS,
    QUIET_NS,
    RACE_ENDS_NS,
    REPORT_NS,
    SURE,
    UNCLEAR_PILE,
    UNREPORTED_NS,
    OpenLanding,
)
from referee.tracker.guesses import MOVED_NS
from referee.tracker.landings import TOUCHES
from referee.tracker.looks import Looks
from referee.tracker.worlds import Claim, has_more_than, shares
from referee.units import MS
from referee.verdicts import (
    AnyVerdict,
    BackInStep,
    CannotTell,
)

FORGET_NS = 500 * MS
FORGET_MORE_NS = 4000 * MS
"""When nothing has moved for so long, what is very unlikely, and what is unlikely, is given up."""
BUILT_IN_GOOD_FAITH = 0.3
"""How often players build so high on a refused card, beside how often the top was another than it seemed."""
SURELY_HIDDEN = 2
"""So many cards seem to lie under a top that at least one does, though counts are in doubt."""
SURELY_HIS = 0.999
"""Where it hangs on counts whose card it was, the hand is believed that was seen as surely as this."""


class Deciding(Looks, eq=False):
    """A belief that tells what its worlds agree on."""

    def decide(self) -> list[AnyVerdict]:
        """Tell what the worlds agree on by now, in the order of touch."""
        is_overdue = self.worlds[0].away and any(world.waits_ns <= self.now_ns for world in self.worlds)
        told = self._leave_lying() if is_overdue else []
        for pile, view in self.piles.items():
            if view.strange:
                self._wonder_at(0, pile, self.now_ns - REPORT_NS)
        if self.open:
            told += self._tell_open()
        for pile in self._built_on():
            told += self._believe_the_players(pile)
        if self.open or len(self.worlds) > 1:
            self._forget()
        return told

    def _built_on(self) -> list[Pile]:
        """The piles over which many cards lie that have to go back."""
        position = self.worlds[0].position
        if len(position.A.lying) + len(position.B.lying) < BUILT_ON:
            return []
        return [pile for pile in PILES if len(position.middle(pile).lying) >= BUILT_ON]

    def decides_ns(self) -> int:
        """When `decide` may have something to say, or a world to give up, next, if nothing new is seen until then."""
        if self.open or self._built_on():
            return AT_ONCE
        moments = [look.at_ns + REPORT_NS for view in self.piles.values() for look in view.strange]
        if self.worlds[0].away:
            moments += [world.waits_ns for world in self.worlds]
        if len(self.worlds) > 1:
            ages = (FORGET_NS, self.rules.race_window_ms * MS + RACE_ENDS_NS + REPORT_NS, FORGET_MORE_NS)
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
        if best.reason == Doubt.UNREAD_TOP:
            self.piles[one.landing.pile].unjudged = best.card
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
        taken = self.piles[landing.pile].taken
        doubtful = () if taken is not None and taken.card == claim.card else (landing.pile,)  # it came off again itself
        if self.is_quiet(landing.at_ns, *doubtful) or not self._is_certain_of(claim, one):
            return False
        counted_on = PILES if claim.reason in COUNTED else (landing.pile,)
        if any(self.piles[pile].strange for pile in counted_on) or self._came_late(one):
            return False
        if self.phase in (Phase.SLAP, Phase.OVER) and claim.reason != Breach.DEAL_IS_OVER:
            return False  # the table was told that the deal is over
        if self._is_unclear(claim) or self._may_be_too_late(landing, claim):
            return False
        if claim.reason in FITS and not self._was_seen_to_leave(claim, landing):
            return False
        if claim.reason in FITS and self._may_have_seemed_to_fit(one, claim):
            return False
        if claim.player != "unknown" and landing.players.get(OPPONENT[claim.player], 0.0) > SURELY_HIS:
            return False  # only a count can speak so much against the other, whose hand was seen
        return self._rows_explain(landing)

    def _rows_explain(self, landing: CardLanded) -> bool:
        """Whether the rows were looked at since, and nothing is gone from them that nobody played; where the next deal
        waits already, the rows of this one are gathered, and tell nothing."""
        if any(row.read_ns <= landing.at_ns for row in self.rows.values()):
            return False
        is_of_the_last_deal = self.position.phase is Phase.FIRST_SPIT and landing.at_ns < self.position.ended_ns
        return is_of_the_last_deal or all(map(self.is_explained, PLAYERS))

    def _may_be_too_late(self, landing: CardLanded, claim: Claim) -> bool:
        """Whether the deal ended so close to this touch that the last card may as well have been there before, or may
        have ended before it although nobody saw how."""
        ended_ns, spread_ns = self.position.ended_ns, landing.latest_ns - landing.earliest_ns
        if 0 <= ended_ns - landing.at_ns <= TOUCHES * spread_ns:
            return True
        was_seen = not any(n < 0 and one.at_ns == ended_ns for n, one in self.worlds[0].claims.items())
        if claim.reason == Breach.DEAL_IS_OVER or (ended_ns > landing.at_ns and was_seen):
            return False
        others = [player for player in PLAYERS if claim.place is None or player != claim.owner]
        return any(self._may_have_been_out(player, landing.at_ns) for player in others)

    def _may_have_been_out(self, player: Player, at_ns: int) -> bool:
        """Whether the player's row is bare, and no card was seen in it since this moment, nor lies where it has to be
        taken back from."""
        row = self.rows[player]
        is_bare = row.is_bare and all(view.left_after_ns <= at_ns for view in row.places)
        return is_bare and not self._has_one_to_take_back(player)

    def _has_one_to_take_back(self, player: Player) -> bool:
        """Whether a card of the player's row lies on a pile for all to see, and has to go back."""
        row = self.position.side(player).row
        return any(not one.buried and place_of_top(row, one.card) for _, one in self.position.must_go_back)

    def _is_unclear(self, claim: Claim) -> bool:
        """Whether so many other refused cards lie over the top that it may be another than it seems."""
        world = self.worlds[0]
        lying = [one for one in world.position.middle(claim.pile).lying
                 if not one.buried and one.card not in world.stayed and one.at_ns != claim.at_ns]  # fmt: skip
        return len(lying) >= UNCLEAR_PILE

    def _came_late(self, one: OpenLanding) -> bool:
        """Whether a card came down there unreported about then, that was thought of only after this landing was
        judged."""
        return any(
            n < one.unseen and claim.pile == one.landing.pile and abs(claim.at_ns - one.landing.at_ns) < UNREPORTED_NS
            for n, claim in self.worlds[0].claims.items()
        )

    def _may_have_seemed_to_fit(self, one: OpenLanding, claim: Claim) -> bool:
        """Whether the card may follow what its player saw there: one that was not read or not judged, one of several of
        which each may have lain uppermost, one that was covered just before, or taken off under his hand (R30)."""
        if one.onto_unread or claim.top == self.piles[claim.pile].unjudged or self._may_have_been_beaten(claim):
            return True
        return self._just_gone(one, claim) or any(follows(claim.card, card, self.rules) for card in one.onto_any)

    def _may_have_been_beaten(self, claim: Claim) -> bool:
        """Whether the card follows one that an unreported card covered, nobody knows when, so that it may have lost a
        race (R31)."""
        since_ns = claim.at_ns - self.rules.race_window_ms * MS - UNREPORTED_NS
        return any(
            n < 0 and one.pile == claim.pile and one.at_ns > since_ns and one.top is not None
            and follows(claim.card, one.top, self.rules)
            for n, one in self.worlds[0].claims.items()
        )  # fmt: skip

    def _just_gone(self, one: OpenLanding, claim: Claim) -> bool:
        """Whether the card would have followed one that was taken off its pile under the player's hand (R30)."""
        taken = one.taken
        if taken is None or claim.at_ns < taken.at_ns or one.landing.earliest_ns - taken.at_ns >= ON_ITS_WAY_NS:
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
        if claim.reason in COUNTED and position.in_game > position.total:
            return False
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
            case "not_your_card" if any(world.position.ended_ns == claim.at_ns for world in self.worlds):
                return False  # if it was his own, it was his last: what lands after the end speaks for nothing
            case "not_a_top_card" if self._was_in_a_row(claim.card, since_ns=claim.at_ns - MOVED_NS):
                return False
            case "not_a_top_card" if claim.place is None:
                return self._counts_are_sure or (self._can_only_be_his(claim, one) and self._can_be_seen_to_play())
            case "wrong_pile":
                return position.piles == 2 and (self._counts_are_sure or self._is_started(claim.pile))
        return claim.reason not in COUNTED or self._counts_are_sure

    def _was_in_a_row(self, card: Card, since_ns: int) -> bool:
        """Whether a row has shown the card since then and is not known to have lost it to a pile: it may have been
        moved."""
        return any(
            view.card == card or (view.left == card and view.left_before_ns > since_ns)
            for row in self.rows.values()
            for view in row.places
        )

    def _can_only_be_his(self, claim: Claim, one: OpenLanding) -> bool:
        """Whether a spit card was not left out of account as the other player's because of a count: he seems to have
        some, too, or the hand was seen too well."""
        if claim.player == "unknown":
            return False
        is_surely_his = one.landing.players.get(claim.player, 0.0) > SURELY_HIS
        return is_surely_his or self.position.side(OPPONENT[claim.player]).packet > 0

    def _can_be_seen_to_play(self) -> bool:
        """Whether somebody can play a card that lies open, turn one, or move one that surely hides another: no count
        decides that spit is not due."""
        tops = [top for pile in PILES if (top := self.position.middle(pile).top) not in (None, UNREAD)]
        for player in PLAYERS:
            if self.rows[player].count("empty") and any(
                stock.up and stock.down >= SURELY_HIDDEN for stock in self.position.side(player).row
            ):
                return True
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
        """Whether no top is gone from the row that nobody played in the likeliest world."""
        world, row = self.worlds[0], self.rows[player]
        if row.is_bare and any(kind == "down" for kind, _ in world.lies(player)):
            return False  # he may have been out before
        return not any(self.missing(player))

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
        if age > FORGET_NS:
            self.forget_races(self.now_ns - REPORT_NS)
        if age > FORGET_NS and not self.open and has_more_than(needed, self.worlds):
            self.worlds = self.worlds[:1]
