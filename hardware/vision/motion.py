"""What moves and what is covered, on a coarse picture of the whole view: cheap enough for every frame.

A cell is four by four pixels of the green channel. Nothing here knows skin from cloth: a hand is whatever differs
from the table as it last lay still and hangs together with the edge of the picture.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Frame
from hardware.tablefile import Points, Table
from referee.table import Player

Mask = NDArray[np.uint8]

STRIDE: Final = 4
LEAST_STEP: Final = 9.0
"""A cell that changes by less, in gray levels, did not move."""
STEP_NS: Final = 22_000_000
"""Motion is the change against a picture at least so old."""
FEW_CELLS: Final = 8
NOISE_STEPS: Final = 7.0
"""So many times the camera's noise is a change."""
NOISE_EVERY: Final = 8
LEAST_GAIN: Final = 0.02
"""A smaller change of the whole picture's brightness is left as it is."""
SAMPLED: Final = slice(None, None, 12)
"""The rows and columns of cells by which the whole picture's brightness is compared."""
LEAST_HAND_CELLS: Final = 30
LEAST_EDGE_CELLS: Final = 3
"""What reaches in from outside takes up so many cells of the picture's edge."""
JOINING: Final = np.ones((5, 5), np.uint8)


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the table in cells: a mask and the box round it."""

    rows: slice
    columns: slice
    mask: Mask
    size: int

    def share(self, cells: Mask) -> float:
        """Return the share of the zone's cells that are set."""
        inside = cv2.bitwise_and(cells[self.rows, self.columns], self.mask)
        return cv2.countNonZero(inside) / self.size


class Hand:
    """Something that reaches into the picture: whose side it comes from, and its cells, uint8, 255 or 0."""

    def __init__(self, player: Player, cells: Mask) -> None:
        self.player: Player = player
        self.cells = cells
        left, top, width, height = cv2.boundingRect(cells)
        self._right, self._bottom, self._left, self._top = left + width, top + height, left, top

    def share_of(self, zone: Zone) -> float:
        """Return the share of the zone's cells that the hand covers."""
        rows, columns = zone.rows, zone.columns
        if columns.start >= self._right or columns.stop <= self._left:
            return 0.0
        if rows.start >= self._bottom or rows.stop <= self._top:
            return 0.0
        return zone.share(self.cells)


