"""Drawn cards kept ready in one memory-mapped array: a scene then costs milliseconds, not the drawing of its cards."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from calibration.training.decks import FACES, Corner, Deck, Style

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
    return [Corner(x, y, width, height, False),
            Corner(style.width_mm - x - width, style.height_mm - y - height, width, height, True)]


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


class Pool:
    """The drawn cards of a folder, by deck."""

    def __init__(self, folder: Path) -> None:
        self._cards = np.load(folder / "cards.npy", mmap_mode="r")
        self._notes = json.loads((folder / "cards.json").read_text())
        decks: dict[int, dict[str, int]] = {}
        for at, note in enumerate(self._notes):
            decks.setdefault(note["deck"], {})[note["face"]] = at
        self._decks = list(decks.values())

    def __len__(self) -> int:
        return len(self._decks)

    def card(self, deck: int, face: str) -> PooledCard:
        """`face` of the `deck`-th deck of the folder."""
        at = self._decks[deck][face]
        note = self._notes[at]
        height, width = note["size"]
        corners = np.array(note["corners"], np.float32).reshape(-1, 4, 2)
        return PooledCard(face, self._cards[at, :height, :width], corners, np.array(note["turned"], np.bool_))

    def faces(self, deck: int) -> Iterator[str]:
        return iter(self._decks[deck])
