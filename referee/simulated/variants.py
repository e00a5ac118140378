"""Short games of the other rule sets, one player after the other: Bicycle with its refills, Speed with hidden hands,
and the pyramid with equal tops stacked on each other (Wikipedia).

`play_variant` returns what happened as a script that is its own truth, like `players.play_game`, and how many cards
each player has left. It keeps its own few lines of the rules, for the referee is compared with them.
"""

import random
from dataclasses import dataclass, field
from typing import Literal

from referee.cards import PACK, Card
from referee.script import AnyAction, Deal, Lay, Move, Refill, Script, SpitDown, TakeBack, TurnUp
from referee.simulated.table import follows
from referee.table import OPPONENT, PLAYERS, Pile, Player
from referee.units import MS

Variant = Literal["bicycle", "speed", "wikipedia"]
OWN: dict[Player, Pile] = {"p1": "A", "p2": "B"}
SIZES: dict[Variant, tuple[int, ...]] = {"bicycle": (1, 1, 1, 1), "speed": (), "wikipedia": (1, 2, 3, 4, 5)}
MOST_TURNS = 150
BREACHES = 0.04


@dataclass(slots=True)
class _Place:
    """A place of a row: face-down cards, and over them the ones that lie face up, the top last."""

    down: list[Card] = field(default_factory=list)
    up: list[Card] = field(default_factory=list)


@dataclass(slots=True)
class _Side:
    row: list[_Place]
    packet: list[Card]
    hand: list[Card]
    outer: list[Card]

    @property
    def count(self) -> int:
        return sum(len(place.down) + len(place.up) for place in self.row) + len(self.packet) + len(self.hand)

    def tops(self) -> list[tuple[int, Card]]:
        """Cards that may be played, with their places; those of a hidden hand have place 0."""
        return [(n, place.up[-1]) for n, place in enumerate(self.row, 1) if place.up] + [(0, c) for c in self.hand]


