"""Pins that work and are still a poor choice: something else of the board may be on them."""

from pathlib import Path
from typing import Final, Literal

from hardware.checks.report import Answer, warn
from referee.settings import Settings, named_pins

ID_PINS: Final = (0, 1)
"""The firmware talks here to the memory of plug-on boards (HATs) at every boot."""
FUNCTIONS: Final = (
    ("I2C", (2, 3), "dev/i2c-1"),
    ("SPI", (7, 8, 9, 10, 11), "dev/spidev0.0"),
    ("the serial port", (14, 15), "dev/serial0"),
)
"""What the header's pins are, and the device that is there while it is switched on."""
NOT_ON_THE_HEADER: Final = "ttyAMA10"
"""The serial port of a Raspberry Pi 5 that has a plug of its own."""
HIGH_AT_BOOT: Final = (*range(9), 14)
"""Pulled up from power-on (BCM2835 ARM Peripherals, page 102), and 14 driven by the serial port while the Pi boots."""


def doubtful(settings: Settings, section: Literal["pads", "signals"], root: Path = Path("/")) -> Answer | None:
    """Return a warning about the first pin of a section that something else may use, or that is high while the Pi
    boots though a light or buzzer hangs on it; None where all is well."""
    for name, pin in named_pins(settings, section):
        if pin in ID_PINS:
            return warn(f"{name}: GPIO {pin} is kept for plug-on boards, which are asked there at boot", "use another")
        for what, pins, device in FUNCTIONS:
            node = root / device
            if pin in pins and node.exists() and node.resolve().name != NOT_ON_THE_HEADER:
                cure = "use another, or switch that off with `sudo raspi-config` (Interface Options)"
                return warn(f"{name}: GPIO {pin} belongs to {what}, which is switched on", cure)
        if section == "signals" and pin in HIGH_AT_BOOT:
            says = f"{name}: GPIO {pin} is high while the Pi boots: on until the referee starts"
            return warn(says, "use GPIO 9 or higher, but 14, for lights and buzzer")
    return None
