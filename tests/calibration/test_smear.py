"""A card carried over a table, exposed for a known time: how far it smears is measured, said, and cured."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.smear import Movement, Smear, smear_answer
from hardware.frames import Frame, Image
from hardware.simulated.deck import Deck
from referee.cards import Card

SIZE_PX = (480, 320)
PX_PER_MM = 1.4
CARD = Deck("tavern", PX_PER_MM).art(Card("AS")).astype(np.float32)
WOOD, MAT = (70.0, 105.0, 140.0), (200.0, 214.0, 176.0)
MOMENTS = 14
"""So many exposures of an instant make one picture."""


def table(cloth: tuple[float, float, float]) -> NDArray[np.float32]:
    """A cloth with a light stripe across it, as a table has."""
    picture = np.full((SIZE_PX[1], SIZE_PX[0], 3), cloth, np.float32)
    cv2.line(picture, (0, 60), (480, 90), (235, 235, 235), 5)
    return picture


def place_px(at_s: float, speed_mm_s: float, heading_deg: float) -> NDArray[np.float64]:
    """Where the middle of the card is: to and fro through the middle of the picture, fastest there."""
    swing = 90.0 * PX_PER_MM
    along = np.array([np.cos(np.radians(heading_deg)), np.sin(np.radians(heading_deg))])
    return np.array(SIZE_PX) / 2 + swing * np.sin(speed_mm_s * PX_PER_MM / swing * at_s) * along


def exposed(
    cloth: NDArray[np.float32], at_s: float, shutter_s: float, speed_mm_s: float, heading_deg: float, seed: int
) -> Image:
    """The mean of many instants while the shutter is open, through a lens, with noise."""
    mean = np.zeros_like(cloth)
    for moment in at_s + shutter_s * ((np.arange(MOMENTS) + 0.5) / MOMENTS - 0.5):
        x, y = place_px(float(moment), speed_mm_s, heading_deg) - np.array(CARD.shape[1::-1]) / 2
        move = np.array([[1, 0, x], [0, 1, y]], np.float64)
        card = cv2.warpAffine(CARD, move, SIZE_PX, flags=cv2.INTER_LINEAR)
        mean += (cloth * (1 - card[..., 3:] / 255) + card[..., :3] * 0.9) / MOMENTS
    lens = cv2.GaussianBlur(mean, (0, 0), 0.9)
    return np.clip(lens + np.random.default_rng(seed).normal(0, 2.0, lens.shape), 0, 255).astype(np.uint8)


def smear_of(
    shutter_ms: float,
    speed_mm_s: float = 800.0,
    heading_deg: float = 0.0,
    cloth: tuple[float, float, float] = WOOD,
    fps: float = 30.0,
) -> Smear | None:
    lying = table(cloth)
    movement = Movement([np.asarray(lying.astype(np.uint8))] * 3, lens_px=0.9)
    for n in range(24):
        image = exposed(lying, n / fps, shutter_ms / 1e3, speed_mm_s, heading_deg, n)
        movement.see(Frame(at_ns=round(n * 1e9 / fps), image=image, number=n))
    return movement.smear()


@pytest.mark.parametrize("shutter_ms", [4.0, 10.0, 20.0, 30.0])
def test_the_shutter_is_told_by_a_card_that_smears(shutter_ms: float) -> None:
    smear = smear_of(shutter_ms)
    assert smear is not None
    assert smear.exposure_ns / 1e6 == pytest.approx(shutter_ms, abs=0.8, rel=0.06)
    assert smear.speed_px_s / PX_PER_MM == pytest.approx(800.0, rel=0.08)
    assert smear.blur_px / PX_PER_MM == pytest.approx(0.8 * shutter_ms, abs=1.0, rel=0.1)


@pytest.mark.parametrize(
    "speed_mm_s, heading_deg, cloth, fps",
    [(450.0, 90.0, WOOD, 30.0), (1100.0, 35.0, WOOD, 30.0), (700.0, 20.0, MAT, 30.0), (900.0, 160.0, WOOD, 60.0)],
    ids=["slow, towards the other player", "fast and askew", "over the printed mat", "at 60 pictures a second"],
)
def test_it_does_not_matter_how_the_card_is_moved_nor_over_what(
    speed_mm_s: float, heading_deg: float, cloth: tuple[float, float, float], fps: float
) -> None:
    smear = smear_of(12.0, speed_mm_s, heading_deg, cloth, fps)
    assert smear is not None
    assert smear.exposure_ns / 1e6 == pytest.approx(12.0, abs=1.5)


def test_a_card_that_lies_or_none_at_all_tells_nothing() -> None:
    assert smear_of(20.0, speed_mm_s=0.0) is None
    lying = np.asarray(table(WOOD).astype(np.uint8))
    nobody = Movement([lying] * 3)
    for n in range(20):
        nobody.see(Frame(at_ns=n * 33_000_000, image=lying, number=n))
    assert nobody.smear() is None


@pytest.mark.parametrize(
    ("exposure_ms", "state"), [(8.3, "OK"), (10.0, "OK"), (16.7, "WARN"), (20.0, "WARN"), (33, "FAIL")]
)
def test_a_long_exposure_is_said_in_millimetres_and_cured_with_light(exposure_ms: float, state: str) -> None:
    answer = smear_answer(Smear(round(exposure_ms * 1e6), 900.0, 20), 1.5)
    assert answer.state == state
    assert f"yours smeared over {0.6 * exposure_ms:.0f} mm at 0.6 m/s" in answer.says
    assert f"(1 m/s) smears over {exposure_ms:.0f} mm" in answer.says
    assert state == "OK" or "brighter lamp" in answer.cure


def test_without_a_card_on_its_way_the_step_says_what_to_do() -> None:
    answer = smear_answer(None, None)
    assert answer.state == "SKIP" and "to and fro" in answer.says


def test_without_a_scale_the_exposure_is_still_told() -> None:
    assert smear_answer(Smear(10_000_000, 900.0, 20), None).says.startswith("the shutter is open for 10 ms")
