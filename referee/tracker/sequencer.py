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
        self._held: list[tuple[int, int, int, AnyObservation]] = []
        self._now_ns: int | None = None

    def __len__(self) -> int:
        return len(self._held)

    def copy(self) -> "Sequencer":
        twin = Sequencer()
        twin._held, twin._now_ns = list(self._held), self._now_ns
        return twin

    def hold(self, numbered: Numbered, wait_ns: int) -> None:
        """Keep an observation until `wait_ns` after its moment."""
        n, seen = numbered
        heapq.heappush(self._held, (seen.at_ns, n, wait_ns, seen))

    def hear(self, at_ns: int) -> None:
        """Some sensor spoke of this moment: time has come at least so far."""
        self._now_ns = at_ns if self._now_ns is None else max(self._now_ns, at_ns)

    def release(self) -> Iterator[Numbered]:
        """Yield what has waited long enough, the earliest first. A later one never overtakes an earlier one."""
        while self._held and self._now_ns is not None:
            at_ns, n, wait_ns, seen = self._held[0]
            if at_ns + wait_ns > self._now_ns:
                return
            heapq.heappop(self._held)
            yield n, seen

    def flush(self) -> Iterator[Numbered]:
        """Yield everything that is still held: no more will come."""
        while self._held:
            _, n, _, seen = heapq.heappop(self._held)
            yield n, seen
