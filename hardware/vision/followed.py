"""Where a card was in the frames before it came to rest: followed back from there by its own print."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.vision.closeup import BLOCK, CloseUp, Flags, Gray, Place
from hardware.vision.rectify import Pose

FOLLOWED: Final = 0.55
HIDES: Final = 1.5
"""A block that a hand hides spoils a part of the card more than one that shows is worth."""
LEAST_WORTH: Final = 3.0
"""So many blocks of print are needed to follow a card."""
LEAST_SIDE: Final = 3
"""Blocks across and down of the part that is followed."""
AROUND_PX: Final = 3
"""A place found at half the scale is off by at most so much."""
MOST_FOLLOWED: Final = 12
NEAR_MM: Final = 6.0
BRAKING_MM_PER_MS2: Final = 0.016
"""A card is looked for where it would be if it had not braked, and so much around: thrown cards brake hardest."""
FASTEST_MM_PER_MS: Final = 0.8
FARTHEST_MM: Final = 40.0
BACK_MM: Final = 1.0
"""A card comes nearer from frame to frame; so much is the error of measuring."""
FAR_MM: Final = 80.0
"""Further away a card's height above the table and its turning falsify where it is."""
CLEAR_WAY_MM: Final = 2.5
"""A card that was followed so far back shows from where it came."""
SAME_PLACE_MM: Final = 3.0
PUSHED_MM: Final = (1.5, 15.0)
PUSHED_ALIKE: Final = 0.58
PUSHED_MM_PER_MS: Final = 0.03
"""A card that lay so far off and moved less was pushed after it had landed: neither a hand nor a throw ends so."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where the card was in one frame: its distance from rest, and how far to the right and down of there."""

    frame: int
    distance_mm: float
    off_mm: Place
    alike: float


