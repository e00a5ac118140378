"""When did a card touch? Go back through the frames before it lay still and follow it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

import cv2
import numpy as np

from hardware.frames import Image
from hardware.vision.closeup import PRINTED, SAME, Blocks, CloseUp, Flags, Gray, apart, blocks_of, correlation
from hardware.vision.followed import Step, along, away_from, came_from, came_mm, followed, pushed_from, stopped
from hardware.vision.rectify import Plane, Pose
from hardware.vision.ring import KEEP_NS
from hardware.vision.trajectory import dated

LEAST_BLOCKS: Final = 3
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
OTHER: Final = 0.6
"""Correlation under which two blocks of print are of different cards."""
OLD_SHARE: Final = 0.15
"""If so much of what lay there before shows, the card had not come yet."""
CLEARLY: Final = 0.15
"""Of the way, so much is up or down where a card came from one player's side."""
FINGERS_STAY_NS: Final = 40_000_000
"""So long the fingers stay at least on a card that they laid."""
CELL_MM: Final = 4
OFF_CELLS: Final = 2
"""A card is compared with itself, turned round, in cells of this size, shifted by at most so many."""
DARKER: Final = 0.2
"""Fingers are darker than a card by at least this share of its paper's brightness."""
COVERED: Final = 0.14
"""A half of which so much is darker has fingers on it."""
BARE: Final = 0.8
"""An end of a card of which so much print shows has no fingers on it."""
HELD_ODDS: Final = 0.03
"""Odds that a card was thrown, with fingers on the end from where it came."""
BARE_ODDS: Final = 0.97
"""Odds that it was thrown, with no fingers there."""
UNKNOWN_ODDS: Final = 0.1
"""Odds that it was thrown, where nothing is known of fingers."""
LYING_MM: Final = 0.5
"""A card that is followed so near to its place lies there."""
LONG_NS: Final = 80_000_000
"""Fingers have left a card that was not seen for so long."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The first touch, its bounds, whether the card came without a hand on it, and which end of it the hand covered."""

    at_ns: int
    earliest_ns: int
    latest_ns: int
    thrown: bool
    far_end: float = 0.0
    """1: only p2's end of the card was covered when it touched; -1: only p1's; 0: none, both, or not known."""
    came_mm: tuple[float, float] = (0.0, 0.0)
    """Where it was when it was first followed, from where it came to rest: x and y of the table; 0, 0: not known."""


