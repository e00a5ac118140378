"""The table without cards: its top, a mat, the markers, the pads, and the light on all of it."""

from typing import Final

import cv2
import numpy as np

from hardware.frames import Image
from hardware.simulated.look import Lamp, Look
from hardware.simulated.suits import BGR, Canvas, Polygon, circle
from hardware.simulated.view import View
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

_WORLD_MM: Final = (1120.0, 760.0)
"""How much of the table is drawn."""
_PX_PER_MM: Final = 2

_TOPS: Final[dict[str, BGR]] = {
    "felt green": (66, 112, 40), "felt blue": (120, 70, 36), "felt red": (44, 36, 138), "cloth grey": (104, 102, 98),
    "cloth sand": (132, 160, 176), "oak": (98, 140, 178), "walnut": (50, 70, 98), "white": (205, 210, 212),
}  # fmt: skip
_MATS: Final[dict[str, BGR]] = {"cloth green": (72, 116, 52), "cloth black": (40, 38, 38), "cloth grey": (96, 94, 92)}
_PAPER: Final = (238, 242, 243)
_INK: Final = (46, 52, 40)
_GROUND: Final = (186, 200, 176)

LIGHT_ONE: Final = 160
"""The value of the light map at which a white paper is as bright as it is printed."""

MARKER_BITS: Final = ("1011010100110010", "0000111110011010", "0011001100101101", "1001100101000110")
"""ArUco DICT_4X4_50, ids 0 to 3: the inner 4 x 4 cells row by row, 1 is white."""


def tabletop(look: Look, view: View) -> Image:
    """Return the empty table as the camera sees it under an even white light."""
    canvas = _World(look)
    return canvas.seen_by(view)


