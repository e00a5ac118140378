"""A whole game written to a log as the live table would write it: random, seeded, with every kind of quarrel in it.

The referee is not asked: what it would have said is written beside what was seen, so that the replay is tested alone.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random

from referee.cards import PACK, RANK_OF, Card
from referee.log import Device, GameLog, Header
from referee.observations import (
    AnyObservation,
    Called,
    CardLanded,
    CardTakenBack,
    Correction,
    HandsSeen,
    PadReleased,
    PadSlapped,
    PileRead,
    PilesTaken,
    PlaceSeen,
    RowRead,
    SensorBack,
    SensorLost,
)
from referee.table import OPPONENT, OTHER_PILE, PILES, PLAYERS, Pile, Player
from referee.verdicts import (
    AnyVerdict,
    Award,
    BackInStep,
    CannotTell,
    Corrected,
    DeadHeat,
    DealOver,
    DealPlan,
    GameOver,
    NextDeal,
    NotStuck,
    Paused,
    PhaseChanged,
    PlayJudged,
    Resumed,
    Ruling,
    SlapJudged,
    SpitCall,
    SpitJudged,
    Stuck,
    TakenBack,
)

MS = 1_000_000
NAMES: dict[Player, str] = {"p1": "Ann", "p2": "Bob"}
HEADER = Header(
    source="simulated",
    players=NAMES,
    rules_name="pagat",
    rules={"hands": "one", "race_window_ms": 500},
    started="2026-11-30T20:15:00+01:00",
    devices=(
        Device(role="camera", name="usb camera 1280x720", uncertainty_ns=17 * MS, note="30 frames a second"),
        Device(role="pads", name="gpiochip0, kernel stamps", uncertainty_ns=50_000),
        Device(role="signals", name="buzzer and two lights"),
    ),
)
Picture = Callable[[Pile, Card], bytes]


def fits(card: Card, top: Card) -> bool:
    return (RANK_OF[card] - RANK_OF[top]) % 13 in (1, 12)


class PlausibleGame:
    """Writes one game; every method is something that happens at the table."""

    def __init__(self, log: GameLog, seed: int, picture: Picture | None) -> None:
        self.log = log
        self.random = Random(seed)
        self.picture = picture
        self.now_ns = 5_000_000_000
        self.tops: dict[Pile, Card] = {}
        self.rows: dict[Player, list[Card]] = {"p1": [], "p2": []}
        self.stock: list[Card] = []

    def see(self, seen: AnyObservation) -> int:
        return self.log.observation(seen)

    def say(self, verdict: AnyVerdict) -> None:
        self.log.verdict(verdict)

    def wait(self, low_ms: float, high_ms: float) -> None:
        self.now_ns += round(self.random.uniform(low_ms, high_ms) * MS)

    def deal(self, first: bool) -> None:
        self.stock = list(PACK)
        self.random.shuffle(self.stock)
        if not first:
            plans = [DealPlan(cards=26, row=(1, 2, 3, 4, 5), spit=11) for _ in PLAYERS]
            self.say(NextDeal(at_ns=self.now_ns, piles=2, p1=plans[0], p2=plans[1], first={"p1": "A", "p2": "B"}))
        self.say(PhaseChanged(at_ns=self.now_ns, phase="layout"))
        self.wait(4000, 9000)
        for player in PLAYERS:
            self.rows[player] = [self.stock.pop() for _ in range(5)]
            self.read_row(player)
        self.say(PhaseChanged(at_ns=self.now_ns, phase="await_spit"))
        self.wait(800, 1500)
        self.spits()
        self.say(PhaseChanged(at_ns=self.now_ns, phase="play"))

    def read_row(self, player: Player) -> None:
        places = tuple(PlaceSeen(cards={card: 0.99}) for card in self.rows[player])
        self.see(RowRead(at_ns=self.now_ns, player=player, places=places))

    def spits(self) -> None:
        for player, pile in zip(PLAYERS, PILES, strict=True):
            card = self.stock.pop()
            n = self.land(player, pile, card, 0.99)
            sentence = f"{NAMES[player]} spits {card} on {pile}."
            self.say(
                SpitJudged(
                    at_ns=self.now_ns, of=n, player=player, pile=pile, card=card, p=0.99, ruling="legal", rule="R16",
                    sentence=sentence, decided_ns=self.now_ns + 90 * MS,
                )
            )  # fmt: skip
            self.tops[pile] = card
            self.wait(60, 220)

    def land(self, player: Player, pile: Pile, card: Card, p: float) -> int:
        name = f"{self.now_ns // MS:08d}-{pile}.jpg"
        has_picture = self.picture is not None and self.log.frame(name, self.picture(pile, card))
        return self.see(
            CardLanded(
                at_ns=self.now_ns,
                pile=pile,
                earliest_ns=self.now_ns - 17 * MS,
                latest_ns=self.now_ns + 17 * MS,
                cards={card: p},
                players={player: 0.98},
                frame=name if has_picture else None,
            )
        )

    def judge(
        self, of: int, player: Player, pile: Pile, card: Card, p: float, ruling: Ruling, sentence: str,
        reason: str | None = None, rule: str = "R22",
    ) -> None:  # fmt: skip
        self.say(
            PlayJudged(
                at_ns=self.now_ns, decided_ns=self.now_ns + 70 * MS, of=of, player=player, pile=pile, card=card, p=p,
                ruling=ruling, reason=reason, rule=rule, top=self.tops[pile], sentence=sentence,
            )
        )  # fmt: skip

    def play(self) -> bool:
        """Somebody plays a card that fits; False if nobody has one."""
        chances = [
            (player, place, pile)
            for player in PLAYERS
            for place, card in enumerate(self.rows[player])
            for pile in PILES
            if fits(card, self.tops[pile])
        ]
        if not chances or not self.stock:
            return False
        player, place, pile = self.random.choice(chances)
        card = self.rows[player][place]
        p = round(self.random.uniform(0.93, 0.999), 3)
        n = self.land(player, pile, card, p)
        self.judge(n, player, pile, card, p, "legal", f"{card} on {self.tops[pile]}: it follows.")
        self.tops[pile] = card
        self.rows[player][place] = self.stock.pop()
        self.wait(30, 60)
        self.read_row(player)
        return True

    def play_wrong(self) -> None:
        """A card that does not fit, called, and taken back."""
        player, pile = self.random.choice(PLAYERS), self.random.choice(PILES)
        card = next((card for card in self.rows[player] if not fits(card, self.tops[pile])), None)
        if card is None:
            return
        n = self.land(player, pile, card, 0.98)
        self.judge(
            n, player, pile, card, 0.98, "illegal",
            f"{NAMES[player]}, take back {card}: it does not follow {self.tops[pile]}.", "not_adjacent",
        )  # fmt: skip
        self.wait(900, 1600)
        back = self.see(CardTakenBack(at_ns=self.now_ns, pile=pile, cards={card: 0.97}, players={player: 0.95}))
        self.say(TakenBack(at_ns=self.now_ns, of=back, player=player, pile=pile, card=card, was_due=True))

    def race(self) -> None:
        """Both go for one pile; the second card would have fitted the card that is covered now."""
        for player in PLAYERS:
            pile = self.random.choice(PILES)
            first = next((card for card in self.rows[player] if fits(card, self.tops[pile])), None)
            second = next((card for card in self.rows[OPPONENT[player]] if fits(card, self.tops[pile])), None)
            if first is None or second is None:
                continue
            n = self.land(player, pile, first, 0.99)
            self.judge(n, player, pile, first, 0.99, "legal", f"{first} on {self.tops[pile]}: it follows.")
            covered, self.tops[pile] = self.tops[pile], first
            self.wait(80, 160)
            loser = OPPONENT[player]
            n = self.land(loser, pile, second, 0.97)
            self.judge(
                n, loser, pile, second, 0.97, "beaten",
                f"{NAMES[loser]}: {second} fitted {covered}, but {first} was there first. No fault, take it back.",
                "beaten", "R31",
            )  # fmt: skip
            self.wait(700, 1200)
            back = self.see(CardTakenBack(at_ns=self.now_ns, pile=pile, cards={second: 0.97}, players={loser: 0.95}))
            self.say(TakenBack(at_ns=self.now_ns, of=back, player=loser, pile=pile, card=second, was_due=True))
            return

    def misread(self) -> None:
        pile = self.random.choice(PILES)
        n = self.land("p2", pile, Card("??"), 0.0)
        self.judge(
            n, "p2", pile, Card("??"), 0.0, "cannot_tell", "The card was not read: the next one counts.", "unread"
        )
        self.say(CannotTell(at_ns=self.now_ns, about="pile covered by a hand", pile=pile))
        self.wait(1200, 1800)
        self.see(PileRead(at_ns=self.now_ns, pile=pile, cards={self.tops[pile]: 0.9}))
        self.say(BackInStep(at_ns=self.now_ns, landings=1))
        by_hand = Correction(at_ns=self.now_ns + 400 * MS, of=n, card=self.tops[pile], by="Ann")
        of = self.see(by_hand)
        self.say(Corrected(at_ns=by_hand.at_ns, of=of, was="??", now=str(self.tops[pile])))

    def stuck(self) -> None:
        self.wait(1500, 4000)
        self.say(Stuck(at_ns=self.now_ns))
        self.say(SpitCall(at_ns=self.now_ns, onto={"p1": "A", "p2": "B"}))
        self.wait(1800, 3200)
        self.spits()

    def called_too_early(self) -> None:
        self.see(Called(at_ns=self.now_ns, player="p2", word="spit"))
        self.say(NotStuck(at_ns=self.now_ns + 5 * MS, who=("p2",)))

    def pause(self) -> None:
        self.see(SensorLost(at_ns=self.now_ns, sensor="table", reason="the camera was moved"))
        self.say(Paused(at_ns=self.now_ns, reason="the camera was moved"))
        self.wait(9000, 14000)
        self.see(SensorBack(at_ns=self.now_ns, sensor="table"))
        self.say(Resumed(at_ns=self.now_ns))

    def end(self, dead_heat: bool) -> None:
        player = self.random.choice(PLAYERS)
        self.say(DealOver(at_ns=self.now_ns, reason="cleared", by=player))
        self.say(PhaseChanged(at_ns=self.now_ns, phase="slap"))
        self.wait(500, 900)
        if dead_heat:
            self.slap(player, "A", 0.03)
            self.say(DeadHeat(at_ns=self.now_ns, pile="A", margin_us=31.0, uncertainty_us=100.0))
            self.wait(1800, 2600)
        pile = self.random.choice(PILES)
        at_ns = self.now_ns
        margin_ms = round(self.random.uniform(0.8, 60), 3)
        self.slap(player, pile, margin_ms)
        takes = {player: pile, OPPONENT[player]: OTHER_PILE[pile]}
        self.say(
            Award(
                at_ns=at_ns, p1=takes["p1"], p2=takes["p2"], first=player, margin_us=margin_ms * 1000,
                uncertainty_us=100.0,
            )
        )  # fmt: skip
        self.wait(2000, 3000)
        for pile in PILES:
            self.see(PilesTaken(at_ns=self.now_ns, pile=pile, players={"p1": 0.5, "p2": 0.5}))

    def slap(self, first: Player, pile: Pile, margin_ms: float) -> None:
        start_ns = self.now_ns
        second_ns = start_ns + round(margin_ms * MS)
        ns = [
            self.see(PadSlapped(at_ns=start_ns, player=first, pile=pile, uncertainty_ns=50_000)),
            self.see(PadSlapped(at_ns=second_ns, player=OPPONENT[first], pile=pile, uncertainty_ns=50_000)),
        ]
        for player, n, at_ns in zip((first, OPPONENT[first]), ns, (start_ns, second_ns), strict=True):
            if margin_ms > 0.1:
                ruling = "legal" if player == first else "ignored"
                self.say(SlapJudged(at_ns=at_ns, of=n, player=player, pile=pile, ruling=ruling))
            contact_ns = round(self.random.uniform(40, 260) * MS)
            self.see(PadReleased(at_ns=at_ns + contact_ns, player=player, pile=pile, contact_ns=contact_ns))
        self.now_ns = second_ns + 300 * MS


def write_plausible_game(
    folder: Path, *, seed: int = 7, deals: int = 3, plays: int = 22, picture: Picture | None = None
) -> Path:
    """Write a game into `folder` and return its directory."""
    with GameLog.create(folder, HEADER) as log:
        game = PlausibleGame(log, seed, picture)
        for number in range(deals):
            game.deal(first=number == 0)
            _play_deal(game, number, plays)
            game.end(dead_heat=number == 1)
        game.say(GameOver(at_ns=game.now_ns, winner="p1"))
    return log.directory


def _play_deal(game: PlausibleGame, number: int, plays: int) -> None:
    odd = {3: game.play_wrong, 6: game.race, 9: game.called_too_early, 12: game.misread, 15: game.pause}
    for turn in range(plays):
        game.wait(180, 1700 if turn % 8 else 3900)
        if turn % 5 == 2:
            game.see(HandsSeen(at_ns=game.now_ns, players=("p1",)))
        if (turn - 2 * number) in odd:
            odd[turn - 2 * number]()
            game.wait(200, 600)
        if not game.play():
            if len(game.stock) < 4:
                return
            game.stuck()
