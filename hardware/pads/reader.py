"""The pads' one thread: takes edges, reads levels, debounces, hands on slaps. It outlives every fault below it."""

from collections.abc import Callable
from threading import Event, Thread
from time import monotonic_ns
from typing import Final

from hardware.pads.debounce import ContactRules, Debouncer
from hardware.pads.edges import Clock, Pad, PadBackend, PadNote, Reading
from hardware.pads.feeler import Feeler
from hardware.pads.trains import QUICK_NS, SLOW_NS
from referee.errors import DeviceError
from referee.observations import PadReleased, PadSlapped, SensorBack, SensorLost
from referee.ports import ObservationSink
from referee.units import MS

RETRY_NS: Final = 500 * MS
DEAF_AFTER: Final = 2
"""At so many moments in a row only the levels told of a slap: the backend's edges have stopped coming."""
ONE_MOMENT_NS: Final = 100 * MS
"""Pads that are hit together lose their edges together; the same hand is not back so soon."""

NoteSink = Callable[[PadNote], None]
TouchSink = Callable[[Pad], None]


class DeafError(DeviceError):
    """Levels come and edges do not: opening the pins again may help, and waiting does not."""


class Hearing:
    """Counts the moments at which slaps had no edge, since one came."""

    def __init__(self) -> None:
        self._missed, self._latest_ns = 0, -ONE_MOMENT_NS

    def edges_came(self) -> None:
        """The backend is not deaf."""
        self._missed = 0

    def edge_missed(self, at_ns: int) -> None:
        """A level told of a slap and no edge did."""
        self._missed += at_ns - self._latest_ns >= ONE_MOMENT_NS
        self._latest_ns = at_ns

    def check(self) -> None:
        """Raise DeafError after `DEAF_AFTER` such moments."""
        if self._missed >= DEAF_AFTER:
            raise DeafError("the pads' edges stopped coming; the pads were started again")


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
        self.told_ns: int | None = None
        """Edges from before this moment have been taken, and told but for those that the debouncing still holds; None
        while the pins are not open: nothing can be felt."""
        self._pads, self._sink, self._notes, self._clock = pads, sink, notes, clock
        self._rules = rules or ContactRules()
        self.debouncer = Debouncer(pads, backend.uncertainty_ns, self._rules)
        self._stopping = Event()
        self._thread: Thread | None = None
        self._lost_because = ""
        self._held: set[Pad] = set()

    @property
    def complaint(self) -> str:
        """What is wrong with pads that still work; empty where nothing is."""
        lost = self.backend.lost
        return f"{lost} edges of the pads were lost in a burst: look for a loose wire" if lost else ""

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
            wait_ns = RETRY_NS
            try:
                self.backend.open()
                self._serve()
            except DeviceError as error:
                self._lose(str(error))
                wait_ns = 0 if isinstance(error, DeafError) else RETRY_NS
            finally:
                self.told_ns = None
                self.backend.close()
            self.beat_ns = self._clock()
            self._stopping.wait(wait_ns / 1e9)

    def _serve(self) -> None:
        """Read until told to stop; raises DeviceError when the backend is gone or deaf."""
        counts = self.debouncer.counts
        debouncer = self.debouncer = Debouncer(self._pads, self.backend.uncertainty_ns, self._rules, counts)
        feeler = Feeler(self._rules)
        self._held.clear()
        hearing = Hearing()
        while not self._stopping.is_set():
            now_ns = self.beat_ns = self._clock()
            edges = self.backend.wait(QUICK_NS if debouncer.restless(now_ns) else SLOW_NS)
            asked_ns = self._clock()
            down = self.backend.levels()
            reading = Reading(at_ns := self._clock(), down, lasted_ns=at_ns - asked_ns)
            for pad in feeler.feel(edges, reading):
                self.touched(pad)
            debouncer.feed(*edges, reading)
            if self._lost_because and not self._held and not any(down.values()):
                self._find()
            if edges:
                hearing.edges_came()
            for event in debouncer.advance(self._clock()):
                if isinstance(event, PadSlapped | PadReleased):
                    self._sink(event)
                else:
                    if event.what == "edge_lost":
                        hearing.edge_missed(event.at_ns)
                    self._take_note(event)
            self.told_ns = now_ns  # from before the edges were asked for: this thread may have slept at any line since
            hearing.check()

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
