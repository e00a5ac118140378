"""Outlines in a photograph that may be cards lying free: a second way to find what the index finder misses (jokers,
indices under glare). What it proposes is only believed if the whole-card reader is sure.
"""

from collections.abc import Iterator
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.cardquads import Quad, alike, area, is_card_like

_SEARCH_PX: Final = 640
"""Long side at which outlines are looked for."""
_SHARE: Final = (0.004, 0.97)
"""Area of a card as a share of the picture."""
_ASPECT: Final = (0.33, 0.98)
"""Short side over long side: 0.7 seen from above, less or more aslant."""
_MOST: Final = 40


def free_outlines(image: Image) -> list[Quad]:
    """Quadrilaterals that may be whole cards, corners clockwise in px from the start of a short side, largest first.

    Their order from the top or the bottom is not known; read both ways up.
    """
    shrink = max(1.0, max(image.shape[:2]) / _SEARCH_PX)
    small = np.asarray(cv2.resize(image, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA), np.uint8)
    kept: list[Quad] = []
    for quad in sorted((q for mask in _masks(small) for q in _quads(mask)), key=area, reverse=True):
        if len(kept) < _MOST and all(alike(quad, other) < 0.8 for other in kept):
            kept.append(quad)
    return [(quad + 0.5) * shrink - 0.5 for quad in kept]


def _masks(image: Image) -> Iterator[NDArray[np.uint8]]:
    """Yield pictures in which a card is one white blob: between edges, brighter than around, other than the ground."""
    padded = cv2.copyMakeBorder(image, 4, 4, 4, 4, cv2.BORDER_REPLICATE)
    smooth = cv2.GaussianBlur(padded, (0, 0), 1.0)
    gray = cv2.cvtColor(smooth, cv2.COLOR_BGR2GRAY)
    softer = cv2.GaussianBlur(gray, (0, 0), 1.6)
    for picture, level in ((softer, 7), (gray, 15), (gray, 35), (gray, 80)):
        edges = cv2.dilate(cv2.Canny(picture, level, level * 2.5), np.ones((3, 3), np.uint8))
        yield np.asarray(cv2.dilate(_framed(255 - edges), np.ones((3, 3), np.uint8)), np.uint8)
    for channel in (gray, cv2.cvtColor(smooth, cv2.COLOR_BGR2HSV)[..., 1]):
        _, bright = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        yield _framed(bright)
        yield _framed(255 - bright)
    yield _framed(cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 101, -8))


def _framed(mask: NDArray[Any]) -> NDArray[np.uint8]:
    """Cut off the added margin and close blobs at the picture's edge."""
    inner = np.array(mask[4:-4, 4:-4], np.uint8)
    inner[[0, -1]] = 0
    inner[:, [0, -1]] = 0
    return inner


def _quads(mask: NDArray[np.uint8]) -> Iterator[Quad]:
    least, most = _SHARE[0] * mask.size, _SHARE[1] * mask.size
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        if len(contour) < 40:
            continue
        hull = cv2.convexHull(contour)
        held = cv2.contourArea(hull)
        if not least < held < most or cv2.contourArea(contour) < 0.85 * held:
            continue
        corners = cv2.approxPolyDP(hull, 0.04 * cv2.arcLength(hull, True), True)
        if len(corners) != 4:
            continue
        quad = _sharp(hull.reshape(-1, 2).astype(np.float64), corners.reshape(4, 2).astype(np.float64))
        sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
        short, long = sorted((sides[0] + sides[2], sides[1] + sides[3]))
        if _ASPECT[0] < short / long < _ASPECT[1]:
            quad = quad if sides[0] + sides[2] < sides[1] + sides[3] else np.roll(quad, -1, axis=0)
            if is_card_like(quad):
                yield quad


def _sharp(points: NDArray[np.float64], corners: Quad) -> Quad:
    """The corners where the sides would meet, clockwise: a card's own corners are round."""
    if cv2.contourArea(corners.astype(np.float32), oriented=True) < 0:
        corners = corners[::-1]
    lines = []
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = (b - a) / np.linalg.norm(b - a)
        offset = points - a
        share = offset @ along / np.linalg.norm(b - a)
        near = (np.abs(offset @ np.array([-along[1], along[0]])) < 2.5) & (share > 0.08) & (share < 0.92)
        side = points[near] if near.sum() >= 2 else np.array([a, b])
        vx, vy, x, y = cv2.fitLine(side.astype(np.float32), cv2.DIST_L2, 0, 0.01, 0.01).ravel()
        lines.append((-vy, vx, vy * x - vx * y))
    meets = [np.cross(lines[n - 1], lines[n]) for n in range(4)]
    sharp = np.array([m[:2] / m[2] if abs(m[2]) > 1e-6 else c for m, c in zip(meets, corners, strict=True)])
    return sharp if np.abs(sharp - corners).max() < 15 else corners
