"""Cards that come down on the middle piles and are taken off again: every world splits into what it may have been."""

import math
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from referee.cards import UNREAD, Card
from referee.game.deal_end import settle
from referee.game.events import Land, Spit
from referee.game.judge import judge
from referee.game.landings import agreed
from referee.game.phases import Phase
from referee.game.position import Position
from referee.game.rulings import Doubt, Illegal, Undecided
from referee.observations import CardLanded, CardOdds, Correction
from referee.rules.deals import OWN_PILE
from referee.rules.legality import follows
from referee.table import OPPONENT, PILES, PLAYERS, Pile, Player
from referee.tracker import evidence, rowsync
from referee.tracker.belief import (
    MISCOUNTED,
    MISCOUNTED_SELDOM,
    MISSED,
    NOBODY_EXPECTED,
    NOT_STUCK_AFTER_ALL,
    OPEN_STUCK,
    Belief,
)
from referee.tracker.guesses import LIKELIEST, NOT_IN_VIEW, TURNED_IN_HAND, Guess, Report, guesses
from referee.tracker.worlds import (
    FORGOTTEN,
    Claim,
    World,
    in_words,
)
from referee.units import MS
from referee.verdicts import Ruling as RulingWord

TURNING_NS: Final = 400 * MS
"""A hand needs so long at least to turn a card and bring it to a pile."""
TURNED_NS: Final = 1500 * MS
"""A place that nobody saw for so much longer may as well have been turned as not."""
STILL_FETCHED_NS: Final = 3000 * MS
"""So long a refused card may still be fetched while the other player spits."""
ONE_PLACE: Final = 0.1
"""A hand over the table lays about one card a second, from one of five places on one of two piles."""
NAMED_UNSEEN: Final = 0.97
"""How sure a card is whose readings are not known any more."""
NEVER_SURER: Final = 1e-5
"""However often a card is read, this doubt is left."""
LIKELY_CARD: Final = 0.1
"""The landing's reading makes a card likely from here on."""
TOUCHES: Final = 1.25
"""Two touches may be so much further apart than they were seen to be, in spans of one touch."""
Bounds = tuple[int, int]
"""By how much less, and more, than it seems a card may have touched after the one that it raced."""
AGREED: Final[tuple[RulingWord, ...]] = ("legal", "illegal", "beaten")
"""What people can agree on about a landing."""


class Branch(msgspec.Struct, eq=False, gc=False):
    """One understanding of a landing: the logarithm of its weight, the world before it, and what the landing was."""

    log_weight: float
    before: World
    what: Guess | Claim
    judged: tuple[Claim, World] | None = None
    """What the rules say to it and the world after it, once that was asked."""


