"""The table file `table.toml`: where the table is in the camera's picture, and what lies where on it.

Table lengths are millimetres, origin in the middle of the table, x to p1's right, y towards p2. The homography maps
table points to the undistorted pinhole picture; the lens model (OpenCV's k1 k2 p1 p2 k3) comes after it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

import cv2
import numpy as np
import tomlkit
from numpy.typing import NDArray
from tomlkit.exceptions import TOMLKitError

from hardware.wholefile import replace_whole
from referee.errors import TableFileError, cause_of
from referee.files import read_given_text
from referee.table import PILES, PLAYERS, Pile, Player

Points = NDArray[np.float64]
"""Points: float64, shape (N, 2)."""

SCHEMA: Final = 1
CURE: Final = "make it again with `spit-referee calibrate corners`"
POKER_MM: Final = (63.5, 88.9)
BRIDGE_MM: Final = (57.15, 88.9)
CARD_SIZES: Final[Mapping[str, tuple[float, float]]] = {"poker": POKER_MM, "bridge": BRIDGE_MM}

TINY: Final = 1e-9
"""A homography with a smaller determinant folds the table into a line: it has no way back to millimetres."""

PILE_X_MM: Final[Mapping[Pile, float]] = {"A": -48.0, "B": 48.0}
ROW_Y_MM: Final[Mapping[Player, float]] = {"p1": -118.0, "p2": 118.0}
ROW_PITCH_MM: Final = 76.0
MARKER_MM: Final = 40.0
MARKER_CENTRES_MM: Final = ((-242.0, 150.0), (242.0, 150.0), (242.0, -150.0), (-242.0, -150.0))
"""Centres of the mat's ArUco markers, ids 0 to 3 (DICT_4X4_50)."""
MAT_MM: Final = (594.0, 420.0)
PAD_MM: Final = (84.0, 56.0)
PAD_CENTRES_MM: Final[Mapping[tuple[Player, Pile], tuple[float, float]]] = {
    ("p1", "A"): (-150.0, -34.0),
    ("p1", "B"): (150.0, -34.0),
    ("p2", "A"): (-150.0, 34.0),
    ("p2", "B"): (150.0, 34.0),
}
"""Where the pads lie: beside the pile they are for, on their owner's side."""
SPIT_CENTRES_MM: Final[Mapping[Player, tuple[float, float]]] = {"p1": (242.0, -70.0), "p2": (-242.0, 70.0)}


def rectangle(x: float, y: float, width: float, height: float) -> Points:
    """Return the corners of an upright rectangle around (x, y): shape (4, 2), counter-clockwise from lower left."""
    w, h = width / 2, height / 2
    return np.array([(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)], dtype=np.float64)


def default_piles(card_mm: tuple[float, float] = POKER_MM) -> dict[Pile, Points]:
    """Return the zones of the middle piles on the mat: a card and the room that it may be off by."""
    return {pile: rectangle(PILE_X_MM[pile], 0.0, 94.0, card_mm[1] + 46.0) for pile in PILES}


def default_rows(card_mm: tuple[float, float] = POKER_MM) -> dict[Player, tuple[Points, ...]]:
    """Return the five places of each row on the mat, numbered from the owner's left."""
    left_to_right = [(n - 2) * ROW_PITCH_MM for n in range(5)]
    xs: dict[Player, list[float]] = {"p1": left_to_right, "p2": left_to_right[::-1]}
    return {p: tuple(rectangle(x, ROW_Y_MM[p], ROW_PITCH_MM, card_mm[1] + 14.0) for x in xs[p]) for p in PLAYERS}


