"""What every run of a rig has: the rig and its lights, how far each loop is, and an end in order."""

import gc
from collections.abc import Mapping
from queue import SimpleQueue
from time import monotonic_ns

from hardware.heart import Heart
from hardware.rig import LiveRig, NewsQueue
from hardware.signals import DARK, Output, SignalPlayer


class RigRun:
    """A rig at work; the game and the set-up say what is done with it."""

    def __init__(self) -> None:
        self.queue: NewsQueue = SimpleQueue()
        self.was_stopped = False
        """Whether a person at the terminal or the service manager ended it; else the table or the pages did."""
        self._signals: SignalPlayer | None = None
        self._rig: LiveRig | None = None
        self._heart: Heart | None = None
        self._shown_ns = 0

    def stop(self) -> None:
        """End it in order; may be called from a signal handler."""
        self.was_stopped = True
        if self._rig is not None:
            self._rig.stop()

    def ages(self) -> Mapping[str, int]:
        """Return how long ago each loop made progress: what the heart goes by."""
        ages = self._rig.ages() if self._rig is not None else {}
        return ages | ({"signals": monotonic_ns() - self._signals.beat_ns} if self._signals is not None else {})

    def _settle(self) -> None:
        """The collector leaves alone what has been loaded by now: its going through that would hold up the pads."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def _let_eyes_finish(self) -> None:
        if self._rig is not None:
            self._rig.join()

    def _lights(self) -> Output:
        return DARK if self._signals is None else self._signals.shown
