"""How far does a moving card smear? Measured on a card that a person carries to and fro, in the pictures themselves.

While the shutter is open the card goes on, so that along the movement its paper fades into the table in a ramp,
whatever way its edge lies: the transparency of a moving thing's border is its motion blur (Jia, Single image motion
deblurring using transparency, CVPR 2007). The length of that ramp over the card's speed is how long
the shutter was open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.checks.report import Answer, fail, ok, skip, warn
from hardware.frames import Frame, Image

Vector = NDArray[np.float64]

PLAY_MM_S: Final = 1000.0
"""A hand that plays is about so fast: a metre a second."""
SHORT_MS, LONG_MS = 12.0, 22.0
"""One half wave of the lamps (10 ms at 50 Hz, 8.3 at 60) is good; two still show half of a card's print in flight."""
LEAST_FRAMES: Final = 6
ENOUGH_FRAMES: Final = 24
LEAST_STEP: Final = 32
"""Paper that is brighter than the table under it by fewer levels of 255 tells no ramp."""
LEAST_AREA: Final = 0.002
"""Of the picture: a smaller bright thing is no card."""
LEAST_WAY_PX: Final = 8.0
"""A card that moves less from picture to picture tells nothing."""
ALIKE: Final = 0.8
"""Correlation of the card in two pictures, from which on it is the same card, moved."""
STEADY: Final = 0.4
"""A speed that changes by a larger share from picture to picture belongs to a hand that turns round."""
ACROSS: Final = 0.85
"""Cosine between the movement and the edge's normal, at least."""
LEAST_RAMPS, MOST_RAMPS = 8, 80
DISTURBED: Final = 1.5
"""So many times the lower quartile: a ramp that crosses a corner or print beside the border only seems longer."""
HIGH, LOW = 0.8, 0.2
SMOOTHED_PX: Final = 0.7
"""Blur that is added against noise, a standard deviation."""
LENS_RISE: Final = 1.683
"""From `LOW` to `HIGH` a sharp edge takes so many standard deviations of the lens's blur."""


@dataclass(frozen=True, slots=True)
class Smear:
    """What the pictures of a moving card tell."""

    exposure_ns: int
    """How long the shutter is open, the median over the pictures."""
    speed_px_s: float
    """How fast the card was in the fastest tenth of them."""
    frames: int

    @property
    def blur_px(self) -> float:
        """How far the card smeared at that speed."""
        return self.speed_px_s * self.exposure_ns / 1e9


@dataclass(frozen=True, slots=True)
class _Sight:
    """A card seen in one picture: `over` is how much brighter than the table each pixel is, `share` how much of it is
    paper; both of the whole picture. `corner` and `size` (x, y) bound the card."""

    at_ns: int
    over: NDArray[np.uint8]
    share: NDArray[np.float32]
    corner: NDArray[np.int64]
    size: NDArray[np.int64]


