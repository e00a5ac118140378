"""A simulated table: real cards, moved by hands, and what the rules of Spit make of each movement.

It keeps its own few lines of the rules (the plain game after Pagat) on purpose: the score compares the referee with
them, so they must not be the referee's.
"""

from dataclasses import dataclass, field
from typing import Literal

from referee.cards import RANK_OF, Card
from referee.table import OPPONENT, PILES, Pile, Player

LAYOUT = (1, 2, 3, 4, 5)
RACE_WINDOW_NS = 500_000_000
SWERVE_NS = 120_000_000
"""A hand swerves no sooner after what it aims at has moved (Saunders and Knill 2003 measured 117 ms): until then a card
that was lifted off is played on in good faith."""
NEVER = 2**62

Phase = Literal["layout", "await_spit", "play", "slap", "done"]


def follows(card: Card, top: Card) -> bool:
    """Whether `card` is next to `top` in the ring of ranks (R22, R25)."""
    return (RANK_OF[card] - RANK_OF[top]) % 13 in (1, 12)


def row_sizes(cards: int) -> list[int]:
    """Sizes of the five stock piles that so many cards fill, pile by pile (R8, R61)."""
    sizes = []
    for size in LAYOUT:
        sizes.append(min(size, cards))
        cards -= sizes[-1]
    return sizes


@dataclass(slots=True)
class Stock:
    """One place of a row: cards bottom to top; only the topmost can lie face up."""

    cards: list[Card] = field(default_factory=list)
    up: bool = False

    @property
    def top(self) -> Card | None:
        return self.cards[-1] if self.cards and self.up else None


@dataclass(slots=True, eq=False)
class Lying:
    """A card on a middle pile: who put it there, from where, and whether it stands."""

    card: Card
    player: Player
    owner: Player
    place: int
    intent: str
    at_ns: int
    lifted_ns: int = NEVER
    """When the hand that takes it back has it off the pile."""

    @property
    def stands(self) -> bool:
        return self.intent == "legal"


