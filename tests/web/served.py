"""A desk with its pages on a free port, and a rig that films noise."""

from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from hardware.cameras.faulty import FaultyCamera
from hardware.cameras.watched import WatchedCamera
from hardware.pads import MockPads, PadReader, pads_of
from hardware.rig import LiveRig, NewsQueue
from hardware.signals import DARK
from referee.cli.table_parts import Blind
from referee.settings import Settings, StorageSection
from referee.web.access import access_file, fresh_access, save_access
from referee.web.desk import Desk
from referee.web.server import WebServer


class Table:
    """A table with its pages: `desk` is what the referee's side holds."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.settings = Settings(storage=StorageSection(table_file=str(folder / "table.toml")))
        self.desk = Desk(self.settings, folder / "games")
        self.access_file = access_file(folder / "table.toml")
        self.said: list[str] = []
        self.pads = MockPads()
        self.queue: NewsQueue = SimpleQueue()
        self._stack = stack

    def serve(self, open_: bool = False) -> WebServer:
        """Put the pages up."""
        if open_:
            save_access(fresh_access(open_=True), self.access_file)
        return self._stack.enter_context(WebServer(self.desk, self.access_file, 0, strict=True, say=self.said.append))

    def film(self) -> FaultyCamera:
        """Let a camera film noise and the pads be felt, as while a game runs."""
        camera = FaultyCamera(fps=50)
        watched = WatchedCamera(lambda: camera, self.queue.put)
        reader = PadReader(self.pads, pads_of(self.settings.pads), self.queue.put)
        rig = LiveRig(watched, Blind(), reader, self.queue)
        self.desk.opens("play", rig, self.queue, lambda: DARK, "2026-11-30-0001-abcd")
        watched.start()
        self._stack.callback(watched.close)

        def newest() -> None:
            for frame in watched.frames():
                rig.last_frame = frame

        Thread(target=newest, daemon=True).start()
        return camera
