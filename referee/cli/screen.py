"""What a terminal shows of a game that is being refereed: live panels, or plain lines where it is no terminal."""

from collections import deque
from collections.abc import Mapping
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
from referee.game.wording import PLAIN_NAMES, say_who
from referee.replay.words import PHASE_WORDS, verdict_sentence
from referee.table import PILES, Pile, Player
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
    Verdict,
)

if TYPE_CHECKING:
    from referee.demo import Progress

_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_STYLES: Final = {"legal": "green", "illegal": "bold red", "beaten": "yellow", "cannot_tell": "magenta"}
_STYLE_OF: Final[Mapping[type[Verdict], str]] = {
    RowJudged: "bold red",
    Breach: "bold red",
    TakenBack: "dim",
    BackInStep: "dim",
    LeftLying: "yellow",
    NotStuck: "yellow",
    SlapJudged: "yellow",
    Stuck: "bold cyan",
    SpitCall: "bold cyan",
    DealOver: "bold cyan",
    Award: "bold green",
    DeadHeat: "bold yellow",
    CannotTell: "magenta",
    NextDeal: "bold",
    GameOver: "bold",
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


def line_of(verdict: AnyVerdict, names: Mapping[Player, str] = PLAIN_NAMES) -> tuple[str, str] | None:
    """Return a verdict as a line and its style; None for what nobody needs to read."""
    match verdict:
        case PhaseChanged() | RowJudged(ruling="legal") | SlapJudged(ruling="legal" | "ignored"):
            return None
        case PlayJudged(ruling="legal") | SpitJudged(ruling="legal"):
            what = "plays" if isinstance(verdict, PlayJudged) else "spits"
            who = say_who(verdict.player, names).capitalize()
            return f"{who} {what} {verdict.card} on {verdict.pile}.", _STYLES["legal"]
        case PlayJudged() | SpitJudged():
            return verdict_sentence(verdict, names), _STYLES[verdict.ruling]
        case _:
            return verdict_sentence(verdict, names), _STYLE_OF.get(type(verdict), "")


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
        state.add_row(Text("phase", style="dim"), Text(PHASE_WORDS.get(self._phase, self._phase), style="bold"))
        state.add_row(Text("tops", style="dim"), Columns([Text(pile) + " " + face(self._tops[pile]) for pile in PILES]))
        state.add_row(Text("signals", style="dim"), lamps(progress.lights))
        rulings = "  ".join(f"{count} {ruling.replace('_', ' ')}" for ruling, count in sorted(self._counts.items()))
        state.add_row(Text("cards", style="dim"), Text(rulings or "none yet"))
        speed = f"{progress.fps:.0f} frames a second, eyes and tracker {progress.busy_ms:.1f} ms each"
        bar = ProgressBar(total=progress.end_ns, completed=progress.at_ns, width=40)
        time = Text(f" {progress.at_ns / 1e9:.1f} of {progress.end_ns / 1e9:.0f} s   {speed}", style="dim")
        lines = Group(*self._lines, *[Text("")] * (_LINES - len(self._lines)))
        title = "[bold]Spit referee[/]  [reverse] SIMULATED TABLE [/]  rendered frames, mock pads; real eyes"
        return Panel(Group(state, Text(""), lines, Text(""), Columns([bar, time])), title=title, border_style="cyan")


def lamps(lights: Output) -> Text:
    """Return both lights and the buzzer as signs."""
    text = Text()
    for name, lit in (("p1", lights.p1), ("p2", lights.p2)):
        text.append("● " if lit else "○ ", style="bold yellow" if lit else "dim")
        text.append(f"{name}   ")
    text.append(f"♪ {lights.hz} Hz" if lights.hz else "♪ silent", style="bold" if lights.hz else "dim")
    return text
