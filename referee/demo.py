"""The demo: two simulated players at a rendered table, refereed by the real chain, and how often it was right.

Rendered frames go through the real eyes, simulated contacts through the real debouncing, both into the real tracker;
the log and the lights get what a live table would give them. Only the truth at the end comes from the script.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic_ns, sleep
from typing import Final, Protocol

import msgspec

from hardware.frames import Frame
from hardware.signals.mixer import Mixer, Output
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from hardware.simulated.rig import PAD_UNCERTAINTY_NS, SimulatedCamera, pad_observations
from hardware.tablefile import Table
from hardware.vision.eyes import Eyes
from hardware.vision.reader import CardReader
from hardware.vision.snapshots import Snapshots
from hardware.vision.tablefinder import find_table
from referee.log import GameLog, Header
from referee.log.header import Device
from referee.observations import AnyObservation, PadSlapped
from referee.rules.rule_set import rule_set
from referee.script import Lay, Script, Slap, SpitDown
from referee.session import Follower, Session
from referee.signals import cue, cues_for, ended_by
from referee.simulated.players import Habits, play_game
from referee.tracker import Tracker
from referee.verdicts import AnyVerdict, Award, PlayJudged, SpitJudged

CALM: Final = Habits(
    reaction_ms=(700, 1600), travel_ms=(280, 450), both_spit_ms=(150, 500), slap_margin_ms=(5, 120), wrong_rank=0.06,
    same_slap_pile=1.0, hover=0.05, not_yours=0, not_a_top=0, two_at_once=0, unused_pile=0, early_slap=0, too_soon=0,
    wrong_pile=0, after_the_end=0, on_illegal=0, leave_lying=0, call=0, knock=0, dead_heat=0,
)  # fmt: skip
"""Players whom somebody who watches can follow: they make one kind of mistake, and take it back."""
_LONGEST_NS: Final = 80_000_000_000
_FAR_NS: Final = 400_000_000
"""A verdict is about another card if its touch is further off."""


@dataclass(slots=True)
class Progress:
    """What a screen shows while a demo runs. Times in ns of the script."""

    end_ns: int
    at_ns: int = 0
    frames: int = 0
    landings: int = 0
    fps: float = 0.0
    busy_ms: float = 0.0
    """Mean time of the eyes and the tracker per frame."""
    lights: Output = field(default_factory=Output)


class Screen(Protocol):
    """Somebody who watches the demo."""

    def tell(self, verdict: AnyVerdict) -> None: ...

    def show(self, progress: Progress) -> None: ...


class Onlooker(Follower, Protocol):
    """Somebody who is shown the table itself as well: the pages."""

    def begins(self, game: str) -> None: ...

    def found(self, table: Table) -> None: ...

    def shows(self, frame: Frame, progress: Progress) -> None: ...


@dataclass(frozen=True, slots=True)
class Compared:
    """A card of the script and what the referee said about it (None: nothing)."""

    action: Lay | SpitDown
    verdict: PlayJudged | SpitJudged | None

    @property
    def agrees(self) -> bool:
        return self.verdict is not None and self.verdict.ruling == ruling_of(self.action)


@dataclass(frozen=True, slots=True)
class Summary:
    """How a demo went. `slaps` and `slaps_right`: decided slap races, and those won by whoever really was first."""

    game: Path
    compared: tuple[Compared, ...]
    slaps: int
    slaps_right: int
    verdicts: tuple[AnyVerdict, ...]
    seconds: float
    trouble: str | None


def ruling_of(action: Lay | SpitDown) -> str:
    """Return the ruling that the script's card deserves."""
    return action.intent if action.intent in ("legal", "beaten") else "illegal"


def simulated_script(seed: int, deals: int) -> Script:
    """Return the script of so many deals; of one deal, the first from this seed on in which much happens."""
    if deals > 1:
        return play_game(seed, CALM, deals)
    while not _shows_much(script := play_game(seed, CALM, deals=1)):
        seed += 1
    return script


def _shows_much(script: Script) -> bool:
    """Whether a short deal has an illegal play, a stuck table with its spits, and a slap."""
    illegal = any(isinstance(action, Lay) and ruling_of(action) == "illegal" for action in script.actions)
    spits = sum(isinstance(action, SpitDown) for action in script.actions)
    slaps = sum(isinstance(action, Slap) for action in script.actions)
    return illegal and spits >= 4 and slaps == 2 and script.end_ns <= _LONGEST_NS


def run_demo(
    script: Script, look: Look, games: Path, screen: Screen, *, real_time: bool, onlookers: Sequence[Onlooker] = ()
) -> Summary:
    """Play the script at the look's table and referee it; Ctrl-C ends it early. Writes one game under `games`.

    Raises:
        LogError: the folder cannot be written.
    """
    renderer = Renderer(script, look)
    with GameLog.create(games, _header()) as log:
        for onlooker in onlookers:
            onlooker.begins(log.directory.name)
        table = _Table(script, renderer, log, screen, real_time, onlookers)
        begun = monotonic_ns()
        with suppress(KeyboardInterrupt):
            table.play()
        seconds = (monotonic_ns() - begun) / 1e9
        return Summary(
            game=log.directory,
            compared=compare(table.played(script), table.verdicts),
            slaps=sum(isinstance(verdict, Award) for verdict in table.verdicts),
            slaps_right=_slaps_right(script, table.verdicts),
            verdicts=tuple(table.verdicts),
            seconds=seconds,
            trouble=log.trouble,
        )


