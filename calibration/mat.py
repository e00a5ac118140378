"""The printable mat of the table: markers for the camera, places for both rows, both piles, pads and spit cards.

A2 landscape in one sheet, or the same in two A3 or four A4 sheets that meet edge to edge. Nothing that the camera
needs lies within a printer's unprintable margin of a seam.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from fpdf import FPDF
from numpy.typing import NDArray

from hardware.tablefile import (
    MARKER_CENTRES_MM,
    MARKER_MM,
    MAT_MM,
    PAD_CENTRES_MM,
    PAD_MM,
    PILE_X_MM,
    POKER_MM,
    ROW_PITCH_MM,
    ROW_Y_MM,
    SPIT_CENTRES_MM,
)
from referee.table import PILES, PLAYERS

INK: Final = (40, 52, 46)
GROUND: Final = (176, 200, 186)
"""A mid tone under the cards, so that a white card has an edge on white paper."""
QUIET: Final = (122, 140, 130)


class Paper(StrEnum):
    A2 = "a2"
    A3 = "a3"
    A4 = "a4"


TILES: Final = {Paper.A2: (1, 1), Paper.A3: (2, 1), Paper.A4: (2, 2)}
"""Columns and rows of sheets."""


BESIDE_SEAM_MM: Final = 24.0
"""So far left of its place's middle stands its number: that of the middle one would lie on a seam."""


def marker_cells(number: int) -> NDArray[np.bool_]:
    """Return the 6 x 6 cells (True is black) of marker `number` of DICT_4X4_50, border included."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    # OpenCV 4.6 (Raspberry Pi OS Bookworm) calls it drawMarker.
    draw = getattr(cv2.aruco, "generateImageMarker", None) or getattr(cv2.aruco, "drawMarker")  # noqa: B009
    return np.asarray(draw(dictionary, number, 6), np.uint8) < 128


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One sheet of paper: draws in table millimetres, whatever part of the table it shows."""

    pdf: FPDF
    left_mm: float
    top_mm: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        return x - self.left_mm, self.top_mm - y

    def box(self, x: float, y: float, size: tuple[float, float], style: str, radius: float = 3.5) -> None:
        """Draw a rounded rectangle with its centre at (x, y) on the table."""
        left, top = self.at(x - size[0] / 2, y + size[1] / 2)
        self.pdf.rect(left, top, size[0], size[1], style=style, round_corners=True, corner_radius=radius)

    def words(self, x: float, y: float, text: str, size_pt: float, *, upside_down: bool = False) -> None:
        """Write `text` centred at (x, y), readable from p1's side, or from p2's if upside down."""
        self.pdf.set_font("helvetica", size=size_pt)
        px, py = self.at(x, y)
        half, drop = self.pdf.get_string_width(text) / 2, size_pt * 0.35 / 2.8
        with self.pdf.rotation(180 if upside_down else 0, px, py):
            self.pdf.text(px - half, py + drop, text)


def _draw_marker(sheet: _Sheet, number: int, x: float, y: float) -> None:
    cell = MARKER_MM / 6
    sheet.pdf.set_fill_color(0, 0, 0)
    left, top = sheet.at(x - MARKER_MM / 2, y + MARKER_MM / 2)
    for row, column in np.argwhere(marker_cells(number)):
        # A hair of overlap hides the seams that some viewers draw between filled cells.
        sheet.pdf.rect(left + column * cell, top + row * cell, cell + 0.02, cell + 0.02, style="F")


def _draw_places(sheet: _Sheet) -> None:
    pdf = sheet.pdf
    pdf.set_fill_color(*GROUND)
    pdf.set_draw_color(*INK)
    for player in PLAYERS:
        for n in range(5):
            sheet.box((n - 2) * ROW_PITCH_MM, ROW_Y_MM[player], (ROW_PITCH_MM - 4, POKER_MM[1] + 8), "F")
    for pile in PILES:
        sheet.box(PILE_X_MM[pile], 0.0, (92.0, POKER_MM[1] + 26), "F", 6.0)
    pdf.set_line_width(0.35)
    for player in PLAYERS:
        for n in range(5):
            sheet.box((n - 2) * ROW_PITCH_MM, ROW_Y_MM[player], POKER_MM, "D")
        sheet.box(*SPIT_CENTRES_MM[player], POKER_MM, "D")
    pdf.set_line_width(0.7)
    for pile in PILES:
        sheet.box(PILE_X_MM[pile], 0.0, POKER_MM, "D")
    pdf.set_line_width(0.5)
    pdf.set_dash_pattern(dash=2.5, gap=1.8)
    for centre in PAD_CENTRES_MM.values():
        sheet.box(*centre, PAD_MM, "D", 8.0)
    pdf.set_dash_pattern()


