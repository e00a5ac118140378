"""When did a card touch? Go back through the frames before it lay still and follow it."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.rectify import Patch, Pose
from hardware.vision.trajectory import laid, thrown

Gray = NDArray[np.uint8]
Blocks = NDArray[np.float32]

KEEP_NS: Final = 2_500_000_000
MOST_KEPT: Final = 180
WINDOW_MM: Final = 28
"""How far back along its path a landing card is followed."""
BLOCK: Final = 8
PRINTED: Final = 6.0
"""A block with a greater spread of gray levels carries print or an edge."""
SAME: Final = 0.8
"""Correlation from which a block of print is in the same place: a shift by one millimetre brings it below."""
LEAST_BLOCKS: Final = 3
FOLLOWED: Final = 0.55
LASTING: Final = 0.35
"""From frame to frame back a hand covers at most so much more: fewer blocks that fit, and the card was elsewhere."""
AFTER_GAP: Final = 0.25
"""Share of the print that must show before a moment in which a hand hid it."""
HIDDEN_NS: Final = 1_200_000_000
"""So long a resting hand may hide a card that was seen to lie there before."""
STEP: Final = 12.0
"""A block whose gray levels differ by less on average shows the same."""
CHANGED: Final = 1.5
"""A block that differs by so many steps from what was there before tells that the card came, print or no print."""
OLD_SHARE: Final = 0.15
"""If so much of what lay there before shows, the card had not come yet."""
AROUND_PX: Final = 3
"""A place found at half the scale is off by at most so much."""
MOST_FOLLOWED: Final = 10
MOST_BRAKING: Final = 5
STILL_MM: Final = 0.4
LAST_BIT_NS: Final = 45_000_000
"""A braking hand needs at most so long for the last millimetre, in which the print already fits."""
FAR_MM: Final = 45.0
CLEAR_WAY_MM: Final = 2.5
"""A card that was followed so far back shows from where it came."""
CLEARLY: Final = 0.3
"""A throw must fit the path so much better than a laying hand."""
THROWN_SLACK_NS: Final = 25_000_000


@dataclass(frozen=True, slots=True)
class Touch:
    """The first touch, its bounds, whether the card came without a hand on it, and which end of it the hand covered."""

    at_ns: int
    earliest_ns: int
    latest_ns: int
    thrown: bool
    far_end: float = 0.0
    """1: only p2's end of the card was covered when it touched; -1: only p1's; 0: none, both, or not known."""
    came_from: float = 0.0
    """1: it came straight from p2's side; -1: from p1's; 0: not known."""


class Ring:
    """The last pictures of the middle of the table while something moved there. Arrays are used again."""

    def __init__(self, patch: Patch) -> None:
        self.patch = patch
        self._kept: deque[tuple[int, Image]] = deque()
        self._spare: list[Image] = []

    def take_over(self, other: "Ring") -> None:
        """Go on with the pictures of another ring: they show the table, wherever it lies in the camera's picture."""
        self._kept, self._spare = other._kept, other._spare

    def add(self, at_ns: int, image: Image) -> None:
        """Keep the middle of this frame."""
        while self._kept and (at_ns - self._kept[0][0] > KEEP_NS or len(self._kept) >= MOST_KEPT):
            self._spare.append(self._kept.popleft()[1])
        picture = self._spare.pop() if self._spare else np.empty_like(self.patch.picture)
        np.copyto(picture, self.patch.cut(image))
        self._kept.append((at_ns, picture))

    def between(self, since_ns: int, until_ns: int) -> list[tuple[int, Image]]:
        """Return the kept pictures of this time, oldest first."""
        return [(at, picture) for at, picture in self._kept if since_ns <= at <= until_ns]


class _View:
    """What lies where a card came to rest, upright, one pixel a millimetre, with WINDOW_MM around it."""

    def __init__(self, patch: Patch, pose: Pose, card_mm: tuple[float, float]) -> None:
        self.w, self.h = round(card_mm[0]), round(card_mm[1])
        self._size = (self.w + 2 * WINDOW_MM, self.h + 2 * WINDOW_MM)
        corners = patch.to_patch(pose.quad_mm(card_mm))[:3].astype(np.float32)
        m = WINDOW_MM - 0.5
        target = np.array([(m, m), (m + self.w, m), (m + self.w, m + self.h)], np.float32)
        self._turn = cv2.getAffineTransform(corners, target)
        self._inwards = self._turn - np.array([(0.0, 0.0, WINDOW_MM), (0.0, 0.0, WINDOW_MM)])

    def wide(self, picture: Image) -> Gray:
        return _upright(picture, np.asarray(self._turn, np.float64), self._size)

    def card(self, picture: Image) -> Gray:
        return _upright(picture, np.asarray(self._inwards, np.float64), (self.w, self.h))

    def within(self, wide: Gray) -> Gray:
        """Return the card in what `wide` gave."""
        return wide[WINDOW_MM : WINDOW_MM + self.h, WINDOW_MM : WINDOW_MM + self.w]


