"""Scripts that exercise the eyes, not the rules: many landings, duels and idle hands in a short time."""

import random
from dataclasses import dataclass, field
from typing import Final

from hardware.simulated.motion import MS
from referee.cards import PACK, Card
from referee.script import AnyAction, Deal, Hover, Knock, Lay, Script, SpitDown, TakeBack, TurnUp
from referee.table import OPPONENT, PILES, PLAYERS, Hand, Pile, Player

_FIRST_NS: Final = 1_200 * MS
"""Nobody moves before: the eyes begin with a still table."""


@dataclass(slots=True)
class _Side:
    """One player: what lies in the row (bottom to top) and when the hand is free again."""

    row: list[list[Card]]
    spit: list[Card]
    hand: Hand
    free_ns: int = _FIRST_NS
    waits_turned: list[int] = field(default_factory=list)
    """Places whose face-down top comes next."""


def drill_script(seed: int) -> Script:
    """Return one deal in which both players throw card after card, right or wrong, and hands pass without a card.

    Some landings come in pairs 40 to 120 ms apart on one pile, by both players. Piles are knocked, cards taken back.
    """
    return _Drill(seed).script()


class _Drill:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(f"drill {seed}")
        pack = list(PACK)
        self.random.shuffle(pack)
        self.sides = {player: self._dealt(pack[26 * n : 26 * n + 26]) for n, player in enumerate(PLAYERS)}
        self.actions: list[AnyAction] = [
            Deal(at_ns=0, start_ns=0, player=player, row=tuple(map(tuple, side.row)), spit=tuple(side.spit))
            for player, side in self.sides.items()
        ]
        self.landed: dict[Pile, list[Lay]] = {"A": [], "B": []}
        """Row cards on each pile in order of touch, as far as decided."""

    def _dealt(self, cards: list[Card]) -> _Side:
        row = [cards[n * (n + 1) // 2 : (n + 1) * (n + 2) // 2] for n in range(5)]
        return _Side(row, cards[15:], "R" if self.random.random() < 0.75 else "L")

    def script(self) -> Script:
        for n, player in enumerate(PLAYERS):
            self._spit(player, PILES[n])
        while any(any(side.row) for side in self.sides.values()):
            player = min(PLAYERS, key=lambda p: self.sides[p].free_ns if any(self.sides[p].row) else 1 << 62)
            self._act(player)
        end = max(action.at_ns for action in self.actions) + 1_500 * MS
        actions = tuple(sorted(self.actions, key=lambda action: action.at_ns))
        return Script(seed=self.seed, rules="pagat", actions=actions, end_ns=end)

    def _act(self, player: Player) -> None:
        side, chance = self.sides[player], self.random.random()
        if side.waits_turned and chance < 0.8:
            self._turn_up(player, side.waits_turned.pop(0))
        elif chance < 0.36:
            self._hover(player)
        elif chance < 0.40:
            self._knock(player)
        elif chance < 0.45:
            self._take_back(player)
        elif chance < 0.52 and side.spit:
            self._spit(player, self.random.choice(PILES))
        else:
            self._lay(player)

    def _busy(self, player: Player, until_ns: int, pause_ms: tuple[float, float] = (120, 800)) -> None:
        self.sides[player].free_ns = until_ns + round(self.random.uniform(*pause_ms) * MS)

    def _travel(self) -> int:
        return round(self.random.uniform(200, 420) * MS)

    def _rest(self) -> tuple[float, float, float]:
        """Where a thrown card comes to rest: dx and dy in mm, angle in degrees."""
        return self.random.gauss(0, 6), self.random.gauss(0, 6), self.random.gauss(0, 9)

    def _places(self, player: Player) -> list[int]:
        side = self.sides[player]
        return [n for n, stock in enumerate(side.row, 1) if stock and n not in side.waits_turned]

    def _lay(self, player: Player, onto: Pile | None = None, touch_ns: int | None = None) -> None:
        side = self.sides[player]
        places = self._places(player)
        if not places:
            self._busy(player, side.free_ns, (50, 100))
            return
        place = self.random.choice(places)
        pile = self.random.choice(PILES) if onto is None else onto
        start = side.free_ns
        touch = touch_ns or start + self._travel()
        card = side.row[place - 1].pop()
        if side.row[place - 1]:
            side.waits_turned.append(place)
        dx, dy, angle = self._rest()
        lay = Lay(at_ns=touch, start_ns=start, player=player, place=place, pile=pile, card=card, hand=side.hand,
                  intent="drill", dx_mm=dx, dy_mm=dy, angle_deg=angle)  # fmt: skip
        self.actions.append(lay)
        self.landed[pile] = sorted([*self.landed[pile], lay], key=lambda one: one.at_ns)
        self._busy(player, touch)
        if onto is None and self.random.random() < 0.12:
            self._duel(OPPONENT[player], pile, touch)

    def _duel(self, player: Player, pile: Pile, touch: int) -> None:
        """The other player's card comes down on the same pile a moment later, if that hand is free."""
        second = touch + round(self.random.uniform(40, 120) * MS)
        if self._places(player) and self.sides[player].free_ns < second - 200 * MS:
            self.sides[player].free_ns = max(self.sides[player].free_ns, second - self._travel())
            self._lay(player, pile, second)

    def _spit(self, player: Player, pile: Pile) -> None:
        side = self.sides[player]
        touch = side.free_ns + round(self.random.uniform(300, 480) * MS)
        dx, dy, angle = self._rest()
        self.actions.append(SpitDown(at_ns=touch, start_ns=side.free_ns, player=player, pile=pile, hand=side.hand,
                                     card=side.spit.pop(0), intent="drill", dx_mm=dx, dy_mm=dy,
                                     angle_deg=angle))  # fmt: skip
        self.landed[pile] = []
        self._busy(player, touch)

    def _turn_up(self, player: Player, place: int) -> None:
        side = self.sides[player]
        at_ns = side.free_ns + round(self.random.uniform(230, 400) * MS)
        self.actions.append(TurnUp(at_ns=at_ns, start_ns=side.free_ns, player=player, place=place,
                                   card=side.row[place - 1][-1], hand=side.hand))  # fmt: skip
        self._busy(player, at_ns, (50, 400))

    def _hover(self, player: Player) -> None:
        side = self.sides[player]
        middle = side.free_ns + self._travel()
        end = middle + round(self.random.uniform(150, 500) * MS)
        self.actions.append(Hover(at_ns=middle, start_ns=side.free_ns, player=player, pile=self.random.choice(PILES),
                                  hand=side.hand, end_ns=end))  # fmt: skip
        self._busy(player, end, (60, 400))

    def _knock(self, player: Player) -> None:
        gauss, at_ns = self.random.gauss, self.sides[player].free_ns + 250 * MS
        self.actions.append(Knock(at_ns=at_ns, start_ns=self.sides[player].free_ns, player=player,
                                  pile=self.random.choice(PILES), dx_mm=gauss(0, 4), dy_mm=gauss(0, 4),
                                  angle_deg=gauss(0, 5)))  # fmt: skip
        self._busy(player, at_ns, (200, 500))

    def _take_back(self, player: Player) -> None:
        """The player's own card goes back, if it still lies on top and nobody is about to cover it."""
        side = self.sides[player]
        for pile in PILES:
            last = self.landed[pile][-1] if self.landed[pile] else None
            if last is None or last.player != player or last.at_ns > side.free_ns - 200 * MS:
                continue
            if last.place in side.waits_turned:
                continue
            at_ns = side.free_ns + round(self.random.uniform(300, 450) * MS)
            self.actions.append(TakeBack(at_ns=at_ns, start_ns=side.free_ns, player=player, place=last.place, pile=pile,
                                         card=last.card, hand=side.hand))  # fmt: skip
            self.landed[pile].pop()
            side.row[last.place - 1].append(last.card)
            self._busy(player, at_ns)
            return
        self._lay(player)
