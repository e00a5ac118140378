"""The pads' one thread: takes edges, reads levels, debounces, hands on slaps. It outlives every fault below it."""

from collections.abc import Callable
from threading import Event, Thread
from time import monotonic_ns
from typing import Final

from hardware.pads.debounce import ContactRules, Debouncer
from hardware.pads.edges import MILLISECOND, Clock, Pad, PadBackend, PadNote, Reading
from hardware.pads.feeler import Feeler
from hardware.pads.trains import QUICK_NS, SLOW_NS
from referee.errors import DeviceError
from referee.observations import PadReleased, PadSlapped, SensorBack, SensorLost
from referee.ports import ObservationSink

RETRY_NS: Final = 500 * MILLISECOND
DEAF_AFTER: Final = 2
"""So many slaps in a row that only the levels told: the backend's edges have stopped coming."""

NoteSink = Callable[[PadNote], None]
TouchSink = Callable[[Pad], None]


def ignore(_: PadNote | Pad) -> None:
    """Drop a note or a touch."""


class PadReader:
    """Reads pads from `start` to `stop`; what it says goes into `sink`, `notes` and `touched`, which must not raise."""

    def __init__(
        self,
        backend: PadBackend,
        pads: tuple[Pad, ...],
        sink: ObservationSink,
        notes: NoteSink = ignore,
        rules: ContactRules | None = None,
        clock: Clock = monotonic_ns,
    ) -> None:
        self.backend = backend
        self.touched: TouchSink = ignore
        """Hears of a contact some milliseconds before the slap is certain: for lights."""
        self.beat_ns = clock()
        """When the thread last went round."""
        self._pads, self._sink, self._notes, self._clock = pads, sink, notes, clock
        self._rules = rules or ContactRules()
        self.debouncer = Debouncer(pads, backend.uncertainty_ns, self._rules)
        self._stopping = Event()
        self._thread: Thread | None = None
        self._lost_because = ""
        self._held: set[Pad] = set()

    @property
    def lost_because(self) -> str:
        """Why the pads tell nothing; empty while they work."""
        return self._lost_because

    def start(self) -> None:
        """Start the thread; the pins are taken inside it, so a missing one is a lost sensor and no crash."""
        self._stopping.clear()
        self._thread = Thread(target=self._run, name="pads", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread and give the pins back."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=2)

    def revive(self) -> bool:
        """Start the thread again if it died; returns whether that was needed."""
        dead = self._thread is not None and not self._thread.is_alive() and not self._stopping.is_set()
        if dead:
            self._lose("the pads' thread had died and was started again")
            self.start()
        return dead

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.backend.open()
                self._serve()
            except DeviceError as error:
                self._lose(str(error))
            finally:
                self.backend.close()
            self.beat_ns = self._clock()
            self._stopping.wait(RETRY_NS / 1e9)

    def _serve(self) -> None:
        """Read until told to stop; raises DeviceError when the backend is gone or deaf."""
        counts = self.debouncer.counts
        debouncer = self.debouncer = Debouncer(self._pads, self.backend.uncertainty_ns, self._rules, counts)
        feeler = Feeler(self._rules)
        self._held.clear()
        lost_edges = 0
        while not self._stopping.is_set():
            now_ns = self.beat_ns = self._clock()
            edges = self.backend.wait(QUICK_NS if debouncer.restless(now_ns) else SLOW_NS)
            down = self.backend.levels()
            reading = Reading(self._clock(), down)
            for pad in feeler.feel(edges, reading):
                self.touched(pad)
            debouncer.feed(*edges, reading)
            if self._lost_because and not self._held and not any(down.values()):
                self._find()
            lost_edges = 0 if edges else lost_edges
            for event in debouncer.advance(self._clock()):
                if isinstance(event, PadSlapped | PadReleased):
                    self._sink(event)
                else:
                    lost_edges += event.what == "edge_lost"
                    self._take_note(event)
            if lost_edges >= DEAF_AFTER:
                raise DeviceError("the pads' edges stopped coming; the pads were started again")

    def _take_note(self, note: PadNote) -> None:
        """A pad that is down at the start cannot tell a slap: the pads count as lost until it is free."""
        self._notes(note)
        if note.what == "held_at_start":
            self._held.add(note.pad)
            self._lose(note.sentence)
        elif note.what == "free_again":
            self._held.discard(note.pad)
            if not self._held:
                self._find()

    def _lose(self, reason: str) -> None:
        if not self._lost_because:
            self._sink(SensorLost(at_ns=self._clock(), sensor="pads", reason=reason))
        self._lost_because = reason

    def _find(self) -> None:
        if self._lost_because:
            self._sink(SensorBack(at_ns=self._clock(), sensor="pads"))
        self._lost_because = ""
