"""The four suits as polygons, and a canvas that draws in millimetres."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

BGR = tuple[int, ...]
Polygon = NDArray[np.float64]
"""Corners: float64, shape (N, 2)."""

_SUBPIXEL_BITS = 4


def _bezier(*controls: tuple[float, float]) -> Polygon:
    """Return 24 points of the cubic curve with the four control points."""
    t = np.linspace(0, 1, 24)[:, None]
    a, b, c, d = np.array(controls)
    points: Polygon = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    return points


def _heart() -> Polygon:
    lobe = _bezier((0.0, -0.25), (0.06, -0.6), (0.5, -0.6), (0.5, -0.18))
    side = _bezier((0.5, -0.18), (0.5, 0.12), (0.14, 0.24), (0.0, 0.5))
    right = np.concatenate([lobe, side])
    return np.concatenate([right, right[::-1] * (-1, 1)])


def _stem(top: float) -> Polygon:
    right = _bezier((0.03, top), (0.04, 0.3), (0.1, 0.45), (0.22, 0.5))
    return np.concatenate([right, right[::-1] * (-1, 1)])


def circle(x: float, y: float, radius: float) -> Polygon:
    """Return 40 points of a circle."""
    turn = np.linspace(0, 2 * np.pi, 40)
    return np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], axis=1)


@lru_cache(maxsize=4)
def suit_polygons(suit: str) -> tuple[Polygon, ...]:
    """Return the sign of a suit, one high, its middle at the origin, y downwards."""
    if suit == "H":
        return (_heart(),)
    if suit == "D":
        right = _bezier((0.0, -0.5), (0.1, -0.28), (0.24, -0.1), (0.4, 0.0))
        quarter = np.concatenate([right, right[::-1] * (1, -1)])
        return (np.concatenate([quarter, quarter[::-1] * (-1, 1)]),)
    if suit == "S":
        return (_heart() * (1, -0.86) + (0, -0.07), _stem(0.0))
    leaves = (circle(0, -0.26, 0.23), circle(-0.26, 0.08, 0.23), circle(0.26, 0.08, 0.23))
    return (*leaves, circle(0, 0, 0.12), _stem(-0.05))


@dataclass(frozen=True, slots=True)
class Canvas:
    """A picture that is drawn on in millimetres from its top left corner, y downwards."""

    picture: NDArray[np.uint8]
    px_per_mm: int

    def turned(self) -> Self:
        """Return the same paper turned half way round."""
        return type(self)(np.ascontiguousarray(self.picture[::-1, ::-1]), self.px_per_mm)

    def polygons(self, shapes: Iterable[Polygon], centre_mm: tuple[float, float], size_mm: float, ink: BGR) -> None:
        """Fill shapes given in units of `size_mm` around `centre_mm`."""
        for shape in shapes:
            self.fill(shape * size_mm + centre_mm, ink)

    def fill(self, points_mm: Polygon, ink: BGR) -> None:
        points = np.rint(points_mm * self.px_per_mm * (1 << _SUBPIXEL_BITS)).astype(np.int32)
        cv2.fillPoly(self.picture, [points], ink, cv2.LINE_AA, _SUBPIXEL_BITS)

    def line(self, points_mm: Polygon, ink: BGR, width_mm: float) -> None:
        points = np.rint(points_mm * self.px_per_mm * (1 << _SUBPIXEL_BITS)).astype(np.int32)
        thick = max(1, round(width_mm * self.px_per_mm))
        cv2.polylines(self.picture, [points], False, ink, thick, cv2.LINE_AA, _SUBPIXEL_BITS)

    def frame(self, low_mm: tuple[float, float], high_mm: tuple[float, float], ink: BGR, width_mm: float) -> None:
        (x0, y0), (x1, y1) = low_mm, high_mm
        self.line(np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]), ink, width_mm)

    def text(
        self,
        word: str,
        top_mm: tuple[float, float],
        height_mm: float,
        font: int,
        stroke_mm: float,
        ink: BGR,
        widest_mm: float,
    ) -> None:
        """Write `word` centred under `top_mm`, capitals `height_mm` high, squeezed to `widest_mm` where it is wider."""
        mask = _word(word, font, round(stroke_mm * self.px_per_mm), round(height_mm * self.px_per_mm))
        width = min(mask.shape[1], round(widest_mm * self.px_per_mm))
        mask = np.asarray(cv2.resize(mask, (width, mask.shape[0]), interpolation=cv2.INTER_AREA), np.uint8)
        x = round(top_mm[0] * self.px_per_mm - width / 2)
        y = round(top_mm[1] * self.px_per_mm)
        x = max(x, 0)
        under = self.picture[y : y + mask.shape[0], x : x + width]
        share = mask[: under.shape[0], : under.shape[1], None] / 255.0
        under[:] = np.rint(under * (1 - share) + np.array(ink) * share)


def _word(word: str, font: int, stroke_px: int, height_px: int) -> NDArray[np.uint8]:
    """Return the word as a mask cut to its ink, `height_px` high."""
    scale = height_px / 21.0  # a Hershey capital is 21 units high
    room = 40 + 4 * height_px
    mask = np.zeros((2 * height_px + 80, room), np.uint8)
    cv2.putText(mask, word, (20, height_px + 40), font, scale, 255, stroke_px, cv2.LINE_AA)
    x, y, width, height = cv2.boundingRect(mask)
    cut = mask[y : y + height, x : x + width]
    size = max(1, round(width * height_px / height)), height_px
    return np.asarray(cv2.resize(cut, size, interpolation=cv2.INTER_AREA), np.uint8)