def _upright(picture: Image, turn: NDArray[np.float64], size: tuple[int, int]) -> Gray:
    seen = cv2.warpAffine(picture, turn, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY))


def touch_of(
    frames: Sequence[tuple[int, Image]], patch: Patch, pose: Pose, card_mm: tuple[float, float], before: Image | None
) -> Touch | None:
    """Return when the card that lies at `pose` in the last of these frames touched; None if they do not show it.

    `frames`: moments and pictures of `patch`, oldest first, the last one settled; `before`: the settled picture of the
    patch before the card came, whose print says nothing about the new card.
    """
    if len(frames) < 2:
        return None
    view = _View(patch, pose, card_mm)
    final_wide = view.wide(frames[-1][1])
    final = _blocks(view.within(final_wide))
    telling = final.std(axis=1) > PRINTED
    old = None if before is None else _blocks(view.card(before))
    if old is not None:
        telling &= _correlation(old, final) < 0.6
        if telling.sum() < LEAST_BLOCKS:  # exactly in place on a card that looks much like it
            telling |= _apart(old, final) > CHANGED * STEP
    if telling.sum() < LEAST_BLOCKS:
        return None
    times = [at for at, _ in frames]
    rest = _first_at_rest(frames, view, final, telling, old)
    if rest.frame == 0:
        return Touch(times[0], times[0] - KEEP_NS, times[0], False)
    path = _path(frames, view, final_wide, rest)
    at, was_thrown = _touched(times, path, rest)
    if was_thrown:
        return Touch(at, at - THROWN_SLACK_NS, at + THROWN_SLACK_NS, True, came_from=_came_from(path))
    end = _covered_end(rest.same, telling, view)
    early, late = times[rest.frame - 1], times[rest.frame]
    return Touch(at, min(at, early), max(at, late), False, end, _came_from(path))


def share_in_place(now: Image, then: Image, patch: Patch, pose: Pose, card_mm: tuple[float, float]) -> float:
    """Return the share of a card's print, as it lay `then`, that the picture `now` shows in the same place."""
    view = _View(patch, pose, card_mm)
    print_then = _blocks(_inside(view.card(then)))
    printed = print_then.std(axis=1) > PRINTED
    if not printed.any():
        return 0.0
    same = _correlation(_blocks(_inside(view.card(now))), print_then) > SAME
    return float((same & printed).sum() / printed.sum())


def _inside(card: Gray) -> Gray:
    """Return the card without its rim, which looks the same for the card below."""
    return card[BLOCK:-BLOCK, BLOCK:-BLOCK]


def _blocks(card: Gray) -> Blocks:
    """Return the card's picture cut into blocks: float32 (blocks, pixels)."""
    h, w = card.shape[0] // BLOCK * BLOCK, card.shape[1] // BLOCK * BLOCK
    cut = card[:h, :w].reshape(h // BLOCK, BLOCK, w // BLOCK, BLOCK).transpose(0, 2, 1, 3)
    return cut.reshape(-1, BLOCK * BLOCK).astype(np.float32)


def _correlation(these: Blocks, those: Blocks) -> NDArray[np.float32]:
    a = these - these.mean(axis=1, keepdims=True)
    b = those - those.mean(axis=1, keepdims=True)
    power = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)) + 16.0 * BLOCK
    return np.asarray((a * b).sum(axis=1) / power)


def _apart(these: Blocks, those: Blocks) -> NDArray[np.float32]:
    """Return by how many gray levels blocks differ on average."""
    return np.asarray(np.abs(these - those).mean(axis=1), np.float32)


@dataclass(frozen=True, slots=True)
class _Rest:
    """The first frame in which the card is at rest, which of its blocks show there, and whether no hand covers it."""

    frame: int
    same: NDArray[np.bool_]
    free: bool


@dataclass(frozen=True, slots=True)
class _Way:
    """Where the card was in one frame: its distance from rest, and the part of it towards p2."""

    frame: int
    distance_mm: float
    towards_p2_mm: float


def _first_at_rest(
    frames: Sequence[tuple[int, Image]],
    view: _View,
    final: Blocks,
    telling: NDArray[np.bool_],
    old: Blocks | None,
) -> _Rest:
    """Go back from the last frame until what lay there before shows; a hand may hide the card for a while.

    `old`: the place as it looked before the card came.
    """
    least = max(LEAST_BLOCKS, round(0.12 * telling.sum()))
    last = len(frames) - 1
    first, shown = last, {last: telling}
    told = final[telling]
    printed = told.std(axis=1) > PRINTED
    for n in range(last - 1, -1, -1):
        now = _blocks(view.card(frames[n][1]))
        same = np.zeros_like(telling)
        same[telling] = np.where(printed, _correlation(now[telling], told) > SAME, _apart(now[telling], told) < STEP)
        enough = LASTING * shown[first].sum() if n == first - 1 else AFTER_GAP * telling.sum()
        if same.sum() >= max(least, enough):
            first, shown[n] = n, same
        elif frames[first][0] - frames[n][0] > HIDDEN_NS or (old is not None and _shows_old(now, old, final)):
            break
    soon = [shown[n].sum() for n in range(first, min(first + 3, last + 1)) if n in shown]
    return _Rest(first, shown[first], bool(max(soon) > 0.9 * telling.sum()))


