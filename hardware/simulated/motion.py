"""How cards and hands get from one place to another: smooth, human movements over the table, in millimetres."""

from bisect import bisect_right
from dataclasses import dataclass, field
from math import atan2, cos, degrees, hypot, pi, sin
from typing import Final

from referee.cards import Card
from referee.table import Hand, Player
from referee.units import MS

REACH_MM: Final = 18.0
"""The fingertips lie this far on the owner's side of the middle of a card that they hold."""

SWING: Final = 0.6
"""Share of the way through the air in which a throwing hand still holds its card."""

HOME_NEAR_MM: Final = 212.0
HOME_FAR_MM: Final = 330.0
"""Where idle hands rest, in mm from the middle of the table: beside the row, or off the table."""


def smooth(share: float) -> float:
    """Return how far a hand has got after a share of its time: it starts and stops gently (minimum jerk)."""
    s = min(1.0, max(0.0, share))
    return s * s * s * (10 - 15 * s + 6 * s * s)


def thrown(share: float, sliding: float) -> float:
    """Return how far a thrown card has got: the hand speeds it up, it flies, and slides to rest.

    `share`: of the whole time; `sliding`: the part of it after the touch.
    """
    t, touch = min(1.0, max(0.0, share)), 1.0 - sliding
    release = SWING * touch
    speed = 1.0 / (release / 2 + (touch - release) + sliding / 2)
    if t < release:
        return speed * t * t / release / 2
    left = 1.0 - t
    return 1.0 - speed * (left * left / sliding / 2 if t > touch else sliding / 2 + touch - t)


@dataclass(frozen=True, slots=True)
class Lying:
    """A card on the table. `angle_deg`: its own top, counter-clockwise from the table's y axis; `up`: face up."""

    card: Card
    up: bool
    x_mm: float
    y_mm: float
    angle_deg: float
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Flight:
    """Cards on their way, bottom to top, all moved alike; the last is the one that is seen."""

    begin_ns: int
    end_ns: int
    cards: tuple[Lying, ...]
    target: Lying
    """Where the last card comes to rest, and which side is up then."""
    player: Player
    hand: Hand
    arc_mm: float = 22.0
    flip: tuple[float, float] = (0.35, 0.85)
    """Between which shares of the time a card that changes sides is turned over."""
    slide_ns: int = 0
    """A thrown card slides so long on the table before it lies still; it touches when the slide begins."""

    def at(self, at_ns: int) -> tuple[Lying, float]:
        """Return where the last card is, and how far it is tipped over its long axis in degrees (0 flat)."""
        time = (at_ns - self.begin_ns) / max(1, self.end_ns - self.begin_ns)
        sliding = self.slide_ns / max(1, self.end_ns - self.begin_ns)
        s = thrown(time, sliding) if sliding else smooth(time)
        a, b = self.cards[-1], self.target
        turn = (b.angle_deg - a.angle_deg + 180) % 360 - 180
        tip, up = 0.0, a.up
        if a.up != b.up:
            turned = smooth((time - self.flip[0]) / (self.flip[1] - self.flip[0]))
            tip, up = (180 * turned, a.up) if turned < 0.5 else (180 * turned - 180, b.up)
        in_air = min(1.0, time / (1 - sliding)) if sliding else s
        z = a.z_mm + (b.z_mm - a.z_mm) * in_air + self.arc_mm * sin(pi * in_air)
        x, y = a.x_mm + (b.x_mm - a.x_mm) * s, a.y_mm + (b.y_mm - a.y_mm) * s
        return Lying(a.card, up, x, y, a.angle_deg + turn * s, z), tip


@dataclass(frozen=True, slots=True)
class Key:
    """A moment of a hand: its fingertips' place; `arc_mm`: how high it was lifted on its way here."""

    at_ns: int
    x_mm: float
    y_mm: float
    z_mm: float = 4.0
    pose: str = "pinch"
    arc_mm: float = 18.0


@dataclass(frozen=True, slots=True)
class HandAt:
    """A hand at a moment: fingertips in mm, the direction they point to (counter-clockwise from the y axis)."""

    player: Player
    hand: Hand
    x_mm: float
    y_mm: float
    z_mm: float
    angle_deg: float
    pose: str


