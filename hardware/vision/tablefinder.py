"""Where is the table? By the mat's markers, else by the cards themselves, which all have the same known size.

Every marker and every card lying free must come out as a rectangle of its known size; markers should also lie where
the mat has them. Without a mat, which way is up and where the middle is follow from the layout: two rows of up to five
cards, and the piles between them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.tablefile import (
    MARKER_CENTRES_MM,
    MARKER_MM,
    PILE_X_MM,
    POKER_MM,
    ROW_PITCH_MM,
    ROW_Y_MM,
    Points,
    Table,
    default_piles,
    default_rows,
    picture_hash,
)
from hardware.vision.quads import card_quads
from referee.errors import PictureError

Matrix = NDArray[np.float64]

LEAST_CARDS: Final = 5
"""Free cards that a table without a mat must show: each says something about perspective, scale and direction."""
LEAST_MARKERS: Final = 3
CARD_LIKE_MM: Final = 3.0
PRINTED_MM: Final = 3.0
"""Markers that lie within this of their places are those of the printed mat; others were stuck down one by one, and
only their size is exact."""
MARKER_SLACK_MM: Final = 1.0
OUTLINE_SLACK_MM: Final = 1.0
"""How well an outline fits its card; a stack that leans is off by more and counts for less."""
SPIT_X_MM: Final = 130.0
"""Where face-down spit cards often lie, beside the piles. Only used to recognise the layout."""
_LENS_SLACK: Final = 0.05
_LAYOUT_MM: Final = np.array(
    [(n * ROW_PITCH_MM, y) for y in ROW_Y_MM.values() for n in (-2, -1, 0, 1, 2)]
    + [(x, 0.0) for x in (*PILE_X_MM.values(), -SPIT_X_MM, SPIT_X_MM)]
)
_CURE: Final = "make a table file with `spit-referee calibrate corners` and give it with --table"


def find_table(image: Image, card_mm: tuple[float, float] = POKER_MM) -> Table:
    """Return the table that the picture shows: from at least three markers of the mat, else from the cards.

    Raises:
        PictureError: neither is there.
    """
    markers = markers_in(image)
    quads = card_quads(image)
    pinhole = _Pinhole.of(image)
    if len(markers) >= LEAST_MARKERS:
        view = _by_markers(pinhole, markers, quads, card_mm)
        off_mm = _marker_residual_mm(view, pinhole, markers)
        residual = off_mm if off_mm < PRINTED_MM else None
    else:
        if len(quads) < LEAST_CARDS:
            raise PictureError(f"no mat and only {len(quads)} free cards to find the table by: {_CURE}")
        view, residual = _by_cards(pinhole, quads, card_mm), None
    return Table(
        image_size_px=(image.shape[1], image.shape[0]),
        homography_mm_to_px=pinhole.matrix @ np.linalg.inv(view.to_mm_matrix),
        camera_matrix=pinhole.matrix,
        lens_k1k2p1p2k3=(-view.bend, 0.0, 0.0, 0.0, 0.0),
        card_size_mm=card_mm,
        piles=default_piles(card_mm),
        rows=default_rows(card_mm),
        residual_mm=residual,
        reference_hash=picture_hash(image),
    )


@dataclass(frozen=True, slots=True)
class _Pinhole:
    """A camera as wide as most. A wrong focal length does no harm: on a plane only the lens terms know of it."""

    matrix: Matrix

    @classmethod
    def of(cls, image: Image) -> "_Pinhole":
        height, width = image.shape[:2]
        focal = 0.75 * width
        return cls(np.array([(focal, 0.0, (width - 1) / 2), (0.0, focal, (height - 1) / 2), (0.0, 0.0, 1.0)]))

    def rays(self, points_px: Points) -> Points:
        return np.asarray((points_px - self.matrix[:2, 2]) / self.matrix[0, 0])


@dataclass(frozen=True, slots=True)
class _View:
    """From rays to table millimetres: straighten by `bend`, then a homography."""

    to_mm_matrix: Matrix
    bend: float

    def to_mm(self, rays: Points) -> Points:
        straight = rays * (1.0 + self.bend * (rays**2).sum(axis=1, keepdims=True))
        return np.asarray(cv2.perspectiveTransform(straight.reshape(-1, 1, 2), self.to_mm_matrix).reshape(-1, 2))


@dataclass(frozen=True, slots=True)
class _Shape:
    """A rectangle in view: corners as rays, its size, how exact its outline is, and where it should lie if known."""

    rays: Points
    size_mm: tuple[float, float]
    slack_mm: float
    corners_mm: Points | None = None


def detect_markers(aruco: Any, image: Image) -> tuple[Sequence[Points], NDArray[np.int32] | None]:
    """Return what OpenCV finds: corners (1, 4, 2) of each marker and their ids (N, 1), or None for none.

    OpenCV 4.6, which Raspberry Pi OS has, finds them by a function; 4.7 made it a class.
    """
    dictionary = aruco.getPredefinedDictionary(aruco.DICT_4X4_50)
    by_class = hasattr(aruco, "ArucoDetector")
    parameters = aruco.DetectorParameters() if by_class else aruco.DetectorParameters_create()
    parameters.cornerRefinementMethod = aruco.CORNER_REFINE_SUBPIX
    if by_class:
        corners, ids, _ = aruco.ArucoDetector(dictionary, parameters).detectMarkers(image)
    else:
        corners, ids, _ = aruco.detectMarkers(image, dictionary, parameters=parameters)
    return corners, ids


def markers_in(image: Image) -> dict[int, Points]:
    """Return the corners (4, 2) in pixels, from the marker's own top left clockwise, of markers 0 to 3 in view."""
    corners, ids = detect_markers(cv2.aruco, image)
    if ids is None:
        return {}
    found = zip(ids.ravel(), corners, strict=True)
    return {int(i): c.reshape(4, 2).astype(np.float64) for i, c in found if i < len(MARKER_CENTRES_MM)}


