"""From settings to pads."""

from hardware.gpio import find_header_chip, has_gpiod
from hardware.pads.debounce import ContactRules
from hardware.pads.edges import MILLISECOND, Pad, PadBackend
from hardware.pads.gpiod_pads import GpiodPads
from hardware.pads.gpiozero_pads import GpiozeroPads
from hardware.pads.mock_pads import MockPads
from referee.settings import PadsSection


def pads_of(settings: PadsSection) -> tuple[Pad, ...]:
    """Return the pads of this table: four, or two shared ones."""
    return tuple(Pad(*pad) for pad in settings.pins())


def contact_rules(settings: PadsSection) -> ContactRules:
    """Return what makes a contact a slap, as set."""
    return ContactRules(
        minimum_ns=round(settings.minimum_contact_us * 1_000),
        bounce_gap_ns=round(settings.bounce_gap_ms * MILLISECOND),
        release_ns=round(settings.release_ms * MILLISECOND),
    )


def pad_backend(settings: PadsSection) -> PadBackend:
    """Return the backend as set. `auto`: gpiod on a header, else gpiozero, else DeviceError with the cure."""
    pins = {Pad(*pad): pin for pad, pin in settings.pins().items()}
    match settings.backend:
        case "mock" | "none":
            return MockPads(tuple(pins))
        case "gpiozero":
            return GpiozeroPads(pins)
        case "gpiod":
            return GpiodPads(pins)
        case "auto":
            return best_backend(pins)


def best_backend(pins: dict[Pad, int]) -> PadBackend:
    """Return gpiod where its package is there and gpiozero otherwise; raises DeviceError where there is no header."""
    if not has_gpiod():
        return GpiozeroPads(pins)
    find_header_chip()  # where there is no header, it is said now
    return GpiodPads(pins)  # and looks for its chip whenever it opens: one that came back may have another number
