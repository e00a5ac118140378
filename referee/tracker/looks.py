"""Looks at the piles and rows: they weigh the worlds, and tell what happened in a row."""

from collections.abc import Iterator

import msgspec

from referee.cards import UNREAD, Card
from referee.game.deal_end import cleared, has_cleared
from referee.game.events import Read
from referee.game.judge import judge
from referee.game.phases import Phase
from referee.game.position import Middle, Position
from referee.observations import (
    CardLanded,
    CardOdds,
    PileRead,
    RowRead,
)
from referee.table import PILES, PLAYERS, Pile, Player
from referee.tracker import evidence, rowsync, telling
from referee.tracker.belief import AT_ONCE, COUNTED_BUT_TAKEN, JITTER_NS, MISSED, PUT_BACK_NS, QUIET_NS, PileView
from referee.tracker.guesses import STILL_THERE, Report
from referee.tracker.landings import TURNED_NS, Landings
from referee.tracker.rows import Lies, PlaceView, RowView
from referee.tracker.worlds import (
    LIFTED,
    World,
    face_likelihood,
    look_likelihood,
)
from referee.units import MS
from referee.verdicts import (
    AnyVerdict,
    LeftLying,
    PhaseChanged,
)

LONG_GONE_NS = 1500 * MS
"""A top is seldom held in the hand for longer."""
MISSED_NS = 2500 * MS
"""So long nobody is blamed after such a top was missed last."""
WELL_POSSIBLE = -3.0
"""Logarithm of the weight of a world beside the likeliest one."""
LIKELY_UNSEEN = 1e-3
"""What is less likely beside the likeliest is not thought of where a landing was not reported."""
NOTHING_THERE = 1e-3
"""Likelihood of a card where a pile is thought to be empty."""


