"""The place where a card lies, frame by frame: upright, gray, one pixel a millimetre, cut into blocks of print."""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.rectify import Plane, Pose

Gray = NDArray[np.uint8]
Blocks = NDArray[np.float32]
"""A card's picture in pieces of BLOCK by BLOCK millimetres: (blocks, pixels), row after row."""
Flags = NDArray[np.bool_]
"""One for each block."""
Place = NDArray[np.float64]
"""Millimetres to the right of the card's upper left corner, and down from it."""

BLOCK: Final = 8
PRINTED: Final = 6.0
"""A block with a greater spread of gray levels carries print or an edge."""
SAME: Final = 0.8
"""Correlation from which a block of print is in the same place: a shift by one millimetre brings it below."""
OUTSIDE_PX: Final = 8.0
"""What reaches further out of the patch cannot be seen."""


class CloseUp:
    """What a few frames show of the place at `pose`. Each is turned upright when it is first asked for."""

    def __init__(
        self, frames: Sequence[tuple[int, Image]], patch: Plane, pose: Pose, card_mm: tuple[float, float]
    ) -> None:
        """`frames`: moments and pictures of `patch`, oldest first."""
        self.times = [at for at, _ in frames]
        self._pictures = [picture for _, picture in frames]
        self.width, self.height = round(card_mm[0]), round(card_mm[1])
        self._limit = np.array(patch.size_px)
        corners = patch.to_patch(pose.quad_mm(card_mm)).astype(np.float32)
        across, down = self.width - 0.5, self.height - 0.5
        target = np.array([(-0.5, -0.5), (across, -0.5), (across, down), (-0.5, down)], np.float32)
        self._turn = np.asarray(cv2.getPerspectiveTransform(corners, target), np.float64)
        self._back = np.linalg.inv(self._turn)
        self._grays: dict[int, Gray] = {}
        self._blocks: dict[int, Blocks] = {}

    @property
    def grid(self) -> tuple[int, int]:
        """How many rows and columns of blocks the card has."""
        return self.height // BLOCK, self.width // BLOCK

    @property
    def last(self) -> int:
        return len(self.times) - 1

    def blocks(self, frame: int) -> Blocks:
        """Return the card's place in one frame."""
        if frame not in self._blocks:
            self._blocks[frame] = blocks_of(self.card(frame))
        return self._blocks[frame]

    def card(self, frame: int) -> Gray:
        """Return the same as a picture: (height, width)."""
        return self.piece(frame, np.zeros(2), (self.width, self.height))

    def of(self, picture: Image) -> Gray:
        """Return the card's place in another picture of the patch."""
        return self._upright(
            np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)), self._turn, (self.width, self.height)
        )

    def piece(self, frame: int, corner: Place, size: tuple[int, int]) -> Gray:
        """Return a part of this size (width, height) of one frame, its upper left corner there."""
        if frame not in self._grays:
            self._grays[frame] = _gray(self._pictures[frame])
        shift = np.array([(1.0, 0.0, -corner[0]), (0.0, 1.0, -corner[1]), (0.0, 0.0, 1.0)])
        return self._upright(self._grays[frame], shift @ self._turn, size)

    def darkest(self, frame: int) -> Gray:
        """Return the card's place by its darkest channel: paper is bright in all three, and fingers are not."""
        blue, green, red = cv2.split(self._pictures[frame])
        least = np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)
        return self._upright(least, self._turn, (self.width, self.height))

    def shows(self, corner: Place, size: tuple[int, int]) -> bool:
        """Whether a part lies in the patch, or nearly."""
        ends = corner + np.array([(0, 0), (size[0], 0), size, (0, size[1])])
        there = cv2.perspectiveTransform(ends[:, None], self._back)[:, 0]
        return bool((there > -OUTSIDE_PX).all() and (there < self._limit + OUTSIDE_PX).all())

    @staticmethod
    def _upright(gray: Gray, turn: NDArray[np.float64], size: tuple[int, int]) -> Gray:
        return np.asarray(
            cv2.warpPerspective(gray, turn, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        )


def _gray(picture: Image) -> Gray:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def share_in_place(now: Image, then: Image, patch: Plane, pose: Pose, card_mm: tuple[float, float]) -> float:
    """Return the share of a card's print, as it lay `then`, that the picture `now` shows in the same place."""
    place = CloseUp([], patch, pose, card_mm)
    print_then = blocks_of(_inside(place.of(then)))
    printed = print_then.std(axis=1) > PRINTED
    if not printed.any():
        return 0.0
    same = correlation(blocks_of(_inside(place.of(now))), print_then) > SAME
    return float((same & printed).sum() / printed.sum())


def _inside(card: Gray) -> Gray:
    """Return the card without its rim, which looks the same for the card below."""
    return card[BLOCK:-BLOCK, BLOCK:-BLOCK]


def blocks_of(card: Gray) -> Blocks:
    """Return a card's picture cut into blocks."""
    h, w = card.shape[0] // BLOCK * BLOCK, card.shape[1] // BLOCK * BLOCK
    cut = card[:h, :w].reshape(h // BLOCK, BLOCK, w // BLOCK, BLOCK).transpose(0, 2, 1, 3)
    return cut.reshape(-1, BLOCK * BLOCK).astype(np.float32)


def correlation(these: Blocks, those: Blocks) -> NDArray[np.float32]:
    """Return how well blocks correlate, -1 to 1; near 0 where there is no print."""
    a = these - these.mean(axis=1, keepdims=True)
    b = those - those.mean(axis=1, keepdims=True)
    power = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)) + 16.0 * BLOCK
    return np.asarray((a * b).sum(axis=1) / power)


def apart(these: Blocks, those: Blocks) -> NDArray[np.float32]:
    """Return by how many gray levels blocks differ on average."""
    return np.asarray(np.abs(these - those).mean(axis=1), np.float32)
