"""How the print of a lying card looks, to tell in later pictures, at little cost, whether it still lies there bare."""

import weakref
from functools import cached_property
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.tablefile import Points

Blocks = NDArray[np.float32]

BLOCK_MM: Final = 8
PRINTED: Final = 6.0
"""A block with a greater spread of gray levels carries print."""
SAME: Final = 0.8
"""Correlation from which a block of print is in the same place: a shift by one millimetre brings it below."""
LOST: Final = 0.6
"""Correlation under which a block shows something else than it did."""
LOST_SHARE: Final = 0.03
FREE_LOST_SHARE: Final = 0.1
"""Of the end that a hand leaves free so much more may be lost: fingers and shadows reach in; a new card hides more."""
HALVED: Final = np.array([(0.5, 0.0, -0.25), (0.0, 0.5, -0.25), (0.0, 0.0, 1.0)])
"""From pixels to those of half the scale; pixel centres are integers."""
HUGE: Final = 1e9
"""The length that blocks without print are given: then they are like nothing."""
FEWEST: Final = 5
"""A card that shows fewer printed blocks cannot be told from another one in its place."""
OTHER: Final = 0.12
"""A block that differs by this share of the paper's brightness in some colour shows something else."""
OTHER_SHARE: Final = 0.16
"""Of what lies bare hardly ever so many blocks differ, of all or of those with print (99 % of 1500 looks).
Where one of much the same print lies exactly on it (the ten of clubs on the four, a red jack on a black one) more do.
"""


class Shown(NamedTuple):
    """What a picture shows of a card: whether it lies bare, and the share of its print that shows in its place."""

    bare: bool
    share: float


