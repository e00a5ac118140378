"""Playing cards drawn with OpenCV alone: the decks of the simulated table. No picture file, no font file.

Each style is a plausible French pack (index, pips, simple two-headed courts). They have nothing to do with the decks
that the card reader learns from, so that a simulated game is played with a deck that the reader has never seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.courts import draw_court
from hardware.simulated.suits import BGR, Canvas, suit_polygons
from hardware.tablefile import BRIDGE_MM, POKER_MM
from referee.cards import COLOUR_OF, Card, is_joker

Art = NDArray[np.uint8]
"""A printed card: uint8, shape (height, width, 4), blue green red alpha, colour already multiplied by alpha."""

_DRAWN_PX_PER_MM: Final = 12
"""Drawn this large and made smaller afterwards, which is what smooths the edges."""

_COLUMNS: Final = (0.0, 0.5, 1.0)
_PIPS: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "A": ((0.5, 0.5),),
    "2": ((0.5, 0.0), (0.5, 1.0)),
    "3": ((0.5, 0.0), (0.5, 0.5), (0.5, 1.0)),
    "4": ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)),
    "5": ((0.0, 0.0), (1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (1.0, 1.0)),
    "6": ((0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (1.0, 0.5), (0.0, 1.0), (1.0, 1.0)),
    "7": ((0.0, 0.0), (1.0, 0.0), (0.5, 0.25), (0.0, 0.5), (1.0, 0.5), (0.0, 1.0), (1.0, 1.0)),
    "8": ((0.0, 0.0), (1.0, 0.0), (0.5, 0.25), (0.0, 0.5), (1.0, 0.5), (0.5, 0.75), (0.0, 1.0), (1.0, 1.0)),
    "9": (*((x, y / 3) for y in range(4) for x in (0.0, 1.0)), (0.5, 0.5)),
    "10": (*((x, y / 3) for y in range(4) for x in (0.0, 1.0)), (0.5, 1 / 6), (0.5, 5 / 6)),
}
"""Places of the pips: x from the left column to the right one, y from the top row to the bottom row."""


@dataclass(frozen=True, slots=True)
class DeckStyle:
    """What one publisher chose. Lengths in mm."""

    size_mm: tuple[float, float]
    font: int
    stroke_mm: float
    rank_mm: float
    index_suit_mm: float
    index_x_mm: float
    pip_mm: float
    ace_mm: float
    corners: int
    red: BGR
    black: BGR
    paper: BGR
    back: BGR
    back_pattern: str
    radius_mm: float = 3.2


DECK_STYLES: Final[Mapping[str, DeckStyle]] = {
    "club": DeckStyle(
        size_mm=POKER_MM, font=cv2.FONT_HERSHEY_DUPLEX, stroke_mm=1.15, rank_mm=8.2, index_suit_mm=6.0, index_x_mm=5.6,
        pip_mm=12.5, ace_mm=20.0, corners=2, red=(34, 26, 196), black=(28, 25, 24), paper=(246, 249, 250),
        back=(150, 62, 30), back_pattern="lattice",
    ),
    "parlour": DeckStyle(
        size_mm=POKER_MM, font=cv2.FONT_HERSHEY_TRIPLEX, stroke_mm=0.75, rank_mm=7.6, index_suit_mm=6.2, index_x_mm=5.8,
        pip_mm=11.5, ace_mm=26.0, corners=4, red=(40, 32, 178), black=(30, 26, 26), paper=(232, 243, 247),
        back=(40, 30, 150), back_pattern="waves",
    ),
    "tavern": DeckStyle(
        size_mm=BRIDGE_MM, font=cv2.FONT_HERSHEY_SIMPLEX, stroke_mm=1.9, rank_mm=13.0, index_suit_mm=9.5,
        index_x_mm=7.4, pip_mm=11.0, ace_mm=22.0, corners=2, red=(30, 30, 214), black=(24, 22, 22),
        paper=(250, 250, 250), back=(60, 110, 30), back_pattern="rings",
    ),
}  # fmt: skip
"""The packs of the simulated table by name."""


class Deck:
    """One pack. `face` and `back` are drawn once and kept."""

    def __init__(self, style: str, px_per_mm: float) -> None:
        self.style = DECK_STYLES[style]
        self.px_per_mm = px_per_mm
        self.size_mm = self.style.size_mm
        self._drawn: dict[Card | None, Art] = {}

    def art(self, card: Card | None) -> Art:
        """Return the printed side of `card` (None: the back) at `px_per_mm`."""
        if card not in self._drawn:
            big = _back(self.style) if card is None else _face(self.style, card)
            width, height = (round(mm * self.px_per_mm) for mm in self.size_mm)
            cut = np.dstack([big, _outline(self.style)])
            whole = cut.astype(np.float32) * (cut[..., 3:] / np.float32(255.0))
            whole[..., 3] = cut[..., 3]
            small = cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA)
            self._drawn[card] = np.rint(small).astype(np.uint8)
        return self._drawn[card]


def _blank(style: DeckStyle) -> Canvas:
    width, height = (round(mm * _DRAWN_PX_PER_MM) for mm in style.size_mm)
    return Canvas(np.full((height, width, 3), style.paper, np.uint8), _DRAWN_PX_PER_MM)


@lru_cache(maxsize=8)
def _outline(style: DeckStyle) -> NDArray[np.uint8]:
    """Return the alpha of a card with round corners."""
    width, height = (round(mm * _DRAWN_PX_PER_MM) for mm in style.size_mm)
    radius = round(style.radius_mm * _DRAWN_PX_PER_MM)
    mask = np.zeros((height, width), np.uint8)
    cv2.rectangle(mask, (radius, 0), (width - radius - 1, height), 255, -1)
    cv2.rectangle(mask, (0, radius), (width, height - radius - 1), 255, -1)
    for x in (radius, width - radius - 1):
        for y in (radius, height - radius - 1):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return mask


def _face(style: DeckStyle, card: Card) -> NDArray[np.uint8]:
    canvas = _blank(style)
    _draw_rim(canvas, style)
    if is_joker(card):
        _draw_joker(canvas, style)
        return canvas.picture
    rank, suit = card[:-1], card[-1]
    ink = style.red if COLOUR_OF[card] == "red" else style.black
    for middle in (True, False):  # the card is the same when turned half way round
        if rank in "JQK":
            draw_court(canvas, style.size_mm, rank, suit, ink)
        else:
            _draw_pips(canvas, style, card, ink, middle)
        _draw_indices(canvas, style, rank, suit, ink)
        canvas = canvas.turned()
    return canvas.picture


def _draw_rim(canvas: Canvas, style: DeckStyle) -> None:
    """The paper's cut edge is a little darker than its face."""
    width, height = style.size_mm
    canvas.frame((0.2, 0.2), (width - 0.2, height - 0.2), tuple(int(c * 0.86) for c in style.paper), 0.4)


