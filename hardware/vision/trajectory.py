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
REACHES_MS: Final = np.array([220.0, 280.0, 340.0, 400.0, 480.0])
"""A hand may be quicker or slower: only what fits none of these was thrown."""
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
    paths = least_jerk((touches[best] - t_ms[None]) / REACHES_MS[:, None])
    misfits = np.sqrt(((_fitted(paths, distance_mm) - distance_mm) ** 2).mean(axis=1))
    return Touched(float(touches[best]), float(misfits.min()))


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
    touches, rests = _slides(float(t[-2]))
    misfits = _misfits(t, d, touches, rests)
    best = int(misfits.argmin())
    return Touched(float(touches[best]), float(misfits[best])) if misfits[best] < np.inf else None


def _slides(earliest_ms: float) -> tuple[Series, Series]:
    """Return the moments of touching, from the earliest on, and of coming to rest that are tried."""
    rests = np.arange(0.0, LONGEST_SLIDE_MS, 2 * GRID_MS)
    touches = [np.arange(earliest_ms, rest, GRID_MS) for rest in rests]
    return np.concatenate(touches), np.repeat(rests, [len(some) for some in touches])


def _in_flight(t_ms: Series, distance_mm: Series) -> int:
    """Return how many of the distances, from the latest back, are after the card left the hand."""
    speeds = np.diff(distance_mm) / -np.diff(t_ms)
    if len(speeds) == 0:
        return len(t_ms)
    fastest = int(speeds.argmax())
    in_hand = np.flatnonzero(speeds[fastest:] < 0.7 * speeds[fastest])
    return 1 + (fastest + int(in_hand[0]) if len(in_hand) else len(speeds))


def _misfits(t: Series, d: Series, touches: Series, rests: Series) -> Series:
    """Return how far the distances are from flight until each touch and sliding until its rest; inf if that cannot be.

    Braking and speed of each are those of the least squares, from the two normal equations.
    """
    slide = (rests - touches)[:, None]
    slid = np.maximum(np.minimum(slide, rests[:, None] - t), 0.0) ** 2
    flown = np.maximum(touches[:, None] - t, 0.0)
    ss, sf, ff = (np.einsum("ij,ij->i", a, b) for a, b in ((slid, slid), (slid, flown), (flown, flown)))
    area, sd, fd = ss * ff - sf**2 + 1e-12, slid @ d, flown @ d
    brake, speed = (sd * ff - fd * sf) / area, (fd * ss - sd * sf) / area
    off = brake[:, None] * slid + speed[:, None] * flown - d
    can_be = (brake > 0) & (speed >= 3 * brake * slide[:, 0])
    return np.where(can_be, np.sqrt((off**2).mean(axis=1)), np.inf)
