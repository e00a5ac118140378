"""What a terminal shows of a live table: one panel that changes in place, or plain lines for the journal."""

import re
from collections import deque
from types import TracebackType
from typing import Final, Protocol, Self

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hardware.rig import RigStatus
from hardware.signals import Output
from referee.cards import Card
from referee.cli.screen import face, lamps, line_of
from referee.replay.words import PHASE_WORDS
from referee.table import PILES, Pile
from referee.verdicts import AnyVerdict, NextDeal, PhaseChanged, PlayJudged, SpitJudged

LINES: Final = 12


class RunScreen(Protocol):
    """Somebody who watches the table run."""

    def tell(self, verdict: AnyVerdict) -> None: ...

    def say(self, line: str) -> None: ...

    def show(self, status: RigStatus, lights: Output) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None: ...


def status_words(status: RigStatus) -> str:
    """Return the rig's state as a line, with what is wrong: `camera 30 fps, 12 ms old; pads gpiod`."""
    if status.camera_lost:
        eye = f"CAMERA LOST: {status.camera_lost}"
    else:
        eye = f"camera {status.camera} {status.fps:.0f} fps, {status.age_ms:.0f} ms old, {status.dropped} dropped"
    pads = f"PADS LOST: {status.pads_lost}" if status.pads_lost else f"pads {status.pads}"
    down = f", down: {' '.join(map(str, status.down))}" if status.down else ""
    behind = f"; {status.waiting} observations behind" if status.waiting > 100 else ""
    return "; ".join([f"{eye}; {pads}{down}{behind}", *status.complaints])


class PlainRun:
    """A line for each verdict, and one whenever the rig's health changes."""

    def __init__(self) -> None:
        self._health: tuple[str, ...] = ("", "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Nothing to put back."""

    def tell(self, verdict: AnyVerdict) -> None:
        """Print a verdict that somebody wants to read."""
        if (line := line_of(verdict)) is not None:
            print(line[0], flush=True)

    def say(self, line: str) -> None:
        """Print a line."""
        print(line, flush=True)

    def show(self, status: RigStatus, lights: Output) -> None:
        """Print the rig's state when a sensor was lost or found, or there is something new to complain of."""
        complaints = (re.sub(r"\d+", "N", complaint) for complaint in status.complaints)
        health = (status.camera_lost, status.pads_lost, *complaints)
        if health != self._health:
            self._health = health
            print(status_words(status), flush=True)


class LiveRun:
    """Phase, both tops, lights, the last verdicts and the rig's health."""

    def __init__(self, console: Console, title: str) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=False)
        self._title = title
        self._lines: deque[Text] = deque(maxlen=LINES)
        self._tops: dict[Pile, Card | None] = dict.fromkeys(PILES)
        self._phase = "waiting for a still table"

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._live.stop()

    def tell(self, verdict: AnyVerdict) -> None:
        """Take a verdict in: it is drawn with the next picture of the screen."""
        match verdict:
            case PhaseChanged():
                self._phase = PHASE_WORDS.get(verdict.phase, verdict.phase)
            case PlayJudged(ruling="legal") | SpitJudged(ruling="legal"):
                self._tops[verdict.pile] = verdict.card
            case NextDeal():
                self._tops = dict.fromkeys(PILES)
        if (line := line_of(verdict)) is not None:
            self._lines.append(Text(line[0], style=line[1], overflow="ellipsis", no_wrap=True))

    def say(self, line: str) -> None:
        """Add a line of our own."""
        self._lines.append(Text(line, style="dim", overflow="ellipsis", no_wrap=True))

    def show(self, status: RigStatus, lights: Output) -> None:
        """Draw the screen."""
        self._live.update(self._picture(status, lights), refresh=True)

    def _picture(self, status: RigStatus, lights: Output) -> RenderableType:
        state = Table.grid(padding=(0, 2))
        state.add_row(Text("phase", style="dim"), Text(self._phase, style="bold"))
        state.add_row(Text("tops", style="dim"), Columns([Text(pile) + " " + face(self._tops[pile]) for pile in PILES]))
        state.add_row(Text("signals", style="dim"), lamps(lights))
        lost = bool(status.camera_lost or status.pads_lost)
        style = "bold red" if lost else "yellow" if status.complaints else ""
        state.add_row(Text("rig", style="dim"), Text(status_words(status), style=style))
        lines = Group(*self._lines, *[Text("")] * (LINES - len(self._lines)))
        return Panel(Group(state, Text(""), lines), title=self._title, subtitle="q ends the game", border_style="cyan")
