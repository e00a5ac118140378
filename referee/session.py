"""The one loop: what sensors saw goes through the sequencer into the tracker, and both sides are told to everybody.

A live table, a video, a simulated table and a log differ only in the source. The loop has no clock, thread or file.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from referee.observations import AnyObservation
from referee.verdicts import AnyVerdict


@dataclass(frozen=True, slots=True)
class Reached:
    """A sensor (`camera`, `pads`) has told everything that it saw up to `at_ns`."""

    sensor: str
    at_ns: int


News = AnyObservation | Reached
"""What a source yields: something seen, or how far a sensor has come."""


class Order(Protocol):
    """The sequencer: puts the observations of sensors of different delay into one order of time."""

    def push(self, seen: AnyObservation) -> None: ...

    def reached(self, sensor: str, at_ns: int) -> None: ...

    def released(self) -> Iterable[AnyObservation]:
        """Return what every sensor has come past, in order; each observation once."""
        ...

    def rest(self) -> Iterable[AnyObservation]:
        """Return all that is left, in order: nothing more will come."""
        ...


class Judge(Protocol):
    """The tracker."""

    def feed(self, seen: AnyObservation) -> Iterable[AnyVerdict]: ...


class Follower(Protocol):
    """Somebody who is told everything in order: a log, the lights and the buzzer, a terminal, a page."""

    def saw(self, seen: AnyObservation) -> None: ...

    def tell(self, verdict: AnyVerdict) -> None: ...


class Session:
    """One table being refereed."""

    def __init__(self, order: Order, judge: Judge, followers: Sequence[Follower] = ()) -> None:
        self._order, self._judge, self._followers = order, judge, followers

    def run(self, source: Iterable[News]) -> Iterator[AnyObservation | AnyVerdict]:
        """Referee until the source ends. Yields each observation and then what the tracker says about it."""
        for news in source:
            yield from self.take(news)
        yield from self.finish()

    def take(self, news: News) -> list[AnyObservation | AnyVerdict]:
        """Take in one piece of news and return what became known by it, after the followers were told."""
        if isinstance(news, Reached):
            self._order.reached(news.sensor, news.at_ns)
        else:
            self._order.push(news)
        return self._judge_all(self._order.released())

    def finish(self) -> list[AnyObservation | AnyVerdict]:
        """Judge what the sequencer still holds back: no sensor will tell more."""
        return self._judge_all(self._order.rest())

    def _judge_all(self, ready: Iterable[AnyObservation]) -> list[AnyObservation | AnyVerdict]:
        known: list[AnyObservation | AnyVerdict] = []
        for seen in ready:
            known.append(seen)
            for follower in self._followers:
                follower.saw(seen)
            for verdict in self._judge.feed(seen):
                known.append(verdict)
                for follower in self._followers:
                    follower.tell(verdict)
        return known
