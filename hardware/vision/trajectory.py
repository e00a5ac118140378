"""From a card's last few distances to its rest: when did it touch?

A hand that lays a card down brakes smoothly: reaching hands move with least jerk (Flash and Hogan 1985), so that near
the end the distance left shrinks with the cube of the time left. A card that is thrown flies at one speed, touches,
and slides to rest ever slower. Every such movement that a player may make is weighed with how well it fits.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Series = NDArray[np.float64]

GRID_MS: Final = 4.0
BEFORE_MS: Final = 160.0
"""A card touches at most so long before the first frame in which it seems to lie still: a thrown one slides."""
AFTER_MS: Final = 60.0
REACHES_MS: Final = np.array([170.0, 200.0, 235.0, 275.0, 320.0, 375.0, 440.0, 520.0])
"""How long a hand carries a card from its row to a pile."""
REACHES_MM: Final = (90.0, 330.0)
"""How far it carries it."""
SLIDES_MS: Final = np.array([45.0, 60.0, 75.0, 90.0, 110.0])
"""How long a thrown card slides."""
SLOWED: Final = np.array([1.0, 0.55, 0.25])
"""The share of its speed that a thrown card keeps when it touches."""
SPEEDS_MM_PER_MS: Final = (0.25, 1.5)
"""How fast a card is thrown."""
NEAR_OFF_MM: Final = 0.5
FAR_OFF: Final = 0.04
"""A measured distance is off by so much, and by this share of it: height above the table and turning falsify it."""
MOST_OFF: Final = 12.0
"""Squares of more deviations than this count as so many: a single frame may be misled."""
UNLIKELY: Final = 0.08
"""A way to bring a card, by hand or thrown, that is less likely than this is left out of the bounds."""
TAIL: Final = 0.02
AWAY_MM: Final = 1.0
"""A card that is not seen in its place is at least so far from it,"""
HIDDEN: Final = 0.05
"""or hidden there with these odds."""

COVERS_MS: Final = 70.0
COVERS_SPREAD: Final = 0.6
"""A card covers what lies there so long before it touches, about, and by so much in logarithms more or less."""
HARDLY: Final = 0.003


class Dated(NamedTuple):
    """`at_ms`: the touch; it lies between the two others in nearly all cases; `thrown`: odds that no hand laid it."""

    at_ms: float
    earliest_ms: float
    latest_ms: float
    thrown: float


def dated(t_ms: Series, distance_mm: Series, moving_ms: float, away_ms: float, thrown_odds: float) -> Dated:
    """Return when a card touched.

    `t_ms`, `distance_mm`: moments and distances to rest, in any order; `moving_ms`: when it was last not seen in its
    place; `away_ms`: when what it covers was last seen there; `thrown_odds`: how likely it was thrown before its way
    is looked at.
    """
    t = np.append(t_ms, moving_ms)
    touches = np.arange(min(-BEFORE_MS, away_ms - GRID_MS), AFTER_MS, GRID_MS)
    weights = np.stack([_laid(t, distance_mm, touches), _thrown(t, distance_mm, touches)])
    if len(t_ms) < 2:
        weights *= _after_covering(touches - away_ms)
    weights *= np.array([[1 - thrown_odds], [thrown_odds]])
    weights /= weights.sum() + 1e-300
    odds = weights.sum(axis=1)
    weights[odds < UNLIKELY] = 0.0
    both = np.cumsum(weights.sum(axis=0))
    low, mid, high = (float(np.interp(share * both[-1], both, touches)) for share in (TAIL, 0.5, 1 - TAIL))
    return Dated(mid, low - GRID_MS, high + GRID_MS, float(odds[1]))


def _after_covering(since_ms: Series) -> Series:
    """Return how likely a card touches so long after the last frame in which what it covers still showed."""
    since = np.maximum(since_ms, 1.0)
    return np.asarray(np.exp(-0.5 * (np.log(since / COVERS_MS) / COVERS_SPREAD) ** 2) + HARDLY)


def _fit(ways: Series, d: Series, least: float, most: float) -> Series:
    """Return how likely distances are if they are a multiple of each way, between `least` and `most`.

    The last of each way is for the moment when the card was not in its place.
    """
    way, away = ways[..., :-1], ways[..., -1]
    precise = 1.0 / (NEAR_OFF_MM + FAR_OFF * np.maximum(d, 0.0)) ** 2
    scale = (way @ (precise * d) / (way**2 @ precise + 1e-9)).clip(least, most)
    squares = precise * (scale[..., None] * way - d) ** 2
    likely = np.exp(-0.5 * np.minimum(squares, MOST_OFF).sum(axis=-1))
    return np.asarray(likely * np.where(scale * away > AWAY_MM, 1.0, HIDDEN))


def _laid(t: Series, d: Series, touches: Series) -> Series:
    """Return for each touch how well it goes with a braking hand."""
    ways = least_jerk((touches[:, None, None] - t) / REACHES_MS[:, None])
    return np.asarray(_fit(ways, d, *REACHES_MM).mean(axis=1))


def least_jerk(share_left: Series) -> Series:
    """Return the share of the way that is left when this share of the time is left."""
    u = np.clip(share_left, 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u**2))


def _thrown(t: Series, d: Series, touches: Series) -> Series:
    """Return for each touch how well it goes with flight and sliding."""
    left = touches[:, None] - t
    flown = np.maximum(left, 0.0)[:, None, None]
    slides = SLIDES_MS[:, None]
    slid = np.clip(left[:, None] + slides, 0.0, slides) ** 2 / (2 * slides)
    ways = flown + SLOWED[:, None] * slid[:, :, None]
    return np.asarray(_fit(ways, d, *SPEEDS_MM_PER_MS).mean(axis=(1, 2)))