@dataclass(slots=True)
class SimulatedTable:
    """Rows, packets and middle piles of one deal."""

    rows: dict[Player, list[Stock]]
    spit: dict[Player, list[Card]]
    middle: dict[Pile, list[Lying]] = field(default_factory=lambda: {"A": [], "B": []})
    piles: tuple[Pile, ...] = PILES
    due: dict[Player, Pile] = field(default_factory=dict)
    phase: Phase = "await_spit"
    ended_by: Player | None = None

    @classmethod
    def dealt(cls, packs: dict[Player, list[Card]]) -> "SimulatedTable":
        """Both rows dealt from the players' packs, the rest as spit cards (R8, R10, R61 to R63)."""
        rows: dict[Player, list[Stock]] = {}
        spit: dict[Player, list[Card]] = {}
        for player, pack in packs.items():
            rest, rows[player] = list(pack), []
            for size in row_sizes(len(pack)):
                rows[player].append(Stock([rest.pop() for _ in range(size)], up=size > 0))
            spit[player] = rest
        table = cls(rows, spit)
        table.piles = PILES if spit["p1"] and spit["p2"] else ("A",)
        table.due = {player: table.own_pile(player) for player in packs if spit[player]}
        return table

    def own_pile(self, player: Player) -> Pile:
        """Where this player spits (R41); a lone pile is always A (R63)."""
        return "A" if player == "p1" or len(self.piles) == 1 else "B"

    def logical_top(self, pile: Pile) -> Card | None:
        return next((lying.card for lying in reversed(self.middle[pile]) if lying.stands), None)

    def tops(self, player: Player) -> list[tuple[int, Card]]:
        """Face-up tops of a row with their places 1..5."""
        return [(n, stock.top) for n, stock in enumerate(self.rows[player], 1) if stock.top is not None]

    def face_down(self, player: Player) -> list[int]:
        return [n for n, stock in enumerate(self.rows[player], 1) if stock.cards and not stock.up]

    def useful_moves(self, player: Player) -> list[tuple[int, int]]:
        """Moves of a top into a space that free a card under it (R35)."""
        spaces = [n for n, stock in enumerate(self.rows[player], 1) if not stock.cards]
        sources = [n for n, stock in enumerate(self.rows[player], 1) if stock.up and len(stock.cards) > 1]
        return [(source, spaces[0]) for source in sources] if spaces else []

    def plays(self, player: Player) -> list[tuple[int, Card, Pile]]:
        tops = [(pile, top) for pile in self.piles if (top := self.logical_top(pile)) is not None]
        return [(n, card, pile) for n, card in self.tops(player) for pile, top in tops if follows(card, top)]

    def can_play(self, player: Player) -> bool:
        """R40: a play, a card to turn, or a move that frees one."""
        return bool(self.plays(player) or self.face_down(player) or self.useful_moves(player))

    def cards_left(self, player: Player) -> int:
        return sum(len(stock.cards) for stock in self.rows[player])

    def what_the_rules_say(self, player: Player, owner: Player, card: Card, pile: Pile, at_ns: int) -> str:
        """`legal`, `beaten` or the reason why this row card may not come down here and now."""
        if self.phase == "await_spit" and not all(self.middle[p] for p in self.piles):
            return "not_started"
        if self.phase in ("slap", "done"):
            return "deal_is_over"
        if pile not in self.piles:
            return "pile_not_in_use"
        if owner != player:
            return "not_your_card"
        top = self.logical_top(pile)
        if top is not None and follows(card, top):
            return "legal"
        if self._was_beaten(player, card, pile, at_ns):
            return "beaten"
        last = next(lying for lying in reversed(self.middle[pile]) if at_ns < lying.lifted_ns + SWERVE_NS)
        return "on_illegal_card" if not last.stands and follows(card, last.card) else "not_adjacent"

    def _was_beaten(self, player: Player, card: Card, pile: Pile, at_ns: int) -> bool:
        standing = [lying for lying in self.middle[pile] if lying.stands]
        if len(standing) < 2:
            return False
        cover, under = standing[-1], standing[-2]
        in_time = at_ns - cover.at_ns <= RACE_WINDOW_NS
        return in_time and cover.player == OPPONENT[player] and follows(card, under.card)

    def lay(self, player: Player, owner: Player, place: int, pile: Pile, at_ns: int, intent: str) -> Card:
        """The top of a place goes onto a pile; a legal last card ends the deal (R49)."""
        stock = self.rows[owner][place - 1]
        card, stock.up = stock.cards.pop(), False
        self.middle[pile].append(Lying(card, player, owner, place, intent, at_ns))
        if intent == "legal" and not self.cards_left(player):
            self.end(player)
        return card

    def spit_down(self, player: Player, pile: Pile, at_ns: int, intent: str) -> Card:
        card = self.spit[player].pop(0)
        self.middle[pile].append(Lying(card, player, player, 0, intent, at_ns))
        if intent == "legal":
            self.due.pop(player, None)
            if not self.due and self.phase == "await_spit":
                self.phase = "play"
        return card

    def take_back(self, pile: Pile, lying: Lying) -> None:
        """The card goes back where it came from."""
        self.middle[pile].remove(lying)
        if lying.place == 0:
            self.spit[lying.owner].insert(0, lying.card)
        else:
            stock = self.rows[lying.owner][lying.place - 1]
            stock.cards.append(lying.card)
            stock.up = True

    def turn_up(self, player: Player, place: int) -> Card:
        stock = self.rows[player][place - 1]
        stock.up = True
        return stock.cards[-1]

    def move(self, player: Player, place: int, to_place: int) -> Card:
        source, target = self.rows[player][place - 1], self.rows[player][to_place - 1]
        card, source.up = source.cards.pop(), False
        target.cards.append(card)
        target.up = True
        return card

    def end(self, by: Player | None) -> None:
        """The deal is over: cleared by a player, or stuck with no spit cards left (R49, R50)."""
        self.ended_by = by
        self.phase = "slap" if len(self.piles) == 2 else "done"

    def taker_of_the_lone_pile(self) -> Player:
        """R65 to R67: who cleared takes nothing; blocked, more cards left takes it, equal the one who started it."""
        if self.ended_by is not None:
            return OPPONENT[self.ended_by]
        left = {player: self.cards_left(player) + len(self.spit[player]) for player in self.rows}
        if left["p1"] != left["p2"]:
            return "p1" if left["p1"] > left["p2"] else "p2"
        return self.middle["A"][0].player

    def gather(self, takes: dict[Player, Pile | None]) -> dict[Player, list[Card]]:
        """Each player's cards after the pile he takes and his own leftovers are put together (R57, R66)."""
        packs: dict[Player, list[Card]] = {}
        for player, pile in takes.items():
            own = [card for stock in self.rows[player] for card in stock.cards] + self.spit[player]
            packs[player] = own + ([lying.card for lying in self.middle[pile]] if pile else [])
        return packs
