"""Does the camera still look at the table from where it did? If it was nudged, by how much?"""

from typing import Any, Final

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
PASSES: Final = 3
"""Hands pull the first answer off by up to 2 px; the next ones leave out what moved otherwise: 0.1 px is left."""
OTHERWISE: Final = 3.0
"""What differs by more than so many times the middle difference, once the views are laid onto each other, moved."""
AROUND: Final = np.ones((7, 7), np.uint8)
"""What is so near to that is left out, too."""
LEAST_STEP: Final = 6.0
"""What differs by less, in gray levels, does not tell."""
BLURRED_PX: Final = 5
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
        found = np.array([(1.0, 0.0, dx), (0.0, 1.0, dy)], np.float32)
        back, counts = now, np.full(now.shape, 255, np.uint8)
        for _ in range(PASSES):
            try:
                found = np.asarray(
                    cv2.findTransformECC(self._then, now, found, cv2.MOTION_EUCLIDEAN, STEPS, counts, BLURRED_PX)[1]
                )
            except cv2.error:  # it does not converge: the views have nothing in common
                return None
            back = _warped(now, found, cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
            counts = np.asarray(_warped(_same_in(self._then, back), found, cv2.INTER_LINEAR), np.uint8)
        if _alike(self._then, back) < ALIKE:
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


def _warped(picture: NDArray[Any], way: NDArray[Any], flags: int) -> NDArray[Any]:
    return np.asarray(cv2.warpAffine(picture, way, picture.shape[::-1], flags=flags))


def _same_in(these: NDArray[np.float32], those: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return 255 where two pictures show the same, 0 where something moved between them."""
    apart = cv2.blur(cv2.absdiff(these, those), (5, 5))
    same = (apart < max(LEAST_STEP, OTHERWISE * float(np.median(apart)))).astype(np.uint8) * np.uint8(255)
    return np.asarray(cv2.erode(same, AROUND), np.uint8)


def _alike(these: NDArray[np.float32], those: NDArray[np.float32]) -> float:
    """Return the correlation of the details of two pictures: what is left without the slow change of brightness."""
    m = these.shape[0] // 16
    a, b = (p[m:-m, m:-m] - cv2.GaussianBlur(p, (0, 0), SMOOTH_PX)[m:-m, m:-m] for p in (these, those))
    return float((a * b).sum() / (np.sqrt((a * a).sum() * (b * b).sum()) + 1e-6))