def forward(player: Player) -> int:
    """Return +1 for p1, whose hands point to +y, and -1 for p2."""
    return 1 if player == "p1" else -1


def shoulder(player: Player, hand: Hand) -> tuple[float, float]:
    """Return where an arm comes from."""
    side = forward(player) * (1 if hand == "R" else -1)
    return 150.0 * side, -640.0 * forward(player)


def pointing(player: Player, hand: Hand, x: float, y: float) -> tuple[float, float]:
    """Return the unit vector in which the fingers point when they are at (x, y)."""
    from_x, from_y = shoulder(player, hand)
    length = hypot(x - from_x, y - from_y)
    return (x - from_x) / length, (y - from_y) / length


def grip(player: Player, hand: Hand, x: float, y: float, reach_mm: float = REACH_MM) -> tuple[float, float]:
    """Return where the fingertips are when the hand holds a card whose middle is at (x, y)."""
    dx, dy = pointing(player, hand, x, y)
    return x - reach_mm * dx, y - reach_mm * dy


@dataclass(slots=True)
class HandPath:
    """All that one hand does, as moments in order of time."""

    player: Player
    hand: Hand
    keys: list[Key] = field(default_factory=list)
    _times: list[int] = field(default_factory=list)

    def do(self, keys: list[Key], optional: bool = False) -> None:
        """Add a movement. It cuts off what the hand still had to do then; an optional one gives way instead."""
        begin = keys[0].at_ns
        if optional and self.keys and self.keys[-1].at_ns > begin:
            return
        while self.keys and self.keys[-1].at_ns >= begin:
            self.keys.pop()
        if self.keys:
            self._rest_between(self.keys[-1], keys[0])
        else:
            self.keys.append(self._home(begin - 350 * MS, HOME_FAR_MM))
        self.keys += [key for n, key in enumerate(keys) if n == 0 or key.at_ns > keys[n - 1].at_ns]

    def finish(self) -> None:
        """The hand goes home after its last movement."""
        if self.keys:
            self.keys.append(self._home(self.keys[-1].at_ns + 450 * MS, HOME_FAR_MM))
        self._times = [key.at_ns for key in self.keys]

    def _rest_between(self, last: Key, following: Key) -> None:
        gap = following.at_ns - last.at_ns
        if gap > 600 * MS:
            away = HOME_NEAR_MM if gap < 2200 * MS else HOME_FAR_MM
            leave = min(400 * MS, gap // 2 - 50 * MS)
            self.keys.append(self._home(last.at_ns + leave, away))
            self.keys.append(self._home(following.at_ns - min(320 * MS, gap // 2 - 50 * MS), away))

    def _home(self, at_ns: int, away_mm: float) -> Key:
        side = shoulder(self.player, self.hand)[0] * 0.6
        return Key(at_ns, side, -away_mm * forward(self.player), z_mm=12.0)

    def at(self, at_ns: int) -> HandAt | None:
        """Return where the hand is; None while it is off the table."""
        if not self._times or not self._times[0] <= at_ns <= self._times[-1]:
            return None
        n = bisect_right(self._times, at_ns)
        a, b = self.keys[n - 1], self.keys[min(n, len(self.keys) - 1)]
        s = smooth((at_ns - a.at_ns) / max(1, b.at_ns - a.at_ns))
        sway = 1.2 * sin(at_ns / 2.3e8 + len(self._times)), 1.0 * cos(at_ns / 3.1e8)
        x = a.x_mm + (b.x_mm - a.x_mm) * s + sway[0]
        y = a.y_mm + (b.y_mm - a.y_mm) * s + sway[1]
        z = a.z_mm + (b.z_mm - a.z_mm) * s + b.arc_mm * sin(pi * s)
        if abs(y) > HOME_FAR_MM - 12 and y * forward(self.player) < 0:
            return None
        dx, dy = pointing(self.player, self.hand, x, y)
        pose = a.pose if s < 0.5 else b.pose
        return HandAt(self.player, self.hand, x, y, z, degrees(atan2(-dx, dy)), pose)
