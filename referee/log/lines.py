"""The file of a game's log: whole lines or nothing, also on a disk that takes nothing for a while."""

import errno
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final

from referee.log.header import FRAMES_FOLDER

NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""What a disk says that takes nothing now: it is full, or it wears out. Room may come, and the rest is no misuse."""


class LineFile:
    """Lines at the end of a file, whose folder is made with the first one. Every call may raise OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: FileIO | None = None
        self._owed = b""
        self.head = b""
        """What a file begins with that has to be made anew."""

    def owe(self, line: bytes) -> None:
        """Let this stand before whatever is written next: a log begins with its header, however late."""
        self._owed += line

    def append(self, line: bytes) -> None:
        """Hand one whole line to the kernel. Of a line that does not fit nothing stays: the next one is whole again."""
        file = self._opened()
        start = file.seek(0, os.SEEK_END)
        whole = self._owed + line
        try:
            if file.write(whole) != len(whole):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            file.truncate(start)
            raise
        self._owed = b""

    def sync(self) -> None:
        """Wait until everything written so far is on the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; one without a line goes, with its folder."""
        if self._file is None:
            return
        is_empty = os.fstat(self._file.fileno()).st_size == 0
        self._file.close()
        self._file = None
        if is_empty:
            with suppress(OSError):
                self._path.unlink()
                (self._path.parent / FRAMES_FOLDER).rmdir()
                self._path.parent.rmdir()

    def _opened(self) -> FileIO:
        if self._file is not None and os.fstat(self._file.fileno()).st_nlink == 0:  # somebody removed the running game
            self._file.close()
            self._file, self._owed = None, self.head
        if self._file is None:
            (self._path.parent / FRAMES_FOLDER).mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab", buffering=0)
        return self._file
