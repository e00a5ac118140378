"""Scripts that exercise the eyes, not the rules: many landings, races and idle hands in a short time."""

import random
from dataclasses import dataclass, field
from typing import Final

from hardware.simulated.trouble import Trouble
from referee.cards import PACK, Card
from referee.script import AnyAction, Deal, Gather, Hover, Knock, Lay, Script, SpitDown, SquareUp, TakeBack, TurnUp
from referee.table import OPPONENT, PILES, PLAYERS, Hand, Pile, Player
from referee.units import MS

_FIRST_NS: Final = 1_200 * MS
"""Nobody moves before: the eyes begin with a still table."""
_CYCLE_NS: Final = 380 * MS
"""From one card to the next one hand needs at least so long."""

Rest = tuple[float, float, float]
"""Where a card comes to rest: dx and dy in mm from the pile's place, angle in degrees."""

NUDGES_PX: Final = (3.0, 8.0, 15.0, 40.0)
TROUBLES: Final = (*(f"nudge {amount:.0f} px" for amount in NUDGES_PX), "lamp", "glare", "flicker", "focus", "led")
"""What goes wrong in every other drill, by name, one kind each."""


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

    Some landings come in pairs 40 to 120 ms apart on one pile, or in rallies under hands that never leave it; some
    lie exactly on the card below or half off the pile. Hands pass high, low, or rest; piles are knocked and squared
    up, cards taken back. In the end both piles are taken.
    """
    return _Drill(seed).script()


def hands_script(seed: int, passes: int = 60) -> Script:
    """Return a deal in which hands pass over the piles again and again, and hardly a card is laid.

    `passes`: how often a hand of each player passes, high, low, or rests; after every ninth a card is laid.
    """
    return _Drill(seed).only_hands(passes)


def trouble_of(seed: int) -> str | None:
    """Return which of `TROUBLES` a drill has; every other one has none."""
    return TROUBLES[seed // 2 % len(TROUBLES)] if seed % 2 else None


def drill_troubles(seed: int, end_ns: int) -> tuple[Trouble, ...]:
    """Return what goes wrong with camera and lamp in a drill of this length."""
    rng, what = random.Random(f"trouble {seed}"), trouble_of(seed)
    half = end_ns // 2
    first, second = (round(rng.uniform(0.1, 0.3) * end_ns) + start for start in (0, half))
    match what:
        case None:
            return ()
        case "lamp":
            return Trouble("lamp", first, half, rng.uniform(0.7, 0.85)), Trouble("lamp", second, end_ns, 1.15)
        case "glare":
            return (Trouble("glare", first, second, rng.uniform(0.2, 0.45)),)
        case "flicker":
            return (Trouble("flicker", 0, end_ns, rng.uniform(0.05, 0.2)),)
        case "focus":
            return tuple(Trouble("focus", at, at + 900 * MS, rng.uniform(2, 4)) for at in (first, half, second))
        case "led":
            flashes = range(first, end_ns, round(2600 * MS))
            return tuple(Trouble("led", at, at + round(rng.uniform(100, 900) * MS)) for at in flashes)
        case _:
            return (Trouble("nudge", first, second, float(what.split()[1])),)


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
        self.rests: dict[Pile, list[Rest]] = {"A": [], "B": []}
        """Where the cards of each pile lie."""

    def _dealt(self, cards: list[Card]) -> _Side:
        row = [cards[n * (n + 1) // 2 : (n + 1) * (n + 2) // 2] for n in range(5)]
        return _Side(row, cards[15:], "R" if self.random.random() < 0.75 else "L")

    def script(self) -> Script:
        for n, player in enumerate(PLAYERS):
            self._spit(player, PILES[n])
        while any(any(side.row) for side in self.sides.values()):
            player = min(PLAYERS, key=lambda p: self.sides[p].free_ns if any(self.sides[p].row) else 1 << 62)
            self._act(player)
        over = max(action.at_ns for action in self.actions) + 600 * MS
        for player, pile in zip(PLAYERS, PILES, strict=True):
            self.actions.append(Gather(at_ns=over + 900 * MS, start_ns=over, player=player, pile=pile))
        return self._written(over + 2_600 * MS)

    def only_hands(self, passes: int) -> Script:
        for n, player in enumerate(PLAYERS):
            self._spit(player, PILES[n])
        left = dict.fromkeys(PLAYERS, passes)
        while any(left.values()):
            player = min((p for p in PLAYERS if left[p]), key=lambda p: self.sides[p].free_ns)
            self._hover(player)
            left[player] -= 1
            if left[player] % 9 == 0:
                self._lay(player)
        return self._written(max(side.free_ns for side in self.sides.values()) + 1_500 * MS)

    def _written(self, end_ns: int) -> Script:
        actions = tuple(sorted(self.actions, key=lambda action: action.at_ns))
        return Script(seed=self.seed, rules="pagat", actions=actions, end_ns=end_ns)

    def _act(self, player: Player) -> None:
        side, chance = self.sides[player], self.random.random()
        if side.waits_turned and chance < 0.8:
            self._turn_up(player, side.waits_turned.pop(0))
        elif chance < 0.40:
            self._hover(player)
        elif chance < 0.44:
            self._knock(player)
        elif chance < 0.46:
            self._square_up(player)
        elif chance < 0.51:
            self._take_back(player)
        elif chance < 0.58 and side.spit:
            self._spit(player, self.random.choice(PILES))
        elif chance < 0.62:
            self._rally(player)
        else:
            self._lay(player)

    def _busy(self, player: Player, until_ns: int, pause_ms: tuple[float, float] = (120, 800)) -> None:
        self.sides[player].free_ns = until_ns + round(self.random.uniform(*pause_ms) * MS)

    def _travel(self) -> int:
        return round(self.random.uniform(200, 420) * MS)

    def _rest(self, pile: Pile) -> Rest:
        """Choose where the next card on a pile comes to rest: about there, right on the last one, or half off."""
        chance, gauss = self.random.random(), self.random.gauss
        rest = gauss(0, 6), gauss(0, 6), gauss(0, 9)
        if chance < 0.1 and self.rests[pile]:
            x, y, angle = self.rests[pile][-1]
            rest = x + gauss(0, 0.2), y + gauss(0, 0.2), angle + gauss(0, 0.2)
        elif chance < 0.2:
            rest = self.random.choice((-1, 1)) * self.random.uniform(15, 22), gauss(0, 10), gauss(0, 12)
        self.rests[pile].append(rest)
        return rest

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
        dx, dy, angle = self._rest(pile)
        lay = Lay(at_ns=touch, start_ns=start, player=player, place=place, pile=pile, card=card, hand=side.hand,
                  intent="drill", dx_mm=dx, dy_mm=dy, angle_deg=angle)  # fmt: skip
        self.actions.append(lay)
        self.landed[pile] = sorted([*self.landed[pile], lay], key=lambda one: one.at_ns)
        self._busy(player, touch)
        if onto is None and self.random.random() < 0.12:
            self._duel(OPPONENT[player], pile, touch)

    def _duel(self, player: Player, pile: Pile, touch: int) -> None:
        """The other player's card comes down on the same pile a moment later, if that hand is free."""
        self._lay_at(player, pile, touch + round(self.random.uniform(40, 120) * MS))

    def _rally(self, player: Player) -> None:
        """Both players throw in turn on one pile, so fast that it is never free of hands."""
        pile, touch = self.random.choice(PILES), self.sides[player].free_ns + self._travel()
        for _ in range(self.random.randint(3, 5)):
            self._lay_at(player, pile, touch)
            player, touch = OPPONENT[player], touch + round(self.random.uniform(190, 320) * MS)

    def _lay_at(self, player: Player, pile: Pile, touch: int) -> None:
        """A card comes down at a given moment, if there is one and the hand can be there."""
        side = self.sides[player]
        last = max((one.at_ns for one in self.actions if one.player == player), default=0)
        free = min(side.free_ns, max(last + _CYCLE_NS - 200 * MS, _FIRST_NS))
        if self._places(player) and free < touch - 180 * MS:
            side.free_ns = max(free, touch - self._travel())
            self._lay(player, pile, touch)

    def _spit(self, player: Player, pile: Pile) -> None:
        side = self.sides[player]
        touch = side.free_ns + round(self.random.uniform(300, 480) * MS)
        dx, dy, angle = self._rest(pile)
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
        """A hand passes over a pile, high or low, or rests on it for a while."""
        side = self.sides[player]
        middle = side.free_ns + self._travel()
        height_mm = self.random.choice((38.0, 38.0, 14.0, 4.0))
        longest = 500 if height_mm > 4 else 1500
        end = middle + round(self.random.uniform(170, longest) * MS)
        self.actions.append(Hover(at_ns=middle, start_ns=side.free_ns, player=player, pile=self.random.choice(PILES),
                                  hand=side.hand, end_ns=end, height_mm=height_mm))  # fmt: skip
        self._busy(player, end, (60, 400))

    def _knock(self, player: Player) -> None:
        gauss, at_ns = self.random.gauss, self.sides[player].free_ns + 250 * MS
        pile, dx, dy, turn = self.random.choice(PILES), gauss(0, 4), gauss(0, 4), gauss(0, 5)
        self.actions.append(Knock(at_ns=at_ns, start_ns=self.sides[player].free_ns, player=player, pile=pile,
                                  dx_mm=dx, dy_mm=dy, angle_deg=turn))  # fmt: skip
        self.rests[pile] = [(x + dx, y + dy, angle + turn) for x, y, angle in self.rests[pile]]
        self._busy(player, at_ns, (200, 500))

    def _square_up(self, player: Player) -> None:
        side, pile = self.sides[player], self.random.choice(PILES)
        at_ns = side.free_ns + 350 * MS
        self.actions.append(SquareUp(at_ns=at_ns, start_ns=side.free_ns, player=player, pile=pile, hand=side.hand))
        self.rests[pile] = [(0.0, 0.0, 0.0) for _ in self.rests[pile]]
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
            self.rests[pile] = self.rests[pile][:-1]
            side.row[last.place - 1].append(last.card)
            self._busy(player, at_ns)
            return
        self._lay(player)