@dataclass(frozen=True, slots=True)
class Table:
    """A calibrated table. Arrays are float64; polygons have shape (N, 2) in mm."""

    image_size_px: tuple[int, int]
    homography_mm_to_px: NDArray[np.float64]
    camera: str = "unknown"
    camera_matrix: NDArray[np.float64] | None = None
    lens_k1k2p1p2k3: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    rotation_deg: int = 0
    card_size_mm: tuple[float, float] = POKER_MM
    piles: dict[Pile, Points] = field(default_factory=default_piles)
    rows: dict[Player, tuple[Points, ...]] = field(default_factory=default_rows)
    residual_mm: float | None = None
    """None: unknown (four points leave no residual)."""
    reference_hash: str = ""
    behind_pads_ns: int = 0
    """The camera stamps a moment so much later than the pads do; of the camera, not of the table, and kept with it."""
    behind_pads_uncertainty_ns: int | None = None
    """None: it was never measured."""

    def to_px(self, points_mm: Points) -> Points:
        """Return where table points (N, 2) in mm lie in the picture: (N, 2) pixels, lens included."""
        flat = cv2.perspectiveTransform(np.asarray(points_mm, np.float64).reshape(-1, 1, 2), self.homography_mm_to_px)
        if self.camera_matrix is None or not any(self.lens_k1k2p1p2k3):
            return np.asarray(flat, np.float64).reshape(-1, 2)
        rays = cv2.undistortPoints(flat, self.camera_matrix, None)
        rays3 = np.concatenate([rays.reshape(-1, 2), np.ones((len(rays), 1))], axis=1)
        zero = np.zeros(3)
        bent, _ = cv2.projectPoints(rays3, zero, zero, self.camera_matrix, np.array(self.lens_k1k2p1p2k3))
        return np.asarray(bent, np.float64).reshape(-1, 2)

    def to_mm(self, points_px: Points) -> Points:
        """Return which table points (N, 2) in mm the picture shows at (N, 2) pixels."""
        flat: NDArray[Any] = np.asarray(points_px, np.float64).reshape(-1, 1, 2)
        if self.camera_matrix is not None and any(self.lens_k1k2p1p2k3):
            lens = np.array(self.lens_k1k2p1p2k3)
            flat = cv2.undistortPoints(flat, self.camera_matrix, lens, P=self.camera_matrix)
        mm = cv2.perspectiveTransform(flat, np.linalg.inv(self.homography_mm_to_px))
        return np.asarray(mm, np.float64).reshape(-1, 2)

    def px_per_mm(self) -> float:
        """Return the picture's scale in the middle of the table."""
        step = self.to_px(np.array([(-10.0, 0.0), (10.0, 0.0), (0.0, -10.0), (0.0, 10.0)]))
        return float((np.linalg.norm(step[1] - step[0]) + np.linalg.norm(step[3] - step[2])) / 40.0)

    def shows_the_piles(self) -> bool:
        """Say whether the picture has an area, cards have one too, and the middle of each pile lies in the picture."""
        if min(self.image_size_px) < 1 or min(self.card_size_mm) <= 0.0 or min(map(len, self.piles.values())) < 3:
            return False
        if abs(np.linalg.det(self.homography_mm_to_px)) < TINY:
            return False
        middles = self.to_px(np.array([self.piles[pile].mean(axis=0) for pile in PILES]))
        return bool(((middles >= 0.0) & (middles < np.array(self.image_size_px))).all())

    def shifted(self, homography_px: NDArray[np.float64]) -> Self:
        """Return the same table after the picture moved by a pixel homography (a nudged camera)."""
        return replace(self, homography_mm_to_px=homography_px @ self.homography_mm_to_px)


def picture_hash(image: NDArray[np.uint8]) -> str:
    """Return a short fingerprint of the picture that a table file was made from."""
    return hashlib.sha256(image.tobytes()).hexdigest()[:16]


def _polygon(points: Points) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def dump_table(table: Table) -> str:
    """Return the table file's text."""
    matrix, uncertainty_ns = table.camera_matrix, table.behind_pads_uncertainty_ns
    plain: dict[str, Any] = {
        "schema": SCHEMA,
        "camera": table.camera,
        "image_size_px": list(table.image_size_px),
        "rotation_deg": table.rotation_deg,
        "card_size_mm": list(table.card_size_mm),
        "residual_mm": "unknown" if table.residual_mm is None else round(table.residual_mm, 3),
        "reference_hash": table.reference_hash,
        "behind_pads_ms": round(table.behind_pads_ns / 1e6, 3),
        "behind_pads_uncertainty_ms": "unknown" if uncertainty_ns is None else round(uncertainty_ns / 1e6, 3),
        "homography_mm_to_px": [[float(v) for v in row] for row in table.homography_mm_to_px],
        "camera_matrix": [] if matrix is None else [[float(v) for v in row] for row in matrix],
        "lens_k1k2p1p2k3": list(table.lens_k1k2p1p2k3),
        "piles": {pile: _polygon(points) for pile, points in table.piles.items()},
        "rows": {player: [_polygon(place) for place in places] for player, places in table.rows.items()},
    }
    return tomlkit.dumps(plain)