class Motion:
    """Call `see` with each frame, then ask."""

    def __init__(self, table: Table) -> None:
        width, height = table.image_size_px
        self._shape = (height // STRIDE, width // STRIDE)
        self._table = table
        self._now: Mask = np.zeros(self._shape, np.uint8)
        self._raw: Mask = np.zeros(self._shape, np.uint8)
        self._earlier: deque[tuple[int, Mask]] = deque()
        self._still: Mask = np.zeros(self._shape, np.uint8)
        self._apart: Mask = np.zeros(self._shape, np.uint8)
        self._scaled: Mask = np.zeros(self._shape, np.uint8)
        self.moving: Mask = np.zeros(self._shape, np.uint8)
        """Cells that changed since one step ago: 255 or 0."""
        self.changed: Mask = np.zeros(self._shape, np.uint8)
        """Cells that differ from the table as it last lay still: 255 or 0."""
        self.changed_cells = 0
        self.moved = False
        self.noise = 2.0
        self._frames = 0
        p1_side = _edge(self._cells_below_middle())
        self._edges: dict[Player, NDArray[np.bool_]] = {"p1": p1_side, "p2": ~p1_side}

    def zone(self, polygon_mm: Points) -> Zone:
        """Return the cells of a part of the table."""
        cells = np.round(self._table.to_px(polygon_mm) / STRIDE - 0.5).astype(np.int32)
        whole = np.zeros(self._shape, np.uint8)
        cv2.fillPoly(whole, [cells], 255)
        ys, xs = np.nonzero(whole)
        if len(ys) == 0:
            return Zone(slice(0, 1), slice(0, 1), np.zeros((1, 1), np.uint8), 1)
        rows, columns = slice(ys.min(), ys.max() + 1), slice(xs.min(), xs.max() + 1)
        return Zone(rows, columns, np.ascontiguousarray(whole[rows, columns]), len(ys))

    def see(self, frame: Frame) -> bool:
        """Take a frame in; return whether anything moved."""
        last = self._one_step_ago(frame.at_ns)
        rows, columns = self._shape
        np.copyto(self._raw, frame.image[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE, 1][:rows, :columns])
        cv2.blur(self._raw, (3, 3), self._now)
        self._earlier.append((frame.at_ns, self._now))
        if last is None:
            self._still[:] = self._now
            return False
        cv2.absdiff(self._now, _as_bright(last, self._now, self._scaled), self._apart)
        self._measure_noise()
        cv2.threshold(self._apart, self._step, 255, cv2.THRESH_BINARY, self.moving)
        cv2.absdiff(self._now, _as_bright(self._still, self._now, self._scaled), self._apart)
        cv2.threshold(self._apart, self._step, 255, cv2.THRESH_BINARY, self.changed)
        self.changed_cells = cv2.countNonZero(self.changed)
        self.moved = cv2.countNonZero(self.moving) > FEW_CELLS
        return self.moved

    def _one_step_ago(self, at_ns: int) -> Mask | None:
        """Return the latest picture that is at least STEP_NS old, so that motion means the same at every frame rate."""
        spare: Mask | None = None
        while len(self._earlier) > 1 and at_ns - self._earlier[1][0] >= STEP_NS:
            spare = self._earlier.popleft()[1]
        self._now = np.zeros(self._shape, np.uint8) if spare is None else spare
        return self._earlier[0][1] if self._earlier else None

    @property
    def _step(self) -> float:
        return max(LEAST_STEP, NOISE_STEPS * self.noise)

    def _measure_noise(self) -> None:
        """Follow the camera's noise slowly: the mean change of a sample of cells, most of which show a still table."""
        self._frames += 1
        if self._frames % NOISE_EVERY == 1:
            typical = float(np.median(self._apart[::5, ::5])) / 0.95
            self.noise += 0.2 * (typical - self.noise)

    def accept(self, zone: Zone) -> None:
        """Let this zone as it now lies be the still table."""
        box = (zone.rows, zone.columns)
        np.copyto(self._still[box], self._now[box], where=zone.mask > 0)
        self.changed[box][zone.mask > 0] = 0

    def accept_all(self) -> None:
        """Let the whole view as it now is be the still table."""
        self._still[:] = self._now
        self.changed[:] = 0
        self.changed_cells = 0

    def take_over(self, other: "Motion", moved: NDArray[np.float64]) -> None:
        """Let the still table of another watch be this one's, after the picture moved: `moved`, 3 x 3 in pixels."""
        to_px = np.array([(STRIDE, 0.0, STRIDE // 2), (0.0, STRIDE, STRIDE // 2), (0.0, 0.0, 1.0)])
        in_cells = (np.linalg.inv(to_px) @ moved @ to_px)[:2]
        size = self._shape[::-1]
        cv2.warpAffine(other._still, in_cells, size, self._still, cv2.INTER_LINEAR, cv2.BORDER_REPLICATE)
        self.noise = other.noise

    def hands(self) -> list[Hand]:
        """Return what reaches into the picture from its edges, biggest first."""
        joined = cv2.morphologyEx(self.changed, cv2.MORPH_CLOSE, JOINING)
        count, labels = cv2.connectedComponents(joined, connectivity=8, ltype=cv2.CV_16U)
        edge = _edge(np.asarray(labels))
        found: list[tuple[int, Hand]] = []
        for player, side in self._edges.items():
            on_edge = np.bincount(edge[side], minlength=count)
            for label in np.flatnonzero(on_edge[1:] >= LEAST_EDGE_CELLS) + 1:
                cells = np.asarray(cv2.inRange(labels, int(label), int(label)), np.uint8)
                size = cv2.countNonZero(cells)
                if size >= LEAST_HAND_CELLS:
                    found.append((size, Hand(player, cells)))
        return [hand for _, hand in sorted(found, key=lambda one: -one[0])]

    def _cells_below_middle(self) -> NDArray[np.bool_]:
        ys, xs = np.mgrid[0 : self._shape[0], 0 : self._shape[1]]
        points = np.stack([xs.ravel(), ys.ravel()], axis=1) * float(STRIDE) + (STRIDE - 1) / 2
        middle = self._table.to_px(np.array([(0.0, 0.0), (0.0, 50.0)]))
        towards_p2 = middle[1] - middle[0]
        return np.asarray((points - middle[0]) @ towards_p2 < 0).reshape(self._shape)


def _edge(cells: NDArray[Any]) -> NDArray[Any]:
    """Return the outermost cells: the first and last row, then the first and last column."""
    return np.concatenate([cells[0], cells[-1], cells[:, 0], cells[:, -1]])


def _as_bright(earlier: Mask, now: Mask, into: Mask) -> Mask:
    """Return the earlier picture as bright as the present one: exposure and lamps that drift are no motion."""
    then = np.maximum(earlier[SAMPLED, SAMPLED], 16).astype(np.float32)
    ratios = (np.maximum(now[SAMPLED, SAMPLED], 16) / then).ravel()
    middle = ratios.size // 2
    ratios.partition(middle)  # the median, without what numpy's own does besides
    gain = float(ratios[middle])
    if abs(gain - 1.0) < LEAST_GAIN:
        return earlier
    cv2.convertScaleAbs(earlier, into, gain)
    return into
