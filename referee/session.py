"""The one loop: what sensors saw goes into the tracker in order of arrival, and both sides are told to everybody.

A live table, a video, a simulated table and a log differ only in the source. The loop has no clock, thread or file.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from referee.observations import AnyObservation
from referee.verdicts import AnyVerdict


class Judge(Protocol):
    """The tracker: it orders sensors of different delay by itself."""

    def feed(self, seen: AnyObservation, n: int | None = None) -> Iterable[AnyVerdict]: ...


class Record(Protocol):
    """The game log. Both return the running number of what they wrote."""

    def observation(self, seen: AnyObservation) -> int: ...

    def verdict(self, verdict: AnyVerdict) -> int: ...


class Follower(Protocol):
    """Somebody who is told everything in order: the lights and the buzzer, a terminal, a page."""

    def saw(self, seen: AnyObservation) -> None: ...

    def tell(self, verdict: AnyVerdict) -> None: ...


class Session:
    """One table being refereed."""

    def __init__(self, judge: Judge, record: Record | None = None, followers: Sequence[Follower] = ()) -> None:
        """Without a record nothing is kept, and the tracker counts by itself."""
        self._judge, self._record, self._followers = judge, record, followers

    def run(self, source: Iterable[AnyObservation]) -> Iterator[AnyObservation | AnyVerdict]:
        """Referee until the source ends. Yields each observation and then what the tracker says after it."""
        for seen in source:
            yield seen
            yield from self.take(seen)

    def take(self, seen: AnyObservation) -> list[AnyVerdict]:
        """Take in one observation, write it down, tell the followers; return the verdicts that it brought about."""
        n = self._record.observation(seen) if self._record else None
        for follower in self._followers:
            follower.saw(seen)
        verdicts = list(self._judge.feed(seen, n))
        for verdict in verdicts:
            if self._record:
                self._record.verdict(verdict)
            for follower in self._followers:
                follower.tell(verdict)
        return verdicts
