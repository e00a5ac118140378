"""Lights and buzzer switched on alone: crossed wires are named with their pins and both cures."""

from collections.abc import Mapping

import pytest

from calibration.lamps import lamps_in_turn, lamps_of
from hardware.signals import DARK, MockOutputs, Output
from referee.settings import SignalsSection

PLAIN = SignalsSection()
COLOURED = SignalsSection(led_p1_rgb_pins=(12, 16, 20))


def answers(
    settings: SignalsSection, crossed: Mapping[str, str]
) -> tuple[dict[str, tuple[str, str, str]], MockOutputs]:
    """What is found where a person sees `crossed[name]` light up instead of `name`."""
    outputs = MockOutputs()
    on = {lamp.on: lamp.name for lamp in lamps_of(settings)}

    def seen(names: list[str]) -> str:
        lit = on[outputs.now]
        assert lit in names
        return crossed.get(lit, lit)

    return {name: tuple(answer) for name, answer in lamps_in_turn(settings, outputs, seen)}, outputs


def test_each_is_switched_on_alone_and_all_is_dark_at_the_end() -> None:
    found, outputs = answers(PLAIN, {})
    assert list(found) == ["p1", "p2", "buzzer"]
    assert {state for state, _, _ in found.values()} == {"OK"}
    lit = [output for _, output in outputs.shown if output != DARK]
    assert lit == [Output(p1=True), Output(p2=True), Output(hz=880)]
    assert outputs.now == DARK and outputs.closed


def test_crossed_lights_are_told_with_both_cures() -> None:
    found, _ = answers(PLAIN, {"p1": "p2", "p2": "p1"})
    state, says, cure = found["p1"]
    assert (state, says) == ("FAIL", "GPIO24 is p2's, expected p1")
    assert "swap their two wires" in cure and "signals.led_p1_pin and signals.led_p2_pin" in cure
    assert found["buzzer"][0] == "OK"


def test_red_and_blue_of_one_light_in_the_other_order() -> None:
    found, _ = answers(COLOURED, {"p1 red": "p1 blue", "p1 blue": "p1 red"})
    state, says, cure = found["p1 red"]
    assert (state, says) == ("FAIL", "GPIO12 is p1 blue's, expected p1 red")
    assert "GPIO12 and GPIO20 in signals.led_p1_rgb_pins" in cure
    assert found["p1 green"][0] == found["p2"][0] == "OK"


@pytest.mark.parametrize(("name", "cure"), [("p2", "turn the LED round"), ("buzzer", 'signals.buzzer = "active"')])
def test_nothing_lights_or_sounds(name: str, cure: str) -> None:
    found, _ = answers(PLAIN, {name: "none"})
    assert found[name][0] == "FAIL" and cure in found[name][2]


def test_without_a_buzzer_none_is_asked_for() -> None:
    assert list(answers(SignalsSection(buzzer="none"), {})[0]) == ["p1", "p2"]


def test_whoever_stops_leaves_it_dark() -> None:
    outputs = MockOutputs()

    def leaves(_: list[str]) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(lamps_in_turn(PLAIN, outputs, leaves))
    assert outputs.now == DARK and outputs.closed
