"""What the calibration says of the camera: a stub that films, and views with known geometry."""

from collections.abc import Iterator

import numpy as np
import pytest

from calibration.camera import film, frame_answer, height_answer, stream_answers, turn_answer, turn_deg, view_answers
from hardware.frames import Frame
from hardware.simulated.view import Camera, View
from hardware.tablefile import POKER_MM, Table
from referee.errors import DeviceError
from referee.settings import CameraSection


class StubCamera:
    """Sends gray pictures, `late_ns` old, `gap_ns` apart."""

    name, size_px, fps = "stub", (64, 36), 30.0

    def __init__(self, gap_ns: int = 33_333_333, late_ns: int = 20_000_000, broken: bool = False) -> None:
        self.complaints = ["the camera ignores manual focus; watch the readings"]
        self.now_ns, self._gap_ns, self._late_ns, self._broken = 0, gap_ns, late_ns, broken
        self.closed = False

    def open(self) -> None:
        if self._broken:
            raise DeviceError("no camera is there; plug one in")

    def read(self) -> Frame:
        self.now_ns += self._gap_ns
        return Frame(self.now_ns - self._late_ns, np.full((36, 64, 3), 90, np.uint8), 0)

    def close(self) -> None:
        self.closed = True


def filmed_by(camera: StubCamera) -> Iterator[tuple[str, str]]:
    filmed = film(CameraSection(), 20, lambda settings: camera, lambda: camera.now_ns)
    return ((name, answer.state) for name, answer in stream_answers(filmed, CameraSection()))


def table(camera: Camera | None = None) -> Table:
    return View(camera or Camera()).table(POKER_MM)


def test_a_steady_camera_is_good_and_its_complaints_are_passed_on() -> None:
    camera = StubCamera()
    assert list(filmed_by(camera)) == [("camera", "OK"), ("camera", "WARN"), ("rate", "OK"), ("age", "OK")]
    assert camera.closed


def test_a_slow_and_late_camera_is_told() -> None:
    told = dict(list(filmed_by(StubCamera(gap_ns=100_000_000, late_ns=700_000_000)))[2:])
    assert told == {"rate": "WARN", "age": "WARN"}


def test_a_missing_camera_is_closed_and_said() -> None:
    camera = StubCamera(broken=True)
    with pytest.raises(DeviceError, match="plug one in"):
        film(CameraSection(), 3, lambda settings: camera)
    assert camera.closed


@pytest.mark.parametrize(("height_mm", "state"), [(500, "OK"), (800, "WARN"), (1200, "FAIL")])
def test_height_is_told_as_pixels_per_millimetre(height_mm: float, state: str) -> None:
    assert height_answer(table(Camera(height_mm=height_mm))).state == state


@pytest.mark.parametrize(("roll_deg", "state"), [(2, "OK"), (20, "WARN"), (90, "FAIL"), (180, "WARN")])
def test_a_turned_camera_is_told(roll_deg: float, state: str) -> None:
    seen = table(Camera(roll_deg=roll_deg))
    assert abs(turn_deg(seen)) == pytest.approx(roll_deg, abs=0.5)
    assert turn_answer(seen).state == state


def test_a_row_that_runs_out_of_the_picture_is_named() -> None:
    assert frame_answer(table()).state == "OK"
    assert "p2's row" in frame_answer(table(Camera(height_mm=560.0, aim_mm=(0.0, -90.0)))).says


def test_a_table_file_for_another_size_is_refused() -> None:
    answers = dict(view_answers(np.full((480, 640, 3), 90, np.uint8), table()))
    assert answers["table"].state == "FAIL"
