"""Connections of the pages: no device takes them all, and none is kept open without asking for something."""

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MOST_AT_ONCE: Final = 96
"""Open connections; a family with its phones needs a dozen."""
MOST_OF_ONE: Final = MOST_AT_ONCE // 2
"""Of one address; a browser opens six at most."""
SILENT_S: Final = 10.0
"""A question is asked in full within twice this time."""


class Connection(H11Protocol):
    """A visitor's connection; more than its share, or one that only waits, is hung up: others want to come in."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take it, unless its address has too many."""
        super().connection_made(transport)
        address = _address(self)
        if sum(_address(other) == address for other in self.connections) > MOST_OF_ONE:
            transport.abort()
        else:
            self.loop.call_later(SILENT_S, self._look, None)

    def _look(self, asked: RequestResponseCycle | None) -> None:
        """Hang up if nothing was asked in full since the last look (`asked`: the question of then)."""
        now = self.cycle
        if self.transport.is_closing():
            return
        if now is asked and (now is None or now.response_complete or now.more_body):
            self.transport.abort()
        else:
            self.loop.call_later(SILENT_S, self._look, now)


def _address(connection: object) -> str:
    client = getattr(connection, "client", None)
    return client[0] if client else ""
