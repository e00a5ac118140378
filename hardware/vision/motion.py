"""What moves and what is covered, on a coarse picture of the whole view: cheap enough for every frame.

A cell is four by four pixels of the green channel. Nothing here knows skin from cloth: a hand is whatever differs
from the table as it last lay still and hangs together with the edge of the picture.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Frame
from hardware.tablefile import Points, Table
from referee.table import Player

Mask = NDArray[np.uint8]
Sample = NDArray[np.float32]
"""The brightness of some cells all over the picture, at least DARKEST."""

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
DARKEST: Final = 16
LEAST_HAND_CELLS: Final = 30
LEAST_EDGE_CELLS: Final = 3
"""What reaches in from outside takes up so many cells of the picture's edge."""
JOINING: Final = np.ones((5, 5), np.uint8)
SET: Final = 255
"""Of a mask, cells that are set have this value and the others 0."""
MOST_PARTS: Final = 200
"""Fewer things are followed in from the picture's edge."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the table in cells: a mask and the box round it."""

    rows: slice
    columns: slice
    mask: Mask
    size: int

    def share(self, cells: Mask) -> float:
        """Return the share of the zone's cells that are set, all to SET."""
        return cv2.norm(cells[self.rows, self.columns], cv2.NORM_L1, self.mask) / (SET * self.size)


