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
