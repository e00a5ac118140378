"""From settings to a camera."""

from collections.abc import Callable
from importlib.util import find_spec

from hardware.cameras.picam import PiCamera
from hardware.cameras.port import Camera
from hardware.cameras.v4l2 import V4l2Camera, find_cameras
from hardware.cameras.watched import WatchedCamera
from referee.ports import ObservationSink
from referee.settings import CameraSection


def one_camera(settings: CameraSection) -> Camera:
    """Return the camera as set. `auto`: a USB camera where one is there, else the Pi's own if picamera2 is there."""
    wants_ribbon = settings.source == "picamera2"
    if settings.source == "auto" and find_spec("picamera2") is not None:
        wants_ribbon = not find_cameras()
    return PiCamera(settings) if wants_ribbon else V4l2Camera(settings)


def watched_camera(
    settings: CameraSection,
    sink: ObservationSink,
    make: Callable[[], Camera] | None = None,
    behind_pads_ns: int = 0,
) -> WatchedCamera:
    """Return the camera with its watchdog; it is looked for anew whenever it has to be opened.

    `behind_pads_ns`: its measured delay, taken off every stamp; what the settings say comes on top.
    """
    return WatchedCamera(
        make or (lambda: one_camera(settings)),
        sink,
        lost_after_ns=round(settings.lost_after_ms * 1e6),
        behind_pads_ns=behind_pads_ns + round(settings.behind_pads_ms * 1e6),
    )
