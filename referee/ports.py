"""What the edge fills in: the shapes of everything that touches the world. The core imports nothing from the edge."""

from collections.abc import Callable, Iterable
from typing import Protocol

from referee.observations import AnyObservation
from referee.verdicts import AnyVerdict

ObservationSink = Callable[[AnyObservation], None]
"""Where a sensor's thread drops what it saw: stamps and enqueues, nothing else."""


class ObservationSource(Protocol):
    """A table: live, from a video, simulated or from a log. Iterating yields observations until the game ends."""

    def observations(self) -> Iterable[AnyObservation]: ...


class VerdictSink(Protocol):
    """Something that tells people: lights and buzzer, a terminal, a page."""

    def tell(self, verdict: AnyVerdict) -> None: ...
