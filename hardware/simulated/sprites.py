"""Pieces of picture that are laid over others: each says what still shows of what is below, and what it adds."""

from dataclasses import dataclass
from typing import Any, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.tablefile import Points


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of whole pixels: `x0, y0` inside, `x1, y1` outside."""

    x0: int
    y0: int
    x1: int
    y1: int

    @classmethod
    def around(cls, points: Points, margin: float, size_px: tuple[int, int]) -> Self | None:
        """Return the part of the picture that holds all points and a margin; None if that is outside."""
        low = np.floor(points.min(axis=0) - margin).astype(int)
        high = np.ceil(points.max(axis=0) + margin).astype(int) + 1
        (x0, y0), (x1, y1) = np.maximum(low, 0), np.minimum(high, size_px)
        box = cls(int(x0), int(y0), int(x1), int(y1))
        return box if box.x0 < box.x1 and box.y0 < box.y1 else None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.x1 - self.x0, self.y1 - self.y0

    def meets(self, other: "Box") -> bool:
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1

    def joined(self, other: "Box") -> "Box":
        """Return the smallest box that holds both."""
        return Box(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def common(self, other: "Box") -> "Box":
        """Return what both share; only for boxes that meet."""
        return Box(max(self.x0, other.x0), max(self.y0, other.y0), min(self.x1, other.x1), min(self.y1, other.y1))

    def grown(self, by: int, size_px: tuple[int, int]) -> "Box":
        width, height = size_px
        return Box(max(0, self.x0 - by), max(0, self.y0 - by), min(width, self.x1 + by), min(height, self.y1 + by))

    def of(self, picture: Image) -> Image:
        """Return this part of the whole picture, as a view."""
        return picture[self.y0 : self.y1, self.x0 : self.x1]

    def inside(self, outer: "Box", picture: Image) -> Image:
        """Return this part of a picture that shows `outer`, as a view."""
        return picture[self.y0 - outer.y0 : self.y1 - outer.y0, self.x0 - outer.x0 : self.x1 - outer.x0]


@dataclass(frozen=True, slots=True)
class Sprite:
    """`keep`: how much of what is below shows (255 all of it). `add`: what comes on top; None adds nothing.

    Both are uint8 of shape (height, width, 3) and cover `box`.
    """

    box: Box
    keep: Image
    add: Image | None

    def lay_on(self, picture: Image, shows: Box) -> None:
        """Lay this sprite onto a picture that shows the part `shows` of the whole."""
        if not self.box.meets(shows):
            return
        common = self.box.common(shows)
        below = common.inside(shows, picture)
        cv2.multiply(below, common.inside(self.box, self.keep), below, 1 / 255)
        if self.add is not None:
            cv2.add(below, common.inside(self.box, self.add), below)


def warp(art: NDArray[np.uint8], quad_px: Points, box: Box) -> NDArray[np.uint8]:
    """Return `art` (any channels) with its corners, from top left clockwise, at `quad_px`, as `box` shows it.

    What is outside the art is zero.
    """
    height, width = art.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(corners, np.asarray(quad_px - (box.x0, box.y0), np.float32))
    return np.asarray(cv2.warpPerspective(art, matrix, box.size, flags=cv2.INTER_LINEAR), np.uint8)


def smear(art: NDArray[np.uint8], move_px: Points) -> NDArray[np.uint8]:
    """Return `art` as it looks while it moves by `move_px` (2,): eight exposures, made by halving three times."""
    steps = 0 if np.abs(move_px).max() < 1.0 else 1 if np.abs(move_px).max() < 2.5 else 3
    for step in range(steps):
        shift = np.rint(np.asarray(move_px) / 2 ** (step + 1)).astype(int)
        if shift.any():
            moved = _shifted(art, int(shift[0]), int(shift[1]))
            art = np.asarray(cv2.addWeighted(art, 0.5, moved, 0.5, 0), np.uint8)
    return art


def _shifted(art: NDArray[np.uint8], dx: int, dy: int) -> NDArray[np.uint8]:
    height, width = art.shape[:2]
    moved = np.zeros_like(art)
    if abs(dx) >= width or abs(dy) >= height:
        return moved
    moved[max(0, dy) : height + min(0, dy), max(0, dx) : width + min(0, dx)] = art[
        max(0, -dy) : height + min(0, -dy), max(0, -dx) : width + min(0, -dx)
    ]
    return moved


def covering(box: Box, art: NDArray[np.uint8]) -> Sprite:
    """Return the sprite of a warped piece of colour multiplied by alpha (four channels)."""
    alpha = cv2.extractChannel(art, 3)
    return Sprite(box, _three(cv2.bitwise_not(alpha)), np.asarray(cv2.cvtColor(art, cv2.COLOR_BGRA2BGR), np.uint8))


def darkening(box: Box, mask: NDArray[np.uint8], strength: float) -> Sprite:
    """Return the sprite of a shadow: where `mask` (one channel) is 255, `strength` of the light is gone."""
    return Sprite(box, _three(cv2.convertScaleAbs(mask, alpha=-strength, beta=255)), None)


def _three(one_channel: NDArray[Any]) -> Image:
    return np.asarray(cv2.cvtColor(one_channel, cv2.COLOR_GRAY2BGR), np.uint8)
