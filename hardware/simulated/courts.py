"""Simple two-headed courts: jack, queen and king as flat coloured shapes inside a frame."""

from typing import Final

import numpy as np

from hardware.simulated.suits import BGR, Canvas, Polygon, suit_polygons

_SKIN: Final[BGR] = (190, 214, 238)
_GOLD: Final[BGR] = (40, 178, 232)
_BLUE: Final[BGR] = (158, 72, 34)
_RED: Final[BGR] = (44, 38, 190)
_DARK: Final[BGR] = (40, 34, 34)


def _oval(x: float, y: float, rx: float, ry: float) -> Polygon:
    turn = np.linspace(0, 2 * np.pi, 48)
    return np.stack([x + rx * np.cos(turn), y + ry * np.sin(turn)], axis=1)


def _at(x: float, y: float, *points: tuple[float, float]) -> Polygon:
    return np.add(points, (x, y))


def draw_court(canvas: Canvas, size_mm: tuple[float, float], rank: str, suit: str, ink: BGR) -> None:
    """Draw the upper half of a court in its frame; the lower half is the same card turned."""
    width, height = size_mm
    left, top = width * 0.2, height * 0.115
    canvas.frame((left, top), (width - left, height - top), ink, 0.5)
    x, middle = width / 2, height / 2
    robe, trim = (_BLUE, _RED) if suit in "SD" else (_RED, _BLUE)
    half = width / 2 - left - 1.0
    canvas.fill(np.array([(x - half, middle), (x - 11, middle - 15), (x + 11, middle - 15), (x + half, middle)]), robe)
    _draw_robe(canvas, x, middle, half, trim)
    _draw_head(canvas, x, middle - 22, rank, robe)
    canvas.polygons(suit_polygons(suit), (left + 5.4, top + 6.4), 8.0, ink)


def _draw_robe(canvas: Canvas, x: float, middle: float, half: float, trim: BGR) -> None:
    canvas.fill(_at(x, middle, (-4.5, -15), (4.5, -15), (2.5, 0), (-2.5, 0)), _GOLD)
    for step in range(3):
        y = -3.0 - 4.0 * step
        canvas.line(_at(x, middle, (-half * (1 + y / 26), y), (-3, y - 1.5)), _GOLD, 0.8)
        canvas.line(_at(x, middle, (half * (1 + y / 26), y), (3, y - 1.5)), trim, 1.1)
        canvas.fill(_oval(x, middle - 2.5 - 4.5 * step, 1.0, 1.0), _DARK)


def _draw_head(canvas: Canvas, x: float, y: float, rank: str, robe: BGR) -> None:
    hair = {"J": _GOLD, "Q": (30, 90, 150), "K": (70, 70, 78)}[rank]
    canvas.fill(_oval(x, y + 1.0, 6.8, 7.6 if rank == "Q" else 6.4), hair)
    canvas.fill(_oval(x, y, 4.9, 6.0), _SKIN)
    if rank == "K":
        canvas.fill(_at(x, y, (-4.9, 1.5), (4.9, 1.5), (3.4, 7.5), (0, 9.5), (-3.4, 7.5)), hair)
    for side in (-1, 1):
        canvas.fill(_oval(x + 1.9 * side, y - 1.2, 0.75, 0.55), _DARK)
        canvas.line(_at(x, y, (1.0 * side, -2.4), (2.9 * side, -2.6)), _DARK, 0.35)
    canvas.line(_at(x, y, (0, -0.8), (0.7, 1.3), (-0.2, 1.5)), _DARK, 0.3)
    canvas.line(_at(x, y, (-1.5, 3.2), (1.5, 3.2)), _RED, 0.8)
    _draw_hat(canvas, x, y, rank, robe)


def _draw_hat(canvas: Canvas, x: float, y: float, rank: str, robe: BGR) -> None:
    if rank == "J":
        canvas.fill(_at(x, y, (-8.2, -3.6), (8.2, -5.2), (6.0, -9.2), (-6.0, -8.6)), robe)
        canvas.line(_at(x, y, (5.5, -8), (10.5, -3.0), (12.0, 3.0)), _GOLD, 1.3)
        return
    spikes = (-6.4, -3.2, 0.0, 3.2, 6.4) if rank == "K" else (-5.0, 0.0, 5.0)
    wide, high = (7.0, 13.0) if rank == "K" else (5.6, 10.0)
    canvas.fill(_at(x, y, (-wide, -4.2), (wide, -4.2), (wide + 0.8, -8.0), (-wide - 0.8, -8.0)), _GOLD)
    for spike in spikes:
        canvas.fill(_at(x, y, (spike - 1.6, -7.6), (spike + 1.6, -7.6), (spike * 1.15, -high)), _GOLD)
        canvas.fill(_oval(x + spike * 1.15, y - high, 0.9, 0.9), _RED)
    canvas.line(_at(x, y, (-wide, -5.4), (wide, -5.4)), robe, 0.9)
