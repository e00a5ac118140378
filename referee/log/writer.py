"""Writing a game log: append-only, handed to the kernel with every event, on the disk at quiet moments.

A referee never stops because a disk is full: pictures go first, then events are counted but not written, and
`GameLog.trouble` says so in a sentence.
"""

import errno
import os
import re
import secrets
from collections import deque
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from referee.errors import LogError
from referee.log.header import FRAMES_FOLDER, LOG_FILE, AnyMark, Closed, Continued, Header
from referee.log.lines import NO_ROOM, LineFile
from referee.log.names import FRAME_NAME, clock_mark, running_number
from referee.log.pictures import PictureFolder
from referee.log.reader import LoggedGame
from referee.observations import AnyObservation, CardLanded, PadSlapped
from referee.verdicts import (
    AnyVerdict,
    Award,
    Breach,
    DeadHeat,
    DealOver,
    GameOver,
    NotStuck,
    Paused,
    PlayJudged,
    SlapJudged,
    SpitJudged,
    Stuck,
)

FRAME_QUOTA_BYTES: Final = 200 * 1024 * 1024
TIME_SERVICE: Final = Path("/run/systemd/timesync")

AROUND_NS: Final = 250_000_000
"""The film of a quarrel reaches this far before and after it."""

WORN_OUT: Final = (errno.EROFS, errno.EIO)
_REFUSED: Final = "{} cannot be continued ({}): start a new game"

QUIET_MOMENTS: Final = (Stuck, DealOver, Award, GameOver, Paused)
"""After these nobody plays for a second: time to wait for the disk."""


