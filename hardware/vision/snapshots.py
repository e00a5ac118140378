"""The pictures that go with a call: the middle piles from straight above, and a short film of the moments around it."""

from collections import deque
from typing import Final, Protocol, Self

import cv2
import msgspec
import numpy as np

from hardware.frames import Frame, Image
from hardware.tablefile import Table
from hardware.vision.rectify import Patch
from referee.observations import AnyObservation, CardLanded, CardTakenBack
from referee.units import MS

PILES_MM: Final = (220.0, 150.0)
_PX_PER_MM: Final = 1.6
_QUALITY: Final = 82

FILM_NS: Final = 2_500_000_000
"""So long the pictures of the film are remembered: a landing is often told only when the hands have left."""
FILM_WIDTH_PX: Final = 256
FILM_QUALITY: Final = 72
AROUND: Final = 3
"""So many pictures of the film before an event are kept, and as many from it on."""


class Album(Protocol):
    """Where pictures are kept: the game's log."""

    clock: str
    """Four hex digits that tell the monotonic clocks of different boots apart."""
    wanted: deque[int]
    """Moments around which the film is to be kept; filled by any thread."""

    def frame(self, name: str, jpeg_bytes: bytes) -> bool: ...


class NoAlbum:
    """Keeps nothing."""

    def __init__(self) -> None:
        self.clock, self.wanted = "0000", deque[int]()

    def frame(self, name: str, jpeg_bytes: bytes) -> bool:
        """Let the picture go."""
        return False


class Snapshots:
    """Keeps a picture for each card that landed or was taken back, and the film around it."""

    def __init__(self, table: Table, album: Album) -> None:
        self._patch = Patch.of(table, (0.0, 0.0), PILES_MM, _PX_PER_MM)
        self._album = album
        self._film = _Film.of(table, album)
        self._last = ""

    def see(self, frame: Frame, seen: list[AnyObservation]) -> list[AnyObservation]:
        """Take a frame in with what was seen on it; return that, with the names of the pictures that show it."""
        attached = [self._attach(frame, one) for one in seen]
        self._album.wanted.extend(one.at_ns for one in seen if isinstance(one, CardLanded))
        self._film.see(frame)
        return attached

    def _attach(self, frame: Frame, seen: AnyObservation) -> AnyObservation:
        if not isinstance(seen, CardLanded | CardTakenBack) or seen.frame is not None:
            return seen
        what = "after" if isinstance(seen, CardLanded) else "back"
        name = f"{frame.at_ns // MS:09d}-{seen.pile}-{what}.jpg"
        if name != self._last:  # two cards of one pile may be told on one frame
            data = _jpeg(self._patch.cut(frame.image), _QUALITY)
            if data is None or not self._album.frame(name, data):
                return seen
        self._last = name
        return msgspec.structs.replace(seen, frame=name)


class _Film:
    """The last few seconds of the middle piles as small pictures; those around an event go into the album."""

    def __init__(self, album: Album, box: tuple[slice, slice], step: int) -> None:
        self._album, self._box, self._step = album, box, step
        self._shots: deque[tuple[int, Image]] = deque()
        self._open: list[int] = []
        self._kept: deque[int] = deque(maxlen=256)

    @classmethod
    def of(cls, table: Table, album: Album) -> Self:
        half = np.array(PILES_MM) / 2
        corners = table.to_px(half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float))
        width, height = table.image_size_px
        left, top = np.clip(corners.min(axis=0), 0, (width - 1, height - 1)).astype(int)
        right, bottom = np.clip(corners.max(axis=0) + 1, (left + 1, top + 1), (width, height)).astype(int)
        return cls(album, (slice(top, bottom), slice(left, right)), max(1, round(int(right - left) / FILM_WIDTH_PX)))

    def see(self, frame: Frame) -> None:
        self._shots.append((frame.at_ns, self._small(frame.image)))
        while frame.at_ns - self._shots[0][0] > FILM_NS:
            self._shots.popleft()
        while self._album.wanted:
            self._open.append(self._album.wanted.popleft())
        self._open = [at_ns for at_ns in self._open if not self._keep_around(at_ns)]

    def _small(self, image: Image) -> Image:
        part = image[self._box]
        if self._step == 1:
            return part.copy()
        share = 1 / self._step
        return np.asarray(cv2.resize(part, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)

    def _keep_around(self, at_ns: int) -> bool:
        """Keep the film around an event; False as long as the pictures after it have not come."""
        later = sum(shot_ns >= at_ns for shot_ns, _ in self._shots)
        if later < AROUND:
            return False
        first = len(self._shots) - later
        for shot_ns, small in list(self._shots)[max(0, first - AROUND) : first + AROUND]:
            if shot_ns in self._kept:
                continue
            self._kept.append(shot_ns)
            data = _jpeg(small, FILM_QUALITY)
            if data is not None:
                self._album.frame(f"{self._album.clock}-{shot_ns // 1000:013d}.jpg", data)
        return True


def _jpeg(picture: Image, quality: int) -> bytes | None:
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes() if done else None
