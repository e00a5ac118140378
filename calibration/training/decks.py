"""Endless plausible French decks. `Deck(seed, fonts).draw("10S", px_per_mm)` draws a card of a deck that never existed.

Everything that differs between publishers is drawn at random once a deck: typeface, size and place of the index, two or
four corners, jumbo, pips and their places, courts, frames, inks, paper, card size, corners' radius, jokers and backs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.training import painting
from calibration.training.glyphs import GLYPH_PX, Mask, Typeface, font_suit_mask, suit_mask
from referee.cards import RANKS, SUITS

FACES = (*(rank + suit for suit in SUITS for rank in RANKS), "JK", "back")
"""What a deck can draw: 52 cards, a joker and the back."""
_LETTERS = ({}, {"J": "B", "Q": "D"}, {"J": "V", "Q": "D", "K": "R"})
"""English, German and French letters of courts."""
_COLUMNS = (0.0, 0.5, 1.0)
OTHER_PIPS_SHARE = 0.25
"""Share of decks, for each rank, that place its pips in another way; a few even at random: the index is what counts."""
_PIPS: dict[str, list[tuple[float, float]]] = {
    "2": [(0.5, 0), (0.5, 1)],
    "3": [(0.5, 0), (0.5, 0.5), (0.5, 1)],
    "4": [(0, 0), (1, 0), (0, 1), (1, 1)],
    "5": [(0, 0), (1, 0), (0.5, 0.5), (0, 1), (1, 1)],
    "6": [(0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1)],
    "7": [(0, 0), (1, 0), (0.5, 0.25), (0, 0.5), (1, 0.5), (0, 1), (1, 1)],
    "8": [(0, 0), (1, 0), (0.5, 0.25), (0, 0.5), (1, 0.5), (0.5, 0.75), (0, 1), (1, 1)],
    "9": [(x, y / 3) for y in range(4) for x in (0, 1)] + [(0.5, 0.5)],
    "10": [(x, y / 3) for y in range(4) for x in (0, 1)] + [(0.5, 1 / 6), (0.5, 5 / 6)],
}
"""Places of pips: x across the outer columns, y from the top row (0) to the bottom row (1)."""
_OTHER_PIPS: dict[str, list[list[tuple[float, float]]]] = {
    "2": [[(0, 0), (1, 1)], [(0.5, 0.2), (0.5, 0.8)]],
    "3": [[(0, 0), (0.5, 0.5), (1, 1)], [(0.5, 0), (0, 1), (1, 1)]],
    "6": [[(x, y) for y in (0.2, 0.5, 0.8) for x in (0, 1)]],
    "7": [
        [(0, 0), (1, 0), (0.5, 0.75), (0, 0.5), (1, 0.5), (0, 1), (1, 1)],
        [(0, 0), (1, 0), (0.5, 0.5), (0, 0.5), (1, 0.5), (0, 1), (1, 1)],
    ],
    "8": [
        [(x, y / 3) for y in range(4) for x in (0, 1)],
        [(0, 0), (1, 0), (0, 0.5), (0.5, 0.5), (1, 0.5), (0.5, 0), (0, 1), (1, 1)],
    ],
    "9": [
        [(x, y) for y in (0, 0.5, 1) for x in _COLUMNS],
        [(x, y / 3) for y in range(4) for x in (0, 1)] + [(0.5, 1 / 6)],
    ],
    "10": [
        [(x, y / 4) for y in range(5) for x in (0, 1)],
        [(x, y / 3) for y in range(4) for x in (0, 1)] + [(0.5, 1 / 3), (0.5, 2 / 3)],
    ],
}
"""What some publishers do instead."""


@dataclass(frozen=True)
class Corner:
    """Where one index (rank and suit together) is printed, in mm from the card's top left corner."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    upside_down: bool


@dataclass(frozen=True)
class Style:
    """What one publisher chose."""

    width_mm: float
    height_mm: float
    radius_mm: float
    rank_mm: float
    """Height of the index's rank."""
    suit_mm: float
    """Height of the index's suit, under the rank."""
    inset_mm: tuple[float, float]
    """Middle of the index from the left edge, top of the rank from the top edge."""
    gap_mm: float
    corners: int
    pip_mm: float
    pips: str
    """`places` (the usual layout), `big` (one large sign and the rank), `none`."""
    pip_box: tuple[float, float, float, float]
    """Left column, top row, right column, bottom row of pips, as shares of the card."""
    frame: str
    """Line round the courts: `line`, `double`, `card` (round every face) or `none`."""
    court_box: tuple[float, float]
    """Left and top edge of the court panel, as shares of the card."""
    panel: bool
    """Pips small and inside a tinted panel, as some large-index decks have them."""
    paper: painting.Colour
    inks: dict[str, painting.Colour]
    letters: dict[str, str]


