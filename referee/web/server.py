"""The web server in its thread. It listens on this machine alone, or on the local network while the access is open."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic_ns
from typing import Final, Self

import uvicorn

from referee.errors import DeviceError, SettingsError
from referee.web.access import Access, fresh_access, load_access, save_access
from referee.web.addresses import EVERYWHERE, LOCALHOST, page_addresses, qr_text, sign_in_address
from referee.web.app import build_app
from referee.web.connections import MOST_AT_ONCE, Connection
from referee.web.desk import Desk

PORTS_TRIED: Final = 10
LOOK_S: Final = 1.0
NO_FILE: Final = (0, 0)


class WebServer:
    """Serves a desk's pages in a `with` block; looks once a second whether the access was opened or closed."""

    def __init__(
        self,
        desk: Desk,
        access: Path,
        port: int,
        *,
        strict: bool = False,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`access`: the file that says who may come in; `say` is told the address.

        `port` 0: any. `strict`: this port or none; else one of the next ten is taken.
        """
        self._desk, self._port, self._strict, self._say = desk, port, strict, say
        self._file = access
        self._stopping = Event()
        self._access = fresh_access(open_=False)
        self._known = NO_FILE
        """The file of which `_access` was read."""
        self._server: uvicorn.Server | None = None
        self._beat_ns: int | None = None
        self._thread: Thread | None = None

    @property
    def access(self) -> Access:
        """Who may come in now."""
        return self._access

    def age_ns(self) -> int:
        """Return how long ago the serving loop made progress, for a watchdog; 0 while nothing is to be served."""
        beat_ns = self._beat_ns
        return 0 if beat_ns is None else monotonic_ns() - beat_ns

    @property
    def port(self) -> int:
        """Where the pages are."""
        return self._port

    def __enter__(self) -> Self:
        """Start; raises DeviceError if no port is free."""
        self._access = self._read_access()
        listening = self._listen()
        self._say(self.words())
        self._thread = Thread(target=self._run, args=(listening,), name="pages", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(timeout=4)

    def addresses(self) -> list[str]:
        """Return the addresses to type in."""
        return page_addresses(self._port, self._access.open)

    def _run(self, listening: socket.socket) -> None:
        while not self._stopping.is_set():
            self._serve(listening)
            listening.close()
            if self._stopping.is_set():
                return
            self._access = self._read_access()
            try:
                listening = self._listen()
            except DeviceError as error:
                self._say(f"the pages are off: {error}")
                return
            self._say(self.words())

    def words(self) -> str:
        """Return where the pages are and how to come in, with a QR code where a phone may."""
        addresses = self.addresses()
        where = f"Pages: {' or '.join(addresses)}"
        if not self._access.open:
            return f"{where}  (this machine only)"
        return f"{where}  PIN {self._access.pin}\n{qr_text(sign_in_address(addresses[0], self._access.pin))}"

    def _serve(self, listening: socket.socket) -> None:
        pages = build_app(self._desk, self._access)
        config = uvicorn.Config(
            pages,
            http=Connection,
            log_config=None,
            log_level="error",  # what strangers send is no news; a fault of the pages is
            access_log=False,
            lifespan="off",
            server_header=False,
            limit_concurrency=MOST_AT_ONCE,
            timeout_graceful_shutdown=3,
            ws="none",
        )
        server = self._server = uvicorn.Server(config)
        pages.state.is_ending = lambda: server.should_exit  # viewers' streams never end by themselves

        async def serve() -> None:
            watch = asyncio.create_task(self._watch(server))
            await server.serve([listening])
            watch.cancel()

        self._beat_ns = monotonic_ns()
        asyncio.run(serve())
        self._beat_ns = None

    async def _watch(self, server: uvicorn.Server) -> None:
        """End this server when somebody has opened or closed the pages since the file was read."""
        while not server.should_exit:
            await asyncio.sleep(LOOK_S)
            self._beat_ns = monotonic_ns()
            if _version(self._file) != self._known:
                server.should_exit = True

    def _listen(self) -> socket.socket:
        host = EVERYWHERE if self._access.open else LOCALHOST
        tried = [self._port] if self._strict or not self._port else range(self._port, self._port + PORTS_TRIED)
        for port in tried:
            listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listening.bind((host, port))
                listening.listen(128)
            except OSError:
                listening.close()
                continue
            self._port = int(listening.getsockname()[1])
            return listening
        raise DeviceError(f"port {self._port} is taken by another program; choose another one with web.port")

    def _read_access(self) -> Access:
        """A damaged file lets nobody in from outside; a new one is kept, so that a restart signs nobody out."""
        self._known = _version(self._file)  # before it is read: whatever comes later is a change
        try:
            access = load_access(self._file)
        except SettingsError as error:
            self._say(str(error))
            return fresh_access(open_=False)
        with suppress(OSError):
            if not self._file.exists():
                save_access(access, self._file)
                self._known = _version(self._file)
        return access


def _version(path: Path) -> tuple[int, int]:
    """Return what tells a file from the one that replaced it, though both were written in one tick of the clock."""
    try:
        about = path.stat()
    except OSError:
        return NO_FILE
    return about.st_mtime_ns, about.st_ino