class Hand:
    """Something that reaches into the picture: whose side it comes from, and its cells, uint8, 255 or 0."""

    def __init__(self, player: Player, cells: Mask, box: Sequence[int]) -> None:
        """`box`: left, top, width, and height of what the cells cover."""
        self.player: Player = player
        self.cells = cells
        self._left, self._top = box[0], box[1]
        self._right, self._bottom = box[0] + box[2], box[1] + box[3]

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
        self._earlier: deque[tuple[int, Mask, Sample]] = deque()
        self._still: Mask = np.zeros(self._shape, np.uint8)
        self._still_sample = _sample(self._still)
        self.light = 1.0
        """How many times as bright as the table as it last lay still."""
        self._apart: Mask = np.zeros(self._shape, np.uint8)
        self._scaled: Mask = np.zeros(self._shape, np.uint8)
        self.moving: Mask = np.zeros(self._shape, np.uint8)
        """Cells that changed since one step ago: 255 or 0."""
        self.changed: Mask = np.zeros(self._shape, np.uint8)
        """Cells that differ from the table as it last lay still: 255 or 0."""
        self.changed_cells = 0
        self.moving_cells = 0
        self.moved = False
        self.noise = 2.0
        self._frames = 0
        p1_side = _edge(self._cells_below_middle())
        self._edges: dict[Player, NDArray[np.bool_]] = {"p1": p1_side, "p2": ~p1_side}
        ys, xs = np.mgrid[0 : self._shape[0], 0 : self._shape[1]]
        self._edge_places = list(zip(_edge(xs).tolist(), _edge(ys).tolist(), strict=True))

    def zone(self, polygon_mm: Points) -> Zone:
        """Return the cells of a part of the table."""
        cells = np.round(self._table.to_px(polygon_mm) / STRIDE - 0.5).astype(np.int32)
        limit = self._shape[1] - 1, self._shape[0] - 1
        left, top = np.clip(cells.min(axis=0), 0, limit).tolist()
        right, bottom = np.clip(cells.max(axis=0), 0, limit).tolist()
        mask = np.zeros((bottom + 1 - top, right + 1 - left), np.uint8)
        cv2.fillPoly(mask, [cells - (left, top)], 255)
        return Zone(slice(top, bottom + 1), slice(left, right + 1), mask, max(1, cv2.countNonZero(mask)))

    def see(self, frame: Frame) -> bool:
        """Take a frame in; return whether anything moved."""
        last = self._one_step_ago(frame.at_ns)
        rows, columns = self._shape
        np.copyto(self._raw, frame.image[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE, 1][:rows, :columns])
        cv2.blur(self._raw, (3, 3), self._now)
        sample = _sample(self._now)
        self._earlier.append((frame.at_ns, self._now, sample))
        if last is None:
            self._still[:] = self._now
            self._still_sample = sample
            return False
        earlier, then = last
        cv2.absdiff(self._now, self._as_bright(earlier, _middle(sample / then)), self._apart)
        self._measure_noise()
        cv2.threshold(self._apart, self._step, 255, cv2.THRESH_BINARY, self.moving)
        self.light = _middle(sample / self._still_sample)
        cv2.absdiff(self._now, self._as_bright(self._still, self.light), self._apart)
        cv2.threshold(self._apart, self._step, 255, cv2.THRESH_BINARY, self.changed)
        self.changed_cells = cv2.countNonZero(self.changed)
        self.moving_cells = cv2.countNonZero(self.moving)
        self.moved = self.moving_cells > FEW_CELLS
        return self.moved

    def _one_step_ago(self, at_ns: int) -> tuple[Mask, Sample] | None:
        """Return the latest picture that is at least STEP_NS old, so that motion means the same at every frame rate."""
        spare: Mask | None = None
        while len(self._earlier) > 1 and at_ns - self._earlier[1][0] >= STEP_NS:
            spare = self._earlier.popleft()[1]
        self._now = np.zeros(self._shape, np.uint8) if spare is None else spare
        return self._earlier[0][1:] if self._earlier else None

    def _as_bright(self, cells: Mask, gain: float) -> Mask:
        """Return a picture so many times as bright: exposure and lamps that drift are no motion."""
        if abs(gain - 1.0) < LEAST_GAIN:
            return cells
        cv2.convertScaleAbs(cells, self._scaled, gain)
        return self._scaled

    @property
    def _step(self) -> float:
        return max(LEAST_STEP, NOISE_STEPS * self.noise)

    def _measure_noise(self) -> None:
        """Follow the camera's noise slowly: the mean change of a sample of cells, most of which show a still table."""
        self._frames += 1
        if self._frames % NOISE_EVERY == 1:
            self.noise += 0.2 * (_middle(self._apart[::5, ::5].ravel()) / 0.95 - self.noise)

    def accept(self, zone: Zone) -> None:
        """Let this zone as it now lies be the still table, which is kept in one light all over."""
        box = (zone.rows, zone.columns)
        lies = self._as_bright(self._now, 1.0 / self.light)
        np.copyto(self._still[box], lies[box], where=zone.mask > 0)
        self.changed[box][zone.mask > 0] = 0
        self._still_sample = _sample(self._still)

    def accept_all(self) -> None:
        """Let the whole view as it now is be the still table."""
        self._still[:] = self._now
        self._still_sample = _sample(self._still)
        self.light = 1.0
        self.changed[:] = 0
        self.changed_cells = 0

    def take_over(self, other: "Motion", moved: NDArray[np.float64]) -> None:
        """Let the still table of another watch be this one's, after the picture moved: `moved`, 3 x 3 in pixels."""
        to_px = np.array([(STRIDE, 0.0, STRIDE // 2), (0.0, STRIDE, STRIDE // 2), (0.0, 0.0, 1.0)])
        in_cells = (np.linalg.inv(to_px) @ moved @ to_px)[:2]
        size = self._shape[::-1]
        cv2.warpAffine(other._still, in_cells, size, self._still, cv2.INTER_LINEAR, cv2.BORDER_REPLICATE)
        self._still_sample = _sample(self._still)
        self.light = other.light
        self.noise = other.noise

    def hands(self) -> list[Hand]:
        """Return what reaches into the picture from its edges, biggest first."""
        joined = np.asarray(cv2.morphologyEx(self.changed, cv2.MORPH_CLOSE, JOINING), np.uint8)
        found: list[tuple[int, Hand]] = []
        edge = _edge(joined)
        for label in range(1, MOST_PARTS):
            seed = int(edge.argmax())
            if edge[seed] < SET:
                break
            size, _, _, box = cv2.floodFill(joined, None, self._edge_places[seed], label, flags=8)
            edge = _edge(joined)
            if size < LEAST_HAND_CELLS:
                continue
            cells = np.asarray(cv2.inRange(joined, label, label), np.uint8)
            on_edge = edge == label
            found += [
                (size, Hand(player, cells, box))
                for player, side in self._edges.items()
                if np.count_nonzero(on_edge & side) >= LEAST_EDGE_CELLS
            ]
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


def _sample(cells: Mask) -> Sample:
    return np.maximum(cells[SAMPLED, SAMPLED], DARKEST).astype(np.float32).ravel()


def _middle(values: NDArray[Any]) -> float:
    """Return the median without what numpy's own does besides; the values are put into another order."""
    middle = values.size // 2
    values.partition(middle)
    return float(values[middle])
