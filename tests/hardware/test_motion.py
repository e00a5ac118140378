"""Hands are what reaches in from the picture's edge: whose they are, and what they are over."""

import numpy as np
import pytest

from hardware.frames import Frame, Image
from hardware.tablefile import Table, rectangle
from hardware.vision.motion import Hand, Motion, Zone

TABLE = Table(image_size_px=(1280, 720), homography_mm_to_px=np.array([(2, 0, 640), (0, -2, 360), (0, 0, 1)], float))
FRAME_NS = 33_000_000


@pytest.fixture
def motion() -> Motion:
    """A still green table, seen for a while."""
    motion = Motion(TABLE)
    for number in range(5):
        motion.see(Frame(number * FRAME_NS, table(), number))
    return motion


def table() -> Image:
    return np.full((720, 1280, 3), 90, np.uint8)


def hands_over(motion: Motion, *parts: tuple[slice, slice]) -> list[Hand]:
    """The hands in a picture in which these parts look different."""
    picture = table()
    for part in parts:
        picture[part] = 200
    motion.see(Frame(6 * FRAME_NS, picture, 6))
    return motion.hands()


def test_a_hand_belongs_to_the_side_from_which_it_reaches_in(motion):
    from_below, from_above = (slice(400, 720), slice(300, 420)), (slice(0, 380), slice(800, 900))
    assert [hand.player for hand in hands_over(motion, from_below, from_above)] == ["p2", "p1"], "the larger one first"


def test_what_lies_inside_or_only_touches_the_edge_is_no_hand(motion):
    card, glint = (slice(300, 400), slice(500, 580)), (slice(716, 720), slice(600, 604))
    assert hands_over(motion, card, glint) == []


@pytest.mark.parametrize("x_mm", [-300.0, -120.0, -60.0, 0.0, 60.0])
def test_a_hand_covers_the_same_share_of_a_zone_as_its_cells_do(motion, x_mm):
    [hand] = hands_over(motion, (slice(360, 720), slice(440, 560)))
    zone: Zone = motion.zone(rectangle(x_mm, -30.0, 63.5, 88.9))
    assert hand.share_of(zone) == zone.share(hand.cells)
    assert (hand.share_of(zone) > 0) == (x_mm in (-120.0, -60.0))


def test_a_zone_that_reaches_out_of_the_picture_is_what_of_it_can_be_seen(motion):
    zone = motion.zone(rectangle(-320.0, 0.0, 100.0, 50.0))
    assert zone.share(np.full((180, 320), 255, np.uint8)) == 1.0
    assert zone.columns.start == 0
    assert motion.zone(rectangle(-900.0, 0.0, 50.0, 50.0)).share(np.full((180, 320), 255, np.uint8)) <= 1.0


# -- light that changes ---------------------------------------------------------------------------------------------

PILE = (slice(300, 420), slice(500, 600))
"""Rows and columns of the picture."""


def lit(light: float, *, pile: int) -> Image:
    """Print on a table and a pile of this brightness, in a light so much stronger."""
    picture = table().astype(float)
    picture[::24] = 60.0
    picture[PILE] = pile
    return np.clip(picture * light, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("light", [0.7, 0.97, 1.15])
def test_light_that_changes_all_over_is_no_motion_and_no_hand(light):
    motion = Motion(TABLE)
    for number, strength in enumerate((1.0, 1.0, light, light)):
        motion.see(Frame(number * FRAME_NS, lit(strength, pile=215), number))
    assert (motion.moving_cells, motion.changed_cells, motion.hands()) == (0, 0, [])


@pytest.mark.parametrize("light", [0.7, 1.15])
def test_a_card_laid_after_a_lamp_was_switched_lies_still_in_either_light(light):
    """The still table is kept in one light: else what was laid since would hang together with every hand."""
    motion = Motion(TABLE)
    for number, (strength, pile) in enumerate(((1.0, 90), (1.0, 90), (light, 215))):
        motion.see(Frame(number * FRAME_NS, lit(strength, pile=pile), number))
    motion.accept(motion.zone(rectangle(-45.0, 0.0, 60.0, 70.0)))
    for number, strength in enumerate((light, 1.0, light), 3):
        motion.see(Frame(number * FRAME_NS, lit(strength, pile=215), number))
        assert motion.changed_cells == 0