def _inks(rng: np.random.Generator, dark: bool) -> dict[str, painting.Colour]:
    if dark:
        light = painting.shaken(((90, 180, 215), (200, 200, 205), (230, 230, 230))[rng.integers(3)], rng)
        red = painting.shaken(((50, 40, 220), light)[int(rng.random() < 0.3)], rng)
        return {"S": light, "C": light, "H": red, "D": red}
    black = painting.shaken((28, 25, 24), rng, 14)
    red = painting.shaken(((45, 30, 200), (40, 35, 225), (60, 30, 170), (30, 45, 230))[rng.integers(4)], rng, 14)
    if rng.random() < 0.07:
        green, blue = painting.shaken((60, 130, 30), rng), painting.shaken((190, 90, 20), rng)
        return {"S": black, "H": red, "C": green, "D": blue}
    return {"S": black, "C": black, "H": red, "D": red}


def _style(rng: np.random.Generator) -> Style:
    width = float(rng.choice([63.5, 57.5, 59.0, 56.0], p=[0.68, 0.16, 0.1, 0.06]))
    jumbo = rng.random() < 0.3
    rank = rng.uniform(10, 19) if jumbo else rng.uniform(5.2, 9.5)
    suit = rank * (rng.uniform(0.5, 0.95) if jumbo else rng.uniform(0.55, 1.0))
    dark = rng.random() < 0.06
    papers = ((30, 28, 26), (60, 110, 150)) if dark else ((218, 234, 243), (246, 248, 250))
    paper = painting.shaken(papers[int(rng.random() < (0.4 if dark else 0.8))], rng, 7)
    panel = jumbo and rng.random() < 0.2
    column = rng.uniform(0.35, 0.4) if jumbo else rng.uniform(0.25, 0.34)
    top = rng.uniform(0.28, 0.36) if panel else rng.uniform(0.12, 0.22)
    return Style(
        width_mm=width,
        height_mm=float(rng.choice([88.9, 87.0, 91.0])),
        radius_mm=rng.uniform(2.2, 4.6),
        rank_mm=rank,
        suit_mm=suit,
        inset_mm=(rng.uniform(4.4, 6.8) + (rank - 7) * 0.3 * jumbo, rng.uniform(2.4, 6.0)),
        gap_mm=rng.uniform(0.4, 2.0),
        corners=4 if rng.random() < 0.16 else 2,
        pip_mm=rng.uniform(5.5, 8) if panel else rng.uniform(8.5, 12) if jumbo else rng.uniform(9.5, 16),
        pips="places" if panel else str(rng.choice(["places", "big", "none"], p=[0.86, 0.06, 0.08])),
        pip_box=(column, top, 1 - column, 1 - top),
        frame=str(rng.choice(["line", "double", "card", "none"], p=[0.55, 0.15, 0.1, 0.2])),
        court_box=(rng.uniform(0.11, 0.22), rng.uniform(0.08, 0.17)),
        panel=panel,
        paper=paper,
        inks=_inks(rng, dark),
        letters=_LETTERS[rng.choice(3, p=[0.92, 0.05, 0.03])],
    )


