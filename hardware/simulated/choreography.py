"""Turns a script (what two players do) into movements: which card lies where when, what flies, where the hands are."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from hardware.simulated.look import Look
from hardware.simulated.motion import SWING, Flight, HandPath, Key, Lying, forward, grip, thrown
from hardware.tablefile import PAD_CENTRES_MM, PILE_X_MM, ROW_PITCH_MM, ROW_Y_MM, SPIT_CENTRES_MM
from referee.cards import Card
from referee.script import (
    AnyAction,
    Deal,
    Gather,
    Hover,
    Knock,
    Lay,
    Move,
    Script,
    Slap,
    SpitDown,
    SquareUp,
    TakeBack,
    TurnUp,
)
from referee.table import PILES, Hand, Player
from referee.units import MS

Spot = str
"""Where cards lie: `A`, `B`, `p1.1` to `p1.5`, `p1.spit`, and the same for p2."""

CARD_THICK_MM: Final = 0.3
_SLIDES_MS: Final = (50, 100)
"""How long a thrown card slides after it touched."""
_ALONE_NS: Final = 250 * MS
"""A card is thrown only if none follows on its pile so soon."""
_STAYS_NS: Final = 70 * MS
"""How long the fingers stay on a card that they laid down."""


@dataclass(frozen=True, slots=True)
class Change:
    """From `at_ns` on these cards lie at a spot, bottom to top."""

    at_ns: int
    spot: Spot
    cards: tuple[Lying, ...]


def spot_mm(spot: Spot) -> tuple[float, float]:
    """Return the middle of a spot on the mat."""
    for pile in PILES:
        if spot == pile:
            return PILE_X_MM[pile], 0.0
    player: Player = "p1" if spot[:2] == "p1" else "p2"
    if spot[3:] == "spit":
        return SPIT_CENTRES_MM[player]
    return (int(spot[3:]) - 3) * ROW_PITCH_MM * forward(player), ROW_Y_MM[player]


@dataclass(slots=True)
class Choreography:
    """The whole script as movements. Read `changes` (in order of time), `flights` and `hands`."""

    script: Script
    look: Look
    changes: list[Change] = field(default_factory=list)
    flights: list[Flight] = field(default_factory=list)
    hands: dict[tuple[Player, Hand], HandPath] = field(default_factory=dict)
    _steps: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _stacks: dict[Spot, tuple[Lying, ...]] = field(default_factory=dict)
    _random: random.Random = field(default_factory=random.Random)
    _slides: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        self._random.seed(f"{self.look.seed} {self.script.seed}")
        self._slides.seed(f"slides {self.look.seed} {self.script.seed}")
        for player in ("p1", "p2"):
            for hand in ("L", "R"):
                self.hands[player, hand] = HandPath(player, hand)
        for action in sorted(self.script.actions, key=lambda a: (a.start_ns, a.at_ns)):
            self._plan(action)
        for _, _, step in sorted(self._steps, key=lambda step: step[:2]):
            step()
        for path in self.hands.values():
            path.finish()
        self.flights.sort(key=lambda flight: flight.begin_ns)

    # -- one movement each ------------------------------------------------------------------------------------------

    def _plan(self, action: AnyAction) -> None:
        match action:
            case Deal():
                self._deal(action)
            case Lay():
                owner = action.owner or action.player
                source = f"{owner}.{action.place}"
                self._carry(action, action.hand, source, action.pile, action.card, self._rest(action))
            case SpitDown():
                self._carry(action, action.hand, f"{action.player}.spit", action.pile, None, self._rest(action))
            case TakeBack():
                owner = action.owner or action.player
                home = f"{owner}.{action.place or 'spit'}"
                rest = replace(self._tidy(owner, home, action.card), up=action.place > 0)
                self._carry(action, action.hand, action.pile, home, action.card, rest)
            case Move():
                target = f"{action.player}.{action.to_place}"
                rest = self._tidy(action.player, target, action.card)
                self._carry(action, action.hand, f"{action.player}.{action.place}", target, action.card, rest)
            case TurnUp():
                self._turn_up(action)
            case Slap():
                x, y = PAD_CENTRES_MM[action.player, action.pile]
                self._hand(action.player, action.hand).do(
                    [Key(action.start_ns, x, y - 60 * forward(action.player), 30.0, "flat"),
                     Key(action.at_ns, x, y, 1.0, "flat", 25.0), Key(action.release_ns, x, y, 1.0, "flat", 0.0)]
                )  # fmt: skip
            case Hover():
                self._hover(action)
            case Knock():
                self._knock(action)
            case SquareUp():
                self._square_up(action)
            case Gather():
                self._gather(action)

    def _hand(self, player: Player, hand: Hand) -> HandPath:
        return self.hands[player, hand]

    def _rest(self, action: Lay | SpitDown) -> Lying:
        """Return where a card comes to rest on a pile; p2's cards lie the way p2 sees them."""
        x, y = spot_mm(action.pile)
        turned = 0.0 if action.player == "p1" else 180.0
        return Lying(action.card, True, x + action.dx_mm, y + action.dy_mm, turned + action.angle_deg)

    def _tidy(self, player: Player, spot: Spot, card: Card) -> Lying:
        """Return where a player puts a card of the own row."""
        gauss, untidy = self._random.gauss, self.look.untidy
        x, y = spot_mm(spot)
        turned = 0.0 if player == "p1" else 180.0
        dx, dy, angle = (gauss(0, spread) * untidy for spread in (2.0, 2.0, 2.2))
        return Lying(card, True, x + dx, y + dy, turned + angle)

    def _carry(self, action: AnyAction, hand: Hand, source: Spot, target: Spot, card: Card | None, rest: Lying) -> None:
        """A hand takes a card (None: the topmost) from one spot and lays it on another."""
        lift, touch = action.start_ns + (action.at_ns - action.start_ns) // 8, action.at_ns
        taken: list[Flight] = []
        slide = self._slide(action) if self._random.random() < self.look.tossed else 0

        def lift_it() -> None:
            stack = self._stacks.get(source, ())
            index = max((n for n, lying in enumerate(stack) if card in (None, lying.card)), default=None)
            if index is None:
                return
            lying = stack[index]
            onto = replace(rest, z_mm=len(self._stacks.get(target, ())) * CARD_THICK_MM)
            target_lying = replace(onto, card=lying.card)
            taken.append(Flight(lift, touch + slide, (lying,), target_lying, action.player, hand, slide_ns=slide))
            self._set(lift, source, stack[:index] + stack[index + 1 :])

        def lay_it() -> None:
            if taken:
                stack = self._stacks.get(target, ())
                self._set(touch + slide, target, (*stack, replace(taken[0].target, z_mm=len(stack) * CARD_THICK_MM)))
                self.flights.append(taken[0])

        self._at(lift, lift_it)
        self._at(touch + slide, lay_it)
        self._carrying_hand(action.player, hand, source, rest, (lift, touch, touch + slide))

    def _slide(self, action: AnyAction) -> int:
        """Return how long a thrown card slides: only on a pile, and not when another comes down on it so soon."""
        if not isinstance(action, Lay | SpitDown):
            return 0
        soon = range(action.at_ns - _ALONE_NS, action.at_ns + _ALONE_NS)
        others = (one for one in self.script.actions if isinstance(one, Lay | SpitDown) and one is not action)
        if any(one.pile == action.pile and one.at_ns in soon for one in others):
            return 0
        return round(self._slides.uniform(*_SLIDES_MS) * MS)

    def _carrying_hand(
        self, player: Player, hand: Hand, source: Spot, rest: Lying, moments_ns: tuple[int, int, int]
    ) -> None:
        """A hand goes with its card, or stops where it lets go of it; `moments_ns`: the card's lift, touch and rest."""
        lift, touch, still = moments_ns
        from_x, from_y = grip(player, hand, *spot_mm(source))
        to_x, to_y = grip(player, hand, rest.x_mm, rest.y_mm)
        if still > touch:
            sliding = (still - touch) / (still - lift)
            release = SWING * (1.0 - sliding)
            share = thrown(release, sliding)
            to_x, to_y = from_x + share * (to_x - from_x), from_y + share * (to_y - from_y)
            touch = lift + round(release * (still - lift))
        self._hand(player, hand).do(
            [Key(lift - 60 * MS, from_x, from_y), Key(lift, from_x, from_y, arc_mm=0.0),
             Key(touch, to_x, to_y, arc_mm=22.0), Key(touch + _STAYS_NS, to_x, to_y, arc_mm=0.0)]
        )  # fmt: skip

    def _turn_up(self, action: TurnUp) -> None:
        spot = f"{action.player}.{action.place}"
        lift = action.start_ns + (action.at_ns - action.start_ns) // 4
        taken: list[Flight] = []

        def lift_it() -> None:
            stack = self._stacks.get(spot, ())
            if stack:
                turned = replace(stack[-1], up=True)
                span, flip = (lift, action.at_ns), (0.1, 0.9)
                taken.append(Flight(*span, stack[-1:], turned, action.player, action.hand, 30.0, flip))
                self._set(lift, spot, stack[:-1])

        def lay_it() -> None:
            if taken:
                self._set(action.at_ns, spot, (*self._stacks.get(spot, ()), replace(taken[0].target, card=action.card)))
                self.flights.append(taken[0])

        self._at(lift, lift_it)
        self._at(action.at_ns, lay_it)
        x, y = grip(action.player, action.hand, *spot_mm(spot), 30.0)
        keys = [Key(lift, x, y), Key(action.at_ns, x, y, arc_mm=24.0), Key(action.at_ns + 40 * MS, x, y, arc_mm=0.0)]
        self._hand(action.player, action.hand).do(keys)

    def _hover(self, action: Hover) -> None:
        x, y = grip(action.player, action.hand, *spot_mm(action.pile))
        high, low = action.height_mm, max(action.height_mm - 4.0, 3.0)
        keys = [Key(action.at_ns, x, y, high), Key(max(action.at_ns + 1, action.end_ns - 150 * MS), x + 6, y, low)]
        self._hand(action.player, action.hand).do(keys, optional=True)

    def _knock(self, action: Knock) -> None:
        def moved(lying: Lying, left: int) -> Lying:
            return replace(lying, x_mm=lying.x_mm + action.dx_mm / 4, y_mm=lying.y_mm + action.dy_mm / 4,
                           angle_deg=lying.angle_deg + action.angle_deg / 4)  # fmt: skip

        self._push(action, moved)
        x, y = grip(action.player, "R", *spot_mm(action.pile), 30.0)
        pushed = Key(action.at_ns, x + action.dx_mm, y + action.dy_mm, 4.0, arc_mm=0.0)
        self._hand(action.player, "R").do([Key(action.at_ns - 80 * MS, x, y, 6.0), pushed], optional=True)

    def _square_up(self, action: SquareUp) -> None:
        x, y = spot_mm(action.pile)

        def moved(lying: Lying, left: int) -> Lying:
            askew = (lying.angle_deg + 90) % 180 - 90
            return replace(lying, x_mm=lying.x_mm + (x - lying.x_mm) / left, y_mm=lying.y_mm + (y - lying.y_mm) / left,
                           angle_deg=lying.angle_deg - askew / left)  # fmt: skip

        self._push(action, moved)
        at_x, at_y = grip(action.player, action.hand, x, y, 34.0)
        keys = [Key(action.at_ns - 160 * MS, at_x, at_y, 6.0), Key(action.at_ns + 120 * MS, at_x, at_y, arc_mm=0.0)]
        self._hand(action.player, action.hand).do(keys, optional=True)

    def _push(self, action: Knock | SquareUp, moved: Callable[[Lying, int], Lying]) -> None:
        """A pile's cards move in four steps: `moved` returns where a card lies next, with so many steps left."""

        def push(at_ns: int, left: int) -> Callable[[], None]:
            return lambda: self._set(
                at_ns, action.pile, tuple(moved(lying, left) for lying in self._stacks.get(action.pile, ()))
            )

        for left in (4, 3, 2, 1):
            moment = action.at_ns - (left - 1) * 25 * MS
            self._at(moment, push(moment, left))

    # -- dealing and gathering --------------------------------------------------------------------------------------

    def _deal(self, action: Deal) -> None:
        """The packets appear under the hand that puts them down, one place after the other, the spit cards last."""
        packets: list[tuple[Spot, tuple[Card, ...], bool]] = [
            (f"{action.player}.{n}", cards, True) for n, cards in enumerate(action.row, 1) if cards
        ]
        packets.append((f"{action.player}.spit", action.spit[::-1], False))
        keys = []
        for n, (spot, cards, top_up) in enumerate(packets, 1):
            moment = action.start_ns + (action.at_ns - action.start_ns) * n // len(packets)
            packet = self._packet(action.player, spot, cards, top_up)
            self._at(moment, partial(self._set, moment, spot, packet))
            x, y = grip(action.player, "R", *spot_mm(spot), 5.0)
            keys += [Key(moment - 90 * MS, x, y, 6.0), Key(moment + 30 * MS, x, y, 4.0, arc_mm=0.0)]
        if action.at_ns - action.start_ns > 1000 * MS:
            self._hand(action.player, "R").do(keys)

    def _packet(self, player: Player, spot: Spot, cards: tuple[Card, ...], top_up: bool) -> tuple[Lying, ...]:
        gauss, base = self._random.gauss, self._tidy(player, spot, Card(""))
        return tuple(
            replace(base, card=card, up=top_up and n == len(cards) - 1, x_mm=base.x_mm + gauss(0, 0.8),
                    y_mm=base.y_mm + gauss(0, 0.8), angle_deg=base.angle_deg + gauss(0, 0.9), z_mm=n * CARD_THICK_MM)
            for n, card in enumerate(cards)
        )  # fmt: skip

    def _gather(self, action: Gather) -> None:
        """The hand draws the pile to its owner, then sweeps the own row and the spit cards off the table."""
        player, span = action.player, action.at_ns - action.start_ns
        own: list[Spot] = [*(f"{player}.{n}" for n in range(1, 6)), f"{player}.spit"]
        spots: list[Spot] = ([action.pile] if action.pile else []) + own
        keys = []
        for n, spot in enumerate(spots, 1):
            moment = action.start_ns + span * n // (len(spots) + 1)
            self._at(moment, partial(self._sweep, action, moment, spot))
            x, y = grip(player, "R", *spot_mm(spot), 8.0)
            keys.append(Key(moment, x, y, 6.0, "flat", 8.0))
        self._hand(player, "R").do(keys)

    def _sweep(self, action: Gather, at_ns: int, spot: Spot) -> None:
        stack = self._stacks.get(spot, ())
        if not stack:
            return
        self._set(at_ns, spot, ())
        away = replace(stack[-1], x_mm=spot_mm(spot)[0] * 0.7, y_mm=-380.0 * forward(action.player), z_mm=10.0)
        self.flights.append(Flight(at_ns, at_ns + 420 * MS, stack[-3:], away, action.player, "R", 12.0))

    # -- bookkeeping ------------------------------------------------------------------------------------------------

    def _at(self, at_ns: int, step: Callable[[], None]) -> None:
        self._steps.append((at_ns, len(self._steps), step))

    def _set(self, at_ns: int, spot: Spot, cards: tuple[Lying, ...]) -> None:
        self._stacks[spot] = cards
        self.changes.append(Change(at_ns, spot, cards))
