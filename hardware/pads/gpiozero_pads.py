"""Pads through gpiozero: over lgpio with the kernel's stamps, over RPi.GPIO on old boards with stamps of our own.

The pins are used below gpiozero's Button: `when_changed` carries the moment of the edge, and only falling edges are
asked for, because a contact shorter than the interrupt's delay would be reported as its opposite. gpiozero keeps only
weak references to handlers, so they are held here; they do nothing that could raise: lgpio's thread would die.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, Final

from hardware.gpio import close_factory, gpio_errors, real_factory
from hardware.pads.edges import Edge, Pad
from referee.errors import DeviceError

KERNEL_STAMPS_NS: Final = 50_000
OWN_STAMPS_NS: Final = 12_000_000
"""The clock is read in a Python thread some time after the edge: measured up to 10.9 ms late on a busy processor."""


class GpiozeroPads:
    """`factory`: makes the pin factory when the pads are opened; a mock factory in tests."""

    def __init__(self, pins: Mapping[Pad, int], factory: Callable[[], Any] = real_factory) -> None:
        self._pins = dict(pins)
        self._make_factory = factory
        self._factory: Any = None
        self._lines: dict[Pad, Any] = {}
        self._handlers: list[Callable[[float, int], None]] = []
        self._queue: SimpleQueue[Edge] = SimpleQueue()
        self._sequence: Iterator[int] = count()
        self.name = "gpiozero"
        self.uncertainty_ns = OWN_STAMPS_NS
        self.lost = 0

    def open(self) -> None:
        """Take the pins; raises DeviceError with the cure."""
        self._factory = self._make_factory()
        kind = type(self._factory).__name__
        self.name = f"gpiozero over {kind.removesuffix('Factory')}"
        self.uncertainty_ns = OWN_STAMPS_NS if kind in ("RPiGPIOFactory", "NativeFactory") else KERNEL_STAMPS_NS
        for pad, number in self._pins.items():
            try:
                self._lines[pad] = self._listen(pad, number)
            except gpio_errors() as error:
                self.close()
                cure = "end the other program that holds it, or give the pad another pin in the settings"
                raise DeviceError(f"GPIO {number} of pad {pad} cannot be used ({error}); {cure}") from None

    def _listen(self, pad: Pad, number: int) -> Any:
        def changed(ticks: float, _state: int) -> None:
            self._queue.put(Edge(round(ticks * 1e9), next(self._sequence), pad))

        pin = self._factory.pin(number)
        pin.function = "input"
        pin.pull = "up"
        pin.bounce = None
        pin.edges = "falling"
        self._handlers.append(changed)
        pin.when_changed = changed
        return pin

    def wait(self, timeout_ns: int) -> list[Edge]:
        """Return the edges that came in, waiting for the first one."""
        edges: list[Edge] = []
        try:
            edges.append(self._queue.get(timeout=timeout_ns / 1e9))
            while True:
                edges.append(self._queue.get_nowait())
        except Empty:
            return edges

    def levels(self) -> Mapping[Pad, bool]:
        """Return which pads pull their pin to ground."""
        try:
            return {pad: not pin.state for pad, pin in self._lines.items()}
        except gpio_errors() as error:
            raise DeviceError(f"the pads' pins stopped answering ({error}); check the wiring") from None

    def close(self) -> None:
        """Let the pins go."""
        for pin in self._lines.values():
            with suppress(*gpio_errors()):  # pins that are gone cannot be let go
                pin.when_changed = None
        self._lines.clear()
        self._handlers.clear()
        if self._factory is not None:
            close_factory(self._factory)
        self._factory = None
