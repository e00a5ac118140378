"""How late the camera's stamps are against the pads': a light of the table blinks, and the camera looks on.

Pads and lights go by the same clock, so a light that is switched on says when something really happened. It blinks at
irregular moments; the pictures show it half lit, or just not yet, and from many of them the delay comes out finer than
the time between two pictures. What is measured holds for landings too: a touch is stamped so much later than a slap.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic_ns
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.port import Camera, Clock
from hardware.frames import Frame
from hardware.signals import Output, Outputs
from referee.errors import DeviceError
from referee.units import MS

SHRINK: Final = 4
"""Pictures are looked at in this scale: a light is some pixels wide, and there are many pictures."""
COARSE_MS: Final = np.arange(-60.0, 300.0, 8.0)
FINE_MS: Final = np.arange(-24.0, 24.0, 0.5)
EXPOSURES_MS: Final = (1.0, 5.0, 10.0, 20.0, 33.0)
LEAST_SHARE: Final = 0.6
"""Of a light's ups and downs, what the blinking must explain; chance reaches half of it."""
LEAST_STEP: Final = 6.0
"""Grey levels by which a light that is seen brightens at least."""
RESAMPLED: Final = 200
LASTS_S: Final = (0.11, 0.26)
"""How long a light stays as it is: out of step with any camera."""
UNSEEN: Final = "put a light where the camera sees it (a corner of the picture will do) and measure again"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Look:
    """A picture in small and grey, with its stamp."""

    at_ns: int
    grey: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Switched:
    """The light went on or off."""

    at_ns: int
    lit: bool


@dataclass(frozen=True, slots=True)
class Offset:
    """The camera stamps a moment so much later than the pads do (earlier, if negative), with its 95 % uncertainty."""

    behind_ns: int
    uncertainty_ns: int
    at_px: tuple[int, int]
    """Where in the picture the light was seen."""
    looks: int


def look_at(frame: Frame) -> Look:
    """Return what is kept of a picture."""
    grey = cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, None, fx=1 / SHRINK, fy=1 / SHRINK, interpolation=cv2.INTER_AREA)
    return Look(frame.at_ns, np.asarray(small, np.uint8))


def offset_of(looks: Sequence[Look], switched: Sequence[Switched]) -> Offset:
    """Return the offset from pictures of a light and the moments at which it was switched.

    Raises:
        DeviceError: no light blinks in the picture as it was switched.
    """
    if len(looks) < 30 or len(switched) < 10:
        raise DeviceError(
            f"the camera gave {len(looks)} pictures of {len(switched)} switchings, too few; measure again"
        )
    begin_ns = looks[0].at_ns
    at_ms = np.array([(look.at_ns - begin_ns) / MS for look in looks])
    light = _Light(switched, begin_ns)
    pixels = np.stack([look.grey.ravel() for look in looks]).astype(np.float32)
    where, coarse_ms = _find(pixels, at_ms, light)
    width = looks[0].grey.shape[1]
    level = _around(looks, divmod(where, width))
    behind_ms, errors = _fit(level, at_ms, light, coarse_ms)
    x, y = where % width * SHRINK + SHRINK // 2, where // width * SHRINK + SHRINK // 2
    return Offset(round(behind_ms * MS), round(_uncertainty_ms(errors) * MS), (x, y), len(looks))


def film_blinking(camera: Camera, outputs: Outputs, seconds: float, clock: Clock = monotonic_ns) -> Offset:
    """Blink both lights in front of an opened camera for some seconds; return the offset, or raise DeviceError."""
    blinker = Blinker(outputs, clock)
    blinker.start()
    try:
        end_ns = clock() + round(seconds * 1e9)
        looks = []
        while clock() < end_ns:
            looks.append(look_at(camera.read()))
    finally:
        switched = blinker.stop()
    return offset_of(looks, switched)


