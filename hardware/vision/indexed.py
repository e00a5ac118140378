"""Cards of a spot by their printed indices: one network marks each index and draws its card round it, another names it.

A card that lies white on white shows no edges, but its indices; a card half under a hand shows one of them, and that
draws the whole card. An index that stood in the same place before belongs to a card that lay there before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from hardware.frames import Image
from hardware.tablefile import Points
from hardware.vision.cardfit import Free
from hardware.vision.corners import Index
from hardware.vision.prints import correlation
from hardware.vision.rectify import Patch, Pose

SAME_CARD_MM: Final = 20.0
"""Two indices whose cards lie closer together are those of one card."""
SIZE_SLACK: Final = 0.3
"""What is drawn larger or smaller than the deck's cards by this share is none of them."""
OLD_PRINT: Final = 0.85
"""Correlation from which an index stood there before."""
PRINT_SIZE: Final = (14, 22)
"""Pixels across and down in which an index is compared with what was there before."""
LYING_PX: Final = 0.25
"""A card that lies is found in the same place to so small a part of a pixel; a hand that holds one sways by more."""
LYING_PRINT: Final = 0.9
ROOM_PX: Final = 4


@dataclass(frozen=True, slots=True)
class Indexed:
    """A card as its indices show it."""

    pose: Pose
    marks: Sequence[Index]
    """Its indices, not named yet, the surest first."""
    weight: float
    """Sum over its indices of how surely each is one: nearly 2 where both show."""
    complete: float
    """Probability that nothing lies on it."""

    def free_end(self, patch: Patch) -> Free:
        """Return on which end of it the surest index stands: no hand covers that one."""
        centre = patch.to_patch(np.array([(self.pose.x_mm, self.pose.y_mm)]))[0]
        return "upper" if self.marks[0].centre[1] < centre[1] else "lower"


def lies_still(index: Index, now: Image, earlier: Image) -> bool:
    """Whether an index stands in two pictures of a spot in exactly the same place."""
    height, width = now.shape[:2]
    left, top = np.maximum(np.floor(index.index.min(axis=0)).astype(int) - ROOM_PX, 0)
    right, bottom = np.minimum(np.ceil(index.index.max(axis=0)).astype(int) + ROOM_PX, (width, height))
    grays = [cv2.cvtColor(one[top:bottom, left:right], cv2.COLOR_BGR2GRAY) for one in (now, earlier)]
    if min(grays[0].shape) < 2 * ROOM_PX or correlation(*grays) < LYING_PRINT:
        return False
    shift, _ = cv2.phaseCorrelate(*(gray.astype(np.float32) for gray in grays))
    return float(np.hypot(shift[0], shift[1])) < LYING_PX


def is_new(index: Index, now: Image, before: Image) -> bool:
    """Whether an index that was marked in one picture of a spot did not stand there in an earlier one."""
    width, height = PRINT_SIZE
    corners = np.array([(0, 0), (width, 0), (width, height)], np.float32) - np.float32(0.5)
    turn = cv2.getAffineTransform(index.index[:3].astype(np.float32), corners)
    return correlation(*(cv2.warpAffine(one, turn, PRINT_SIZE) for one in (now, before))) < OLD_PRINT


def cards_of(indices: Sequence[Index], patch: Patch, card_mm: tuple[float, float]) -> list[Indexed]:
    """Return the cards whose indices were found in a picture of `patch`, clearest first."""
    groups: list[list[tuple[Pose, Index]]] = []
    for pose, index in _placed(indices, patch, card_mm):
        home = next((one for one in groups if one[0][0].apart_mm(pose) < SAME_CARD_MM), None)
        if home is None:
            groups.append([(pose, index)])
        else:
            home.append((pose, index))
    return sorted((_card(group) for group in groups), key=lambda one: -one.weight * (0.2 + one.complete))


def card_of(index: Index, patch: Patch, card_mm: tuple[float, float]) -> Pose:
    """Return about where the card of one index lies: what is half covered is drawn too large, about its index."""
    drawn = patch.to_mm(index.card)
    centre = patch.to_mm(index.centre[None])[0]
    size = np.mean([np.linalg.norm(drawn[end] - drawn[0]) / side for end, side in zip((1, 3), card_mm, strict=True)])
    return _pose(centre + (drawn - centre) / size)


def _placed(indices: Sequence[Index], patch: Patch, card_mm: tuple[float, float]) -> Iterator[tuple[Pose, Index]]:
    """Each index, the surest first, and where its card lies."""
    for index in sorted(indices, key=lambda one: -one.score):
        quad = patch.to_mm(index.card)
        width, height = (float(np.linalg.norm(quad[end] - quad[0])) for end in (1, 3))
        sizes = width / card_mm[0], height / card_mm[1]
        if max(abs(size - 1.0) for size in sizes) < SIZE_SLACK:
            yield _pose(quad), index


def _pose(quad_mm: Points) -> Pose:
    """Return how a card with these corners lies, as one of its two ways up."""
    x, y = quad_mm.mean(axis=0)
    up = quad_mm[0] + quad_mm[1] - quad_mm[2] - quad_mm[3]
    angle = float(np.degrees(np.arctan2(-up[0], up[1])))
    return Pose(float(x), float(y), (angle + 90.0) % 180.0 - 90.0)


def _card(group: Sequence[tuple[Pose, Index]]) -> Indexed:
    first = group[0][0]
    weights = np.array([index.score for _, index in group])
    turns = [(pose.angle_deg - first.angle_deg + 90.0) % 180.0 - 90.0 for pose, _ in group]
    x, y, turn = weights @ [(p.x_mm, p.y_mm, t) for (p, _), t in zip(group, turns, strict=True)] / weights.sum()
    pose = Pose(float(x), float(y), first.angle_deg + float(turn))
    complete = max(index.complete for _, index in group)
    return Indexed(pose, [index for _, index in group], float(weights.sum()), complete)
