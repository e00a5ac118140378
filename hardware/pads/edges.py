"""Raw input of the pads, as every backend hands it on: active edges with the kernel's stamp, and readings of levels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

from referee.table import Pile, Player


class Pad(NamedTuple):
    """Which pad; `player` None: one pad for both players."""

    player: Player | None
    pile: Pile

    def __str__(self) -> str:
        return f"{self.player}/{self.pile}" if self.player else f"pile {self.pile}"


FOUR_PADS: Final = (Pad("p1", "A"), Pad("p1", "B"), Pad("p2", "A"), Pad("p2", "B"))
TWO_PADS: Final = (Pad(None, "A"), Pad(None, "B"))


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A contact closed. `at_ns`: when, on CLOCK_MONOTONIC; `sequence` breaks ties."""

    at_ns: int
    sequence: int
    pad: Pad


@dataclass(frozen=True, slots=True)
class Reading:
    """The levels of all pads: True where a pad is down. They were read within the `lasted_ns` before `at_ns`, one after
    the other on some backends, and longer where the processor had other work in between."""

    at_ns: int
    down: Mapping[Pad, bool]
    lasted_ns: int = 0


NoteKind = Literal["spike", "cross_talk", "edge_lost", "held_at_start", "held_long", "free_again"]


@dataclass(frozen=True, slots=True)
class PadNote:
    """Something about a pad that is no slap: for the status line, the log and the pad test."""

    at_ns: int
    pad: Pad
    what: NoteKind
    sentence: str


class PadBackend(Protocol):
    """A way to the pins. All calls come from one thread; closing may come from another."""

    name: str
    uncertainty_ns: int
    """Half-width of a stamp's uncertainty."""
    lost: int
    """Edges that the kernel or the library dropped so far, as far as it tells."""

    def open(self) -> None:
        """Take the pins; raises DeviceError with the cure."""

    def wait(self, timeout_ns: int) -> list[Edge]:
        """Return new active edges, after at most about `timeout_ns`; raises DeviceError when the device is gone."""

    def levels(self) -> Mapping[Pad, bool]:
        """Return which pads are down now."""

    def close(self) -> None:
        """Give the pins back; may be called twice."""


Clock = Callable[[], int]
"""Nanoseconds of CLOCK_MONOTONIC."""
