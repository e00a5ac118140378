"""News for everybody who watches. Whoever has news never waits; a viewer who falls behind reads the state anew."""

from collections import deque
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import msgspec

KEPT: Final = 256
"""So much news is kept; whoever missed more of it starts again."""


@dataclass(frozen=True, slots=True)
class News:
    """One piece of news: its running number, what it is about, and its JSON, written once for all viewers."""

    n: int
    kind: str
    data: bytes


class Feed:
    """A ring of news. Each viewer remembers the number of what was read last, and asks for what came since."""

    def __init__(self, kept: int = KEPT) -> None:
        self._ring: deque[News] = deque(maxlen=kept)
        self._lock = Lock()
        self._last = 0

    @property
    def last(self) -> int:
        """Number of the newest piece; 0 before the first."""
        return self._last

    def publish(self, kind: str, data: Any) -> None:
        """Add news, from any thread; the oldest falls out. Never waits for a viewer."""
        encoded = msgspec.json.encode(data)
        with self._lock:
            self._last += 1
            self._ring.append(News(self._last, kind, encoded))

    def since(self, n: int) -> list[News] | None:
        """Return what came after number `n`; None if some of it has fallen out (or never was): read the state anew."""
        with self._lock:
            if n == self._last:
                return []
            oldest = self._ring[0].n if self._ring else self._last + 1
            if not oldest - 1 <= n < self._last:
                return None
            return [news for news in self._ring if news.n > n]
