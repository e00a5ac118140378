"""Where does a card of known size lie? Every edge votes for the rectangles whose side it could be.

Works white on white: a card edge is a faint line of shadow all along, and four such lines at the right distances are
no accident. Print inside the card cannot vote for all four sides at once.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.vision.rectify import Patch, Pose

Gray = NDArray[np.uint8]
Field = NDArray[np.float32]

MARGIN_MM: Final = 1.2
"""From here inwards a card's rim carries no print, so that no edge may run there."""
PER_ANGLE: Final = 2
LEAST_STEP: Final = 3.0
"""Smallest change of brightness that counts as an edge, in gray levels."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A rectangle of the card's size; `score` 1 if all four sides show and nothing crosses the margin inside them."""

    pose: Pose
    score: float


def fit_cards(
    gray: Gray,
    patch: Patch,
    card_mm: tuple[float, float],
    angles_deg: NDArray[np.float64],
    around_mm: tuple[float, float],
    reach_mm: float,
    count: int = 4,
) -> list[Fit]:
    """Return up to `count` rectangles of the card's size in a patch, best first, clearly apart from each other.

    `gray`: uint8, the patch's picture; `angles_deg`: the angles to try; the centre lies within `reach_mm` of
    `around_mm` along x and along y.
    """
    found: list[Fit] = []
    for angle in angles_deg:
        found.extend(_fits_at(gray, patch, card_mm, float(angle), around_mm, reach_mm, count))
    found.sort(key=lambda fit: -fit.score)
    kept: list[Fit] = []
    for fit in found:
        if all(fit.pose.apart_mm(k.pose) > 5.0 for k in kept):
            kept.append(fit)
        if len(kept) == count:
            break
    return kept


def _fits_at(
    gray: Gray,
    patch: Patch,
    card_mm: tuple[float, float],
    angle: float,
    around_mm: tuple[float, float],
    reach_mm: float,
    count: int,
) -> list[Fit]:
    """Return the best rectangles at one angle: the patch is turned so that the card's sides run along its axes."""
    scale = patch.px_per_mm
    w, h = (round(length * scale) for length in card_mm)
    reach = round(reach_mm * scale) + 1
    width, height = w + 2 * reach + 8, h + 2 * reach + 8
    centre = patch.to_patch(np.array([around_mm]))[0]
    turn = cv2.getRotationMatrix2D((float(centre[0]), float(centre[1])), -angle, 1.0)
    turn[:, 2] += np.array([(width - 1) / 2, (height - 1) / 2]) - centre
    turned = cv2.warpAffine(gray, turn, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    scored = _score(np.asarray(turned, np.uint8), w, h, round(MARGIN_MM * scale))
    x0, y0 = (width - w) // 2, (height - h) // 2
    within = scored[y0 - reach : y0 + reach + 1, x0 - reach : x0 + reach + 1]
    score = cv2.GaussianBlur(within, (5, 5), 0)  # the best places form a plateau: take its middle
    back = cv2.invertAffineTransform(turn)
    fits = []
    near = round(4 * scale)
    for _ in range(min(count, PER_ANGLE)):
        y, x = np.unravel_index(int(score.argmax()), score.shape)
        middle = np.array([x0 - reach + x + (w - 1) / 2, y0 - reach + y + (h - 1) / 2, 1.0])
        at = patch.to_mm((back @ middle)[None])[0]
        fits.append(Fit(Pose(float(at[0]), float(at[1]), angle), float(score[y, x])))
        score[max(0, y - near) : y + near + 1, max(0, x - near) : x + near + 1] = -1.0
    return fits


def _score(gray: Gray, w: int, h: int, margin: int) -> Field:
    """Return the score of the rectangle of w x h pixels whose top left pixel is at each place where it fits in.

    Only the strips in which its sides can run are looked at.
    """
    across, down = _edges(gray)
    clutter = np.asarray(cv2.max(across, down), np.float32)
    long, short = round(0.84 * h), round(0.78 * w)
    dy, dx = (h - long) // 2, (w - short) // 2
    rows, columns = gray.shape[0] - h, gray.shape[1] - w

    def level(field: Field, y: int, thick: int) -> NDArray[Any]:
        strip = _sums(np.ascontiguousarray(field[y : y + rows + thick - 1]), short, thick)
        return strip[:rows, dx : dx + columns]

    def upright(field: Field, x: int, thick: int) -> NDArray[Any]:
        strip = _sums(np.ascontiguousarray(field[:, x : x + columns + thick - 1]), thick, long)
        return strip[dy : dy + rows, :columns]

    sides = [level(down, 0, 1), upright(across, w - 1, 1), level(down, h - 1, 1), upright(across, 0, 1)]
    inside = (
        level(clutter, margin, 2)
        + upright(clutter, w - margin - 2, 2)
        + level(clutter, h - margin - 2, 2)
        + upright(clutter, margin, 2)
    )
    weakest = np.minimum(np.minimum(sides[0], sides[1]), np.minimum(sides[2], sides[3]))
    return np.asarray(0.5 * weakest + 0.125 * (sides[0] + sides[1] + sides[2] + sides[3]) - 0.15 * inside, np.float32)


def _sums(field: Field, width: int, height: int) -> Field:
    """Return the mean of the box of this size whose top left pixel is at each place; nothing beyond the rim."""
    mean = cv2.boxFilter(field, cv2.CV_32F, (width, height), anchor=(0, 0), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(mean, np.float32)


def _edges(gray: Gray) -> tuple[Field, Field]:
    """Return how much of an upright and of a level edge is at each pixel, 0 to 1, one pixel of slack across."""
    across = np.abs(cv2.Sobel(gray, cv2.CV_32F, 1, 0, ksize=3, scale=0.25))
    down = np.abs(cv2.Sobel(gray, cv2.CV_32F, 0, 1, ksize=3, scale=0.25))
    across, down = across - 0.5 * down, down - 0.5 * across
    wide = cv2.dilate(across, np.ones((1, 3), np.uint8))
    high = cv2.dilate(down, np.ones((3, 1), np.uint8))
    full = 3 * LEAST_STEP
    both = (np.clip((edges - LEAST_STEP) / full, 0.0, 1.0) for edges in (wide, high))
    upright, level = (np.asarray(edges, np.float32) for edges in both)
    return upright, level