class Deck:
    """One deck, the same for the same seed and the same folder of fonts."""

    def __init__(self, seed: int, fonts: list[Path], courts: Mapping[str, painting.Picture] | None = None) -> None:
        """`courts`: panels of published courts by card, to be borrowed by a third of the decks."""
        rng = np.random.default_rng(seed)
        self.seed = seed
        self.style = _style(rng)
        face = fonts[rng.integers(len(fonts))]
        typeface = Typeface(face, rng.uniform(0.62, 1.02), int(rng.integers(-4, 9)), rng.uniform(-0.06, 0.1))
        typeface = _no_thinner(typeface)
        self._ranks = {rank: typeface.mask(self.style.letters.get(rank, rank)) for rank in RANKS}
        widest = rng.uniform(0.62, 1.0) * GLYPH_PX
        for rank, mask in self._ranks.items():
            self._ranks[rank] = _no_wider(mask, widest * (1.25 if rank == "10" else 1))
        signed = [font for font in fonts if "DejaVuSans" in font.name]
        from_font = signed[rng.integers(len(signed))] if signed and rng.random() < 0.12 else None
        self._suits = {suit: font_suit_mask(suit, from_font) if from_font else suit_mask(suit, rng) for suit in SUITS}
        self._joker_word = "JOKER" if rng.random() < 0.75 else None
        self._word = typeface
        self._right_signs = rng.random() < 0.3
        self._pips = _pip_places(rng)
        self._palette = painting.palette_of(rng)
        self._courts = self._borrowed(courts, rng) if courts and rng.random() < 0.35 else {}

    @staticmethod
    def _borrowed(courts: Mapping[str, painting.Picture], rng: np.random.Generator) -> dict[str, painting.Picture]:
        """Published courts in other colours; in most decks each on another card, so that none is trusted."""
        names = list(courts)
        order = rng.permutation(names) if rng.random() < 0.85 else names
        colours = painting.recoloured(rng)
        return {name: colours(courts[str(other)]) for name, other in zip(names, order, strict=True)}

    def corners(self, card: str) -> list[Corner]:
        """The indices of a suited card, own top left first. Empty for the joker and the back."""
        if card in ("JK", "back"):
            return []
        s = self.style
        rank = self._ranks[card[:-1]]
        width = max(rank.shape[1] / rank.shape[0] * s.rank_mm, self._suit_width(card[-1], s.suit_mm))
        height = s.rank_mm + s.gap_mm + s.suit_mm
        x, y = max(0.8, s.inset_mm[0] - width / 2), s.inset_mm[1]
        right, bottom = s.width_mm - x - width, s.height_mm - y - height
        places = [(x, y, False), (right, bottom, True), (right, y, False), (x, bottom, True)][: s.corners]
        return [Corner(left, top, width, height, upside_down) for left, top, upside_down in places]

    def draw(self, card: str, px_per_mm: float) -> NDArray[np.uint8]:
        """The printed face of `card` (or `JK`, `back`), height x width x 4, BGRA; alpha 0 outside the round corners."""
        work = max(6.0, px_per_mm)
        rng = np.random.default_rng((self.seed, FACES.index(card)))
        canvas = _Canvas(self.style, work)
        if card == "back":
            pattern = np.random.default_rng(self.seed)
            canvas.picture[:] = painting.back(pattern, canvas.width, canvas.height, self.style.paper)
        elif card == "JK":
            self._paint_joker(canvas, rng)
        else:
            self._paint_face(canvas, card, rng)
            if card[:-1] in ("J", "Q", "K"):
                for corner in self.corners(card):
                    canvas.clear(corner)
            self._paint_indices(canvas, card)
        return canvas.finished(px_per_mm)

    def _suit_width(self, suit: str, height_mm: float) -> float:
        mask = self._suits[suit]
        return height_mm * mask.shape[1] / mask.shape[0]

    def _paint_indices(self, canvas: "_Canvas", card: str) -> None:
        s, ink = self.style, self.style.inks[card[-1]]
        for corner in self.corners(card):
            middle = corner.x_mm + corner.width_mm / 2
            rank_y, suit_y = corner.y_mm, corner.y_mm + s.rank_mm + s.gap_mm
            if corner.upside_down:
                rank_y, suit_y = corner.y_mm + corner.height_mm - s.rank_mm, corner.y_mm
            canvas.stamp(self._ranks[card[:-1]], middle, rank_y + s.rank_mm / 2, s.rank_mm, ink, corner.upside_down)
            canvas.stamp(self._suits[card[-1]], middle, suit_y + s.suit_mm / 2, s.suit_mm, ink, corner.upside_down)

    def _paint_face(self, canvas: "_Canvas", card: str, rng: np.random.Generator) -> None:
        s, rank, suit = self.style, card[:-1], card[-1]
        if s.frame == "card":
            canvas.outline(0.03 if s.rank_mm < 9 else 0.015, 0.02, s.inks[suit])
        if rank in ("J", "Q", "K"):
            self._paint_court(canvas, card, rng)
        elif rank == "A":
            self._paint_ace(canvas, suit, rng)
        elif s.pips == "places":
            if s.panel:
                canvas.tint(s.pip_box[0] - 0.07, s.pip_box[1] - 0.08, painting.shaken(s.paper, rng, 8), s.inks[suit])
            left, top, right, bottom = s.pip_box
            size = s.pip_mm * (0.9 if rank in ("9", "10") else 1.0)
            for x, y in self._pips[rank]:
                at = (left + x * (right - left)) * s.width_mm, (top + y * (bottom - top)) * s.height_mm
                canvas.stamp(self._suits[suit], *at, size, s.inks[suit], y > 0.5)
        elif s.pips == "big":
            canvas.stamp(self._suits[suit], s.width_mm / 2, s.height_mm * 0.62, 30, s.inks[suit], False)
            canvas.stamp(self._ranks[rank], s.width_mm / 2, s.height_mm * 0.28, 26, s.inks[suit], False)

    def _paint_ace(self, canvas: "_Canvas", suit: str, rng: np.random.Generator) -> None:
        s = self.style
        middle = s.width_mm / 2, s.height_mm / 2
        size = s.pip_mm * rng.uniform(0.9, 2.2)
        if suit == "S" and rng.random() < 0.75:
            size = rng.uniform(22, 46)
            if rng.random() < 0.4:
                canvas.picture[:] = painting.flourish(canvas.picture, rng, s.inks[suit])
        canvas.stamp(self._suits[suit], *middle, size, s.inks[suit], False)
        if suit == "S" and size > 22 and rng.random() < 0.7:  # a sign within the sign
            canvas.stamp(self._suits[suit], *middle, size * rng.uniform(0.5, 0.85), s.paper, False)
            canvas.stamp(self._suits[suit], *middle, size * rng.uniform(0.2, 0.45), s.inks[suit], rng.random() < 0.2)

    def _paint_court(self, canvas: "_Canvas", card: str, rng: np.random.Generator) -> None:
        s, suit = self.style, card[-1]
        left, top = s.court_box
        x, y = int(left * canvas.width), int(top * canvas.height)
        size = canvas.width - 2 * x, canvas.height - 2 * y
        borrowed = self._courts.get(card)
        panel = (
            painting.court(rng, *size, s.paper, self._palette)
            if borrowed is None
            else cv2.resize(borrowed, size, interpolation=cv2.INTER_AREA)
        )
        canvas.picture[y : canvas.height - y, x : canvas.width - x] = panel
        if s.frame in ("line", "double"):
            canvas.outline(left, top, self._palette[0])
        if s.frame == "double":
            canvas.outline(left + 0.02, top + 0.015, self._palette[0])
        if borrowed is not None or rng.random() < 0.85:  # the large sign beside the head
            sign = rng.uniform(8, 12)
            dx, dy = left * s.width_mm + sign * 0.62, top * s.height_mm + sign * 0.65
            if self._right_signs:
                dx = s.width_mm - dx
            canvas.stamp(self._suits[suit], dx, dy, sign, s.inks[suit], False)
            canvas.stamp(self._suits[suit], s.width_mm - dx, s.height_mm - dy, sign, s.inks[suit], True)

    def _paint_joker(self, canvas: "_Canvas", rng: np.random.Generator) -> None:
        s, ink = self.style, self.style.inks["S" if rng.random() < 0.5 else "H"]
        left, top = int(rng.uniform(0.1, 0.28) * canvas.width), int(rng.uniform(0.08, 0.25) * canvas.height)
        canvas.picture[top:-top, left:-left] = painting.joker(
            rng, canvas.width - 2 * left, canvas.height - 2 * top, s.paper, self._palette
        )
        if self._joker_word is None:
            for upside_down in (False, True):
                x, y = s.inset_mm[0], s.inset_mm[1] + s.rank_mm / 2
                at = (s.width_mm - x, s.height_mm - y) if upside_down else (x, y)
                canvas.stamp(_star(), *at, s.rank_mm, ink, upside_down)
            return
        letter = min(s.rank_mm, 8) * rng.uniform(0.5, 0.75)
        upright = rng.random() < 0.7
        for upside_down in (False, True):
            for n, sign in enumerate(self._joker_word):
                if upright:  # letters under one another, as most decks print it
                    x, y = s.inset_mm[0], s.inset_mm[1] + letter * (0.5 + 1.12 * n)
                else:
                    x, y = 4 + letter * (0.5 + 0.85 * n), s.inset_mm[1] + letter / 2
                at = (s.width_mm - x, s.height_mm - y) if upside_down else (x, y)
                canvas.stamp(self._word.mask(sign), *at, letter, ink, upside_down)


