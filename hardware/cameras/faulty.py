"""A camera that can be told to misbehave while it runs: for tests, and to see what the table says about a fault."""

from collections.abc import Callable
from itertools import count
from threading import Event
from time import monotonic_ns, sleep
from typing import Literal

import numpy as np

from hardware.cameras.port import Clock
from hardware.frames import Frame, Image
from referee.errors import DeviceError

Fault = Literal["", "gone", "hangs", "repeats", "empty", "wrong_size", "late", "slow", "dark"]


def noise(size_px: tuple[int, int]) -> Callable[[int], Image]:
    """Return a picture maker: grey with the noise of a sensor, another one each time."""
    chance = np.random.default_rng(0)
    return lambda number: chance.integers(100, 110, (size_px[1], size_px[0], 3), dtype=np.uint8)


class FaultyCamera:
    """A camera of noise, or of the pictures that `picture(number)` makes. Set `fault` at any time, from any thread."""

    def __init__(
        self,
        size_px: tuple[int, int] = (320, 240),
        fps: float = 60.0,
        picture: Callable[[int], Image] | None = None,
        clock: Clock = monotonic_ns,
    ) -> None:
        self.name, self.size_px, self.fps = "faulty camera", size_px, fps
        self.complaints: list[str] = []
        self.fault: Fault = ""
        self.opened = 0
        self.let_go = Event()
        """Wakes a read that hangs."""
        self._picture = picture or noise(size_px)
        self._clock = clock
        self._numbers = count()
        self._last: Image = self._picture(0)

    def open(self) -> None:
        """Start; raises DeviceError while the camera is gone."""
        self._refuse_if_gone()
        self.opened += 1

    def read(self) -> Frame:
        """Return the next picture, or what the fault makes of it."""
        sleep(10 / self.fps if self.fault == "slow" else 1 / self.fps)
        self._refuse_if_gone()
        if self.fault == "hangs":
            self.let_go.wait()
            raise DeviceError("the faulty camera was let go; open it again")
        number = next(self._numbers)
        at_ns = self._clock() - (2_000_000_000 if self.fault == "late" else 0)
        return Frame(at_ns=at_ns, image=self._spoiled(number), number=number)

    def close(self) -> None:
        """Nothing to give back."""

    def _spoiled(self, number: int) -> Image:
        if self.fault != "repeats":
            self._last = self._picture(number)
        if self.fault == "empty":
            return self._last[:0]
        if self.fault == "dark":
            return self._last // 8
        return self._last[:-8] if self.fault == "wrong_size" else self._last

    def _refuse_if_gone(self) -> None:
        if self.fault == "gone":
            raise DeviceError("the faulty camera was pulled out; plug it in again")
