"""The bench of the set-up on the pages: the running rig's pictures and pads, and the buttons of a page for answers."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic, monotonic_ns, sleep
from typing import Final, TypeVar

from calibration.bench import Scene
from calibration.camera import Filmed
from calibration.deck import Doubtful
from calibration.offset import Blinker, Offset, look_at, offset_of
from calibration.wires import Listener, Press
from hardware.frames import Frame
from hardware.pads import PadReader
from hardware.pads.debounce import PadEvent
from hardware.rig import LiveRig
from hardware.signals import SignalPlayer
from referee.cards import Card
from referee.errors import DeviceError
from referee.observations import AnyObservation
from referee.settings import Settings, table_file

Answer = TypeVar("Answer")

SLICE_NS: Final = 200_000_000
"""So often a step that waits looks whether it was stopped."""
SETTLE_S: Final = 0.7
"""After the simulated table was laid anew, until a picture shows it."""
CAMERA_S: Final = 12.0
"""How long a picture is waited for."""


class StepLeftError(Exception):
    """The person has left the step."""


class LiveBench:
    """Attached while a set-up runs. A step works in a thread of its own; `stop` makes it end soon."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._current = settings
        self._listener = Listener()
        self._rig: LiveRig | None = None
        self._signals: SignalPlayer | None = None
        self._stopping = Event()
        self._answers: SimpleQueue[bool] = SimpleQueue()
        self._names: SimpleQueue[list[Card | None]] = SimpleQueue()
        self.ask_another: Callable[[str], None] = lambda text: None
        """Is told that a step waits for `answer`."""
        self.ask_names: Callable[[Sequence[Doubtful], Sequence[Card]], None] = lambda doubtful, missing: None
        """Is told that a step waits for `name`: which cards these pictures show."""
        self.lay: Callable[[Scene, int], None] | None = None
        """Lays the simulated table; `int` counts how often the same was wanted."""
        self._laid: list[Scene] = []

    # -- what a step asks ---------------------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        return self._current()

    @property
    def table_path(self) -> Path:
        return table_file(self.settings)

    def film(self, count: int) -> Filmed:
        """Return so many pictures, each of them new."""
        frames: list[Frame] = []
        ages: list[int] = []
        for frame in islice(self._new_frames(), count):
            frames.append(frame)
            ages.append(monotonic_ns() - frame.at_ns)
        status = self._running().status()
        return Filmed(status.camera, frames, sorted(ages)[len(ages) // 2], list(status.complaints))

    def watch(self, seconds: float) -> Iterator[Frame]:
        """Yield new pictures for so long."""
        end_s = monotonic() + seconds
        return takewhile(lambda frame: monotonic() < end_s, self._new_frames())

    def _new_frames(self) -> Iterator[Frame]:
        """Yield pictures as they come; raises DeviceError when none comes any more."""
        last = self._running().last_frame
        end_s = monotonic() + CAMERA_S
        while True:
            self._leave_if_stopped()
            if monotonic() > end_s:
                raise DeviceError(self.no_picture())
            frame = self._running().last_frame
            if frame is None or frame is last:
                sleep(0.004)
                continue
            last = frame
            yield frame
            end_s = monotonic() + CAMERA_S

    def press(self, patience_ns: int) -> Press | None:
        """Return the next press, None where none came in time."""
        self._running()
        end_ns = monotonic_ns() + patience_ns
        while (left_ns := end_ns - monotonic_ns()) > 0:
            self._leave_if_stopped()
            if (press := self._listener.press(min(left_ns, SLICE_NS))) is not None:
                return press
        return None

    def race(self, patience_ns: int) -> list[Press]:
        """Return the first slaps of the first two pads; one alone is waited for again."""
        self._running()
        end_ns = monotonic_ns() + patience_ns
        while (left_ns := end_ns - monotonic_ns()) > 0:
            self._leave_if_stopped()
            if slaps := self._listener.race(min(left_ns, SLICE_NS)):
                return slaps
        return []

    def blink(self, seconds: float) -> Offset:
        """Blink the rig's lights while its camera films."""
        if self._signals is None:
            raise DeviceError("no lights are wired; see the step wires")
        blinker = Blinker(self._signals.outputs)
        blinker.start()
        end_s = monotonic() + seconds
        looks = []
        try:
            while monotonic() < end_s:
                looks += [look_at(frame) for frame in self.film(1).frames]
        finally:
            switched = blinker.stop()
        return offset_of(looks, switched)

    def another(self, ask: str) -> bool:
        """Wait until the person has answered on the page."""
        self.ask_another(ask)
        return self._awaited(self._answers)

    def names_of(self, doubtful: Sequence[Doubtful], missing: Sequence[Card]) -> list[Card | None]:
        """Wait until the person has named the cards on the page."""
        self.ask_names(doubtful, missing)
        return self._awaited(self._names)

    def _awaited(self, answers: "SimpleQueue[Answer]") -> Answer:
        while True:
            self._leave_if_stopped()
            try:
                return answers.get(timeout=SLICE_NS / 1e9)
            except Empty:
                continue

    def lies(self, scene: Scene) -> None:
        """At a real table the person has laid the cards; a simulated one lays itself."""
        if self.lay is not None:
            self.lay(scene, self._laid.count(scene))
            self._laid.append(scene)
            sleep(SETTLE_S)

    # -- what others do -----------------------------------------------------------------------------------------------

    def attach(self, rig: LiveRig, pads: PadReader, signals: SignalPlayer) -> None:
        """A set-up runs from now on."""
        self._listener.bounces = lambda pad: pads.debouncer.counts[pad, "bounce"]
        self._rig, self._signals = rig, signals

    def detach(self) -> None:
        """The set-up is over; a step that still runs ends with a word about it."""
        self.stop()
        self._rig = self._signals = None

    def hear(self, news: PadEvent | AnyObservation) -> None:
        """Take in what the pads say; from any thread."""
        if self._rig is not None:
            self._listener.hear(news)

    def begin(self) -> None:
        """Forget presses and answers of before: a step begins."""
        self._stopping.clear()
        self._listener.forget()
        self._laid.clear()
        for answers in (self._answers, self._names):
            while not answers.empty():
                answers.get_nowait()

    def answer(self, more: bool) -> None:
        """The person has answered `another`."""
        self._answers.put(more)

    def name(self, names: list[Card | None]) -> None:
        """The person has answered `names_of`."""
        self._names.put(names)

    def stop(self) -> None:
        """Make a step that runs end soon."""
        self._stopping.set()

    @property
    def signals(self) -> SignalPlayer | None:
        """Lights and buzzer, for the buttons that try them; None while no set-up runs."""
        return self._signals

    def no_picture(self) -> str:
        """Return why there is no picture, with the cure."""
        status = self._running().status()
        return status.camera_lost or "no picture comes; check the camera's plug and cable"

    def _running(self) -> LiveRig:
        if self._rig is None:
            raise DeviceError("the table is not being set up; begin with the button on the page Set-up")
        return self._rig

    def _leave_if_stopped(self) -> None:
        if self._stopping.is_set():
            raise StepLeftError
