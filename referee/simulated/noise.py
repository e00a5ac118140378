"""What camera and pads would report of a script: readings with calibrated odds, missed and late landings, hidden rows.

Every *reading* is wrong with the rate `misreads` and carries a calibrated probability. A lying card, on a pile or on
top of a row, is read again every half second, and at once after a hand has left; a repeat shares the first reading's
error with probability `shared_error`.
"""

import heapq
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import msgspec

from referee.cards import PACK, RANKS, SUITS, Card
from referee.observations import (
    AnyObservation,
    CardLanded,
    CardOdds,
    CardTakenBack,
    HandsSeen,
    Origin,
    PadReleased,
    PadSlapped,
    PileRead,
    PilesTaken,
    PlaceSeen,
    PlayerOdds,
    RowRead,
)
from referee.script import AnyAction, Deal, Gather, Knock, Lay, Move, Refill, Script, Slap, SpitDown, TakeBack, TurnUp
from referee.table import OPPONENT, PILES, PLAYERS, Pile, Player
from referee.units import MS

LIFT_SHARE = 0.55
"""Part of a movement after which the card has left its old place."""


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """How wrong the sensors are. Rates are per event or reading. The first two and the half seconds are those of the
    design; the others are what it asks of the eyes, or what they were seen to do."""

    misreads: float = 0.03
    shared_error: float = 0.3
    missed_landings: float = 0.002
    """Fewer than the design allows the eyes (F1 0.99, dense drills included): of plays by one hand each."""
    swapped_players: float = 0.005
    """The eyes are to name the player right in 99.5 %."""
    unknown_players: float = 0.02
    origins_seen: float = 0.5
    wrong_origins: float = 0.03
    hidden_places: float = 0.1
    """Places of a row under a hand or its shadow, at each look."""
    late_landings: float = 0.05
    """Landings under a lingering hand, reported up to 0.8 s after the touch."""
    report_ms: tuple[int, int] = (60, 160)
    """Two to five frames until a landing is read."""
    touch_jitter_ms: float = 8.0
    """Touch times are to be within a frame in 95 %."""
    pad_jitter_us: float = 15.0
    pad_uncertainty_us: float = 50.0
    shaken_pads: float = 0.05
    """Landings that a pad feels."""
    pile_read_ms: int = 500
    row_read_ms: int = 500


PERFECT = Noise(
    misreads=0, missed_landings=0, swapped_players=0, unknown_players=0, wrong_origins=0, hidden_places=0,
    late_landings=0, touch_jitter_ms=0, pad_jitter_us=0, shaken_pads=0, report_ms=(60, 60),
)  # fmt: skip
"""Sensors that see everything right, and a little later than it happened."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An observation in order of arrival, and the action of the script that it is about, if it is about one."""

    observation: AnyObservation
    about: AnyAction | None = None


@dataclass(slots=True, eq=False)
class _Spot:
    """A card lying somewhere and the first reading of it there."""

    card: Card
    up: bool = True
    first: CardOdds | None = None


