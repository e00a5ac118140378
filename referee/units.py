"""Units: stamps and waits are whole nanoseconds, as the kernel's clock has them; people read a count with its noun."""

from typing import Final

MS: Final = 1_000_000
"""A millisecond in nanoseconds."""


def counted(count: int, noun: str) -> str:
    """Return `1 game`, `3 games`; the noun as it is for one, and with an s for more."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
