"""A small table for tests of the tracker: what lies there changes by plain words, and perfect sensors report it."""

from referee.cards import Card, parse_card
from referee.game.scenario import read_start
from referee.observations import (
    AnyObservation,
    CardLanded,
    CardOdds,
    CardTakenBack,
    HandsSeen,
    PadReleased,
    PadSlapped,
    PileRead,
    PilesTaken,
    PlaceSeen,
    PlayerOdds,
    RowRead,
    Tick,
)
from referee.rules.rule_set import RuleSet
from referee.table import PILES, PLAYERS, Pile, Player
from referee.tracker import Tracker
from referee.verdicts import AnyVerdict, PlayJudged, SpitJudged

MS = 1_000_000

START = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["0:6C", "1:3S", "2:KC", "3:AS", "4:10S"], "spit": 10},
    "p2": {"row": ["0:4D", "1:6D", "2:9H", "3:QC", "4:QS"], "spit": 10},
    "middle": {"A": {"top": "8S", "count": 1, "started_by": "p1"}, "B": {"top": "4S", "count": 1, "started_by": "p2"}},
}


class AtTheTable:
    """One game; every movement is told, then the table is looked at until nothing is open any more."""

    def __init__(self, start: dict[str, object] | None = None, rules: RuleSet | None = None) -> None:
        position = read_start(start or START)
        self.tracker = Tracker(rules or RuleSet(), position)
        self.rows: dict[Player, list[list[str]]] = {
            player: [["?"] * stock.down + list(stock.up) for stock in position.side(player).row] for player in PLAYERS
        }
        self.piles: dict[Pile, list[str]] = {p: [t] if (t := position.middle(p).top) else [] for p in PILES}
        self.now_ms = 1000
        self.n = 0
        self.said: list[AnyVerdict] = []
        self.fed: list[AnyObservation] = []
        self.log: list[AnyObservation | AnyVerdict] = []
        """As the game log would hold it: the place is the running number."""

    def feed(self, seen: AnyObservation) -> list[AnyVerdict]:
        self.fed.append(seen)
        told = self.tracker.feed(seen, self.n)
        self.n += 1 + len(told)
        self.said += told
        self.log += [seen, *told]
        return told

    def look(self, hidden: bool = False) -> list[AnyVerdict]:
        """Everything is read once, now."""
        at_ns, told = self.now_ms * MS, []
        for pile in PILES:
            cards = {Card(self.piles[pile][-1]): 0.995} if self.piles[pile] else {}
            told += self.feed(PileRead(at_ns=at_ns, pile=pile, cards=cards, empty=0.0 if cards else 0.99))
        for player in PLAYERS:
            places = tuple(PlaceSeen() if hidden else _seen(stock) for stock in self.rows[player])
            told += self.feed(RowRead(at_ns=at_ns, player=player, places=places))
        return told

    def wait(self, ms: int, hidden: bool = False) -> list[AnyVerdict]:
        """Time passes over a still table that is looked at every half second."""
        told, until = [], self.now_ms + ms
        while self.now_ms < until:
            self.now_ms = min(self.now_ms + 500, until)
            told += self.feed(HandsSeen(at_ns=self.now_ms * MS, players=()))
            told += self.look(hidden)
        return told

    def land(self, player: Player, place: int, pile: Pile, read: str = "", after_ms: int = 600,
             hand: dict[Player, float] | None = None, seen_ms: tuple[int, int] = (10, 10),
             ) -> list[AnyVerdict]:  # fmt: skip
        """The top of the player's place goes onto a pile; `read`: what the camera says it is; `seen_ms`: by how much
        it may have touched sooner, and later."""
        card = self.rows[player][place - 1].pop()
        return self._down(player, card, pile, read or card, after_ms, hand or {player: 0.9995}, seen_ms)

    def spit(self, player: Player, card: str, pile: Pile, after_ms: int = 600) -> list[AnyVerdict]:
        return self._down(player, card, pile, card, after_ms, {player: 0.9995})

    def _down(self, player: Player, card: str, pile: Pile, read: str, after_ms: int, hand: dict[Player, float],
              seen_ms: tuple[int, int] = (10, 10)) -> list[AnyVerdict]:  # fmt: skip
        self.now_ms += after_ms
        at_ns = self.now_ms * MS
        told = self.feed(HandsSeen(at_ns=at_ns - 200 * MS, players=(player,)))
        self.piles[pile].append(card)
        told += self.feed(
            CardLanded(at_ns=at_ns, earliest_ns=at_ns - seen_ms[0] * MS, latest_ns=at_ns + seen_ms[1] * MS, pile=pile,
                       cards={parse_card(read): 0.995} if read != "??" else {}, players=hand)
        )  # fmt: skip
        self.now_ms += 200
        return told + self.feed(HandsSeen(at_ns=self.now_ms * MS, players=())) + self.look()

    def take_back(self, player: Player, pile: Pile, place: int, after_ms: int = 800) -> list[AnyVerdict]:
        self.now_ms += after_ms
        card = self.piles[pile].pop()
        at_ns = self.now_ms * MS
        told = self.feed(
            CardTakenBack(at_ns=at_ns, pile=pile, cards={parse_card(card): 0.995}, players={player: 0.9995})
        )
        self.rows[player][place - 1].append(card)
        self.now_ms += 200
        return told + self.look()

    def turn_up(self, player: Player, place: int, card: str) -> list[AnyVerdict]:
        self.now_ms += 400
        self.rows[player][place - 1][-1] = card
        return self.look()

    def move(self, player: Player, place: int, to_place: int) -> list[AnyVerdict]:
        self.now_ms += 400
        self.rows[player][to_place - 1].append(self.rows[player][place - 1].pop())
        return self.look()

    def slap(self, player: Player, pile: Pile, after_us: int = 0, uncertainty_us: int = 10) -> list[AnyVerdict]:
        """A pad closes `after_us` from now, and opens again later (see `let_go`)."""
        at_ns = self.now_ms * MS + after_us * 1000
        return self.feed(PadSlapped(at_ns=at_ns, player=player, pile=pile, uncertainty_ns=uncertainty_us * 1000))

    def let_go(self) -> list[AnyVerdict]:
        """All hands leave the pads, and time passes."""
        self.now_ms += 150
        told = []
        for player in PLAYERS:
            for pile in PILES:
                released = PadReleased(at_ns=self.now_ms * MS, player=player, pile=pile, contact_ns=100 * MS)
                told += self.feed(released)
        self.now_ms += 100
        return told + self.feed(Tick(at_ns=self.now_ms * MS))


