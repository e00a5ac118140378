"""Pads through gpiozero over RPi.GPIO, as on boards without lgpio; runs inside the machine, with the referee's Python.

Says what it opened, reads edges until its input ends, and prints their stamps.
"""

import json
import select
import sys

from gpiozero.pins.rpigpio import RPiGPIOFactory

from hardware.pads.edges import Pad
from hardware.pads.gpiozero_pads import GpiozeroPads


def main():
    pads = GpiozeroPads({Pad("p1", "A"): 17}, RPiGPIOFactory)
    pads.open()
    print(json.dumps({"name": pads.name, "uncertainty_us": pads.uncertainty_ns // 1000}), flush=True)
    stamps_ns = []
    while not select.select([sys.stdin], [], [], 0)[0]:
        stamps_ns += [edge.at_ns for edge in pads.wait(50_000_000)]
    pads.close()
    print(json.dumps(stamps_ns))


if __name__ == "__main__":
    main()
