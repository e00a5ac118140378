"""A picture with its moment: what every camera, video and simulated table hands on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""A picture: uint8, shape (height, width, 3), blue green red, pixel centres at integers."""


@dataclass(frozen=True, slots=True)
class Frame:
    """`at_ns`: middle of the exposure on CLOCK_MONOTONIC (in a file: video time, frame 0 = 0)."""

    at_ns: int
    image: Image
    number: int
    """Counts frames of the source; a gap means dropped frames."""


class FrameSource(Protocol):
    """A camera, a video file or the rendered table."""

    fps: float
    size_px: tuple[int, int]

    def frames(self) -> Iterator[Frame]: ...

    def close(self) -> None: ...
