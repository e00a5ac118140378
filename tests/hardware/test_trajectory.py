"""When a card touched, from its last few distances to rest."""

import numpy as np
import pytest

from hardware.vision.trajectory import laid, least_jerk, thrown


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("carried_ms", [300.0, 400.0, 550.0])
def test_a_card_that_is_laid_down_is_dated_to_a_quarter_of_a_frame(fps, carried_ms):
    t = -np.arange(1, 6) * 1000 / fps + 3.0
    distances = 190.0 * least_jerk((11.0 - t) / carried_ms)
    touched = laid(t, distances)
    assert touched is not None
    assert abs(touched.at_ms - 11.0) < max(250 / fps, 5.0)


def test_a_card_that_is_thrown_touches_before_it_slides_to_rest():
    t = np.array([0.0, -33.3, -66.7, -100.0, -133.3, -166.7])
    touch, rest, speed, brake = -62.0, 35.0, 0.6, 9.0 / 97.0**2
    distances = brake * np.minimum(rest - touch, rest - t) ** 2 + speed * np.maximum(touch - t, 0.0)
    flown, by_hand = thrown(t, distances), laid(t, distances)
    assert flown is not None
    assert by_hand is not None
    assert abs(flown.at_ms - touch) < 12.0
    assert flown.misfit_mm < 0.3 * by_hand.misfit_mm


def test_a_card_that_only_moves_away_is_not_dated():
    assert laid(np.array([0.0, -33.0]), np.array([9.0, 4.0])) is None
