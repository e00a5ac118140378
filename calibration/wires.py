"""Are the pads wired as the settings say? Each is pressed in turn: which pin moved, how long, and how clean."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic_ns
from typing import Final

from hardware.checks.report import Answer, fail, ok, warn
from hardware.pads import Pad, PadBackend, PadNote, PadReader, contact_rules, pads_of
from hardware.pads.debounce import PadEvent
from referee.errors import DeviceError
from referee.observations import AnyObservation, PadReleased, PadSlapped, SensorLost
from referee.settings import PadsSection
from referee.table import PILES, PLAYERS
from referee.units import MS, counted

SIDE: Final = {"A": "left", "B": "right"}
"""Pile A is the left one as p1 sees it."""
MANY_BOUNCES: Final = 15
LET_GO_NS: Final = 3_000 * MS
TOGETHER_NS: Final = 2_000 * MS
"""A second slap later than this is not one of two at the same time."""


@dataclass(frozen=True, slots=True)
class Press:
    """One press as it was felt: `contact_ns` None while it is still held."""

    pad: Pad
    contact_ns: int | None
    bounces: int
    notes: tuple[str, ...] = ()
    lost_edge: bool = False
    at_ns: int = 0
    uncertainty_ns: int = 0


class Listener:
    """Hears pads one press at a time. `hear` is the sink for what a pad reader says, `bounces` its counts so far."""

    def __init__(self, bounces: Callable[[Pad], int] = lambda pad: 0) -> None:
        self.bounces = bounces
        self._counted: dict[Pad, int] = {}
        self._news: SimpleQueue[PadEvent | AnyObservation] = SimpleQueue()

    def hear(self, news: PadEvent | AnyObservation) -> None:
        """Take in what the pads say; from any thread."""
        self._news.put(news)

    def forget(self) -> None:
        """Drop what nobody has asked for."""
        while not self._news.empty():
            self._news.get_nowait()

    def press(self, timeout_ns: int) -> Press | None:
        """Return the next press once it was let go (or held for three seconds), None where none came in time.

        Raises:
            DeviceError: the pads cannot be read.
        """
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
                return self._told(slap, news.contact_ns, notes)
        return None if slap is None else self._told(slap, None, notes)

    def race(self, timeout_ns: int) -> list[Press]:
        """Return the first slaps of the first two pads, in the order of their stamps; fewer where they did not come.

        Raises:
            DeviceError: the pads cannot be read.
        """
        first: dict[Pad, PadSlapped] = {}
        end_ns = monotonic_ns() + timeout_ns
        while len(first) < 2 and (left_ns := end_ns - monotonic_ns()) > 0:
            try:
                news = self._news.get(timeout=left_ns / 1e9)
            except Empty:
                break
            if isinstance(news, SensorLost):
                raise DeviceError(news.reason)
            if isinstance(news, PadSlapped) and _pad(news) not in first:
                first[_pad(news)] = news
                end_ns = monotonic_ns() + TOGETHER_NS
        slaps = sorted(first.values(), key=lambda slap: slap.at_ns)
        return [Press(_pad(slap), None, 0, at_ns=slap.at_ns, uncertainty_ns=slap.uncertainty_ns) for slap in slaps]

    def _told(self, slap: PadSlapped, contact_ns: int | None, notes: list[PadNote]) -> Press:
        pad = _pad(slap)
        said = tuple(note.sentence for note in notes if note.pad == pad and note.what != "edge_lost")
        lost = any(note.what == "edge_lost" for note in notes)
        bounces = self.bounces(pad)
        bounced, self._counted[pad] = bounces - self._counted.get(pad, 0), bounces
        return Press(pad, contact_ns, bounced, said, lost, slap.at_ns, slap.uncertainty_ns)


@contextmanager
def listening(backend: PadBackend, settings: PadsSection) -> Iterator[Listener]:
    """Listen to the pads in a `with` block; raises DeviceError with the cure where they cannot be had."""
    backend.open()  # in this thread first: what is wrong with the pins is said at once
    backend.close()
    listener = Listener()
    reader = PadReader(backend, pads_of(settings), listener.hear, listener.hear, contact_rules(settings))
    listener.bounces = lambda pad: reader.debouncer.counts[pad, "bounce"]
    reader.start()
    try:
        yield listener
    finally:
        reader.stop()


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
    says = f"{came} for {press.contact_ns / MS:.0f} ms, bounced {counted(press.bounces, 'time')}"
    if press.lost_edge:
        return warn(f"{says}, its edge was lost", "check the wires for a loose contact")
    if press.notes:
        return warn(f"{says}, {press.notes[0]}", "twist its two wires and keep them away from the lamp's cable")
    if press.bounces > MANY_BOUNCES:
        return warn(says, "a loose contact: tighten its wires, or press the foil smooth")
    return ok(says)


def _setting(pad: Pad) -> str:
    return f"{pad.player or {'A': 'p1', 'B': 'p2'}[pad.pile]}_{'a' if pad.player is None else pad.pile.lower()}_pin"
