"""Where signals come out: lights and buzzer on pins, or a recorder. All are dark and silent after `close`."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic_ns
from typing import Any, Final, Literal, Protocol

from hardware.gpio import gpio_errors, real_factory
from hardware.signals.mixer import DARK, Output
from referee.errors import DeviceError
from referee.settings import SignalsSection
from referee.signals import Colour


class Outputs(Protocol):
    """Two lights and a buzzer. `show` is called only when something changes."""

    name: str

    def show(self, output: Output) -> None:
        """Bring the pins to this state; raises DeviceError when they are gone."""

    def close(self) -> None:
        """Dark and silent, pins given back; may be called twice."""


class MockOutputs:
    """Keeps what was shown, with its moments, in `shown` as (at_ns, Output); the last `keep` of them, or all."""

    name = "mock"

    def __init__(self, clock: Callable[[], int] = monotonic_ns, keep: int | None = None) -> None:
        self.shown: deque[tuple[int, Output]] = deque(maxlen=keep)
        self.closed = False
        self._clock = clock

    @property
    def now(self) -> Output:
        return self.shown[-1][1] if self.shown else DARK

    def show(self, output: Output) -> None:
        """Keep it."""
        self.shown.append((self._clock(), output))

    def close(self) -> None:
        """Dark and silent."""
        self.show(DARK)
        self.closed = True


class GpiozeroOutputs:
    """Lights and buzzer on the header's pins.

    A passive buzzer is driven as a plain PWM pin, whose `off` really ends low: gpiozero's TonalBuzzer leaves the pin
    high about every second time, and a magnetic buzzer then draws current all night.
    """

    def __init__(self, settings: SignalsSection, factory: Callable[[], Any] = real_factory) -> None:
        import gpiozero

        self._factory = factory()
        self.name = f"gpiozero over {type(self._factory).__name__.removesuffix('Factory')}"
        self._duty = settings.volume_percent / 200
        self._buzzer: Any = None
        self._kind: Literal["passive", "active", "none"] = settings.buzzer
        self._rgb = (bool(settings.led_p1_rgb_pins), bool(settings.led_p2_rgb_pins))
        self._hz = 0
        try:
            self._p1 = self._light(settings.led_p1_pin, settings.led_p1_rgb_pins)
            self._p2 = self._light(settings.led_p2_pin, settings.led_p2_rgb_pins)
            if self._kind == "active":
                self._buzzer = gpiozero.Buzzer(settings.buzzer_pin, pin_factory=self._factory)
            elif self._kind == "passive":
                self._buzzer = gpiozero.PWMOutputDevice(settings.buzzer_pin, frequency=440, pin_factory=self._factory)
        except gpio_errors() as error:
            self._factory.close()
            cure = "end the other program that holds the pin, or give it another one in the settings"
            raise DeviceError(f"a light or the buzzer cannot be used ({error}); {cure}") from None

    def _light(self, pin: int, rgb_pins: tuple[int, ...]) -> Any:
        import gpiozero

        if rgb_pins:
            return gpiozero.RGBLED(*rgb_pins, pwm=False, pin_factory=self._factory)
        return gpiozero.LED(pin, pin_factory=self._factory)

    def show(self, output: Output) -> None:
        """Bring lights and buzzer to this state."""
        try:
            self._p1.value = light_value(output.p1, output.p1_colour, self._rgb[0])
            self._p2.value = light_value(output.p2, output.p2_colour, self._rgb[1])
            if self._buzzer is not None and output.hz != self._hz:
                self._sound(output.hz)
        except gpio_errors() as error:
            raise DeviceError(f"lights and buzzer stopped answering ({error}); check the wiring") from None
        self._hz = output.hz

    def _sound(self, hz: int) -> None:
        if not hz:
            self._buzzer.off()
        elif self._kind == "active":
            self._buzzer.on()
        else:
            self._buzzer.frequency = hz
            self._buzzer.value = self._duty

    def close(self) -> None:
        """Dark and silent, pins given back."""
        for device in (self._p1, self._p2, self._buzzer):
            if device is not None and not device.closed:
                for end in (device.off, device.close):
                    with suppress(*gpio_errors()):  # one that is gone must not keep the others on
                        end()
        with suppress(*gpio_errors()):
            self._factory.close()


RGB: Final[dict[Colour, tuple[int, int, int]]] = {
    "white": (1, 1, 1),
    "green": (0, 1, 0),
    "yellow": (1, 1, 0),
    "red": (1, 0, 0),
    "blue": (0, 0, 1),
}


def light_value(burns: bool, colour: Colour, is_rgb: bool) -> bool | tuple[int, int, int]:
    """Return what gpiozero wants to hear of a plain or a coloured light."""
    if not is_rgb:
        return burns
    return RGB[colour] if burns else (0, 0, 0)


class LastingOutputs:
    """Outputs that come back: lost ones are made anew at the next `show`. `make` raises DeviceError while it cannot."""

    def __init__(self, make: Callable[[], Outputs]) -> None:
        self._make = make
        self._outputs: Outputs | None = make()
        self.name = self._outputs.name

    def show(self, output: Output) -> None:
        """Bring the pins to this state; raises DeviceError as long as they are gone."""
        if self._outputs is None:
            self._outputs = self._make()
        try:
            self._outputs.show(output)
        except DeviceError:
            self.close()
            raise

    def close(self) -> None:
        """Dark and silent, pins given back."""
        outputs, self._outputs = self._outputs, None
        if outputs is not None:
            outputs.close()


def outputs_of(settings: SignalsSection) -> Outputs:
    """Return lights and buzzer as set; raises DeviceError with the cure where `auto` finds no pins."""
    if settings.backend in ("mock", "none"):
        return MockOutputs()
    return LastingOutputs(lambda: GpiozeroOutputs(settings))
