"""Finding the table: by the mat, by markers stuck down one by one, by the cards alone, or not at all."""

from dataclasses import replace

import numpy as np
import pytest

from hardware.simulated.look import Look
from hardware.vision.tablefinder import find_table
from referee.errors import PictureError
from tests.hardware.eyetest import film, play

SPOTS_MM = np.array([(-152.0, -118.0), (152.0, -118.0), (-48.0, 0.0), (48.0, 0.0), (-152.0, 118.0), (152.0, 118.0)])


def off_mm(mat: str, table_top: str = "felt green") -> np.ndarray:
    """How far each spot of the found table is from where it really is."""
    look = replace(Look(), deck="club", mat=mat, table_top=table_top)
    renderer, [frame] = film(play(until_ms=1235), look)
    found = find_table(frame.image, renderer.deck.size_mm)
    return np.linalg.norm(found.to_mm(renderer.table().to_px(SPOTS_MM)) - SPOTS_MM, axis=1)


def test_the_printed_mat_places_every_spot_within_two_millimetres():
    assert off_mm("printed").max() < 2.0


def test_without_a_mat_the_cards_themselves_place_every_spot_within_ten_millimetres():
    assert off_mm("none").max() < 10.0


def test_the_residual_of_the_printed_mat_is_known_and_without_a_mat_it_is_not():
    renderer, [frame] = film(play(until_ms=1235), replace(Look(), deck="club", mat="printed"))
    residual = find_table(frame.image, renderer.deck.size_mm).residual_mm
    assert residual is not None
    assert residual < 1.5
    renderer, [frame] = film(play(until_ms=1235), replace(Look(), deck="club", mat="none"))
    assert find_table(frame.image, renderer.deck.size_mm).residual_mm is None


def test_a_picture_without_a_table_is_one_sentence_with_its_cure():
    nothing = np.full((720, 1280, 3), 90, np.uint8)
    with pytest.raises(PictureError, match=r"calibrate corners.*--table"):
        find_table(nothing)