class Landings(Belief, eq=False):
    """A belief that takes in landings."""

    def _spits_nobody_expected(self, world: World, report: Report, least: float | None) -> list[tuple[World, Guess]]:
        """Spit cards that would be due if the tracker were wrong about who can play, or about a count."""
        found: list[tuple[World, Guess]] = []
        is_likely = least is None or least < NOBODY_EXPECTED
        if world.position.phase not in (Phase.PLAY, Phase.SPIT, Phase.FIRST_SPIT) or not is_likely:
            return found
        for player in PLAYERS:
            for doubt, position in self._owing(world.position, player, report.landing.pile):
                before = world.moved_to(position).weighed(doubt)
                spits = guesses(self.rules, before, self.rows, report, least, only_spits=True)
                found += [(before, g) for g in spits if isinstance(g.event, Spit) and g.event.player == player]
        return found

    def _owing(self, position: Position, player: Player, pile: Pile) -> Iterator[tuple[float, Position]]:
        """Positions in which the player still has to spit on this pile although he does not seem to, and how much
        less likely each is."""
        side, theirs = position.side(player), position.side(OPPONENT[player])
        miscounted = MISCOUNTED if self.counts_doubtful else MISCOUNTED_SELDOM
        packets = side.packet + theirs.packet
        if not packets:
            return
        other, own = OPPONENT[player], position.own_pile(player)
        if position.phase is Phase.FIRST_SPIT:
            if side.has_spat or position.middle(pile).top is not None:
                return
            if pile == OWN_PILE[player] and (position.piles == 1 or not side.due):
                yield miscounted, _two_piles(position, player)
            if pile == "A" and not position.is_started and (position.piles == 2 or not side.due):
                yield miscounted, _lone_pile(position, player, packets)  # the other has none
        elif side.has_spat and position.phase is Phase.SPIT:
            if side.due or pile != own or not theirs.due or not theirs.packet:
                return
            alone = position.with_side(other, packet=0, due=())  # he spits again: the other has none, and stuck it was
            yield miscounted, alone.with_side(player, packet=packets, due=(pile,), has_spat=False)
            again = position.with_side(other, packet=max(1, theirs.packet - 1))  # the other's came down unreported
            yield MISSED, again.with_side(player, due=(pile,), has_spat=False)
        elif side.due:
            return
        elif side.packet and pile == own:
            yield self._stuck_after_all(position), _called(position, player, pile)
        elif position.piles == 1 and pile == own:  # the lone spitter is the other one
            lone = msgspec.structs.replace(_lone_pile(position, player, packets), phase=Phase.SPIT)
            yield miscounted * (1.0 if theirs.due else self._stuck_after_all(position)), lone
        elif pile == OWN_PILE[player] and (not side.packet or position.middle(pile).top is None):
            yield miscounted, _called(_with_packets(position, player), player, pile)

    def _stuck_after_all(self, position: Position) -> float:
        """How likely nobody can go on although somebody seems to be able to. Every way on, seen apart from the others,
        would have to be none: each top that can be turned up, each pile on which the card of a row follows."""
        can = [position.can(player, self.rules) for player in PLAYERS]
        if None in can and True not in can:
            return OPEN_STUCK
        stocks = [both for player in PLAYERS
                  for both in zip(position.side(player).row, self.rows[player].places, strict=False)]  # fmt: skip
        doubts = [NOT_STUCK_AFTER_ALL for stock, _ in stocks if stock.can_turn]
        for pile in PILES:
            top = position.middle(pile).top
            if top is None or top == UNREAD:
                continue
            following = [_misread(view.readings(stock.top), stock.top) for stock, view in stocks
                         if stock.top and follows(stock.top, top, self.rules)]  # fmt: skip
            if following:
                doubts.append(_misread(self.piles[pile].odds_of(top), top) + math.prod(following))
        return math.prod(sorted(doubts)[:2]) if doubts else NOT_STUCK_AFTER_ALL

    def _guesses(
        self, world: World, report: Report, least: float | None = 0.0, share: float = FORGOTTEN
    ) -> list[tuple[World, Guess]]:
        """What the landing may have been, each with the world just before it: players may spit before the referee
        has called it, and only then was it a call."""
        found = [(world, guess) for guess in guesses(self.rules, world, self.rows, report, least, share)]
        called = self._called_if_stuck(world, report.landing.at_ns)
        if not any(guess.likelihood > NOBODY_EXPECTED for _, guess in found):
            found += self._spits_nobody_expected(world, report, least)
        if called is not world:
            spits = guesses(self.rules, called, self.rows, report, least, only_spits=True)
            found += [(called, guess) for guess in spits if isinstance(guess.event, Spit)]
        return found

    def _understood(self, n: int, report: Report, bounds: Bounds) -> tuple[list[Branch], float]:
        """What a landing may have been, and the share of the likeliest under which nothing matters. As long as nobody
        seems to be to blame, the very unlikely is not thought of; else it is, and whatever would excuse the player."""
        all_of_them = n in self.agreed
        share = FORGOTTEN if all_of_them else self.worlds[0].forgotten
        unseen: list[Branch] = [one for world in self.worlds for one in self._reports_of_unseen(world, report.landing)]
        branches = self._branches(self.worlds, report, share=share, all_of_them=all_of_them) + unseen
        likeliest = self._likeliest(branches, bounds)
        if likeliest.word == "legal":
            return branches, share
        if likeliest.blames and share > FORGOTTEN:
            share, heaviest = FORGOTTEN, max([branch.log_weight for branch in branches])
            branches = self._branches(self.worlds, report, heaviest) + unseen
        return branches + self._excuses(report, branches, share, all_of_them=all_of_them), share

    def _branches(
        self, worlds: Iterable[World], report: Report, heaviest: float = -math.inf, share: float = FORGOTTEN, *,
        all_of_them: bool = False,
    ) -> list[Branch]:  # fmt: skip
        """What the landing may have been in these worlds. What has less than this share of the `heaviest` branch is
        left out, unless somebody has a word to say about it."""
        branches: list[Branch] = []
        for world in worlds:
            least = None if all_of_them else share * math.exp(heaviest - world.log_weight)
            if least is not None and least > LIKELIEST:
                continue
            for before, guess in self._guesses(world, report, least, share):
                log_weight = before.weight_if(guess.likelihood)
                heaviest = max(heaviest, log_weight)
                branches.append(Branch(log_weight, before, guess))
        return branches

    def _likeliest(self, branches: list[Branch], bounds: Bounds) -> Claim:
        """What the landing was in its likeliest understanding."""
        branch = max(branches, key=_log_weight)
        if isinstance(branch.what, Claim):
            return branch.what
        branch.judged = self._judged(branch.before, branch.what, bounds)
        return branch.judged[0]

    def _excuses(self, report: Report, branches: list[Branch], share: float, *, all_of_them: bool) -> list[Branch]:
        """What would make a card legal that does not seem to be: the top was named wrong, or a card came down on it
        that nobody reported."""
        heaviest = max([branch.log_weight for branch in branches])
        excuses: list[Branch] = []
        for world in self.worlds:
            landing = report.landing
            befores = (*self._other_tops(world, landing), *self._other_row_tops(world, landing),
                       *self._unreported_under(world, landing), *self._started(world))  # fmt: skip
            excuses += self._branches(befores, report, heaviest, share, all_of_them=all_of_them)
        return excuses

    def _started(self, world: World) -> Iterator[World]:
        """The world in which play has begun although somebody seems to owe the card that starts his pile: he has none,
        and it is a lone pile."""
        position = world.position
        if position.phase is not Phase.FIRST_SPIT or position.A.top is None or position.B.top is not None:
            return
        spat = next((player for player in PLAYERS if position.side(player).has_spat), None)
        if spat is None or position.piles == 1:
            return
        lone = _lone_pile(position, spat, position.side(spat).packet + position.side(OPPONENT[spat]).packet)
        lone = msgspec.structs.replace(lone.with_side(spat, due=(), has_spat=True), phase=Phase.PLAY)
        yield world.moved_to(lone).weighed(MISCOUNTED if self.counts_doubtful else MISCOUNTED_SELDOM)

    def _other_tops(self, world: World, landing: CardLanded) -> Iterator[World]:
        """The world with another name for the top, as far as its readings allow."""
        pile, top = landing.pile, world.position.middle(landing.pile).top
        if top is None or top == UNREAD:
            return
        odds = self.piles[pile].odds_of(top)
        for card, p in odds.items():
            if card != top and not world.position.knows_in_middle(card) and not world.position.shows(card):
                position = world.position.with_middle(pile, top=card)
                claims = {n: msgspec.structs.replace(claim, card=card) if claim.card == top else claim
                          for n, claim in world.claims.items()}  # fmt: skip
                likelihood = p / evidence.card_likelihood(odds, top)
                yield World(position, world.log_weight, claims, world.stayed).weighed(min(likelihood, 1.0))

    def _other_row_tops(self, world: World, landing: CardLanded) -> Iterator[World]:
        """The world in which the card that landed never lay in the row where it was read, but another that was read
        there too."""
        for player in PLAYERS:
            for place, (_, card) in enumerate(world.lies(player), 1):
                if card is None or landing.cards.get(card, 0.0) < LIKELY_CARD:
                    continue
                view = self.rows[player].places[place - 1]
                for other, p in view.odds.items() if view.kind == "face" else ():
                    if other != card and not world.position.knows_in_middle(other) and not world.position.shows(other):
                        likelihood = min(p / evidence.card_likelihood(view.odds, card), 1.0)
                        yield rowsync.named(world, player, place, other).weighed(likelihood)

    def _unreported_under(self, world: World, landing: CardLanded) -> Iterator[World]:
        """The world after a card that came down here unreported since the pile was last seen: the top of a row, one
        that was turned in the same movement, or a spit card that is due."""
        position, pile = world.position, landing.pile
        top = position.middle(pile).top
        if position.phase not in (Phase.PLAY, Phase.SPIT, Phase.FIRST_SPIT) or top == UNREAD:
            return
        for player in PLAYERS:
            view = self.piles[pile]
            chance, at_ns = self._may_have_landed(player, view.seen_ns, landing.at_ns)
            if chance <= 0:
                continue
            if {pile, "any"} & set(position.side(player).due):
                spit = Spit(at_ns=at_ns, player=player, pile=pile, card=UNREAD)
                yield self._after(world, spit).weighed(chance)
            if top is None or position.phase is Phase.FIRST_SPIT:
                continue
            for place, (kind, card) in enumerate(world.lies(player), 1):
                if kind == "face" and card != UNREAD and card is not None and not follows(card, top, self.rules):
                    continue
                seen = self.rows[player].places[place - 1]
                if kind == "empty" or (kind == "face" and seen.card == card and seen.seen_ns >= landing.at_ns):
                    continue
                turned = 1.0
                if kind == "down":  # whatever the last look showed there, the card was not turned yet
                    hidden_ns = at_ns - TURNING_NS - max(seen.seen_ns, at_ns - TURNED_NS)
                    turned = TURNED_IN_HAND * min(1.0, max(hidden_ns, 0) / TURNED_NS)
                    if not turned:
                        continue
                cards = (UNREAD,) if card is None else (card,)
                event = Land(at_ns=at_ns, player=player, pile=pile, cards=cards, from_place=place)
                yield self._after(world, event).weighed(chance * ONE_PLACE * turned)

    def _after(self, world: World, event: Land | Spit) -> World:
        """The world after an event that nobody reported."""
        if isinstance(event, Land) and event.from_place is not None and event.player != "unknown":
            world = rowsync.bared(world, event.player, event.from_place)
        _, position, _ = judge(self.rules, world.position, event, (event,))
        return world.moved_to(position)

    def _may_have_landed(self, player: Player, since_ns: int, at_ns: int) -> tuple[float, int]:
        """How likely a card of this player came down unreported between these moments, and when: his hand was there."""
        since_ns = max(since_ns, at_ns - 1500 * MS)
        there_ns, last_ns = self._was_there(player, since_ns, at_ns)
        seen_ns = there_ns + (at_ns - since_ns - there_ns) * NOT_IN_VIEW
        return MISSED * min(1.0, max(seen_ns, 0) / (1000 * MS)), last_ns

    def _was_there(self, player: Player, since_ns: int, at_ns: int) -> tuple[int, int]:
        """For how long between these moments the player's hand was over the table, and a moment when it was."""
        if not self.in_view:
            return at_ns - since_ns, (since_ns + at_ns) // 2
        there_ns, last_ns = 0, (since_ns + at_ns) // 2
        if self.in_view[0].at_ns > since_ns:
            there_ns, last_ns = self.in_view[0].at_ns - since_ns, (since_ns + self.in_view[0].at_ns) // 2
        for n, seen in enumerate(self.in_view):
            until_ns = self.in_view[n + 1].at_ns if n + 1 < len(self.in_view) else at_ns
            start_ns, end_ns = max(seen.at_ns, since_ns), min(until_ns, at_ns)
            if player in seen.players and end_ns > start_ns:
                there_ns += end_ns - start_ns
                last_ns = (start_ns + end_ns) // 2
        return there_ns, last_ns

    def _after_branch(self, n: int, branch: Branch, bounds: Bounds) -> World:
        """The world after a landing as it is understood in this branch."""
        world, what, log_weight = branch.before, branch.what, branch.log_weight
        if isinstance(what, Claim):
            claims = {k: claim for k, claim in world.claims.items() if claim is not what} | {n: what}
            position = _dated(world.position, what.pile, what.at_ns, self.open[n].landing.at_ns)
            return World(position, log_weight, claims, world.stayed)
        claim, after = branch.judged or self._judged(world, what, bounds)
        word = self.agreed.get(n)
        ruling = None if word is None else next((one for one in AGREED if one == word.ruling), None)
        if ruling is not None and ruling != claim.word:
            claim, after = self._overruled(world, what, claim, ruling)
        claims = {k: old for k, old in world.claims.items() if k > 0 or old.at_ns > claim.at_ns - 3000 * MS}
        log_weight += after.log_weight - world.log_weight
        return World(after.position, log_weight, {**claims, n: claim}, after.stayed)

    def _judged(self, world: World, guess: Guess, bounds: Bounds) -> tuple[Claim, World]:
        """What a landing was by this guess, and the world after it."""
        event = guess.event
        card = event.card if isinstance(event, Spit) else event.cards[-1]
        if card in world.stayed:
            world = rowsync.came_back(world, card)
        if world.away:
            if event.player != "unknown":
                world = rowsync.given_up(world, (event.player,), event.at_ns)
            if isinstance(event, Spit):
                world = rowsync.given_up(world, PLAYERS, event.at_ns - STILL_FETCHED_NS)
        if guess.place is not None and event.player != "unknown":
            if world.away:
                world = rowsync.bared(world, event.player, guess.place)
            if guess.moved_from is not None:
                world = rowsync.moved_unseen(world, event.player, guess.moved_from, guess.place, card)
            if guess.renames and isinstance(event, Land):
                world = rowsync.named(world, event.player, guess.place, event.cards[-1])
        top = world.position.middle(event.pile).top
        ruling, position, said = judge(self.rules, world.position, event, (event,))
        if isinstance(ruling, Illegal):
            ruling = self._if_in_time(world, event, ruling, bounds)
        word, reason = in_words(ruling)
        claim = Claim(
            at_ns=event.at_ns, is_spit=isinstance(event, Spit), player=event.player, pile=event.pile, card=card,
            place=guess.place, ruling=ruling, word=word, reason=reason, top=top, said=said,
        )  # fmt: skip
        return claim, world.moved_to(position)

    def _if_in_time(self, world: World, event: Land | Spit, ruling: Illegal, bounds: Bounds) -> Illegal | Undecided:
        """The ruling, unless it hangs on a race window that no camera can tell to the millisecond."""
        sooner_ns, later_ns = bounds
        moved_ns = -later_ns if ruling.blameless else sooner_ns
        if not self._is_at_the_edge(world.position, event, moved_ns):
            return ruling
        window_ms = max(0, self.rules.race_window_ms + math.ceil(moved_ns / MS))
        rules = msgspec.structs.replace(self.rules, race_window_ms=window_ms)
        other, _, _ = judge(rules, world.position, event, (event,))
        if isinstance(other, Illegal) and other.blameless != ruling.blameless:
            return Undecided(Doubt.ORDER_UNKNOWN, ruling.who, ruling.facts)
        return ruling

    def _bounds_ns(self, landing: CardLanded) -> Bounds:
        """By how much less, and more, than it seems a card may have touched after the one that it raced."""
        since_ns = landing.at_ns - 2 * self.rules.race_window_ms * MS
        raced = [one for one in self.landed if one.pile == landing.pile and since_ns < one.at_ns < landing.at_ns]
        sooner_ns = landing.at_ns - landing.earliest_ns + max((one.latest_ns - one.at_ns for one in raced), default=0)
        later_ns = landing.latest_ns - landing.at_ns + max((one.at_ns - one.earliest_ns for one in raced), default=0)
        return max(sooner_ns, round(TOUCHES * (landing.latest_ns - landing.earliest_ns))), later_ns

    def _is_at_the_edge(self, position: Position, event: Land | Spit, moved_ns: int) -> bool:
        """Whether something happened between the moment when a race window closed and one so much sooner."""
        closed_ns = event.at_ns - self.rules.race_window_ms * MS
        first_ns, last_ns = min(closed_ns, closed_ns - moved_ns), max(closed_ns, closed_ns - moved_ns)
        if first_ns <= position.ended_ns <= last_ns:
            return True
        covers = position.middle(event.pile).covers
        return bool(covers) and any(first_ns <= cover.at_ns <= last_ns for cover in covers)

    def _as_agreed(self, n: int, landing: CardLanded, branches: list[Branch]) -> list[Branch]:
        """Of all that a landing may have been, only what people agreed on, if they did."""
        word = self.agreed.get(n)
        if word is None:
            return branches
        fitting = [branch for branch in branches if _fits(branch.what, word)]
        return fitting or [Branch(world.log_weight, world, _agreed_guess(landing, word)) for world in self.worlds]

    def _overruled(self, world: World, guess: Guess, claim: Claim, ruling: RulingWord) -> tuple[Claim, World]:
        """The landing as people ruled it themselves: it counts or it has to go back, whatever the rules say."""
        event = guess.event
        if isinstance(event, Spit):
            event = Land(at_ns=event.at_ns, player=event.player, pile=event.pile, cards=(event.card,))
        position, said = agreed(self.rules, world.position, event, counts=ruling == "legal")
        claim = msgspec.structs.replace(claim, agreed=ruling, word=ruling, reason=None, said=said)
        return claim, world.moved_to(position)

    def _called_if_stuck(self, world: World, at_ns: int) -> World:
        """Players may spit before the referee has called it: where nobody can play, spit cards are due."""
        if world.position.phase is not Phase.PLAY or world.position is self.not_stuck:
            return world
        left = rowsync.given_up(world, PLAYERS, at_ns) if world.away else world
        position, _ = settle(self.rules, left.position, at_ns)
        return world if position.phase is not Phase.SPIT else left.moved_to(position)

    def _reports_of_unseen(self, world: World, landing: CardLanded) -> list[Branch]:
        """A landing that a look at the pile had already told of, reported now."""
        return [
            Branch(world.weight_if(self._reports(landing, claim)), world, claim)
            for n, claim in world.claims.items()
            if n < 0 and claim.word == "legal" and claim.pile == landing.pile
            if claim.at_ns > landing.at_ns - 1500 * MS
        ]

    @staticmethod
    def _reports(landing: CardLanded, claim: Claim) -> float:
        """How well a report fits the unseen landing that it may be about."""
        hand = 1.0 if claim.player == "unknown" else evidence.player_likelihood(landing.players, claim.player)
        return hand * evidence.card_likelihood(landing.cards, claim.card)


