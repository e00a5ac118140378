"""Pads pressed in turn, and who sits where: mock pads, pressed from another thread as a hand would."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import numpy as np
import pytest

from calibration.sides import at_bottom, settled, turned_round
from calibration.wires import Press, as_asked, judged, listening, pads_in_turn
from hardware.pads import MockPads, Pad
from hardware.simulated.view import Camera, View
from hardware.tablefile import POKER_MM
from referee.errors import DeviceError
from referee.settings import PadsSection

SETTINGS = PadsSection(backend="mock")
SECOND = 1_000_000_000
P1A, P1B, P2A, P2B = pads_in_turn(SETTINGS)
TABLE = View(Camera()).table(POKER_MM)


@contextmanager
def pressing(pads: MockPads, pad: Pad, contact_ms: float = 40.0) -> Iterator[None]:
    hand = Timer(0.15, pads.slap, (pad, None, contact_ms))
    hand.start()
    yield
    hand.join()


def test_a_press_is_felt_with_its_contact_time() -> None:
    pads = MockPads()
    with listening(pads, SETTINGS) as listener, pressing(pads, P1A):
        press = listener.press(20 * SECOND)
    assert press is not None
    assert press.pad == P1A
    assert press.contact_ns is not None and press.contact_ns >= 30_000_000


def test_nobody_presses() -> None:
    with listening(MockPads(), SETTINGS) as listener:
        assert listener.press(SECOND // 20) is None


def test_pads_that_cannot_be_had_are_said_at_once() -> None:
    pads = MockPads()
    pads.broken = True
    with pytest.raises(DeviceError, match="mend"), listening(pads, SETTINGS):
        pass


def test_the_right_pad_pressed_cleanly_is_good() -> None:
    answer = judged(P1A, Press(P1A, 45_000_000, 2), SETTINGS)
    assert answer.state == "OK"
    assert answer.says == "GPIO17 closed for 45 ms, bounced 2 times"


def test_two_wires_crossed_are_told_by_their_pins_with_both_cures() -> None:
    answer = judged(P1A, Press(P2A, 45_000_000, 0), SETTINGS)
    assert (answer.state, "GPIO22" in answer.says, "GPIO17" in answer.says) == ("FAIL", True, True)
    assert "pads.p1_a_pin and pads.p2_a_pin" in answer.cure


@pytest.mark.parametrize(
    ("press", "state", "word"),
    [
        (None, "FAIL", "GPIO27"),
        (Press(P1B, None, 0), "FAIL", "stays closed"),
        (Press(P1B, 40_000_000, 40), "WARN", "bounced 40"),
        (Press(P1B, 40_000_000, 1, ("pad p1/B closed too briefly for a slap",)), "WARN", "too briefly"),
        (Press(P1B, 40_000_000, 1, (), True), "WARN", "edge was lost"),
    ],
)
def test_what_is_wrong_with_a_wire_is_said(press: Press | None, state: str, word: str) -> None:
    answer = judged(P1B, press, SETTINGS)
    assert answer.state == state
    assert word in answer.says
    assert answer.cure


def test_left_and_right_are_as_the_owner_sits() -> None:
    assert [as_asked(pad) for pad in (P1A, P2A)] == ["p1's left pad (pile A)", "p2's right pad (pile A)"]
    assert [as_asked(pad) for pad in pads_in_turn(PadsSection(shared=True))] == [
        "the pad of pile A",
        "the pad of pile B",
    ]


def test_the_table_file_stays_if_p1_sits_at_the_bottom_edge() -> None:
    same, answer = settled(TABLE, P1A)
    assert same is TABLE
    assert answer.state == "OK"


def test_the_table_file_is_turned_round_if_p2_sits_at_the_bottom_edge() -> None:
    turned, answer = settled(TABLE, P2B)
    assert answer.state == "OK"
    assert (at_bottom(TABLE), at_bottom(turned), turned.rotation_deg) == ("p1", "p2", 180)
    assert turned.to_px(turned.piles["A"].mean(axis=0)[None]) == pytest.approx(
        TABLE.to_px(TABLE.piles["B"].mean(axis=0)[None])
    )
    assert turned_round(turned).homography_mm_to_px == pytest.approx(np.asarray(TABLE.homography_mm_to_px))


def test_a_players_two_pads_crossed_are_told_and_nothing_is_turned() -> None:
    same, answer = settled(TABLE, P1B)
    assert same is TABLE
    assert (answer.state, "pile B" in answer.says) == ("FAIL", True)
