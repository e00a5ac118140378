"""From a card's last few distances to its rest: when did it touch?

A hand that lays a card down brakes smoothly: reaching hands move with least jerk (Flash and Hogan 1985), so that near
the end the distance left shrinks with the cube of the time left. A card that is thrown flies at one speed, touches,
and slides to rest ever slower.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Series = NDArray[np.float64]

NEAREST: Final = 3
"""Distances that decide when a laid card touched: further away its height above the table falsifies them."""
REACH_MS: Final = 400.0
"""How long a hand carries a card from its row to a pile, about."""
LONGEST_BRAKING_MS: Final = 90.0
GRID_MS: Final = 4.0
LONGEST_SLIDE_MS: Final = 80.0
"""A card comes to rest at most so long after the first frame in which it seems to lie still."""


class Touched(NamedTuple):
    """`at_ms`: the touch; `misfit_mm`: how far the distances are from the movement that was assumed."""

    at_ms: float
    misfit_mm: float


def laid(t_ms: Series, distance_mm: Series) -> Touched | None:
    """Return when a card in a braking hand came to rest; None if the distances do not shrink.

    `t_ms`, `distance_mm`: moments and distances to rest, the latest first, none of them zero.
    """
    if len(t_ms) < 2 or distance_mm[1] <= distance_mm[0]:
        return None
    touches = t_ms[0] + np.arange(1.0, LONGEST_BRAKING_MS)
    left = least_jerk((touches[:, None] - t_ms[None]) / REACH_MS)
    near = slice(0, NEAREST)
    off = np.abs(_fitted(left[:, near], distance_mm[near]) - distance_mm[near]) / (distance_mm[near] + 1.0)
    best = int((off**2).sum(axis=1).argmin())
    misfit = _fitted(left, distance_mm)[best] - distance_mm
    return Touched(float(touches[best]), float(np.sqrt((misfit**2).mean())))


def least_jerk(share_left: Series) -> Series:
    """Return the share of the way that is left when this share of the time is left."""
    u = np.clip(share_left, 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u**2))


def _fitted(left: Series, distance_mm: Series) -> Series:
    """Return for each row the multiple of it that is closest to the distances."""
    scale = (left * distance_mm).sum(axis=1) / ((left**2).sum(axis=1) + 1e-12)
    return np.asarray(scale[:, None] * left)


def thrown(t_ms: Series, distance_mm: Series) -> Touched | None:
    """Return when a card that flew and slid touched; None if it did not move like that. Arguments as for `laid`."""
    flight = _in_flight(t_ms, distance_mm)
    t, d = t_ms[:flight], distance_mm[:flight]
    if len(t) < 4:
        return None
    best: Touched | None = None
    for rest in np.arange(0.0, LONGEST_SLIDE_MS, 2 * GRID_MS):
        for touch in np.arange(t[-2], rest, GRID_MS):
            misfit = _misfit(t, d, float(touch), float(rest))
            if misfit is not None and (best is None or misfit < best.misfit_mm):
                best = Touched(float(touch), misfit)
    return best


def _in_flight(t_ms: Series, distance_mm: Series) -> int:
    """Return how many of the distances, from the latest back, are after the card left the hand."""
    speeds = np.diff(distance_mm) / -np.diff(t_ms)
    if len(speeds) == 0:
        return len(t_ms)
    fastest = int(speeds.argmax())
    in_hand = np.flatnonzero(speeds[fastest:] < 0.7 * speeds[fastest])
    return 1 + (fastest + int(in_hand[0]) if len(in_hand) else len(speeds))


def _misfit(t: Series, d: Series, touch: float, rest: float) -> float | None:
    """Return how far the distances are from flight until `touch` and sliding until `rest`; None if that cannot be."""
    slid = np.maximum(np.minimum(rest - touch, rest - t), 0.0) ** 2
    design = np.stack([slid, np.maximum(touch - t, 0.0)], axis=1)
    (brake, speed), *_ = np.linalg.lstsq(design, d, rcond=None)
    if brake <= 0 or speed < 3 * brake * (rest - touch):
        return None
    return float(np.sqrt(((design @ (brake, speed) - d) ** 2).mean()))
