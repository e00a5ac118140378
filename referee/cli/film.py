"""A logged game as a video: the camera's pictures, what was ruled, and where in the game that is."""

import unicodedata
from bisect import bisect_right
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from referee.errors import PictureError
from referee.log import LoggedGame
from referee.replay.moments import Moment, Timeline
from referee.replay.pace import film_times
from referee.replay.timeline import timeline_of
from referee.replay.words import clock, player_names

Picture = np.ndarray[Any, np.dtype[np.uint8]]
Colour = tuple[int, int, int]

FPS: Final = 20
SIZE_PX: Final = (1280, 720)
PHOTO_PX: Final = (774, 528)
GROUND: Final[Colour] = (27, 24, 22)
INK: Final[Colour] = (225, 230, 232)
FAINT: Final[Colour] = (147, 138, 133)
PLAYERS: Final[dict[str, Colour]] = {"p1": (181, 189, 88), "p2": (242, 162, 168), "unknown": FAINT}
RULINGS: Final[dict[str | None, Colour]] = {
    "illegal": (128, 138, 255),
    "beaten": (87, 171, 224),
    "cannot_tell": (177, 169, 165),
    "false_slap": (128, 138, 255),
}
"""Blue, green, red, as OpenCV wants them; the words say the same as the colours."""
LISTED: Final = 13
SHOWN_NS: Final = 60_000_000
"""A picture of the film is shown no longer than this: what comes after it was not filmed."""


def write_film(
    game: LoggedGame, path: Path, start_ns: int = 0, end_ns: int | None = None
) -> Generator[float, None, None]:
    """Write the film to `path`, yielding how much of it is done, 0 to 1. Nothing is left behind if it fails.

    Raises PictureError if this OpenCV cannot write such a file there."""
    timeline = timeline_of(game)
    if end_ns is not None and end_ns <= start_ns:
        raise PictureError(f"the film would end before it begins: give a --to that is later than {start_ns / 1e9:g} s")
    if start_ns >= timeline.length_ns:
        raise PictureError(f"the game is over after {timeline.length_ns / 1e9:.0f} s: give an earlier --from")
    temporary = path.with_name(f".part-{path.name}")
    writer = cv2.VideoWriter(str(temporary), cv2.VideoWriter.fourcc(*"mp4v"), FPS, SIZE_PX)
    if not writer.isOpened():
        temporary.unlink(missing_ok=True)
        raise PictureError(f"{path} cannot be written as a video: give a name that ends in .mp4, in a folder of yours")
    try:
        camera = _Film(game, timeline)
        for at_ns in film_times(timeline, FPS, start_ns, end_ns):
            writer.write(camera.picture(at_ns))
            yield min(1.0, (at_ns - start_ns) / max(1, (end_ns or timeline.length_ns) - start_ns))
        writer.release()
        temporary.replace(path)
    finally:
        writer.release()
        temporary.unlink(missing_ok=True)


