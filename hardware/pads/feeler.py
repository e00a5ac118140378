"""Which pads were just touched: early and nameless, for a pad's own light. Pure code.

A slap is told when it is certain, some milliseconds after first contact: levels have to be read, a neighbour's ghost
may have come first, and inputs are put in order. A light that answers a hand cannot wait for that. It wants to know one
thing: did this pad close and stay closed for the least time that makes a contact?
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hardware.pads.debounce import ContactRules
from hardware.pads.edges import Edge, Pad, Reading


@dataclass(slots=True)
class Feeler:
    """Give it what the reader gets, as it comes; it answers with the pads that were touched, each contact once."""

    rules: ContactRules = field(default_factory=ContactRules)
    _edges: dict[Pad, int] = field(default_factory=dict)
    """Latest edge of each pad that closed and has not been felt or found open."""
    _felt: dict[Pad, int] = field(default_factory=dict)
    """When each pad that was felt was last seen down."""
    _looked_ns: int = 0
    """When levels were last read."""

    def feel(self, edges: Iterable[Edge], reading: Reading) -> list[Pad]:
        """Return the pads that are down and were closed by an edge at least `minimum_ns` ago; late, but told, are those
        whose whole contact passed while the processor had other work."""
        for edge in edges:
            if edge.pad not in self._felt:
                self._edges[edge.pad] = edge.at_ns
        touched = []
        for pad, down in reading.down.items():
            if down and pad in self._felt:
                self._felt[pad] = reading.at_ns
            elif down and self._is_long_enough(pad, reading.at_ns):
                del self._edges[pad]
                self._felt[pad] = reading.at_ns
                touched.append(pad)
            elif not down and self._passed_unseen(pad, reading.at_ns):
                del self._edges[pad]
                touched.append(pad)
            elif not down:
                self._forget(pad, reading.at_ns)
        self._looked_ns = reading.at_ns
        return touched

    def _passed_unseen(self, pad: Pad, at_ns: int) -> bool:
        edge_ns = self._edges.get(pad)
        if edge_ns is None or at_ns - edge_ns <= self.rules.glance_ns:
            return False
        return self._looked_ns < edge_ns + self.rules.minimum_ns

    def _is_long_enough(self, pad: Pad, at_ns: int) -> bool:
        return pad in self._edges and at_ns - self._edges[pad] >= self.rules.minimum_ns

    def _forget(self, pad: Pad, at_ns: int) -> None:
        """An open pad: the hand is off after a while, and an edge long before was a spike."""
        if at_ns - self._felt.get(pad, at_ns) >= self.rules.release_ns:
            del self._felt[pad]
        if at_ns - self._edges.get(pad, at_ns) > self.rules.glance_ns:
            del self._edges[pad]
