"""The live rig: camera and eyes in one thread, pads in another, and one queue that the game is refereed from.

Frames may be dropped (the newest wins), observations never: the queue has no bound, and how much waits in it is shown.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic_ns
from typing import Final, Protocol

from hardware.cameras.watched import WatchedCamera
from hardware.frames import Frame, FrameSource
from hardware.pads.edges import Clock, Pad
from hardware.pads.reader import PadReader
from referee.observations import AnyObservation, SensorBack, SensorLost, Tick
from referee.units import MS

TICK_NS: Final = 100 * MS
PACE_NS: Final = 20 * MS
"""How often the pads' progress is told; a slap is awarded at most so much later than it could be."""
LAST_LOOK_S: Final = 5.0
"""Longer than the eyes take for a picture."""
DEBOUNCE_NS: Final = 30 * MS
"""The pads' debouncing holds a slap less long than this."""
PATIENCE_NS: Final = 1_000 * MS
"""Time goes on without pads whose thread came no further for so long: it hangs."""


class Seer(Protocol):
    """The eyes: a frame in, observations out."""

    def see(self, frame: Frame) -> list[AnyObservation]: ...


@dataclass(frozen=True, slots=True)
class RigStatus:
    """How the rig is doing, for the status line."""

    camera: str
    camera_lost: str
    fps: float
    age_ms: float
    """Age of the newest good picture."""
    dropped: int
    pads: str
    pads_lost: str
    down: tuple[Pad, ...]
    waiting: int
    """Observations that nobody has taken yet."""
    complaints: tuple[str, ...]


def ignore(frame: Frame) -> None:
    """Do nothing with the first frame."""


def nothing() -> None:
    """Do nothing at each pace."""


def no_worries() -> Iterable[str]:
    """Know of nothing else that is wrong."""
    return ()


