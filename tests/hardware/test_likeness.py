"""Whether a card still lies bare is told from its print: light may change, nothing else may."""

import cv2
import numpy as np
import pytest

from hardware.frames import Image
from hardware.vision.likeness import Likeness

CARD_MM = (63.0, 88.0)
LEFT, TOP, SCALE = 40.0, 30.0, 1.3
QUAD = np.array([(0, 0), (63, 0), (63, 88), (0, 88)]) * SCALE + (LEFT, TOP)


RED, BLACK = (30, 30, 160), (30, 30, 30)


def table(
    *, pips: int = 8, ink: tuple[int, int, int] = RED, dx: float = 0.0, light: float = 1.0, noise: int = 0
) -> Image:
    """A white card with pips on a green cloth, `dx` mm to the right of its place."""
    picture = np.full((180, 180, 3), (60, 110, 60), np.uint8)
    corner = np.array([LEFT + dx * SCALE, TOP])
    cv2.fillConvexPoly(picture, np.round(QUAD + np.array([dx * SCALE, 0.0])).astype(np.int32), (235, 235, 235))
    for n in range(pips):
        x, y = corner + SCALE * np.array([16.0 + 30.0 * (n % 2), 14.0 + 15.0 * (n // 2)])
        cv2.circle(picture, (round(x), round(y)), 6, ink, -1)
    cv2.putText(picture, str(pips), (int(corner[0]) + 4, int(corner[1]) + 14), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 0, 2)
    spread = np.random.default_rng(noise).normal(0, 3, picture.shape)
    return np.clip(picture * light + spread, 0, 255).astype(np.uint8)


@pytest.fixture
def likeness() -> Likeness:
    return Likeness(CARD_MM, table(), QUAD, QUAD)


@pytest.mark.parametrize("light", [0.6, 1.0, 1.08])
def test_a_card_that_lies_as_it_lay_is_bare_in_any_light(likeness: Likeness, light: float) -> None:
    assert likeness.is_bare(table(light=light, noise=1))
    assert likeness.share(table(light=light, noise=1)) > 0.9


def test_a_card_that_was_moved_is_not_the_one_that_lay_there(likeness: Likeness) -> None:
    assert not likeness.is_bare(table(dx=4.0, noise=1))


def test_another_card_exactly_in_place_is_seen(likeness: Likeness) -> None:
    assert not likeness.is_bare(table(pips=6, noise=1))


def test_a_card_of_the_same_print_in_another_colour_is_another_card(likeness: Likeness) -> None:
    black = table(ink=BLACK, noise=1)
    assert likeness.is_another(black) and likeness.is_another(black, upper=True)
    assert not likeness.is_another(table(light=0.6, noise=1)) and not likeness.is_another(table(noise=1), upper=False)


def test_a_card_that_has_all_the_pips_of_the_old_one_and_more_is_another_card() -> None:
    four = Likeness(CARD_MM, table(pips=4, ink=BLACK), QUAD, QUAD)
    assert not four.is_another(table(pips=4, ink=BLACK, noise=1))
    assert four.is_another(table(pips=10, ink=BLACK, noise=1))


def test_a_hand_over_the_lower_half_leaves_about_half_of_the_print(likeness: Likeness) -> None:
    picture = table(noise=1)
    picture[int(TOP + 44 * SCALE) :] = (120, 150, 200)
    assert not likeness.is_bare(picture)
    assert 0.25 < likeness.share(picture) < 0.75


def test_a_blank_card_cannot_be_told_from_another_one() -> None:
    blank = np.full((180, 180, 3), 235, np.uint8)
    assert not Likeness(CARD_MM, blank, QUAD, QUAD).is_bare(blank)


def test_a_hand_over_one_end_leaves_the_other_bare(likeness: Likeness) -> None:
    picture = table(noise=1)
    picture[int(TOP + 44 * SCALE) :] = (120, 150, 200)
    assert likeness.is_bare_at(picture, upper=True)
    assert not likeness.is_bare_at(picture, upper=False)


def test_a_card_laid_under_a_hand_covers_the_free_end(likeness: Likeness) -> None:
    picture = table(pips=6, dx=3.0, noise=1)
    picture[int(TOP + 44 * SCALE) :] = (120, 150, 200)
    assert not likeness.is_bare_at(picture, upper=True)
