"""A recorded video in place of the camera: every frame, as fast as it can be decoded."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from hardware.frames import Frame
from referee.errors import PictureError

_USUAL_FPS = 30.0
_MOST_FPS = 1000.0


class VideoFile:
    """A `FrameSource`. Frame i is stamped i / fps, so that the first is at 0."""

    def __init__(self, path: Path) -> None:
        """Open the video.

        Raises:
            PictureError: the file is missing, empty, or no video that OpenCV can decode.
        """
        if path.is_dir():
            raise PictureError(f"{path} is a folder: give the path of one video in it")
        if not path.is_file():
            raise PictureError(f"{path} is not there: give the path of a recorded video")
        if path.stat().st_size == 0:
            raise PictureError(f"{path} is empty: record it again")
        self._path = path
        self._capture = cv2.VideoCapture(str(path))
        self._first = self._capture.read()[1] if self._capture.isOpened() else None
        if self._first is None:
            raise PictureError(f"{path} is not a video that can be decoded: convert it to MP4 or MJPEG")
        fps = float(self._capture.get(cv2.CAP_PROP_FPS))
        self.fps = fps if 0.0 < fps <= _MOST_FPS else _USUAL_FPS
        self.size_px = (self._first.shape[1], self._first.shape[0])
        self.count = max(0, int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT)))
        """Frames that the file says it holds; 0 if it does not say."""

    def frames(self) -> Iterator[Frame]:
        """Yield each frame once. A file that breaks off ends where it breaks off."""
        image, number = self._first, 0
        while image is not None:
            yield Frame(at_ns=round(number * 1e9 / self.fps), image=np.asarray(image, np.uint8), number=number)
            image, number = self._capture.read()[1], number + 1

    def close(self) -> None:
        self._capture.release()
