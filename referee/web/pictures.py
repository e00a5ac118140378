"""The live picture: the newest frame as a JPEG, made only when somebody looks, once for all who look."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

import cv2
import numpy as np

from hardware.frames import Frame

WIDTHS: Final = (640, 960, 1280)
QUALITY: Final = 72


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG; `number` tells pictures apart and grows."""

    number: int
    jpeg: bytes


class Pictures:
    """Pulls frames from the table at the viewers' pace; nothing is done while nobody looks."""

    def __init__(self, newest: Callable[[], Frame | None]) -> None:
        self._newest = newest
        self._lock = Lock()
        self._frame: Frame | None = None
        self._number = 0
        self._made: dict[int, Picture] = {}

    def number(self) -> int:
        """Return the number of the newest picture; 0: there is none."""
        frame = self._newest()
        with self._lock:
            if frame is not None and frame is not self._frame:
                self._frame, self._made = frame, {}
                self._number += 1
            return self._number if frame is not None else 0

    def picture(self, width: int) -> Picture | None:
        """Return the newest picture, at most so wide (the next of `WIDTHS`); None where there is none."""
        number = self.number()
        if not number:
            return None
        wide = next((w for w in WIDTHS if w >= width), WIDTHS[-1])
        with self._lock:
            if wide not in self._made and self._frame is not None:
                self._made[wide] = Picture(self._number, _jpeg(self._frame, wide))
            return self._made.get(wide)


def _jpeg(frame: Frame, width: int) -> bytes:
    image = frame.image
    if image.shape[1] > width:
        height = round(image.shape[0] * width / image.shape[1])
        image = np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1])
