"""A table while it is refereed: rig, tracker, log, lights and screen put together, and taken apart in order."""

import fcntl
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path
from time import monotonic_ns
from typing import Final, Literal, Protocol

import msgspec
from rich.console import Console

from hardware.checks.machine import LOCK_FILE
from hardware.heart import Heart
from hardware.pads.mock_pads import key_listener
from hardware.recording import Recording, new_recording
from hardware.rig import LiveRig, NewsQueue, Seer
from hardware.room import films_bytes, shortage
from hardware.signals import Output, SignalPlayer
from hardware.tablefile import Table
from hardware.vision.enrolled import deck_file
from referee.cli.keyboard import Keyboard
from referee.cli.rig_run import RigRun
from referee.cli.run_screen import LiveRun, PlainRun, RunScreen, status_words
from referee.cli.table_parts import Parts
from referee.errors import DeviceError, LogError
from referee.log import GameLog, Header, LoggedGame, newest_game, trim_pictures
from referee.log.lines import NO_ROOM
from referee.log.writer import boot_id
from referee.observations import AnyObservation, Observation, SensorBack, SensorLost
from referee.replay.rejudge import judge_for
from referee.rules.rule_set import RuleSet
from referee.session import Follower, Session
from referee.settings import Settings, table_file
from referee.signals import cue
from referee.table import Player
from referee.tracker import Tracker
from referee.verdicts import AnyVerdict

SHOW_NS: Final = 200_000_000
WARNING_NS: Final = 2_000_000_000
"""So long the lights warn of a game that is not logged: one round of the signal."""


class Watcher(Follower, Protocol):
    """Somebody who looks on while a table runs and never makes it wait: the pages, a feed for other programs."""

    def opens(
        self,
        mode: Literal["play", "set_up"],
        rig: LiveRig,
        queue: NewsQueue,
        lights: Callable[[], Output],
        game: str = "",
    ) -> None: ...

    def left(self) -> Sequence[AnyObservation]:
        """What people said that is still to be taken in when the game ends."""

    def closes(self) -> None: ...


class TableRun(RigRun):
    """One game from start to end. Build the parts with its `queue`; then `play`."""

    def __init__(
        self,
        settings: Settings,
        rules: RuleSet,
        *,
        shadow: bool,
        watchers: Sequence[Watcher] = (),
        record: bool = False,
    ) -> None:
        """`record`: the whole game is filmed."""
        super().__init__()
        self._watchers, self._record = watchers, record
        self._recording: Recording | None = None
        self._settings, self._rules, self._shadow = settings, rules, shadow
        self._screen: RunScreen = PlainRun()
        self._lost: set[str] = set()
        self._log: GameLog | None = None
        self._warned_ns: int | None = None

    def play(self, parts: Parts, games: Path, heart: Heart) -> Path:
        """Referee until the table ends or somebody stops it; returns the game's folder."""
        with ExitStack() as stack:
            log, tracker, notice = self._open_log(parts, games)
            self._log = stack.enter_context(log)
            stack.callback(self._let_eyes_finish)  # when lights and buzzer are off already
            self._signals = stack.enter_context(SignalPlayer(parts.outputs, self._settings.signals))
            rig = self._rig = LiveRig(
                parts.camera,
                self._eyes(parts, log, stack),
                parts.pads,
                self.queue,
                watermark_ns=round(self._settings.pads.watermark_ms * 1e6),
                on_first_frame=parts.on_first_frame,
                on_pace=self._pace,
                worries=lambda: (log.blocked or self._shortage(games), self._lights_fault()),
            )
            if not self._shadow:
                parts.pads.touched = self._signals.touched
            self._heart = heart
            stack.callback(heart.stop)
            self._screen = stack.enter_context(self._best_screen(parts.source))
            stack.enter_context(stopped_by_signals(self.stop))
            stack.enter_context(Keyboard(KeyTaker(self.stop, parts)))
            for watcher in self._watchers:
                watcher.opens("play", rig, self.queue, self._lights, log.directory.name)
                stack.callback(watcher.closes)
            if notice:
                self._screen.say(notice)
            self._settle()
            heart.ready()
            followers = [self, *self._watchers, *([] if self._recording is None else [self._recording])]
            session = Session(tracker, log, followers)
            for seen in rig.observations():
                session.take(seen)
            for word in (word for watcher in self._watchers for word in watcher.left()):
                session.take(word)
        return log.directory

    def found(self, table: Table) -> None:
        """The eyes know where the table is."""
        if self._recording is not None:
            self._recording.found(table)

    def _eyes(self, parts: Parts, log: GameLog, stack: ExitStack) -> Seer:
        """The eyes, filmed if the game is to be recorded."""
        eyes = parts.make_eyes(log)
        if not self._record:
            return eyes
        deck = deck_file(table_file(self._settings))
        room = self._settings.storage.films_mb * 1_000_000 - films_bytes(log.directory.parent)[1]
        recording = Recording(new_recording(log.directory), parts.camera.fps, deck, room)
        self._recording = stack.enter_context(recording)
        return recording.eyes(eyes)

    def saw(self, seen: AnyObservation) -> None:
        """A lost sensor is shown at the table as well; the pads go on being logged."""
        if isinstance(seen, SensorLost):
            self._lost.add(seen.sensor)
            self._screen.say(f"{seen.sensor} lost: {seen.reason}")
            self._say_fault(seen.reason)
        elif isinstance(seen, SensorBack):
            self._lost.discard(seen.sensor)
            self._screen.say(f"{seen.sensor} is back")
            if self._signals is not None and not self._lost:
                self._signals.end("fault")

    def tell(self, verdict: AnyVerdict) -> None:
        """Lights, buzzer and screen; in shadow nobody is told."""
        if self._shadow:
            return
        if self._signals is not None:
            self._signals.tell(verdict)
        self._screen.tell(verdict)

    def _say_fault(self, reason: str) -> None:
        if self._signals is not None and not self._shadow:
            self._signals.say(cue("fault", words=reason))

    def _pace(self) -> None:
        now_ns = monotonic_ns()
        if self._rig is None or now_ns - self._shown_ns < SHOW_NS:
            return
        self._shown_ns = now_ns
        status = self._rig.status()
        self._screen.show(status, self._lights())
        if self._recording is not None and self._recording.trouble is not None:
            self._screen.say(self._recording.trouble)
            self._recording = None
        self._warn_of_log(now_ns)
        if self._heart is not None:
            self._heart.beat(status_words(status))

    def _warn_of_log(self, now_ns: int) -> None:
        """A game that is not logged is shown at the table once, and the lights are given back to the game."""
        if self._log is None or not self._log.blocked:
            self._warned_ns = None
        elif self._warned_ns is None:
            self._warned_ns = now_ns
            self._say_fault(self._log.blocked)
        elif now_ns - self._warned_ns > WARNING_NS and not self._lost and self._signals is not None:
            self._signals.end("fault")

    def _shortage(self, games: Path) -> str:
        return shortage(games, self._settings.storage.reserve_mb)

    def _lights_fault(self) -> str:
        return "" if self._signals is None else self._signals.fault

    def _best_screen(self, source: str) -> RunScreen:
        console = Console()
        if not console.is_terminal:
            return PlainRun()
        words = {"simulated": "[reverse] SIMULATED TABLE [/]"}.get(source, "")
        shadow = "[reverse] SHADOW: logs and says nothing [/]" if self._shadow else ""
        return LiveRun(console, f"[bold]Spit referee[/] {words} {shadow}".strip())

    def _open_log(self, parts: Parts, games: Path) -> tuple[GameLog, Tracker, str]:
        """Return the log, the tracker as it stands, and what to say about it: a restart goes on with its game."""
        storage = self._settings.storage
        quota, reserve = storage.pictures_mb * 1_000_000, storage.reserve_mb * 1_000_000
        trim_pictures(games, quota)
        if parts.source == "live" and (directory := cut_game(games, self._rules)) is not None:
            game = LoggedGame(directory)
            tracker = judge_for(game.header)
            for entry in game.entries():
                if isinstance(entry.item, Observation):
                    tracker.feed(entry.item, entry.n)
            log = GameLog.resume(directory, frame_quota_bytes=quota, reserve_bytes=reserve, waits=True)
            return log, tracker, f"goes on with {directory.name}"
        header = Header(
            source=parts.source,
            players=names_of(self._settings),
            rules_name=self._settings.rules.name,
            rules=msgspec.to_builtins(self._rules),
            devices=parts.devices(),
        )
        log = GameLog.create(games, header, frame_quota_bytes=quota, reserve_bytes=reserve, waits=True)
        return log, Tracker(self._rules), ""


