"""Pads and lights through gpiozero's own lgpio factory, on a chip that is pulled out and comes back."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final

import pytest
from gpiozero.pins.local import LocalPiFactory

from hardware.gpio import close_factory, gpio_errors
from hardware.pads.edges import Pad
from hardware.pads.gpiozero_pads import GpiozeroPads
from hardware.signals.mixer import Output
from hardware.signals.outputs import GpiozeroOutputs, LastingOutputs
from referee.errors import DeviceError
from referee.settings import SignalsSection

INPUT, OUTPUT = 0, 2
PI_4: Final = 0xC03115
LIGHT_P1, PAD = 24, 17


class Chip:
    """lgpio's functions over one chip: `gone` while it is pulled out, and its old handles stay dead afterwards."""

    error = type("error", (Exception,), {})
    """Like lgpio's own, no OSError."""

    def __init__(self) -> None:
        self.gone = False
        self.levels: dict[int, Any] = {}
        self._alive: set[int] = set()
        self._claimed: dict[tuple[int, int], int] = {}
        self._handles = 0

    def pull_out(self) -> None:
        self.gone = True
        self._alive.clear()
        self.levels.clear()

    def gpiochip_open(self, _number: int) -> int:
        if self.gone:
            raise self.error("can not open gpiochip")
        self._handles += 1
        self._alive.add(self._handles)
        return self._handles

    def gpiochip_close(self, handle: int) -> None:
        self._alive.discard(handle)
        self._claimed = {(h, pin): mode for (h, pin), mode in self._claimed.items() if h != handle}

    def claim(self, handle: int, pin: int, mode: int) -> None:
        self._ask(handle)
        if any(p == pin and h != handle and h in self._alive for h, p in self._claimed):
            raise self.error("GPIO busy")
        self._claimed[handle, pin] = mode
        if mode == OUTPUT:
            self.levels[pin] = False

    def write(self, handle: int, pin: int, level: Any) -> None:
        self._ask(handle)
        if self._claimed.get((handle, pin)) != OUTPUT:
            raise self.error("GPIO not allocated")
        self.levels[pin] = level

    def mode(self, handle: int, pin: int) -> int:
        self._ask(handle)
        return self._claimed.get((handle, pin), INPUT)

    def read(self, handle: int, pin: int) -> int:
        self._ask(handle)
        return int(self.levels.get(pin, 1))

    def _ask(self, handle: int) -> None:
        if handle not in self._alive:
            raise self.error("unknown handle, or no such device")

    def as_module(self) -> SimpleNamespace:
        def ask(handle: int, *_: object) -> None:
            self._ask(handle)

        return SimpleNamespace(
            error=self.error,
            SET_PULL_NONE=0,
            SET_PULL_UP=1,
            SET_PULL_DOWN=2,
            BOTH_EDGES=3,
            RISING_EDGE=1,
            FALLING_EDGE=2,
            gpiochip_open=self.gpiochip_open,
            gpiochip_close=self.gpiochip_close,
            gpio_claim_input=lambda handle, pin, _flags=0: self.claim(handle, pin, INPUT),
            gpio_claim_output=lambda handle, pin: self.claim(handle, pin, OUTPUT),
            gpio_claim_alert=ask,
            gpio_set_debounce_micros=ask,
            gpio_free=ask,
            gpio_get_mode=self.mode,
            gpio_read=self.read,
            gpio_write=self.write,
            tx_pwm=lambda handle, pin, _hz, percent: self.write(handle, pin, percent > 0),
            callback=lambda *_: SimpleNamespace(cancel=lambda: None),
        )


@pytest.fixture
def chip(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chip]:
    chip = Chip()
    monkeypatch.setitem(sys.modules, "lgpio", chip.as_module())
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    monkeypatch.setattr(LocalPiFactory, "_get_revision", lambda _: PI_4)
    monkeypatch.setattr("hardware.gpio.header_chip_number", lambda: None if chip.gone else 0)
    gpio_errors.cache_clear()
    yield chip
    sys.modules.pop("gpiozero.pins.lgpio", None)
    gpio_errors.cache_clear()


def lights() -> GpiozeroOutputs:
    return GpiozeroOutputs(SignalsSection())


def test_lights_burn_again_at_the_first_signal_after_their_chip_was_away(chip: Chip) -> None:
    outputs = LastingOutputs(lights)
    outputs.show(Output(p1=True, hz=880))
    assert chip.levels[LIGHT_P1]
    chip.pull_out()
    for _ in range(3):
        with pytest.raises(DeviceError, match="no pins"):
            outputs.show(Output(p1=True))
    chip.gone = False
    outputs.show(Output(p1=True, hz=440))
    assert chip.levels == {24: True, 25: False, 18: True}


def test_lights_that_were_not_there_at_the_start_burn_once_they_are(chip: Chip) -> None:
    chip.pull_out()
    outputs = LastingOutputs(lights, now=False)
    with pytest.raises(DeviceError, match="no pins"):
        outputs.show(Output(p1=True))
    chip.gone = False
    outputs.show(Output(p1=True))
    assert chip.levels[LIGHT_P1]


def test_a_chip_that_came_back_unseen_costs_no_signal(chip: Chip) -> None:
    outputs = LastingOutputs(lights)
    outputs.show(Output(p1=True, hz=880))
    chip.pull_out()
    chip.gone = False
    outputs.show(Output(p2=True))
    assert chip.levels == {24: False, 25: True, 18: False}


def test_pads_over_gpiozero_come_back_with_their_chip(chip: Chip) -> None:
    pads = GpiozeroPads({Pad("p1", "A"): PAD})
    pads.open()
    chip.pull_out()
    with pytest.raises(DeviceError, match="stopped answering"):
        pads.levels()
    pads.close()
    chip.gone = False
    pads.open()
    chip.levels[PAD] = False
    assert pads.levels() == {Pad("p1", "A"): True}


def test_lights_that_are_closed_leave_the_pads_their_pins(chip: Chip) -> None:
    pads = GpiozeroPads({Pad("p1", "A"): PAD})
    pads.open()
    outputs = lights()
    outputs.close()
    assert pads.levels() == {Pad("p1", "A"): False}


def test_a_light_that_is_taken_is_one_sentence_and_gives_the_other_pins_back(chip: Chip) -> None:
    other = chip.gpiochip_open(0)
    chip.claim(other, 18, OUTPUT)
    with pytest.raises(DeviceError, match=r"\(GPIO busy\); .* give it another one"):
        lights()
    chip.gpiochip_close(other)
    lights().show(Output(p1=True))
    assert chip.levels[LIGHT_P1]


def test_old_boards_keep_their_pads_when_lights_are_closed() -> None:
    """The end of one RPi.GPIO factory would switch off every pin of the process."""
    closed: list[str] = []
    pin = SimpleNamespace(close=lambda: closed.append("pin"))
    kind = type("RPiGPIOFactory", (), {"close": lambda _: closed.append("everything")})
    factory = kind()
    factory.pins = {24: pin}
    close_factory(factory)
    assert closed == ["pin"]
