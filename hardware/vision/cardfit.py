"""Where does a card of known size lie? Every edge votes for the rectangles whose side it could be.

Works white on white: a card edge is a faint line of shadow all along, and four such lines at the right distances are
no accident. Print inside the card cannot vote for all four sides at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.vision.rectify import Patch, Pose

Gray = NDArray[np.uint8]
Tiles = NDArray[np.uint8]
"""Pictures of one size, one above the other: (count, height, width)."""
Field = NDArray[np.float32]
Turn = NDArray[np.float64]
Free = Literal["whole", "upper", "lower"]
"""Which part of a card no hand covers; upper is towards p2."""

MARGIN_MM: Final = 1.2
"""From here inwards a card's rim carries no print, so that no edge may run there."""
PER_ANGLE: Final = 2
SPARE_ANGLES: Final = 3
"""At so many angles more than rectangles are wanted the best places are looked for."""
LEAST_STEP: Final = 3
"""Smallest change of brightness that counts as an edge, in gray levels."""
FULL_STEP: Final = 9
"""So much more is as good an edge as any."""
FREE_SHARE: Final = 0.62
"""So much of a card stays free while its player's fingers are still on its near end."""
RIM_PX: Final = 4
"""Pixels round the outermost card in a tile, so that filters see the tile alone."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A rectangle of the card's size; `score` 1 if all four sides show and nothing crosses the margin inside them."""

    pose: Pose
    score: float


def fit_cards(
    gray: Gray,
    patch: Patch,
    card_mm: tuple[float, float],
    angles_deg: NDArray[np.float64],
    around_mm: tuple[float, float],
    reach_mm: float,
    count: int = 4,
    free: Free = "whole",
) -> list[Fit]:
    """Return up to `count` rectangles of the card's size in a patch, best first, clearly apart from each other.

    `gray`: uint8, the patch's picture; `angles_deg`: the angles to try; the centre lies within `reach_mm` of
    `around_mm` along x and along y; `free`: which part of the card no hand covers, whose sides must show.
    """
    return fit_free_cards(gray, patch, card_mm, angles_deg, around_mm, reach_mm, {free: count})[free]


