"""Drawn cards kept ready in one memory-mapped array: a scene then costs milliseconds, not the drawing of its cards.

python -m calibration.training.corners.pool DATA OUT [--decks N] [--first SEED] [--printed]
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from calibration.training.decks import FACES, Corner, Deck, Style
from calibration.training.glyphs import fonts_below

PX_PER_MM = 2.7
_CANVAS = (248, 176)
"""Height and width that hold every card size at `PX_PER_MM`."""


@dataclass(frozen=True)
class PooledCard:
    """One drawn face or back."""

    face: str
    picture: NDArray[np.uint8]
    """Height x width x 4, BGRA."""
    corners: NDArray[np.float32]
    """N x 4 x 2 px: each index's top left, top right, bottom right and bottom left, in its own reading direction."""
    turned: NDArray[np.bool_]
    """N: the index reads the other way up than the card."""


def _joker_corners(style: Style) -> list[Corner]:
    """Where a joker's word or star stands, near enough; decks differ in upright and level words."""
    height = max(style.rank_mm, min(style.rank_mm, 8) * 0.62 * 5.4)
    width = max(4.0, min(style.rank_mm, 8) * 0.7)
    x, y = max(0.5, style.inset_mm[0] - width / 2), style.inset_mm[1]
    return [
        Corner(x, y, width, height, False),
        Corner(style.width_mm - x - width, style.height_mm - y - height, width, height, True),
    ]


def _corner_quads(corners: list[Corner]) -> tuple[list[list[list[float]]], list[bool]]:
    quads = []
    for c in corners:
        a, b = (c.x_mm, c.y_mm), (c.x_mm + c.width_mm, c.y_mm + c.height_mm)
        quad = [[a[0], a[1]], [b[0], a[1]], [b[0], b[1]], [a[0], b[1]]]
        quads.append([[x * PX_PER_MM, y * PX_PER_MM] for x, y in (quad[2:] + quad[:2] if c.upside_down else quad)])
    return quads, [c.upside_down for c in corners]


def draw_pool(folder: Path, seeds: range, fonts: list[Path]) -> None:
    """Draw every face of the decks `seeds` into `folder` (cards.npy and cards.json)."""
    folder.mkdir(parents=True, exist_ok=True)
    cards = open_memmap(folder / "cards.npy", "w+", np.uint8, (len(seeds) * len(FACES), *_CANVAS, 4))
    notes = []
    for seed in seeds:
        deck = Deck(seed, fonts)
        for face in FACES:
            picture = deck.draw(face, PX_PER_MM)
            height, width = picture.shape[:2]
            cards[len(notes), :height, :width] = picture
            quads, turned = _corner_quads(_joker_corners(deck.style) if face == "JK" else deck.corners(face))
            notes.append({"deck": seed, "face": face, "size": [height, width], "corners": quads, "turned": turned})
    cards.flush()
    (folder / "cards.json").write_text(json.dumps(notes))


PRINTED_INDICES = {"kennard-2color": (0.045, 0.037, 0.135, 0.218), "kennard-2color-bf": (0.042, 0.037, 0.23, 0.42)}
"""Published decks whose indices were measured: left, top, right, bottom as shares of the card."""


def copy_printed(folder: Path, decks: Path) -> None:
    """The same pool from published decks (folders below `decks`, as `fetch` leaves them)."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures, notes = [], []
    for number, (deck, box) in enumerate(PRINTED_INDICES.items()):
        for face in FACES:
            printed = cv2.imread(str(decks / deck / f"{face}.png"), cv2.IMREAD_UNCHANGED)
            if printed is None or face == "JK":
                continue
            width, height = round(63 * PX_PER_MM), round(88 * PX_PER_MM)
            canvas = np.zeros((*_CANVAS, 4), np.uint8)
            canvas[:height, :width] = cv2.resize(printed, (width, height), interpolation=cv2.INTER_AREA)
            quads = _shared_quads(box, width, height) if face != "back" else []
            notes.append(
                {
                    "deck": -1 - number,
                    "face": face,
                    "size": [height, width],
                    "corners": quads,
                    "turned": [False, True][: len(quads)],
                }
            )
            pictures.append(canvas)
    np.save(folder / "cards.npy", np.stack(pictures))
    (folder / "cards.json").write_text(json.dumps(notes))


def _shared_quads(box: tuple[float, float, float, float], width: int, height: int) -> list[list[list[float]]]:
    left, top, right, bottom = box[0] * width, box[1] * height, box[2] * width, box[3] * height
    upright = [[left, top], [right, top], [right, bottom], [left, bottom]]
    return [upright, [[width - x, height - y] for x, y in upright]]


class Pool:
    """The drawn cards of one or more folders, by deck. A folder named twice counts twice."""

    def __init__(self, *folders: Path) -> None:
        self._cards = [np.load(folder / "cards.npy", mmap_mode="r") for folder in folders]
        self._notes = [json.loads((folder / "cards.json").read_text()) for folder in folders]
        decks: dict[tuple[int, int], dict[str, int]] = {}
        for of, notes in enumerate(self._notes):
            for at, note in enumerate(notes):
                decks.setdefault((of, note["deck"]), {})[note["face"]] = at
        self._decks = list(decks.items())

    def __len__(self) -> int:
        return len(self._decks)

    def card(self, deck: int, face: str) -> PooledCard:
        """`face` of the `deck`-th deck, or its first face where it has none such."""
        (of, _), faces = self._decks[deck]
        at = faces.get(face, next(iter(faces.values())))
        note = self._notes[of][at]
        height, width = note["size"]
        picture = self._cards[of][at, :height, :width]
        corners = np.array(note["corners"], np.float32).reshape(-1, 4, 2)
        return PooledCard(note["face"], picture, corners, np.array(note["turned"], np.bool_))

    def faces(self, deck: int) -> Iterator[str]:
        return iter(self._decks[deck][1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw decks once, for many practice scenes.")
    parser.add_argument("data", type=Path, help="fonts/ and decks/, as `calibration.training.fetch` leaves them")
    parser.add_argument("out", type=Path)
    parser.add_argument("--decks", type=int, default=320)
    parser.add_argument("--first", type=int, default=1, help="seed of the first deck")
    parser.add_argument("--printed", action="store_true", help="published decks in place of drawn ones")
    told = parser.parse_args()
    if (told.out / "cards.json").exists():
        print(f"{told.out} is there")
    elif told.printed:
        copy_printed(told.out, told.data / "decks")
    else:
        draw_pool(told.out, range(told.first, told.first + told.decks), fonts_below(told.data / "fonts"))


if __name__ == "__main__":
    main()