class Blinker(Thread):
    """Switches both lights at irregular moments and remembers them."""

    def __init__(self, outputs: Outputs, clock: Clock = monotonic_ns) -> None:
        super().__init__(name="blinking", daemon=True)
        self._outputs, self._clock = outputs, clock
        self._switched = [Switched(clock(), False)]
        self._stopping = Event()
        self._failed: DeviceError | None = None

    def run(self) -> None:
        chance = random.Random(0)
        lit = False
        try:
            while not self._stopping.wait(chance.uniform(*LASTS_S)):
                lit = not lit
                before_ns = self._clock()
                self._outputs.show(Output(p1=lit, p2=lit))
                self._switched.append(Switched((before_ns + self._clock()) // 2, lit))
        except DeviceError as error:
            self._failed = error

    def stop(self) -> list[Switched]:
        """End it and return when the lights were switched; raises DeviceError if they did not answer."""
        self._stopping.set()
        self.join()
        if self._failed is not None:
            raise self._failed
        return self._switched


class _Light:
    """How long the light had burnt in all at a moment: a line with bends."""

    def __init__(self, switched: Sequence[Switched], begin_ns: int) -> None:
        self._at_ms = np.array([(one.at_ns - begin_ns) / MS for one in switched])
        lit = np.array([one.lit for one in switched])
        burnt = np.concatenate([[0.0], np.cumsum(np.diff(self._at_ms) * lit[:-1])])
        self._burnt = burnt

    def share(self, at_ms: Floats, exposure_ms: float) -> Floats:
        """Return which share of an exposure around each moment it was lit."""
        ends = [np.interp(at_ms + side * exposure_ms / 2, self._at_ms, self._burnt) for side in (1, -1)]
        return np.asarray((ends[0] - ends[1]) / exposure_ms, np.float64)


def _find(pixels: NDArray[np.float32], at_ms: Floats, light: _Light) -> tuple[int, float]:
    """Return the pixel that blinks most like the light, and about how late."""
    centred = pixels - pixels.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0)) + 1e-6
    best = (0.0, 0, 0.0)
    for behind_ms in COARSE_MS:
        share = light.share(at_ms - behind_ms, 10.0)
        share = share - share.mean()
        norm = float(np.sqrt((share**2).sum())) + 1e-9
        together = share.astype(np.float32) @ centred / norm
        likeness = np.where(together / norm >= LEAST_STEP, together / spread, 0.0)
        where = int(likeness.argmax())
        if likeness[where] > best[0]:
            best = (float(likeness[where]), where, float(behind_ms))
    if best[0] ** 2 < LEAST_SHARE:
        raise DeviceError(f"no light blinks in the picture as it is switched; {UNSEEN}")
    return best[1], best[2]


def _around(looks: Sequence[Look], at: tuple[int, int]) -> Floats:
    """Return the brightness of the light's pixel and its neighbours in each look."""
    row, column = at
    rows, columns = slice(max(0, row - 1), row + 2), slice(max(0, column - 1), column + 2)
    return np.array([look.grey[rows, columns].mean() for look in looks])


def _fit(level: Floats, at_ms: Floats, light: _Light, coarse_ms: float) -> tuple[float, dict[float, Floats]]:
    """Return the delay that explains the brightness best, and for delays around it each look's squared error."""
    best: tuple[float, float, float] | None = None
    for exposure_ms in EXPOSURES_MS:
        for behind_ms in coarse_ms + FINE_MS:
            error = float(_errors(level, light.share(at_ms - behind_ms, exposure_ms)).sum())
            if best is None or error < best[0]:
                best = (error, float(behind_ms), exposure_ms)
    assert best is not None
    _, behind_ms, exposure_ms = best
    near = behind_ms + FINE_MS
    return behind_ms, {float(ms): _errors(level, light.share(at_ms - ms, exposure_ms)) for ms in near}


def _errors(level: Floats, share: Floats) -> Floats:
    """Return each look's squared distance from the straight line between brightness and share of light."""
    design = np.stack([np.ones_like(share), share], axis=1)
    solution = np.linalg.lstsq(design, level, rcond=None)[0]
    return np.asarray((level - design @ solution) ** 2, np.float64)


def _uncertainty_ms(errors: dict[float, Floats]) -> float:
    """Return how far the best delay moves when other looks had been taken: twice the spread over resamplings."""
    delays, table = np.array(list(errors)), np.stack(list(errors.values()))
    chance = np.random.default_rng(0)
    picks = chance.integers(0, table.shape[1], (RESAMPLED, table.shape[1]))
    moved = np.array([delays[table[:, pick].sum(axis=1).argmin()] for pick in picks])
    return max(1.0, 2 * float(moved.std()))
