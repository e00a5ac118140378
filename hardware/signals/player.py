"""One thread that plays signals on lights and buzzer: it sleeps until the next change, and nothing else ever waits."""

import atexit
from collections.abc import Callable
from datetime import datetime, time
from threading import Condition, Thread
from time import monotonic_ns
from typing import Final

from hardware.pads.edges import Pad
from hardware.signals.mixer import DARK, Mixer, Output
from hardware.signals.outputs import Outputs
from referee.errors import DeviceError
from referee.settings import SignalsSection
from referee.signals import Cue, SignalName, cue, cues_for, ended_by
from referee.verdicts import AnyVerdict

LONGEST_SLEEP_NS: Final = 500_000_000
"""The thread goes round at least this often, so that a watchdog sees it alive, and tries outputs that were lost."""


def time_of_day() -> time:
    """Return the wall clock's time, for quiet hours only."""
    return datetime.now().time()


class SignalPlayer:
    """Shows cues and verdicts. All calls return at once; `close` leaves everything dark and silent.

    With it as a context manager, and at the exit of the program, it closes by itself.
    """

    def __init__(
        self,
        outputs: Outputs,
        settings: SignalsSection | None = None,
        clock: Callable[[], int] = monotonic_ns,
        wall: Callable[[], time] = time_of_day,
    ) -> None:
        self.outputs = outputs
        self.beat_ns = clock()
        """When the thread last went round."""
        self.fault = ""
        """Why the outputs do not answer; empty while they do."""
        self.shown = DARK
        """What lights and buzzer show now."""
        self.muted = settings.mute if settings else False
        self._settings = settings or SignalsSection()
        self._clock, self._wall = clock, wall
        self._mixer = Mixer(frozenset(self._settings.silent_signals), self._settings.has_colours())
        self._changed = Condition()
        self._closing = False
        self._thread = Thread(target=self._run, name="signals", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def __enter__(self) -> "SignalPlayer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def say(self, given: Cue) -> int:
        """Start a signal; returns when it begins (CLOCK_MONOTONIC), which is later for one that waits."""
        with self._changed:
            begins_ns = self._mixer.say(given, self._clock())
            self._changed.notify()
        return begins_ns

    def end(self, name: SignalName) -> None:
        """End a repeating signal."""
        with self._changed:
            self._mixer.end(name)
            self._changed.notify()

    def tell(self, verdict: AnyVerdict) -> None:
        """Say a verdict."""
        for name in ended_by(verdict):
            self.end(name)
        for given in cues_for(verdict):
            self.say(given)

    def touched(self, pad: Pad) -> None:
        """A pad was felt: its own light blinks at once, long before anybody is named."""
        self.say(cue("touched", pad.player))

    def close(self) -> None:
        """End everything: dark, silent, pins given back."""
        with self._changed:
            if self._closing:
                return
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout=2)
        self.outputs.close()
        atexit.unregister(self.close)

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._closing:
                    return
                wanted, wait_s = self._next()
                if wanted == self.shown:
                    self._changed.wait(wait_s)
                if wanted == self.shown and not self.fault:
                    continue
            self._show(wanted)  # outside the lock: pins that hang must not hold up those who give cues
            self.shown = wanted

    def _next(self) -> tuple[Output, float]:
        """Return what to show now, and how long until that may change."""
        now_ns = self.beat_ns = self._clock()
        wanted, change_ns = self._mixer.output(now_ns)
        if self._is_quiet():
            wanted = wanted._replace(hz=0)
        wait_ns = LONGEST_SLEEP_NS if change_ns is None else max(0, change_ns - now_ns)
        return wanted, min(wait_ns, LONGEST_SLEEP_NS) / 1e9

    def _show(self, output: Output) -> None:
        try:
            self.outputs.show(output)
            self.fault = ""
        except DeviceError as error:
            self.fault = str(error)

    def _is_quiet(self) -> bool:
        if self.muted or self._settings.volume_percent == 0:
            return True
        start, end = self._settings.quiet_from, self._settings.quiet_until
        if start is None or end is None:
            return False
        return is_between(self._wall(), time.fromisoformat(start), time.fromisoformat(end))


def is_between(now: time, start: time, end: time) -> bool:
    """Return whether a time of day lies in a stretch, which may pass midnight."""
    return start <= now < end if start <= end else now >= start or now < end
