"""From raw edges and level readings to slaps: pure code, no clock, no pins.

First contact counts. Edges say when a contact began; readings of the levels say whether it was one: a pad that reads
"down" a while after its latest edge was closed all that time, because any break would have made another edge. Inputs
may come out of order; they are held for `order_ns`, sorted by stamp, and an edge that comes later still is judged
by the readings that were kept.
"""

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from hardware.pads.edges import Edge, NoteKind, Pad, PadNote, Reading
from referee.observations import PadReleased, PadSlapped
from referee.units import MS

PadEvent = PadSlapped | PadReleased | PadNote


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactRules:
    """What makes a contact a slap. All in nanoseconds."""

    minimum_ns: int = 1 * MS
    """Closed this long without a break, or it is a spike."""
    bounce_gap_ns: int = 3 * MS
    """Edges that follow each other within this gap belong to one contact."""
    bounce_ns: int = 20 * MS
    """A contact does not bounce longer than this before it closes: earlier edges are noise."""
    release_ns: int = 20 * MS
    """Open this long without a break: the hand is off."""
    order_ns: int = 2 * MS
    """How long inputs are held to be sorted."""
    look_ahead_ns: int = 3 * MS
    """A slap is told this long after first contact: a ghost of the neighbour may have come before the true hit."""
    glance_ns: int = 5 * MS
    """If no level was read this long after an edge, nobody looked, and the contact is believed."""
    blind_ns: int = 80 * MS
    """An edge that comes after nobody looked at a closed pad for so long is a new slap: longer than the slow pace of
    readings, shorter than a hand needs to slap twice."""
    late_edge_ns: int = 20 * MS
    """A pad that is down this long without an edge has lost its edge."""
    dip_ns: int = MS // 2
    """All pads that close too briefly within this have one cause."""
    held_ns: int = 10_000 * MS
    """Down this long: somebody leans on the pad, or its wires touch."""
    tire_ns: int = 3_000 * MS
    """A pad that is held longer is read at the slow pace again."""


State = Literal["open", "touched", "closed", "held"]


@dataclass(slots=True)
class Contact:
    """What is known about one pad. `touched`: an edge, not yet believed. `held`: down since before we looked."""

    pad: Pad
    state: State = "open"
    first_ns: int = 0
    latest_ns: int = 0
    """Its latest edge; once closed, the latest moment at which it is known to have been down."""
    unknown_ns: tuple[int, int] = (0, 0)
    """The latest stretch of `blind_ns` or more in which nothing said that a closed pad was down."""
    looked: bool = False
    told: bool = False
    held_told: bool = False
    uncertainty_ns: int | None = None
    """Set where the first edge was lost and its moment is only bracketed by two readings."""
    over_ns: int = 0
    """The last contact that was told ended here; an edge from before it has been judged already."""
    last_open_ns: int | None = None
    open_since_ns: int | None = None
    down_since_ns: int | None = None
    """Down readings that no edge explains."""

    def begin(self, at_ns: int) -> None:
        """A first edge: forget what was before."""
        self.state, self.first_ns, self.latest_ns = "touched", at_ns, at_ns
        self.looked = self.told = self.held_told = False
        self.uncertainty_ns = self.open_since_ns = self.down_since_ns = None
        self.unknown_ns = (0, 0)

    def was_down(self, at_ns: int, blind_ns: int) -> None:
        """A closed pad is known to be down now."""
        if at_ns - self.latest_ns >= blind_ns:
            self.unknown_ns = (self.latest_ns, at_ns)
        self.open_since_ns, self.latest_ns = None, max(self.latest_ns, at_ns)

    def down_before_ns(self, at_ns: int) -> int:
        """Return when a closed pad was last known to be down, as seen from an edge that may have come late."""
        return self.unknown_ns[0] if at_ns <= self.unknown_ns[1] else self.latest_ns


