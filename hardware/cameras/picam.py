"""The Pi's ribbon camera through picamera2, which comes from the system (`apt install python3-picamera2`)."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from time import monotonic_ns
from typing import Any, Final

import numpy as np

from hardware.cameras.locks import STEP_SHARE, exposure_for
from hardware.cameras.port import STALE_STAMP_NS, Clock
from hardware.frames import Frame
from referee.errors import DeviceError
from referee.settings import CameraSection

WARM_UP_FRAMES: Final = 30
SET_FRAMES: Final = 4
"""So many pictures later what was set holds."""


class PiCamera:
    """Stamps are the sensor's start of exposure on CLOCK_MONOTONIC, moved to its middle."""

    def __init__(self, settings: CameraSection, clock: Clock = monotonic_ns) -> None:
        self.name = "picamera2"
        self.size_px = (settings.width_px, settings.height_px)
        self.fps = settings.fps
        self.complaints: list[str] = []
        self._settings, self._clock = settings, clock
        self._camera: Any = None
        self._numbers = count()

    def open(self) -> None:
        """Start the stream; raises DeviceError with the cure."""
        try:
            from picamera2 import Picamera2
        except ImportError:
            cure = "run `sudo apt install python3-picamera2` and use an environment made with --system-site-packages"
            raise DeviceError(f"picamera2 is missing; {cure}") from None
        try:
            camera = self._camera = Picamera2()
            # "RGB888" is blue green red in memory, as everywhere here
            shape = camera.create_video_configuration(
                main={"size": self.size_px, "format": "RGB888"}, controls={"FrameRate": self.fps}, buffer_count=4
            )
            camera.configure(shape)
            camera.start()
        except (RuntimeError, IndexError, OSError) as error:
            cure = "check both ends of the ribbon with the power off, and `rpicam-hello --list-cameras`"
            raise DeviceError(f"the Pi's camera does not start ({error}); {cure}") from None
        self.name = f"picamera2 {camera.camera_properties.get('Model', '')}".strip()
        if self._settings.lock:
            self._lock()

    def read(self) -> Frame:
        """Return the next picture; raises DeviceError when the camera has stopped."""
        try:
            request = self._camera.capture_request()
        except RuntimeError as error:
            raise DeviceError(f"the Pi's camera has stopped ({error}); check its ribbon") from None
        try:
            image, told = request.make_array("main"), request.get_metadata()
        finally:
            request.release()
        now_ns = self._clock()
        middle_ns = int(told["SensorTimestamp"]) + int(told.get("ExposureTime", 0)) * 500
        is_ours = 0 <= now_ns - middle_ns < STALE_STAMP_NS
        return Frame(at_ns=middle_ns if is_ours else now_ns, image=image, number=next(self._numbers))

    def close(self) -> None:
        """Stop the stream."""
        camera, self._camera = self._camera, None
        if camera is not None:
            with suppress(RuntimeError, OSError):  # it may have broken, and is opened anew
                camera.stop()
            with suppress(RuntimeError, OSError):
                camera.close()

    def _lock(self) -> None:
        """Hold what the automatics settled on, with an exposure that fits the lamps."""
        camera = self._camera
        for _ in range(WARM_UP_FRAMES):
            told = camera.capture_metadata()
        exposure_us = exposure_for(self._settings.mains_hz, told["ExposureTime"] * 1_000, self.fps) // 1_000
        gain = told["AnalogueGain"] * told["ExposureTime"] / exposure_us
        held: dict[str, Any] = {"AeEnable": False, "ExposureTime": exposure_us, "AnalogueGain": max(1.0, gain)}
        if "ColourGains" in told:
            held |= {"AwbEnable": False, "ColourGains": told["ColourGains"]}
        if "LensPosition" in told:
            held |= {"AfMode": 0, "LensPosition": told["LensPosition"]}
        camera.set_controls(held)
        for _ in range(SET_FRAMES):
            told = camera.capture_metadata()
        self.complaints = list(complaints_of(held, told))


def complaints_of(held: dict[str, Any], told: dict[str, Any]) -> Iterator[str]:
    """Yield what the camera was told to hold and does not, by what it says of a picture after that."""
    if abs(told["ExposureTime"] - held["ExposureTime"]) > 200:
        yield "the camera ignores manual exposure; keep the light steady during play"
    for name, what in (("LensPosition", "focus"), ("ColourGains", "white balance")):
        if name in held and not np.allclose(told.get(name, held[name]), held[name], rtol=STEP_SHARE):
            yield f"the camera ignores manual {what}; watch for readings that get worse during play"
