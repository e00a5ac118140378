"""What a live camera is to the rest: opened, read, closed. The watchdog around it does the worrying."""

from collections.abc import Callable
from typing import Final, Protocol

from hardware.frames import Frame

Clock = Callable[[], int]
"""Nanoseconds of CLOCK_MONOTONIC."""
STALE_STAMP_NS: Final = 10_000_000_000
"""A driver's stamp that is older than this, or lies ahead, is on another clock."""


class Camera(Protocol):
    """A device that takes pictures. `open`, `read` and `close` come from one thread at a time."""

    name: str
    """As a person would say it, and stable: the path under /dev/v4l/by-id, or the sensor's model."""
    size_px: tuple[int, int]
    """Width and height that are asked for; the table file is for this size."""
    fps: float
    complaints: list[str]
    """What the camera was asked for and does not do, in sentences; filled by `open`."""

    def open(self) -> None:
        """Start the stream; raises DeviceError with the cure."""

    def read(self) -> Frame:
        """Return the next picture, with the middle of its exposure; raises DeviceError when none comes."""

    def close(self) -> None:
        """Stop the stream; may be called twice."""
