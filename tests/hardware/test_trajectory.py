"""When a card touched, from its last few distances to rest."""

import numpy as np
import pytest

from hardware.vision.trajectory import Dated, dated, least_jerk

EVEN = 0.5
"""Odds of a throw of which nothing else is known."""


def frames(fps: float, count: int, last_ms: float = 0.0) -> np.ndarray:
    """The moments of so many frames, the latest first."""
    return last_ms - np.arange(count) * 1000 / fps


def carried(t_ms: np.ndarray, touch_ms: float, reach_ms: float) -> np.ndarray:
    return 190.0 * least_jerk((touch_ms - t_ms) / reach_ms)


def flown(t_ms: np.ndarray, touch_ms: float, slide_ms: float, speed: float, kept: float) -> np.ndarray:
    """A card that flies with `speed` mm a ms, keeps a share of it when it touches, and slides to rest."""
    left = touch_ms - t_ms
    slid = np.clip(left + slide_ms, 0.0, slide_ms) ** 2 / (2 * slide_ms)
    return speed * (np.maximum(left, 0.0) + kept * slid)


def of(t_ms: np.ndarray, distance_mm: np.ndarray, odds: float = EVEN) -> Dated:
    """The touch by what was seen since the card came near; the frame before shows what it covers."""
    at_rest = int((distance_mm < 1.0).sum())
    return dated(t_ms, distance_mm, t_ms[max(1, at_rest)], t_ms[-1], odds)


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("reach_ms", [220.0, 300.0, 400.0, 550.0])
def test_a_card_that_is_laid_down_is_dated_to_a_third_of_a_frame(fps, reach_ms):
    t = frames(fps, 10)
    near = carried(t, 7.0, reach_ms) < 80.0
    found = of(t[near], carried(t[near], 7.0, reach_ms), 0.03)
    assert abs(found.at_ms - 7.0) < max(330 / fps, 6.0)
    assert found.earliest_ms <= 7.0 <= found.latest_ms
    assert found.latest_ms - found.earliest_ms < 45.0


@pytest.mark.parametrize("kept", [1.0, 0.5, 0.25])
@pytest.mark.parametrize("slide_ms", [50.0, 75.0, 100.0])
def test_a_card_that_is_thrown_touches_before_it_slides_to_rest(kept, slide_ms):
    touch_ms = 4.0 - slide_ms
    t = frames(30.0, 7)
    found = of(t, flown(t, touch_ms, slide_ms, 0.7, kept), 0.97)
    assert abs(found.at_ms - touch_ms) < 25.0
    assert found.earliest_ms <= touch_ms <= found.latest_ms
    assert found.thrown > 0.9


def test_a_throw_and_a_laying_hand_are_told_by_their_way_alone():
    t = frames(60.0, 10)
    assert of(t, flown(t, -70.0, 75.0, 0.6, 0.25)).thrown > 0.9
    assert of(t, carried(t, 3.0, 330.0)).thrown < 0.25


def test_a_card_that_was_hidden_until_it_lay_still_may_have_touched_any_time_before():
    found = dated(np.zeros(1), np.zeros(1), -33.0, -300.0, 0.1)
    assert found.earliest_ms < -200.0
    assert found.latest_ms >= -10.0


def test_a_card_that_appears_from_one_frame_to_the_next_touched_between_them_or_right_after():
    found = dated(np.zeros(1), np.zeros(1), -33.0, -33.0, 0.03)
    assert -25.0 < found.earliest_ms < found.latest_ms < 55.0


def test_one_frame_that_misleads_does_not_move_the_touch():
    t = frames(30.0, 6)
    right = carried(t, 7.0, 300.0)
    wrong = right + np.array([0.0, 0.0, 0.0, 9.0, 0.0, 0.0])
    assert abs(of(t, wrong, 0.03).at_ms - of(t, right, 0.03).at_ms) < 10.0
