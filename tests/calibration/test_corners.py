"""Finding the table from four points of a rectangle: a piece of cardboard, a book, the table top itself."""

from pathlib import Path

import numpy as np
import pytest

from calibration.corners import draw_overlay, exactness, save_picture, table_from_points
from hardware.tablefile import rectangle
from referee.errors import PictureError, TableFileError

TILTED = np.array([(300.0, 600.0), (980.0, 620.0), (900.0, 130.0), (360.0, 120.0)])
PICTURE = np.full((720, 1280, 3), 90, np.uint8)


def test_four_points_put_the_middle_of_the_rectangle_at_the_origin_and_leave_the_residual_unknown() -> None:
    table = table_from_points(PICTURE, TILTED, (400.0, 300.0))
    assert table.to_mm(TILTED) == pytest.approx(rectangle(0, 0, 400, 300), abs=1e-3)
    assert table.residual_mm is None
    assert exactness(table.residual_mm).says == "unknown"


@pytest.mark.parametrize(("off_mm", "state"), [(0.0, "OK"), (1.5, "OK"), (2.0, "WARN"), (3.5, "FAIL"), (None, "WARN")])
def test_what_is_not_good_has_a_cure(off_mm: float | None, state: str) -> None:
    answer = exactness(off_mm)
    assert answer.state == state and bool(answer.cure) == (state != "OK")


def test_y_points_from_p1_to_p2_and_x_to_the_right_of_p1() -> None:
    table = table_from_points(PICTURE, TILTED, (400.0, 300.0))
    (x, up), (right, y) = table.to_px(np.array([(0.0, 100.0), (100.0, 0.0)]))
    middle = table.to_px(np.zeros((1, 2)))[0]
    assert up < middle[1]
    assert right > middle[0]
    assert abs(x - middle[0]) < abs(up - middle[1])
    assert abs(y - middle[1]) < abs(right - middle[0])


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (3, 2, 1, 0), (0, 0, 1, 2)])
def test_points_in_the_wrong_order_are_refused_with_the_right_order_in_the_sentence(order: tuple[int, ...]) -> None:
    with pytest.raises(TableFileError, match="p1-left, p1-right, p2-right, p2-left"):
        table_from_points(PICTURE, TILTED[list(order)], (400.0, 300.0))


def test_corners_of_another_picture_are_refused() -> None:
    with pytest.raises(TableFileError, match="outside the picture"):
        table_from_points(PICTURE, TILTED + 4000.0, (400.0, 300.0))


def test_the_overlay_draws_on_a_copy() -> None:
    table = table_from_points(PICTURE, TILTED, (400.0, 300.0))
    drawn = draw_overlay(PICTURE, table)
    assert (PICTURE == 90).all()
    assert (drawn != PICTURE).any()


@pytest.mark.parametrize("size_mm", [(0.0, 300.0), (float("nan"), 300.0), (float("inf"), 300.0), (-400.0, 300.0)])
def test_a_size_that_is_none_is_refused_by_its_own_name(size_mm: tuple[float, float]) -> None:
    with pytest.raises(TableFileError, match="--size-mm"):
        table_from_points(PICTURE, TILTED, size_mm)


@pytest.mark.parametrize("name", ["overlay.xyz", "folder.png"])
def test_a_place_that_cannot_hold_a_picture_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(PictureError, match="PNG or JPEG"):
        save_picture(tmp_path / name, PICTURE)