def _marker_mm(number: int) -> Points:
    x, y = MARKER_CENTRES_MM[number]
    half = MARKER_MM / 2
    return np.array([(x - half, y + half), (x + half, y + half), (x + half, y - half), (x - half, y - half)])


def _by_markers(
    pinhole: _Pinhole, markers: dict[int, Points], quads: list[Points], card_mm: tuple[float, float]
) -> _View:
    """Return the view by the sizes of markers and cards; if the markers then lie as on the mat, by their places too."""
    rays = {n: pinhole.rays(px) for n, px in markers.items()}
    points_mm = np.concatenate([_marker_mm(n) for n in rays])
    start, _ = cv2.findHomography(np.concatenate(list(rays.values())), points_mm)
    by_size = [_Shape(r, (MARKER_MM, MARKER_MM), 0.3 * OUTLINE_SLACK_MM) for r in rays.values()]
    view = _fitted(_View(np.asarray(start, np.float64), 0.0), by_size)
    outlines = [_Shape(pinhole.rays(quad), card_mm, OUTLINE_SLACK_MM) for quad in quads]
    cards = [outline for outline in outlines if _is_card(view, outline)]
    view = _fitted(view, by_size + cards)
    view = _View(_rigid([view.to_mm(r).mean(axis=0) for r in rays.values()], rays) @ view.to_mm_matrix, view.bend)
    if _marker_residual_mm(view, pinhole, markers) > PRINTED_MM:
        return view
    by_place = [_Shape(r, (MARKER_MM, MARKER_MM), 0.3 * OUTLINE_SLACK_MM, _marker_mm(n)) for n, r in rays.items()]
    return _fitted(view, by_place + cards)


def _is_card(view: _View, shape: _Shape) -> bool:
    """Whether a quadrilateral has a card's size: pads, fields of the mat and leaning stacks have another."""
    seen = view.to_mm(shape.rays)
    off = np.linalg.norm(seen - _nearest_rectangle(seen, shape.size_mm), axis=1)
    return bool(off.max() < CARD_LIKE_MM)


def _rigid(centres_mm: list[Points], numbers: Iterable[int]) -> Matrix:
    """Return the turn and shift, as 3 x 3, that lays the markers' centres best onto their places on the mat."""
    seen, wanted = np.array(centres_mm), np.array([MARKER_CENTRES_MM[n] for n in numbers])
    left, _, right = np.linalg.svd((seen - seen.mean(axis=0)).T @ (wanted - wanted.mean(axis=0)))
    turn = (left @ np.diag([1.0, np.sign(np.linalg.det(left @ right))]) @ right).T
    moved = np.eye(3)
    moved[:2, :2] = turn
    moved[:2, 2] = wanted.mean(axis=0) - turn @ seen.mean(axis=0)
    return np.asarray(moved, np.float64)


def _marker_residual_mm(view: _View, pinhole: _Pinhole, markers: dict[int, Points]) -> float:
    off = np.concatenate([view.to_mm(pinhole.rays(px)) - _marker_mm(n) for n, px in markers.items()])
    return float(np.sqrt((off**2).sum(axis=1).mean()))


def _by_cards(pinhole: _Pinhole, quads: list[Points], card_mm: tuple[float, float]) -> _View:
    cards = [_Shape(pinhole.rays(quad), card_mm, OUTLINE_SLACK_MM) for quad in quads]
    view = _fitted(_similar(cards), cards)
    upright = _View(_turned(view, cards) @ view.to_mm_matrix, view.bend)
    centres = np.array([upright.to_mm(card.rays).mean(axis=0) for card in cards])
    dx, dy = _shift_to_layout(centres)
    return _View(np.array([(1.0, 0.0, dx), (0.0, 1.0, dy), (0.0, 0.0, 1.0)]) @ upright.to_mm_matrix, upright.bend)


