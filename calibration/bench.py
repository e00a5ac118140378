"""What a step of the set-up works with, at a terminal or on a page: pictures, presses, answers, and where files lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from calibration.camera import Filmed
from calibration.deck import Doubtful
from calibration.offset import Offset
from calibration.wires import Press
from hardware.checks.report import Answer
from hardware.frames import Frame, Image
from referee.cards import Card
from referee.settings import Settings

Scene = Literal["dealt", "tops", "pack", "carried"]
"""What should lie on the table: both rows; rows and single cards on both piles; a part of the pack, the cards apart;
and one card that a hand carries to and fro over the middle."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Something that the person is to do now."""

    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """Something that was measured, and what to think of it."""

    name: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture to look at; `words` say what it shows."""

    name: str
    image: Image
    words: str


StepEvent = Ask | Found | Shown
Told = Iterator[StepEvent]
"""What a step does: it is a generator, and measures while it is asked for the next event."""


class Bench(Protocol):
    """The hands and eyes of a step."""

    @property
    def settings(self) -> Settings:
        """The settings now."""

    @property
    def table_path(self) -> Path:
        """Where the table file is or will be; the deck's file lies beside it."""

    def film(self, count: int) -> Filmed:
        """Return so many pictures of the camera; a saved picture gives fewer. Raises DeviceError or PictureError."""

    def watch(self, seconds: float) -> Iterator[Frame]:
        """Yield one new picture after the other for so long; nothing where there are only saved pictures.

        Raises DeviceError."""

    def press(self, patience_ns: int) -> Press | None:
        """Return the next press of a pad, None where none came in time. Raises DeviceError."""

    def race(self, patience_ns: int) -> list[Press]:
        """Return the first slaps of the first two pads, the earlier one first; fewer where they did not come in time.

        Raises DeviceError."""

    def blink(self, seconds: float) -> Offset:
        """Blink the lights in front of the camera; return how late it stamps. Raises DeviceError where none is seen."""

    def another(self, ask: str) -> bool:
        """Ask whether there is more to do: True goes on once the person is ready, False finishes."""

    def names_of(self, doubtful: Sequence[Doubtful], missing: Sequence[Card]) -> list[Card | None]:
        """Ask which cards these pictures show, one answer a picture; None for one that is left out.

        `missing`: cards of the pack that were not seen yet, so that it is likely one of them."""

    def lies(self, scene: Scene) -> None:
        """Say what should lie on the table now; a person has put it there, a simulated table does it by itself."""