class KeyTaker:
    """Keys while a game runs: q ends it, and letters slap where pads are mocked."""

    def __init__(self, stop: Callable[[], None], parts: Parts) -> None:
        self._stop = stop
        self._slap = key_listener(parts.mock) if parts.mock is not None else lambda key: False

    def __call__(self, key: str) -> None:
        if key.lower() == "q":
            self._stop()
        else:
            self._slap(key)


def names_of(settings: Settings) -> dict[Player, str]:
    """Return the players' names, as far as somebody has given them."""
    given: dict[Player, str] = {"p1": settings.players.p1, "p2": settings.players.p2}
    return {player: name for player, name in given.items() if name != player}


def cut_game(games: Path, rules: RuleSet) -> Path | None:
    """Return the newest game if it is live, of this boot, by the same rules, and was not closed: it is to go on."""
    newest = newest_game(games)
    if newest is None or newest.closed or newest.header is None:
        return None
    same = newest.header.boot_id == boot_id() and newest.header.rules == msgspec.to_builtins(rules)
    return newest.directory if same and newest.header.source == "live" else None


@contextmanager
def only_one(games: Path) -> Iterator[None]:
    """Hold the games folder for one referee; raises DeviceError if another one runs, LogError if it cannot be used."""
    with ExitStack() as stack:
        if (lock := _lock_file(games)) is not None:
            stack.enter_context(lock)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.seek(0)
                holder = lock.read().decode(errors="replace").strip() or "unknown"
                cure = "end it first (`sudo systemctl stop spit-referee` if it is the service)"
                raise DeviceError(f"a referee is already running here (process {holder}); {cure}") from None
            with suppress(OSError):  # a full disk
                os.ftruncate(lock.fileno(), 0)
                os.write(lock.fileno(), f"{os.getpid()}\n".encode())
        yield


def _lock_file(games: Path) -> FileIO | None:
    """Return the file that a running referee locks; None where the disk does not even take that: nobody holds it."""
    file = games / LOCK_FILE
    try:
        games.mkdir(parents=True, exist_ok=True)
        return file.open("ab+", buffering=0)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise LogError(f"no game can be logged in {games} ({error.strerror}): choose another folder") from None
        return file.open("rb", buffering=0) if file.exists() else None


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM, Ctrl-C and a closed terminal end the game in order: the log is closed, lights and buzzer go out."""
    numbers = [signal.SIGTERM, signal.SIGINT]
    numbers += [signal.SIGHUP] if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN else []
    before = {number: signal.signal(number, lambda *_: stop()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