@dataclass(slots=True)
class Debouncer:
    """Feed edges and readings in any order, then `advance` to hear what they meant.

    `counts` holds (pad, what) -> how often, for the pad test: spikes, bounces, cross-talk, lost edges, unseen contacts.
    """

    pads: tuple[Pad, ...]
    uncertainty_ns: int
    rules: ContactRules = field(default_factory=ContactRules)
    counts: Counter[tuple[Pad, str]] = field(default_factory=Counter)
    _contacts: dict[Pad, Contact] = field(init=False)
    _waiting: list[tuple[int, int, Edge | Reading]] = field(default_factory=list)
    _arrivals: Iterator[int] = field(default_factory=count)
    _readings: deque[Reading] = field(default_factory=lambda: deque(maxlen=64))
    _events: list[PadEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._contacts = {pad: Contact(pad) for pad in self.pads}

    def feed(self, *inputs: Edge | Reading) -> None:
        """Take edges and readings, in any order."""
        for item in inputs:
            heapq.heappush(self._waiting, (item.at_ns, next(self._arrivals), item))

    def advance(self, now_ns: int) -> list[PadEvent]:
        """Return what is certain at `now_ns`: slaps, releases and notes. Stamps lie some milliseconds back."""
        horizon_ns = now_ns - self.rules.order_ns
        while self._waiting and self._waiting[0][0] <= horizon_ns:
            item = heapq.heappop(self._waiting)[2]
            if isinstance(item, Edge):
                self._edge(item)
            else:
                self._reading(item)
            self._tell_due(item.at_ns)
        self._tell_due(horizon_ns)
        events, self._events = self._events, []
        return events

    def restless(self, now_ns: int) -> bool:
        """Return whether the levels should be read every millisecond: from an edge until the pad is surely open."""
        if any(isinstance(item, Edge) for _, _, item in self._waiting):
            return True
        tired_ns = now_ns - self.rules.tire_ns
        return any(
            c.down_since_ns is not None or (c.state in ("touched", "closed") and c.first_ns > tired_ns)
            for c in self._contacts.values()
        )

    def down(self) -> tuple[Pad, ...]:
        """Return the pads that are down, for the status line."""
        return tuple(pad for pad, contact in self._contacts.items() if contact.state in ("closed", "held"))

    # Edges -----------------------------------------------------------------------------------------------------------

    def _edge(self, edge: Edge) -> None:
        contact, at_ns = self._contacts[edge.pad], edge.at_ns
        if contact.state == "touched":
            self._edge_while_touched(contact, edge)
        elif contact.state == "open" and at_ns <= contact.over_ns:
            self.counts[edge.pad, "late_edge"] += 1
        elif contact.state == "open":
            contact.begin(at_ns)
            self._look_again(contact)
        elif self._was_let_go(contact, at_ns):
            self._release(contact, at_ns)
            contact.begin(at_ns)
            self._look_again(contact)
        else:
            self.counts[edge.pad, "bounce"] += 1
            contact.was_down(at_ns, self.rules.blind_ns)
            if not contact.told and contact.first_ns - self.rules.bounce_gap_ns <= at_ns < contact.first_ns:
                contact.first_ns = at_ns

    def _was_let_go(self, contact: Contact, at_ns: int) -> bool:
        """Return whether a closed pad was open long enough before this edge for it to be a new slap.

        It was open since a reading that said so, because closing would have made an edge. Where no reading tells, the
        processor had other work, and a hand that was seen down long ago has been lifted and came again.
        """
        if contact.open_since_ns is not None and at_ns - contact.open_since_ns >= self.rules.release_ns:
            return True
        return contact.state == "closed" and at_ns - contact.down_before_ns(at_ns) >= self.rules.blind_ns

    def _edge_while_touched(self, contact: Contact, edge: Edge) -> None:
        at_ns = edge.at_ns
        if at_ns < contact.latest_ns:  # came late and out of order
            contact.first_ns = min(contact.first_ns, at_ns)
            return
        if at_ns - contact.latest_ns > self.rules.glance_ns and not contact.looked:
            self._believe(contact)
            self._edge(edge)  # of the same contact, or of the next one
            return
        chained = at_ns - contact.latest_ns <= self.rules.bounce_gap_ns
        if chained and at_ns - contact.first_ns <= self.rules.bounce_ns:
            self.counts[contact.pad, "bounce"] += 1
            contact.latest_ns, contact.looked = at_ns, False
        else:
            self._reject(contact)
            contact.begin(at_ns)

    def _look_again(self, contact: Contact) -> None:
        """Judge an edge that came late by the readings after it."""
        for reading in [r for r in self._readings if r.at_ns > contact.first_ns]:
            self._read_one(contact, reading)

    # Readings --------------------------------------------------------------------------------------------------------

    def _reading(self, reading: Reading) -> None:
        self._readings.append(reading)
        for contact in self._contacts.values():
            self._read_one(contact, reading)

    def _read_one(self, contact: Contact, reading: Reading) -> None:
        at_ns, down = reading.at_ns, reading.down[contact.pad]
        match contact.state:
            case "open":
                self._read_open(contact, at_ns, down)
            case "touched":
                self._read_touched(contact, reading)
            case "closed" | "held":
                self._read_closed(contact, at_ns, down)
        if not down:
            contact.last_open_ns = at_ns - reading.lasted_ns

    def _read_touched(self, contact: Contact, reading: Reading) -> None:
        """A level says what was at some moment of its reading: only a reading that began late enough says anything."""
        at_ns = reading.at_ns
        since_ns = at_ns - contact.latest_ns
        if since_ns - reading.lasted_ns < self.rules.minimum_ns:
            return
        if reading.down[contact.pad]:
            self._believe(contact)
        elif since_ns <= self.rules.glance_ns:
            contact.looked = True
        elif contact.looked:
            self._reject(contact)
        else:
            self.counts[contact.pad, "unseen"] += 1
            self._believe(contact)
            contact.open_since_ns = at_ns

    def _read_open(self, contact: Contact, at_ns: int, down: bool) -> None:
        """Down without an edge: held since the start, or the edge is late, or it was lost."""
        since_ns = contact.down_since_ns
        if down and contact.last_open_ns is None:
            contact.begin(at_ns)
            contact.state = "held"
            self._note(contact, at_ns, "held_at_start", "is down already: lift what lies on it, or check its two wires")
        elif down and since_ns is None:
            contact.down_since_ns = at_ns
        elif down and since_ns is not None and at_ns - since_ns >= self.rules.late_edge_ns:
            self._repair(contact, at_ns)
        elif not down and since_ns is not None:
            if at_ns - since_ns > 2 * self.rules.minimum_ns:
                self._repair(contact, at_ns)
            contact.down_since_ns = None

    def _repair(self, contact: Contact, at_ns: int) -> None:
        """A contact without an edge: it began between the last open reading and the first one that was down."""
        down_ns = contact.down_since_ns or at_ns
        open_ns = contact.last_open_ns or down_ns
        contact.begin((open_ns + down_ns) // 2)
        contact.uncertainty_ns = (down_ns - open_ns) // 2 + self.uncertainty_ns
        self._believe(contact)
        self._note(contact, at_ns, "edge_lost", "was down without telling: its first contact is known only roughly")

    def _read_closed(self, contact: Contact, at_ns: int, down: bool) -> None:
        if down:
            contact.was_down(at_ns, self.rules.blind_ns)
            if not contact.held_told and contact.state == "closed" and at_ns - contact.first_ns >= self.rules.held_ns:
                contact.held_told = True
                self._note(contact, at_ns, "held_long", "is held down: it counts again when it was let go")
            return
        if contact.open_since_ns is None:
            contact.open_since_ns = at_ns
        if at_ns - contact.open_since_ns >= self.rules.release_ns:
            self._release(contact, at_ns)

    # Meaning ---------------------------------------------------------------------------------------------------------

    def _believe(self, contact: Contact) -> None:
        contact.state = "closed"

    def _reject(self, contact: Contact) -> None:
        gaps_ns = [abs(other.first_ns - contact.first_ns) for other in self._contacts.values()]
        together = (
            "dipped together with all others: check the supply and the ground wire, and what is switched beside it"
        )
        alone = "closed too briefly for a slap: noise, or a loose wire"
        self._note(contact, contact.latest_ns, "spike", together if max(gaps_ns) <= self.rules.dip_ns else alone)
        contact.state = "open"

    def _release(self, contact: Contact, at_ns: int) -> None:
        since_ns = contact.open_since_ns or contact.down_before_ns(at_ns)
        if contact.state == "held":
            self._note(contact, at_ns, "free_again", "is free again")
        else:
            self._tell(contact)
            player, pile = contact.pad
            held_ns = max(0, since_ns - contact.first_ns)
            self._events.append(PadReleased(at_ns=since_ns, player=player, pile=pile, contact_ns=held_ns))
        contact.state, contact.down_since_ns, contact.over_ns = "open", None, since_ns

    def _tell_due(self, at_ns: int) -> None:
        for contact in self._contacts.values():
            if contact.state == "closed" and at_ns >= contact.first_ns + self.rules.look_ahead_ns:
                self._tell(contact)

    def _tell(self, contact: Contact) -> None:
        if contact.told:
            return
        contact.told = True
        own_ns = self.uncertainty_ns if contact.uncertainty_ns is None else contact.uncertainty_ns
        uncertainty_ns = max(own_ns, self._doubt_of_ghost(contact))
        player, pile = contact.pad
        at_ns = contact.first_ns
        self._events.append(PadSlapped(at_ns=at_ns, player=player, pile=pile, uncertainty_ns=uncertainty_ns))

    def _doubt_of_ghost(self, contact: Contact) -> int:
        """Return how far a short contact lies before a neighbour's lasting one: it may have been shaken loose by it."""
        if contact.open_since_ns is None:
            return 0
        gaps_ns = [
            other.first_ns - contact.first_ns
            for other in self._contacts.values()
            if other is not contact and other.state in ("touched", "closed") and other.open_since_ns is None
        ]
        close = [gap_ns for gap_ns in gaps_ns if 0 <= gap_ns <= self.rules.look_ahead_ns]
        if not close:
            return 0
        self._note(contact, contact.first_ns, "cross_talk", "closed shortly before its neighbour: move the pads apart")
        return max(close)

    def _note(self, contact: Contact, at_ns: int, what: NoteKind, sentence: str) -> None:
        self.counts[contact.pad, what] += 1
        self._events.append(PadNote(at_ns, contact.pad, what, f"pad {contact.pad} {sentence}"))


def slaps(events: Iterable[PadEvent]) -> list[PadSlapped]:
    """Return the slaps among events, in order of first contact."""
    return sorted((e for e in events if isinstance(e, PadSlapped)), key=lambda slap: slap.at_ns)
