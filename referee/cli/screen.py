"""What a terminal shows of a game that is being refereed: live panels, or plain lines where it is no terminal."""

from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from hardware.signals.mixer import Output
from referee.cards import COLOUR_OF, Card
from referee.table import PILES, Pile
from referee.verdicts import (
    AnyVerdict,
    Award,
    BackInStep,
    Breach,
    CannotTell,
    DeadHeat,
    DealOver,
    GameOver,
    LeftLying,
    NextDeal,
    NotStuck,
    PhaseChanged,
    PlayJudged,
    RowJudged,
    SlapJudged,
    SpitCall,
    SpitJudged,
    Stuck,
    TakenBack,
)

if TYPE_CHECKING:
    from referee.demo import Progress

_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_STYLES: Final = {"legal": "green", "illegal": "bold red", "beaten": "yellow", "cannot_tell": "magenta"}
_PHASES: Final = {
    "layout": "setting up",
    "await_spit": "waiting for the spit",
    "play": "play",
    "slap": "slap!",
    "over": "over",
    "paused": "paused",
}
_LINES: Final = 12
_EVERY_NS: Final = 100_000_000
"""The screen is drawn anew at most this often, in time of the table."""


def face(card: Card | None) -> Text:
    """Return a card as people write it, in its colour."""
    if card is None or card not in COLOUR_OF:
        return Text("  --  " if card is None else f"  {card}  ", style="black on grey78")
    text = f" {card[:-1] + _SIGNS[card[-1]]:^4} "
    return Text(text, style="bold red3 on grey93" if COLOUR_OF[card] == "red" else "bold black on grey93")


def line_of(verdict: AnyVerdict) -> tuple[str, str] | None:
    """Return a verdict as a line and its style; None for what nobody needs to read."""
    match verdict:
        case PlayJudged() | SpitJudged():
            what = "plays" if isinstance(verdict, PlayJudged) else "spits"
            why = verdict.sentence or (verdict.reason or "")
            words = verdict.ruling.replace("_", " ")
            line = f"{verdict.player} {what} {verdict.card} on {verdict.pile}: {words}. {why}".rstrip()
            return line, _STYLES[verdict.ruling]
        case RowJudged():
            return None if verdict.ruling == "legal" else (f"{verdict.player}: {verdict.sentence}", "bold red")
        case TakenBack():
            return f"{verdict.player} takes {verdict.card} back from {verdict.pile}", "dim"
        case LeftLying():
            return f"{verdict.card} still lies on {verdict.pile}", "yellow"
        case Stuck():
            return "STUCK: nobody can play", "bold cyan"
        case SpitCall():
            onto = ", ".join(f"{player} on {pile}" for player, pile in verdict.onto.items())
            return f"SPIT: {onto}", "bold cyan"
        case NotStuck():
            return f"not stuck: {' and '.join(verdict.who)} can still play", "yellow"
        case DealOver():
            return f"the deal is over: {verdict.reason.replace('_', ' ')} by {verdict.by or 'nobody'}", "bold cyan"
        case Award():
            return f"SLAP: {_award_words(verdict)}", "bold green"
        case DeadHeat():
            return f"too close: {verdict.margin_us:.0f} us apart, slap again", "bold yellow"
        case SlapJudged():
            return (f"{verdict.player}: slap without reason", "yellow") if verdict.ruling == "false_slap" else None
        case Breach():
            return f"{verdict.player}: {verdict.sentence or verdict.reason}", "bold red"
        case CannotTell():
            return f"cannot tell: {verdict.about}", "magenta"
        case BackInStep():
            return "back in step", "dim"
        case NextDeal():
            return f"next deal: {verdict.p1.cards} cards for p1, {verdict.p2.cards} for p2", "bold"
        case GameOver():
            return f"the game is over: {verdict.winner}", "bold"
        case _:
            return None


def _award_words(award: Award) -> str:
    if award.sentence:
        return award.sentence
    margin = f" by {award.margin_us / 1000:.1f} ms" if award.margin_us is not None else ""
    return f"{award.first} was first{margin}"


class PlainScreen:
    """Lines for a log file or a pipe: each verdict once, with its moment."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Nothing to put back."""

    def tell(self, verdict: AnyVerdict) -> None:
        if (line := line_of(verdict)) is not None:
            print(f"{verdict.at_ns / 1e9:7.2f} s  {line[0]}", flush=True)

    def show(self, progress: "Progress") -> None:
        """A pipe needs no lamps."""


class LiveScreen:
    """Panels that change in place: phase, both tops, lights and buzzer, the last verdicts, how far and how fast."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=False)
        self._lines: deque[Text] = deque(maxlen=_LINES)
        self._tops: dict[Pile, Card | None] = {"A": None, "B": None}
        self._phase = "layout"
        self._counts: dict[str, int] = {}
        self._drawn_ns = -_EVERY_NS

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._live.stop()

    def tell(self, verdict: AnyVerdict) -> None:
        """Take a verdict in: it is drawn with the next frame."""
        match verdict:
            case PhaseChanged():
                self._phase = verdict.phase
            case PlayJudged() | SpitJudged():
                self._counts[verdict.ruling] = self._counts.get(verdict.ruling, 0) + 1
                if verdict.ruling == "legal":
                    self._tops[verdict.pile] = verdict.card
            case NextDeal():
                self._tops = {"A": None, "B": None}
        if (line := line_of(verdict)) is not None:
            words, style = f"{verdict.at_ns / 1e9:6.2f}  {line[0]}", line[1]
            self._lines.append(Text(words, style=style, overflow="ellipsis", no_wrap=True))

    def show(self, progress: "Progress") -> None:
        """Draw the screen if it is time."""
        if progress.at_ns - self._drawn_ns >= _EVERY_NS:
            self._drawn_ns = progress.at_ns
            self._live.update(self._picture(progress), refresh=True)

    def _picture(self, progress: "Progress") -> RenderableType:
        state = Table.grid(padding=(0, 2))
        state.add_row(Text("phase", style="dim"), Text(_PHASES.get(self._phase, self._phase), style="bold"))
        state.add_row(Text("tops", style="dim"), Columns([Text(pile) + " " + face(self._tops[pile]) for pile in PILES]))
        state.add_row(Text("signals", style="dim"), lamps(progress.lights))
        rulings = "  ".join(f"{count} {ruling.replace('_', ' ')}" for ruling, count in sorted(self._counts.items()))
        state.add_row(Text("cards", style="dim"), Text(rulings or "none yet"))
        speed = f"{progress.fps:.0f} frames a second, eyes and tracker {progress.busy_ms:.1f} ms each"
        bar = ProgressBar(total=progress.end_ns, completed=progress.at_ns, width=40)
        time = Text(f" {progress.at_ns / 1e9:.1f} of {progress.end_ns / 1e9:.0f} s   {speed}", style="dim")
        lines = Group(*self._lines, *[Text("")] * (_LINES - len(self._lines)))
        title = "[bold]Spit referee[/]  [reverse] SIMULATED TABLE [/]  no camera, no pads: rendered frames, real eyes"
        return Panel(Group(state, Text(""), lines, Text(""), Columns([bar, time])), title=title, border_style="cyan")


def lamps(lights: Output) -> Text:
    """Return both lights and the buzzer as signs."""
    text = Text()
    for name, lit in (("p1", lights.p1), ("p2", lights.p2)):
        text.append("● " if lit else "○ ", style="bold yellow" if lit else "dim")
        text.append(f"{name}   ")
    text.append(f"♪ {lights.hz} Hz" if lights.hz else "♪ silent", style="bold" if lights.hz else "dim")
    return text
