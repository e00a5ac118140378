"""Masks of the signs printed on cards: four suits drawn as curves, thirteen ranks set in many typefaces."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Mask = NDArray[np.uint8]

GLYPH_PX = 160
"""Height at which every glyph is drawn once; smaller ones are resized from it."""
_SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


Point = tuple[float, float]


def _cubic(a: Point, b: Point, c: Point, d: Point) -> NDArray[np.float64]:
    t = np.linspace(0, 1, 24)[:, None]
    return (
        (1 - t) ** 3 * np.array(a)
        + 3 * t * (1 - t) ** 2 * np.array(b)
        + 3 * t**2 * (1 - t) * np.array(c)
        + t**3 * np.array(d)
    )


def _mirrored(right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The outline whose right half is given from top to bottom."""
    return np.concatenate([right, (right * [-1, 1])[::-1]])


def _filled(outlines: list[NDArray[np.float64]], width: float) -> Mask:
    """Draw unit-box outlines (x, y in -0.5..0.5, x stretched by `width`) and cut to what was drawn."""
    mask = np.zeros((GLYPH_PX + 40, 2 * GLYPH_PX), np.uint8)
    for outline in outlines:
        px = (outline * [width, 1] + [1.0, 0.5 + 20 / GLYPH_PX]) * GLYPH_PX * 16
        cv2.fillPoly(mask, [px.astype(np.int32)], 255, cv2.LINE_AA, shift=4)
    return _tight(mask)


def _tight(mask: Mask) -> Mask:
    x, y, w, h = cv2.boundingRect((mask > 60).astype(np.uint8))
    return mask[y : y + h, x : x + w] if w and h else mask


def _heart_outline(rng: np.random.Generator) -> NDArray[np.float64]:
    notch, lobe, belly = rng.uniform(-0.36, -0.2), rng.uniform(-0.66, -0.5), rng.uniform(0.04, 0.3)
    side = (0.5, rng.uniform(-0.22, -0.05))
    upper = _cubic((0, notch), (rng.uniform(0.03, 0.2), lobe - 0.05), (0.5, lobe), side)
    lower = _cubic(side, (0.5, side[1] + rng.uniform(0.1, 0.28)), (rng.uniform(0.08, 0.25), belly), (0, 0.5))
    return _mirrored(np.concatenate([upper, lower]))


def _stem(rng: np.random.Generator, top: float) -> NDArray[np.float64]:
    foot, waist = rng.uniform(0.1, 0.27), rng.uniform(0.02, 0.07)
    return _mirrored(_cubic((waist, top), (waist, 0.3), (waist + 0.02, 0.46), (foot, 0.5)))


def suit_mask(suit: str, rng: np.random.Generator) -> Mask:
    """One drawing of a suit sign, cut tight, GLYPH_PX high or near it; no two calls draw the same."""
    if suit == "H":
        return _filled([_heart_outline(rng)], rng.uniform(0.82, 1.05))
    if suit == "D":
        hollow = rng.uniform(0.0, 0.3)
        edge = (0.25 * (1 - hollow), -0.25 * (1 - hollow))
        upper = _cubic((0, -0.5), edge, edge, (0.5, 0))
        return _filled([_mirrored(np.concatenate([upper, (upper * [1, -1])[::-1]]))], rng.uniform(0.68, 0.95))
    if suit == "S":
        leaf = _heart_outline(rng) * [1, -rng.uniform(0.78, 0.88)] - [0, 0.08]
        return _filled([leaf, _stem(rng, 0.0)], rng.uniform(0.82, 1.0))
    radius, spread = rng.uniform(0.2, 0.255), rng.uniform(0.24, 0.29)
    centres = [(0.0, -0.5 + radius), (spread, rng.uniform(0.05, 0.14)), (0, 0)]
    centres[2] = (-spread, centres[1][1])
    turn = np.linspace(0, 2 * np.pi, 40)
    leaves = [np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], 1) for x, y in centres]
    heart = rng.uniform(0.06, 0.14)
    middle = np.array([(-heart, -0.2), (heart, -0.2), (heart, 0.15), (-heart, 0.15)])
    return _filled([*leaves, middle, _stem(rng, 0.0)], rng.uniform(0.92, 1.08))


@dataclass(frozen=True)
class Typeface:
    """One font file, squeezed and thickened as printers of cards do."""

    file: Path
    squeeze: float
    """Width of a letter as a share of the font's own."""
    weight_px: int
    """Grown (positive) or thinned strokes, at GLYPH_PX height."""
    ten_gap: float
    """Space between the figures of 10, as a share of the height; negative overlaps."""

    def mask(self, text: str) -> Mask:
        """The word as a tight mask, GLYPH_PX high."""
        letters = [self._letter(letter) for letter in text]
        if len(letters) == 1:
            return letters[0]
        gap = int(self.ten_gap * GLYPH_PX)
        word = np.zeros((GLYPH_PX, sum(m.shape[1] for m in letters) + gap * (len(letters) - 1)), np.uint8)
        x = 0
        for m in letters:
            part = word[:, x : x + m.shape[1]]
            np.maximum(part, m[:, : part.shape[1]], out=part)
            x += m.shape[1] + gap
        return word

    def _letter(self, letter: str) -> Mask:
        font = ImageFont.truetype(str(self.file), GLYPH_PX)
        left, top, right, bottom = font.getbbox(letter)
        picture = Image.new("L", (int(right - left) + 48, int(bottom - top) + 48))
        ImageDraw.Draw(picture).text((24 - left, 24 - top), letter, font=font, fill=255)
        mask = np.asarray(picture)
        if self.weight_px:
            kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (abs(self.weight_px) + 1,) * 2)
            mask = cv2.dilate(mask, kernel) if self.weight_px > 0 else cv2.erode(mask, kernel)
        mask = _tight(mask)
        width = max(8, round(mask.shape[1] * GLYPH_PX / mask.shape[0] * self.squeeze))
        return cv2.resize(mask, (width, GLYPH_PX), interpolation=cv2.INTER_AREA)


def font_suit_mask(suit: str, file: Path) -> Mask:
    """The suit sign of a font that has one (DejaVu)."""
    return Typeface(file, 1.0, 0, 0.0).mask(_SUIT_SIGNS[suit])


def fonts_below(folder: Path) -> list[Path]:
    """Font files for ranks, in a fixed order."""
    return sorted(f for f in folder.rglob("*") if f.suffix in {".ttf", ".otf", ".woff"})
