"""The table inside the machine, from the trial's side: pins to pull and to read, the camera's film, unit and log."""

import json
import os
import select
import shutil
import subprocess
import threading
import time
from pathlib import Path

UNIT = "spit-referee.service"
GAMES = Path("/var/lib/spit-referee/games")
PADS = {"p1/A": 17, "p1/B": 27, "p2/A": 22, "p2/B": 23}
LIGHTS = {"p1": 24, "p2": 25}
BUZZER = 18
CHIP = Path("/sys/kernel/config/gpio-sim/pi")
MS = 1_000_000
BELOW_INTERRUPTS = os.sched_param(40)
"""The kernel's interrupt threads have 50: an edge is stamped, but no program runs."""
STATE = Path("/var/lib/spit-referee")
SETTINGS = Path("/etc/spit-referee/settings.toml")
OURS = """
[storage]
games_dir = "/var/lib/spit-referee/games"
table_file = "/var/lib/spit-referee/table.toml"
reserve_mb = 0

[players]
p1 = "Ann"
p2 = "Ben"

[camera]
source = "/run/camera"
width_px = 960
height_px = 540
fps = 10.0
format = "YUYV"
"""
FPS = 10
FILM = json.loads(Path("/host/film.json").read_text())
END = FILM["frames"] - FILM["still"]
STILL = f"still {END}"
"""The end of the film: nobody moves."""


def until(true, seconds, pause=0.2):
    """Return the first answer that is not false; None when time is over. The one processor has other work to do."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := true():
            return answer
        time.sleep(pause)
    return None


class Pins:
    """The other side of the pins. A pad that is down pulls its pin to ground."""

    def __init__(self):
        self.files = {}
        for pin in PADS.values():
            self.write(pin, b"pull-up")

    def file(self, pin, what):
        if (pin, what) not in self.files:
            self.files[pin, what] = os.open(
                f"/run/pins/sim_gpio{pin}/{what}", os.O_RDWR if what == "pull" else os.O_RDONLY
            )
        return self.files[pin, what]

    def write(self, pin, level):
        os.pwrite(self.file(pin, "pull"), level, 0)

    def read(self, pin):
        return os.pread(self.file(pin, "value"), 1, 0) == b"1"

    def outputs(self):
        return {name: self.read(pin) for name, pin in {**LIGHTS, "buzzer": BUZZER}.items()}

    def are_dark(self):
        return not any(self.outputs().values())

    def slap(self, *pads, apart_us=0, contact_ms=60):
        """Press pads one after the other; return (before, after) of each press in ns."""
        moments = []
        os.sched_setscheduler(0, os.SCHED_FIFO, BELOW_INTERRUPTS)  # nobody gets the processor between two presses
        for pad in pads:
            while moments and time.monotonic_ns() < moments[0][0] + len(moments) * apart_us * 1000:
                pass
            before = time.monotonic_ns()
            self.write(PADS[pad], b"pull-down")
            moments.append((before, time.monotonic_ns()))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        time.sleep(contact_ms / 1000)
        for pad in pads:
            self.write(PADS[pad], b"pull-up")
        return moments

    def forget(self):
        """Close every file: the chip goes away, or came anew."""
        for file in self.files.values():
            os.close(file)
        self.files.clear()


class Watcher(threading.Thread):
    """Samples lights and buzzer every two milliseconds, in `changes`: (at_ns, name, level)."""

    def __init__(self, pins):
        super().__init__(daemon=True)
        self.pins, self.changes, self.over = pins, [], False

    def run(self):
        last = self.pins.outputs()
        while not self.over:
            now = self.pins.outputs()
            self.changes += [(time.monotonic_ns(), name, now[name]) for name in now if now[name] != last[name]]
            last = now
            time.sleep(0.002)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.join()

    def lit(self, name, from_ns=0):
        """Return how often a light went on, or the buzzer's pin rose."""
        return sum(1 for at_ns, who, level in self.changes if who == name and level and at_ns >= from_ns)


class Film:
    """The projector, a process of its own."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["python3", "/host/projector.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def played(self, seconds=120):
        """Wait until the film was shown to its end; return when."""
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise TimeoutError("the film did not come to its end")
        return int(self.process.stdout.readline())


def games():
    """Return the folders of all games."""
    return {path.parent for path in GAMES.glob("*/game.jsonl")}


class Game:
    """The newest game's log, read on as it grows."""

    def __init__(self):
        self.file = max(games(), key=lambda folder: folder.name) / "game.jsonl"
        self._read, self._lines = 0, []

    def lines(self):
        with self.file.open("rb") as log:
            log.seek(self._read)
            whole = log.read().rpartition(b"\n")[0]
        if whole:
            self._read += len(whole) + 1
            self._lines += [json.loads(line) for line in whole.splitlines() if line]
        return self._lines

    def all(self, kind, since=0, **want):
        return [
            line
            for line in self.lines()
            if line["kind"] == kind and line.get("n", 0) >= since and all(line.get(k) == v for k, v in want.items())
        ]

    def count(self):
        return max((line.get("n", 0) + 1 for line in self.lines()), default=0)

    def phase(self):
        return next((line["phase"] for line in reversed(self.lines()) if line["kind"] == "phase_changed"), "")

    def wait(self, kind, seconds, since=0, **want):
        found = until(lambda: self.all(kind, since, **want), seconds)
        return found[0] if found else None


def unit(*properties):
    """Return properties of the unit as systemd has them."""
    asked = [word for name in properties for word in ("-p", name)]
    lines = subprocess.run(["systemctl", "show", UNIT, *asked], capture_output=True, text=True).stdout.splitlines()
    return dict(line.split("=", 1) for line in lines)


def status():
    return unit("StatusText")["StatusText"]


def control(*words):
    return subprocess.run(["systemctl", *words, UNIT], capture_output=True, text=True).returncode


def journal():
    return subprocess.run(["journalctl", "-b", "-u", UNIT, "-o", "cat"], capture_output=True, text=True).stdout


def set_chip(label):
    """Take the GPIO chip away (None), or bring one with this label."""
    if label is None:
        (CHIP / "live").write_text("0")
        return
    (CHIP / "bank0" / "label").write_text(label)
    (CHIP / "live").write_text("1")
    place = Path("/sys/devices/platform") / (CHIP / "dev_name").read_text().strip()
    link = Path("/run/pins")
    link.unlink()
    link.symlink_to(place / (CHIP / "bank0" / "chip_name").read_text().strip())


def is_well(backend="gpiod"):
    """Return whether camera and pads work."""
    words = status()
    return f"{FPS} fps" in words and f"pads {backend}" in words and "LOST" not in words


def calibrate(settings=OURS):
    """Give it settings and a table file, and start it; return how long that took, None if it failed."""
    SETTINGS.write_text(settings)
    shutil.copy("/host/table.toml", STATE / "table.toml")
    shutil.chown(STATE / "table.toml", "spit-referee", "spit-referee")
    began = time.monotonic()
    return None if control("restart") else round(time.monotonic() - began, 1)
