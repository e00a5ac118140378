"""The middle of the table as the camera saw it of late: plain copies, turned upright only where somebody looks."""

from collections import deque
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.tablefile import Points, Table
from hardware.vision.rectify import Patch

Gray = NDArray[np.uint8]

KEEP_NS: Final = 2_500_000_000
MOST_KEPT: Final = 180
MOVED_NS: Final = 600_000_000
"""After a nudge only the pictures of the last moments are brought to where the table now lies."""
COARSE_PX_PER_MM: Final = 0.5
"""The scale at which cards are looked for in kept pictures."""


class Window:
    """The part of the camera's pictures that shows a patch of the table."""

    def __init__(self, table: Table, patch: Patch) -> None:
        places = patch.map_xy.reshape(-1, 2)
        left, top = np.maximum(places.min(axis=0), 0).tolist()
        right, bottom = np.minimum(places.max(axis=0) + 2, table.image_size_px).tolist()
        self._table = table
        self._box = slice(top, bottom), slice(left, right)
        self.corner: Points = np.array([left, top], np.float64)
        self.size_px: tuple[int, int] = (right - left, bottom - top)

    def of(self, image: Image) -> Image:
        """Return this part of a camera picture: a view, not a copy."""
        return image[self._box]

    def to_patch(self, points_mm: Points) -> Points:
        """Return where table points (N, 2) in mm lie in this part, in pixels."""
        return self._table.to_px(points_mm) - self.corner


class Ring:
    """The last pictures of the middle while something moved there. Arrays are used again."""

    def __init__(self, table: Table, patch: Patch) -> None:
        """`patch`: what is kept."""
        self.window = Window(table, patch)
        height, width = (side / patch.px_per_mm for side in patch.picture.shape[:2])
        centre = patch.left_mm + width / 2, patch.top_mm - height / 2
        self.coarse_patch = Patch.of(table, centre, (width, height), COARSE_PX_PER_MM)
        self._coarse_map = np.asarray(self.coarse_patch.map_xy - self.window.corner.astype(np.int16), np.int16)
        self._kept: deque[tuple[int, Image]] = deque()
        self._spare: list[Image] = []

    def take_over(self, other: "Ring", nudge: NDArray[np.float64]) -> None:
        """Go on with the last pictures of another ring, after the camera's picture moved by `nudge`, 3 x 3."""
        last_ns = other._kept[-1][0] if other._kept else 0
        late = [(at, picture) for at, picture in other._kept if last_ns - at < MOVED_NS]
        self._kept.extend((at, self.moved(picture, other, nudge)) for at, picture in late)

    def moved(self, picture: Image, other: "Ring", nudge: NDArray[np.float64]) -> Image:
        """Return a picture of another ring as this one would show it."""
        way = _shift(-self.window.corner) @ nudge @ _shift(other.window.corner)
        return np.asarray(cv2.warpPerspective(picture, way, self.window.size_px, borderMode=cv2.BORDER_REPLICATE))

    def add(self, at_ns: int, image: Image) -> None:
        """Keep the middle of this frame."""
        while self._kept and (at_ns - self._kept[0][0] > KEEP_NS or len(self._kept) >= MOST_KEPT):
            self._spare.append(self._kept.popleft()[1])
        now = self.window.of(image)
        picture = self._spare.pop() if self._spare else np.empty_like(now)
        np.copyto(picture, now)
        self._kept.append((at_ns, picture))

    def between(self, since_ns: int, until_ns: int) -> list[tuple[int, Image]]:
        """Return the kept pictures of this time, oldest first, as the window shows them."""
        return [(at, picture) for at, picture in self._kept if since_ns <= at <= until_ns]

    def coarse(self, picture: Image) -> Gray:
        """Return one of them seen from straight above, gray, as `coarse_patch` shows it."""
        gray = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (3, 3), 0)
        return np.asarray(cv2.remap(gray, self._coarse_map, self.coarse_patch.map_fraction, cv2.INTER_LINEAR), np.uint8)


def _shift(by: Points) -> NDArray[np.float64]:
    return np.array([(1.0, 0.0, by[0]), (0.0, 1.0, by[1]), (0.0, 0.0, 1.0)])
