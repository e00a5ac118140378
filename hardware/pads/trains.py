"""Edge trains: what contacts do over time, played through the debouncer without pins, threads or waiting.

The pads file of a video, the simulated table's pads and the tests all come through here, so that they meet the same
debouncing as a real pad.
"""

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

from hardware.pads.debounce import ContactRules, Debouncer, PadEvent
from hardware.pads.edges import Edge, Pad, Reading
from referee.errors import PictureError, cause_of
from referee.files import read_given_text
from referee.table import PILES, PLAYERS
from referee.units import MS

QUICK_NS: Final = 1 * MS
"""Pace of level readings from an edge until the pad is surely open."""
SLOW_NS: Final = 50 * MS
"""Pace of level readings of pads at rest: finds lost edges and held pads."""


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A contact closes (`down`) or opens."""

    at_ns: int
    pad: Pad
    down: bool


def contact(pad: Pad, from_ns: int, until_ns: int) -> list[Change]:
    """Return one contact as its two changes."""
    return [Change(from_ns, pad, True), Change(until_ns, pad, False)]


def at_once(edge: Edge) -> int | None:
    """Deliver an edge without delay."""
    return edge.at_ns


@dataclass(slots=True)
class TrainPlayer:
    """Plays changes against a debouncer as a reader thread would: wakes on edges, reads levels at two paces."""

    debouncer: Debouncer
    delivered_at: Callable[[Edge], int | None] = at_once
    """When an edge reaches the reader; None: it is lost."""
    asleep: Sequence[tuple[int, int]] = ()
    """Stretches in which the reader gets no processor."""
    down: dict[Pad, bool] = field(default_factory=dict)
    _due: list[tuple[int, int, Edge | Change | None]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def play(self, changes: Iterable[Change], until_ns: int) -> list[PadEvent]:
        """Return everything that the debouncer says until then. The pads are open at the start unless `down`."""
        self._lay_out(changes)
        events: list[PadEvent] = []
        next_reading_ns = 0
        while self._due and self._due[0][0] <= until_ns:
            at_ns, _, item = heapq.heappop(self._due)
            if isinstance(item, Change):
                self.down[item.pad] = item.down
            elif item is None and at_ns < next_reading_ns:
                continue  # an edge came in between: the readings follow a new pace
            elif (awake_ns := self._asleep_until(at_ns)) is not None:
                self._put(awake_ns, item)
            else:
                events += self._wake(at_ns, item)
                next_reading_ns = at_ns + (QUICK_NS if self.debouncer.restless(at_ns) else SLOW_NS)
                self._put(next_reading_ns, None)
        return events

    def _lay_out(self, changes: Iterable[Change]) -> None:
        self._put(0, None)
        for number, change in enumerate(sorted(changes)):
            self._put(change.at_ns, change)
            edge = Edge(change.at_ns, number, change.pad)
            if change.down and (at_ns := self.delivered_at(edge)) is not None:
                self._put(max(at_ns, change.at_ns), edge)

    def _wake(self, at_ns: int, edge: Edge | None) -> list[PadEvent]:
        if edge is not None:
            self.debouncer.feed(edge)
        self.debouncer.feed(Reading(at_ns, {pad: self.down.get(pad, False) for pad in self.debouncer.pads}))
        return self.debouncer.advance(at_ns)

    def _put(self, at_ns: int, item: Edge | Change | None) -> None:
        heapq.heappush(self._due, (at_ns, next(self._numbers), item))

    def _asleep_until(self, at_ns: int) -> int | None:
        return next((end for start, end in self.asleep if start <= at_ns < end), None)


def debounced(
    changes: Sequence[Change],
    pads: tuple[Pad, ...],
    uncertainty_ns: int,
    rules: ContactRules | None = None,
) -> list[PadEvent]:
    """Return slaps, releases and notes of a whole train, in order of their stamps."""
    player = TrainPlayer(Debouncer(pads, uncertainty_ns, rules or ContactRules()))
    end_ns = max((change.at_ns for change in changes), default=0) + 200 * MS
    return sorted(player.play(changes, end_ns), key=lambda event: event.at_ns)


def read_pads_file(path: Path) -> list[Change]:
    """Return the changes of a pads file (JSON lines `t_us player pile level`, on the video's clock).

    A pad is open before its first line, so the level of that line is "down" for this pad, however it is wired.
    Raises PictureError with the line that cannot be understood.
    """
    try:
        lines = read_given_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PictureError(
            f"{path}: cannot be read as a pads file ({cause_of(error)}); leave --pads out to go without"
        ) from None
    down_level: dict[Pad, object] = {}
    changes: list[Change] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            at_ns, pad, level = parse_pads_line(line, f"{path}, line {number}")
            changes.append(Change(at_ns, pad, level == down_level.setdefault(pad, level)))
    return changes


def parse_pads_line(line: str, place: str) -> tuple[int, Pad, object]:
    """Return moment (ns), pad and level of one line; raises PictureError."""
    try:
        entry = json.loads(line)
        player, pile = entry.get("player"), entry["pile"]
        at_us, level = int(entry["t_us"]), entry["level"]
        known = pile in PILES and player in (*PLAYERS, None, "unknown")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        known = False
    if not known:
        cure = 'write {"t_us": 1200, "player": "p1", "pile": "A", "level": 1}'
        raise PictureError(f"{place}: this is no edge of a pad; {cure}")
    return at_us * 1_000, Pad(None if player == "unknown" else player, pile), level