class _Film:
    """Draws one picture after the other; what changes only with a moment is drawn only then."""

    def __init__(self, game: LoggedGame, timeline: Timeline) -> None:
        self._game, self._timeline = game, timeline
        self._names = player_names(timeline.header.players)
        self._shown = [m for m in timeline.moments if not (m.kind == "row" and m.ruling == "legal")]
        self._overview = _overview(timeline)
        self._shots = sorted({shot for m in timeline.moments for shot in m.strip}, key=lambda shot: shot.at_ns)
        self._index = -2
        self._still = _empty()
        self._photo: Picture | None = None

    def picture(self, at_ns: int) -> Picture:
        index = self._index_at(at_ns)
        if index != self._index:
            self._still = self._draw(index)
            self._index = index
        picture = self._still.copy()
        shot = self._shot(at_ns)
        if shot is not None:
            picture[80 : 80 + PHOTO_PX[1], 40 : 40 + PHOTO_PX[0]] = shot
        x = round(40 + 1200 * at_ns / max(1, self._timeline.length_ns))
        cv2.line(picture, (x, 668), (x, 706), INK, 2, cv2.LINE_AA)
        _write(picture, clock(at_ns), (580, 52), 0.9, INK)
        return picture

    def _index_at(self, at_ns: int) -> int:
        index = max(-1, self._index)
        while index + 1 < len(self._shown) and self._shown[index + 1].at_ns <= at_ns:
            index += 1
            loaded = self._load(self._shown[index])
            self._photo = self._photo if loaded is None else loaded
        return index

    def _shot(self, at_ns: int) -> Picture | None:
        """What the camera filmed just then, where the log has it: around landings and slaps."""
        place = bisect_right(self._shots, at_ns, key=lambda shot: shot.at_ns)
        if place == 0 or at_ns - self._shots[place - 1].at_ns > SHOWN_NS:
            return None
        return self._picture_of(self._shots[place - 1].name)

    def _load(self, moment: Moment) -> Picture | None:
        return self._picture_of(moment.frame)

    def _picture_of(self, name: str | None) -> Picture | None:
        path = self._game.frame_path(name)
        loaded = cv2.imread(str(path)) if path else None
        return None if loaded is None else cv2.resize(loaded, PHOTO_PX, interpolation=cv2.INTER_CUBIC).astype(np.uint8)

    def _draw(self, index: int) -> Picture:
        picture = _empty()
        _write(picture, self._names["p1"], (40, 52), 1.0, PLAYERS["p1"])
        right = self._names["p2"]
        _write(picture, right, (1240 - _width(right, 1.0), 52), 1.0, PLAYERS["p2"])
        if self._photo is not None:
            picture[80 : 80 + PHOTO_PX[1], 40 : 40 + PHOTO_PX[0]] = self._photo
        picture[662:712, 40:1240] = self._overview
        self._list(picture, index)
        if index >= 0:
            self._say(picture, self._shown[index])
        return picture

    def _list(self, picture: Picture, index: int) -> None:
        for row, moment in enumerate(self._shown[max(0, index - LISTED + 1) : index + 1]):
            y = 104 + 38 * row
            cv2.circle(picture, (862, y - 6), 6, PLAYERS[moment.player], -1, cv2.LINE_AA)
            _write(picture, _cut(_short(moment), 34), (880, y), 0.55, RULINGS.get(moment.ruling, INK))

    def _say(self, picture: Picture, moment: Moment) -> None:
        colour = RULINGS.get(moment.ruling, INK)
        cv2.rectangle(picture, (40, 612), (1240, 652), (45, 41, 38), -1)
        cv2.rectangle(picture, (40, 612), (46, 652), colour, -1)
        rule = f"  ({moment.rule})" if moment.rule else ""
        said = moment.sentence + rule
        scale = 0.7 if len(said) <= 88 else 0.55
        _write(picture, _cut(said, round(62 / scale)), (60, 640), scale, colour)


def _short(moment: Moment) -> str:
    if moment.card and moment.pile:
        return f"{moment.card} {moment.pile}  {(moment.ruling or moment.kind).replace('_', ' ')}"
    return moment.kind.replace("_", " ")


def _overview(timeline: Timeline) -> Picture:
    strip = np.full((50, 1200, 3), (40, 36, 33), np.uint8)
    for span in timeline.spans:
        if span.kind in ("stuck", "paused"):
            x = [round(1200 * ns / max(1, timeline.length_ns)) for ns in (span.start_ns, span.end_ns)]
            cv2.rectangle(strip, (x[0], 0), (x[1], 50), (60, 66, 70), -1)
    for moment in timeline.moments:
        if moment.is_landing:
            x_px = round(1200 * moment.at_ns / max(1, timeline.length_ns))
            top, bottom = (26, 44) if moment.player == "p1" else (6, 24)
            cv2.line(strip, (x_px, top), (x_px, bottom), RULINGS.get(moment.ruling, PLAYERS[moment.player]), 1)
    return strip


def _empty() -> Picture:
    return np.full((SIZE_PX[1], SIZE_PX[0], 3), GROUND, np.uint8)


def _write(picture: Picture, text: str, at: tuple[int, int], scale: float, colour: Colour) -> None:
    cv2.putText(picture, _plain_letters(text), at, cv2.FONT_HERSHEY_DUPLEX, scale, colour, 1, cv2.LINE_AA)


def _width(text: str, scale: float) -> int:
    (width, _), _ = cv2.getTextSize(_plain_letters(text), cv2.FONT_HERSHEY_DUPLEX, scale, 1)
    return int(width)


def _plain_letters(text: str) -> str:
    """OpenCV draws ASCII only: letters lose their accents, the rest becomes a question mark."""
    bare = unicodedata.normalize("NFKD", text.replace("±", "+-").replace("–", "-"))
    return "".join(mark for mark in bare if not unicodedata.combining(mark)).encode("ascii", "replace").decode()


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."