class GameLog:
    """One game's log, open for writing. Use it from one thread, in a `with` block.

    `trouble` is None, or a sentence that says what could not be kept and how to cure it; `blocked` is one as long as
    nothing can be written. `wanted` are moments around which whoever films should keep pictures; `clock` tells the
    monotonic clocks of different boots apart.
    """

    def __init__(
        self,
        directory: Path,
        *,
        next_n: int,
        frame_quota_bytes: int = FRAME_QUOTA_BYTES,
        reserve_bytes: int = 0,
        closes: bool = True,
        live: bool = True,
    ) -> None:
        self.directory = directory
        self._closes = closes
        self._live = live
        self._is_closed = False
        self.trouble: str | None = None
        self.blocked = ""
        self.wanted: deque[int] = deque(maxlen=100)
        self.clock = clock_mark(boot_id())
        self._pictured: dict[int, str] = {}
        self._next_n = next_n
        self._encoder = msgspec.json.Encoder()
        self._lines = LineFile(directory / LOG_FILE)
        self._frames = PictureFolder(directory / FRAMES_FOLDER, frame_quota_bytes, reserve_bytes)

    @classmethod
    def create(
        cls,
        games_dir: Path,
        header: Header,
        *,
        frame_quota_bytes: int = FRAME_QUOTA_BYTES,
        reserve_bytes: int = 0,
        waits: bool = False,
        live: bool = True,
    ) -> "GameLog":
        """Return the log of a new game in a folder of its own; `started`, `boot_id` and `software` are filled in
        where the header leaves them empty. Pictures leave `reserve_bytes` of the disk free. Raises LogError if the
        folder cannot be written; with `waits` a full disk is none, and the log begins as soon as there is room.
        A game that is not `live` can be had again from where it comes: the disk is waited for only at its end."""
        header = msgspec.structs.replace(
            header,
            started=header.started or datetime.now().astimezone().isoformat(timespec="seconds"),
            boot_id=header.boot_id or boot_id(),
            software=header.software or software_version(),
            clock_unsure=header.clock_unsure or is_clock_unsure(),
        )
        refused = f"no game can be logged in {games_dir} ({{}}): choose another folder with --games"
        try:
            directory = _new_directory(games_dir, header.started[:10])
        except OSError as error:
            raise LogError(refused.format(error.strerror)) from error
        log = cls(directory, next_n=0, frame_quota_bytes=frame_quota_bytes, reserve_bytes=reserve_bytes, live=live)
        log.clock = clock_mark(header.boot_id)
        log._lines.head = log._marked(header)
        log._begin(log._lines.head, refused, waits)
        return log

    @classmethod
    def resume(
        cls,
        directory: Path,
        *,
        frame_quota_bytes: int = FRAME_QUOTA_BYTES,
        reserve_bytes: int = 0,
        waits: bool = False,
    ) -> "GameLog":
        """Return an existing game's log, open at its end. A line that a power cut left half written stays as it is.
        `waits` as for `create`."""
        game = LoggedGame(directory)
        log = cls._reopened(game, closes=True, frame_quota_bytes=frame_quota_bytes, reserve_bytes=reserve_bytes)
        continued = Continued(boot_id=boot_id(), software=software_version())
        log._begin(_end_of_cut_line(directory) + log._marked(continued), _REFUSED.format(directory, "{}"), waits)
        return log

    @classmethod
    def amend(cls, directory: Path) -> "GameLog":
        """Return the log of a game that has been played, open for corrections. Whether it was closed stays as it is."""
        game = LoggedGame(directory)
        log = cls._reopened(game, closes=False)
        log._closes = game.was_closed
        log._begin(_end_of_cut_line(directory), _REFUSED.format(directory, "{}"), waits=False)
        return log

    @classmethod
    def _reopened(
        cls, game: LoggedGame, *, closes: bool, frame_quota_bytes: int = FRAME_QUOTA_BYTES, reserve_bytes: int = 0
    ) -> "GameLog":
        last_n = max((entry.n for entry in game.entries()), default=-1)
        log = cls(
            game.directory,
            next_n=last_n + 1,
            frame_quota_bytes=frame_quota_bytes,
            reserve_bytes=reserve_bytes,
            closes=closes,
        )
        log._lines.head = log._marked(game.header)
        return log

    def _begin(self, owed: bytes, refused: str, waits: bool) -> None:
        """Write what stands before everything else, or keep it until there is room."""
        self._lines.owe(owed)
        try:
            self._lines.append(b"")
        except OSError as error:
            if not waits or error.errno not in NO_ROOM:
                self._lines.close()
                raise LogError(refused.format(error.strerror)) from error
            self._note_lost(error)
        self.sync()

    @property
    def next_n(self) -> int:
        """The running number of what is written next."""
        return self._next_n

    def observation(self, seen: AnyObservation) -> int:
        """Log what a sensor saw and return its running number, which verdicts name as `of`. Observations and verdicts
        are counted together, from 0."""
        n = self._write(seen)
        if isinstance(seen, PadSlapped):
            self.wanted.append(seen.at_ns)
        elif isinstance(seen, CardLanded) and seen.frame is not None:
            self._pictured[n] = seen.frame
        return n

    def verdict(self, verdict: AnyVerdict) -> int:
        """Log what the referee decided and return its running number. Pictures of what people may quarrel about stay
        when the others have to make room."""
        n = self._write(verdict)
        if is_quarrel(verdict):
            self._keep_pictures(verdict)
        if self._live and isinstance(verdict, QUIET_MOMENTS):
            self.sync()
        return n

    def frame(self, name: str, jpeg_bytes: bytes, *, keep: bool = False) -> bool:
        """Save a picture under `frames/NAME`; return False if it could not be kept, or if there is one of that name.
        The oldest pictures without a keep mark make room. `name` is like `000081273-A-after.jpg`: lower or upper case
        letters, digits, `-`, `_`."""
        if not FRAME_NAME.fullmatch(name):
            raise LogError(f"{name!r} is no name for a picture: use letters, digits, - and _, ending in .jpg")
        try:
            return self._frames.save(name, jpeg_bytes, keep=keep)
        except OSError as error:
            self.trouble = f"pictures are not kept ({error.strerror}): make room on the disk of {self.directory}"
            return False

    def _keep_pictures(self, verdict: AnyVerdict) -> None:
        try:
            if (name := self._pictured.get(-1 if verdict.of is None else verdict.of)) is not None:
                self._frames.keep(name)
            self._frames.keep_film(self.clock, verdict.at_ns - AROUND_NS, verdict.at_ns + AROUND_NS)
        except OSError as error:
            self.trouble = f"pictures cannot be marked ({error.strerror}): make room on the disk of {self.directory}"

    def sync(self) -> None:
        """Wait until everything written so far is on the disk."""
        try:
            self._lines.sync()
        except OSError as error:
            self._note_lost(error)

    def close(self) -> None:
        """Write the closing line and close the file. Without it a reader says that the power went."""
        if not self._is_closed:
            self._is_closed = True
            if self._closes:
                self._put(self._marked(Closed()))
            self.sync()
            self._lines.close()

    def __enter__(self) -> "GameLog":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _write(self, item: AnyObservation | AnyVerdict) -> int:
        n = self._next_n
        self._next_n += 1
        self._put(b'{"n":%d,' % n + self._encoder.encode(item)[1:] + b"\n")
        return n

    def _marked(self, mark: AnyMark) -> bytes:
        return self._encoder.encode(mark) + b"\n"

    def _put(self, line: bytes) -> None:
        try:
            self._lines.append(line)
        except OSError:
            self._frames.give_back(len(line))
            try:
                self._lines.append(line)
            except OSError as error:
                self._note_lost(error)
                return
        self.blocked = ""

    def _note_lost(self, error: OSError) -> None:
        disk = f"the disk of {self.directory.parent}"
        cure = f"look after {disk}, it takes nothing" if error.errno in WORN_OUT else f"make room on {disk}"
        self.trouble = f"the game log has gaps ({error.strerror}): {cure}"
        self.blocked = f"GAME NOT LOGGED ({error.strerror}): {cure}; it is refereed all the same"


def _end_of_cut_line(directory: Path) -> bytes:
    """Return what ends a line that a power cut left half written."""
    with (directory / LOG_FILE).open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return b"\n" if file.read(1) not in (b"", b"\n") else b""


def _new_directory(games_dir: Path, date: str) -> Path:
    """A folder that is not there yet: the running number orders games even when the wall clock was set back."""
    date = date if re.fullmatch(r"\d{4}-\d\d-\d\d", date) else "undated"
    there = games_dir.iterdir() if games_dir.exists() else ()
    number = max((running_number(path.name) for path in there), default=0) + 1
    return games_dir / f"{date}-{number:04d}-{secrets.token_hex(2)}"


def is_quarrel(verdict: AnyVerdict) -> bool:
    """Whether people may want to look at it again."""
    if isinstance(verdict, PlayJudged | SpitJudged):
        return verdict.ruling != "legal"
    return isinstance(verdict, Award | DeadHeat | Breach | NotStuck) or (
        isinstance(verdict, SlapJudged) and verdict.ruling == "false_slap"
    )


def boot_id() -> str:
    """Return the kernel's name for this boot, empty where it has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def is_clock_unsure() -> bool:
    """Whether the system keeps its clock by the network and has not heard from there since it was started."""
    return TIME_SERVICE.is_dir() and not (TIME_SERVICE / "synchronized").exists()


def software_version() -> str:
    try:
        return version("spit-referee")
    except PackageNotFoundError:
        return "unknown"
