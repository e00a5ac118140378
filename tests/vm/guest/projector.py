"""Plays the film into the simulated camera, as told on standard input; runs inside the machine.

still N          the eight pictures from N on, over and over: a table on which nothing moves
play N           from picture N to the end, then still; answers with the moment at which the last one was shown
frozen           the same picture over and over, noise and all: a camera whose driver hangs
slow             a still table at a third of the rate
small            a still table of half the size: what a camera may fall back to when it is plugged in again
unplugged        the camera is gone

The camera's path is a link, as udev makes one of a real camera; it leads to one of two loopback devices, each with
pictures of one size: such a device does not change its size while somebody reads it.
"""

import fcntl
import json
import os
import struct
import sys
import threading
import time
from pathlib import Path

CAMERA = Path("/run/camera")
WHOLE, SMALL = "/dev/video0", "/dev/video1"
SET_FORMAT, OUTPUT, YUYV, PROGRESSIVE = 0xC0D05605, 2, 0x56595559, 1


class Projector:
    """Shows pictures until told otherwise."""

    def __init__(self, film, index):
        self.film, self.index = film, index
        self.width, self.height = index["size_px"]
        self.bytes = self.width * self.height * 2
        self.devices = {
            WHOLE: self.open(WHOLE, self.width, self.height),
            SMALL: self.open(SMALL, self.width // 2, self.height // 2),
        }
        self.tell("still", 0)

    def run(self):
        due = time.monotonic()
        while True:
            command, number = self.command, self.number
            due = max(due + (3 if command == "slow" else 1) / self.index["fps"], time.monotonic() - 0.2)
            time.sleep(max(0, due - time.monotonic()))
            if command == "unplugged":
                CAMERA.unlink(missing_ok=True)
            else:
                self.show(command, number)

    def show(self, command, number):
        device = SMALL if command == "small" else WHOLE
        os.write(self.devices[device], self.smaller(number) if command == "small" else self.picture(number))
        if not CAMERA.is_symlink() or str(CAMERA.readlink()) != device:
            CAMERA.unlink(missing_ok=True)
            CAMERA.symlink_to(device)
        if (command, number) != (self.command, self.number):
            return  # told otherwise meanwhile
        if command == "play" and number == self.index["frames"] - 1:
            print(time.monotonic_ns(), flush=True)
            self.tell("still", self.index["frames"] - self.index["still"])
        elif command == "play":
            self.number = number + 1
        elif command != "frozen":
            self.number = self.first + (number + 1 - self.first) % self.index["still"]

    def tell(self, command, number=None):
        self.first = self.number if number is None else number
        self.command, self.number = command, self.first

    def picture(self, number):
        return self.film[number * self.bytes : (number + 1) * self.bytes]

    def smaller(self, number):
        picture = self.picture(number)
        lines = (picture[y * self.width * 2 :][: self.width * 2] for y in range(0, self.height // 2 * 2, 2))
        return b"".join(line[: self.width] for line in lines)

    @staticmethod
    def open(path, width, height):
        """Open a device for pictures of a size."""
        device = os.open(path, os.O_RDWR)
        layout = bytearray(208)
        struct.pack_into("I", layout, 0, OUTPUT)
        struct.pack_into("8I", layout, 8, width, height, YUYV, PROGRESSIVE, width * 2, width * height * 2, 8, 0)
        fcntl.ioctl(device, SET_FORMAT, layout)
        return device


def main():
    index = json.loads(Path("/host/film.json").read_text())
    with Path("/dev/vdb").open("rb") as file:
        film = memoryview(file.read(index["frames"] * index["size_px"][0] * index["size_px"][1] * 2))
    projector = Projector(film, index)
    threading.Thread(target=projector.run, daemon=True).start()
    for line in sys.stdin:
        command, *number = line.split()
        projector.tell(command, *map(int, number))


if __name__ == "__main__":
    main()
