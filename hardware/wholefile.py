"""Files that survive a power cut: the old one or the new one is there whole, never a half."""

import errno
import os
import tempfile
from pathlib import Path


def replace_whole(path: Path, data: bytes, keep_previous: bool = False, mode: int = 0o664) -> None:
    """Write `data` to `path`, making its folder if need be; `keep_previous`: the old file becomes `NAME.previous`.

    `mode`: who may read and write it; by default the service reads what a person calibrated.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        error.filename = str(path.parent)  # people know the folder, and not the file that was to become theirs
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # a full disk gets no fuller
        Path(name).unlink(missing_ok=True)
        raise
    if keep_previous and path.exists():  # a copy: the file itself must be there at every moment
        replace_whole(path.with_suffix(path.suffix + ".previous"), path.read_bytes(), mode=mode)
    Path(name).replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
