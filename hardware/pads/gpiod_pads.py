"""Pads on the kernel's GPIO device: one request for all lines, active edges only, the kernel's own stamps.

The kernel numbers the events of a request in the interrupt itself, so the numbers tell the order even where the queue
does not, and a gap in them tells of lost events. Its debouncing is left off: it would stamp the end of the bounce.
"""

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hardware.gpio import GROUP_CURE, find_header_chip
from hardware.pads.edges import Edge, Pad
from hardware.pip import PIP
from referee.errors import DeviceError


class GpiodPads:
    """The default backend on a Pi."""

    name = "gpiod"
    uncertainty_ns = 50_000
    """Stamps of lines that fall together are in order down to about 100 us."""

    def __init__(self, pins: Mapping[Pad, int], chip: Path | None = None) -> None:
        self._pads = {pin: pad for pad, pin in pins.items()}
        self._chip = chip
        self._request: Any = None
        self._next_sequence: int | None = None
        self.lost = 0

    def open(self) -> None:
        """Take all pad lines in one request; raises DeviceError with the cure."""
        try:
            import gpiod
        except ImportError:
            raise DeviceError(f"the Python package gpiod is missing; install it with `{PIP} install gpiod`") from None
        path = self._chip or find_header_chip()
        line = gpiod.LineSettings(
            direction=gpiod.line.Direction.INPUT,
            edge_detection=gpiod.line.Edge.FALLING,
            bias=gpiod.line.Bias.PULL_UP,
            event_clock=gpiod.line.Clock.MONOTONIC,
        )
        try:
            self._request = gpiod.request_lines(
                str(path), consumer="spit-referee pads", config={tuple(self._pads): line}, event_buffer_size=1024
            )
        except OSError as error:
            raise DeviceError(self._why(error, path)) from None
        self._next_sequence = None

    def wait(self, timeout_ns: int) -> list[Edge]:
        """Return new edges with the kernel's stamps; raises DeviceError when the chip is gone."""
        try:
            if not self._request.wait_edge_events(timeout_ns / 1e9):
                return []
            events = self._request.read_edge_events()
        except OSError as error:
            raise DeviceError(f"the GPIO chip stopped answering ({error}); check that it is still there") from None
        edges = [Edge(e.timestamp_ns, e.global_seqno, self._pads[e.line_offset]) for e in events]
        for number in sorted(edge.sequence for edge in edges):
            if self._next_sequence is not None and number > self._next_sequence:
                self.lost += number - self._next_sequence
            self._next_sequence = number + 1
        return edges

    def levels(self) -> Mapping[Pad, bool]:
        """Return which pads pull their line to ground, all read in one call."""
        import gpiod

        try:
            values = self._request.get_values(list(self._pads))
        except OSError as error:
            raise DeviceError(f"the GPIO chip stopped answering ({error}); check that it is still there") from None
        return {pad: value is gpiod.line.Value.INACTIVE for pad, value in zip(self._pads.values(), values, strict=True)}

    def close(self) -> None:
        """Give the lines back."""
        if self._request:
            self._request.release()
        self._request = None

    def _why(self, error: OSError, path: Path) -> str:
        if error.errno in (errno.EACCES, errno.EPERM):
            return f"{path} may not be opened; {GROUP_CURE}"
        if error.errno == errno.EBUSY:
            return f"{self._holder(path)}; end the other program, or give the pad another pin in the settings"
        return f"{path} gave no pad lines ({error}); check the pins in the settings with `spit-referee check`"

    def _holder(self, path: Path) -> str:
        """Return a sentence that names the busy pin, its pad and who holds it."""
        import gpiod

        with gpiod.Chip(str(path)) as chip:
            for pin, pad in self._pads.items():
                info = chip.get_line_info(pin)
                if info.used:
                    return f"GPIO {pin} of pad {pad} is in use by {info.consumer or 'the kernel'}"
        return "a pin of the pads is in use by another program"
