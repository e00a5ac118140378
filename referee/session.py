"""The one loop: what sensors saw goes into the tracker in order of arrival, and both sides are told to everybody.

A live table, a video, a simulated table and a log differ only in the source. The loop has no clock, thread or file.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from referee.observations import AnyObservation
from referee.verdicts import AnyVerdict


class Judge(Protocol):
    """The tracker: it orders sensors of different delay by itself."""

    def feed(self, seen: AnyObservation) -> Iterable[AnyVerdict]: ...


class Follower(Protocol):
    """Somebody who is told everything in order: a log, the lights and the buzzer, a terminal, a page."""

    def saw(self, seen: AnyObservation) -> None: ...

    def tell(self, verdict: AnyVerdict) -> None: ...


class Session:
    """One table being refereed."""

    def __init__(self, judge: Judge, followers: Sequence[Follower] = ()) -> None:
        self._judge, self._followers = judge, followers

    def run(self, source: Iterable[AnyObservation]) -> Iterator[AnyObservation | AnyVerdict]:
        """Referee until the source ends. Yields each observation and then what the tracker says after it."""
        for seen in source:
            yield seen
            yield from self.take(seen)

    def take(self, seen: AnyObservation) -> list[AnyVerdict]:
        """Take in one observation, tell the followers, return the verdicts that it brought about."""
        for follower in self._followers:
            follower.saw(seen)
        verdicts = list(self._judge.feed(seen))
        for verdict in verdicts:
            for follower in self._followers:
                follower.tell(verdict)
        return verdicts
