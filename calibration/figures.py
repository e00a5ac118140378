"""Shares as they are reported everywhere: k of n with the 95 % interval after Wilson."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

_Z: Final = 1.959964


@dataclass(slots=True)
class Share:
    """Counts how often something was so. `str` gives `k of n = share % [low, high]`."""

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
        if not self.n:
            return 0.0, 1.0
        p, spread = self.k / self.n, _Z * _Z / self.n
        middle, half = p + spread / 2, _Z * sqrt(p * (1 - p) / self.n + spread / (4 * self.n))
        return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))

    def __str__(self) -> str:
        if not self.n:
            return "0 of 0"
        low, high = self.interval()
        return f"{self.k} of {self.n} = {100 * self.k / self.n:.2f} % [{100 * low:.2f}, {100 * high:.2f}]"
