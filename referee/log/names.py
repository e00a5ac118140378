"""Names of games and pictures, chosen so that they survive every file system; nothing else is ever opened."""

import re
from typing import Final

FRAME_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}\.jpg")
"""No dots but the last one, no slashes: a log cannot make a reader open anything outside its own `frames/`."""

GAME_NAME: Final = re.compile(r"(?:\d{4}-\d\d-\d\d|undated)-(\d{1,9})-[0-9a-f]{4,}")


def running_number(name: str) -> int:
    """Return the running number of a game folder's name, 0 for a folder that somebody named by hand."""
    match = GAME_NAME.fullmatch(name)
    return int(match.group(1)) if match else 0


FILM_NAME: Final = re.compile(r"([0-9a-f]{4})-(\d{13})\.jpg")
"""A picture of the film around an event: which clock, and its moment on it in microseconds."""


def film_time(name: str) -> tuple[str, int] | None:
    """Return the clock's mark and the moment in nanoseconds of a picture of the film; None for any other picture."""
    match = FILM_NAME.fullmatch(name)
    return (match.group(1), int(match.group(2)) * 1000) if match else None


def clock_mark(boot_id: str) -> str:
    """Return the four hex digits by which pictures name the monotonic clock of a boot."""
    mark = boot_id[:4].lower()
    return mark if re.fullmatch(r"[0-9a-f]{4}", mark) else "0000"