def _log_weight(branch: Branch) -> float:
    return branch.log_weight


def _fits(what: Guess | Claim, word: Correction) -> bool:
    """Whether this understanding of a landing is the one that people agreed on."""
    if isinstance(what, Claim):
        card, player = what.card, what.player
    else:
        event = what.event
        card, player = event.card if isinstance(event, Spit) else event.cards[-1], event.player
    return word.card in (None, card) and word.player in (None, player)


def _agreed_guess(landing: CardLanded, word: Correction) -> Guess:
    """What people agreed on, where nothing that was seen leads to it."""
    player = word.player or evidence.likely_player(landing.players)
    card = word.card or evidence.best_card(landing.cards) or UNREAD
    return Guess(1.0, Land(at_ns=landing.at_ns, player=player, pile=landing.pile, cards=(card,)), None)


def _dated(position: Position, pile: Pile, guessed_ns: int, at_ns: int) -> Position:
    """The position in which a card whose touch was only guessed came down when it was reported to."""
    middle = position.middle(pile)
    covers = tuple(
        msgspec.structs.replace(cover, at_ns=at_ns) if cover.at_ns == guessed_ns else cover for cover in middle.covers
    )
    touched = tuple(at_ns if moment == guessed_ns else moment for moment in middle.touched_ns)
    position = position.with_middle(pile, covers=covers, touched_ns=touched)
    return msgspec.structs.replace(position, ended_ns=at_ns) if position.ended_ns == guessed_ns else position


