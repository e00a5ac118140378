"""Light print on dark paper, turned into the usual dark print on light paper that the networks know best."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

_DARK: Final = 0.35
"""Paper is what most of a cut-out shows: dark where the middle brightness is this near to the darkest of it."""
_LEAST_CONTRAST: Final = 40


def on_light_paper(cut_out: Picture) -> Picture:
    """Return a cut-out (index or card, uint8 BGR) with bright and dark exchanged where its paper is dark; hues stay, so
    that red suits stay apart from black ones. Others are returned as they are."""
    luma = cv2.cvtColor(cut_out, cv2.COLOR_BGR2YCrCb)[..., 0]
    darkest, middle, brightest = np.percentile(luma, (4, 50, 96))
    if brightest - darkest < _LEAST_CONTRAST or middle > darkest + _DARK * (brightest - darkest):
        return cut_out
    return negative(cut_out)


def negative(picture: Picture) -> Picture:
    """Return a picture (uint8 BGR) with bright and dark exchanged; hues stay."""
    luma = cv2.cvtColor(picture, cv2.COLOR_BGR2YCrCb)
    luma[..., 0] = 255 - luma[..., 0]
    return np.asarray(cv2.cvtColor(luma, cv2.COLOR_YCrCb2BGR), np.uint8)
