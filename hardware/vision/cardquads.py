"""Cards as quadrilaterals: overlap, places inside a card, fitting the outline to the edges of the picture."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image

Quad = NDArray[np.float64]
"""Four corners in px, float64 (4, 2): top left, top right, bottom right, bottom left."""

Point = NDArray[np.float64]

_SAMPLES: Final = 24
"""Places along each side where its edge is looked for."""
_REACHES: Final = (0.09, 0.04)
"""How far from a side its edge is looked for, in rounds, as shares of the card's length."""


def overlap(a: Quad, b: Quad) -> float:
    """Area that two convex quads share, in px²."""
    return float(cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))[0])


def area(quad: Quad) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def alike(a: Quad, b: Quad) -> float:
    """Shared area over joint area, 0 to 1."""
    shared = overlap(a, b)
    return shared / max(area(a) + area(b) - shared, 1e-9)


def slenderness(quad: Quad) -> float:
    """Mean of the short sides over mean of the long sides."""
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    short, long = sorted((float(sides[0] + sides[2]), float(sides[1] + sides[3])))
    return short / max(long, 1e-9)


def is_card_like(quad: Quad) -> bool:
    """Convex, clockwise as seen, and no side absurdly longer than the others."""
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    if sides.min() < 6 or sides.max() > 3.2 * sides.min():
        return False
    ahead = np.roll(quad, -1, axis=0) - quad
    turns = ahead[:, 0] * np.roll(ahead, -1, axis=0)[:, 1] - ahead[:, 1] * np.roll(ahead, -1, axis=0)[:, 0]
    return bool((turns > 0).all())


def place_on(quad: Quad, point: Point) -> Point:
    """Where on the card a point of the picture lies: (0, 0) top left, (1, 1) bottom right."""
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    warp = cv2.getPerspectiveTransform(quad.astype(np.float32), unit)
    return np.asarray(cv2.perspectiveTransform(point.reshape(1, 1, 2), warp), np.float64).reshape(2)


def fitted(image: Image, quad: Quad) -> Quad:
    """The quad with each side moved to the strongest straight edge near it; unchanged where no such edge is."""
    for reach in _REACHES:
        quad = _fitted_within(image, quad, reach)
    return quad


def _fitted_within(image: Image, quad: Quad, share: float) -> Quad:
    long_px = float(np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).max())
    reach = max(3.0, share * long_px)
    x0, y0 = np.floor(np.maximum(quad.min(axis=0) - 2 * reach, 0)).astype(int)
    x1, y1 = np.ceil(quad.max(axis=0) + 2 * reach + 1).astype(int)
    part = image[y0:y1, x0:x1]
    if min(part.shape[:2]) < 8:
        return quad
    shrink = max(1.0, long_px / 200)
    small = cv2.resize(part, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA).astype(np.float32)
    local = (quad - (x0, y0) + 0.5) / shrink - 0.5
    lines = [_side_line(small, a, b, reach / shrink) for a, b in zip(local, np.roll(local, -1, axis=0), strict=True)]
    meets = [np.cross(lines[n - 1], lines[n]) for n in range(4)]
    if any(abs(m[2]) < 1e-9 for m in meets):
        return quad
    moved = (np.array([m[:2] / m[2] for m in meets]) + 0.5) * shrink - 0.5 + (x0, y0)
    return moved if np.abs(moved - quad).max() < 2.2 * reach and is_card_like(moved) else quad


def _side_line(image: NDArray[np.float32], a: Point, b: Point, reach: float) -> Point:
    """The line (homogeneous) through the edge nearest to the side from a to b, by votes of profiles across it."""
    given = np.array([*a, 1.0]), np.array([*b, 1.0])
    along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    out = np.array([along[1], -along[0]])
    shares = np.linspace(0.1, 0.9, _SAMPLES)
    offsets = np.arange(-reach, reach + 0.25, 0.5)
    at = a + (b - a) * shares[:, None]
    places = at[:, None] + out * offsets[None, :, None]
    across, down = (np.ascontiguousarray(places[..., n], np.float32) for n in (0, 1))
    profile = cv2.remap(image, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    step = np.abs(np.diff(cv2.GaussianBlur(profile, (5, 1), 1.0), axis=1)).sum(axis=2)
    middles = (offsets[1:] + offsets[:-1]) / 2
    votes = step / (step.sum(axis=1, keepdims=True) + 8.0) * np.exp(-0.5 * (middles / (0.6 * reach)) ** 2)
    best = _straightest(votes, middles, shares)
    if best is None:
        return np.asarray(np.cross(*given))
    ends = [point + out * (best[0] + best[1] * (share - 0.5)) for point, share in ((a, 0.0), (b, 1.0))]
    return np.asarray(np.cross(np.array([*ends[0], 1.0]), np.array([*ends[1], 1.0])))


def _straightest(votes: Point, middles: Point, shares: Point) -> tuple[float, float] | None:
    """Shift and slant of the straight edge with most votes, or None where the votes are too few."""
    span = float(middles[-1] - middles[0])
    slants = np.linspace(-0.45, 0.45, 13) * span
    places = middles[None, :, None] + slants[:, None, None] * (shares - 0.5)
    at = np.rint((places - middles[0]) / (middles[1] - middles[0])).astype(int).clip(0, len(middles) - 1)
    total = votes[np.arange(len(shares)), at].sum(axis=2)
    slant, shift = np.unravel_index(int(np.argmax(total)), total.shape)
    if total[slant, shift] < 0.05 * len(shares):
        return None
    return float(middles[shift]), float(slants[slant])
