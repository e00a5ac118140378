"""USB and other V4L2 cameras through OpenCV: by stable path, with the driver's stamps, size and format checked."""

import os
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import monotonic_ns
from typing import Any, Final

import numpy as np

from hardware.cameras.locks import lock_exposure_focus_and_white
from hardware.cameras.port import STALE_STAMP_NS, Clock
from hardware.frames import Frame, Image
from referee.errors import DeviceError
from referee.settings import CameraSection

QUERYCAP: Final = 0x80685600
VIDEO_CAPTURE: Final = 0x1
DEVICE_CAPS: Final = 0x80000000
NO_CAMERAS: Final = ("bcm2835-isp", "bcm2835-codec", "pispbe", "rpi-hevc-dec", "unicam", "rp1-cfe", "rpivid")
"""Drivers whose nodes are parts of the Pi's picture pipeline: a ribbon camera goes through picamera2."""

WARM_UP_NS: Final = 5_000_000_000
STEADY_FRAMES: Final = 10
STEADY_GREY: Final = 2.0
"""In so many frames most places keep their grey to this: exposure and white balance have settled."""
PLACES_PX: Final = (32, 18)
"""Brightness is compared place by place: players' hands, over a few of them, are no change of light."""
SELECT_TIMEOUT_S: Final = "1"
"""OpenCV waits 10 s for a picture unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Found:
    """A capture device: its stable path where udev gives one, and what it calls itself."""

    path: Path
    card: str


def capabilities(path: Path) -> tuple[str, str, int] | None:
    """Return driver, card name and capability bits of a video node, or None where it does not answer."""
    import fcntl

    answer = bytearray(104)
    try:
        node = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except PermissionError:
        cure = "run `sudo usermod -aG video $USER` and log in again"
        raise DeviceError(f"{path} may not be opened; {cure}") from None
    except OSError:
        return None
    try:
        fcntl.ioctl(node, QUERYCAP, answer)
    except OSError:
        return None
    finally:
        os.close(node)
    driver, card, _, _, bits, device_bits = struct.unpack("16s32s32sIII", answer[:92])
    words = [raw.split(b"\0")[0].decode(errors="replace") for raw in (driver, card)]
    return words[0], words[1], device_bits if bits & DEVICE_CAPS else bits


def find_cameras(device_dir: Path = Path("/dev"), ask: Callable[[Path], Any] = capabilities) -> list[Found]:
    """Return the cameras that OpenCV can read, by stable path where there is one, without the nodes of a Pi's ISP."""
    stable = {path.resolve(): path for path in sorted((device_dir / "v4l" / "by-path").glob("*"))}
    stable |= {path.resolve(): path for path in sorted((device_dir / "v4l" / "by-id").glob("*"))}
    found = []
    for node in sorted(device_dir.glob("video*"), key=lambda path: (len(path.name), path.name)):
        answer = ask(node)
        if answer is None or answer[0] in NO_CAMERAS or not answer[2] & VIDEO_CAPTURE:
            continue
        found.append(Found(stable.get(node.resolve(), node), answer[1]))
    return found


def open_capture(path: str) -> Any:
    """Return OpenCV's capture of a device; not opened where there is none."""
    import cv2

    os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", SELECT_TIMEOUT_S)
    return cv2.VideoCapture(path, cv2.CAP_V4L2)


def places(image: Image) -> Image:
    """Return a picture in small, a pixel for each place."""
    import cv2

    return np.asarray(cv2.resize(image, PLACES_PX, interpolation=cv2.INTER_AREA), np.uint8)


def is_as_bright(one: Image, other: Image) -> bool:
    """Return whether most places of two small pictures have the same brightness, in each colour."""
    changes = np.abs(one.astype(np.int16) - other)
    return float(np.median(changes, axis=(0, 1)).max()) < STEADY_GREY


