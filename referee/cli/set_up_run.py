"""A table between games: camera and pads run, nothing is judged, and the set-up may look and listen."""

from contextlib import ExitStack
from time import monotonic_ns

from hardware.heart import Heart
from hardware.pads.debounce import PadEvent
from hardware.rig import LiveRig
from hardware.signals import SignalPlayer
from hardware.vision.snapshots import NoAlbum
from referee.cli.keyboard import Keyboard
from referee.cli.rig_run import RigRun
from referee.cli.run_screen import status_words
from referee.cli.table_parts import Parts
from referee.cli.table_run import SHOW_NS, KeyTaker, stopped_by_signals
from referee.observations import AnyObservation
from referee.settings import Settings
from referee.web.desk import Desk


class SetUpRun(RigRun):
    """Camera and pads for the set-up. Build the parts with its `queue`, `felt` and `note`; then `run`."""

    def __init__(self, settings: Settings, desk: Desk) -> None:
        super().__init__()
        self._settings, self._desk = settings, desk

    def felt(self, seen: AnyObservation) -> None:
        """The pads' sink: the step that listens is told, and so is the page."""
        self._desk.bench.hear(seen)
        self.queue.put(seen)

    def note(self, event: PadEvent) -> None:
        """What the pads say about their contacts."""
        self._desk.bench.hear(event)

    def run(self, parts: Parts, heart: Heart) -> None:
        """Run until somebody wants to play, or stops it."""
        with ExitStack() as stack:
            stack.callback(self._let_eyes_finish)
            self._signals = stack.enter_context(SignalPlayer(parts.outputs, self._settings.signals))
            rig = self._rig = LiveRig(
                parts.camera, parts.make_eyes(NoAlbum()), parts.pads, self.queue, on_pace=self._pace
            )
            parts.pads.touched = self._signals.touched
            self._heart = heart
            stack.callback(heart.stop)
            stack.enter_context(stopped_by_signals(self.stop))
            stack.enter_context(Keyboard(KeyTaker(self.stop, parts)))
            self._desk.opens("set_up", rig, self.queue, self._lights)
            stack.callback(self._desk.closes)
            self._desk.bench.attach(rig, parts.pads, self._signals)
            stack.callback(self._desk.bench.detach)
            self._settle()
            heart.ready()
            for seen in rig.observations():
                self._desk.saw(seen)

    def _pace(self) -> None:
        now_ns = monotonic_ns()
        if self._rig is None or self._heart is None or now_ns - self._shown_ns < SHOW_NS:
            return
        self._shown_ns = now_ns
        self._heart.beat(f"being set up; {status_words(self._rig.status())}")
