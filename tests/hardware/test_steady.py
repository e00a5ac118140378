"""The view of the still table, compared with later ones: was the camera nudged, and by how much?"""

import cv2
import numpy as np
import pytest

from hardware.frames import Image
from hardware.vision.steady import Matrix, Steady, is_nudge

SIZE_PX = (1280, 720)


def view(seed: int) -> Image:
    """A table with some hundred things on it."""
    rng = np.random.default_rng(seed)
    picture = np.full((SIZE_PX[1], SIZE_PX[0], 3), 90, np.uint8)
    for _ in range(300):
        corner = rng.integers((0, 0), SIZE_PX)
        colour = rng.integers(0, 256, 3).tolist()
        cv2.rectangle(picture, corner.tolist(), (corner + rng.integers(10, 60, 2)).tolist(), colour, -1)
    return picture


def nudged(picture: Image, right_px: float, down_px: float, turned_deg: float) -> tuple[Image, Matrix]:
    """The same table after a nudge, with a hand in view, and the way of each point."""
    way = cv2.getRotationMatrix2D((SIZE_PX[0] / 2, SIZE_PX[1] / 2), turned_deg, 1.0)
    way[:, 2] += right_px, down_px
    moved = cv2.warpAffine(picture, way, SIZE_PX, borderMode=cv2.BORDER_REPLICATE)
    cv2.rectangle(moved, (500, 400), (640, 720), (60, 80, 140), -1)
    return np.asarray(moved, np.uint8), np.vstack([way, (0.0, 0.0, 1.0)])


@pytest.mark.parametrize("nudge", [(3.0, 0.0, 0.0), (-5.0, 6.0, 0.3), (15.0, -2.0, 0.0), (-30.0, 26.0, -0.5)])
def test_a_nudge_is_measured_as_well_the_tenth_time_as_the_first(nudge):
    picture = view(1)
    steady = Steady(picture)
    for _ in range(10):
        now, way = nudged(picture, *nudge)
        found = steady.moved(now)
        assert found is not None
        corners = np.array([(0, 0, 1), (SIZE_PX[0], 0, 1), (SIZE_PX[0], SIZE_PX[1], 1), (0, SIZE_PX[1], 1)], float)
        assert np.abs(corners @ found.T - corners @ way.T).max() < 0.5
        assert is_nudge(found, SIZE_PX)


def test_a_camera_that_stands_still_was_not_nudged():
    picture = view(2)
    moved = Steady(picture).moved(nudged(picture, 0.0, 0.0, 0.0)[0])
    assert moved is not None
    assert not is_nudge(moved, SIZE_PX)


@pytest.mark.parametrize("nudge", [(0.0, 0.0, 0.0), (3.0, 0.0, 0.0), (-15.0, -7.5, 0.0)])
def test_hands_that_move_meanwhile_do_not_falsify_a_nudge(nudge):
    picture = view(5)
    before = picture.copy()
    for left in (200, 800):
        cv2.rectangle(before, (left, 300), (left + 260, 720), (150, 180, 220), -1)
    now, way = nudged(picture, *nudge)
    for left in (260, 900):
        cv2.rectangle(now, (left, 240), (left + 260, 720), (150, 180, 220), -1)
    found = Steady(before).moved(now)
    middle = np.array([SIZE_PX[0] / 2, SIZE_PX[1] / 2, 1.0])
    assert found is not None
    assert np.abs(found @ middle - way @ middle).max() < 0.3


def test_another_view_is_no_nudge():
    assert Steady(view(3)).moved(view(4)) is None
