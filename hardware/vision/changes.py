"""What differs between two settled pictures of a spot, in half their scale: there noise is averaged out."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.rectify import Patch, Pose

Mask = NDArray[np.uint8]

STEP: Final = 14.0
"""A pixel that changes by less, in gray levels, still shows the same."""
LEAST_GAIN: Final = 0.02
"""A smaller change of light is left as it is."""
GAP_MM: Final = 6.0
"""What is closer together than this hangs together."""
OFF_MM: Final = 12.0
"""What changed is about as big as a card if it is longer or shorter by less."""
SAMPLED: Final = slice(None, None, 3)
"""The rows and columns by which the light is compared."""
DARKEST: Final = 16
"""What is darker says nothing about the light."""
SMALL: Final = np.ones((2, 2), np.uint8)


@dataclass(frozen=True)
class Change:
    """The pixels that changed: `mask` 255 or 0, uint8, in the scale of `patch`."""

    mask: Mask
    patch: Patch

    @classmethod
    def between(cls, now: Image, before: Image, patch: Patch) -> Self:
        """Compare two pictures of `patch`; an even change of light does not count."""
        after, earlier = _halved(now), _halved(before)
        gain = _gain(after, earlier)
        scaled = cv2.convertScaleAbs(earlier, alpha=gain) if abs(gain - 1.0) > LEAST_GAIN else earlier
        blue, green, red = cv2.split(cv2.blur(cv2.absdiff(after, scaled), (3, 3)))
        _, mask = cv2.threshold(cv2.max(cv2.max(blue, green), red), STEP, 255, cv2.THRESH_BINARY)
        opened = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, SMALL), np.uint8)
        return cls(opened, replace(patch, px_per_mm=patch.px_per_mm / 2))

    @cached_property
    def _count(self) -> int:
        return cv2.countNonZero(self.mask)

    @property
    def area_mm2(self) -> float:
        return self._count / self.patch.px_per_mm**2

    def biggest(self) -> "Change":
        """Return the largest part that hangs together within a few millimetres."""
        gap = round(GAP_MM * self.patch.px_per_mm)
        joined = cv2.morphologyEx(self.mask, cv2.MORPH_CLOSE, np.ones((gap, gap), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
        if count <= 2:
            return self
        largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
        part = cv2.bitwise_and(self.mask, cv2.inRange(labels, largest, largest))
        return Change(np.asarray(part, np.uint8), self.patch)

    def card_poses(self, card_mm: tuple[float, float]) -> list[Pose]:
        """Return the pose of what changed if it is about as big as a card, else none."""
        rows = np.flatnonzero(self.mask.any(axis=1))
        if rows.size == 0:
            return []
        changed, last_column = self.mask[rows], self.mask.shape[1] - 1
        first, last = changed.argmax(axis=1), last_column - changed[:, ::-1].argmax(axis=1)
        ends = np.concatenate([np.stack([first, rows], axis=1), np.stack([last, rows], axis=1)])
        (cx, cy), (width, height), angle = cv2.minAreaRect(cv2.convexHull(ends.astype(np.int32)))
        if width > height:
            width, height, angle = height, width, angle + 90.0
        x, y = self.patch.to_mm(np.array([(cx, cy)]))[0]
        turned = -((angle + 90.0) % 180.0 - 90.0)
        scale = self.patch.px_per_mm
        off = max(abs(width / scale - card_mm[0]), abs(height / scale - card_mm[1]))
        return [Pose(float(x), float(y), turned)] if off < OFF_MM else []

    def box(self, room_mm: float) -> tuple[slice, slice]:
        """Return the rows and columns of the whole-scale picture within which all changed, and so much round it."""
        left, top, width, height = cv2.boundingRect(self.mask)
        room = round(room_mm * self.patch.px_per_mm)
        return (
            slice(2 * max(0, top - room), 2 * (top + height + room)),
            slice(2 * max(0, left - room), 2 * (left + width + room)),
        )

    def share_in(self, quad_mm: NDArray[np.float64]) -> float:
        """Return the share of what changed that lies inside a card with these corners."""
        return self._count_in(quad_mm) / max(1, self._count)

    def area_in_mm2(self, quad_mm: NDArray[np.float64]) -> float:
        """Return how much changed inside a card with these corners."""
        return self._count_in(quad_mm) / self.patch.px_per_mm**2

    def outside(self, quad_mm: NDArray[np.float64]) -> "Change":
        """Return what changed outside a card with these corners."""
        mask = self.mask.copy()
        cv2.fillConvexPoly(mask, np.round(self.patch.to_patch(quad_mm)).astype(np.int32), 0)
        return Change(mask, self.patch)

    def _count_in(self, quad_mm: NDArray[np.float64]) -> int:
        inside = np.zeros_like(self.mask)
        cv2.fillConvexPoly(inside, np.round(self.patch.to_patch(quad_mm)).astype(np.int32), 255)
        return cv2.countNonZero(cv2.bitwise_and(inside, self.mask))


def _halved(picture: Image) -> Image:
    height, width = picture.shape[0] // 2, picture.shape[1] // 2
    even = picture[: 2 * height, : 2 * width]
    return np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _gain(now: Image, before: Image) -> float:
    """Return how much brighter a picture became: the middle of what some of the pixels say, most show the same."""
    after, earlier = (np.maximum(picture[SAMPLED, SAMPLED, 1], DARKEST).ravel() for picture in (now, before))
    gains = after / earlier
    gains.partition(gains.size // 2)
    return float(gains[gains.size // 2])