class LiveRig:
    """A source of observations: a live table, or a simulated one in real time.

    Iterate `observations()` once; it ends with a recording's last frame, or on `close`. Camera and pads put what they
    see into the queue that they share with the rig. A bug in the eyes ends the iteration with that error: a restart
    goes on with the game. `on_pace` is called from the iteration some fifty times a second, whatever is seen.
    `worries` tells what is wrong beside the sensors, for the status: sentences, empty ones are left out.
    """

    def __init__(
        self,
        camera: FrameSource | None,
        eyes: Seer,
        pads: PadReader | None,
        queue: "NewsQueue",
        *,
        watermark_ns: int = 50 * MS,
        clock: Clock = monotonic_ns,
        on_first_frame: Callable[[Frame], None] = ignore,
        on_pace: Callable[[], None] = nothing,
        worries: Callable[[], Iterable[str]] = no_worries,
    ) -> None:
        self.camera, self.eyes, self.pads = camera, eyes, pads
        self.last_frame: Frame | None = None
        self._queue, self._clock, self._watermark_ns = queue, clock, watermark_ns
        self._on_first_frame, self._on_pace, self._worries = on_first_frame, on_pace, worries
        self._reached_ns = {"camera": 0, "pads": 0}
        self._ticked_ns = 0
        self._busy_since_ns: int | None = None
        self._camera_lost = False
        self._watcher = Thread(target=self._watch, name="eyes", daemon=True)

    def observations(self) -> Iterator[AnyObservation]:
        """Yield what sensors saw, as it comes, and a Tick for time that all of them have left behind."""
        if self.pads is not None:
            self.pads.start()
        self._watcher.start()
        try:
            yield from self._serve()
        finally:
            self.close()

    def stop(self) -> None:
        """End the iteration soon; may be called from a signal handler."""
        self._queue.put(Ended())

    def close(self) -> None:
        """Stop every thread and give the devices back; may be called twice, from any thread."""
        if self.camera is not None:
            self.camera.close()
        if self.pads is not None:
            self.pads.stop()
        self._queue.put(Ended())

    def join(self) -> None:
        """Wait for the last look that the eyes are taking, once it was closed.

        A thread that is inside OpenCV while Python ends takes the whole process with it.
        """
        if self._watcher.is_alive():
            self._watcher.join(LAST_LOOK_S)

    def ages(self) -> dict[str, int]:
        """Return for each loop how long ago it last made progress (ns): what a watchdog may trust."""
        now_ns = self._clock()
        busy_ns = self._busy_since_ns
        ages = {"eyes": 0 if busy_ns is None else now_ns - busy_ns}
        if self.pads is not None:
            ages["pads"] = now_ns - self.pads.beat_ns
        if isinstance(self.camera, WatchedCamera):
            ages["camera"] = now_ns - self.camera.beat_ns
        return ages

    def status(self) -> RigStatus:
        """Return how the rig is doing."""
        camera, pads = self.camera, self.pads
        watched = camera if isinstance(camera, WatchedCamera) else None
        slow = [watched.why_slow()] if watched else []
        wires = [pads.complaint] if pads else []
        complaints = [*(watched.complaints if watched else []), *slow, *wires, *self._worries()]
        return RigStatus(
            camera=watched.name if watched else type(camera).__name__,
            camera_lost=watched.lost_because if watched else "",
            fps=watched.rate if watched else (camera.fps if camera else 0.0),
            age_ms=watched.age_ns() / MS if watched else 0.0,
            dropped=getattr(camera, "dropped", 0),
            pads=pads.backend.name if pads else "no pads",
            pads_lost=pads.lost_because if pads else "",
            down=pads.debouncer.down() if pads else (),
            waiting=self._queue.qsize(),
            complaints=tuple(filter(None, complaints)),
        )

    def _serve(self) -> Iterator[AnyObservation]:
        paced_ns = 0
        while True:
            try:
                news = self._queue.get(timeout=PACE_NS / 1e9)
            except Empty:
                news = None
            if isinstance(news, Ended):
                if news.error is not None:
                    raise news.error
                return
            if isinstance(news, Reached):
                self._reached_ns[news.sensor] = max(self._reached_ns[news.sensor], news.at_ns)
            elif news is not None:
                self._remember(news)
                yield news
            now_ns = self._clock()
            if now_ns - paced_ns >= PACE_NS:
                paced_ns = now_ns
                self._on_pace()
                yield from self._pace(now_ns)

    def _pace(self, now_ns: int) -> Iterator[AnyObservation]:
        """Tell how far the sensors have come, and look after them."""
        self._queue.put(Reached("pads", self._pads_reached_ns(now_ns)))  # behind everything that they have told so far
        if self._camera_lost:
            self._queue.put(Reached("camera", now_ns - self._watermark_ns))
        reached_ns = min(self._reached_ns.values())
        if reached_ns - self._ticked_ns >= TICK_NS:
            self._ticked_ns = reached_ns
            yield Tick(at_ns=reached_ns)
        if isinstance(self.camera, WatchedCamera):
            self.camera.check(now_ns)
        if self.pads is not None:
            self.pads.revive()

    def _pads_reached_ns(self, now_ns: int) -> int:
        """Return up to when everything that the pads felt is in the queue: they may have had no processor for a while,
        and the kernel keeps their edges meanwhile."""
        reached_ns = now_ns - self._watermark_ns
        told_ns = None if self.pads is None else self.pads.told_ns
        if told_ns is None or now_ns - told_ns > PATIENCE_NS:
            return reached_ns
        return min(reached_ns, told_ns - DEBOUNCE_NS)

    def _remember(self, seen: AnyObservation) -> None:
        if isinstance(seen, SensorLost | SensorBack) and seen.sensor == "camera":
            self._camera_lost = isinstance(seen, SensorLost)

    def _watch(self) -> None:
        """The eyes' thread."""
        try:
            for frame in self.camera.frames() if self.camera is not None else ():
                if self.last_frame is None:
                    self._on_first_frame(frame)
                self.last_frame = frame
                self._busy_since_ns = self._clock()
                for seen in self.eyes.see(frame):
                    self._queue.put(seen)
                self._busy_since_ns = None
                self._queue.put(Reached("camera", frame.at_ns))
        finally:
            self._queue.put(Ended(sys.exc_info()[1]))


@dataclass(frozen=True, slots=True)
class Reached:
    """A sensor (`camera`, `pads`) has told everything that it saw up to `at_ns`."""

    sensor: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will come from the camera: the recording is over, the rig was closed, or the eyes broke."""

    error: BaseException | None = None


NewsQueue = SimpleQueue[AnyObservation | Reached | Ended]
"""Where every sensor's thread drops what it saw; its `put` is the sink that sensors are given."""
