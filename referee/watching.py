"""A recorded game being refereed: a video in place of the camera, a pads file in place of the pads."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from hardware.cameras.video import VideoFile
from hardware.frames import Frame
from hardware.pads.edges import FOUR_PADS, TWO_PADS
from hardware.pads.trains import debounced, read_pads_file
from hardware.tablefile import Table, load_table
from hardware.vision.enrolled import deck_file, reader_for
from hardware.vision.eyes import Eyes
from hardware.vision.snapshots import Album, Snapshots
from hardware.vision.tablefinder import find_table
from referee.errors import PictureError, TableFileError
from referee.observations import AnyObservation, PadReleased, PadSlapped, Tick

LOOK_FOR_TABLE_NS: Final = 3_000_000_000
"""If the first picture shows no table (a hand lies over it), later ones may."""
PADS_UNCERTAINTY_NS: Final = 500_000
"""Half-width of a stamp in a pads file: nothing is known of how it was taken."""
AFTERWARDS_NS: Final = 4_000_000_000
"""So long after the last frame time goes on, so that what waits for more evidence is decided."""

FrameViewer = Callable[[Frame, Eyes, Sequence[AnyObservation]], None]
"""Is shown each frame with what the eyes made of it."""


def table_of(video: VideoFile, table_file: Path | None) -> Table:
    """Return the table of a table file, else the one that the video's first seconds show.

    Raises:
        TableFileError: the file is none, or belongs to another picture size.
        PictureError: no file was given and no table can be found.
    """
    if table_file is not None:
        table = load_table(table_file)
        if table.image_size_px != video.size_px:
            raise TableFileError(
                f"{table_file} is for pictures of {table.image_size_px}, the video has {video.size_px}: "
                "make a table file for this camera with `spit-referee calibrate corners`"
            )
        return table
    trouble: PictureError | None = None
    for frame in video.frames():
        if frame.at_ns > LOOK_FOR_TABLE_NS:
            break
        if frame.number % 10:
            continue
        try:
            return find_table(frame.image)
        except PictureError as error:
            trouble = trouble or error
    raise trouble or PictureError("the video holds no picture: record it again")


class Recording:
    """A video and its pads as one stream of observations in order of arrival."""

    def __init__(
        self,
        path: Path,
        table_file: Path | None = None,
        pads_file: Path | None = None,
        viewer: FrameViewer | None = None,
        enrolled: Path | None = None,
    ) -> None:
        """Open the files. `enrolled`: the deck's file; by default the one beside the table file, if there is one.

        Raises:
            PictureError: the video or the pads file cannot be read, or no table can be found.
            TableFileError: the table file is none, or belongs to another picture size.
            DeckError: the deck's file is none, or damaged.
        """
        beside = None if table_file is None else deck_file(table_file)
        reader = reader_for(enrolled or beside, must_exist=enrolled is not None)
        self._pads = [] if pads_file is None else _pads(pads_file)
        finder = VideoFile(path)
        try:
            self.table = table_of(finder, table_file)
        finally:
            finder.close()
        self.video = VideoFile(path)
        self.eyes = Eyes(self.table, reader)
        self._viewer = viewer

    def observations(self, album: Album | None = None) -> Iterator[AnyObservation]:
        """Yield everything that eyes and pads saw; `album` keeps pictures of each landing."""
        snapshots = None if album is None else Snapshots(self.table, album)
        last: Frame | None = None
        for frame in self.video.frames():
            seen = self.look(frame)
            if snapshots is not None:
                seen = snapshots.see(frame, seen)
            yield from seen
            while self._pads and self._pads[0].at_ns <= frame.at_ns:
                yield self._pads.pop(0)
            yield Tick(at_ns=frame.at_ns)
            if self._viewer is not None:
                self._viewer(frame, self.eyes, seen)
            last = frame
        if last is not None:
            yield from self.eyes.finish()
            yield from self._pads
            for second in range(1, AFTERWARDS_NS // 1_000_000_000 + 1):
                yield Tick(at_ns=last.at_ns + second * 1_000_000_000)

    def look(self, frame: Frame) -> list[AnyObservation]:
        """Return what the eyes make of the next frame."""
        return self.eyes.see(frame)

    def close(self) -> None:
        self.video.close()


def _pads(path: Path) -> list[PadSlapped | PadReleased]:
    changes = read_pads_file(path)
    pads = TWO_PADS if any(change.pad.player is None for change in changes) else FOUR_PADS
    return [e for e in debounced(changes, pads, PADS_UNCERTAINTY_NS) if isinstance(e, PadSlapped | PadReleased)]
