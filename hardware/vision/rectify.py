"""Parts of the table as flat pictures at a fixed scale, lens included. The maps are made once and kept."""

import math
from dataclasses import dataclass
from typing import Final, Protocol, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.tablefile import Points, Table

HALF_DIAGONAL_MM: Final = 54.6
AT_ONCE: Final = 4096
"""So many points are taken through the lens at once: OpenCV holds a quarter of a kilobyte for each meanwhile."""


class Plane(Protocol):
    """Pictures that show a part of the table."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""

    def to_patch(self, points_mm: Points) -> Points:
        """Return where table points (N, 2) in mm lie in them."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A rectangle of the table seen from straight above, x to the right, y upwards: row 0 is its upper edge.

    `cut` fills one kept picture: whoever wants to keep it longer copies it.
    """

    left_mm: float
    top_mm: float
    px_per_mm: float
    map_xy: NDArray[np.int16]
    map_fraction: NDArray[np.uint16]
    picture: Image

    @classmethod
    def of(cls, table: Table, centre_mm: tuple[float, float], size_mm: tuple[float, float], px_per_mm: float) -> Self:
        """Return the patch of this size around this point of the table."""
        width, height = (max(1, round(side * px_per_mm)) for side in size_mm)
        left, top = centre_mm[0] - size_mm[0] / 2, centre_mm[1] + size_mm[1] / 2
        xs = left + (np.arange(width) + 0.5) / px_per_mm
        ys = top - (np.arange(height) + 0.5) / px_per_mm
        grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        parts = np.array_split(grid, 1 + len(grid) // AT_ONCE)
        where = np.concatenate([table.to_px(part) for part in parts]).astype(np.float32).reshape(height, width, 2)
        map_xy, map_fraction = cv2.convertMaps(where[..., 0], where[..., 1], cv2.CV_16SC2)
        maps = np.asarray(map_xy, np.int16), np.asarray(map_fraction, np.uint16)
        return cls(left, top, px_per_mm, *maps, np.zeros((height, width, 3), np.uint8))

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the picture."""
        height, width = self.picture.shape[:2]
        return width, height

    def cut(self, image: Image) -> Image:
        """Return this part of the picture: uint8 (height, width, 3), the same array each time."""
        cv2.remap(image, self.map_xy, self.map_fraction, cv2.INTER_LINEAR, self.picture, cv2.BORDER_CONSTANT)
        return self.picture

    def to_patch(self, points_mm: Points) -> Points:
        """Return where table points (N, 2) in mm lie in the patch, pixel centres at integers."""
        return np.asarray((points_mm - (self.left_mm, self.top_mm)) * (self.px_per_mm, -self.px_per_mm) - 0.5)

    def to_mm(self, points: Points) -> Points:
        """Return which table points (N, 2) in mm lie at these patch pixels."""
        return np.asarray((points + 0.5) / (self.px_per_mm, -self.px_per_mm) + (self.left_mm, self.top_mm))


@dataclass(frozen=True, slots=True)
class Pose:
    """A card on the table: centre in mm and angle of its upright axis from the table's y axis, counter-clockwise."""

    x_mm: float
    y_mm: float
    angle_deg: float

    def quad_mm(self, size_mm: tuple[float, float]) -> Points:
        """Return top left, top right, bottom right, bottom left of the card, shape (4, 2)."""
        w, h = size_mm[0] / 2, size_mm[1] / 2
        c, s = np.cos(np.radians(self.angle_deg)), np.sin(np.radians(self.angle_deg))
        corners = np.array([(-w, h), (w, h), (w, -h), (-w, -h)])
        return np.asarray(corners @ np.array([(c, s), (-s, c)]) + (self.x_mm, self.y_mm))

    def apart_mm(self, other: "Pose") -> float:
        """Return about how far the corners of a card are apart in the two poses, either way up being the same."""
        turned = abs((self.angle_deg - other.angle_deg + 90.0) % 180.0 - 90.0)
        return math.hypot(self.x_mm - other.x_mm, self.y_mm - other.y_mm) + HALF_DIAGONAL_MM * math.radians(turned)