def _draw_words(sheet: _Sheet) -> None:
    sheet.pdf.set_text_color(*INK)
    for player in PLAYERS:
        sign, over = (1, False) if player == "p1" else (-1, True)
        for pile in PILES:
            x, y = PAD_CENTRES_MM[(player, pile)]
            sheet.words(x, y, f"{player} pad {pile}", 16, upside_down=over)
        sheet.words(*SPIT_CENTRES_MM[player], "spit cards", 16, upside_down=over)
        for pile in PILES:
            sheet.words(PILE_X_MM[pile], -sign * 24.0, pile, 26, upside_down=over)
        for n in range(5):
            number = n + 1 if player == "p1" else 5 - n
            x = (n - 2) * ROW_PITCH_MM - sign * BESIDE_SEAM_MM
            sheet.words(x, ROW_Y_MM[player] - sign * 54.5, str(number), 13, upside_down=over)
        sheet.words(sign * ROW_PITCH_MM, -sign * 196.0, f"player {player} sits here", 18, upside_down=over)


def _draw_ruler(sheet: _Sheet) -> None:
    """A 100 mm ruler: measure it, a printer that scales is the commonest fault."""
    sheet.pdf.set_draw_color(*INK)
    sheet.pdf.set_line_width(0.25)
    for mm in range(0, 101, 5):
        sheet.pdf.line(*sheet.at(-270 + mm, -190), *sheet.at(-270 + mm, -190 + (5 if mm % 10 == 0 else 3)))
    sheet.pdf.line(*sheet.at(-270, -190), *sheet.at(-170, -190))
    sheet.pdf.set_text_color(*INK)
    sheet.words(-220, -196, "100 mm: measure it; if it differs, print again at 100 %", 9)


def _seams(paper: Paper) -> Iterator[tuple[float, float, float, float]]:
    """Joining marks: a point on each seam and the direction across it."""
    columns, rows = TILES[paper]
    if columns == 2:
        yield from ((0.0, y, 1.0, 0.0) for y in (-203.0, -62.0, 62.0, 203.0))
    if rows == 2:
        yield from ((x, 0.0, 0.0, 1.0) for x in (-286.0, -100.0, 100.0, 286.0))


def _draw_joining_marks(sheet: _Sheet, paper: Paper) -> None:
    sheet.pdf.set_draw_color(*INK)
    sheet.pdf.set_line_width(0.3)
    for x, y, dx, dy in _seams(paper):
        for side in (-1, 1):
            near, far = side * 6.0, side * 14.0
            sheet.pdf.line(*sheet.at(x + dx * near, y + dy * near), *sheet.at(x + dx * far, y + dy * far))
            sheet.pdf.circle(*sheet.at(x + dx * far, y + dy * far), 1.2, style="D")


def draw_mat(paper: Paper) -> FPDF:
    """Return the mat as a document of one, two or four pages, to be printed at 100 %."""
    columns, rows = TILES[paper]
    width, height = MAT_MM[0] / columns, MAT_MM[1] / rows
    pdf = FPDF(unit="mm", format=(width, height))
    pdf.set_title("Spit referee: the mat")
    pdf.set_auto_page_break(False)
    for row in range(rows):
        for column in range(columns):
            pdf.add_page()
            sheet = _Sheet(pdf, -MAT_MM[0] / 2 + column * width, MAT_MM[1] / 2 - row * height)
            _draw_places(sheet)
            for number, (x, y) in enumerate(MARKER_CENTRES_MM):
                _draw_marker(sheet, number, x, y)
            _draw_words(sheet)
            _draw_ruler(sheet)
            _draw_joining_marks(sheet, paper)
    return pdf


def write_mat(path: Path, paper: Paper) -> None:
    """Write the mat's PDF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draw_mat(paper).output(str(path))