def _similar(cards: list[_Shape]) -> _View:
    """Return the view of a camera that looks straight down: scale from the typical card, no perspective, y upwards."""
    areas = [abs(cv2.contourArea(card.rays.astype(np.float32))) for card in cards]
    width, height = cards[0].size_mm
    scale = np.sqrt(width * height / np.median(areas))
    return _View(np.diag([scale, -scale, 1.0]), 0.0)


def _turned(view: _View, cards: list[_Shape]) -> Matrix:
    """Return the turn that makes the cards' long sides run along y: most cards lie straight before their players."""
    sides = np.array([(m[0] + m[1] - m[2] - m[3]) / 2 for m in (view.to_mm(card.rays) for card in cards)])
    angle = np.median(np.arctan2(sides[:, 0], sides[:, 1]))
    c, s = np.cos(angle), np.sin(angle)
    return np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])


def _shift_to_layout(centres_mm: Points) -> tuple[float, float]:
    """Return the shift (dx, dy) in mm that lays most of the cards' centres onto places of the layout."""
    candidates = (_LAYOUT_MM[:, None] - centres_mm[None]).reshape(-1, 2)

    def fits(shift: Points, reach_mm: float) -> NDArray[np.float64]:
        apart = np.linalg.norm(centres_mm[:, None] + shift - _LAYOUT_MM[None], axis=2)
        return np.asarray(np.exp(-0.5 * (apart / reach_mm) ** 2), np.float64)

    best = max(candidates, key=lambda shift: float(fits(shift, 20.0).max(axis=1).sum()))
    for _ in range(10):
        weights = fits(best, 20.0)
        apart = _LAYOUT_MM[None] - centres_mm[:, None]
        best = (weights[..., None] * apart).sum(axis=(0, 1)) / weights.sum()
    return float(best[0]), float(best[1])


def _fitted(view: _View, shapes: list[_Shape]) -> _View:
    """Return the view under which the shapes come out best at their sizes and places: damped Gauss-Newton, robust."""
    values = np.append((view.to_mm_matrix / view.to_mm_matrix[2, 2]).ravel()[:8], view.bend)
    steps = np.append(np.abs(values[:8]) * 1e-5 + 1e-5, 1e-5)
    damping = 1e-3
    errors, weights = _errors(values, shapes)
    for _ in range(40):
        jacobian = np.stack(
            [(_errors(values + step, shapes)[0] - errors) / step.max() for step in np.diag(steps)], axis=1
        )
        square = jacobian.T @ (weights[:, None] * jacobian)
        slope = jacobian.T @ (weights * errors)
        move = np.linalg.solve(square + damping * np.diag(np.diag(square) + 1e-12), slope)
        tried, tried_weights = _errors(values - move, shapes)
        if _cost(tried) < _cost(errors):
            values, errors, weights, damping = values - move, tried, tried_weights, damping / 3
        else:
            damping *= 5
    return _View(np.append(values[:8], 1.0).reshape(3, 3), float(values[8]))


def _errors(values: NDArray[np.float64], shapes: list[_Shape]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what is off, in units of each shape's slack, and the weight of each number (far off counts little)."""
    view = _View(np.append(values[:8], 1.0).reshape(3, 3), float(values[8]))
    off = [np.array([view.bend / _LENS_SLACK])]
    for shape in shapes:
        seen = view.to_mm(shape.rays)
        off.append(((seen - _nearest_rectangle(seen, shape.size_mm)) / shape.slack_mm).ravel())
        if shape.corners_mm is not None:
            off.append((seen - shape.corners_mm).mean(axis=0) / MARKER_SLACK_MM)
    errors = np.concatenate(off)
    return errors, 1.0 / (1.0 + errors**2 / 4.0)


def _cost(errors: NDArray[np.float64]) -> float:
    return float(np.log1p(errors**2 / 4.0).sum())


def _nearest_rectangle(seen: Points, size_mm: tuple[float, float]) -> Points:
    """Return the corners of a rectangle of this size moved and turned as close as possible onto the four seen ones."""
    w, h = size_mm[0] / 2, size_mm[1] / 2
    model = np.array([(-w, h), (w, h), (w, -h), (-w, -h)])
    centre = seen.mean(axis=0)
    left, _, right = np.linalg.svd(model.T @ (seen - centre))
    turn = left @ np.diag([1.0, np.sign(np.linalg.det(left @ right))]) @ right
    return np.asarray(model @ turn + centre)