class Looks(Landings, eq=False):
    """A belief that takes in looks."""

    def look_at_pile(self, n: int, look: PileRead) -> None:
        """A lying top was read again."""
        view = self.piles[look.pile]
        if look.empty > 0.5:
            self._look_at_empty(look)
            return
        best = evidence.best_card(look.cards)
        view.empty_looks, view.shown = 0, best
        if self.position.phase is Phase.FIRST_SPIT and self.phase != Phase.FIRST_SPIT:
            return  # the cards of the old deal still lie there
        if view.is_old or not look.cards or look.at_ns < view.changed_ns:
            return
        shown = [world.top(look.pile) for world in self.worlds]
        if best not in shown and not self._may_be_unread(look.pile) and not view.may_come_again(look.cards):
            if look.at_ns < view.changed_ns + JITTER_NS:
                return  # it may have been a moment before the card touched
            view.strange += (look,)
            self.due_ns = AT_ONCE
            return
        first = view.first
        if best == shown[0] and view.strange:
            self._weigh_overruled(view)
            shown = [world.top(look.pile) for world in self.worlds]
        if look.at_ns > view.changed_ns + JITTER_NS:
            view.read_again(look.cards)
        if best == shown[0]:
            view.seen_ns, view.strange = look.at_ns, ()
            if view.stack and best != view.stack[-1].card and self._came_unseen(look.pile, best):
                view.put(look.cards, look.cards)
        if UNREAD in shown:
            self.become(after for world in self.worlds for after in self._after_look(world, look, first))
        elif shown.count(shown[0]) < len(shown):
            self.weigh([self._fits_pile(world, look, first) for world in self.worlds])

    def _weigh_overruled(self, view: PileView) -> None:
        """Looks that seemed to be ahead of a landing were not: the pile shows again what is thought to lie there. They
        were misread, or it is another card than it was read as first."""
        for look in view.strange:
            if look.at_ns >= view.changed_ns:
                self.become(after for world in self.worlds for after in self._after_look(world, look, view.first))
        view.strange = ()

    def _may_be_unread(self, pile: Pile) -> bool:
        """Whether the top may well be one that was not read yet, so that any card can show there."""
        return any(world.log_weight > WELL_POSSIBLE and world.top(pile) == UNREAD for world in self.worlds)

    def _came_unseen(self, pile: Pile, card: Card | None) -> bool:
        """Whether the card came down unreported in the likeliest world."""
        claims = self.worlds[0].claims
        return any(n < 0 and claim.pile == pile and claim.card == card for n, claim in claims.items())

    def _look_at_empty(self, look: PileRead) -> None:
        """Nothing lies there. Before the spit that is believed at the second look, whatever seemed to lie there."""
        view = self.piles[look.pile]
        if 0 <= look.at_ns - view.changed_ns < JITTER_NS:
            return  # a card that touches just now may not have been there yet
        view.is_old, view.seen_ns, view.shown, view.was_empty = False, look.at_ns, None, True
        view.strange = ()
        view.empty_looks += 1
        position = self.position
        if position.phase is not Phase.FIRST_SPIT or position.middle(look.pile).top is None or view.empty_looks < 2:
            return
        starter = position.middle(look.pile).started_by
        position = position.with_middle(look.pile, **msgspec.structs.asdict(Middle()))
        if starter is not None:
            side = position.side(starter)
            position = position.with_side(starter, due=(look.pile,), packet=side.packet + 1)
        self.worlds, self.due_ns = (World(position),), AT_ONCE
        self.open.clear()

    def _look_again(self, n: int, pile: Pile) -> None:
        """A landing or a taking back was reported: looks that were ahead of it are understood now."""
        looks, self.piles[pile].strange = self.piles[pile].strange, ()
        for look in looks:
            self.look_at_pile(n, look)

    def _wonder_at(self, n: int, pile: Pile, until_ns: int) -> None:
        """Looks from before `until_ns` will not be explained by any report any more: something was missed."""
        view = self.piles[pile]
        if not view.strange:
            return
        looks = [look for look in view.strange if look.at_ns < until_ns]
        view.strange = tuple(look for look in view.strange if look.at_ns >= until_ns)
        late = [look for look in looks if look.at_ns >= view.changed_ns]
        first = view.first
        for look in late:
            self._wonder(n, look, evidence.best_card(look.cards))
            self.become(after for world in self.worlds for after in self._after_look(world, look, first))
            first = late[0].cards  # whatever lies there, the next ones may repeat its error
        shown = [evidence.best_card(look.cards) for look in late]
        if len(shown) > 1 and len(set(shown)) == 1 and self.top(pile) != shown[0]:
            self.quiet_until_ns = max(self.quiet_until_ns, self.now_ns + QUIET_NS)  # no world says what lies there

    def _after_look(self, world: World, look: PileRead, first: CardOdds) -> Iterator[World]:
        """The world after a look at a pile. An unread top is the card that the look shows, one of fifty that it might
        have been, or another that was misread. A look that repeats the first reading, which this world holds for wrong,
        may share its error and names nothing."""
        best = evidence.best_card(look.cards)
        if world.top(look.pile) != UNREAD or best is None:
            yield world.weighed(self._fits_pile(world, look, first))
        elif best == evidence.best_card(first):
            yield world.weighed(evidence.repeated_error(look.cards, first))
        else:
            wrong = max(1.0 - look.cards[best], evidence.SURELY_WRONG)
            yield world.weighed(evidence.NOT_SEEN * wrong)
            if not _is_known(world.position, best):
                yield self._with_named_top(world, look, best).weighed(evidence.NOT_SEEN * look.cards[best])

    def _with_named_top(self, world: World, look: PileRead, card: Card) -> World:
        """The world in which the unread top of the pile that was looked at is this card."""
        lying = world.position.middle(look.pile).lying
        if lying and not lying[-1].buried:
            named = msgspec.structs.replace(lying[-1], card=card)
            position = world.position.with_middle(look.pile, lying=(*lying[:-1], named))
            claims = {n: msgspec.structs.replace(claim, card=card)
                      if claim.at_ns == named.at_ns and claim.card == UNREAD else claim
                      for n, claim in world.claims.items()}  # fmt: skip
            return World(position, world.log_weight, claims, world.stayed)
        event = Read(at_ns=look.at_ns, player="unknown", place=look.pile, card=card)
        _, position, _ = judge(self.rules, world.position, event, (event,))
        return world.moved_to(position)

    def _fits_pile(self, world: World, look: PileRead, first: CardOdds) -> float:
        """How well a look at a pile fits a world; until it was seen empty the cards of the old deal may lie there."""
        top = world.top(look.pile)
        if top is None:
            phase = world.position.phase
            was_cleared = phase is self.phase is Phase.FIRST_SPIT and self.piles[look.pile].was_empty
            return NOTHING_THERE if was_cleared or phase in (Phase.PLAY, Phase.SPIT, Phase.SLAP) else 1.0
        if top == UNREAD:
            return evidence.NOT_SEEN
        fits, best = evidence.repeat_likelihood(look.cards, top, first), evidence.best_card(look.cards)
        if best is None or best == top:
            return fits
        is_ahead = best == _under(world.position.middle(look.pile)) or world.position.shows(best)
        return max(fits, LIFTED * look.cards[best]) if is_ahead else fits  # of a report that is still to come

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
            more += self._replaced(world, look, best)
            if middle.top is not None and best == view.under(middle.top):
                taken = rowsync.without_top(world, look.pile, best, self.rows)
                more.append(taken.weighed(MISSED * COUNTED_BUT_TAKEN))
            if middle.top is not None and not middle.lying and not _is_known(world.position, best):
                named = world.position.with_middle(look.pile, top=best)
                renamed = {k: msgspec.structs.replace(c, card=best) if c.card == middle.top else c
                           for k, c in world.claims.items()}  # fmt: skip
                odds = view.odds_of(middle.top)
                wrong = evidence.card_likelihood(odds, best) / evidence.card_likelihood(odds, middle.top)
                more.append(World(named, world.log_weight, renamed, world.stayed).weighed(min(wrong, 0.5) * 0.1))
        self.worlds = (*self.worlds, *more)

    def _unreported(self, world: World, look: PileRead) -> list[World]:
        """Worlds in which a card of a row, or a spit card, came down here since the last look."""
        since = max(self.piles[look.pile].seen_ns, look.at_ns - 1500 * MS)
        landing = CardLanded(at_ns=max(since + MS, look.at_ns - 300 * MS), earliest_ns=since, latest_ns=look.at_ns,
                             pile=look.pile, cards=look.cards, players={})  # fmt: skip
        found = self._guesses(world, Report.of(landing), share=LIKELY_UNSEEN)
        least = max([guess.likelihood for _, guess in found]) * LIKELY_UNSEEN
        worlds, bounds = [], self._bounds_ns(landing)
        for before, guess in found:
            if guess.likelihood >= least:
                self.unseen -= 1
                claim, after = self._judged(before, guess, bounds)
                read = evidence.card_likelihood(look.cards, claim.card)  # the look itself is weighed with all others
                log_weight = after.weight_if(MISSED * guess.likelihood / read)
                worlds.append(World(after.position, log_weight, {**world.claims, self.unseen: claim}, after.stayed))
        return worlds

    def _replaced(self, world: World, look: PileRead, card: Card) -> Iterator[World]:
        """Worlds in which the card came down here from a place that by now shows the next one, turned since: it was
        taken for the same card under another name."""
        for player in PLAYERS:
            row = self.rows[player]
            for place, (view, lies) in enumerate(zip(row.places, world.lies(player), strict=False), 1):
                if view.left == card and lies == ("face", view.card) and view.left_before_ns > look.at_ns - TURNED_NS:
                    for after in self._unreported(rowsync.named(world, player, place, card), look):
                        if after.claims[min(after.claims)].card == card:
                            yield rowsync.follow(self.rules, after, player, row, [place], look.at_ns)[0]

    def look_at_row(self, n: int, look: RowRead) -> list[AnyVerdict]:
        """A row was read: weigh the worlds, then let each follow what changed."""
        row, lies = self.rows[look.player], self.worlds[0].lies(look.player)
        gone = self.worlds[0].in_the_middle
        places = look.places[: len(lies)]  # there may be fewer than were looked at
        if self.takers and self.position.phase in (Phase.PLAY, Phase.SPIT):
            row.look(places, look.at_ns, gone)
            return []  # the cards are being gathered
        if len(self.worlds) > 1:
            self.weigh(self._fits_row(look))
            lies = self.worlds[0].lies(look.player)
        news = row.look(places, look.at_ns, gone)
        if row.settled == lies and not news:
            return []
        if not self.layout.is_laid(look.player):
            return self._lay_out(look.player, look.at_ns)
        if self.position.phase in (Phase.SLAP, Phase.OVER):
            return []  # after a deal the players gather their cards in any way they like
        if not news and row.agrees(lies):
            row.settled = lies
            return self._settle_hidden(look.player) if len(self.worlds) > 1 else []
        news += rowsync.unsettled(self.worlds[0], look.player, row, gone)
        if any(view.since_ns < look.at_ns - LONG_GONE_NS for view in self.missing(look.player)):
            self._miss(look.player, look.at_ns)
        if not news:
            row.settled = None
            return self._settle_hidden(look.player)
        self.due_ns = AT_ONCE
        news = sorted(set(news))
        self.moved_ns = max(self.moved_ns, look.at_ns)
        told = self._follow_row(n, look, row, news)
        if any(self._is_lost(lies[place - 1], row, row.places[place - 1]) for place in news):
            self.quiet_until_ns = max(self.quiet_until_ns, look.at_ns + MISSED_NS)
        lies = self.worlds[0].lies(look.player)
        if len(self.worlds) == 1 and row.agrees(lies):
            row.settled = lies
            return told
        shown = [row.places[n - 1].card for n in rowsync.unsettled(self.worlds[0], look.player, row, gone)]
        if any(card is not None and self.position.knows_in_middle(card) for card in shown):
            self.quiet_until_ns = max(self.quiet_until_ns, look.at_ns + MISSED_NS)  # it cannot be in both places
        return told + self._settle_hidden(look.player)

    def _is_lost(self, lies: Lies, row: RowView, view: PlaceView) -> bool:
        """Whether the face that lay at a place was seen to be gone, before the next one showed there, and is nowhere
        now, nor can it be what shows at another place since: it came down somewhere unreported."""
        if view.kind != "face" or view.left is None or lies != ("face", view.left) or view.left == view.card:
            return False
        was_seen_gone = view.left_before_ns < view.since_ns
        is_carried = any(pile.taken is not None and pile.taken.card == view.left for pile in self.piles.values())
        was_moved = any(other is not view and other.since_ns > view.left_after_ns for other in row.places)
        return was_seen_gone and not (is_carried or was_moved or _is_known(self.position, view.left))

    def _follow_row(self, n: int, look: RowRead, row: RowView, news: list[int]) -> list[AnyVerdict]:
        """Each world follows what is new in a row; what happened there in the likeliest is told."""
        told: list[AnyVerdict] = []
        worlds = []
        for world in self.worlds:
            after, happened = rowsync.follow(self.rules, world, look.player, row, news, look.at_ns)
            if world is self.worlds[0]:
                told = [telling.row_judged(event, self.now_ns, n) for event in happened]
                told += [self._left(card) for card in sorted(after.stayed - world.stayed)]
            worlds.append(after)
        self.become(worlds)
        return told

    def missing(self, player: Player) -> Iterator[PlaceView]:
        """Places of a row from which a top is gone that nobody played in the likeliest world. One that was just taken
        off a pile is on its way back."""
        carried = {view.taken.card for view in self.piles.values()
                   if view.taken is not None and self.now_ns - view.taken.at_ns < PUT_BACK_NS}  # fmt: skip
        for view, (kind, card) in zip(self.rows[player].places, self.worlds[0].lies(player), strict=False):
            if kind == "face" and view.kind in ("down", "empty") and card not in carried:
                yield view

    def _miss(self, player: Player, at_ns: int) -> None:
        """A top has been gone for long that is not known to have come down anywhere: it did, unseen, and until that is
        sure nobody is blamed."""
        onto, row = max(PILES, key=lambda pile: self.piles[pile].changed_ns), self.rows[player]
        played = [rowsync.caught_up(world, player, row, onto, at_ns - LONG_GONE_NS) for world in self.worlds]
        self.become([*self.worlds, *(world.weighed(MISSED) for world in played)])
        self.quiet_until_ns = max(self.quiet_until_ns, at_ns + MISSED_NS)

    def _settle_hidden(self, player: Player) -> list[AnyVerdict]:
        """Face-down cards lie where they are seen; a row that is seen to be empty was cleared (R49)."""
        world = self.worlds[0]
        if self.open or world.position.phase is not Phase.PLAY:
            return []
        worlds = tuple([self._with_hidden_as_seen(one, player) for one in self.worlds])
        if all(after is one for after, one in zip(worlds, self.worlds, strict=True)):
            return []
        counts = [world.position.side(player).count for world in (worlds[0], self.worlds[0])]
        self.counts_doubtful = self.counts_doubtful or counts[0] != counts[1]  # else they only lie at another place
        self.become(worlds)
        after = self.worlds[0]
        if not has_cleared(self.rules, after.position.side(player)):
            return []
        onto = max(PILES, key=lambda pile: self.piles[pile].changed_ns)
        position, said = cleared(self.rules, after.position, player, onto, self.now_ns)
        self.worlds = (after.moved_to(position),)
        return telling.announced(said, self.now_ns, self.now_ns, None, self.counts_known)

    def _with_hidden_as_seen(self, world: World, player: Player) -> World:
        """The world with face-down cards where they are seen. That a row is empty must be sure: it ends the deal."""
        after = rowsync.with_hidden_as_seen(world, player, self.rows[player], self.now_ns)
        if after is not world and has_cleared(self.rules, after.position.side(player)) and not self.is_sure():
            return world
        return after

    def _lay_out(self, player: Player, at_ns: int) -> list[AnyVerdict]:
        """A freshly dealt row is taken as it lies once it lies still."""
        if self.position.phase is not Phase.FIRST_SPIT or not self.layout.look(player, self.rows[player], at_ns):
            return []
        position = self.layout.lay(self.rules, self.position, player, self.rows[player], at_ns)
        self.become([self.worlds[0].moved_to(position)])
        if not all(map(self.layout.is_laid, PLAYERS)):
            return []
        return [PhaseChanged(at_ns=at_ns, decided_ns=self.now_ns, phase="await_spit")]

    def _begin_in_a_hurry(self) -> None:
        """A card lands before a row was seen well, and no card of the old deal that came too late."""
        for player in PLAYERS if self.position.phase is Phase.FIRST_SPIT else ():
            is_old = self.rows[player].is_bare or self.layout.may_be_old(player, self.now_ns)
            if not self.layout.is_laid(player) and not is_old:
                position = self.layout.force(self.position, self.rows[player], player)
                self.become([self.worlds[0].moved_to(position)])

    def _leave_lying(self) -> list[AnyVerdict]:
        """Cards that are not taken back any more count where they lie: mostly because they counted all along."""
        before = self.worlds[0].stayed
        worlds, are_the_same = [], True
        for world in self.worlds:
            after = rowsync.left_lying(world, self.now_ns)
            are_the_same = are_the_same and after is world
            worlds.append(after)
        if are_the_same:
            return []
        self.become(worlds)
        return [self._left(card) for card in sorted(self.worlds[0].stayed - before)]

    def _left(self, card: Card) -> LeftLying:
        pile: Pile = "A"
        played_on = False
        for candidate in PILES:
            for one in self.position.middle(candidate).lying:
                if one.card == card:
                    pile, played_on = candidate, one.buried
        return LeftLying(at_ns=self.now_ns, decided_ns=self.now_ns, pile=pile, card=card, played_on=played_on)

    def _fits_row(self, look: RowRead) -> list[float]:
        """How well a look at a row fits each world, beside what all of them expect alike."""
        worlds, fits = self.worlds, [1.0] * len(self.worlds)
        rows = [world.lies(look.player) for world in worlds]
        expected_by_all = rows[0] if rows.count(rows[0]) == len(rows) else None
        if expected_by_all is not None and not _surprises(look, expected_by_all):
            return fits
        over = [world.position.phase in (Phase.FIRST_SPIT, Phase.OVER) for world in worlds]
        if any(over) and not all(over):
            return fits  # where the deal is over, its cards lie there still, and nothing can be told
        for place, seen in enumerate(look.places[: len(rows[0])]):
            lying = [row[place] for row in rows]
            expected, _ = lying[0]
            alike = lying.count(lying[0]) == len(lying)
            if alike and expected == "face":
                continue
            kind, card = evidence.kind_of(seen)
            if kind == "hidden" or (alike and kind != "face"):
                continue
            view = self.rows[look.player].places[place]
            is_still_there = kind == "face" and view.kind == "face" and view.card == card
            is_old_news = kind != "face" and view.kind == kind and view.agreed > 0
            known = {lies: look_likelihood(seen, kind, lies) for lies in set(lying)}
            for n, lies in enumerate(lying):
                if is_old_news and lies[0] != "face":
                    continue  # a wrong count of hidden cards contradicts every look alike
                if card is not None and lies[0] != "face":
                    fits[n] *= face_likelihood(seen, card, lies[0], worlds[n], look.player)
                else:
                    fits[n] *= known[lies]
                if is_still_there and lies[0] != "face":
                    fits[n] *= STILL_THERE  # it has not left, so nothing was turned there
        return fits


def _under(middle: Middle) -> Card | None:
    """The card that shows as soon as the uppermost is taken off, if that one has to go back."""
    if not middle.lying or middle.lying[-1].buried:
        return None
    others = middle.lying[:-1]
    return others[-1].card if others and not others[-1].buried else middle.top


def _surprises(look: RowRead, lies: tuple[Lies, ...]) -> bool:
    """Whether a face shows where all worlds expect none: what else they expect alike tells nothing."""
    return any(seen.cards and kind != "face" for seen, (kind, _) in zip(look.places, lies, strict=False))


def _is_known(position: Position, card: Card) -> bool:
    """Whether the card lies face up elsewhere, so that it cannot be this one (R4)."""
    return position.knows_in_middle(card) or bool(position.shows(card))