class Likeness:
    """The print of one card in a settled picture, in blocks of 8 x 8 mm without the card's rim."""

    def __init__(self, card_mm: tuple[float, float], settled: Image, quad: Points, quad_px: Points) -> None:
        """`quad`: the bare card's corners in the settled picture; `quad_px`: the same in the camera's pictures."""
        self._columns, self._rows = (int(side) // BLOCK_MM for side in card_mm)
        inner = self._columns * BLOCK_MM, self._rows * BLOCK_MM
        rim_x, rim_y = ((side - length) / 2 + 0.5 for side, length in zip(card_mm, inner, strict=True))
        w, h = card_mm
        self._settled, self._quad = settled, quad
        self._target = (np.array([(0.0, 0.0), (w, 0.0), (w, h), (0.0, h)]) - (rim_x, rim_y)).astype(np.float32)
        self._box, self._warp = self._view(quad_px)
        self._then, self._power = self._blocks(settled, *self._view(quad))
        self.printed: NDArray[np.bool_] = self._power > PRINTED * BLOCK_MM
        self._count = int(np.count_nonzero(self.printed))
        self._power[~self.printed] = HUGE
        self._upper = self._above_middle(quad)
        self._seen: weakref.ref[Image] | None = None
        """The picture that was asked about last: often the same is asked two or three times."""
        self._answer: NDArray[np.float32] = self._power

    def is_bare(self, image: Image) -> bool:
        """Whether the whole card shows in a camera picture as it did: nothing lies on it."""
        return self.shown(image).bare

    def shown(self, image: Image) -> Shown:
        """Return what a camera picture shows of the card."""
        alike, count = self._alike(image), self._count
        lost = count - int(np.count_nonzero(alike > LOST))
        bare = count >= FEWEST and lost <= max(1, round(LOST_SHARE * count))
        return Shown(bare, int(np.count_nonzero(alike > SAME)) / max(1, count))

    def is_bare_at(self, image: Image, upper: bool) -> bool:
        """Whether one end of the card, the one further up in the settled picture or the other, shows as it did."""
        end = self.printed & (self._upper == upper)
        count = int(np.count_nonzero(end))
        if count < FEWEST:
            return False
        alike = int(np.count_nonzero(end & (self._alike(image) > LOST)))
        return count - alike <= max(1, round(FREE_LOST_SHARE * count))

    def share(self, image: Image, upper: bool | None = None) -> float:
        """Return the share of the print that a camera picture shows in its place; `upper`: of one end only."""
        of = self.printed if upper is None else self.printed & (self._upper == upper)
        return int(np.count_nonzero(of & (self._alike(image) > SAME))) / max(1, int(np.count_nonzero(of)))

    def _alike(self, image: Image) -> NDArray[np.float32]:
        """Return how well each block correlates with how it was."""
        if self._seen is None or self._seen() is not image:
            now, power = self._blocks(image, self._box, self._warp)
            both = np.einsum("ij,ij->i", now, self._then)
            self._answer = np.asarray(both / (power * self._power + 16.0 * BLOCK_MM), np.float32)
            self._seen = weakref.ref(image)
        return self._answer

    def is_another(self, image: Image, upper: bool | None = None) -> bool:
        """Whether what seems to be the card, or one end of it, has other colours or more print: another one lies on it.

        Dearer than the rest: it is asked last.
        """
        blocks = np.full_like(self.printed, True) if upper is None else self._upper == upper
        then, now = self._colours_then, self._colours(image, self._box, self._warp)
        gain = now.mean(axis=(1, 2), keepdims=True) / (then.mean(axis=(1, 2), keepdims=True) + 1.0)
        off = np.abs(now - gain * then).mean(axis=1).max(axis=1) > OTHER * self._paper * gain[:, 0, 0]
        return bool(max(off[blocks].mean(), off[blocks & self.printed].mean()) > OTHER_SHARE)

    @cached_property
    def _colours_then(self) -> Blocks:
        return self._colours(self._settled, *self._view(self._quad))

    @cached_property
    def _paper(self) -> float:
        """How bright the card's paper is."""
        return float(np.percentile(self._colours_then, 90))

    def _above_middle(self, quad: Points) -> NDArray[np.bool_]:
        """Return which blocks lie further up in the settled picture than the card's middle."""
        along, down = quad[1] - quad[0], quad[3] - quad[0]
        v, u = np.mgrid[0 : self._rows, 0 : self._columns]
        u, v = (u + 0.5) / self._columns - 0.5, (v + 0.5) / self._rows - 0.5
        return np.asarray((u * along[1] + v * down[1]).ravel() < 0)

    def _view(self, quad: Points) -> tuple[tuple[slice, slice], NDArray[np.float64]]:
        """Return the part of a picture that holds the card, and the way from there to the upright card."""
        left, top = np.maximum(np.floor(quad.min(axis=0)).astype(int) - 1, 0)
        right, bottom = np.maximum(np.ceil(quad.max(axis=0)).astype(int) + 2, (left + 1, top + 1))
        corners = (quad - (left, top)).astype(np.float32)
        box = slice(int(top), int(bottom)), slice(int(left), int(right))
        return box, np.asarray(cv2.getPerspectiveTransform(corners, self._target), np.float64)

    def _blocks(
        self, picture: Image, box: tuple[slice, slice], warp: NDArray[np.float64]
    ) -> tuple[Blocks, NDArray[np.float32]]:
        """Return the blocks with their means taken off, float32 (blocks, pixels), and the length of each."""
        rows, columns, side = self._rows, self._columns, BLOCK_MM
        gray = cv2.cvtColor(picture[box], cv2.COLOR_BGR2GRAY)
        seen = cv2.warpPerspective(gray, warp, (columns * side, rows * side), borderMode=cv2.BORDER_REPLICATE)
        cut = seen.reshape(rows, side, columns, side).transpose(0, 2, 1, 3)
        blocks = cut.reshape(rows * columns, side * side).astype(np.float32)
        blocks -= np.add.reduce(blocks, axis=1, keepdims=True) * np.float32(1 / side**2)
        return blocks, np.sqrt(np.einsum("ij,ij->i", blocks, blocks))

    def _colours(self, picture: Image, box: tuple[slice, slice], warp: NDArray[np.float64]) -> Blocks:
        """Return the blocks in colour and as they are, at half the scale: float32 (blocks, pixels, 3)."""
        rows, columns, side = self._rows, self._columns, BLOCK_MM // 2
        size = columns * side, rows * side
        seen = cv2.warpPerspective(picture[box], HALVED @ warp, size, borderMode=cv2.BORDER_REPLICATE)
        cut = seen.reshape(rows, side, columns, side, 3).transpose(0, 2, 1, 3, 4)
        return cut.reshape(rows * columns, side * side, 3).astype(np.float32)
