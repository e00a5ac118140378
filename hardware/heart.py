"""The service's heartbeat: systemd is told "alive" only while every loop really makes progress."""

import os
from collections.abc import Callable, Mapping
from time import monotonic_ns
from typing import Final, Protocol

LONGEST_NS: Final = 15_000_000_000
"""A loop that made no progress for so long is stuck."""


class Notifier(Protocol):
    """sdnotify's, or a recorder."""

    def notify(self, state: str) -> None: ...


def is_service() -> bool:
    """Return whether systemd started this program and waits for its word."""
    return "NOTIFY_SOCKET" in os.environ


def systemd() -> Notifier:
    """Return the way to systemd; it does nothing where the program was started by hand."""
    from sdnotify import SystemdNotifier

    notifier: Notifier = SystemdNotifier()
    return notifier


class Heart:
    """Beats at most twice a second, however often it is asked. `ages`: for each loop, how long ago it made progress."""

    def __init__(
        self,
        ages: Callable[[], Mapping[str, int]],
        notifier: Notifier | None = None,
        clock: Callable[[], int] = monotonic_ns,
        longest_ns: int = LONGEST_NS,
    ) -> None:
        self._ages, self._clock, self._longest_ns = ages, clock, longest_ns
        self._notifier = notifier or systemd()
        self._beaten_ns: int | None = None
        self._said = ""

    def ready(self) -> None:
        """The pads listen and the loops run; the camera may still be missing."""
        self._notifier.notify("READY=1")

    def beat(self, status: str) -> None:
        """Tell systemd that all is well, with a line for `systemctl status`; silence if a loop is stuck."""
        now_ns = self._clock()
        if self._beaten_ns is not None and now_ns - self._beaten_ns < 500_000_000:
            return
        self._beaten_ns = now_ns
        if stuck := self.stuck():
            status = f"stuck: {', '.join(stuck)}"
        else:
            self._notifier.notify("WATCHDOG=1")
        if status != self._said:
            self._said = status
            self._notifier.notify(f"STATUS={status}")

    def stuck(self) -> list[str]:
        """Return the loops that make no progress."""
        return [name for name, age_ns in self._ages().items() if age_ns > self._longest_ns]

    def stop(self) -> None:
        """The end is meant."""
        self._notifier.notify("STOPPING=1")
