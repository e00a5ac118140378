"""Which light burns and which tone sounds at a moment: pure code over the signals that were given, no clock.

Every cue runs on a timeline of its own from the moment it is given; where two want the same light or the buzzer, the
higher priority is seen and heard, and of equals the later one. So nothing is told late, and nothing piles up.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from referee.signals import SIGNALS, Beat, Colour, Cue, Signal, SignalName
from referee.table import Player
from referee.units import MS


class Output(NamedTuple):
    """What the pins show: both lights, and the buzzer's tone (0: silent). Colours only for lights that have some."""

    p1: bool = False
    p2: bool = False
    hz: int = 0
    p1_colour: Colour = "white"
    p2_colour: Colour = "white"


DARK: Final = Output()


@dataclass(frozen=True, slots=True)
class Running:
    """A cue on its timeline."""

    cue: Cue
    from_ns: int
    number: int

    @property
    def signal(self) -> Signal:
        return SIGNALS[self.cue.signal]

    @property
    def until_ns(self) -> int | None:
        """When it is over; None: it goes on until it is ended."""
        return None if self.signal.every_ms else self.from_ns + self.signal.length_ms * MS

    def beat_at(self, now_ns: int) -> tuple[Beat | None, int | None]:
        """Return the beat at a moment, and when the next one begins (None: never)."""
        if now_ns < self.from_ns:
            return None, self.from_ns
        period_ns = (self.signal.every_ms or 0) * MS
        rounds = (now_ns - self.from_ns) // period_ns if period_ns else 0
        round_ns = self.from_ns + rounds * period_ns
        end_ns = round_ns
        for beat in self.signal.beats:
            end_ns += beat.ms * MS
            if now_ns < end_ns:
                return (beat._replace(hz=0) if rounds else beat), end_ns
        return None, round_ns + period_ns if period_ns else None


@dataclass(slots=True)
class Mixer:
    """Give cues with `say`, end repeating ones with `end`, ask for the `output` of a moment."""

    silent: frozenset[str] = frozenset()
    """Names of signals that are shown and never sounded."""
    coloured: bool = False
    """Whether the lights have colours."""
    _running: list[Running] = field(default_factory=list)
    _given: int = 0

    def say(self, cue: Cue, now_ns: int) -> int:
        """Start a cue, or put it behind the announcement that is being made; returns when it begins.

        One that goes on by itself, or waits its turn already, is not given twice."""
        self._forget(now_ns)
        signal = SIGNALS[cue.signal]
        for running in self._running:
            if running.cue.signal == cue.signal and (signal.every_ms or running.from_ns > now_ns):
                return max(now_ns, running.from_ns)
        from_ns = now_ns
        if signal.waits:
            from_ns = max([now_ns] + [r.until_ns or now_ns for r in self._running if r.signal.waits])
        self._given += 1
        self._running.append(Running(cue, from_ns, self._given))
        return from_ns

    def end(self, name: SignalName) -> None:
        """End a repeating signal."""
        self._running = [r for r in self._running if r.cue.signal != name]

    def clear(self) -> None:
        """End everything."""
        self._running.clear()

    def output(self, now_ns: int) -> tuple[Output, int | None]:
        """Return what to show now, and when that changes next (None: not until the next cue)."""
        self._forget(now_ns)
        lights: dict[Player, bool] = {}
        colours: dict[Player, Colour] = {}
        hz: int | None = None
        changes: list[int] = []
        for running in sorted(self._running, key=lambda r: (r.signal.priority, r.number), reverse=True):
            beat, change_ns = running.beat_at(now_ns)
            if change_ns is not None:
                changes.append(change_ns)
            if beat is None:
                continue
            for player in running.cue.lights():
                if player not in lights:
                    lights[player] = beat.lit
                    colours[player] = running.signal.colour if beat.lit and self.coloured else "white"
            if hz is None and self._sounds(running, beat):
                hz = beat.hz
        burning = (lights.get("p1", False), lights.get("p2", False))
        shown = Output(*burning, hz or 0, colours.get("p1", "white"), colours.get("p2", "white"))
        return shown, min(changes, default=None)

    def _sounds(self, running: Running, beat: Beat) -> bool:
        """A signal with tones keeps the buzzer between them as well; a repeating one only while it sounds."""
        if running.cue.signal in self.silent:
            return False
        return beat.hz > 0 or (not running.signal.every_ms and any(b.hz for b in running.signal.beats))

    def _forget(self, now_ns: int) -> None:
        self._running = [r for r in self._running if r.until_ns is None or r.until_ns > now_ns]
