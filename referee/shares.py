"""Shares as they are reported everywhere: k of n with the 95 % interval after Wilson (1927)."""

from math import sqrt
from typing import Final

Z: Final = 1.959964
"""Of a normal distribution 95 % lie within so many standard deviations."""


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval, 0 to 1, of a share of which k of n were counted; the whole range where n is 0."""
    if n == 0:
        return 0.0, 1.0
    p, spread = k / n, Z * Z / n
    middle, half = p + spread / 2, Z * sqrt(p * (1 - p) / n + spread / (4 * n))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def share(k: int, n: int) -> str:
    """Return a share in words: `97 of 102 (95.1 % [89.0, 97.9])`."""
    if n == 0:
        return "0 of 0"
    low, high = wilson(k, n)
    return f"{k} of {n} ({100 * k / n:.1f} % [{100 * low:.1f}, {100 * high:.1f}])"
