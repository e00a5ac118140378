"""Looks for the print of a known card in a picture of a spot: white on white it shows where no edge does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.vision.cardfit import Free
from hardware.vision.rectify import Patch, Pose

Gray = NDArray[np.uint8]

HALF_SHARE: Final = 0.55
"""The part of a card whose print is looked for while a hand covers the rest."""


def correlation(these: NDArray[Any], those: NDArray[Any]) -> float:
    """Return how well two pictures of one size correlate, -1 to 1; each channel's mean is left out."""
    a, b = (one.astype(np.float32) - one.mean(axis=(0, 1), dtype=np.float32) for one in (these, those))
    return float(np.vdot(a, b) / np.sqrt(np.vdot(a, a) * np.vdot(b, b) + 1.0))


@dataclass(frozen=True, slots=True)
class _Turned:
    """A picture turned so that the sides of a card at this angle run along its own, with the way there."""

    picture: Gray
    turn: NDArray[np.float64]
    angle_deg: float


class Prints:
    """One small gray picture of `patch`, in which cards are looked for; turned pictures serve for all of them."""

    def __init__(self, picture: Gray, patch: Patch, angles_deg: NDArray[np.float64]) -> None:
        self._picture, self._patch, self._angles_deg = picture, patch, angles_deg
        self._kept: dict[int, _Turned] = {}

    def best_place(self, card: Gray, free: Free = "whole") -> tuple[float, Pose]:
        """Return how well a card's print correlates where it fits best, -1 to 1, and that place.

        `card`: the print, upright and at the picture's scale; `free`: the part of it that is compared. Every second
        angle is tried, then those next to the best.
        """
        tried: dict[int, tuple[float, Pose]] = {}

        def best(among: Sequence[int]) -> int:
            tried.update((n, self._fitted(self._turned(n), card, free)) for n in among)
            return max(tried, key=lambda n: tried[n][0])

        first = best(range(0, len(self._angles_deg), 2))
        return tried[best([n for n in (first - 1, first + 1) if 0 <= n < len(self._angles_deg)])]

    def _turned(self, n: int) -> _Turned:
        if n not in self._kept:
            height, width = self._picture.shape
            angle_deg = float(self._angles_deg[n])
            turn = np.asarray(cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), -angle_deg, 1.0), np.float64)
            straight = cv2.warpAffine(self._picture, turn, (width, height), borderMode=cv2.BORDER_REPLICATE)
            self._kept[n] = _Turned(np.asarray(straight, np.uint8), turn, angle_deg)
        return self._kept[n]

    def _fitted(self, turned: _Turned, card: Gray, free: Free) -> tuple[float, Pose]:
        height, width = card.shape
        half = round(HALF_SHARE * height)
        part = {"whole": card, "upper": card[:half], "lower": card[-half:]}[free]
        scores = cv2.matchTemplate(turned.picture, part, cv2.TM_CCOEFF_NORMED)
        _, alike, _, (x, y) = cv2.minMaxLoc(scores)
        y -= height - half if free == "lower" else 0
        centre = np.array([x + (width - 1) / 2, y + (height - 1) / 2, 1.0])
        at = self._patch.to_mm((cv2.invertAffineTransform(turned.turn) @ centre)[None])[0]
        return alike, Pose(float(at[0]), float(at[1]), turned.angle_deg)
