"""Pads without wires: for tests, the demo, and a laptop whose keyboard stands in for them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic_ns

from hardware.pads.edges import FOUR_PADS, Clock, Edge, Pad
from hardware.pads.trains import Change
from referee.errors import DeviceError
from referee.units import MS


class ScriptedPads:
    """Plays the contacts of a script on mock pads, in real time, from the moment that the script begins."""

    def __init__(self, pads: "MockPads", changes: Sequence[Change], clock: Clock = monotonic_ns) -> None:
        self._pads, self._changes, self._clock = pads, changes, clock
        self._stopping = Event()

    def start(self, begins_ns: int) -> None:
        """Start the thread that presses; `begins_ns` is the script's time 0 on the clock."""
        Thread(target=self._play, args=(begins_ns,), name="scripted pads", daemon=True).start()

    def stop(self) -> None:
        """Press no more."""
        self._stopping.set()

    def _play(self, begins_ns: int) -> None:
        for change in self._changes:
            at_ns = begins_ns + change.at_ns
            if self._stopping.wait(max(0, at_ns - self._clock()) / 1e9):
                return
            if change.down:
                self._pads.press(change.pad, at_ns)
            else:
                self._pads.release(change.pad)


class MockPads:
    """A backend whose contacts are closed by calls, from any thread."""

    name = "mock"

    def __init__(self, pads: tuple[Pad, ...] = FOUR_PADS, uncertainty_ns: int = 50_000, clock: Clock = monotonic_ns):
        self.uncertainty_ns = uncertainty_ns
        self.lost = 0
        self.deaf = False
        """Faults on demand: no edge comes through any more, levels do."""
        self.broken = False
        """Faults on demand: the device is gone."""
        self.opened = 0
        self._clock = clock
        self._down = dict.fromkeys(pads, False)
        self._until_ns: dict[Pad, int] = {}
        self._queue: SimpleQueue[Edge] = SimpleQueue()
        self._sequence: Iterator[int] = count()

    def press(self, pad: Pad, at_ns: int | None = None) -> None:
        """Close a contact, now or with the stamp of a moment just past."""
        self._down[pad] = True
        self._until_ns.pop(pad, None)
        if not self.deaf:
            self._queue.put(Edge(self._clock() if at_ns is None else at_ns, next(self._sequence), pad))

    def release(self, pad: Pad) -> None:
        """Open a contact."""
        self._down[pad] = False

    def slap(self, pad: Pad, at_ns: int | None = None, contact_ms: float = 60.0) -> None:
        """Close a contact that opens by itself."""
        self.press(pad, at_ns)
        self._until_ns[pad] = self._clock() + round(contact_ms * MS)

    def open(self) -> None:
        """Start listening; raises DeviceError while `broken`."""
        if self.broken:
            raise DeviceError("the mock pads were told to be broken; mend them")
        while not self._queue.empty():  # edges from before nobody saw
            self._queue.get_nowait()
        self.deaf = False
        self.opened += 1

    def wait(self, timeout_ns: int) -> list[Edge]:
        """Return the edges that came in, waiting for the first one."""
        if self.broken:
            raise DeviceError("the mock pads were told to be broken; mend them")
        edges: list[Edge] = []
        try:
            edges.append(self._queue.get(timeout=timeout_ns / 1e9))
            while True:
                edges.append(self._queue.get_nowait())
        except Empty:
            return edges

    def levels(self) -> Mapping[Pad, bool]:
        """Return which contacts are closed."""
        now_ns = self._clock()
        for pad, until_ns in list(self._until_ns.items()):
            if now_ns >= until_ns:
                self._down[pad] = False
                self._until_ns.pop(pad, None)
        return dict(self._down)

    def close(self) -> None:
        """Nothing to give back."""


KEYS: Mapping[str, Pad] = dict(zip("askl", FOUR_PADS, strict=True))
"""Keys that stand in for the pads: A S for p1's pile A and B, K L for p2's."""


def key_listener(pads: MockPads) -> Callable[[str], bool]:
    """Return a function that turns a key into a slap and says whether it was one."""

    def pressed(key: str) -> bool:
        if (pad := KEYS.get(key.lower())) is None:
            return False
        pads.slap(pad)
        return True

    return pressed
