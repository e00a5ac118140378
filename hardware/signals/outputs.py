"""Where signals come out: lights and buzzer on pins, or a recorder. All are dark and silent after `close`."""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic_ns
from typing import Any, Final, Literal, Protocol

from hardware.gpio import close_factory, gpio_errors, real_factory
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
    """Lights and buzzer on the header's pins, used below gpiozero's LED and Buzzer, which cannot be closed any more
    once their chip is gone.

    A passive buzzer is driven as a plain PWM pin, whose 0 really ends low: gpiozero's TonalBuzzer leaves the pin high
    about every second time, and a magnetic buzzer then draws current all night.
    """

    def __init__(self, settings: SignalsSection, factory: Callable[[], Any] = real_factory) -> None:
        self._factory = factory()
        self.name = f"gpiozero over {type(self._factory).__name__.removesuffix('Factory')}"
        self._duty = settings.volume_percent / 200
        self._kind: Literal["passive", "active", "none"] = settings.buzzer
        self._hz = 0
        self._buzzer: Any = None
        try:
            self._p1 = [self._take(pin) for pin in settings.led_p1_rgb_pins or [settings.led_p1_pin]]
            self._p2 = [self._take(pin) for pin in settings.led_p2_rgb_pins or [settings.led_p2_pin]]
            if self._kind != "none":
                self._buzzer = self._take(settings.buzzer_pin)
            if self._kind == "passive":
                self._buzzer.frequency = 440
        except gpio_errors() as error:
            self.close()
            cure = "end the other program that holds the pin, or give it another one in the settings"
            raise DeviceError(f"a light or the buzzer cannot be used ({error}); {cure}") from None

    def _take(self, number: int) -> Any:
        pin = self._factory.pin(number)
        pin.output_with_state(False)
        return pin

    def show(self, output: Output) -> None:
        """Bring lights and buzzer to this state."""
        try:
            set_light(self._p1, output.p1, output.p1_colour)
            set_light(self._p2, output.p2, output.p2_colour)
            if self._buzzer is not None and output.hz != self._hz:
                self._sound(output.hz)
        except gpio_errors() as error:
            raise DeviceError(f"lights and buzzer stopped answering ({error}); check the wiring") from None
        self._hz = output.hz

    def _sound(self, hz: int) -> None:
        if self._kind == "active":
            self._buzzer.state = hz > 0
        elif hz:
            self._buzzer.frequency = hz
            self._buzzer.state = self._duty
        else:
            self._buzzer.state = 0

    def close(self) -> None:
        """Dark and silent, pins given back."""
        for pin in self._factory.pins.values():
            with suppress(*gpio_errors()):  # one that is gone must not keep the others on
                pin.state = False
                pin.frequency = None
        close_factory(self._factory)


RGB: Final[dict[Colour, tuple[int, int, int]]] = {
    "white": (1, 1, 1),
    "green": (0, 1, 0),
    "yellow": (1, 1, 0),
    "red": (1, 0, 0),
    "blue": (0, 0, 1),
}


def set_light(pins: Sequence[Any], burns: bool, colour: Colour) -> None:
    """Switch a light: one pin for a plain one, three for one with colours."""
    levels = (True,) if len(pins) == 1 else RGB[colour]
    for pin, level in zip(pins, levels, strict=True):
        pin.state = bool(burns and level)


class LastingOutputs:
    """Outputs that come back: lost ones are made anew at once, and then at every `show`, until `make` can.

    Nobody notices a chip that went and came back between two signals; so the signal that finds it out is still shown.
    `make` raises DeviceError while it cannot.
    """

    def __init__(self, make: Callable[[], Outputs], *, now: bool = True) -> None:
        """`now`: made at once, which may raise DeviceError; else at the first `show`."""
        self._make = make
        self._outputs: Outputs | None = make() if now else None
        self.name = self._outputs.name if self._outputs is not None else "lights that are waited for"

    def show(self, output: Output) -> None:
        """Bring the pins to this state; raises DeviceError as long as they are gone."""
        if self._outputs is not None:
            try:
                self._outputs.show(output)
                return
            except DeviceError:
                self.close()
        self._outputs = self._make()
        self._outputs.show(output)

    def close(self) -> None:
        """Dark and silent, pins given back."""
        outputs, self._outputs = self._outputs, None
        if outputs is not None:
            outputs.close()


def outputs_of(settings: SignalsSection, *, now: bool = True) -> Outputs:
    """Return lights and buzzer as set; raises DeviceError with the cure where `auto` finds no pins.

    Without `now` it raises nothing: pins that are not there yet are looked for at every `show`.
    """
    if settings.backend in ("mock", "none"):
        return MockOutputs()
    return LastingOutputs(lambda: GpiozeroOutputs(settings), now=now)