def fit_free_cards(
    gray: Gray,
    patch: Patch,
    card_mm: tuple[float, float],
    angles_deg: NDArray[np.float64],
    around_mm: tuple[float, float],
    reach_mm: float,
    counts: Mapping[Free, int],
) -> dict[Free, list[Fit]]:
    """Return the same as `fit_cards` for several parts that may be free, at little more than the cost of one.

    `counts`: how many rectangles are wanted for each part.
    """
    scale = patch.px_per_mm
    w, h = (round(length * scale) for length in card_mm)
    reach = round(reach_mm * scale) + 1
    size = w + 2 * (reach + RIM_PX), h + 2 * (reach + RIM_PX)
    centre = patch.to_patch(np.array([around_mm]))[0]
    turns = [_turn(centre, float(angle), size) for angle in angles_deg]
    tiles = np.empty((len(turns), size[1], size[0]), np.uint8)
    for tile, turn in zip(tiles, turns, strict=True):
        cv2.warpAffine(gray, turn, size, tile, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    edges = _Edges(*(_Boxes(field, tiles, w, h) for field in _edges(tiles)))

    def fit(worth: float, x: int, y: int, n: int) -> Fit:
        off = x - (size[0] - w) / 2 + RIM_PX, y - (size[1] - h) / 2 + RIM_PX
        [(x_mm, y_mm)] = patch.to_mm((centre + off @ turns[n][:, :2])[None]).tolist()
        return Fit(Pose(x_mm, y_mm, float(angles_deg[n])), worth)

    fits: dict[Free, list[Fit]] = {}
    for free, count in counts.items():
        scores = _scores(edges, w, h, round(MARGIN_MM * scale), free)
        best = np.argsort(scores.max(axis=(1, 2)))[: -1 - count - SPARE_ANGLES : -1]
        found = [
            (worth, x, y, n)
            for n in best.tolist()
            for (x, y), worth in _best_places(scores[n], min(count, PER_ANGLE), round(4 * scale))
        ]
        fits[free] = _apart((fit(*place) for place in sorted(found, key=lambda place: -place[0])), count)
    return fits


def _turn(centre: NDArray[np.float64], angle_deg: float, size: tuple[int, int]) -> Turn:
    """Return the way into a tile round `centre` in which the sides of a card at this angle run along the axes."""
    c, s = cos(radians(angle_deg)), sin(radians(angle_deg))
    x, y = centre.tolist()
    return np.array([(c, -s, (size[0] - 1) / 2 - c * x + s * y), (s, c, (size[1] - 1) / 2 - s * x - c * y)])


def _best_places(score: Field, count: int, near: int) -> list[tuple[tuple[int, int], float]]:
    """Return (x, y) and score of the best places, at least `near` pixels apart."""
    smooth = cv2.GaussianBlur(score, (5, 5), 0)  # the best places form a plateau: take its middle
    places = []
    for _ in range(count):
        y, x = divmod(int(smooth.argmax()), smooth.shape[1])
        places.append(((x, y), float(smooth[y, x])))
        smooth[max(0, y - near) : y + near + 1, max(0, x - near) : x + near + 1] = -1.0
    return places


def _apart(best_first: Iterable[Fit], count: int) -> list[Fit]:
    """Return the best, without those that lie nearly like a better one."""
    kept: list[Fit] = []
    for fit in best_first:
        if all(fit.pose.apart_mm(k.pose) > 5.0 for k in kept):
            kept.append(fit)
        if len(kept) == count:
            break
    return kept


class _Boxes:
    """The means of boxes in tiles, for a rectangle of w x h pixels at each place of each tile."""

    def __init__(self, field: Gray, tiles: Tiles, w: int, h: int) -> None:
        """`field`: the tiles as one picture."""
        count, height, width = tiles.shape
        sums = np.asarray(cv2.integral(field, sdepth=cv2.CV_32F), np.float32)  # exact: they stay below 2 ** 24
        self._table = sums[:-1].reshape(count, height, width + 1)
        self._rows, self._columns = height - h - 2 * RIM_PX + 1, width - w - 2 * RIM_PX + 1

    def level(self, x: int, wide: int, tall: int, ys: Sequence[int]) -> list[Field]:
        """Return the means of boxes that have their top left pixels at (x, y) of the rectangle, for each of `ys`.

        Each: (tiles, rows, columns).
        """
        x += RIM_PX
        ends = self._table[:, :, x + wide : x + wide + self._columns]
        strips = (ends - self._table[:, :, x : x + self._columns]) * np.float32(1 / (tall * wide))
        starts = [RIM_PX + y for y in ys]
        return [strips[:, y + tall : y + tall + self._rows] - strips[:, y : y + self._rows] for y in starts]

    def upright(self, y: int, tall: int, wide: int, xs: Sequence[int]) -> list[Field]:
        """Return the same for boxes at (x, y), for each of `xs`."""
        y += RIM_PX
        strips = self._table[:, y + tall : y + tall + self._rows] - self._table[:, y : y + self._rows]
        strips *= np.float32(1 / (tall * wide))
        starts = [RIM_PX + x for x in xs]
        return [strips[..., x + wide : x + wide + self._columns] - strips[..., x : x + self._columns] for x in starts]


class _Edges(NamedTuple):
    """How much of an upright, a level and any edge is in the tiles."""

    across: _Boxes
    down: _Boxes
    clutter: _Boxes


def _scores(edges: _Edges, w: int, h: int, margin: int, free: Free) -> Field:
    """Return the score of the rectangle of w x h pixels at each place of each tile: (tiles, rows, columns).

    Place (0, 0) is the rectangle whose top left pixel is RIM_PX from the tile's edges.
    """
    if free != "whole":
        return _half_scores(edges, w, h, margin, free)
    across, down, clutter = edges
    long, short = round(0.84 * h), round(0.78 * w)
    dy, dx = (h - long) // 2, (w - short) // 2
    upper, lower = down.level(dx, short, 1, (0, h - 1))
    right, left = across.upright(dy, long, 1, (w - 1, 0))
    crossing = clutter.level(dx, short, 2, (margin, h - margin - 2))
    crossing += clutter.upright(dy, long, 2, (w - margin - 2, margin))
    weakest = np.minimum(np.minimum(upper, right), np.minimum(lower, left))
    return _worth(weakest, 0.125, (upper, right, lower, left), 0.15, crossing)


def _worth(weakest: Field, side: float, sides: Sequence[Field], cross: float, crossing: Sequence[Field]) -> Field:
    """Return the score: sides that show count, the weakest most, what crosses the margin inside them counts against."""
    weakest *= np.float32(0.5 / FULL_STEP)
    weakest += _sum(sides) * np.float32(side / FULL_STEP)
    weakest -= _sum(crossing) * np.float32(cross / FULL_STEP)
    return weakest


def _sum(fields: Sequence[Field]) -> Field:
    total = fields[0] + fields[1]
    for field in fields[2:]:
        total += field
    return total


def _half_scores(edges: _Edges, w: int, h: int, margin: int, free: Free) -> Field:
    """Return the same as `_scores` for cards of which only the upper or the lower part is free: three sides vote."""
    across, down, clutter = edges
    part = round(FREE_SHARE * h)
    long, short = round(0.84 * part), round(0.78 * w)
    dx, dy = (w - short) // 2, (part - long) // 2 + (0 if free == "upper" else h - part)
    end, inner = (0, margin) if free == "upper" else (h - 1, h - margin - 2)
    [level] = down.level(dx, short, 1, (end,))
    right, left = across.upright(dy, long, 1, (w - 1, 0))
    crossing = clutter.level(dx, short, 2, (inner,)) + clutter.upright(dy, long, 2, (margin, w - margin - 2))
    weakest = np.minimum(np.minimum(level, right), left)
    return _worth(weakest, 1 / 6, (level, right, left), 0.2, crossing)


def _edges(tiles: Tiles) -> tuple[Gray, Gray, Gray]:
    """Return how much of an upright, a level and any edge is at each pixel, 0 to FULL_STEP, one pixel of slack across.

    The tiles are looked at as one picture: shape (count * height, width).
    """
    gray = tiles.reshape(-1, tiles.shape[2])
    across, down = (cv2.convertScaleAbs(steps, alpha=0.25) for steps in cv2.spatialGradient(gray))
    wide = np.asarray(cv2.addWeighted(across, 1.0, down, -0.5, 0.0), np.uint8)
    high = np.asarray(cv2.addWeighted(down, 1.0, across, -0.5, 0.0), np.uint8)
    upright, level = _graded(wide), _graded(high)
    upright, level = _slack(upright, 1), _slack(level, upright.shape[1])
    return upright, level, np.maximum(upright, level)


def _slack(edges: Gray, step: int) -> Gray:
    """Return the largest of each pixel and the ones `step` before and after it; what that does to rims is not used."""
    flat, most = edges.ravel(), np.empty(edges.size, np.uint8)
    most[:step], most[-step:] = flat[:step], flat[-step:]
    inner = most[step:-step]
    np.maximum(flat[: -2 * step], flat[2 * step :], out=inner)
    np.maximum(inner, flat[step:-step], out=inner)
    return most.reshape(edges.shape)


def _graded(edges: Gray) -> Gray:
    return np.asarray(np.clip(edges, LEAST_STEP, LEAST_STEP + FULL_STEP) - np.uint8(LEAST_STEP), np.uint8)
