"""What pads and signals share on the way to the header's pins: the chip, the pin factory, the errors, the cures."""

from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from hardware.pip import PIP
from referee.errors import DeviceError

HEADER_LABELS: Final = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835", "pinctrl-bcm2837")
"""Labels of the chip behind the 40-pin header; its number changed between boards and kernels."""

FACTORIES: Final = (
    ("lgpio", "gpiozero.pins.lgpio", "LGPIOFactory"),
    ("RPi.GPIO", "gpiozero.pins.rpigpio", "RPiGPIOFactory"),
)
GROUP_CURE: Final = "run `sudo usermod -aG gpio $USER` and log in again"


@cache
def gpio_errors() -> tuple[type[Exception], ...]:
    """Return everything that gpiozero and the libraries below it raise; lgpio's error derives from Exception alone."""
    found: list[type[Exception]] = [OSError, RuntimeError, ImportError, ValueError]
    for module, name in (("lgpio", "error"), ("gpiozero", "GPIOZeroError")):
        try:
            found.append(getattr(import_module(module), name))
        except (ImportError, AttributeError, OSError):
            continue
    return tuple(found)


def has_gpiod() -> bool:
    """Return whether gpiod 2 is there; libgpiod 1 of Debian 12 has a package of that name with another interface."""
    try:
        return hasattr(import_module("gpiod"), "request_lines")
    except ImportError:
        return False


def find_header_chip(device_dir: Path = Path("/dev")) -> Path:
    """Return the device of the chip with the header's pins, found by its label; raises DeviceError with the cure."""
    chips = sorted(path for path in device_dir.glob("gpiochip*") if not path.is_symlink())
    if not chips:
        raise DeviceError(
            "this machine has no GPIO pins; try `spit-referee run --simulate`, or set pads.backend = 'mock'"
        )
    try:
        import gpiod
    except ImportError:
        raise DeviceError(f"the Python package gpiod is missing; install it with `{PIP} install gpiod`") from None
    labels: dict[str, Path] = {}
    for path in chips:
        try:
            with gpiod.Chip(str(path)) as chip:
                labels[chip.get_info().label] = path
        except PermissionError:
            raise DeviceError(f"{path} may not be opened; {GROUP_CURE}") from None
        except OSError:
            continue
    for label in HEADER_LABELS:
        if label in labels:
            return labels[label]
    found = ", ".join(labels) or "none that opens"
    raise DeviceError(
        f"no GPIO chip here belongs to a Raspberry Pi's header (found: {found}); try `spit-referee run --simulate`"
    )


def header_chip_number() -> int | None:
    """Return N of the /dev/gpiochipN with the header's pins; None where that cannot be told."""
    try:
        return int(find_header_chip().name.removeprefix("gpiochip"))
    except DeviceError:
        return None


def real_factory() -> Any:
    """Return a gpiozero pin factory on real pins: lgpio, else RPi.GPIO; raises DeviceError with the cure.

    `GPIOZERO_PIN_FACTORY` has no say: a forgotten "mock" in the environment must not give pads that feel nothing.
    lgpio is told the chip: by itself it takes number 0 or, on a Pi 5, 4, and kernels have numbered otherwise.
    """
    reasons = []
    for name, module, factory in FACTORIES:
        try:
            make = getattr(import_module(module), factory)
            made = make(chip=header_chip_number()) if name == "lgpio" else make()
            made.pins = {}  # gpiozero lets all factories share one table: a dead chip's pins would be found in it again
            return made
        except gpio_errors() as error:
            reasons.append(f"{name}: {error}")
    raise DeviceError(f"gpiozero reaches no pins ({'; '.join(reasons)}); on a Pi: `sudo apt install python3-lgpio`")


def close_factory(factory: Any) -> None:
    """Give a factory's own pins back, also when their chip is gone; pads keep theirs when lights are closed."""
    for pin in factory.pins.values():
        with suppress(*gpio_errors()):
            pin.close()
    factory.pins.clear()
    if type(factory).__name__ != "RPiGPIOFactory":  # whose end switches off every pin of the process
        with suppress(*gpio_errors()):
            factory.close()
