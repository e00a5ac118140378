"""Reading a game log that may be cut, old, newer than this program, foreign or hostile.

What is whole is given out, what is not is named as a `Trouble`; only a folder without any log is an error. Lines are
read one at a time, so a log of any length needs no more memory than its longest line may have.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, get_args

import msgspec

from referee.errors import LogError
from referee.log.header import FRAMES_FOLDER, LOG_FILE, SCHEMA, Closed, Continued, Header
from referee.log.names import FRAME_NAME, film_time
from referee.observations import AnyObservation
from referee.verdicts import AnyVerdict

LONGEST_LINE_BYTES: Final = 1024 * 1024
LATEST_NS: Final = 2**62
"""About 146 years after boot: a time beyond it is damage."""
MOST_TROUBLES: Final = 1000

_HEADER: Final = msgspec.json.Decoder(Header)
_ITEM: Final = msgspec.json.Decoder(AnyObservation | AnyVerdict | Continued | Closed)
_KINDS: Final = {
    kind.__struct_config__.tag for kind in (*get_args(AnyObservation), *get_args(AnyVerdict), Continued, Closed)
}


class _Stub(msgspec.Struct):
    n: int = -1
    kind: str = ""


_STUB: Final = msgspec.json.Decoder(_Stub)


class Trouble(msgspec.Struct, frozen=True):
    """Something in the log that could not be used, for a person: `line` counts from 1."""

    line: int
    what: str


class Entry(msgspec.Struct, frozen=True):
    """One line of the log: its running number, and the observation or verdict it holds; marks have the number -1."""

    n: int
    item: AnyObservation | AnyVerdict | Continued | Closed

    @property
    def is_mark(self) -> bool:
        return isinstance(self.item, Continued | Closed)

    @property
    def at_ns(self) -> int | None:
        """When it happened; None for marks."""
        return None if isinstance(self.item, Continued | Closed) else self.item.at_ns


class LoggedGame:
    """A game on disk. `header` is read at once; `entries()` streams the rest and fills `troubles` as it goes.

    Raises LogError if the folder holds no readable log at all.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._path = directory / LOG_FILE if directory.is_dir() else directory
        self.troubles: list[Trouble] = []
        self.was_closed = False
        """After `entries()`: the last line says that the game was closed in order."""
        self.header = self._read_header()

    def entries(self) -> Iterator[Entry]:
        """Yield every whole line in order. Reading again starts anew, with `troubles` emptied."""
        self.troubles = [self._header_trouble] if self._header_trouble else []
        self.was_closed = False
        expected_n = 0
        for number, line in _lines(self._path):
            if (number == 1 and self._starts_with_header) or not line.strip(b" \t\r\n"):
                continue
            entry = _decode(line)
            if isinstance(entry, str):
                self._note(number, entry)
                expected_n += 1
                continue
            if entry.n > expected_n:
                self._note(number, f"before it {_count(entry.n - expected_n)} missing")
            if not entry.is_mark:
                expected_n = entry.n + 1
            self.was_closed = isinstance(entry.item, Closed)
            yield entry

    def frame_path(self, name: str | None) -> Path | None:
        """Return where the picture of that name lies, None if there is none. Only names of the writer's own kind are
        looked up, and never through a link: a log cannot show files from elsewhere."""
        if name is None or not FRAME_NAME.fullmatch(name):
            return None
        folder = self.directory / FRAMES_FOLDER
        path = folder / name
        return path if path.is_file() and not path.is_symlink() and not folder.is_symlink() else None

    def film(self) -> dict[str, list[tuple[int, str]]]:
        """Return the pictures of the film around events: by the mark of their clock, moments in order with names."""
        found: dict[str, list[tuple[int, str]]] = {}
        folder = self.directory / FRAMES_FOLDER
        if not folder.is_dir() or folder.is_symlink():
            return found
        for path in sorted(folder.iterdir()):
            at = film_time(path.name)
            if at is not None:
                found.setdefault(at[0], []).append((at[1], path.name))
        return found

    def _read_header(self) -> Header:
        first = next(iter(_lines(self._path)), (1, b""))[1]
        stub = _stub(first)
        self._starts_with_header = stub is None or stub.kind == "header"
        self._header_trouble: Trouble | None = None
        if stub is None or stub.kind != "header":
            return self._headless()
        try:
            header = _HEADER.decode(first)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return self._headless()
        if header.schema > SCHEMA:
            what = f"written by a newer version (schema {header.schema}): this one shows what it knows of it"
            self._header_trouble = Trouble(1, what)
        return header

    def _headless(self) -> Header:
        """A log whose first line is damaged or missing still opens, if anything in it speaks our language."""
        self._header_trouble = Trouble(1, "the header is damaged: rules, names and devices are unknown")
        if not any(isinstance(_decode(line), Entry) for _, line in islice(_lines(self._path), 1000)):
            raise LogError(f"{self._path} is not a game log of this product: choose a folder that holds one")
        return Header(schema=0)

    def _note(self, number: int, what: str) -> None:
        if len(self.troubles) < MOST_TROUBLES:
            self.troubles.append(Trouble(number, what))


def _decode(line: bytes) -> Entry | str:
    """Return the entry of a line, or in words what is wrong with the line."""
    if not line.strip(b"\0\n"):
        return "nothing but zeros, as a power cut leaves them"
    stub = _stub(line)
    if stub is None:
        return "not readable" if line.endswith(b"\n") else "cut off"
    if stub.kind not in _KINDS:
        return f"of a kind that this version does not know, {stub.kind[:40]!r}"
    try:
        entry = Entry(stub.n, _ITEM.decode(line))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return f"a {stub.kind} that cannot be understood ({str(error)[:120]})"
    if entry.is_mark:
        return Entry(-1, entry.item)
    return entry if _is_possible(entry) else f"a {stub.kind} at an impossible time"


def _is_possible(entry: Entry) -> bool:
    item = entry.item
    return isinstance(item, Continued | Closed) or (0 <= entry.n < 2**53 and 0 <= item.at_ns < LATEST_NS)


def _count(missing: int) -> str:
    return f"{missing} entry is" if missing == 1 else f"{missing} entries are"


def _stub(line: bytes) -> _Stub | None:
    try:
        return _STUB.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield numbered lines; of one that is too long only the beginning, which then reads as damage."""
    try:
        with path.open("rb") as file:
            yield from enumerate(_bounded_lines(file), 1)
    except OSError as error:
        raise LogError(f"{path} cannot be read ({error.strerror}): choose a folder that holds a game") from error


def _bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE_BYTES):
        yield line if line.endswith(b"\n") or len(line) < LONGEST_LINE_BYTES else line[:200] + b"\n"
        while len(line) == LONGEST_LINE_BYTES and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE_BYTES)