def _draw_indices(canvas: Canvas, style: DeckStyle, rank: str, suit: str, ink: BGR) -> None:
    top = 4.2
    left = [style.index_x_mm] + ([style.size_mm[0] - style.index_x_mm] if style.corners == 4 else [])
    for x in left:
        canvas.text(rank, (x, top), style.rank_mm, style.font, style.stroke_mm, ink, 1.45 * style.index_x_mm)
        centre = (x, top + style.rank_mm + 1.3 + style.index_suit_mm / 2)
        canvas.polygons(suit_polygons(suit), centre, style.index_suit_mm, ink)


def _draw_pips(canvas: Canvas, style: DeckStyle, card: Card, ink: BGR, middle: bool) -> None:
    """Draw the pips of the upper half and, if `middle`, those on the middle line."""
    rank, suit = card[:-1], card[-1]
    width, height = style.size_mm
    left, top = width * 0.29, height * 0.185
    size = style.ace_mm if rank == "A" else style.pip_mm
    for across, down in _PIPS[rank]:
        odd_one = rank == "7" and across == 0.5  # only the upper half of a seven has it
        if (down < 0.5 and (middle or not odd_one)) or (middle and down == 0.5):
            centre = (left + across * (width - 2 * left), top + down * (height - 2 * top))
            canvas.polygons(suit_polygons(suit), centre, size, ink)


def _draw_joker(canvas: Canvas, style: DeckStyle) -> None:
    width, height = style.size_mm
    star = [(np.sin(k * np.pi / 5), -np.cos(k * np.pi / 5)) for k in range(10)]
    points = np.array([(x * r, y * r) for (x, y), r in zip(star, [0.5, 0.2] * 5, strict=True)])
    canvas.polygons((points,), (width / 2, height / 2), 34.0, style.red)
    for letter, y in zip("JOKER", range(5), strict=True):
        canvas.text(letter, (5.6, 5.0 + 8.0 * y), 6.2, style.font, style.stroke_mm, style.black, 6.0)


def _back(style: DeckStyle) -> NDArray[np.uint8]:
    canvas = _blank(style)
    _draw_rim(canvas, style)
    height, width = canvas.picture.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / _DRAWN_PX_PER_MM
    if style.back_pattern == "lattice":
        ink = (np.abs((x + y) % 4.0 - 2.0) < 0.5) | (np.abs((x - y) % 4.0 - 2.0) < 0.5)
    elif style.back_pattern == "waves":
        ink = np.abs((y + 1.2 * np.sin(x * 1.1)) % 3.2 - 1.6) < 0.6
    else:
        ink = np.abs(np.hypot((x + 4) % 8 - 4, (y + 4) % 8 - 4) % 2.6 - 1.3) < 0.45
    edge = 3.5
    inside = (x > edge) & (x < style.size_mm[0] - edge) & (y > edge) & (y < style.size_mm[1] - edge)
    canvas.picture[inside] = style.back
    canvas.picture[inside & ink] = style.paper
    return canvas.picture
