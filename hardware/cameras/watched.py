"""A watched camera: its thread keeps the newest picture, troubles are said within a second, and it recovers.

The thread may hang in a driver; so the judging of silence is done by whoever calls `check` (the rig's tick), and a
thread that hangs for long is left behind and replaced, a few times.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Condition, Event, Thread
from time import monotonic_ns
from typing import Final

from hardware.cameras.judge import Limits, PictureJudge
from hardware.cameras.port import Camera, Clock
from hardware.frames import Frame
from referee.errors import DeviceError
from referee.observations import SensorBack, SensorLost
from referee.ports import ObservationSink
from referee.units import MS

RETRY_NS: Final = 500 * MS
HUNG_NS: Final = 12_000 * MS
"""Longer than a camera that is there takes to open and to settle."""
MOST_HUNG: Final = 3
"""Threads that never came back from the driver; with more, only a restart of the service helps."""
USUAL: Final = Limits()
SILENCE: Final = "no picture comes; check the camera's plug and cable"
BACK_AFTER: Final = 3
"""Good pictures in a row before the camera is trusted again."""


class WatchedCamera:
    """A FrameSource on a live camera. `make` builds a fresh device, anew whenever one has to be opened: another one may
    have been plugged in."""

    def __init__(
        self,
        make: Callable[[], Camera],
        sink: ObservationSink,
        *,
        lost_after_ns: int = 800 * MS,
        behind_pads_ns: int = 0,
        clock: Clock = monotonic_ns,
        limits: Limits = USUAL,
        silence: str = SILENCE,
    ) -> None:
        """`silence`: what is said, with its cure, when no picture comes and the device names no reason."""
        first = make()
        self.name, self.fps, self.size_px = first.name, first.fps, first.size_px
        self.complaints: list[str] = []
        self.dropped = 0
        """Pictures that were replaced by a newer one before anybody looked."""
        self.beat_ns = clock()
        """When the thread last came round, with or without a picture."""
        self._make, self._sink, self._clock = make, sink, clock
        self._lost_after_ns, self._behind_ns = lost_after_ns, behind_pads_ns
        self._judge = PictureJudge(self.size_px, self.fps, limits)
        self._newest: Frame | None = None
        self._news = Condition()
        self._closing = Event()
        self._generation = 0
        self._threads: list[Thread] = []
        self._good_ns = clock()
        self._good_in_a_row = 0
        self._silence = silence
        self._trouble = "no picture has come yet"
        self._lost_because = ""

    @property
    def lost_because(self) -> str:
        """Why there are no pictures to be trusted; empty while there are."""
        return self._lost_because

    @property
    def rate(self) -> float:
        """Good and bad pictures a second, over the last second."""
        return self._judge.rate()

    def age_ns(self) -> int:
        """Return how long ago the last good picture came."""
        return self._clock() - self._good_ns

    def why_slow(self) -> str:
        """Return what to do about too few pictures; empty where there are enough."""
        return self._judge.why_slow()

    def start(self) -> None:
        """Start the thread; a camera that is not there is a lost sensor and no error."""
        self._good_ns = self._clock()
        self._replace_thread()

    def frames(self) -> Iterator[Frame]:
        """Yield the newest good picture each time; a slow caller misses some, which `dropped` counts. Ends on close."""
        if not self._threads:
            self.start()
        while not self._closing.is_set():
            with self._news:
                self._news.wait_for(lambda: self._newest is not None or self._closing.is_set(), timeout=0.2)
                frame, self._newest = self._newest, None
            if frame is not None:
                yield frame

    def close(self) -> None:
        """Stop the stream; returns within two seconds even if the driver hangs."""
        self._closing.set()
        with self._news:
            self._news.notify_all()
        for thread in self._threads:
            thread.join(timeout=2 / len(self._threads))

    def check(self, now_ns: int) -> None:
        """Say so if no good picture came for too long, and replace a thread that hangs. Call a few times a second."""
        if not self._lost_because and now_ns - self._good_ns > self._lost_after_ns:
            self._lose(self._trouble or self._silence)
        hung = now_ns - self.beat_ns > HUNG_NS
        if hung and self._alive() <= MOST_HUNG:
            self._trouble = "the camera's driver hangs; plug the camera in again"
            self._replace_thread()

    def _alive(self) -> int:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        return len(self._threads)

    def _replace_thread(self) -> None:
        self._generation += 1
        self.beat_ns = self._clock()
        thread = Thread(target=self._run, args=(self._generation,), name=f"camera {self._generation}", daemon=True)
        thread.start()
        self._threads.append(thread)  # only now: whoever closes meanwhile cannot wait for one that has not begun

    def _is_mine(self, generation: int) -> bool:
        return generation == self._generation and not self._closing.is_set()

    def _run(self, generation: int) -> None:
        while self._is_mine(generation):
            try:
                self._watch(self._make(), generation)
            except DeviceError as error:
                if self._is_mine(generation):
                    self._refuse(str(error))
            self._closing.wait(RETRY_NS / 1e9)

    def _watch(self, camera: Camera, generation: int) -> None:
        """Take pictures as long as they come; raises DeviceError when none do."""
        try:
            camera.open()
            self._take_over(camera)
            while self._is_mine(generation):
                frame = camera.read()
                if self._is_mine(generation):
                    self._take(frame)
        finally:
            camera.close()

    def _take_over(self, camera: Camera) -> None:
        self.name, self.complaints = camera.name, list(camera.complaints)
        self._judge.restart()

    def _take(self, frame: Frame) -> None:
        now_ns = self.beat_ns = self._clock()
        if trouble := self._judge.why_bad(frame, now_ns):
            self._good_in_a_row = 0
            self._trouble = trouble
            self._good_ns = min(self._good_ns, self._judge.changed_ns or now_ns)
            return
        self._trouble = ""
        self._good_ns = now_ns
        self._good_in_a_row += 1
        if self._lost_because and self._good_in_a_row >= BACK_AFTER:
            self._lost_because = ""
            self._sink(SensorBack(at_ns=now_ns, sensor="camera"))
        with self._news:
            self.dropped += self._newest is not None
            self._newest = replace(frame, at_ns=frame.at_ns - self._behind_ns)
            self._news.notify()

    def _refuse(self, trouble: str) -> None:
        """The device itself says that it is gone: no need to wait for silence."""
        self.beat_ns = self._clock()
        self._good_in_a_row = 0
        self._trouble = trouble
        self._lose(trouble)

    def _lose(self, reason: str) -> None:
        if not self._lost_because:
            self._sink(SensorLost(at_ns=self._clock(), sensor="camera", reason=reason))
        self._lost_because = reason