def _pip_places(rng: np.random.Generator) -> dict[str, list[tuple[float, float]]]:
    """Where one deck prints its pips, rank by rank."""
    if rng.random() < 0.05:
        return {rank: [tuple(place) for place in rng.uniform(0, 1, (len(usual), 2))] for rank, usual in _PIPS.items()}
    places = dict(_PIPS)
    for rank, others in _OTHER_PIPS.items():
        if rng.random() < OTHER_PIPS_SHARE:
            places[rank] = others[rng.integers(len(others))]
    return places


def _no_thinner(typeface: Typeface) -> Typeface:
    """The typeface, squeezed less where an eight would be thinner than any printer makes it."""
    eight = typeface.mask("8")
    return replace(typeface, squeeze=typeface.squeeze * max(1.0, 0.42 * eight.shape[0] / eight.shape[1]))


def _no_wider(mask: Mask, width: float) -> Mask:
    if mask.shape[1] <= width:
        return mask
    return cv2.resize(mask, (int(width), mask.shape[0]), interpolation=cv2.INTER_AREA)


def _star() -> Mask:
    turn = np.arange(10) * np.pi / 5 - np.pi / 2
    reach = np.where(np.arange(10) % 2, 0.4, 1.0) * GLYPH_PX / 2
    points = np.stack([np.cos(turn) * reach, np.sin(turn) * reach], 1) + GLYPH_PX / 2
    return cv2.fillPoly(np.zeros((GLYPH_PX, GLYPH_PX), np.uint8), [points.astype(np.int32)], 255)


