"""One order in time for sensors of different delay: pure watermarks, no clock.

A pad's stamp arrives at once, the landing that it must be compared with only when the picture has been read. So an
observation of a quick sensor waits until time, as all observations tell it, has passed by its wait.
"""

import heapq
from collections.abc import Iterator

from referee.observations import AnyObservation

Numbered = tuple[int, AnyObservation]
"""An observation with its running number."""


class Sequencer:
    """Hold observations back until nothing earlier can come any more; release them in the order of `at_ns`.

    Observations with the same stamp keep the order of their numbers. Deterministic: what comes out depends on what
    went in and on nothing else.
    """

    def __init__(self) -> None:
        self._held: list[tuple[int, int, AnyObservation]] = []
        self.now_ns: int | None = None
        """The latest moment that any sensor spoke of."""

    def __len__(self) -> int:
        return len(self._held)

    def copy(self) -> "Sequencer":
        twin = Sequencer()
        twin._held, twin.now_ns = list(self._held), self.now_ns
        return twin

    def hold(self, n: int, seen: AnyObservation) -> None:
        """Keep an observation until its wait is over."""
        heapq.heappush(self._held, (seen.at_ns, n, seen))

    def hear(self, at_ns: int) -> None:
        """Some sensor spoke of this moment: time has come at least so far."""
        if self.now_ns is None or at_ns > self.now_ns:
            self.now_ns = at_ns

    def release(self, wait_ns: int) -> Iterator[Numbered]:
        """Yield what is at least `wait_ns` old, the earliest first; a later one never overtakes an earlier one."""
        while self._held and self.now_ns is not None:
            at_ns, n, seen = self._held[0]
            if at_ns + wait_ns > self.now_ns:
                return
            heapq.heappop(self._held)
            yield n, seen

    def flush(self) -> Iterator[Numbered]:
        """Yield everything that is held, whatever its wait."""
        while self._held:
            _, n, seen = heapq.heappop(self._held)
            yield n, seen

    def first_ns(self) -> int | None:
        """The moment of the earliest observation that is held."""
        return self._held[0][0] if self._held else None