class Movement:
    """Looks at pictures one after the other, while somebody moves a card over a table that was filmed at rest."""

    def __init__(self, resting: Sequence[Image], lens_px: float = 1.0) -> None:
        """`resting`: pictures of the table before; `lens_px`: standard deviation of the lens's own blur."""
        table = np.asarray(np.median(np.stack(resting[:: max(1, len(resting) // 9)]), axis=0), np.uint8)
        pixels = np.arange(table.shape[0] * table.shape[1]).reshape(table.shape[:2])
        self._darkest = 3 * pixels + cv2.blur(table, (15, 15)).argmin(axis=2)
        """White paper stands out most in the colour in which the table is darkest there, and a hand least."""
        self._table = table.ravel()[self._darkest]
        self._lens_px = lens_px
        self._seen: list[_Sight] = []
        self._exposures_ns: list[float] = []
        self._speeds: list[float] = []

    @property
    def is_enough(self) -> bool:
        """Whether more pictures would tell nothing new."""
        return len(self._exposures_ns) >= ENOUGH_FRAMES

    def see(self, frame: Frame) -> None:
        """Take the next picture in."""
        sight = self._sight(frame)
        self._seen = [*self._seen[-2:], sight] if sight is not None else []
        if len(self._seen) == 3:
            self._measure(*self._seen)

    def smear(self) -> Smear | None:
        """Return what was seen; None where too few pictures show a card on its way."""
        if len(self._exposures_ns) < LEAST_FRAMES:
            return None
        exposure_ns, speed = np.median(self._exposures_ns), np.quantile(self._speeds, 0.9)
        return Smear(round(float(exposure_ns)), float(speed), len(self._exposures_ns))

    def _sight(self, frame: Frame) -> _Sight | None:
        """Find the largest thing that is brighter than the table was; None where there is none."""
        if frame.image.shape[:2] != self._table.shape:
            return None
        gray = np.take(frame.image.ravel(), self._darkest)
        over = np.asarray(cv2.subtract(gray, self._table), np.uint8)
        strong = np.asarray(over > LEAST_STEP, np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(strong, connectivity=4)
        if count < 2:
            return None
        largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
        x, y, width, height, area = (int(v) for v in stats[largest])
        if area < LEAST_AREA * strong.size:
            return None
        paper = float(np.quantile(gray[labels == largest], 0.8))
        rise = np.maximum(paper - self._table.astype(np.float32), LEAST_STEP)
        share = np.asarray((gray.astype(np.float32) - self._table) / rise, np.float32)
        return _Sight(frame.at_ns, over, share, np.array([x, y]), np.array([width, height]))

    def _measure(self, before: _Sight, now: _Sight, after: _Sight) -> None:
        come, gone = _moved(before, now), _moved(now, after)
        if come is None or gone is None:
            return
        first, second = come / (now.at_ns - before.at_ns), gone / (after.at_ns - now.at_ns)
        velocity = (first + second) / 2
        speed = float(np.linalg.norm(velocity))
        if (
            np.linalg.norm(first - second) > STEADY * speed
            or min(np.linalg.norm(come), np.linalg.norm(gone)) < LEAST_WAY_PX
        ):
            return
        way_px = speed * max(now.at_ns - before.at_ns, after.at_ns - now.at_ns)
        rises = _rises(now, velocity / speed, reach_px=0.5 * way_px + 6.0)
        if len(rises) >= LEAST_RAMPS:
            clean = [rise for rise in rises if rise <= DISTURBED * np.quantile(rises, 0.25)]
            rise = float(np.median(clean))
            ramp_px = np.sqrt(max(0.0, rise**2 - LENS_RISE**2 * (self._lens_px**2 + SMOOTHED_PX**2))) / (HIGH - LOW)
            self._exposures_ns.append(ramp_px / speed)
            self._speeds.append(speed * 1e9)


def _moved(sight: _Sight, later: _Sight) -> Vector | None:
    """Return how far the card moved between two pictures, in pixels; None where it is not found again."""
    if later.at_ns <= sight.at_ns:
        return None
    height, width = sight.share.shape
    low = np.maximum(np.minimum(sight.corner, later.corner) - 8, 0)
    high = np.minimum(np.maximum(sight.corner + sight.size, later.corner + later.size) + 8, (width, height))
    patch, place = _part(sight.over, sight.corner, sight.corner + sight.size), _part(later.over, low, high)
    found = cv2.matchTemplate(place, patch, cv2.TM_CCOEFF_NORMED)
    _, best, _, (x, y) = cv2.minMaxLoc(found)
    if best < ALIKE:
        return None
    peak = np.array([x + _summit(found[y], x), y + _summit(found[:, x], y)])
    return np.asarray(low + peak - sight.corner, np.float64)


def _part(over: NDArray[np.uint8], low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.uint8]:
    return over[low[1] : high[1], low[0] : high[0]]


def _summit(line: NDArray[Any], at: int) -> float:
    """Return by how much the summit of a line of values lies beside its highest value (a parabola through three)."""
    if not 0 < at < len(line) - 1:
        return 0.0
    left, middle, right = (float(v) for v in line[at - 1 : at + 2])
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0 else 0.5 * (left - right) / bend


def _rises(sight: _Sight, way: Vector, reach_px: float) -> list[float]:
    """Return in how many pixels along the movement the paper's share falls from `HIGH` to `LOW`, at many places."""
    grown = max(4, int(reach_px))
    low = np.maximum(sight.corner - grown, 0)
    high = np.minimum(sight.corner + sight.size + grown, sight.share.shape[::-1])
    share = cv2.GaussianBlur(sight.share[low[1] : high[1], low[0] : high[0]], (5, 5), SMOOTHED_PX)
    contours, _ = cv2.findContours(np.asarray(share > 0.5, np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(contours, key=cv2.contourArea, default=np.zeros((0, 1, 2), np.int32))[:, 0].astype(np.float64)
    if len(outline) < 40:
        return []
    along = np.roll(outline, -5, axis=0) - np.roll(outline, 5, axis=0)
    normal = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.maximum(np.linalg.norm(along, axis=1), 1e-6)[:, None]
    facing = normal @ way  # the sign tells the leading edge from the trailing one, whichever way the outline runs
    steps = np.arange(-reach_px, reach_px + 0.25, 0.25)
    places = np.flatnonzero(np.abs(facing) > ACROSS)
    places = places[:: max(1, len(places) // MOST_RAMPS)]
    rises = []
    for point, sign in zip(outline[places], np.sign(facing[places]), strict=True):
        line = (point + sign * steps[:, None] * way).astype(np.float32)
        profile = cv2.remap(share, line[None, :, 0], line[None, :, 1], cv2.INTER_LINEAR, borderValue=(-1.0,)).ravel()
        rise = _fall(profile)
        if rise is not None:
            rises.append(rise * 0.25)
    return rises


def _fall(profile: NDArray[Any]) -> int | None:
    """Return how many samples a profile takes from paper down to the table; None where it is no clean ramp."""
    if profile[0] < profile[-1]:
        profile = profile[::-1]
    sixth = len(profile) // 6
    paper, table = float(np.median(profile[:sixth])), float(np.median(profile[-sixth:]))
    if not (0.75 < paper < 1.3 and -0.3 < table < 0.15):
        return None
    middle = len(profile) // 2
    step = paper - table
    above = np.flatnonzero(profile[:middle] >= table + HIGH * step)
    below = np.flatnonzero(profile[middle:] <= table + LOW * step)
    return int(middle + below[0] - above[-1]) if len(above) and len(below) else None


def smear_answer(smear: Smear | None, px_per_mm: float | None) -> Answer:
    """Does a card stay readable on its way? `px_per_mm`: the picture's scale, None where it is not known."""
    if smear is None:
        return skip("told by a card that is moved to and fro, at ten pictures a second or more; do this step again")
    exposure_ms = smear.exposure_ns / 1e6
    in_play_mm = PLAY_MM_S * exposure_ms / 1e3
    says = (
        f"the shutter is open for {exposure_ms:.0f} ms, so that a card in play (1 m/s) smears over {in_play_mm:.0f} mm"
    )
    if px_per_mm is not None:
        blur_mm, speed = smear.blur_px / px_per_mm, smear.speed_px_s / px_per_mm / 1e3
        says = f"yours smeared over {blur_mm:.0f} mm at {speed:.1f} m/s: {says}"
    cure = "put a brighter lamp over the table and start the referee again: the camera then exposes for a shorter time"
    if exposure_ms > LONG_MS:
        return fail(says, cure)
    return ok(says) if exposure_ms <= SHORT_MS else warn(says, cure)
