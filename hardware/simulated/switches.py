"""The troubles of a simulated table that a person switches on and off while it runs."""

from typing import Literal

TroubleName = Literal["pulled", "nudge", "glare", "lamp", "hand"]


class Troubles:
    """Switches that a person turns, from any thread."""

    def __init__(self) -> None:
        self._on: frozenset[str] = frozenset()

    @property
    def on(self) -> frozenset[str]:
        """Names of the troubles that are on."""
        return self._on

    def turn(self, what: TroubleName, on: bool) -> None:
        """Make a trouble, or mend it."""
        self._on = self._on | {what} if on else self._on - {what}