class _Canvas:
    """A card in the making; lengths in mm, drawn finely and scaled down once at the end."""

    def __init__(self, style: Style, px_per_mm: float) -> None:
        self._style, self._px_per_mm = style, px_per_mm
        self.width, self.height = round(style.width_mm * px_per_mm), round(style.height_mm * px_per_mm)
        self.picture = np.full((self.height, self.width, 3), style.paper, np.uint8)

    def stamp(
        self, mask: Mask, x_mm: float, y_mm: float, height_mm: float, ink: painting.Colour, upside_down: bool
    ) -> None:
        """Print a sign with its middle at (x, y); what lies outside the card is cut."""
        height = max(2, round(height_mm * self._px_per_mm))
        width = max(2, round(mask.shape[1] * height / mask.shape[0]))
        sign = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)
        sign = sign[::-1, ::-1] if upside_down else sign
        x, y = round(x_mm * self._px_per_mm - width / 2), round(y_mm * self._px_per_mm - height / 2)
        sign = sign[max(0, -y) : self.height - y, max(0, -x) : self.width - x]
        if sign.size == 0:
            return
        part = self.picture[max(0, y) : max(0, y) + sign.shape[0], max(0, x) : max(0, x) + sign.shape[1]]
        cover = sign[..., None].astype(np.uint16)
        part[:] = ((part * (255 - cover) + np.array(ink, np.uint16) * cover) // 255).astype(np.uint8)

    def clear(self, corner: Corner) -> None:
        """Bare paper under an index, where a court's panel would run into it."""
        margin, scale = 0.8, self._px_per_mm
        a = np.array([corner.x_mm - margin, corner.y_mm - margin]) * scale
        b = a + np.array([corner.width_mm + 2 * margin, corner.height_mm + 2 * margin]) * scale
        cv2.rectangle(self.picture, a.astype(int).tolist(), b.astype(int).tolist(), self._style.paper, -1)

    def tint(self, left: float, top: float, ground: painting.Colour, ink: painting.Colour) -> None:
        """A panel of another ground, `left` and `top` as shares of the card, with a fine line round it."""
        a = (int(left * self.width), int(top * self.height))
        b = (self.width - a[0], self.height - a[1])
        cv2.rectangle(self.picture, a, b, ground, -1)
        self.outline(left, top, ink)

    def outline(self, left: float, top: float, ink: painting.Colour) -> None:
        """A line round the face, `left` and `top` as shares of the card."""
        a = (int(left * self.width), int(top * self.height))
        b = (self.width - a[0], self.height - a[1])
        cv2.rectangle(self.picture, a, b, ink, max(1, round(0.35 * self._px_per_mm)), cv2.LINE_AA)

    def finished(self, px_per_mm: float) -> NDArray[np.uint8]:
        r = round(self._style.radius_mm * self._px_per_mm)
        alpha = np.zeros((self.height, self.width), np.uint8)
        cv2.rectangle(alpha, (r, 0), (self.width - r, self.height), 255, -1)
        cv2.rectangle(alpha, (0, r), (self.width, self.height - r), 255, -1)
        for x in (r, self.width - r - 1):
            for y in (r, self.height - r - 1):
                cv2.circle(alpha, (x, y), r, 255, -1, cv2.LINE_AA)
        size = (round(self._style.width_mm * px_per_mm), round(self._style.height_mm * px_per_mm))
        return cv2.resize(np.dstack([self.picture, alpha]), size, interpolation=cv2.INTER_AREA)
