"""Room on the disk on which games are logged."""

import shutil
from pathlib import Path
from typing import Final

FULL_BYTES: Final = 1_000_000
"""With less, the next lines of a log may not fit."""


def shortage(folder: Path, reserve_mb: int) -> str:
    """Return what to do about too little room for games in a folder; empty where there is enough."""
    free = shutil.disk_usage(folder).free
    if free < FULL_BYTES:
        return f"the disk is full and the log may have gaps; make room on the disk of {folder}"
    if free < reserve_mb * 1_000_000:
        return f"only {free // 1_000_000} MB are free and pictures are left out; make room on the disk of {folder}"
    return ""
