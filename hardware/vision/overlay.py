"""What the eyes saw, drawn over the picture: zones, hands, cards with their readings, and what was told last."""

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import cv2
import numpy as np

from hardware.frames import Frame, Image
from hardware.tablefile import Points
from hardware.vision.eyes import Eyes
from hardware.vision.motion import LEAST_GAIN, Motion
from hardware.vision.spots import Spot
from hardware.vision.tops import Top
from referee.errors import PictureError
from referee.observations import AnyObservation
from referee.table import Player

Colour = tuple[int, int, int]

STILL: Final[Colour] = (80, 200, 80)
BUSY: Final[Colour] = (0, 160, 255)
HANDS: Final[dict[Player, Colour]] = {"p1": (255, 120, 40), "p2": (40, 60, 255)}
ZONE: Final[Colour] = (200, 200, 60)
TEXT: Final[Colour] = (255, 255, 255)
LINES: Final = 8
SHOWN_NS: Final = 4_000_000_000


def draw_eyes(frame: Frame, eyes: Eyes, lines: Sequence[str] = ()) -> Image:
    """Return a copy of the frame's picture with what the eyes make of it drawn over, and some lines of text."""
    picture = frame.image.copy()
    table = eyes.table
    for zone in [*table.piles.values(), *table.rows["p1"], *table.rows["p2"]]:
        _outline(picture, table.to_px(zone), ZONE, 1)
    _draw_hands(picture, eyes)
    for pile, watch in eyes.piles.items():
        _draw_spot(picture, eyes, watch.spot, pile)
    for (player, place), spot in eyes.rows.spots.items():
        _draw_spot(picture, eyes, spot, f"{player}/{place}")
    for n, line in enumerate([f"{frame.at_ns / 1e9:7.2f} s{_light(eyes.motion)}", *lines]):
        _write(picture, line, (8, 20 + 18 * n), 0.5)
    return picture


def _draw_hands(picture: Image, eyes: Eyes) -> None:
    height, width = picture.shape[:2]
    for hand in eyes.hands:
        cells = cv2.resize(hand.cells, (width, height), interpolation=cv2.INTER_NEAREST)
        outline, _ = cv2.findContours(cells, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        cv2.drawContours(picture, outline, -1, HANDS[hand.player], 2)


def _draw_spot(picture: Image, eyes: Eyes, spot: Spot, name: str) -> None:
    top = spot.top
    colour = STILL if spot.still else BUSY
    if top is None:
        where = eyes.table.to_px(np.array([spot.centre_mm]))[0]
        _write(picture, f"{name} -", (int(where[0]) - 20, int(where[1])), 0.45)
        return
    quad = eyes.table.to_px(top.pose.quad_mm(eyes.table.card_size_mm))
    _outline(picture, quad, colour)
    x, y = quad.mean(axis=0)
    _write(picture, f"{name} {_reading(top)}", (int(x) - 34, int(y)), 0.45)


def _light(motion: Motion) -> str:
    """Return how the light differs from that in which the table last lay still, if it does."""
    changed = abs(motion.light - 1.0) >= LEAST_GAIN
    return f"   light {motion.light:.2f} times as strong" if changed else ""


def _reading(top: Top) -> str:
    if top.reading.face_down > 0.5:
        return f"down {top.reading.face_down:.2f}"
    card, p = top.reading.best
    return f"{card} {p:.2f}"


def _outline(picture: Image, quad: Points, colour: Colour, thick: int = 2) -> None:
    cv2.polylines(picture, [np.round(quad).astype(np.int32)], True, colour, thick, cv2.LINE_AA)


def _write(picture: Image, text: str, at: tuple[int, int], size: float) -> None:
    x, y = at
    for colour, dx, dy in (((0, 0, 0), 1, 1), ((0, 0, 0), -1, -1), (TEXT, 0, 0)):
        cv2.putText(picture, text, (x + dx, y + dy), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


class EyesVideo:
    """Writes an MP4 with the overlay of each frame. Use it in a `with` block."""

    def __init__(self, path: Path, fps: float = 30.0) -> None:
        self._path, self._fps = path, fps
        self._writer: cv2.VideoWriter | None = None
        self._lines: deque[tuple[int, str]] = deque(maxlen=LINES)

    def say(self, at_ns: int, words: str) -> None:
        """Take in what happened at a moment, to be written beside the picture for a while."""
        self._lines.append((at_ns, f"{at_ns / 1e9:.2f} {words}"))

    def show(self, frame: Frame, eyes: Eyes, seen: Sequence[AnyObservation]) -> None:
        """Write one frame.

        Raises:
            PictureError: the file cannot be written.
        """
        lines = [line for at, line in self._lines if frame.at_ns - at < SHOWN_NS]
        picture = draw_eyes(frame, eyes, lines)
        if self._writer is None:
            height, width = picture.shape[:2]
            self._writer = cv2.VideoWriter(str(self._path), cv2.VideoWriter.fourcc(*"mp4v"), self._fps, (width, height))
            if not self._writer.isOpened():
                raise PictureError(
                    f"{self._path} cannot be written: give a path that ends in .mp4 in a folder of yours"
                )
        self._writer.write(picture)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._writer is not None:
            self._writer.release()
