"""Finding a card that came to rest and was covered again before the pile was ever still.

The row that it left showed what it looks like, under this very light. So its own picture is looked for in the frames
of that time: where it stands still near a pile for a moment, there it landed.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.rectify import Patch, Plane, Pose
from referee.table import Player

Gray = NDArray[np.uint8]

TURNS_DEG: Final = (-20.0, -10.0, 0.0, 10.0, 20.0)
ALIKE: Final = 0.72
"""Correlation with the card's own picture from which it is the card."""
NEWER: Final = 0.15
"""By so much it must fit better than what lay there before: courts of one rank look much alike."""
LONGEST_REST_S: Final = 0.15
"""Between two sightings that are further apart the card may have been anywhere."""
AT_REST_MM_PER_S: Final = 110.0
FAR_SHARE: Final = 0.55
"""The part of a card, away from its player, that the carrying hand leaves free."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """The half of a card that its player's hand does not cover, as it looked in the row: gray, at the coarse scale."""

    far_half: Gray
    towards: float
    """1: the half towards p2; -1: towards p1."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where the card was in one frame."""

    frame: int
    pose: Pose
    alike: float

    def is_near(self, around_mm: tuple[float, float], reach_mm: float) -> bool:
        """Whether the card was near a pile."""
        return max(abs(self.pose.x_mm - around_mm[0]), abs(self.pose.y_mm - around_mm[1])) < reach_mm

    def lay_still_since(self, earlier: "Sighting", seconds: float) -> bool:
        """Whether the card hardly moved since another sighting, so long before."""
        moved = np.hypot(self.pose.x_mm - earlier.pose.x_mm, self.pose.y_mm - earlier.pose.y_mm)
        return bool(seconds < LONGEST_REST_S and moved / seconds < AT_REST_MM_PER_S)


def portrait(
    picture: Image, patch: Plane, pose: Pose, card_mm: tuple[float, float], player: Player, scale: float
) -> Portrait:
    """Return the portrait of the card that lies at `pose` in a settled picture; `scale`: pixels a millimetre."""
    w, h = (round(side * scale) for side in card_mm)
    corners = patch.to_patch(pose.quad_mm(card_mm)).astype(np.float32)
    target = np.array([(-0.5, -0.5), (w - 0.5, -0.5), (w - 0.5, h - 0.5), (-0.5, h - 0.5)], np.float32)
    gray = cv2.cvtColor(cv2.GaussianBlur(picture, (3, 3), 0), cv2.COLOR_BGR2GRAY)
    card = cv2.warpPerspective(gray, cv2.getPerspectiveTransform(corners, target), (w, h), flags=cv2.INTER_LINEAR)
    rows = round(FAR_SHARE * h)
    half = card[1:rows, 1:-1] if player == "p1" else card[h - rows : -1, 1:-1]
    return Portrait(np.ascontiguousarray(half), 1.0 if player == "p1" else -1.0)


def sighting(
    look_for: Portrait, frame: int, gray: Gray, patch: Patch, card_mm: tuple[float, float], scale: float
) -> Sighting | None:
    """Return where the card fits best in one frame (a gray picture of `patch` at the coarse scale), if it fits."""
    fits = [_at_turn(look_for, gray, patch, turn, card_mm, scale) for turn in TURNS_DEG]
    alike, pose = max(fits, key=lambda fit: fit[0])
    return Sighting(frame, pose, alike) if alike > ALIKE else None


def _at_turn(
    look_for: Portrait, gray: Gray, patch: Patch, turn_deg: float, card_mm: tuple[float, float], scale: float
) -> tuple[float, Pose]:
    height, width = gray.shape
    centre = ((width - 1) / 2, (height - 1) / 2)
    turn = cv2.getRotationMatrix2D(centre, -turn_deg, 1.0)
    turned = cv2.warpAffine(gray, turn, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    scores = cv2.matchTemplate(turned, look_for.far_half, cv2.TM_CCOEFF_NORMED)
    _, best, _, (x, y) = cv2.minMaxLoc(scores)
    rows, columns = look_for.far_half.shape
    middle = np.array([x + (columns - 1) / 2, y + (rows - 1) / 2, 1.0])
    at = cv2.invertAffineTransform(turn) @ middle
    at_mm = patch.to_mm((at[None] + 0.5) * (patch.px_per_mm / scale) - 0.5)[0]
    off = look_for.towards * (card_mm[1] / 2 - (rows + 1) / scale / 2)
    angle = np.radians(turn_deg)
    return float(best), Pose(float(at_mm[0] + off * np.sin(angle)), float(at_mm[1] - off * np.cos(angle)), turn_deg)
