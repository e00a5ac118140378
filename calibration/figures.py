"""What the measuring commands have in common: shares that are counted one after the other, and how they fail."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

from referee.errors import RefereeError
from referee.shares import share, wilson


@dataclass(slots=True)
class Share:
    """Counts how often something was so. `str` gives `k of n (share % [low, high])`."""

    k: int = 0
    n: int = 0

    def count(self, was_so: bool) -> None:
        self.k += was_so
        self.n += 1

    def add(self, other: "Share") -> None:
        self.k += other.k
        self.n += other.n

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval (Wilson), 0 to 1; the whole range where nothing was counted."""
        return wilson(self.k, self.n)

    def __str__(self) -> str:
        return share(self.k, self.n)


def run(command: Callable[[], object]) -> None:
    """Run a measuring command; what it cannot measure with becomes one sentence on stderr and exit code 2."""
    try:
        command()
    except RefereeError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
