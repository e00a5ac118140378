"""Whole games in which rules are broken on purpose: exactly that is named, and the table stays as it was."""

from collections import Counter
from collections.abc import Iterator

import pytest
from test_whole_games import HOUSES, Game

from referee.cards import Card
from referee.game.announcements import AnyAnnouncement
from referee.game.events import Land, Move, Refill, Spit, TakeBack, TurnUp
from referee.game.phases import Phase
from referee.game.position import Side
from referee.game.rulings import NOTHING, Breach, Illegal
from referee.game.wording import explain, rule_of, say_who
from referee.rules.legality import why_not
from referee.rules.rows import EMPTY
from referee.rules.rulebook import RULEBOOK
from referee.table import OPPONENT, PILES, PLAYERS, Pile, Player

Attempt = Land | TakeBack | Spit | Move | TurnUp | Refill
Broken = Iterator[tuple[Attempt, Breach]]


class BrokenGame(Game):
    """Two players who keep to the rules, but for what they try in between; what has to go back goes back."""

    named: Counter[Breach]

    def spit(self) -> None:
        self.try_something()
        super().spit()

    def act(self) -> tuple[AnyAnnouncement, ...]:
        self.try_something()
        return super().act()

    def slap(self) -> None:
        self.try_something()
        super().slap()

    def try_something(self) -> None:
        """Perhaps break one rule; the referee names it and nothing else."""
        breaks = [one for player in PLAYERS for one in self.breaks(player)] if self.chance.random() < 0.4 else []
        if not breaks:
            return
        reason = self.chance.choice(sorted({reason for _, reason in breaks}))
        event = self.chance.choice([event for event, broken in breaks if broken is reason])
        answer = self.judge.feed(event)
        ruling = answer.ruling
        assert isinstance(ruling, Illegal), (event, answer)
        assert (ruling.reason, ruling.who, answer.announcements) == (reason, event.player, ())
        assert rule_of(ruling) in RULEBOOK
        assert say_who(event.player) in explain(ruling)
        self.check()
        self.named[reason] += 1
        if isinstance(event, Land | Spit):
            for card in event.cards if isinstance(event, Land) else (event.card,):
                back = TakeBack(at_ns=self.now(), player=event.player, pile=event.pile, card=card)
                assert self.judge.feed(back).ruling is NOTHING
        assert not self.judge.position.must_go_back
        self.check()

    def breaks(self, player: Player) -> Broken:
        """What the player could do wrong now."""
        side, phase = self.judge.position.side(player), self.judge.position.phase
        tops = [stock.top for stock in side.row if stock.top]
        if phase is Phase.PLAY or phase is Phase.SPIT:
            yield from self.plays(player, side, tops)
            yield from self.moves(player, side)
        if self.packs[player]:
            yield from self.spits(player, side, self.packs[player][-1])
        if tops and phase is Phase.FIRST_SPIT:
            yield self.land(player, tops[0], "A"), Breach.NOT_STARTED
        if tops and phase is Phase.SLAP:
            yield self.land(player, tops[0], "B"), Breach.DEAL_IS_OVER

    def land(self, player: Player, card: Card, pile: Pile) -> Land:
        return Land(at_ns=self.now(), player=player, pile=pile, cards=(card,))

    def plays(self, player: Player, side: Side, tops: list[Card]) -> Broken:
        """R20, R22, R26, R29, R63, R71: cards that may not lie where they are put."""
        table, rules = self.judge.position, self.rules
        for pile in table.piles_in_use:
            top = self.middle[pile][-1]
            for card in tops:
                misfit = why_not(card, top, rules)
                if misfit:
                    yield (
                        self.land(player, card, pile),
                        Breach.NOT_ADJACENT if misfit == "rank" else Breach.SAME_COLOUR,
                    )
            for stock in table.side(OPPONENT[player]).row:
                if stock.top and stock.top not in tops:
                    yield self.land(player, stock.top, pile), Breach.NOT_YOUR_CARD
            if len(tops) > 1:
                both = Land(at_ns=self.now(), player=player, pile=pile, cards=(tops[0], tops[1]))
                yield both, Breach.TWO_CARDS
            yield TakeBack(at_ns=self.now(), player=player, pile=pile, card=top), Breach.CARD_WAS_PLAYED
            if self.packs[player] and not any(stock.can_turn or stock == EMPTY for stock in side.row):
                card = self.packs[player][-1]
                if rules.decks == "shared" or not table.shows(card):
                    yield self.land(player, card, pile), Breach.NOT_A_TOP_CARD
        if table.piles == 1 and tops:
            yield self.land(player, tops[0], "B"), Breach.PILE_NOT_IN_USE

    def moves(self, player: Player, side: Side) -> Broken:
        """R34, R35, R37, R77: moves within a row."""
        row, size = side.row, len(side.row)
        for place, stock in enumerate(row, 1):
            if stock.top is None:
                if stock.can_turn and EMPTY in row:
                    move = Move(at_ns=self.now(), player=player, from_place=place, to_place=row.index(EMPTY) + 1,
                                card=Card("??"))  # fmt: skip
                    yield move, Breach.FACE_DOWN_CARD
                continue
            hidden = self.rows[player][place - 1][0]
            yield TurnUp(at_ns=self.now(), player=player, place=place, card=hidden), Breach.NOTHING_TO_TURN
            further = Move(at_ns=self.now(), player=player, from_place=place, to_place=size + 1, card=stock.top)
            yield further, Breach.TOO_MANY_PILES
            if EMPTY in row:
                theft = Move(at_ns=self.now(), player=OPPONENT[player], owner=player, from_place=place,
                             to_place=row.index(EMPTY) + 1, card=stock.top)  # fmt: skip
                yield theft, Breach.NOT_YOUR_ROW
            for target, other in enumerate(row, 1):
                if target != place and other != EMPTY and not self.may_lie_on(stock, other):
                    onto = Move(at_ns=self.now(), player=player, from_place=place, to_place=target, card=stock.top)
                    yield onto, Breach.SPACE_NOT_EMPTY
            if self.rules.refills and self.packs[player]:
                fifth = Refill(at_ns=self.now(), player=player, place=place, card=self.packs[player][-1])
                yield fifth, Breach.ROW_FULL

    def spits(self, player: Player, side: Side, card: Card) -> Broken:
        """R40 to R44, R49: a spit card too early, on the wrong pile, once too often, too late."""
        table = self.judge.position

        def spit(pile: Pile) -> Spit:
            return Spit(at_ns=self.now(), player=player, pile=pile, card=card)

        match table.phase:
            case Phase.SLAP:
                yield spit("A"), Breach.DEAL_IS_OVER
            case Phase.PLAY:
                if self.rules.spit_when == "stuck" or not self.packs[OPPONENT[player]]:
                    yield from ((spit(pile), Breach.NOT_STUCK) for pile in table.piles_in_use)
            case Phase.SPIT | Phase.FIRST_SPIT if not side.due:
                yield spit("A"), Breach.ALREADY_SPAT if side.has_spat else Breach.NOT_YOUR_SPIT
            case Phase.SPIT | Phase.FIRST_SPIT if self.rules.spit_pile == "own" and side.due != ("any",):
                others = [pile for pile in PILES if pile not in side.due]
                yield from ((spit(pile), Breach.WRONG_PILE) for pile in others)


@pytest.mark.parametrize("house", list(HOUSES))
def test_one_broken_rule_is_named_and_changes_nothing(house: str) -> None:
    named: Counter[Breach] = Counter()
    for seed in range(20, 24):
        game = BrokenGame(HOUSES[house], seed)
        game.named = named
        game.play_to_the_end()
    expected = {Breach.NOT_ADJACENT, Breach.NOT_YOUR_CARD, Breach.NOT_A_TOP_CARD, Breach.TWO_CARDS,
                Breach.CARD_WAS_PLAYED, Breach.NOTHING_TO_TURN, Breach.TOO_MANY_PILES, Breach.NOT_YOUR_ROW,
                Breach.SPACE_NOT_EMPTY, Breach.NOT_STARTED}  # fmt: skip
    if HOUSES[house].has_slap:
        expected |= {Breach.DEAL_IS_OVER, Breach.FACE_DOWN_CARD}
    if HOUSES[house].colours == "alternate":
        expected.add(Breach.SAME_COLOUR)
    assert expected <= set(named), expected - set(named)
