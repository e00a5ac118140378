"""Is a camera's USB port fast enough? Read from the kernel's description of the device, without opening it."""

from pathlib import Path
from typing import Final

from referee.settings import CameraSection

USABLE: Final = 0.7
"""Share of a port's speed that a camera can really use."""
BITS_PER_PIXEL: Final = {"MJPG": 3.0, "H264": 0.5, "GREY": 8.0, "NV12": 12.0, "YU12": 12.0, "BGR3": 24.0, "RGB3": 24.0}
UNPACKED_BITS: Final = 16.0
"""Of YUYV and its kin."""


def usb_speed_mbit(device: Path, sys_dir: Path = Path("/sys/class/video4linux")) -> float | None:
    """Return the speed of the port that a camera hangs on; None for one that is on no USB port."""
    place = sys_dir / device.resolve().name / "device"
    for folder in (place.resolve(), *place.resolve().parents):
        try:
            return float((folder / "speed").read_text())
        except (OSError, ValueError):
            continue
    return None


def needed_mbit(settings: CameraSection) -> float:
    """Return what the pictures of these settings take, in megabits a second."""
    bits = BITS_PER_PIXEL.get(settings.format, UNPACKED_BITS)
    return settings.width_px * settings.height_px * settings.fps * bits / 1e6
