"""Where the simulated camera hangs, and where it sees a point of the table."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.tablefile import POKER_MM, Points, Table

_DOWN: Final = np.diag([1.0, -1.0, -1.0])
"""A camera that looks straight down: x to the right of the picture, y down it, z away from the lens."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera with a lens above the table. Angles in degrees, lengths in mm."""

    size_px: tuple[int, int] = (1280, 720)
    height_mm: float = 700.0
    hfov_deg: float = 62.0
    tilt_deg: float = 0.0
    pan_deg: float = 0.0
    roll_deg: float = 0.0
    aim_mm: tuple[float, float] = (0.0, 0.0)
    """The table point in the middle of the picture."""
    lens_k1k2p1p2k3: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)


class View:
    """A camera's geometry, worked out once."""

    def __init__(self, camera: Camera) -> None:
        width, height = camera.size_px
        focal = width / 2 / np.tan(np.radians(camera.hfov_deg) / 2)
        self.size_px = camera.size_px
        self.matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
        self.lens = np.array(camera.lens_k1k2p1p2k3)
        self._rotation = _turn(camera) @ _DOWN
        forward = self._rotation[2]
        centre = np.array([*camera.aim_mm, 0.0]) - forward * (camera.height_mm / -forward[2])
        self._shift = -self._rotation @ centre

    def px(self, points_mm: NDArray[np.float64]) -> Points:
        """Return where points (N, 3) in mm, z up from the table, lie in the picture: (N, 2) pixels."""
        seen, _ = cv2.projectPoints(
            np.asarray(points_mm, np.float64).reshape(-1, 1, 3), self._rotation, self._shift, self.matrix, self.lens
        )
        return np.asarray(seen, np.float64).reshape(-1, 2)

    @cached_property
    def every_pixel_mm(self) -> Points:
        """Which table point each pixel shows: (height * width, 2) in mm, row by row."""
        width, height = self.size_px
        x, y = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
        return self.table(POKER_MM).to_mm(np.stack([x.ravel(), y.ravel()], axis=1))

    def table(self, card_size_mm: tuple[float, float]) -> Table:
        """Return the exact table file of this camera."""
        flat = self.matrix @ np.column_stack([self._rotation[:, 0], self._rotation[:, 1], self._shift])
        bent = bool(np.any(self.lens))
        return Table(
            image_size_px=self.size_px,
            homography_mm_to_px=flat / flat[2, 2],
            camera="simulated",
            camera_matrix=self.matrix if bent else None,
            lens_k1k2p1p2k3=tuple(float(k) for k in self.lens),  # type: ignore[arg-type]  # five by construction
            card_size_mm=card_size_mm,
            residual_mm=0.0,
        )


def _turn(camera: Camera) -> NDArray[np.float64]:
    """Return the camera's rotation away from looking straight down."""
    tilt, pan, roll = (np.radians(a) for a in (camera.tilt_deg, camera.pan_deg, camera.roll_deg))
    about_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    about_y = np.array([[np.cos(pan), 0, np.sin(pan)], [0, 1, 0], [-np.sin(pan), 0, np.cos(pan)]])
    about_z = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1.0]])
    turned: NDArray[np.float64] = about_z @ about_x @ about_y
    return turned