@dataclass(slots=True)
class _Sensors:
    """The table as it lies, and everything that watches it."""

    noise: Noise
    random: random.Random
    rows: dict[Player, list[list[_Spot]]] = field(default_factory=lambda: {p: [[] for _ in range(5)] for p in PLAYERS})
    piles: dict[Pile, list[_Spot]] = field(default_factory=lambda: {"A": [], "B": []})
    queue: list[tuple[int, int, Callable[[int], None]]] = field(default_factory=list)
    arrivals: list[tuple[int, int, Seen]] = field(default_factory=list)
    hands: dict[Player, int] = field(default_factory=lambda: {"p1": 0, "p2": 0})
    last_landing: dict[Pile, tuple[int, int]] = field(default_factory=lambda: {"A": (0, 0), "B": (0, 0)})
    """Touch and report of the last landing on each pile: on one pile they are told in the order of touch."""
    count: int = 0

    def at(self, at_ns: int, do: Callable[[int], None]) -> None:
        heapq.heappush(self.queue, (at_ns, self.count, do))
        self.count += 1

    def report(self, arrival_ns: int, observation: AnyObservation, about: AnyAction | None = None) -> None:
        heapq.heappush(self.arrivals, (arrival_ns, self.count, Seen(observation, about)))
        self.count += 1

    def between(self, span_ms: tuple[int, int]) -> int:
        return round(self.random.uniform(*span_ms) * MS)

    def chance(self, rate: float) -> bool:
        return self.random.random() < rate

    # -- readings ---------------------------------------------------------------------------------------------------

    def read(self, card: Card) -> CardOdds:
        """A fresh, calibrated reading: mostly very sure, sometimes not, wrong with the rate `misreads` in all."""
        error = self.noise.misreads
        p = 1 - error / 6 if self.chance(0.8) else 1 - 4.33 * error
        if self.chance(p):
            best, second = card, self.mistaken_for(card)
        else:
            best = self.mistaken_for(card)
            second = card if self.chance(0.6) else self.mistaken_for(best)
        return {best: p, second: 0.6 * (1 - p)} if error and second != best else {best: p}

    def mistaken_for(self, card: Card) -> Card:
        rank, suit = card[:-1], card[-1]
        kind = self.random.random()
        if kind < 0.4:
            return Card(rank + self.random.choice([s for s in SUITS if s != suit]))
        if kind < 0.8:
            return Card(self.random.choice([r for r in RANKS if r != rank]) + suit)
        return self.random.choice([other for other in PACK if other != card])

    def read_lying(self, spot: _Spot) -> CardOdds:
        """A reading of a lying card; a repeat may share the first one's error."""
        fresh = self.read(spot.card)
        if spot.first is None:
            spot.first = fresh
        elif max(spot.first, key=spot.first.__getitem__) != spot.card and self.chance(self.noise.shared_error):
            return spot.first
        return fresh

    def who(self, player: Player) -> PlayerOdds:
        """Whose hand it seems to be, calibrated."""
        if self.chance(self.noise.unknown_players):
            return {}
        error = self.noise.swapped_players
        p = 1 - error / 10 if self.chance(0.9) else 1 - 9.1 * error
        seems = player if self.chance(p) else OPPONENT[player]
        return {seems: p, OPPONENT[seems]: 1 - p} if error else {seems: 1.0}

    def origins(self, action: Lay | SpitDown) -> tuple[Origin, ...]:
        if not self.chance(self.noise.origins_seen):
            return ()
        error = self.noise.wrong_origins
        player = action.owner or action.player if isinstance(action, Lay) else action.player
        place = action.place if isinstance(action, Lay) else None
        if self.chance(error):
            place = self.random.choice([n for n in (None, 1, 2, 3, 4, 5) if n != place])
        return (Origin(player=player, place=place, p=1 - error),)

    # -- regular looks ----------------------------------------------------------------------------------------------

    def look_at_pile(self, pile: Pile, at_ns: int) -> None:
        stack = self.piles[pile]
        if not stack:
            self.report(at_ns, PileRead(at_ns=at_ns, pile=pile, cards={}, empty=0.99))
        else:
            self.report(at_ns, PileRead(at_ns=at_ns, pile=pile, cards=self.read_lying(stack[-1])))

    def look_at_row(self, player: Player, at_ns: int) -> None:
        places = tuple(self.see_place(stock) for stock in self.rows[player])
        self.report(at_ns, RowRead(at_ns=at_ns, player=player, places=places))

    def see_place(self, stock: list[_Spot]) -> PlaceSeen:
        if self.chance(self.noise.hidden_places):
            return PlaceSeen()
        wrong = self.chance(self.noise.misreads / 10)
        if not stock:
            return PlaceSeen(face_down=0.98) if wrong else PlaceSeen(empty=0.98)
        if not stock[-1].up:
            return PlaceSeen(empty=0.98) if wrong else PlaceSeen(face_down=0.98)
        return PlaceSeen(cards=self.read_lying(stock[-1]))

    def keep_looking(self, end_ns: int) -> None:
        for pile in PILES:
            offset = self.between((0, self.noise.pile_read_ms))
            for at_ns in range(offset, end_ns, self.noise.pile_read_ms * MS):
                self.at(at_ns, partial(self.look_at_pile, pile))
        for player in PLAYERS:
            offset = self.between((0, self.noise.row_read_ms))
            for at_ns in range(offset, end_ns, self.noise.row_read_ms * MS):
                self.at(at_ns, partial(self.look_at_row, player))

    def look_after(self, pile: Pile | None, owner: Player, at_ns: int) -> None:
        """The pile and the row are read at once after the hand has left."""
        if pile is not None:
            self.at(at_ns + self.between((150, 300)), lambda now: self.look_at_pile(pile, now))
        self.at(at_ns + self.between((150, 300)), lambda now: self.look_at_row(owner, now))

    # -- what happens -----------------------------------------------------------------------------------------------

    def follow(self, action: AnyAction, after: AnyAction | None) -> None:
        """Put an action on the time line: when the card leaves, when it arrives, what is reported."""
        both = isinstance(action, Lay) and isinstance(after, Lay) and action.intent == after.intent == "two_cards"
        under = both and after is not None and action.at_ns == after.at_ns
        lift = action.start_ns + round((action.at_ns - action.start_ns) * LIFT_SHARE)
        if not isinstance(action, Deal | Knock):
            self.move_hand(action.player, action.start_ns, action.at_ns + 150 * MS)
        match action:
            case Deal():
                self.at(action.at_ns, lambda now: self.deal(action))
            case Lay():
                carried: list[_Spot] = []
                self.at(lift, lambda now: carried.append(self.pick_up(action.owner or action.player, action.place)))
                self.at(action.at_ns, lambda now: self.land(action, carried[0], now, under))
            case SpitDown():
                self.at(action.at_ns, lambda now: self.land(action, _Spot(action.card), now))
            case TakeBack():
                self.at(lift, lambda now: self.take_off(action, now))
                self.at(action.at_ns, lambda now: self.put_back(action, now))
            case TurnUp():
                self.at(action.at_ns, lambda now: self.turn(action, now))
            case Refill():
                self.at(action.at_ns, lambda now: self.fill(action, now))
            case Move():
                held: list[_Spot] = []
                self.at(lift, lambda now: held.append(self.pick_up(action.player, action.place)))
                self.at(action.at_ns, lambda now: self.set_down(action, held[0], now))
            case Slap():
                self.slap(action)
            case Gather():
                self.at(lift, lambda now: self.gather(action, now))
            case _:
                pass

    def move_hand(self, player: Player, start_ns: int, end_ns: int) -> None:
        def change(now: int, by: int) -> None:
            before = self.hands[player] > 0
            self.hands[player] += by
            if before != (self.hands[player] > 0):
                inside = tuple(p for p in PLAYERS if self.hands[p] > 0)
                self.report(now, HandsSeen(at_ns=now, players=inside))

        self.at(start_ns, lambda now: change(now, 1))
        self.at(end_ns, lambda now: change(now, -1))

    def deal(self, action: Deal) -> None:
        self.rows[action.player] = [
            [_Spot(card, up=n == len(stock) - 1) for n, card in enumerate(stock)] for stock in action.row
        ]

    def pick_up(self, owner: Player, place: int) -> _Spot:
        spot = self.rows[owner][place - 1].pop()
        return _Spot(spot.card)

    def land(self, action: Lay | SpitDown, spot: _Spot, now: int, under: bool = False) -> None:
        """A card comes down; of two in one movement the lower one is never seen."""
        pile, noise = action.pile, self.noise
        self.piles[pile].append(spot)
        self.shake(action, now)
        owner = (action.owner or action.player) if isinstance(action, Lay) else action.player
        self.look_after(pile, owner, now)
        if under or self.chance(noise.missed_landings):
            return
        two = isinstance(action, Lay) and action.intent == "two_cards"
        jitter = round(self.random.gauss(0, noise.touch_jitter_ms) * MS)
        half = round(2 * noise.touch_jitter_ms * MS)
        before_touch, before_report = self.last_landing[pile]
        touch = max(0, now + jitter, before_touch + MS)  # which card lies on which is seen, so the order is right
        spot.first = self.read(spot.card)
        landed = CardLanded(
            at_ns=touch, earliest_ns=touch - half, latest_ns=touch + half, pile=pile, cards=spot.first,
            players=self.who(action.player), origins=self.origins(action), together=2 if two else 1,
        )  # fmt: skip
        late = self.between((200, 800)) if self.chance(noise.late_landings) else self.between(noise.report_ms)
        arrival = max(now + late, before_report + MS)
        self.last_landing[pile] = (touch, arrival)
        self.report(arrival, landed, action)

    def shake(self, action: Lay | SpitDown, now: int) -> None:
        """A hard play that the pad of that pile feels."""
        if self.chance(self.noise.shaken_pads):
            hit = now + self.between((0, 40))
            self.report(hit, PadSlapped(at_ns=hit, player=action.player, pile=action.pile, uncertainty_ns=50_000))
            end = hit + 30 * MS
            self.report(end, PadReleased(at_ns=end, player=action.player, pile=action.pile, contact_ns=30 * MS))

    def take_off(self, action: TakeBack, now: int) -> None:
        stack = self.piles[action.pile]
        spot = next(spot for spot in reversed(stack) if spot.card == action.card)
        stack.remove(spot)
        taken = CardTakenBack(at_ns=now, pile=action.pile, cards=self.read(spot.card), players=self.who(action.player))
        self.report(now + self.between(self.noise.report_ms), taken, action)
        self.at(now + self.between((150, 300)), lambda at: self.look_at_pile(action.pile, at))

    def put_back(self, action: TakeBack, now: int) -> None:
        owner = action.owner or action.player
        if action.place:
            self.rows[owner][action.place - 1].append(_Spot(action.card))
        self.look_after(None, owner, now)

    def turn(self, action: TurnUp, now: int) -> None:
        self.rows[action.player][action.place - 1][-1] = _Spot(action.card)
        self.look_after(None, action.player, now)

    def fill(self, action: Refill, now: int) -> None:
        self.rows[action.player][action.place - 1].append(_Spot(action.card))
        self.look_after(None, action.player, now)

    def set_down(self, action: Move, spot: _Spot, now: int) -> None:
        self.rows[action.player][action.to_place - 1].append(spot)
        self.look_after(None, action.player, now)

    def slap(self, action: Slap) -> None:
        noise = self.noise
        touch = action.at_ns + round(self.random.gauss(0, noise.pad_jitter_us) * 1000)
        uncertainty = round(noise.pad_uncertainty_us * 1000)
        slapped = PadSlapped(at_ns=touch, player=action.player, pile=action.pile, uncertainty_ns=uncertainty)
        self.report(touch, slapped, action)
        released = PadReleased(
            at_ns=action.release_ns, player=action.player, pile=action.pile, contact_ns=action.release_ns - touch
        )
        self.report(action.release_ns, released, action)

    def gather(self, action: Gather, now: int) -> None:
        self.rows[action.player] = [[] for _ in range(5)]
        if action.pile is not None:
            self.piles[action.pile] = []
            self.report(now, PilesTaken(at_ns=now, pile=action.pile, players=self.who(action.player)), action)
        self.look_after(action.pile, action.player, now)


def observe(script: Script, noise: Noise, seed: int = 0) -> Iterator[Seen]:
    """Yield what the sensors report of `script`, in order of arrival."""
    sensors = _Sensors(noise, random.Random(seed))
    for action, after in zip(script.actions, (*script.actions[1:], None), strict=True):
        sensors.follow(action, after)
    sensors.keep_looking(script.end_ns)
    while sensors.queue:
        now, _, do = heapq.heappop(sensors.queue)
        while sensors.arrivals and sensors.arrivals[0][0] <= now:
            yield heapq.heappop(sensors.arrivals)[2]
        do(now)
    while sensors.arrivals:
        yield heapq.heappop(sensors.arrivals)[2]
