"""What the calibration says of lamps and lenses: rendered cards under good and bad light."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.light import (
    brightness,
    edge_width_px,
    evenness,
    flicker,
    glare,
    glare_map,
    glare_shares,
    light_answers,
    light_now,
    sharpness,
)
from hardware.frames import Image
from hardware.simulated.dealt import Light, deal_out
from hardware.simulated.deck import Deck
from hardware.simulated.view import Camera, View
from hardware.tablefile import POKER_MM
from hardware.vision.quads import card_quads
from referee.cards import PACK

GOOD = Light(exposure=0.85, slope=0.05, blur_px=0.7, noise=1.5)


def laid(light: Light = GOOD) -> Image:
    return deal_out(Deck("club", 1.5), PACK[:24], 6, 1, light).image


def gray(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def states(image: Image) -> dict[str, str]:
    return {name: answer.state for name, answer in light_answers([image])}


def test_a_good_lamp_is_good_in_every_respect_that_one_picture_can_tell() -> None:
    told = {"brightness": "OK", "glare": "OK", "evenness": "OK", "flicker": "SKIP", "sharpness": "OK"}
    assert states(laid()) == told


@pytest.mark.parametrize(("exposure", "state"), [(0.25, "FAIL"), (0.45, "WARN"), (0.85, "OK")])
def test_dim_paper_is_told_with_its_gray_level(exposure: float, state: str) -> None:
    image = laid(replace(GOOD, exposure=exposure))
    answer = brightness(gray(image), card_quads(image))
    assert answer.state == state
    assert f"{245 * exposure:.0f}"[:-1] in answer.says


@pytest.mark.parametrize(
    "exposure, state, says", [(0.85, "OK", "white paper"), (0.4, "WARN", "dim"), (0.2, "FAIL", "far too dark")]
)
def test_a_running_table_says_when_it_gets_dark(exposure: float, state: str, says: str) -> None:
    answer = light_now(laid(replace(GOOD, exposure=exposure)), None)
    assert answer.state == state and says in answer.says
    assert bool(answer.cure) == (state != "OK")


def test_a_running_table_says_when_a_lamp_mirrors_in_a_pile() -> None:
    image = laid()
    image[image.shape[0] // 3 :] = 255
    answer = light_now(image, None)
    assert answer.state == "WARN" and "burnt out" in answer.says


def test_a_lamp_at_one_side_is_told_and_cured() -> None:
    image = laid(replace(GOOD, slope=0.75))
    answer = evenness(gray(image), card_quads(image))
    assert answer.state in ("WARN", "FAIL")
    assert "lamp" in answer.cure


def test_glare_is_told_by_the_pile_on_which_it_lies() -> None:
    table = View(Camera()).table(POKER_MM)
    image = np.full((720, 1280, 3), 90, np.uint8)
    (x, y) = table.to_px(table.piles["B"].mean(axis=0)[None])[0]
    cv2.circle(image, (int(x), int(y)), 30, (255, 255, 255), -1)
    answer = glare(image, table)
    assert answer.state == "FAIL"
    assert "pile B" in answer.says
    assert glare_shares(image, table)["pile A"] == 0.0
    assert (glare_map(image)[int(y), int(x)] == (0, 0, 255)).all()
    assert image.max() == 255


@pytest.mark.parametrize(("swing", "state"), [(0.0, "OK"), (0.03, "WARN"), (0.12, "FAIL")])
def test_a_lamp_that_flickers_is_told_from_a_short_video(swing: float, state: str) -> None:
    rng = np.random.default_rng(3)
    bright = 120 * (1 + swing * np.sin(1.9 * np.arange(30)))
    images = [np.clip(rng.normal(b, 2.0, (90, 160, 3)), 0, 255).astype(np.uint8) for b in bright]
    assert flicker(images).state == state


def test_a_hand_on_one_side_is_no_flicker() -> None:
    images = [np.full((90, 160, 3), 120, np.uint8) for _ in range(12)]
    for n, image in enumerate(images):
        image[:, : 40 + 10 * (n % 2)] = 60
    assert flicker(images).state == "OK"


@pytest.mark.parametrize("blur_px", [0.8, 1.6, 2.6])
def test_the_width_of_a_cards_edge_follows_the_lens(blur_px: float) -> None:
    image = laid(replace(GOOD, blur_px=blur_px, noise=1.0))
    width = edge_width_px(gray(image), card_quads(image))
    assert width == pytest.approx(2.56 * blur_px, abs=0.9)


def test_out_of_focus_is_told_and_without_a_card_it_cannot_be_told() -> None:
    soft = laid(replace(GOOD, blur_px=2.6))
    assert sharpness(gray(soft), card_quads(soft)).state == "FAIL"
    assert sharpness(gray(soft), []).state == "SKIP"
