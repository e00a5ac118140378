"""The pages beside a demo: what it films and says, for a browser on this machine."""

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from hardware.frames import Frame
from hardware.rig import RigStatus
from hardware.signals import Output
from hardware.tablefile import Table
from referee.demo import Progress
from referee.errors import DeviceError
from referee.observations import AnyObservation
from referee.settings import PlayersSection, Settings, table_file
from referee.verdicts import AnyVerdict
from referee.web.access import access_file
from referee.web.desk import Desk
from referee.web.server import WebServer


class DemoPages:
    """Use it in a `with` block; without a free port there are no pages, and the demo goes on."""

    def __init__(self, games: Path) -> None:
        settings = Settings(players=PlayersSection(p1="Ann", p2="Ben"))
        self.last_frame: Frame | None = None
        self._progress = Progress(end_ns=0)
        self._desk = Desk(settings, games, simulated=True)
        self._desk.takes_turns = False
        self._server = WebServer(self._desk, access_file(table_file(settings)), settings.web.port, say=print)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        try:
            self._stack.enter_context(self._server)
        except DeviceError as error:
            print(f"No pages: {error}")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stack.close()

    # -- the demo's side ---------------------------------------------------------------------------------------------

    def begins(self, game: str) -> None:
        """A game begins."""
        self._desk.opens("play", self, None, lambda: self._lights, game)

    def found(self, table: Table) -> None:
        """The table is known now."""
        self._desk.table = table
        self._desk.feed.publish("anew", {})

    def saw(self, seen: AnyObservation) -> None:
        """Take in an observation."""
        self._desk.saw(seen)

    def tell(self, verdict: AnyVerdict) -> None:
        """Take in a verdict."""
        self._desk.tell(verdict)

    def shows(self, frame: Frame, progress: Progress) -> None:
        """Take in a frame."""
        self.last_frame, self._progress = frame, progress

    # -- the pages' side: what a rig tells ---------------------------------------------------------------------------

    def status(self) -> RigStatus:
        """Return how the demo is doing."""
        return RigStatus(
            camera="simulated",
            camera_lost="",
            fps=self._progress.fps,
            age_ms=0.0,
            dropped=0,
            pads="simulated",
            pads_lost="",
            down=(),
            waiting=0,
            complaints=(),
        )

    def stop(self) -> None:
        """A demo is stopped in its terminal."""

    @property
    def _lights(self) -> Output:
        return self._progress.lights
