"""The unit of every stamp and wait: whole nanoseconds, as the kernel's clock has them."""

from typing import Final

MS: Final = 1_000_000
"""A millisecond in nanoseconds."""
