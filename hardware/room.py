"""Room on the disk on which games are logged."""

import shutil
from pathlib import Path
from typing import Final

VIDEO_FILE: Final = "game.mp4"
"""The film in a recording's folder."""
FULL_BYTES: Final = 1_000_000
"""With less, the next lines of a log may not fit."""


def shortage(folder: Path, reserve_mb: int) -> str:
    """Return what to do about too little room for games in a folder; empty where there is enough."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    if free < FULL_BYTES:
        return f"the disk is full and the log may have gaps; make room on the disk of {folder}"
    if free < reserve_mb * 1_000_000:
        return f"only {free // 1_000_000} MB are free and pictures are left out; make room on the disk of {folder}"
    return ""


def films_bytes(games: Path) -> tuple[int, int]:
    """Return how many films of games there are, and how much room they take."""
    sizes = [film.stat().st_size for film in games.glob(f"*/recording*/{VIDEO_FILE}")]
    return len(sizes), sum(sizes)