def _misread(odds: CardOdds, card: Card) -> float:
    """How likely all these readings of a card are wrong."""
    return max(1.0 - odds.get(card, NAMED_UNSEEN), NEVER_SURER)


def _lone_pile(position: Position, player: Player, packet: int) -> Position:
    """The position in which the player alone has spit cards, so that there is one pile."""
    other = OPPONENT[player]
    position = position.with_side(other, packet=0, due=()).with_side(player, packet=packet, due=("A",), has_spat=False)
    return msgspec.structs.replace(position, piles=1)


def _with_packets(position: Position, player: Player) -> Position:
    """The position in which the player has at least one spit card, of those that the other seemed to have."""
    side, theirs = position.side(player), position.side(OPPONENT[player])
    if side.packet:
        return position
    return position.with_side(player, packet=1).with_side(OPPONENT[player], packet=max(0, theirs.packet - 1))


def _two_piles(position: Position, player: Player) -> Position:
    """The position before the first spit in which both players have spit cards, and owe one each on their own pile."""
    for one in PLAYERS:
        position = _with_packets(position, one)
    for one in PLAYERS:
        owes = position.middle(OWN_PILE[one]).top is None
        position = position.with_side(one, due=(OWN_PILE[one],) if owes else (), has_spat=not owes)
    return msgspec.structs.replace(position, piles=2)


def _called(position: Position, player: Player, pile: Pile) -> Position:
    """The position in which it is the player's turn to spit on this pile: spit was called, or the pile has not been
    started yet."""
    other, starts_late = OPPONENT[player], position.middle(pile).top is None
    if pile == "B":
        position = msgspec.structs.replace(position, piles=2)
    position = position.with_side(player, due=(pile,), has_spat=False)
    if position.side(other).packet and position.phase is Phase.PLAY and not starts_late:
        position = position.with_side(other, due=(position.own_pile(other),), has_spat=False)
    return msgspec.structs.replace(position, phase=Phase.FIRST_SPIT if starts_late else Phase.SPIT)
