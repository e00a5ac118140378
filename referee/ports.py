"""What the edge fills in: the shapes of everything that touches the world. The core imports nothing from the edge."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from referee.observations import AnyObservation
from referee.verdicts import AnyVerdict

ObservationSink = Callable[[AnyObservation], None]
"""Where a sensor's thread drops what it saw: stamps and enqueues, nothing else."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A sensor (`camera`, `pads`) has told everything that it saw up to `at_ns`."""

    sensor: str
    at_ns: int


News = AnyObservation | Reached
"""What a source yields: something seen, or how far a sensor has come."""


class ObservationSource(Protocol):
    """A table: live, from a video, simulated or from a log. Iterating yields news until the game ends."""

    def observations(self) -> Iterable[News]: ...


class VerdictSink(Protocol):
    """Something that tells people: lights and buzzer, a terminal, a page."""

    def tell(self, verdict: AnyVerdict) -> None: ...
