"""A game's pictures on the disk, within a quota: the oldest without a keep mark make room."""

import shutil
from collections import deque
from pathlib import Path
from typing import Final

from referee.log.header import KEEP_MARK
from referee.log.names import film_time

SEARCHED_NS: Final = 5_000_000_000
"""No further back is a film looked for."""


class PictureFolder:
    """Pictures within a quota: the oldest without a keep mark goes first. Below the disk's reserve none is added.

    One thread saves while another marks: whoever goes through a list takes a copy of it first, which is one step.
    """

    def __init__(self, folder: Path, quota_bytes: int, reserve_bytes: int = 0) -> None:
        self._folder = folder
        self._quota_bytes, self._reserve_bytes = quota_bytes, reserve_bytes
        found = sorted(folder.glob("*.jpg"), key=lambda path: path.stat().st_mtime_ns)
        self._sizes: deque[tuple[str, int]] = deque((path.name, path.stat().st_size) for path in found)
        self._used_bytes = sum(size for _, size in self._sizes)
        self._kept_films: deque[tuple[str, int, int]] = deque(maxlen=20)

    def save(self, name: str, jpeg_bytes: bytes, *, keep: bool) -> bool:
        """Save a picture; return False if there is no room for it, or one of that name already."""
        if self._reserve_bytes and shutil.disk_usage(self._folder).free < self._reserve_bytes + len(jpeg_bytes):
            return False
        self.make_room(len(jpeg_bytes))
        if self._used_bytes + len(jpeg_bytes) > self._quota_bytes or (self._folder / name).exists():
            return False
        temporary = self._folder / f".{name}.part"
        try:
            temporary.write_bytes(jpeg_bytes)
            temporary.replace(self._folder / name)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        self._sizes.append((name, len(jpeg_bytes)))
        self._used_bytes += len(jpeg_bytes)
        if keep or self._is_of_kept_film(name):
            self.keep(name)
        return True

    def keep_film(self, clock: str, start_ns: int, end_ns: int) -> None:
        """Keep the pictures of this stretch: those that are here, and those still to come."""
        self._kept_films.append((clock, start_ns, end_ns))
        for name, _ in reversed(tuple(self._sizes)):
            at = film_time(name)
            if at is not None and at[1] < start_ns - SEARCHED_NS:
                break
            if self._is_of_kept_film(name):
                self.keep(name)

    def _is_of_kept_film(self, name: str) -> bool:
        at = film_time(name)
        return at is not None and any(
            at[0] == clock and start <= at[1] <= end for clock, start, end in tuple(self._kept_films)
        )

    def keep(self, name: str) -> None:
        """Mark a picture: it never makes room for another one."""
        (self._folder / f"{name}.{KEEP_MARK}").touch()

    def make_room(self, wanted_bytes: int) -> None:
        """Delete pictures, oldest first, until `wanted_bytes` more fit into the quota."""
        self.give_back(self._used_bytes + wanted_bytes - self._quota_bytes)

    def give_back(self, wanted_bytes: int) -> None:
        """Delete at least that many bytes of pictures without a keep mark, oldest first, as long as there are any."""
        kept: list[tuple[str, int]] = []
        while self._sizes and wanted_bytes > 0:
            name, size = self._sizes.popleft()
            if (self._folder / f"{name}.{KEEP_MARK}").exists():
                kept.append((name, size))
                continue
            (self._folder / name).unlink(missing_ok=True)
            self._used_bytes -= size
            wanted_bytes -= size
        self._sizes.extendleft(reversed(kept))
