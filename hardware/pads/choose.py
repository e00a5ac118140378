"""From settings to pads."""

from hardware.gpio import find_header_chip, has_gpiod
from hardware.pads.debounce import ContactRules
from hardware.pads.edges import Pad, PadBackend
from hardware.pads.gpiod_pads import GpiodPads
from hardware.pads.gpiozero_pads import GpiozeroPads
from hardware.pads.mock_pads import MockPads
from referee.settings import PadsSection
from referee.units import MS


def pads_of(settings: PadsSection) -> tuple[Pad, ...]:
    """Return the pads of this table: four, or two shared ones."""
    return tuple(Pad(*pad) for pad in settings.pins())


def contact_rules(settings: PadsSection) -> ContactRules:
    """Return what makes a contact a slap, as set."""
    return ContactRules(
        minimum_ns=round(settings.minimum_contact_us * 1_000),
        bounce_gap_ns=round(settings.bounce_gap_ms * MS),
        release_ns=round(settings.release_ms * MS),
    )


def pad_backend(settings: PadsSection, *, now: bool = True) -> PadBackend:
    """Return the backend as set. `auto`: gpiod where its package is there and gpiozero otherwise.

    `now`: `auto` raises DeviceError with the cure where there is no header; else pins are looked for at each `open`.
    """
    pins = {Pad(*pad): pin for pad, pin in settings.pins().items()}
    match settings.backend:
        case "mock" | "none":
            return MockPads(tuple(pins))
        case "gpiozero":
            return GpiozeroPads(pins)
        case "gpiod":
            return GpiodPads(pins)
        case "auto":
            return best_backend(pins, now)


def best_backend(pins: dict[Pad, int], now: bool) -> PadBackend:
    """Return gpiod, which looks for its chip at each `open`: its number may be another one. Or gpiozero."""
    if not has_gpiod():
        return GpiozeroPads(pins)
    if now:
        find_header_chip()
    return GpiodPads(pins)
