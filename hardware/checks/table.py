"""The checks in the order in which they are printed: what others rest on comes first."""

from collections.abc import Iterator
from typing import Final

from hardware.checks import devices, machine, software
from hardware.checks.report import Answer, Check
from referee.settings import Settings

CHECKS: Final = (
    Check("python", software.python),
    Check("opencv", software.opencv),
    Check("reader", software.reader),
    Check("gpio", software.gpio_packages),
    Check("picamera", software.picamera),
    Check("groups", devices.groups),
    Check("chip", devices.chip),
    Check("pads", devices.pads),
    Check("lights", devices.lights),
    Check("usb", devices.usb),
    Check("camera", devices.camera),
    Check("table", machine.table),
    Check("delay", machine.delay),
    Check("disk", machine.disk),
    Check("films", machine.films),
    Check("clock", machine.clock),
    Check("power", machine.power),
    Check("pages", machine.pages),
    Check("service", machine.service),
)


def run_checks(settings: Settings) -> Iterator[tuple[Check, Answer]]:
    """Yield each check with its answer, as it comes."""
    for check in CHECKS:
        yield check, check.ask(settings)
