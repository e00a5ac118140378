"""Does the camera still look at the table from where it did? If it was nudged, by how much?"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image

Matrix = NDArray[np.float64]

SHARE: Final = 4
"""Views are compared at this part of their size: how they moved is found to half a pixel all the same."""
WHOLE: Final = np.array([(SHARE, 0.0, (SHARE - 1) / 2), (0.0, SHARE, (SHARE - 1) / 2), (0.0, 0.0, 1.0)])
"""From pixels of the small picture to pixels of the whole one."""
SMOOTH_PX: Final = 4.0
"""The brightness of a view changes slowly: what is left after smoothing by so much, in small pixels, is no detail."""
ALIKE: Final = 0.5
"""Correlation of the details of two views, once laid onto each other, from which it is the same table."""
NUDGED_PX: Final = 0.8
STEPS: Final = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)


class Steady:
    """Remembers a view of the still table."""

    def __init__(self, image: Image) -> None:
        self._then = _small(image)
        self._window = cv2.createHanningWindow(self._then.shape[::-1], cv2.CV_32F)

    def moved(self, image: Image) -> Matrix | None:
        """Return how the picture moved since, 3 x 3 from old to new pixels; None if the views do not match."""
        now = _small(image)
        (dx, dy), _ = cv2.phaseCorrelate(self._then.copy(), now.copy(), self._window)  # it writes into what it is given
        warp = np.array([(1.0, 0.0, dx), (0.0, 1.0, dy)], np.float32)
        try:
            _, found = cv2.findTransformECC(self._then, now, warp, cv2.MOTION_EUCLIDEAN, STEPS)
        except cv2.error:  # it does not converge: the views have nothing in common
            return None
        size = (now.shape[1], now.shape[0])
        back = cv2.warpAffine(now, np.asarray(found), size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        if _alike(self._then, np.asarray(back, np.float32)) < ALIKE:
            return None
        whole = np.vstack([np.asarray(found, np.float64), (0.0, 0.0, 1.0)])
        return np.asarray(WHOLE @ whole @ np.linalg.inv(WHOLE))


def is_nudge(moved: Matrix, size_px: tuple[int, int]) -> bool:
    """Whether a movement of the picture is more than a measuring error: somewhere more than NUDGED_PX."""
    width, height = size_px
    corners = np.array([(0.0, 0.0, 1.0), (width, 0.0, 1.0), (width, height, 1.0), (0.0, height, 1.0)])
    return bool(np.abs((corners @ moved.T - corners)[:, :2]).max() > NUDGED_PX)


def _small(image: Image) -> NDArray[np.float32]:
    size = image.shape[1] // SHARE, image.shape[0] // SHARE
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)


def _alike(these: NDArray[np.float32], those: NDArray[np.float32]) -> float:
    """Return the correlation of the details of two pictures: what is left without the slow change of brightness."""
    m = these.shape[0] // 16
    a, b = (p[m:-m, m:-m] - cv2.GaussianBlur(p, (0, 0), SMOOTH_PX)[m:-m, m:-m] for p in (these, those))
    return float((a * b).sum() / (np.sqrt((a * a).sum() * (b * b).sum()) + 1e-6))
