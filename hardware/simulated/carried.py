"""A card that a hand carries to and fro over the middle of the simulated table, smeared as the shutter smears it."""

from math import pi, sin
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.simulated.deck import Deck
from hardware.simulated.hands import corners_mm, draw_hand
from hardware.simulated.look import Look
from hardware.simulated.motion import REACH_MM, HandAt
from hardware.simulated.sprites import Box, covering, smear, warp
from hardware.simulated.view import View
from hardware.tablefile import Points
from referee.cards import Card

_SWING_MM: Final = 95.0
_SWING_S: Final = 1.2
"""To and fro in so many seconds: half a metre a second in the middle; a slow machine renders that often enough."""
_HEIGHT_MM: Final = 30.0


class CarriedCard:
    """Lays the card and the hand that holds it over pictures of the table at rest."""

    def __init__(self, look: Look, deck: Deck) -> None:
        self._look, self._view = look, View(look.camera)
        self._size = np.array(deck.size_mm)
        self._card = _lit(deck.art(Card("AS")), look.lamp.exposure)
        self._hand = _lit(draw_hand(look.hands["p1"], "R", "flat").picture, look.lamp.exposure)

    def over(self, table: Image, at_ns: int) -> Image:
        """Return a copy of the picture of the table with the card as it is exposed around `at_ns`."""
        picture = table.copy()
        half_ns = round(self._look.shutter_s * 5e8)
        ways = [self._card_quad(_x_mm(ns)) for ns in (at_ns - half_ns, at_ns + half_ns)]
        self._lay(picture, self._card, ways[0], ways[1])
        hands = [self._hand_quad(_x_mm(ns)) for ns in (at_ns - half_ns, at_ns + half_ns)]
        self._lay(picture, self._hand, hands[0], hands[1])
        return picture

    def _lay(self, picture: Image, art: Image, before: Points, after: Points) -> None:
        size_px = self._look.camera.size_px
        box = Box.around(np.concatenate([before, after]), 2, size_px)
        if box is not None:
            moved = (after - before).mean(axis=0)
            seen = smear(warp(art, before, box), moved)
            if self._look.defocus_px > 0:
                seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), self._look.defocus_px), np.uint8)
            covering(box, seen).lay_on(picture, Box(0, 0, *size_px))

    def _card_quad(self, x_mm: float) -> Points:
        (right, top), z = self._size / 2, _HEIGHT_MM
        corners = [(x_mm + x, y, z) for x, y in ((-right, top), (right, top), (right, -top), (-right, -top))]
        return self._view.px(np.array(corners))

    def _hand_quad(self, x_mm: float) -> Points:
        at = HandAt("p1", "R", x_mm, -self._size[1] / 2 + REACH_MM, _HEIGHT_MM, 0.0, "flat")
        return self._view.px(corners_mm(at, self._look.hands["p1"].size))


def _x_mm(at_ns: int) -> float:
    return _SWING_MM * sin(2 * pi * at_ns / 1e9 / _SWING_S)


def _lit(art: NDArray[np.uint8], exposure: float) -> NDArray[np.uint8]:
    """Return the picture as the lamp lights it; its alpha stays."""
    lit = cv2.convertScaleAbs(art, alpha=min(exposure, 1.0))
    lit[..., 3] = art[..., 3]
    return np.asarray(lit, np.uint8)