class _World:
    """The table top from above, `_PX_PER_MM` to the millimetre."""

    def __init__(self, look: Look) -> None:
        rng = np.random.default_rng(look.seed)
        width, height = (round(mm * _PX_PER_MM) for mm in _WORLD_MM)
        base = _TOPS[look.table_top]
        if look.table_top in ("oak", "walnut"):
            self.picture = _wood(rng, width, height, base)
        else:
            self.picture = _cloth(rng, width, height, base, 2.0 if look.table_top == "white" else 7.0)
        self.canvas = Canvas(self.picture, _PX_PER_MM)
        self._lay_mat(look, rng)
        if look.clutter:
            self._put_clutter(rng)
        if look.pads:
            for player, pile in PAD_CENTRES_MM:
                self._box(*PAD_CENTRES_MM[player, pile], PAD_MM, (52, 50, 50) if player == "p1" else (60, 48, 44))
                self._box(*PAD_CENTRES_MM[player, pile], (PAD_MM[0] - 12, PAD_MM[1] - 12), (84, 80, 78))

    def _lay_mat(self, look: Look, rng: np.random.Generator) -> None:
        if look.mat == "printed":
            self._box(0, 0, MAT_MM, _PAPER)
            self._draw_places()
        elif look.mat in _MATS:
            cloth = _cloth(rng, round(MAT_MM[0] * _PX_PER_MM), round(MAT_MM[1] * _PX_PER_MM), _MATS[look.mat], 5.0)
            x, y = ((round((_WORLD_MM[n] - MAT_MM[n]) / 2 * _PX_PER_MM)) for n in (0, 1))
            self.picture[y : y + cloth.shape[0], x : x + cloth.shape[1]] = cloth
        if look.mat != "none":
            for number, (x_mm, y_mm) in enumerate(MARKER_CENTRES_MM):
                self._draw_marker(number, x_mm, y_mm)

    def _put_clutter(self, rng: np.random.Generator) -> None:
        """A mug and a phone beside the mat."""
        side = -1 if rng.random() < 0.5 else 1
        x, y = self._at(side * rng.uniform(345, 375), rng.uniform(-150, 150))
        for size, ink in ((82.0, (150, 120, 60)), (72.0, (190, 190, 190)), (64.0, (18, 30, 48))):
            self.canvas.fill(circle(x, y, size / 2), ink)
        self._box(-side * rng.uniform(345, 380), rng.uniform(-120, 120), (72.0, 146.0), (40, 38, 36))

    def _at(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        return x_mm + _WORLD_MM[0] / 2, _WORLD_MM[1] / 2 - y_mm

    def _corners(self, x_mm: float, y_mm: float, size_mm: tuple[float, float]) -> Polygon:
        x, y = self._at(x_mm, y_mm)
        w, h = size_mm[0] / 2, size_mm[1] / 2
        return np.array([(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)])

    def _box(self, x_mm: float, y_mm: float, size_mm: tuple[float, float], ink: BGR) -> None:
        self.canvas.fill(self._corners(x_mm, y_mm, size_mm), ink)

    def _outline(self, x_mm: float, y_mm: float, size_mm: tuple[float, float], width_mm: float) -> None:
        corners = self._corners(x_mm, y_mm, size_mm)
        self.canvas.line(np.concatenate([corners, corners[:1]]), _INK, width_mm)

    def _draw_places(self) -> None:
        """The printed mat: tinted places with the outline of a card."""
        for player in PLAYERS:
            for n in range(5):
                x, y = (n - 2) * ROW_PITCH_MM, ROW_Y_MM[player]
                self._box(x, y, (ROW_PITCH_MM - 4, POKER_MM[1] + 8), _GROUND)
                self._outline(x, y, POKER_MM, 0.5)
            self._outline(*SPIT_CENTRES_MM[player], POKER_MM, 0.5)
        for pile in PILES:
            self._box(PILE_X_MM[pile], 0.0, (92.0, POKER_MM[1] + 26), _GROUND)
            self._outline(PILE_X_MM[pile], 0.0, POKER_MM, 0.7)
            x, y = self._at(PILE_X_MM[pile], 0.0)
            self.canvas.text(pile, (x, y + 20), 8.0, cv2.FONT_HERSHEY_DUPLEX, 0.7, _INK, 12.0)

    def _draw_marker(self, number: int, x_mm: float, y_mm: float) -> None:
        cell = MARKER_MM / 6
        self._box(x_mm, y_mm, (MARKER_MM + 2 * cell, MARKER_MM + 2 * cell), _PAPER)
        self._box(x_mm, y_mm, (MARKER_MM, MARKER_MM), (30, 30, 30))
        for n, bit in enumerate(MARKER_BITS[number]):
            if bit == "1":
                self._box(x_mm + (n % 4 - 1.5) * cell, y_mm + (1.5 - n // 4) * cell, (cell, cell), _PAPER)

    def seen_by(self, view: View) -> Image:
        world_px = (view.every_pixel_mm * (1, -1) + (_WORLD_MM[0] / 2, _WORLD_MM[1] / 2)) * _PX_PER_MM - 0.5
        width, height = view.size_px
        x, y = (world_px[:, n].astype(np.float32).reshape(height, width) for n in (0, 1))
        soft = cv2.GaussianBlur(self.picture, (3, 3), 0.7)
        return np.asarray(cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.uint8)


def light_map(lamp: Lamp, view: View) -> Image:
    """Return the light on each pixel, vignetting and exposure included: uint8, `LIGHT_ONE` is 1."""
    width, height = view.size_px
    mm = view.every_pixel_mm.reshape(height, width, 2)
    away2 = ((mm - lamp.at_mm) ** 2).sum(axis=2)
    from_lamp = 1 / (1 + away2 / lamp.falloff_mm**2)
    from_lamp = 0.45 + 0.55 * from_lamp / from_lamp.mean()
    y, x = np.mgrid[0:height, 0:width]
    off = ((x - width / 2) ** 2 + (y - height / 2) ** 2) / (width**2 / 4 + height**2 / 4)
    light = from_lamp * (1 - lamp.vignette * off) * lamp.exposure
    tint = np.array([1 - 0.13 * lamp.warmth, 1 - 0.02 * lamp.warmth, 1 + 0.06 * lamp.warmth])
    return np.asarray(np.rint(np.clip(light[..., None] * tint * LIGHT_ONE, 0, 255)), np.uint8)


def glare_map(lamp: Lamp, view: View) -> Image | None:
    """Return the light that a glossy spot adds to each pixel, or None where there is no glare."""
    if lamp.glare <= 0:
        return None
    width, height = view.size_px
    away2 = ((view.every_pixel_mm - lamp.glare_at_mm) ** 2).sum(axis=1).reshape(height, width)
    spot = 200 * lamp.glare * np.exp(-away2 / (2 * 45.0**2))
    return np.asarray(np.rint(np.repeat(spot[..., None], 3, axis=2)), np.uint8)


def _cloth(rng: np.random.Generator, width: int, height: int, base: BGR, rough: float) -> Image:
    """Woven or felted cloth: fine fibres and large soft unevenness."""
    fibres = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 0.9) * 2.2
    large = cv2.resize(rng.normal(0, 1, (8, 12)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    texture = fibres * rough + large * rough * 0.4
    return np.clip(np.array(base, np.float32) + texture[..., None], 0, 255).astype(np.uint8)


def _wood(rng: np.random.Generator, width: int, height: int, base: BGR) -> Image:
    """Boards along x with grain and joints."""
    rows = 6
    board = np.empty((height, width), np.float32)
    for n in range(rows):
        top, bottom = height * n // rows, height * (n + 1) // rows
        coarse = rng.normal(0, 1, (max(2, (bottom - top) // 5), 14)).astype(np.float32)
        fine = rng.normal(0, 1, (bottom - top, width // 50)).astype(np.float32)
        size = (width, bottom - top)
        grain = 7 * cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC)
        board[top:bottom] = grain + 3.5 * cv2.resize(fine, size, interpolation=cv2.INTER_LINEAR) + rng.normal(0, 6)
        board[top : top + 2] -= 34
    warm = np.array((0.75, 0.95, 1.1), np.float32)
    return np.clip(np.array(base, np.float32) + board[..., None] * warm, 0, 255).astype(np.uint8)
