"""The top of a middle pile in a settled picture: where it lies, what it shows, and what changed since the last one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.tablefile import Table
from hardware.vision.cardfit import Fit, fit_cards
from hardware.vision.reader import Reading, rectify
from hardware.vision.rectify import Patch, Pose

Mask = NDArray[np.uint8]

STEP: Final = 14.0
"""A pixel that changes by less, in gray levels, still shows the same."""
LEAST_CHANGE_MM2: Final = 60.0
PLAIN: Final = 1.6
"""An answer worth this much needs no second search."""


class Reader(Protocol):
    """Names cards: see `hardware.vision.reader.CardReader`."""

    def read(self, crops: NDArray[np.uint8]) -> list[Reading]: ...


@dataclass(frozen=True, slots=True)
class Top:
    """A lying card: its pose and what it shows."""

    pose: Pose
    reading: Reading

    @property
    def sure(self) -> float:
        """How surely this is one certain card, face up or face down."""
        return max(self.reading.best[1], self.reading.face_down)

    def shows_same(self, other: "Top") -> bool:
        """Whether both are most likely the same face."""
        mine, theirs = self.reading, other.reading
        if mine.face_down > 0.5 or theirs.face_down > 0.5:
            return mine.face_down > 0.5 and theirs.face_down > 0.5
        return mine.best[0] == theirs.best[0]


def changed_pixels(now: Image, before: Image) -> Mask:
    """Return where two settled pictures of the same patch differ, 255 or 0; an even change of light does not count."""
    gain = (float(np.median(now)) + 1.0) / (float(np.median(before)) + 1.0)
    scaled = cv2.convertScaleAbs(before, alpha=gain) if abs(gain - 1.0) > 0.02 else before
    apart = cv2.blur(cv2.absdiff(now, scaled), (3, 3)).max(axis=2)
    mask = (apart > STEP).view(np.uint8) * np.uint8(255)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)))


def biggest_change(changed: Mask, patch: Patch) -> Mask:
    """Return the largest part of what changed that hangs together within a few millimetres."""
    gap = round(6 * patch.px_per_mm)
    joined = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((gap, gap), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    if count < 2:
        return changed
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    return cv2.bitwise_and(changed, (labels == largest).view(np.uint8) * np.uint8(255))


def area_mm2(mask: Mask, patch: Patch) -> float:
    return cv2.countNonZero(mask) / patch.px_per_mm**2


class TopFinder:
    """Finds the card on top near one point of the table."""

    def __init__(self, table: Table, patch: Patch, reader: Reader, around_mm: tuple[float, float], reach_mm: float) -> None:
        self._table, self.patch, self._reader = table, patch, reader
        self._around_mm, self._reach_mm = around_mm, reach_mm

    def find(
        self, image: Image, picture: Image, changed: Mask | None = None, near: Sequence[Pose] = (), turned: float = 36.0
    ) -> Top | None:
        """Return the card on top; None if no card shows.

        `picture`: the patch as cut from `image`; `changed`: where it differs from the last settled one, which a new
        card must explain; `near`: poses worth trying first; `turned`: how far from straight it may lie, in degrees.
        """
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        likely = [*near, *([] if changed is None else _hull_poses(changed, self.patch, self._table.card_size_mm))]
        first = self._best(image, gray, likely, changed)
        if first is not None and first[0] > PLAIN and first[1].sure > 0.9:
            return first[1]
        angles = np.arange(-turned, turned + 1, 4.0)
        fits = fit_cards(gray, self.patch, self._table.card_size_mm, angles, self._around_mm, self._reach_mm, 5)
        second = self._best(image, gray, [fit.pose for fit in fits], changed)
        best = max((found for found in (first, second) if found is not None), key=lambda found: found[0], default=None)
        return None if best is None or best[1].reading.nothing > 0.8 else best[1]

    def _best(
        self, image: Image, gray: NDArray[np.uint8], guesses: Sequence[Pose], changed: Mask | None
    ) -> tuple[float, Top] | None:
        if not guesses:
            return None
        card_mm = self._table.card_size_mm
        fits = [refined(gray, self.patch, card_mm, pose) for pose in guesses]
        crops = np.stack([rectify(image, self._table.to_px(fit.pose.quad_mm(card_mm))) for fit in fits])
        tops = [Top(fit.pose, reading) for fit, reading in zip(fits, self._reader.read(crops), strict=True)]
        worth = [self._worth(fit, top, changed) for fit, top in zip(fits, tops, strict=True)]
        best = int(np.argmax(worth))
        return worth[best], tops[best]

    def _worth(self, fit: Fit, top: Top, changed: Mask | None) -> float:
        """Return how good an answer this is: edges all round, a clear reading, and all that changed lies inside."""
        explained = 0.5
        if changed is not None:
            inside = np.zeros_like(changed)
            quad = self.patch.to_patch(fit.pose.quad_mm(self._table.card_size_mm))
            cv2.fillConvexPoly(inside, np.round(quad).astype(np.int32), 255)
            explained = cv2.countNonZero(cv2.bitwise_and(inside, changed)) / max(1, cv2.countNonZero(changed))
        return fit.score + 0.6 * top.sure + explained


def refined(gray: NDArray[np.uint8], patch: Patch, card_mm: tuple[float, float], pose: Pose) -> Fit:
    """Return the best rectangle within 3 mm and 4 degrees of a pose."""
    angles = pose.angle_deg + np.array([-4.0, -2.0, 0.0, 2.0, 4.0])
    return fit_cards(gray, patch, card_mm, angles, (pose.x_mm, pose.y_mm), 3.0, 1)[0]


def _hull_poses(changed: Mask, patch: Patch, card_mm: tuple[float, float]) -> list[Pose]:
    """Return the pose of the changed area if it is about as big as a card."""
    points = cv2.findNonZero(changed)
    if points is None:
        return []
    (cx, cy), (width, height), angle = cv2.minAreaRect(cv2.convexHull(points))
    if width > height:
        width, height, angle = height, width, angle + 90.0
    x, y = patch.to_mm(np.array([(cx, cy)]))[0]
    turned = -((angle + 90.0) % 180.0 - 90.0)
    off = max(abs(width / patch.px_per_mm - card_mm[0]), abs(height / patch.px_per_mm - card_mm[1]))
    return [Pose(float(x), float(y), turned)] if off < 12.0 else []
