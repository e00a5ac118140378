"""Paper as the networks know it best: light print on dark paper turned into dark on light, coloured light taken off."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

_DARK: Final = 0.35
"""Paper is what most of a cut-out shows: dark where the middle brightness is this near to the darkest of it."""
_PAPER_RANK: Final = 85
"""Per cent of a cut-out that is darker than its paper."""
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


def white_balanced(cut_out: Picture) -> Picture:
    """Return a cut-out whose paper (its bright part) is grey in place of the light's colour."""
    paper = np.percentile(cut_out.reshape(-1, 3), _PAPER_RANK, axis=0)
    gain = np.clip(paper.max() / np.maximum(paper, 1), 0.5, 2)
    return np.asarray(np.clip(cut_out * gain, 0, 255), np.uint8)
