"""Whole games with real cards: what the engine works out is compared with what truly lies on the table."""

import random
from collections import Counter

import pytest

from referee.cards import PACK, RANK_OF, Card
from referee.game.announcements import AnyAnnouncement, Award, GameOver, NextDeal, SpitCall
from referee.game.events import AnyEvent, Land, Layout, Move, Refill, Slap, Spit, TurnUp
from referee.game.judge import Judge
from referee.game.phases import Phase
from referee.game.position import Position, Side
from referee.game.rulings import Legal
from referee.rules.deals import full_row, next_deal
from referee.rules.rows import Stock
from referee.rules.rule_set import RuleSet, rule_set_from
from referee.table import PILES, PLAYERS, Pile, Player

HOUSES = {
    "pagat": RuleSet(),
    "wikipedia": rule_set_from({"extends": "wikipedia"}),
    "four piles": RuleSet(piles=4),
    "canfield": RuleSet(setup="canfield"),
    "below layout": RuleSet(one_pile="below_layout", short_deal="row_by_row"),
    "alternate": RuleSet(colours="alternate", solo_spit="chosen_pile"),
    "jokers": RuleSet(jokers="wild", pile_choice="clearer_chooses"),
    "bicycle": rule_set_from({"extends": "bicycle"}),
}


class Game:
    """Two players who only ever do what they may, with the true cards of everything that lies face down."""

    def __init__(self, rules: RuleSet, seed: int) -> None:
        self.rules, self.chance = rules, random.Random(seed)
        self.packs: dict[Player, list[Card]] = {"p1": [], "p2": []}
        self.rows: dict[Player, list[list[Card]]] = {}
        self.middle: dict[Pile, list[Card]] = {"A": [], "B": []}
        pack = [*PACK, *([Card("X1"), Card("X2")] if rules.jokers == "wild" else [])]
        packs = [pack, list(pack)] if rules.decks == "own" else self._halves(pack)
        self.packs["p1"], self.packs["p2"] = packs
        self.at_ns = 0
        self.judge = Judge(rules, self._first_deal(sum(map(len, packs))))
        self.seen: Counter[str] = Counter()

    def _halves(self, pack: list[Card]) -> list[list[Card]]:
        self.chance.shuffle(pack)
        return [pack[: len(pack) // 2], pack[len(pack) // 2 :]]

    def _first_deal(self, total: int) -> Position:
        deal = next_deal(len(self.packs["p1"]), len(self.packs["p2"]), self.rules)
        sides = {}
        for player, plan in (("p1", deal.p1), ("p2", deal.p2)):
            row = tuple(Stock(size) for size in plan.row)
            sides[player] = Side(row=row, packet=plan.spit, due=deal.first[player])
        return Position(phase=Phase.FIRST_SPIT, p1=sides["p1"], p2=sides["p2"], total=total)

    def lay_out(self) -> None:
        """Both shuffle and deal a row, pile by pile."""
        for player in PLAYERS:
            cards = self.packs[player]
            self.chance.shuffle(cards)
            sizes = [stock.count for stock in self.judge.position.side(player).row]
            self.rows[player] = [[cards.pop() for _ in range(size)] for size in sizes]
            self.tell(Layout(at_ns=self.now(), player=player, tops=tuple(p[-1] for p in self.rows[player] if p)))

    def now(self) -> int:
        self.at_ns += self.chance.randrange(600, 2000) * 1_000_000
        return self.at_ns

    def tell(self, event: AnyEvent) -> tuple[AnyAnnouncement, ...]:
        answer = self.judge.feed(event)
        assert isinstance(answer.ruling, Legal), (event, answer, self.judge.position)
        self.seen.update(type(said).__name__ for said in answer.announcements)
        return answer.announcements

    def play_to_the_end(self) -> str:
        """Play until somebody has won; returns `p1`, `p2`, `draw`, or `endless` after very many events."""
        self.lay_out()
        for _ in range(6000):
            self.check()
            match self.judge.position.phase:
                case Phase.FIRST_SPIT | Phase.SPIT:
                    self.spit()
                case Phase.SLAP:
                    self.slap()
                case Phase.PLAY:
                    said = self.act()
                    if any(isinstance(one, Award) for one in said):
                        self.gather(said)
            if self.judge.position.phase is Phase.OVER:
                return self.winner
        return "endless"

    def check(self) -> None:
        """The engine's table is the true one."""
        table = self.judge.position
        for player in PLAYERS:
            side = table.side(player)
            assert side.packet == len(self.packs[player])
            assert [stock.count for stock in side.row] == [len(pile) for pile in self.rows[player]]
            for stock, pile in zip(side.row, self.rows[player], strict=True):
                assert stock.up == tuple(pile[stock.down :])
        for pile in PILES:
            assert table.middle(pile).count == len(self.middle[pile])
            assert table.middle(pile).top == (self.middle[pile] or [None])[-1]

    def spit(self) -> None:
        owing = [player for player in PLAYERS if self.judge.position.side(player).due]
        player = self.chance.choice(owing)
        due = self.judge.position.side(player).due[0]
        pile: Pile = self.chance.choice(PILES) if due == "any" else due
        card = self.packs[player].pop()
        self.middle[pile].append(card)
        said = self.tell(Spit(at_ns=self.now(), player=player, pile=pile, card=card))
        self.heard(said)
        if any(isinstance(one, Award) for one in said):
            self.gather(said)  # the last spit card did not help, and there is one pile

    def act(self) -> tuple[AnyAnnouncement, ...]:
        """One thing that somebody may do now, plays before all others."""
        choices = [self.options(player) for player in PLAYERS]
        plays = [one for plays, _ in choices for one in plays]
        others = [one for _, others in choices for one in others]
        assert plays or others, "the engine should have called this stuck"
        event = self.chance.choice(plays if plays and (not others or self.chance.random() < 0.7) else others)
        said = self.tell(event)
        self.follow(event)
        self.heard(said)
        return said

    def options(self, player: Player) -> tuple[list[AnyEvent], list[AnyEvent]]:
        table, row = self.judge.position, self.judge.position.side(player).row
        plays: list[AnyEvent] = []
        others: list[AnyEvent] = []
        for place, stock in enumerate(row, 1):
            true = self.rows[player][place - 1]
            if stock.can_turn:
                others.append(TurnUp(at_ns=self.now(), player=player, place=place, card=true[-1]))
            if stock.is_empty and self.rules.refills and self.packs[player]:
                others.append(Refill(at_ns=self.now(), player=player, place=place, card=self.packs[player][-1]))
            if stock.top is None:
                continue
            for pile in table.piles_in_use:
                if self.goes_on(stock.top, self.middle[pile][-1]):
                    plays.append(Land(at_ns=self.now(), player=player, pile=pile, cards=(stock.top,)))
            others += [
                Move(at_ns=self.now(), player=player, from_place=place, to_place=target, card=stock.top)
                for target, other in enumerate(row, 1)
                if target != place and self.may_lie_on(stock, other)
            ]
        return plays, others

    def may_lie_on(self, stock: Stock, other: Stock) -> bool:
        """Whether a move within the row is allowed and not quite pointless."""
        if other.is_empty:
            return stock.count > 1 and not self.rules.refills
        return self.rules.row_stack_same_rank and stock.top[:-1] == (other.top or "?")[:-1]

    def goes_on(self, card: Card, top: Card) -> bool:
        if "X" in (card[0], top[0]):
            return True
        differ = abs(RANK_OF[card] - RANK_OF[top]) in (1, 12)
        return differ and not (self.rules.colours == "alternate" and (card[-1] in "HD") == (top[-1] in "HD"))

    def follow(self, event: AnyEvent) -> None:
        """Do to the true cards what the event says."""
        match event:
            case Land(player="p1" | "p2" as player, pile=pile, cards=(card,)):
                source = next(stock for stock in self.rows[player] if stock and stock[-1] == card)
                self.middle[pile].append(source.pop())
            case Move(player=player, from_place=source, to_place=target):
                self.rows[player][target - 1].append(self.rows[player][source - 1].pop())
            case Refill(player=player, place=place):
                self.rows[player][place - 1].append(self.packs[player].pop())

    def slap(self) -> None:
        chooser = self.judge.position.cleared_by if self.rules.pile_choice == "clearer_chooses" else None
        player = chooser or self.chance.choice(PLAYERS)
        self.gather(self.tell(Slap(at_ns=self.now(), player=player, pile=self.chance.choice(PILES))))

    def heard(self, said: tuple[AnyAnnouncement, ...]) -> None:
        for one in said:
            if isinstance(one, SpitCall):
                assert set(one.onto) == {player for player in PLAYERS if self.packs[player]}
            if isinstance(one, GameOver):
                self.winner = one.winner

    def gather(self, said: tuple[AnyAnnouncement, ...]) -> None:
        """Each takes what the referee awards him, and the counts are those that were announced."""
        award = next(one for one in said if isinstance(one, Award))
        for player, pile in (("p1", award.p1), ("p2", award.p2)):
            left = [card for stock in self.rows[player] for card in stock]
            self.packs[player] += left + (self.middle[pile] if pile != "none" else [])
        self.middle = {"A": [], "B": []}
        self.heard(said)
        if not any(isinstance(one, GameOver) for one in said):
            deal = next(one for one in said if isinstance(one, NextDeal))
            assert (deal.p1.cards, deal.p2.cards) == (len(self.packs["p1"]), len(self.packs["p2"]))
            self.lay_out()
        else:
            assert not self.packs["p1"] or not self.packs["p2"]


@pytest.mark.parametrize("house", list(HOUSES))
def test_whole_games_end_and_the_engine_always_knows_the_true_table(house: str) -> None:
    endings: Counter[str] = Counter()
    heard: Counter[str] = Counter()
    for seed in range(4):
        game = Game(HOUSES[house], seed)
        endings[game.play_to_the_end()] += 1
        heard += game.seen
    assert endings["endless"] < 4
    assert heard["SpitCall"] and heard["Stuck"]
    if HOUSES[house].has_slap:
        assert heard["DealOver"] == heard["Award"] > 4


def test_a_full_row_is_what_the_house_lays_out() -> None:
    assert [full_row(house) for house in list(HOUSES.values())[:4]] == [
        (1, 2, 3, 4, 5),
        (1, 2, 3, 4, 5),
        (1, 2, 3, 4),
        (1, 1, 1, 1, 11),
    ]
