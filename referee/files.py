"""Reading a file that a person has given: whatever it is, it fills no memory."""

import errno
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 20_000_000
"""Far more than any settings, rules, table or scenario; a game of ten hours in notation has a tenth of it."""


def read_given(path: Path) -> bytes:
    """Return the bytes of a file; raises OSError, whose `strerror` says why, also for one that is much too large."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES // 1_000_000} MB", str(path))
    return content


def read_given_text(path: Path) -> str:
    """Return the text of a file, with or without a byte order mark; raises OSError as `read_given`, and
    UnicodeDecodeError for one that is not UTF-8."""
    return read_given(path).decode("utf-8-sig")