class V4l2Camera:
    """`source`: a path, a number of /dev/video, or "auto" for the first camera that is there when it is opened."""

    def __init__(
        self,
        settings: CameraSection,
        opener: Callable[[str], Any] = open_capture,
        finder: Callable[[], list[Found]] = find_cameras,
        clock: Clock = monotonic_ns,
    ) -> None:
        self.name = settings.source
        self.size_px = (settings.width_px, settings.height_px)
        self.fps = settings.fps
        self.complaints: list[str] = []
        self._settings = settings
        self._opener, self._finder, self._clock = opener, finder, clock
        self._capture: Any = None
        self._numbers = count()
        self._exposure_ns = 0

    def open(self) -> None:
        """Start the stream with the size, format and rate as set; raises DeviceError with the cure."""
        import cv2

        path = self._path()
        capture = self._capture = self._opener(path)
        if not capture.isOpened():
            raise DeviceError(f"the camera {path} does not open; plug it in again, or end the program that uses it")
        self.name = path
        self.complaints = []
        width, height = self.size_px
        for prop, value in (
            (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*self._settings.format)),
            (cv2.CAP_PROP_FRAME_WIDTH, width),
            (cv2.CAP_PROP_FRAME_HEIGHT, height),
            (cv2.CAP_PROP_FPS, self.fps),
        ):
            capture.set(prop, value)
        self._check_format(capture)
        if self._settings.lock:
            self._warm_up()
            locked = lock_exposure_focus_and_white(capture, self._settings.mains_hz, self.fps)
            self.complaints += locked.complaints
            self._exposure_ns = locked.exposure_ns

    def read(self) -> Frame:
        """Return the next picture; raises DeviceError when none comes within a second."""
        good, image = self._capture.read()
        if not good:
            raise DeviceError(f"no picture comes from {self.name}; check its plug and cable")
        pixels = np.empty((0, 0, 3), np.uint8) if image is None else image
        return Frame(at_ns=self._stamp_ns(), image=pixels, number=next(self._numbers))

    def close(self) -> None:
        """Stop the stream."""
        if self._capture is not None:
            self._capture.release()
        self._capture = None

    def _path(self) -> str:
        source = self._settings.source
        if source.isdecimal():
            return f"/dev/video{source}"
        if source != "auto":
            return source
        cameras = self._finder()
        if not cameras:
            cure = "plug one in, or name a picture source with camera.source in the settings"
            raise DeviceError(f"no camera is there; {cure}")
        return str(cameras[0].path)

    def _check_format(self, capture: Any) -> None:
        import cv2

        got = (int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)))
        if got != self.size_px:
            asked = "x".join(map(str, self.size_px))
            cure = f"set camera.width_px = {got[0]} and camera.height_px = {got[1]}, then calibrate again"
            raise DeviceError(f"{self.name} sends {got[0]}x{got[1]} instead of {asked}; {cure}")
        code = int(capture.get(cv2.CAP_PROP_FOURCC))
        given = "".join(chr(code >> 8 * n & 255) for n in range(4))
        if code > 0 and given != self._settings.format:
            self.complaints.append(f"the camera sends {given} instead of {self._settings.format}; pictures may be slow")
        fps = capture.get(cv2.CAP_PROP_FPS)
        if 0 < fps < 0.9 * self.fps:
            self.complaints.append(f"the camera gives {fps:.0f} pictures a second instead of {self.fps:.0f}")

    def _warm_up(self) -> None:
        """Wait until the automatics have settled: the brightness holds still, or five seconds are over."""
        last = deque[Image](maxlen=STEADY_FRAMES)
        end_ns = self._clock() + WARM_UP_NS
        while self._clock() < end_ns:
            image = self.read().image
            if image.size:
                last.append(places(image))
            if len(last) == STEADY_FRAMES and all(is_as_bright(last[0], later) for later in last):
                return
        self.complaints.append("the brightness does not settle; light the table evenly and steadily")

    def _stamp_ns(self) -> int:
        """Return the middle of the exposure: the driver stamps its start (USB cameras) on CLOCK_MONOTONIC."""
        import cv2

        now_ns = self._clock()
        stamp_ns = round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1e6) + self._exposure_ns // 2
        return stamp_ns if 0 <= now_ns - stamp_ns < STALE_STAMP_NS else now_ns