def _header() -> Header:
    return Header(
        source="simulated",
        players={"p1": "Ann", "p2": "Ben"},
        rules_name="pagat",
        rules=msgspec.to_builtins(rule_set("pagat")),
        devices=(
            Device(role="camera", name="simulated, 1280x720 at 30 fps"),
            Device(role="pads", name="simulated, bouncing", uncertainty_ns=PAD_UNCERTAINTY_NS),
            Device(role="signals", name="on the screen"),
        ),
    )


class _Table:
    """A demo while it runs: follower of its own session, for the lights and the screen."""

    def __init__(
        self,
        script: Script,
        renderer: Renderer,
        log: GameLog,
        screen: Screen,
        real_time: bool,
        onlookers: Sequence[Onlooker],
    ) -> None:
        self.verdicts: list[AnyVerdict] = []
        self._camera = SimulatedCamera(renderer)
        self._card_mm = renderer.deck.size_mm
        self._pads = pad_observations(script)
        self._log, self._screen, self._real_time = log, screen, real_time
        self._mixer = Mixer()
        self._progress = Progress(end_ns=script.end_ns)
        self._onlookers = onlookers
        self._session = Session(Tracker(rule_set("pagat")), log, [self, *onlookers])

    def play(self) -> None:
        for frame, seen in self._seen():
            for one in seen:
                self._session.take(one)
            self._show(frame)

    def played(self, script: Script) -> Script:
        """Return the part of the script that was played."""
        done = tuple(action for action in script.actions if action.at_ns <= self._progress.at_ns)
        return msgspec.structs.replace(script, actions=done)

    def saw(self, seen: AnyObservation) -> None:
        if isinstance(seen, PadSlapped):
            self._mixer.say(cue("touched", seen.player), self._progress.at_ns)

    def tell(self, verdict: AnyVerdict) -> None:
        self.verdicts.append(verdict)
        for name in ended_by(verdict):
            self._mixer.end(name)
        for given in cues_for(verdict):
            self._mixer.say(given, self._progress.at_ns)
        self._screen.tell(verdict)

    def _seen(self) -> Iterator[tuple[Frame, list[AnyObservation]]]:
        """Yield each frame with what camera and pads have told by then."""
        eyes: Eyes | None = None
        begun_ns = monotonic_ns()
        for frame in self._camera.frames():
            if eyes is None:
                table = find_table(frame.image, self._card_mm)
                for onlooker in self._onlookers:
                    onlooker.found(table)
                eyes, snapshots = Eyes(table, CardReader()), Snapshots(table, self._log)
                begun_ns = monotonic_ns()
            ahead_ns = begun_ns + frame.at_ns - monotonic_ns()
            if self._real_time and ahead_ns > 0:
                sleep(ahead_ns / 1e9)
            started_ns = monotonic_ns()
            seen = snapshots.see(frame, eyes.see(frame))
            self._count(frame, started_ns, begun_ns)
            while self._pads and self._pads[0].at_ns <= frame.at_ns:
                seen.append(self._pads.pop(0))
            yield frame, seen
        if eyes is not None:
            yield frame, snapshots.see(frame, eyes.finish())

    def _count(self, frame: Frame, started_ns: int, begun_ns: int) -> None:
        now_ns, progress = monotonic_ns(), self._progress
        progress.at_ns = frame.at_ns
        progress.frames += 1
        progress.busy_ms += ((now_ns - started_ns) / 1e6 - progress.busy_ms) / progress.frames
        progress.fps = progress.frames / max(1e-9, (now_ns - begun_ns) / 1e9)

    def _show(self, frame: Frame) -> None:
        self._progress.lights, _ = self._mixer.output(frame.at_ns)
        self._screen.show(self._progress)
        for onlooker in self._onlookers:
            onlooker.shows(frame, self._progress)


def compare(script: Script, verdicts: list[AnyVerdict]) -> tuple[Compared, ...]:
    """Return each card that came down on a pile with the last verdict about it."""
    free = [verdict for verdict in verdicts if isinstance(verdict, PlayJudged | SpitJudged)]
    compared = []
    for action in script.actions:
        if not isinstance(action, Lay | SpitDown):
            continue
        near = [v for v in free if v.pile == action.pile and abs(v.at_ns - action.at_ns) < _FAR_NS]
        best = min(near, key=lambda v: (v.card != action.card, abs(v.at_ns - action.at_ns)), default=None)
        same = [v for v in near if best is not None and (v.at_ns, v.card) == (best.at_ns, best.card)]
        free = [v for v in free if v not in same]
        compared.append(Compared(action, same[-1] if same else None))
    return tuple(compared)


def _slaps_right(script: Script, verdicts: list[AnyVerdict]) -> int:
    """Return how many awards went to the player whose pad really closed first."""
    slaps = [action for action in script.actions if isinstance(action, Slap) and action.intent == "legal"]
    right = 0
    for award in (verdict for verdict in verdicts if isinstance(verdict, Award)):
        race = [slap for slap in slaps if abs(slap.at_ns - award.at_ns) < 1_000_000_000]
        right += bool(race) and min(race, key=lambda slap: slap.at_ns).player == award.first
    return right
