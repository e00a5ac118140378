"""Which camera looks at the table, and how well: size, rate, age, sharpness, height and turn."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from math import atan2, degrees
from time import monotonic_ns
from typing import Final

import cv2
import numpy as np

from calibration.corners import LEAST_PX_PER_MM
from calibration.light import Named, cards_lying, marker_quads, sharpness
from hardware.cameras.choose import one_camera
from hardware.cameras.port import Camera
from hardware.cameras.v4l2 import find_cameras
from hardware.checks.report import Answer, fail, ok, skip, warn
from hardware.frames import Frame, Image
from hardware.tablefile import Points, Table
from hardware.vision.tablefinder import find_table
from referee.errors import DeviceError, PictureError
from referee.settings import CameraSection

GOOD_PX_PER_MM: Final = 1.5
SLOW_MACHINE: Final = "this machine is too slow for the simulated table: end other programs"
OLD_NS: Final = 200_000_000
SLOW_SHARE: Final = 0.8
FIRST_FRAMES: Final = 8
"""So many pictures of a camera that does not warm up by itself are thrown away."""


@dataclass(frozen=True, slots=True)
class Filmed:
    """A few seconds of a camera."""

    name: str
    frames: list[Frame]
    age_ns: int
    """How old a picture was when it arrived, the median."""
    complaints: list[str]

    @property
    def fps(self) -> float:
        """Pictures a second, by their stamps."""
        span_ns = self.frames[-1].at_ns - self.frames[0].at_ns
        return (len(self.frames) - 1) * 1e9 / span_ns if span_ns > 0 else 0.0


def film(
    settings: CameraSection,
    count: int,
    make: Callable[[CameraSection], Camera] = one_camera,
    clock: Callable[[], int] = monotonic_ns,
) -> Filmed:
    """Return `count` pictures of the camera after its warm-up; raises DeviceError with the cure."""
    camera = make(settings)
    try:
        camera.open()
        for _ in range(FIRST_FRAMES):
            camera.read()
        frames, ages = [], []
        for _ in range(count):
            frames.append(camera.read())
            ages.append(clock() - frames[-1].at_ns)
        if not frames[-1].image.size:
            raise DeviceError(f"{camera.name} sends empty pictures; plug it in again")
        return Filmed(camera.name, frames, int(np.median(ages)), list(camera.complaints))
    finally:
        camera.close()


def cameras_there() -> Iterator[str]:
    """Yield the cameras of this machine as a person would name them in the settings."""
    for found in find_cameras():
        yield f"{found.path} ({found.card})"
    if find_spec("picamera2") is not None:
        yield "picamera2 (the ribbon camera, if one is plugged in)"


def stream_answers(filmed: Filmed, settings: CameraSection) -> list[Named]:
    """Return what the stream itself is like."""
    answers: list[Named] = [("camera", ok(filmed.name))]
    answers += [("camera", warn(*_halves(complaint))) for complaint in filmed.complaints]
    fps, age_ms = filmed.fps, filmed.age_ns / 1e6
    slow = fps < SLOW_SHARE * settings.fps
    says = f"{fps:.0f} pictures a second, {settings.fps:.0f} are asked for"
    more_light = cure_of_late_pictures(filmed.name, "give it more light, or a USB port of its own")
    answers.append(("rate", warn(says, more_light) if slow else ok(says)))
    says = f"a picture is {age_ms:.0f} ms old when it arrives"
    old = filmed.age_ns > OLD_NS
    answers.append(("age", warn(says, cure_of_late_pictures(filmed.name)) if old else ok(says)))
    return answers


def cure_of_late_pictures(camera: str, cure: str = "use another USB port, or a smaller picture") -> str:
    """Return what helps against late or few pictures; a simulated table has no light and no plug."""
    return SLOW_MACHINE if camera == "simulated" else cure


def view_answers(image: Image, table: Table | None) -> list[Named]:
    """Return what the picture itself is like; without a table file the table is looked for in it."""
    height, width = image.shape[:2]
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    edges = [*cards_lying(image, gray), *marker_quads(image)]
    answers: list[Named] = [("size", ok(f"{width}x{height} pixels")), ("sharpness", sharpness(gray, edges))]
    if table is not None and table.image_size_px != (width, height):
        cure = "set camera.width_px and height_px as they were, or run `spit-referee calibrate corners`"
        return [*answers, ("table", fail("the table file is for another picture size", cure))]
    try:
        seen = table or find_table(image)
    except PictureError:
        why = skip("no table found yet: lay the mat or the cards, then `spit-referee calibrate corners`")
        return [*answers, ("height", why), ("turn", why)]
    return [*answers, ("height", height_answer(seen)), ("turn", turn_answer(seen)), ("frame", frame_answer(seen))]


def height_answer(table: Table) -> Answer:
    """Is the camera low enough? Told as pixels per millimetre in the middle of the table."""
    scale = table.px_per_mm()
    says = f"{scale:.2f} pixels per millimetre"
    if scale < LEAST_PX_PER_MM:
        return fail(f"{says}: cards are too small", "lower the camera, or choose a larger picture in the settings")
    if scale < GOOD_PX_PER_MM:
        return warn(f"{says}: enough in good light", "lower the camera if both rows still fit into the picture")
    return ok(says)


def turn_deg(table: Table) -> float:
    """Return by how much p1's left-to-right runs askew in the picture, in degrees, clockwise, -180 to 180."""
    left, right = table.to_px(np.array([(-10.0, 0.0), (10.0, 0.0)]))
    return degrees(atan2(right[1] - left[1], right[0] - left[0]))


def turn_answer(table: Table) -> Answer:
    """Does p1 sit at the bottom edge of the picture?"""
    turn = turn_deg(table)
    if abs(turn) > 135:
        return warn("the picture stands on its head: p1 sits at the top", "turn the camera round, or leave it so")
    if abs(turn) > 45:
        return fail(f"the picture lies on its side ({turn:.0f} degrees)", "turn the camera by 90 degrees")
    if abs(turn) > 12:
        return warn(f"the picture is askew by {turn:.0f} degrees", "turn the camera until the rows run level")
    return ok(f"askew by {abs(turn):.0f} degrees")


def frame_answer(table: Table) -> Answer:
    """Are both rows and both piles inside the picture?"""
    width, height = table.image_size_px
    zones = {f"pile {pile}": zone for pile, zone in table.piles.items()}
    zones |= {f"{player}'s row": np.concatenate(table.rows[player]) for player in table.rows}
    outside = [name for name, zone in zones.items() if not _inside(table.to_px(zone), width, height)]
    if outside:
        return fail(f"{' and '.join(outside)} run out of the picture", "raise the camera or move it over the middle")
    return ok("both rows and both piles are in the picture")


def _inside(points_px: Points, width: int, height: int) -> bool:
    slack = 6.0
    return bool((points_px > -slack).all() and (points_px < (width + slack, height + slack)).all())


def _halves(complaint: str) -> tuple[str, str]:
    says, _, cure = complaint.partition("; ")
    return says, cure or "see `spit-referee check`"