def _seen(stock: list[str]) -> PlaceSeen:
    if not stock:
        return PlaceSeen(empty=0.98)
    if stock[-1] == "?":
        return PlaceSeen(face_down=0.98)
    return PlaceSeen(cards={Card(stock[-1]): 0.995})


def rulings(told: list[AnyVerdict]) -> list[tuple[str, str, str, str | None]]:
    """Who, which card, how it was ruled and why: of plays and spits, in order."""
    return [(v.player, v.card, v.ruling, v.reason) for v in told if isinstance(v, PlayJudged | SpitJudged)]


def kinds(told: list[AnyVerdict]) -> list[str]:
    return [type(verdict).__name__ for verdict in told]


def blamed(told: list[AnyVerdict]) -> list[tuple[str, str | None]]:
    """Who is blamed for what."""
    return [
        (v.player, v.reason)
        for v in told
        if isinstance(v, PlayJudged | SpitJudged) and v.ruling == "illegal" and not v.blameless
    ]


def row(table: AtTheTable, player: Player, ms: int = 0) -> RowRead:
    """A look at a row that has no spaces, `ms` from now."""
    places = tuple(PlaceSeen(face_down=0.98) if stock[-1] == "?" else PlaceSeen(cards={Card(stock[-1]): 0.995})
                   for stock in table.rows[player])  # fmt: skip
    return RowRead(at_ns=(table.now_ms + ms) * MS, player=player, places=places)


def lands(
    table: AtTheTable,
    player: Player,
    place: int,
    pile: Pile,
    cards: CardOdds,
    players: PlayerOdds | None = None,
    *,
    looks: bool = True,
) -> list[AnyVerdict]:
    """The top of the player's place goes onto a pile, seen as `cards` of `players` (surely his own, if not said)."""
    table.now_ms += 600
    at_ns = table.now_ms * MS
    table.feed(HandsSeen(at_ns=at_ns - 200 * MS, players=PLAYERS if players else (player,)))
    table.piles[pile].append(table.rows[player][place - 1].pop())
    told = table.feed(
        CardLanded(at_ns=at_ns, earliest_ns=at_ns - 10 * MS, latest_ns=at_ns + 10 * MS, pile=pile, cards=cards,
                   players=players or {player: 0.9995})
    )  # fmt: skip
    table.now_ms += 200
    told += table.feed(HandsSeen(at_ns=table.now_ms * MS, players=()))
    return told + (table.look() if looks else [])


def spits(table: AtTheTable, player: Player, pile: Pile, card: str, cards: CardOdds) -> list[AnyVerdict]:
    """The player turns a spit card, seen as `cards`; then nobody looks."""
    table.now_ms += 600
    at_ns = table.now_ms * MS
    table.feed(HandsSeen(at_ns=at_ns - 200 * MS, players=(player,)))
    table.piles[pile].append(card)
    told = table.feed(
        CardLanded(at_ns=at_ns, earliest_ns=at_ns - 10 * MS, latest_ns=at_ns + 10 * MS, pile=pile, cards=cards,
                   players={player: 0.9995})
    )  # fmt: skip
    table.now_ms += 150
    return told + table.feed(HandsSeen(at_ns=table.now_ms * MS, players=()))


def taken(table: AtTheTable, player: Player, pile: Pile) -> list[AnyVerdict]:
    table.now_ms += 200
    return table.feed(PilesTaken(at_ns=table.now_ms * MS, pile=pile, players={player: 0.9995}))