def followed(place: CloseUp, frame: int, shows: Flags, hidden: Flags) -> list[Step]:
    """Return the way of a card to its rest, from this frame back while it can be followed.

    `shows`, `hidden`: which blocks of its print show when it comes to rest, and which a hand hides.
    """
    part = _free_part(place, shows.astype(np.float64) - HIDES * hidden)
    path: list[Step] = []
    off, speed, last_ns = np.zeros(2), np.zeros(2), place.times[frame]
    for n in range(frame, max(-1, frame - MOST_FOLLOWED), -1):
        gap_ms = (last_ns - place.times[n]) / 1e6
        off = off + speed * gap_ms
        part = None if part is None else part.inside(place, off)
        if part is None:
            break
        faster = BRAKING_MM_PER_MS2 * gap_ms**2 if len(path) > 1 else FASTEST_MM_PER_MS * gap_ms
        alike, found = part.found(place, n, off, NEAR_MM + faster)
        distance = float(np.linalg.norm(found))
        if alike < FOLLOWED or distance > FAR_MM or (path and distance < path[-1].distance_mm - BACK_MM):
            break
        speed = (found - path[-1].off_mm) / gap_ms if path else speed
        path.append(Step(n, distance, found, alike))
        off, last_ns = found, place.times[n]
    return path


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the card at rest: its picture, and its upper left corner."""

    picture: Gray
    corner: Place

    def inside(self, place: CloseUp, off: Place) -> "_Part | None":
        """Return as much of it as the frames show where it is so far off; None if that is too little."""
        height, width = self.picture.shape
        if place.shows(self.corner + off, (width, height)):
            return self
        half = height // 2
        if half < LEAST_SIDE * BLOCK:
            return None
        came_down = off[1] < 0
        picture = self.picture[half:] if came_down else self.picture[:half]
        rest = _Part(picture, self.corner + np.array([0.0, half if came_down else 0.0]))
        return rest if place.shows(rest.corner + off, (width, half)) else None

    def found(self, place: CloseUp, frame: int, off: Place, reach_mm: float) -> tuple[float, Place]:
        """Return how well it fits near a place so far off, and how far off it fits best."""
        height, width = self.picture.shape
        reach = round(min(FARTHEST_MM, reach_mm))
        corner = np.rint(self.corner + off) - reach
        alike, found = _found(place.piece(frame, corner, (width + 2 * reach, height + 2 * reach)), self.picture)
        return alike, found + corner - self.corner


def _free_part(place: CloseUp, worth: NDArray[np.float64]) -> _Part | None:
    """Return the part of the card at rest that is worth most, the sum of what its blocks are; None if too little."""
    rows, columns = place.grid
    sums = np.zeros((rows + 1, columns + 1))
    sums[1:, 1:] = worth.reshape(place.grid).cumsum(axis=0).cumsum(axis=1)
    (top, bottom), (left, right) = (np.triu_indices(n + 1, LEAST_SIDE) for n in (rows, columns))
    total = sums[bottom][:, right] - sums[top][:, right] - sums[bottom][:, left] + sums[top][:, left]
    best = np.unravel_index(int(total.argmax()), total.shape)
    if total[best] < LEAST_WORTH:
        return None
    corner = np.array([left[best[1]], top[best[0]]], np.float64) * BLOCK
    size = int(right[best[1]] - left[best[1]]) * BLOCK, int(bottom[best[0]] - top[best[0]]) * BLOCK
    return _Part(place.piece(place.last, corner, size), corner)


def _found(wide: Gray, part: Gray) -> tuple[float, Place]:
    """Return how well a part of the card fits at its best place, and that place: looked for at half the scale first."""
    half, small = (cv2.resize(one, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for one in (wide, part))
    _, _, _, rough = cv2.minMaxLoc(cv2.matchTemplate(half, small, cv2.TM_CCOEFF_NORMED))
    height, width = part.shape
    left, top = (max(0, 2 * place - AROUND_PX) for place in rough)
    near = wide[top : top + height + 2 * AROUND_PX + 1, left : left + width + 2 * AROUND_PX + 1]
    scores = np.asarray(cv2.matchTemplate(near, part, cv2.TM_CCOEFF_NORMED), np.float32)
    _, best, _, (x, y) = cv2.minMaxLoc(scores)
    return best, np.array([left, top]) + _peak(scores, x, y)


def _peak(scores: NDArray[np.float32], x: int, y: int) -> Place:
    """Return the place of the best score to a fraction of a pixel."""

    def between(low: float, mid: float, high: float) -> float:
        bend = low - 2 * mid + high
        return 0.0 if bend >= -1e-6 else float(np.clip(0.5 * (low - high) / bend, -0.5, 0.5))

    dx = between(*scores[y, x - 1 : x + 2]) if 0 < x < scores.shape[1] - 1 else 0.0
    dy = between(*scores[y - 1 : y + 2, x]) if 0 < y < scores.shape[0] - 1 else 0.0
    return np.array([x + dx, y + dy])


def stopped(times: Sequence[int], path: Sequence[Step]) -> int | None:
    """Return the first step of the way back that shows what does not move: the card before a push, or another one."""
    for n in range(1, len(path)):
        gap_ms = (times[path[n - 1].frame] - times[path[n].frame]) / 1e6
        moved = float(np.linalg.norm(path[n].off_mm - path[n - 1].off_mm))
        if path[n].distance_mm > PUSHED_MM[0] and moved < PUSHED_MM_PER_MS * gap_ms:
            return n
    return None


def away_from(still: Step, path: Sequence[Step]) -> list[Step]:
    """Return the first steps back, up to where something else lay still: what was followed there was that."""
    return list(takewhile(lambda step: np.linalg.norm(step.off_mm - still.off_mm) > SAME_PLACE_MM, path))


def pushed_from(pose: Pose, step: Step) -> Pose | None:
    """Return where a card lay before it was pushed to this pose, if it is the card that did not move in this step."""
    if step.alike < PUSHED_ALIKE or step.distance_mm > PUSHED_MM[1]:
        return None
    c, s = np.cos(np.radians(pose.angle_deg)), np.sin(np.radians(pose.angle_deg))
    right, down = step.off_mm
    x, y = right * c + down * s, right * s - down * c
    return replace(pose, x_mm=pose.x_mm + float(x), y_mm=pose.y_mm + float(y))


def came_from(path: Sequence[Step]) -> float:
    """Return from which side a card came: from -1 (p1's) to 1 (p2's); 0 if it was not followed far enough."""
    if not path or path[-1].distance_mm < CLEAR_WAY_MM:
        return 0.0
    return -float(path[-1].off_mm[1]) / path[-1].distance_mm


def came_mm(path: Sequence[Step], pose: Pose) -> tuple[float, float]:
    """Return where a card that lies at `pose` was when it was first followed, from there, as the table lies."""
    if not path or path[-1].distance_mm < CLEAR_WAY_MM:
        return 0.0, 0.0
    c, s = np.cos(np.radians(pose.angle_deg)), np.sin(np.radians(pose.angle_deg))
    right, down = path[-1].off_mm
    return float(right * c + down * s), float(right * s - down * c)


def along(path: Sequence[Step]) -> NDArray[np.float64]:
    """Return the distances along the straight way."""
    if not path or path[-1].distance_mm < 1.0:
        return np.array([way.distance_mm for way in path] or [0.0])
    return np.array([way.off_mm @ path[-1].off_mm / path[-1].distance_mm for way in path])
