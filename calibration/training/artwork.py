"""Published decks with a known licence, fetched for training and never kept in the repository.

A deck is a folder of pictures, `10S.png` ... `JK.png`, `back.png`, and a `deck.toml` with its source and licence.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.training import painting
from calibration.training.decks import FACES
from calibration.training.scenes import Face
from hardware.vision.reader import FACE_DOWN


@dataclass(frozen=True)
class PrintedDeck:
    """One published deck on disk."""

    folder: Path
    source: str
    licence: str
    validation: bool
    """Kept out of training, to choose and to calibrate by."""

    def faces(self, rng: np.random.Generator, px_per_mm: float) -> list[Face]:
        """All its cards at a card's size, with inks and paper a little off as another printing would be."""
        width = float(rng.choice([63.5, 58.0], p=[0.75, 0.25]))
        size = (round(width * px_per_mm), round(88.9 * px_per_mm))
        tint = np.array(painting.shaken((250, 250, 250), rng, 6)) / 255
        faces = []
        for card in FACES:
            picture = cv2.imread(str(self.folder / f"{card}.png"), cv2.IMREAD_UNCHANGED)
            if picture is None:
                continue
            picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
            picture[..., :3] = (picture[..., :3] * tint).astype(np.uint8)
            faces.append(Face(FACE_DOWN if card == "back" else card, picture, width, 88.9))
        return faces


def printed_decks(folder: Path) -> list[PrintedDeck]:
    """The decks below a folder, in a fixed order; none if there is no such folder."""
    decks = []
    for about in sorted(folder.glob("*/deck.toml")):
        facts = tomllib.loads(about.read_text())
        decks.append(PrintedDeck(about.parent, facts["source"], facts["licence"], facts["validation"]))
    return decks


_PANEL = (0.185, 0.115, 0.815, 0.885)
"""Left, top, right and bottom of a court's picture inside its frame, as shares of the card (Kennard's normal index)."""


def court_panels(deck: PrintedDeck) -> dict[str, painting.Picture]:
    """The pictures of a deck's twelve courts without frame, index and suit signs, BGR."""
    panels = {}
    for card in FACES:
        if card[:-1] in ("J", "Q", "K") and card != "JK":
            picture = cv2.imread(str(deck.folder / f"{card}.png"), cv2.IMREAD_COLOR)
            h, w = picture.shape[:2]
            left, top, right, bottom = (int(share * side) for share, side in zip(_PANEL, (w, h, w, h), strict=True))
            panel = picture[top:bottom, left:right].copy()
            for x in (slice(None, int(0.17 * w)), slice(-int(0.17 * w), None)):
                for y in (slice(None, int(0.13 * h)), slice(-int(0.13 * h), None)):
                    corner = panel[y, x]
                    if (corner > 230).all(axis=2).mean() > 0.35:  # a suit sign on bare paper
                        corner[:] = 255
            panels[card] = panel
    return panels
