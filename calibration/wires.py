"""Are the pads wired as the settings say? Each is pressed in turn: which pin moved, how long, and how clean."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic_ns
from typing import Final

from hardware.checks.report import Answer, fail, ok, warn
from hardware.pads import Pad, PadBackend, PadNote, PadReader, contact_rules, pads_of
from hardware.pads.debounce import PadEvent
from hardware.pads.edges import MILLISECOND
from referee.errors import DeviceError
from referee.observations import AnyObservation, PadReleased, PadSlapped, SensorLost
from referee.settings import PadsSection
from referee.table import PILES, PLAYERS

SIDE: Final = {"A": "left", "B": "right"}
"""Pile A is the left one as p1 sees it."""
MANY_BOUNCES: Final = 15
LET_GO_NS: Final = 3_000 * MILLISECOND


@dataclass(frozen=True, slots=True)
class Press:
    """One press as it was felt: `contact_ns` None while it is still held."""

    pad: Pad
    contact_ns: int | None
    bounces: int
    notes: tuple[str, ...] = ()
    lost_edge: bool = False


class Listener:
    """Hears pads one press at a time, from `listening`."""

    def __init__(self, backend: PadBackend, settings: PadsSection) -> None:
        self.pads = pads_of(settings)
        self._news: SimpleQueue[PadEvent | AnyObservation] = SimpleQueue()
        self._reader = PadReader(backend, self.pads, self._news.put, self._news.put, contact_rules(settings))

    def start(self) -> None:
        self._reader.start()

    def stop(self) -> None:
        self._reader.stop()

    def press(self, timeout_ns: int) -> Press | None:
        """Return the next press once it was let go (or held for three seconds), None where none came in time.

        Raises:
            DeviceError: the pads cannot be read.
        """
        bounces = {pad: self._count(pad, "bounce") for pad in self.pads}
        notes: list[PadNote] = []
        slap: PadSlapped | None = None
        end_ns = monotonic_ns() + timeout_ns
        while (left_ns := end_ns - monotonic_ns()) > 0:
            try:
                news = self._news.get(timeout=left_ns / 1e9)
            except Empty:
                break
            if isinstance(news, SensorLost) and not any(note.what == "held_at_start" for note in notes):
                raise DeviceError(news.reason)
            if isinstance(news, PadNote):
                notes.append(news)
            elif isinstance(news, PadSlapped) and slap is None:
                slap, end_ns = news, monotonic_ns() + LET_GO_NS
            elif isinstance(news, PadReleased) and slap is not None and _pad(news) == _pad(slap):
                return self._told(slap, news.contact_ns, bounces, notes)
        return None if slap is None else self._told(slap, None, bounces, notes)

    def _told(self, slap: PadSlapped, contact_ns: int | None, before: Mapping[Pad, int], notes: list[PadNote]) -> Press:
        pad = _pad(slap)
        said = tuple(note.sentence for note in notes if note.pad == pad and note.what != "edge_lost")
        lost = any(note.what == "edge_lost" for note in notes)
        return Press(pad, contact_ns, self._count(pad, "bounce") - before[pad], said, lost)

    def _count(self, pad: Pad, what: str) -> int:
        return self._reader.debouncer.counts[pad, what]


@contextmanager
def listening(backend: PadBackend, settings: PadsSection) -> Iterator[Listener]:
    """Listen to the pads in a `with` block; raises DeviceError with the cure where they cannot be had."""
    backend.open()  # in this thread first: what is wrong with the pins is said at once
    backend.close()
    listener = Listener(backend, settings)
    listener.start()
    try:
        yield listener
    finally:
        listener.stop()


def _pad(event: PadSlapped | PadReleased) -> Pad:
    return Pad(event.player, event.pile)


def pads_in_turn(settings: PadsSection) -> list[Pad]:
    """Return the pads in the order in which they are asked for."""
    return [pad for pad in pads_of(settings) if pad.player in (*PLAYERS, None) and pad.pile in PILES]


def as_asked(pad: Pad) -> str:
    """Return how a person is asked for a pad: left and right are as its owner sits."""
    if pad.player is None:
        return f"the pad of pile {pad.pile}"
    flipped = {"left": "right", "right": "left"}
    side = SIDE[pad.pile] if pad.player == "p1" else flipped[SIDE[pad.pile]]
    return f"{pad.player}'s {side} pad (pile {pad.pile})"


def judged(asked: Pad, press: Press | None, settings: PadsSection) -> Answer:
    """Return what a press says about the wires of the pad that was asked for."""
    pins = {Pad(*pad): pin for pad, pin in settings.pins().items()}
    if press is None:
        return fail(f"nothing came on GPIO{pins[asked]}", "press harder, or check the pad's wires to it and to ground")
    came = f"GPIO{pins[press.pad]} closed"
    if press.pad != asked:
        cure = f"swap the two wires, or swap pads.{_setting(asked)} and pads.{_setting(press.pad)} in the settings"
        return fail(f"{came}, that is {press.pad}; expected GPIO{pins[asked]}", cure)
    if press.contact_ns is None:
        return fail(f"{came} and stays closed", "let it go; else its wires touch, or it is closed at rest")
    says = f"{came} for {press.contact_ns / MILLISECOND:.0f} ms, bounced {press.bounces} times"
    if press.lost_edge:
        return warn(f"{says}, its edge was lost", "check the wires for a loose contact")
    if press.notes:
        return warn(f"{says}, {press.notes[0]}", "twist its two wires and keep them away from the lamp's cable")
    if press.bounces > MANY_BOUNCES:
        return warn(says, "a loose contact: tighten its wires, or press the foil smooth")
    return ok(says)


def _setting(pad: Pad) -> str:
    return f"{pad.player or {'A': 'p1', 'B': 'p2'}[pad.pile]}_{'a' if pad.player is None else pad.pile.lower()}_pin"