class _Game:
    def __init__(self, variant: Variant, seed: int) -> None:
        self.variant, self.random = variant, random.Random(seed)
        self.now = 4000 * MS
        self.actions: list[AnyAction] = []
        self.top: dict[Pile, Card] = {}
        self.sides = {player: self._deal(pack) for player, pack in self._packs().items()}
        for player, side in self.sides.items():
            row = tuple((*place.down, *place.up) for place in side.row)
            if row:
                self.actions.append(
                    Deal(at_ns=2000 * MS, start_ns=0, player=player, row=row, spit=tuple(side.packet))
                )  # fmt: skip

    def _packs(self) -> dict[Player, list[Card]]:
        packs: dict[Player, list[Card]] = {}
        for player in PLAYERS:
            packs[player] = list(PACK)
            self.random.shuffle(packs[player])
        if self.variant == "bicycle":
            return packs  # a pack each
        return {"p1": packs["p1"][:26], "p2": packs["p1"][26:]}

    def _deal(self, pack: list[Card]) -> _Side:
        rest = list(pack)
        row = [_Place([rest.pop() for _ in range(size - 1)], [rest.pop()]) for size in SIZES[self.variant]]
        hand = [rest.pop() for _ in range(5)] if self.variant == "speed" else []
        outer = [rest.pop() for _ in range(6)] if self.variant == "speed" else []
        return _Side(row, rest, hand, outer)

    # -- turns ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        self._spit()
        idle = 0
        for _ in range(MOST_TURNS):
            player = self.random.choice(PLAYERS)
            self.now += self.random.randrange(500, 1300) * MS
            if self._turn(player) or self._turn(OPPONENT[player]):
                idle = 0
            elif not self._spit():
                return
            else:
                idle += 1
            if any(self._is_out(side) for side in self.sides.values()) or idle > 20:
                return

    def _is_out(self, side: _Side) -> bool:
        """Whether the deal is over: the row is cleared; where cards are drawn, the packet too."""
        if self.variant == "wikipedia":
            return not any(place.up or place.down for place in side.row)
        return side.count == 0

    def _turn(self, player: Player) -> bool:
        side = self.sides[player]
        plays = [(n, card, pile) for n, card in side.tops() for pile, top in self.top.items() if follows(card, top)]
        if self.random.random() < BREACHES and len(side.tops()) > 2:
            self._break(player)
        elif plays:
            self._lay(player, *self.random.choice(plays), "legal")
        else:
            return self._tidy(player)
        return True

    def _tidy(self, player: Player) -> bool:
        """Fill a gap, turn a card, or move one."""
        side = self.sides[player]
        gaps = [n for n, place in enumerate(side.row, 1) if not place.up and not place.down]
        hidden = [n for n, place in enumerate(side.row, 1) if place.down and not place.up]
        if self.variant == "bicycle" and gaps and side.packet:
            self._refill(player, gaps[0])
        elif hidden:
            self._turn_up(player, hidden[0])
        elif move := self._useful_move(side, gaps):
            self._move(player, *move)
        else:
            return False
        return True

    def _useful_move(self, side: _Side, gaps: list[int]) -> tuple[int, int] | None:
        if self.variant != "wikipedia":
            return None
        covering = [n for n, place in enumerate(side.row, 1) if place.up and place.down]
        for n in covering:
            for to, other in enumerate(side.row, 1):
                if to != n and other.up and other.up[-1][:-1] == side.row[n - 1].up[-1][:-1]:
                    return n, to
        return (covering[0], gaps[0]) if covering and gaps else None

    # -- movements --------------------------------------------------------------------------------------------------

    def _start(self) -> int:
        return self.now - self.random.randrange(180, 420) * MS

    def _take(self, player: Player, place: int, card: Card) -> None:
        side = self.sides[player]
        if place:
            side.row[place - 1].up.pop()
            return
        side.hand.remove(card)
        if side.packet:
            side.hand.append(side.packet.pop(0))

    def _lay(self, player: Player, place: int, card: Card, pile: Pile, intent: str) -> None:
        if intent == "legal":
            self._take(player, place, card)
            self.top[pile] = card
        if place:
            self.actions.append(Lay(at_ns=self.now, start_ns=self._start(), player=player, place=place, pile=pile,
                                    card=card, hand="R", intent=intent))  # fmt: skip
        else:
            self.actions.append(SpitDown(at_ns=self.now, start_ns=self._start(), player=player, pile=pile, card=card,
                                         hand="R", intent=intent))  # fmt: skip

    def _break(self, player: Player) -> None:
        """A card that does not follow, taken back a second later; the other player waits for that."""
        pile = self.random.choice(list(self.top))
        wrong = [(n, card) for n, card in self.sides[player].tops() if not follows(card, self.top[pile])]
        if not wrong:
            return
        place, card = self.random.choice(wrong)
        self._lay(player, place, card, pile, "not_adjacent")
        self.now += self.random.randrange(800, 2200) * MS
        self.actions.append(TakeBack(at_ns=self.now, start_ns=self._start(), player=player, place=place, pile=pile,
                                     card=card, hand="R"))  # fmt: skip
        self.now += 600 * MS

    def _refill(self, player: Player, place: int) -> None:
        card = self.sides[player].packet.pop(0)
        self.sides[player].row[place - 1].up.append(card)
        self.actions.append(Refill(at_ns=self.now, start_ns=self._start(), player=player, place=place, card=card))

    def _turn_up(self, player: Player, place: int) -> None:
        at = self.sides[player].row[place - 1]
        at.up.append(at.down.pop())
        self.actions.append(TurnUp(at_ns=self.now, start_ns=self._start(), player=player, place=place, card=at.up[-1],
                                   hand="R"))  # fmt: skip

    def _move(self, player: Player, place: int, to_place: int) -> None:
        row = self.sides[player].row
        row[to_place - 1].up.append(row[place - 1].up.pop())
        self.actions.append(Move(at_ns=self.now, start_ns=self._start(), player=player, place=place, to_place=to_place,
                                 card=row[to_place - 1].up[-1], hand="R"))  # fmt: skip

    def _spit(self) -> bool:
        """Both turn a card, a little apart; False if that is not possible any more."""
        packets = {p: side.outer if self.variant == "speed" else side.packet for p, side in self.sides.items()}
        if not all(packets.values()):
            return False
        self.now += 2500 * MS
        for player in PLAYERS:
            self.now += self.random.randrange(40, 300) * MS
            self._spit_down(player, packets[player].pop(0))
        return True

    def _spit_down(self, player: Player, card: Card) -> None:
        self.top[OWN[player]] = card
        self.actions.append(SpitDown(at_ns=self.now, start_ns=self._start(), player=player, pile=OWN[player],
                                     card=card, hand="R"))  # fmt: skip


def play_variant(variant: Variant, seed: int) -> tuple[Script, dict[Player, int]]:
    """A short game, and how many cards each player has left at its end (row, packet and hand)."""
    game = _Game(variant, seed)
    game.run()
    script = Script(seed=seed, rules=variant, actions=tuple(game.actions), end_ns=game.now + 3000 * MS)
    return script, {player: side.count for player, side in game.sides.items()}
