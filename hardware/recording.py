"""A whole game on film: the camera's pictures, the pads' levels and the table file, to be watched and scored again.

The film has a constant rate, and picture i is what the camera showed around i / fps: a gap is filled with the picture
before it. The pads' file is on the film's clock. Nothing here makes the referee wait; what a slow disk cannot take is
left out and counted.
"""

import json
import shutil
from contextlib import ExitStack
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self

import cv2

from hardware.frames import Frame
from hardware.rig import Seer
from hardware.room import VIDEO_FILE
from hardware.tablefile import Table, save_table
from hardware.vision.enrolled import deck_file
from referee.errors import DeviceError
from referee.observations import AnyObservation, PadReleased, PadSlapped
from referee.verdicts import AnyVerdict

PADS_FILE: Final = "pads.jsonl"
TABLE_FILE: Final = "table.toml"
ABOUT_FILE: Final = "recording.json"

WAITING: Final = 12
"""Pictures that may wait for the disk."""
LONGEST_GAP_S: Final = 120.0
"""A longer gap (a camera that was lost) is not filled: the film ends there."""
LEAST_FREE_BYTES: Final = 500_000_000
LAST_PICTURES_S: Final = 60.0
"""So long the end of a game waits for the last pictures to be written."""
LOOK_EVERY: Final = 300


class Recording:
    """Records a table into `folder` in a `with` block. `eyes` lets it see what they see; it follows the session for
    the pads; `found` takes the table. `trouble`: None, or a sentence that says why the film is not whole."""

    def __init__(self, folder: Path, fps: float, deck: Path | None = None, room_bytes: int | None = None) -> None:
        """`deck`: the enrolled deck's file, if there is one; `room_bytes`: where the film ends, None: nowhere.

        Raises:
            DeviceError: the folder cannot be written.
        """
        self.folder, self.fps = folder, fps
        self.trouble: str | None = None
        self.dropped = 0
        self._start_ns: int | None = None
        self._size_px = (0, 0)
        self._written = 0
        self._deck, self._room_bytes = deck, room_bytes
        self._queue: Queue[Frame | None] = Queue(maxsize=WAITING)
        self._early: list[AnyObservation] = []
        self._open = ExitStack()
        try:
            folder.mkdir(parents=True)
            self._pads = self._open.enter_context((folder / PADS_FILE).open("wb", buffering=0))
        except OSError as error:
            raise DeviceError(f"{folder} cannot be recorded into ({error.strerror}): play without --record") from error
        self._thread = Thread(target=self._write, name="recording", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._queue.put(None)
        self._thread.join(timeout=LAST_PICTURES_S)
        about = {
            "start_ns": self._start_ns,
            "fps": self.fps,
            "frames": self._written,
            "size_px": self._size_px,
            "dropped": self.dropped,
        }
        try:
            (self.folder / ABOUT_FILE).write_text(json.dumps(about) + "\n", encoding="utf-8")
            self._open.close()
        except OSError as failed:
            self._give_up(failed)

    def eyes(self, eyes: Seer) -> Seer:
        """Return eyes that see the same and are filmed."""
        return _Filmed(eyes, self)

    def found(self, table: Table) -> None:
        """Keep where the table is, and its deck."""
        try:
            save_table(table, self.folder / TABLE_FILE)
            if self._deck is not None and self._deck.is_file():
                shutil.copyfile(self._deck, deck_file(self.folder / TABLE_FILE))
        except OSError as error:
            self._give_up(error)

    def take(self, frame: Frame) -> None:
        """Film a picture; called from the eyes' thread."""
        if self._start_ns is None:
            height, width = frame.image.shape[:2]
            self._start_ns, self._size_px = frame.at_ns, (width, height)
        if self.trouble is None:
            try:
                self._queue.put_nowait(frame)
            except Full:
                self.dropped += 1

    def saw(self, seen: AnyObservation) -> None:
        """Write down what the pads did."""
        if not isinstance(seen, PadSlapped | PadReleased):
            return
        self._early.append(seen)
        if self._start_ns is None or self.trouble is not None:
            return
        lines = [json.dumps(_level(one, self._start_ns)) + "\n" for one in self._early]
        self._early.clear()
        try:
            self._pads.write("".join(lines).encode())
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """A full disk ends the film, never the game."""
        self.trouble = self.trouble or f"the game is not filmed any more ({error.strerror}): make room on the disk"

    def tell(self, verdict: AnyVerdict) -> None:
        """Verdicts are in the log."""

    # -- the thread that writes --------------------------------------------------------------------------------------

    def _write(self) -> None:
        writer: cv2.VideoWriter | None = None
        while (frame := self._queue.get()) is not None:
            if writer is None:
                code = cv2.VideoWriter.fourcc(*"mp4v")
                writer = cv2.VideoWriter(str(self.folder / VIDEO_FILE), code, self.fps, self._size_px)
            self.trouble = self.trouble or self._why_not(writer)
            if self.trouble is None:
                self._fill(writer, frame)
        if writer is not None:
            writer.release()

    def _why_not(self, writer: cv2.VideoWriter) -> str | None:
        if not writer.isOpened():
            return "this OpenCV cannot write an MP4: the game is not filmed"
        if self._written % LOOK_EVERY:
            return None
        if shutil.disk_usage(self.folder).free < LEAST_FREE_BYTES:
            return "the disk is nearly full: the film ends here; make room and start the next game"
        film = self.folder / VIDEO_FILE
        if self._room_bytes is not None and film.exists() and film.stat().st_size >= self._room_bytes:
            return "the room for films is used up: this one ends here; delete old ones, or raise storage.films_mb"
        return None

    def _fill(self, writer: cv2.VideoWriter, frame: Frame) -> None:
        """Write the picture to every slot of the film up to its own."""
        slot = round((frame.at_ns - (self._start_ns or 0)) * self.fps / 1e9)
        if slot - self._written > LONGEST_GAP_S * self.fps:
            self.trouble = "the camera was away for long: the film ends there"
            return
        while self._written <= slot:
            writer.write(frame.image)
            self._written += 1


class _Filmed:
    def __init__(self, eyes: Seer, recording: Recording) -> None:
        self._eyes, self._recording = eyes, recording

    def see(self, frame: Frame) -> list[AnyObservation]:
        """See the frame, and film it."""
        self._recording.take(frame)
        return self._eyes.see(frame)


def _level(seen: AnyObservation, start_ns: int) -> dict[str, Any]:
    assert isinstance(seen, PadSlapped | PadReleased)
    t_us = round((seen.at_ns - start_ns) / 1000)
    return {"t_us": t_us, "player": seen.player, "pile": seen.pile, "level": int(isinstance(seen, PadSlapped))}


def new_recording(game: Path) -> Path:
    """Return the folder for the next recording of a game."""
    number = 1 + sum(path.is_dir() for path in game.glob("recording*"))
    return game / ("recording" if number == 1 else f"recording-{number}")
