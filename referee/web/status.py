"""How the table is doing, in words: camera, pads, power and heat, disk, clock; each with its cure."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Final

from calibration.camera import cure_of_late_pictures
from calibration.light import light_now
from hardware.checks.machine import clock, disk, power
from hardware.checks.report import Answer, fail, ok, skip, warn
from hardware.frames import Frame
from hardware.rig import RigStatus
from hardware.tablefile import Table
from referee.settings import Settings

Named = tuple[str, Answer]

OLD_MS: Final = 300.0
BEHIND: Final = 100
HOT_C: Final = 80.0
HEAT: Final = Path("/sys/class/thermal/thermal_zone0/temp")
AGAIN_S: Final = 15.0
"""Disk, power and clock are looked at only so often."""
LIGHT_S: Final = 2.0
NO_PICTURE: Final = skip("no picture yet")


def rig_answers(status: RigStatus | None) -> list[Named]:
    """Return what camera and pads are like; `None`: nothing runs."""
    if status is None:
        return [("camera", skip("not running")), ("pads", skip("not running"))]
    return [("camera", _camera(status)), ("pads", _pads(status))]


def _camera(status: RigStatus) -> Answer:
    if status.camera_lost:
        says, _, cure = status.camera_lost.partition("; ")
        return fail(f"lost: {says}", cure or "check its plug and cable")
    says = f"{status.fps:.0f} pictures a second, {status.age_ms:.0f} ms old"
    if status.complaints:
        trouble, _, cure = status.complaints[-1].partition("; ")
        return warn(f"{says}; {trouble}", cure or "see `spit-referee check`")
    return warn(says, cure_of_late_pictures(status.camera)) if status.age_ms > OLD_MS else ok(says)


def _pads(status: RigStatus) -> Answer:
    if status.pads_lost:
        says, _, cure = status.pads_lost.partition("; ")
        return fail(f"lost: {says}", cure or "check the wires with the step Wires")
    down = f", pressed: {' '.join(map(str, status.down))}" if status.down else ""
    if status.waiting > BEHIND:
        return warn(f"{status.waiting} observations wait", "this machine is too slow: stop other programs")
    return ok(f"{status.pads}{down}")


def heat(_: Settings) -> Answer:
    """The processor's temperature, where the kernel tells it."""
    try:
        degrees = int(HEAT.read_text()) / 1000
    except (OSError, ValueError):
        return skip("not told by this machine")
    says = f"{degrees:.0f} °C"
    return warn(says, "give the board a heat sink and air") if degrees > HOT_C else ok(says)


class Light:
    """How the table is lit, by the camera's picture of every few seconds."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._looked, self._answer = float("-inf"), NO_PICTURE

    def answer(self, frame: Frame | None, table: Table | None) -> Answer:
        """Return what the light is like; a picture is looked at only so often."""
        if frame is None:
            self._looked = float("-inf")
            return NO_PICTURE
        if self._now() - self._looked > LIGHT_S:
            self._looked, self._answer = self._now(), light_now(frame.image, table)
        return self._answer


class Machine:
    """Power, heat, disk and clock, asked again every few seconds by a thread: other programs may take their time."""

    def __init__(self, settings: Callable[[], Settings], now: Callable[[], float] = monotonic) -> None:
        self._settings, self._now = settings, now
        self._asked = float("-inf")
        self._answers: list[Named] = [(name, skip("being asked")) for name, _ in QUESTIONS]

    def answers(self) -> list[Named]:
        """Return what the machine was like when it was asked last; never waits."""
        if self._now() - self._asked > AGAIN_S:
            self._asked = self._now()
            Thread(target=self.ask, name="machine", daemon=True).start()
        return self._answers

    def ask(self) -> None:
        """Ask now."""
        settings = self._settings()
        self._answers = [(name, question(settings)) for name, question in QUESTIONS]


QUESTIONS: Final[tuple[tuple[str, Callable[[Settings], Answer]], ...]] = (
    ("power", power),
    ("heat", heat),
    ("disk", disk),
    ("clock", clock),
)
