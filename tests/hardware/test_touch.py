"""When cards touched that were thrown, pushed after they landed, or covered, at the simulated table."""

from dataclasses import replace

from hardware.simulated.look import Look
from referee.observations import CardLanded
from referee.script import Knock
from tests.hardware.eyetest import MS, film, lay, play, watch

FRAME_MS = 1e3 / 30
LOOK = replace(Look(), deck="club", noise=1.5)


def touches(*actions, until_ms: float, look: Look = LOOK) -> list[tuple[float, float, float]]:
    """The moments of all landings in ms: the likeliest, the earliest and the latest."""
    seen = watch(*film(play(*actions, until_ms=until_ms), look, from_ms=1400))
    landed = [one for one in seen if isinstance(one, CardLanded)]
    return [(one.at_ns / MS, one.earliest_ns / MS, one.latest_ns / MS) for one in landed]


def test_R31_a_thrown_card_touched_when_it_began_to_slide_not_when_it_lay_still():
    [(at, earliest, latest)] = touches(lay(2000, "p1", 1, "A", "7H"), until_ms=2900, look=replace(LOOK, tossed=1.0))
    assert abs(at - 2000) < FRAME_MS
    assert earliest <= 2000 <= latest < earliest + 150


def test_R31_a_card_that_a_hand_lays_down_is_known_to_a_few_milliseconds():
    [(at, earliest, latest)] = touches(lay(2000, "p2", 3, "B", "JH"), until_ms=2900)
    assert abs(at - 2000) < 12
    assert earliest <= 2000 <= latest < earliest + 50


def test_R31_a_card_that_is_pushed_right_after_it_landed_touched_before_it_was_pushed():
    knock = Knock(at_ns=2330 * MS, start_ns=2060 * MS, player="p2", pile="A", dx_mm=5.0, dy_mm=-4.0, angle_deg=2.0)
    [(at, earliest, latest)] = touches(lay(2000, "p1", 1, "A", "7H"), knock, until_ms=3200)
    assert abs(at - 2000) < FRAME_MS
    assert earliest <= 2000 <= latest
