"""Where the table is: from the printed mat, or from four points of any rectangle whose size is known."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.checks.report import Answer, fail, ok, warn
from hardware.frames import Image
from hardware.tablefile import POKER_MM, Points, Table, default_piles, default_rows, picture_hash, rectangle
from referee.errors import PictureError, TableFileError
from referee.table import PLAYERS

MOST_MM: Final = 10_000.0
GOOD_MM: Final = 1.5
USABLE_MM: Final = 3.0
"""A residual up to GOOD_MM is good, up to USABLE_MM usable."""
LEAST_PX_PER_MM: Final = 1.2


def save_picture(path: Path, image: Image) -> None:
    """Write a picture as PNG or JPEG; raises PictureError where that name or place cannot hold one."""
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg") or path.is_dir() or not cv2.imwrite(str(path), image):
        raise PictureError(f"{path} cannot hold a picture: give the name of a PNG or JPEG file in a folder of yours")


def parse_points(texts: Sequence[str]) -> Points:
    """Return points (N, 2) from texts like `310,602`.

    Raises:
        TableFileError: a text is not two numbers.
    """
    try:
        points = [[float(part) for part in text.split(",")] for text in texts]
        return np.array(points, np.float64).reshape(len(texts), 2)
    except ValueError:
        raise TableFileError(f"--corners {' '.join(texts)}: write each corner as x,y in pixels, like 310,602") from None


def table_from_points(
    image: Image, points_px: Points, size_mm: tuple[float, float], card_mm: tuple[float, float] = POKER_MM
) -> Table:
    """Return the table whose middle is the middle of a rectangle of `size_mm` (width, height).

    `points_px`: float64 (4, 2), its corners in the order p1-left, p1-right, p2-right, p2-left. The residual stays
    unknown: four points always fit.

    Raises:
        TableFileError: the points are not the corners of a convex four-sided figure in that order, or the middle piles
            would lie outside the picture.
    """
    points = np.asarray(points_px, np.float64).reshape(4, 2)
    sides = np.roll(points, -1, axis=0) - points
    after = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    if not all(0 < side < MOST_MM for side in size_mm):
        raise TableFileError("the sheet has no such size: give its width and height in millimetres (--size-mm W H)")
    if not (turns < 0).all():
        raise TableFileError(
            "these four points are not the corners of a sheet: show them again, in the order p1-left, p1-right, "
            "p2-right, p2-left"
        )
    corners_mm = rectangle(0.0, 0.0, *size_mm).astype(np.float32)
    homography = cv2.getPerspectiveTransform(corners_mm, points.astype(np.float32))
    height, width = image.shape[:2]
    table = Table(
        image_size_px=(width, height),
        homography_mm_to_px=np.asarray(homography, np.float64),
        card_size_mm=card_mm,
        piles=default_piles(card_mm),
        rows=default_rows(card_mm),
        reference_hash=picture_hash(image),
    )
    if not table.shows_the_piles():
        raise TableFileError(
            f"--corners leave the middle piles outside the picture of {width} x {height}: give them in its pixels"
        )
    return table


def exactness(residual_mm: float | None) -> Answer:
    """Return what a person should think of a residual."""
    if residual_mm is None:
        return warn("unknown", "lay a card in the middle and one in each row and run `spit-referee calibrate test`")
    says = f"{residual_mm:.1f} mm off"
    if residual_mm <= GOOD_MM:
        return ok(f"{says}: good")
    if residual_mm <= USABLE_MM:
        return warn(f"{says}: usable", "flatten the mat and try again for better")
    return fail(f"{says}: too much", "flatten the mat, check the printed ruler, and calibrate again")


def draw_overlay(image: Image, table: Table) -> Image:
    """Return a copy of the picture with the table's zones drawn in: what the referee believes to be where."""
    drawn = image.copy()
    for pile, zone in table.piles.items():
        _outline(drawn, table, zone, (60, 220, 60), pile)
    for player in PLAYERS:
        colour = (255, 160, 40) if player == "p1" else (60, 160, 255)
        for number, zone in enumerate(table.rows[player], 1):
            _outline(drawn, table, zone, colour, f"{player} {number}")
    x, y = (round(v) for v in table.to_px(np.zeros((1, 2)))[0])
    cv2.drawMarker(drawn, (x, y), (60, 220, 60), cv2.MARKER_CROSS, 24, 2)
    return drawn


def _outline(drawn: Image, table: Table, zone_mm: Points, colour: tuple[int, int, int], name: str) -> None:
    corners: NDArray[np.int32] = np.round(table.to_px(zone_mm)).astype(np.int32)
    cv2.polylines(drawn, [corners], True, colour, 2, cv2.LINE_AA)
    x, y = corners.mean(axis=0).astype(int)
    for ink, thickness in (((0, 0, 0), 4), (colour, 2)):
        cv2.putText(drawn, name, (int(x) - 24, int(y) + 6), cv2.FONT_HERSHEY_SIMPLEX, 0.6, ink, thickness, cv2.LINE_AA)
