"""One table from the start of the program to its end: games and set-ups by turns, and the pages beside them."""

import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hardware.checks.report import from_error
from hardware.heart import Heart, is_service
from hardware.tablefile import Table, load_table
from referee.cli.patience import calibrated_table, once_mended, say_line, service_heart
from referee.cli.rig_run import RigRun
from referee.cli.rules import rules_of
from referee.cli.set_up_run import SetUpRun
from referee.cli.table_parts import Parts, real_parts
from referee.cli.table_run import TableRun, Watcher, only_one
from referee.errors import DeviceError, TableFileError
from referee.mqtt import MqttFeed
from referee.settings import Settings, table_file
from referee.web.desk import Desk, Wish
from referee.web.server import WebServer
from referee.web.waiting import take_in_left

if TYPE_CHECKING:  # a real table does without what renders one
    from hardware.simulated.practice import Scene as LaidScene
    from referee.cli.practice import Practice

SCENES: Final[dict[str, "tuple[LaidScene, ...]"]] = {
    "dealt": ("dealt",),
    "tops": ("tops",),
    "pack": ("pack 1", "pack 2"),
    "carried": ("carried",),
}
"""What the simulated table lays for each scene of the set-up, in turn."""


class TableLoop:
    """Plays and sets up a real table or a simulated one (`practice`), as people wish on the pages."""

    def __init__(
        self,
        settings: Settings,
        games: Path,
        access: Path,
        *,
        shadow: bool,
        practice: "Practice | None",
        record: bool = False,
    ) -> None:
        """`access`: the file that says who may see the pages; `record`: games are filmed whole."""
        self._access = access
        self._games, self._shadow, self._practice, self._record = games, shadow, practice, record
        self.desk = Desk(settings, games, simulated=practice is not None, shadow=shadow)
        self.desk.practice = practice
        self._server: WebServer | None = None
        self._mqtt: MqttFeed | None = None

    def run(self, port: int | None, *, strict: bool, set_up: bool = False) -> None:
        """Run until a person stops it; without pages (`port` None), until the game ends.

        `strict`: that port or none. `set_up`: begin with the set-up even if a game could begin.

        Raises:
            RefereeError: something is missing that only a person can mend, with the cure.
        """
        with ExitStack() as stack:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # also between two games: in order
            once_mended(
                lambda: stack.enter_context(only_one(self._games)), "its games folder", service_heart(), say_line
            )
            take_in_left(self._games, say_line)
            if port is not None:
                server = WebServer(self.desk, self._access, port, strict=strict, say=say_line)
                self._server = stack.enter_context(server)
            if self.desk.settings.mqtt.enabled and not self._shadow:
                self._mqtt = self._feed(stack)
            wish: Wish | None = "play" if self._can_play() and not (set_up and self._has_pages) else "set_up"
            while wish is not None:
                wish = self._play() if wish == "play" else self._set_up()

    def _feed(self, stack: ExitStack) -> MqttFeed | None:
        """The feed for other programs; by hand a missing package raises DeviceError, a service goes on without."""
        try:
            return stack.enter_context(MqttFeed(self.desk.settings))
        except DeviceError as error:
            if not is_service():
                raise
            self.desk.trouble = from_error(error)._replace(state="WARN")
            say_line(f"nothing is told to other programs: {error}")
            return None

    @property
    def _has_pages(self) -> bool:
        return self._server is not None

    def _heart(self, run: RigRun) -> Heart:
        """Return the heart that beats while the run's loops and the pages make progress."""
        server = self._server
        return Heart(lambda: run.ages() if server is None else {**run.ages(), "pages": server.age_ns()})

    def _can_play(self) -> bool:
        return self._practice is not None or not self._has_pages or table_file(self.desk.settings).exists()

    def _play(self) -> Wish | None:
        """Referee a game; return what is to come next, None for the end."""
        settings, desk = self.desk.settings, self.desk
        watchers: list[Watcher] = [desk] if self._has_pages else []
        watchers += [self._mqtt] if self._mqtt is not None else []
        run = TableRun(settings, rules_of(settings), shadow=self._shadow, watchers=watchers, record=self._record)
        heart = self._heart(run)
        try:
            parts = self._parts_to_play(run, heart)
        except TableFileError as error:
            if not self._has_pages:
                raise
            say_line(f"not calibrated: {error}")
            return "set_up"
        _tell(parts)
        game = run.play(parts, self._games, heart)
        print(f"Log:    {game}")
        print(f"Replay: spit-referee replay {game.name} --html replay.html", flush=True)
        return self._next(run.was_stopped)

    def _parts_to_play(self, run: TableRun, heart: Heart) -> Parts:
        settings = self.desk.settings

        def found(table: Table) -> None:
            self._found(table)
            run.found(table)

        if self._practice is not None:
            return self._practice.play_parts(settings, run.queue, run.queue.put, found)
        waits_for_file = is_service() and not self._has_pages
        table = calibrated_table(table_file(settings), heart if waits_for_file else None)
        return real_parts(settings, table, run.queue, run.queue.put, is_service(), found)

    def _set_up(self) -> Wish | None:
        """Let the pages set the table up; return what is to come next, None for the end."""
        settings, desk = self.desk.settings, self.desk
        run = SetUpRun(settings, desk)
        if self._practice is not None:
            parts = self._practice.set_up_parts(settings, run.queue, run.felt, run.note)
            desk.bench.lay = self._lay
        else:
            parts = real_parts(settings, None, run.queue, run.felt, is_service(), notes=run.note)
        _tell(parts)
        desk.table = self._known_table()
        run.run(parts, self._heart(run))
        return self._next(run.was_stopped)

    def _next(self, was_stopped: bool) -> Wish | None:
        """What people wish; after a simulated game the table lies still, for as long as there are pages."""
        if was_stopped or not self._has_pages:
            return None
        return self.desk.take_wish() or "set_up"

    def _found(self, table: Table) -> None:
        self.desk.table = table
        self.desk.feed.publish("anew", {})

    def _lay(self, scene: str, count: int) -> None:
        still = self._practice.still if self._practice is not None else None
        if still is not None:
            kinds = SCENES[scene]
            still.lay(kinds[count % len(kinds)])

    def _known_table(self) -> Table | None:
        try:
            return load_table(table_file(self.desk.settings))
        except TableFileError:
            return None


def _tell(parts: Parts) -> None:
    for notice in parts.notices:
        say_line(notice)