def touch_of(
    frames: Sequence[tuple[int, Image]],
    patch: Plane,
    pose: Pose,
    card_mm: tuple[float, float],
    before: Image | None,
    least_blocks: int = LEAST_BLOCKS,
) -> Touch | None:
    """Return when the card that lies at `pose` in the last of these frames touched; None if they do not show it.

    `frames`: moments and pictures of `patch`, oldest first, the last one settled; `before`: the settled picture of the
    patch before the card came, whose print says nothing about the new card; `least_blocks` of new print must show.
    """
    if len(frames) < 2:
        return None
    place = CloseUp(frames, patch, pose, card_mm)
    old = None if before is None else blocks_of(place.of(before))
    telling = _telling(place.blocks(place.last), old)
    if telling.sum() < least_blocks:
        return None
    rest = _first_at_rest(place, telling, old)
    if rest.frame == 0:
        return Touch(place.times[0], place.times[0] - KEEP_NS, place.times[0], False)
    path = followed(place, rest.frame, rest.same, rest.hidden)
    stop = stopped(place.times, path)
    lay = None if stop is None else pushed_from(pose, path[stop])
    if stop is not None and lay is not None:
        least = max(LEAST_BLOCKS, int(telling.sum()) // 2)  # less is what lay there before, with a hand coming over it
        found = touch_of(frames[: path[stop].frame + 1], patch, lay, card_mm, before, least)
        if found is not None:
            return found
    path = path if stop is None else away_from(path[stop], path)
    return replace(_dated(place, old, rest, path), came_mm=came_mm(path, pose))


def _telling(final: Blocks, old: Blocks | None) -> Flags:
    """Return which blocks of a lying card show print that was not there before."""
    telling = np.asarray(final.std(axis=1) > PRINTED)
    if old is None:
        return telling
    telling &= correlation(old, final) < OTHER
    if telling.sum() < LEAST_BLOCKS:  # exactly in place on a card that looks much like it
        telling |= apart(old, final) > CHANGED * STEP
    return telling


@dataclass(frozen=True, slots=True)
class _Rest:
    """The first frame in which the card is at rest, which of its telling blocks show there, and what is hidden.

    `upper`, `lower`: the share of the print of each end that shows there or right after; 0 if fingers lie on it to
    the last.
    """

    frame: int
    same: Flags
    telling: Flags
    hidden: Flags
    upper: float
    lower: float

    def covered_end(self, grid: tuple[int, int]) -> float:
        """Return which end the hand covered: from -1 (the lower, p1's) to 1 (the upper, p2's)."""
        upper, lower = _ends(self.same, self.telling, grid)
        return lower - upper


def _first_at_rest(place: CloseUp, telling: Flags, old: Blocks | None) -> _Rest:
    """Go back from the last frame until what lay there before shows; a hand may hide the card for a while.

    `old`: the place as it looked before the card came.
    """
    final, times = place.blocks(place.last), place.times
    least = max(LEAST_BLOCKS, round(0.12 * telling.sum()))
    first, shown = place.last, {place.last: telling}
    told = final[telling]
    printed = told.std(axis=1) > PRINTED
    was = np.full_like(told, np.inf) if old is None else old[telling]
    replaced = np.zeros_like(telling) if old is None else apart(old, final) > 2 * STEP
    for n in range(place.last - 1, -1, -1):
        now = place.blocks(n)
        same = np.zeros_like(telling)
        here = now[telling]
        same[telling] = np.where(printed, correlation(here, told) > SAME, apart(here, told) < STEP)
        same[telling] &= apart(here, told) < apart(here, was)
        enough = LASTING * shown[first].sum() if n == first - 1 else AFTER_GAP * telling.sum()
        if same.sum() >= max(least, enough):
            first, shown[n] = n, same
        elif times[first] - times[n] > HIDDEN_NS or (old is not None and _shows_old(now, old, replaced)):
            break
    soon = [
        _ends(~_hidden(place.blocks(n), final, same, telling), np.ones_like(telling), place.grid)
        for n, same in shown.items()
        if times[n] - times[first] <= FINGERS_STAY_NS
    ]
    bare = [share < COVERED for share in _fingers(place.darkest(place.last))]
    upper, lower = np.max(soon, axis=0) * bare
    same = shown[first] | shown.get(first + 1, shown[first])
    hidden = _hidden(place.blocks(first), final, same, telling)
    return _Rest(first, same, telling, hidden, float(upper), float(lower))


def _hidden(now: Blocks, final: Blocks, same: Flags, telling: Flags) -> Flags:
    """Return which blocks do not show what they do in the end."""
    return np.where(telling, ~same, apart(now, final) > 2 * STEP)


def _shows_old(now: Blocks, old: Blocks, replaced: Flags) -> bool:
    """Whether a part of the card's place that looks otherwise with the card looks as it did before the card came."""
    is_old = apart(now[replaced], old[replaced]) < STEP
    return bool(is_old.sum() >= max(LEAST_BLOCKS, OLD_SHARE * replaced.sum()))


def _ends(same: Flags, telling: Flags, grid: tuple[int, int]) -> tuple[float, float]:
    """Return the share of the print of the upper and of the lower half that shows; of both where one has none."""
    shows, printed = (flags.reshape(grid).sum(axis=1) for flags in (same, telling))
    upper, lower = slice(0, grid[0] // 2), slice(grid[0] - grid[0] // 2, None)
    shares = [
        shows[end].sum() / printed[end].sum() if printed[end].sum() >= LEAST_BLOCKS else shows.sum() / printed.sum()
        for end in (upper, lower)
    ]
    return float(shares[0]), float(shares[1])


def _fingers(card: Gray) -> tuple[float, float]:
    """Return which share of the upper and of the lower half is darker than the same of the other half: fingers are.

    A card looks the same when it is turned round; it may lie a little off.
    """
    height, width = (side // CELL_MM for side in card.shape)
    cells = cv2.resize(card, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    round_it = np.pad(cells[::-1, ::-1], OFF_CELLS, mode="edge")
    shifts = range(2 * OFF_CELLS + 1)
    apart_by = [cells - round_it[y : y + height, x : x + width] for y in shifts for x in shifts]
    step = DARKER * float(np.percentile(cells, 75))
    least = min(apart_by, key=lambda off: np.count_nonzero(np.abs(off) > step))
    upper, lower = least[: height // 2] < -step, least[height - height // 2 :] < -step
    return float(upper.mean()), float(lower.mean())


def _dated(place: CloseUp, old: Blocks | None, rest: _Rest, path: Sequence[Step]) -> Touch:
    """Return the touch of a card that took this way to its rest."""
    first = _lay_first(place, rest.frame, path)
    is_hidden, rest = first < rest.frame, replace(rest, frame=first)
    from_p2, rest_ns = came_from(path), place.times[rest.frame]
    moving_ns, away_ns = place.times[rest.frame - 1], place.times[_last_away(place, old, rest, path)]
    t_ms = np.array([(place.times[way.frame] - rest_ns) / 1e6 for way in path] or [0.0])
    odds = UNKNOWN_ODDS if is_hidden or rest_ns - away_ns > LONG_NS else _thrown_odds(rest, from_p2)
    found = dated(t_ms, along(path), (moving_ns - rest_ns) / 1e6, (away_ns - rest_ns) / 1e6, odds)
    at, early, late = (rest_ns + round(moment * 1e6) for moment in found[:3])
    end = 0.0 if found.thrown > 0.5 else rest.covered_end(place.grid)
    return Touch(at, early, late, found.thrown > 0.5, end)


def _lay_first(place: CloseUp, frame: int, path: Sequence[Step]) -> int:
    """Return the first frame in which a card lay where it rests: its way may show that a hand hid it there for long."""
    lying = takewhile(lambda way: abs(way[1]) < LYING_MM, zip(path, along(path), strict=False))
    first = max(1, min((step.frame for step, _ in lying), default=frame))
    return first if place.times[frame] - place.times[first] > FINGERS_STAY_NS else frame


def _last_away(place: CloseUp, old: Blocks | None, rest: _Rest, path: Sequence[Step]) -> int:
    """Return the last frame in which the card was not in its place, and no hand hid that."""
    if len(path) > 1 or old is None:
        return rest.frame - 1
    other = (correlation(old, place.blocks(place.last)) < OTHER) & (old.std(axis=1) > PRINTED)
    for n in range(rest.frame - 1, 0, -1):
        is_old = correlation(place.blocks(n)[other], old[other]) > SAME
        if is_old.sum() >= max(LEAST_BLOCKS, OLD_SHARE * other.sum()):
            return n
    return 0


def _thrown_odds(rest: _Rest, from_p2: float) -> float:
    """Return the odds that a card was thrown, by the fingers on the end from where it came, before its way is seen."""
    if abs(from_p2) < CLEARLY:
        return BARE_ODDS if min(rest.upper, rest.lower) > BARE else HELD_ODDS
    return BARE_ODDS if (rest.upper if from_p2 > 0 else rest.lower) > BARE else HELD_ODDS
