"""Cards as quadrilaterals in a whole picture: outlines that look like one card lying free, without any calibration."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image

Quad = NDArray[np.float64]
"""Four corners of a card, float64, shape (4, 2), clockwise in the picture, the first side a short one."""

_EDGE_LEVELS: Final = (12, 25, 50, 90)
_AREA_SHARE: Final = (0.002, 0.05)
_ASPECT: Final = (0.55, 0.9)


@dataclass(frozen=True, slots=True)
class _Outline:
    quad: Quad
    area: float


def card_quads(image: Image) -> list[Quad]:
    """Return one quadrilateral per card-like outline in the picture, sharp corners in pixels, in no order.

    The outline of a tidy stack counts as a card; a card that is partly covered does not show.
    """
    outlines = [o for mask in _masks(image) for o in _outlines(mask)]
    return [_agreed(group) for group in _grouped(outlines)]


def _masks(image: Image) -> Iterator[NDArray[Any]]:
    """Yield pictures in which a card is one white blob: between edges, or brighter than what is around it."""
    gray = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (0, 0), 1.2)
    for level in _EDGE_LEVELS:
        edges = cv2.dilate(cv2.Canny(gray, level, level * 2.5), np.ones((3, 3), np.uint8))
        yield cv2.dilate(255 - edges, np.ones((3, 3), np.uint8))
    for channel in (gray, cv2.GaussianBlur(np.ascontiguousarray(image[..., 2]), (0, 0), 1.2)):
        for block in (31, 81):
            yield cv2.adaptiveThreshold(channel, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, block, -6)
        otsu, binary = cv2.threshold(channel, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        yield binary
        yield cv2.threshold(channel, min(otsu + 30, 250), 255, cv2.THRESH_BINARY)[1]


def _outlines(mask: NDArray[Any]) -> Iterator[_Outline]:
    least, most = (share * mask.size for share in _AREA_SHARE)
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        if len(contour) < 40 or not least < cv2.contourArea(contour) < most:
            continue
        hull = cv2.convexHull(contour)
        area = cv2.contourArea(hull)
        _, sides, _ = cv2.minAreaRect(hull)
        if not _ASPECT[0] < min(sides) / max(sides) < _ASPECT[1]:
            continue
        if cv2.contourArea(contour) < 0.9 * area or area < 0.85 * sides[0] * sides[1]:
            continue
        corners = cv2.approxPolyDP(hull, 0.04 * cv2.arcLength(hull, True), True)
        if len(corners) == 4:
            yield _Outline(_sharp(contour.reshape(-1, 2), corners.reshape(4, 2).astype(np.float64)), area)


def _sharp(points: NDArray[Any], corners: Quad) -> Quad:
    """Return the corners where the straight parts of the sides would meet: a card's own corners are round."""
    lines = []
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = (b - a) / np.linalg.norm(b - a)
        offset = points - a
        share = offset @ along / np.linalg.norm(b - a)
        near = np.abs(offset @ np.array([-along[1], along[0]])) < 3.0
        side = points[near & (share > 0.15) & (share < 0.85)]
        if len(side) < 8:
            side = np.array([a, b])
        vx, vy, x, y = cv2.fitLine(side.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        lines.append((-vy, vx, vy * x - vx * y))
    meets = [np.cross(lines[i - 1], lines[i]) for i in range(4)]
    sharp = np.array([m[:2] / m[2] if abs(m[2]) > 1e-6 else c for m, c in zip(meets, corners, strict=True)])
    return sharp if np.abs(sharp - corners).max() < 12.0 else corners


def _grouped(outlines: list[_Outline]) -> list[list[Quad]]:
    """Return the outlines of each card together, without the frames printed on it and without what is no card."""
    places: list[list[_Outline]] = []
    for outline in sorted(outlines, key=lambda o: -o.area):
        centre, reach = outline.quad.mean(axis=0), 0.35 * np.sqrt(outline.area)
        near = [p for p in places if np.linalg.norm(p[0].quad.mean(axis=0) - centre) < reach]
        if near:
            near[0].append(outline)
        else:
            places.append([outline])
    kept = [_largest_agreeing(place) for place in places]
    kept = [group for group in kept if group]
    if not kept:
        return []
    typical = _typical_area([group[0].area for group in kept])
    kept = [group for group in kept if 0.7 < group[0].area / typical < 1.45]
    return [[_short_side_first(outline.quad) for outline in group] for group in kept]


def _largest_agreeing(place: list[_Outline]) -> list[_Outline]:
    """Return the outlines of nearly the same size that at least two ways of looking found: the largest such size."""
    for outline in place:
        alike = [o for o in place if abs(np.log(o.area / outline.area)) < 0.08]
        if len(alike) >= 2:
            return alike
    return []


def _typical_area(areas: list[float]) -> float:
    """Return the area around which most outlines lie, within 15 %."""
    sizes = np.log(np.array(areas))
    votes = [(np.abs(sizes - s) < 0.15).sum() for s in sizes]
    return float(np.exp(sizes[int(np.argmax(votes))]))


def _short_side_first(quad: Quad) -> Quad:
    """Return the corners clockwise in the picture, first side short and at the top."""
    centre = quad.mean(axis=0)
    angles = np.arctan2(quad[:, 1] - centre[1], quad[:, 0] - centre[0])
    ordered = quad[np.argsort(angles)]
    if np.linalg.norm(ordered[1] - ordered[0]) > np.linalg.norm(ordered[2] - ordered[1]):
        ordered = np.roll(ordered, -1, axis=0)
    if ordered[:2, 1].mean() > ordered[2:, 1].mean():
        ordered = np.roll(ordered, 2, axis=0)
    return ordered


def _agreed(group: list[Quad]) -> Quad:
    return np.asarray(np.median(np.array(group), axis=0))
