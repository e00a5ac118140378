"""A pack dealt out in rows on a table: the picture that deck enrolment asks for, without a table or a camera."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.simulated.deck import Deck
from hardware.simulated.suits import BGR
from hardware.tablefile import Points
from referee.cards import Card

_GAP_MM: Final = 9.0


@dataclass(frozen=True, slots=True)
class Light:
    """How a dealt pack is lit and taken."""

    exposure: float = 0.92
    warmth: float = 0.0
    """-1 bluish to 1 yellowish."""
    slope: float = 0.1
    """Share of the light that is missing at the right edge."""
    blur_px: float = 0.6
    noise: float = 2.0
    """Standard deviation in levels of 255."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """A picture of cards lying apart, and where each lies: its own corners, float64 (4, 2), sharp, in px."""

    image: Image
    cards: tuple[tuple[Card | None, Points], ...]


def deal_out(
    deck: Deck,
    cards: Sequence[Card | None],
    columns: int = 9,
    seed: int = 0,
    light: Light | None = None,
    cloth: BGR = (70, 96, 48),
) -> Dealt:
    """Return cards in rows of `columns`, each a little askew, some upside down, at the deck's own scale."""
    rng = np.random.default_rng(seed)
    scale = deck.px_per_mm
    step = np.array(deck.size_mm) + _GAP_MM
    rows = -(-len(cards) // columns)
    width, height = (round(float(v) * scale) for v in step * (columns, rows) + 2 * _GAP_MM)
    picture = np.full((height, width, 3), cloth, np.uint8)
    lying = []
    for n, card in enumerate(cards):
        centre = (step * (n % columns + 0.5, n // columns + 0.5) + _GAP_MM) * scale + rng.normal(0, 1.0, 2)
        turn = float(rng.normal(0, 2.5)) + 180.0 * int(rng.integers(2))
        lying.append((card, _laid(picture, deck, card, centre, turn)))
    return Dealt(_taken(picture, light or Light(), rng), tuple(lying))


def _laid(picture: Image, deck: Deck, card: Card | None, centre: NDArray[np.float64], turn_deg: float) -> Points:
    """Lay a card onto the picture; return its corners."""
    art = deck.art(card)
    height, width = art.shape[:2]
    turn = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), turn_deg, 1.0)
    turn[:, 2] += centre - ((width - 1) / 2, (height - 1) / 2)
    size = picture.shape[1::-1]
    laid = cv2.warpAffine(art, turn, size, flags=cv2.INTER_LINEAR)
    picture[:] = (laid[..., :3] + picture * (1 - laid[..., 3:] / np.float32(255))).round().astype(np.uint8)
    corners = np.array([(-0.5, -0.5), (width - 0.5, -0.5), (width - 0.5, height - 0.5), (-0.5, height - 0.5)])
    return np.asarray(corners @ turn[:, :2].T + turn[:, 2], np.float64)


def _taken(picture: Image, light: Light, rng: np.random.Generator) -> Image:
    """Light the picture and take it through lens and sensor."""
    tint = np.array([1 - 0.12 * light.warmth, 1.0, 1 + 0.08 * light.warmth])
    falling = 1 - light.slope * np.linspace(0, 1, picture.shape[1])[None, :, None]
    seen = (picture * (light.exposure * tint * falling)).astype(np.float32)
    if light.blur_px > 0:
        cv2.GaussianBlur(seen, (0, 0), light.blur_px, seen)
    return np.clip(seen + rng.normal(0, light.noise, picture.shape), 0, 255).round().astype(np.uint8)