def save_table(table: Table, path: Path) -> None:
    """Write the table file so that a power cut leaves the old or the new one whole; keep the old one as `.previous`."""
    replace_whole(path, dump_table(table).encode(), keep_previous=True)


def _array(value: Any, shape: tuple[int, ...], name: str, path: Path) -> NDArray[np.float64]:
    """Return `value` as an array of that shape (0: any length), or name the key that is wrong."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    fits = array.ndim == len(shape) and all(n in (0, size) for size, n in zip(array.shape, shape, strict=True))
    if not fits or not np.isfinite(array).all():
        raise TableFileError(f"{path}: {name} is not what a table file holds; {CURE}")
    return array


def parse_table(text: str, path: Path) -> Table:
    """Return the table that the text describes; `path` is for the messages.

    Raises:
        TableFileError: the text is not a whole table file of a schema that this version knows.
    """
    try:
        plain = tomlkit.parse(text).unwrap()
    except (TOMLKitError, RecursionError) as error:
        raise TableFileError(f"{path} is damaged ({error}); {CURE}") from None
    if plain.get("schema") != SCHEMA:
        raise TableFileError(f"{path} is not a table file of schema {SCHEMA}; {CURE}")
    try:
        piles, rows = plain["piles"], plain["rows"]
        matrix = plain.get("camera_matrix") or None
        residual, delay = plain["residual_mm"], plain.get("behind_pads_uncertainty_ms")
        lens = _array(plain["lens_k1k2p1p2k3"], (5,), "lens_k1k2p1p2k3", path)
        size = _array(plain["image_size_px"], (2,), "image_size_px", path)
        card = _array(plain["card_size_mm"], (2,), "card_size_mm", path)
        table = Table(
            image_size_px=(int(size[0]), int(size[1])),
            homography_mm_to_px=_array(plain["homography_mm_to_px"], (3, 3), "homography_mm_to_px", path),
            camera=str(plain["camera"]),
            camera_matrix=None if matrix is None else _array(matrix, (3, 3), "camera_matrix", path),
            lens_k1k2p1p2k3=(lens[0], lens[1], lens[2], lens[3], lens[4]),
            rotation_deg=int(plain["rotation_deg"]),
            card_size_mm=(float(card[0]), float(card[1])),
            piles={pile: _array(piles[pile], (0, 2), f"piles.{pile}", path) for pile in PILES},
            rows={p: tuple(_array(place, (0, 2), f"rows.{p}", path) for place in rows[p]) for p in PLAYERS},
            residual_mm=None if residual == "unknown" else float(residual),
            reference_hash=str(plain.get("reference_hash", "")),
            behind_pads_ns=round(float(plain.get("behind_pads_ms", 0)) * 1e6),
            behind_pads_uncertainty_ns=None if delay in ("unknown", None) else round(float(delay) * 1e6),
        )
    except TableFileError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise TableFileError(f"{path} lacks or garbles {error}; {CURE}") from None
    if not table.shows_the_piles():
        raise TableFileError(f"{path} describes a picture that does not show the middle piles; {CURE}")
    return table


def load_table(path: Path) -> Table:
    """Return the table of a table file.

    Raises:
        TableFileError: it is missing, unreadable, damaged or of a foreign schema.
    """
    try:
        text = read_given_text(path)
    except FileNotFoundError:
        raise TableFileError(f"{path} does not exist; {CURE.replace(' again', '')}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise TableFileError(f"{path} cannot be read ({cause_of(error)}); {CURE}") from None
    return parse_table(text, path)