def _shows_old(now: Blocks, old: Blocks, final: Blocks) -> bool:
    """Whether a part of the card's place looks as it did before the card came, and not as it did with it."""
    differs = _apart(old, final) > 2 * STEP
    is_old = differs & (_apart(now, old) < STEP)
    return bool(is_old.sum() >= max(LEAST_BLOCKS, OLD_SHARE * differs.sum()))


def _covered_end(same: NDArray[np.bool_], telling: NDArray[np.bool_], view: _View) -> float:
    """Return which end the hand covered: from -1 (the lower, p1's) to 1 (the upper, p2's)."""
    rows = view.h // BLOCK
    hidden = (telling & ~same).reshape(rows, -1).sum(axis=1)
    printed = telling.reshape(rows, -1).sum(axis=1)
    half = rows // 2
    upper = hidden[:half].sum() / max(1, printed[:half].sum())
    lower = hidden[rows - half :].sum() / max(1, printed[rows - half :].sum())
    return float(upper - lower)


def _path(frames: Sequence[tuple[int, Image]], view: _View, final_wide: Gray, rest: _Rest) -> list[_Way]:
    """Return the way to rest, from the first frame at rest back while the card can be followed."""
    rows = view.h // BLOCK
    per_row = rest.same.reshape(rows, -1).sum(axis=1)
    upper = per_row[: rows // 2].sum() >= per_row[rows - rows // 2 :].sum()
    top = 2 if upper else view.h // 2
    part = view.within(final_wide)[top : top + view.h // 2 - 2, 2 : view.w - 2]
    home = np.array([WINDOW_MM + 2, WINDOW_MM + top], dtype=np.float64)
    path: list[_Way] = []
    most = MOST_FOLLOWED if rest.free else MOST_BRAKING
    for n in range(rest.frame, max(-1, rest.frame - most), -1):
        best, at = _found(view.wide(frames[n][1]), part)
        if best < FOLLOWED:
            break
        distance = float(np.linalg.norm(at - home))
        if path and distance < path[-1].distance_mm:
            break
        path.append(_Way(n, distance, float(home[1] - at[1])))
    return path


def _came_from(path: Sequence[_Way]) -> float:
    """Return from which side a card came: from -1 (p1's) to 1 (p2's); 0 if it was not followed far enough."""
    if not path or path[-1].distance_mm < CLEAR_WAY_MM:
        return 0.0
    return path[-1].towards_p2_mm / path[-1].distance_mm


def _found(wide: Gray, part: Gray) -> tuple[float, NDArray[np.float64]]:
    """Return how well a part of the card fits at its best place, and that place: looked for at half the scale first."""
    half, small = (cv2.resize(one, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for one in (wide, part))
    _, _, _, rough = cv2.minMaxLoc(cv2.matchTemplate(half, small, cv2.TM_CCOEFF_NORMED))
    height, width = part.shape
    left, top = (max(0, 2 * place - AROUND_PX) for place in rough)
    near = wide[top : top + height + 2 * AROUND_PX + 1, left : left + width + 2 * AROUND_PX + 1]
    scores = np.asarray(cv2.matchTemplate(near, part, cv2.TM_CCOEFF_NORMED), np.float32)
    _, best, _, (x, y) = cv2.minMaxLoc(scores)
    return best, np.array([left, top]) + _peak(scores, x, y)


def _peak(scores: NDArray[np.float32], x: int, y: int) -> NDArray[np.float64]:
    """Return the place of the best score to a fraction of a pixel."""

    def between(low: float, mid: float, high: float) -> float:
        bend = low - 2 * mid + high
        return 0.0 if bend >= -1e-6 else float(np.clip(0.5 * (low - high) / bend, -0.5, 0.5))

    dx = between(*scores[y, x - 1 : x + 2]) if 0 < x < scores.shape[1] - 1 else 0.0
    dy = between(*scores[y - 1 : y + 2, x]) if 0 < y < scores.shape[0] - 1 else 0.0
    return np.array([x + dx, y + dy])


def _touched(times: list[int], path: list[_Way], rest: _Rest) -> tuple[int, bool]:
    """Return the touch, and whether the card was thrown, from its path to rest."""
    early, late = times[rest.frame - 1], times[rest.frame]
    moving = [(way.frame, way.distance_mm) for way in path if STILL_MM < way.distance_mm < FAR_MM]
    t_ms = np.array([(times[n] - late) / 1e6 for n, _ in moving])
    distances = np.array([d for _, d in moving])
    by_hand = laid(t_ms, distances)
    flown = thrown(t_ms, distances) if rest.free else None
    if flown is not None and (by_hand is None or flown.misfit_mm < CLEARLY * by_hand.misfit_mm):
        return late + round(flown.at_ms * 1e6), True
    if by_hand is None:
        return (early + late) // 2, False
    return late + round(float(np.clip(by_hand.at_ms * 1e6, early - late, LAST_BIT_NS))), False
