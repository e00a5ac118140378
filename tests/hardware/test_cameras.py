"""Cameras: what they are asked for, what they do instead, and how their troubles are noticed, said and outlived."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread, active_count
from time import monotonic_ns, sleep
from types import ModuleType
from typing import Any, ClassVar

import cv2
import numpy as np
import pytest

from hardware.cameras.choose import watched_camera
from hardware.cameras.faulty import Fault, FaultyCamera, noise
from hardware.cameras.judge import PictureJudge
from hardware.cameras.locks import exposure_for, lock_exposure_focus_and_white
from hardware.cameras.picam import PiCamera
from hardware.cameras.v4l2 import Found, V4l2Camera, find_cameras
from hardware.cameras.watched import WatchedCamera
from hardware.frames import Frame
from referee.errors import DeviceError
from referee.observations import AnyObservation, SensorBack, SensorLost
from referee.settings import CameraSection

MS = 1_000_000


def wait_for(condition: Callable[[], Any], seconds: float = 6.0) -> None:
    for _ in range(int(seconds * 200)):
        if condition():
            return
        sleep(0.005)
    raise AssertionError("it never happened")


# V4L2 ----------------------------------------------------------------------------------------------------------------


class FakeCapture:
    """OpenCV's capture with a driver's habits."""

    def __init__(self, **habits: Any) -> None:
        self.values = {
            cv2.CAP_PROP_FRAME_WIDTH: 640.0,
            cv2.CAP_PROP_FRAME_HEIGHT: 480.0,
            cv2.CAP_PROP_FPS: 30.0,
            cv2.CAP_PROP_FOURCC: float(cv2.VideoWriter.fourcc(*"YUYV")),
            cv2.CAP_PROP_AUTO_EXPOSURE: 3.0,
            cv2.CAP_PROP_EXPOSURE: 156.0,
            cv2.CAP_PROP_AUTOFOCUS: 1.0,
            cv2.CAP_PROP_FOCUS: 40.0,
            cv2.CAP_PROP_AUTO_WB: 1.0,
            cv2.CAP_PROP_WB_TEMPERATURE: 4600.0,
            cv2.CAP_PROP_POS_MSEC: 0.0,
        }
        self.stubborn: set[int] = habits.get("stubborn", set())
        self.opens: bool = habits.get("opens", True)
        self.delivers: bool = habits.get("delivers", True)
        self.picture: Callable[[int], Any] | None = habits.get("picture")
        self.reads = 0
        self.stamp_ns: Callable[[], int] = habits.get("stamp_ns", lambda: monotonic_ns() - 20 * MS)
        self.set_order: list[int] = []
        self.released = False

    def isOpened(self) -> bool:
        return self.opens

    def set(self, prop: int, value: float) -> bool:
        self.set_order.append(prop)
        if prop not in self.stubborn:
            self.values[prop] = float(value)
        return True  # OpenCV says yes whatever the driver does

    def get(self, prop: int) -> float:
        return self.stamp_ns() / 1e6 if prop == cv2.CAP_PROP_POS_MSEC else self.values.get(prop, -1.0)

    def read(self) -> tuple[bool, Any]:
        self.reads += 1
        if self.picture is not None:
            return True, self.picture(self.reads)
        size = (int(self.values[cv2.CAP_PROP_FRAME_HEIGHT]), int(self.values[cv2.CAP_PROP_FRAME_WIDTH]), 3)
        return (True, np.full(size, 120, np.uint8)) if self.delivers else (False, None)

    def release(self) -> None:
        self.released = True


def v4l2(capture: FakeCapture, **settings: Any) -> V4l2Camera:
    return V4l2Camera(CameraSection(source="/dev/v4l/by-id/cam", **settings), lambda path: capture)


def test_size_format_and_rate_are_asked_for_and_checked() -> None:
    capture = FakeCapture()
    camera = v4l2(capture)
    camera.open()
    frame = camera.read()
    assert frame.image.shape == (720, 1280, 3) and camera.complaints == []
    assert capture.values[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*"MJPG")


def test_another_size_is_refused_with_both_sizes_named() -> None:
    capture = FakeCapture(stubborn={cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT})
    with pytest.raises(DeviceError, match=r"sends 640x480 instead of 1280x720; set camera\.width_px = 640"):
        v4l2(capture).open()


def test_another_format_or_rate_is_said() -> None:
    capture = FakeCapture(stubborn={cv2.CAP_PROP_FOURCC, cv2.CAP_PROP_FPS})
    camera = v4l2(capture, fps=60)
    camera.open()
    assert [c.split(";")[0] for c in camera.complaints] == [
        "the camera sends YUYV instead of MJPG",
        "the camera gives 30 pictures a second instead of 60",
    ]


def test_the_stamp_is_the_drivers_moved_to_the_middle_of_the_exposure() -> None:
    camera = v4l2(FakeCapture(stamp_ns=lambda: 5_000 * MS))
    camera._clock = lambda: 5_030 * MS
    camera._settings = CameraSection(source="x", lock=False)
    camera.open()
    camera._exposure_ns = 20 * MS
    assert camera.read().at_ns == 5_010 * MS


@pytest.mark.parametrize("stamp_ms", [0, -1, 99_000_000])
def test_a_stamp_of_another_clock_is_replaced_by_the_moment_of_arrival(stamp_ms: int) -> None:
    camera = v4l2(FakeCapture(stamp_ns=lambda: stamp_ms * MS), lock=False)
    camera._clock = lambda: 50_000 * MS
    camera.open()
    assert camera.read().at_ns == 50_000 * MS


@pytest.mark.parametrize(
    "habits, says", [({"opens": False}, "does not open"), ({"delivers": False}, "no picture comes")]
)
def test_a_camera_that_is_not_there_is_one_sentence(habits: dict[str, Any], says: str) -> None:
    with pytest.raises(DeviceError, match=says):
        v4l2(FakeCapture(**habits)).open()


def hand_over_the_table(number: int) -> Any:
    picture = np.full((720, 1280, 3), 90, np.uint8)
    picture[100:600, number * 60 : number * 60 + 300] = 200
    return picture


def growing_brighter(number: int) -> Any:
    return np.full((720, 1280, 3), 60 + number, np.uint8)


def turning_blue(number: int) -> Any:
    return np.full((720, 1280, 3), (60 + number, 90, 90), np.uint8)


def without_pixels(number: int) -> Any:
    return None if number < 5 else hand_over_the_table(number)


@pytest.mark.parametrize(
    "picture, settles",
    [(hand_over_the_table, True), (growing_brighter, False), (turning_blue, False), (without_pixels, True)],
)
def test_a_camera_settles_under_moving_hands_and_not_while_its_automatics_work(
    picture: Callable[[int], Any], settles: bool
) -> None:
    capture = FakeCapture(picture=picture)
    section = CameraSection(source="/dev/v4l/by-id/cam")
    camera = V4l2Camera(section, lambda path: capture, clock=lambda: capture.reads * 33 * MS)
    camera.open()
    assert any("brightness does not settle" in complaint for complaint in camera.complaints) != settles
    assert not settles or capture.reads < 20


def test_exposure_focus_and_white_balance_are_held_with_the_automatics_off_first() -> None:
    capture = FakeCapture()
    locked = lock_exposure_focus_and_white(capture, 50, 30)
    assert locked.complaints == () and locked.exposure_ns == 20 * MS
    order = capture.set_order
    for automatic, value in (
        (cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE),
        (cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS),
        (cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_WB_TEMPERATURE),
    ):
        assert order.index(automatic) < order.index(value)
    assert capture.values[cv2.CAP_PROP_EXPOSURE] == 200


def test_a_camera_whose_focus_and_colour_are_not_what_they_were_told_is_said() -> None:
    class Drifts(FakeCapture):
        def set(self, prop: int, value: float) -> bool:
            drifts = prop in (cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_WB_TEMPERATURE)
            return super().set(prop, value * 0.8 if drifts else value)

    complaints = lock_exposure_focus_and_white(Drifts(), 50, 30).complaints
    assert [complaint.split(";")[0] for complaint in complaints] == [
        "the camera ignores manual focus",
        "the camera ignores manual white balance",
    ]


def test_a_camera_that_says_yes_and_does_nothing_is_told_apart() -> None:
    everything = {cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_AUTO_WB}
    locked = lock_exposure_focus_and_white(FakeCapture(stubborn=everything), 50, 30)
    assert [c.split(";")[0].removeprefix("the camera ignores manual ") for c in locked.complaints] == [
        "exposure",
        "focus",
        "white balance",
    ]


@pytest.mark.parametrize(
    "mains, wanted_ms, fps, exposure_us",
    [(50, 15.6, 30, 20_000), (50, 3, 30, 10_000), (50, 80, 30, 30_000), (60, 15.6, 30, 16_666), (50, 15, 60, 10_000)],
)
def test_the_exposure_is_a_multiple_of_the_lamps_half_wave_that_fits_a_frame(
    mains: Any, wanted_ms: float, fps: float, exposure_us: int
) -> None:
    assert exposure_for(mains, round(wanted_ms * MS), fps) // 1000 == exposure_us


def test_cameras_are_found_by_stable_path_and_the_pis_isp_is_none(tmp_path: Path) -> None:
    for number in (0, 1, 2, 10, 14):
        (tmp_path / f"video{number}").touch()
    by_id = tmp_path / "v4l" / "by-id"
    by_id.mkdir(parents=True)
    (by_id / "usb-Webcam-video-index0").symlink_to(tmp_path / "video2")
    answers = {
        "video0": ("unicam", "unicam", 1),
        "video1": ("uvcvideo", "Meta", 0x800000),
        "video2": ("uvcvideo", "Webcam", 1),
        "video10": ("bcm2835-isp", "isp", 1),
        "video14": ("v4l2 loopback", "Feeder", 1),
    }
    found = find_cameras(tmp_path, lambda path: answers[path.name])
    assert found == [Found(by_id / "usb-Webcam-video-index0", "Webcam"), Found(tmp_path / "video14", "Feeder")]


def test_a_webcam_that_is_plugged_in_later_is_found_where_a_ribbon_camera_was_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Raspberry Pi OS has picamera2 in any case: without a webcam at the start the ribbon is tried."""
    plugged_in: list[Found] = []

    class Ribbon(FaultyCamera):
        def open(self) -> None:
            raise DeviceError("the Pi's camera does not start; check its ribbon")

    class Webcam(FaultyCamera):
        def open(self) -> None:
            self.name = "webcam"

    monkeypatch.setattr("hardware.cameras.watched.RETRY_NS", 1)
    monkeypatch.setattr("hardware.cameras.choose.find_spec", lambda name: name)
    monkeypatch.setattr("hardware.cameras.choose.find_cameras", lambda: plugged_in)
    monkeypatch.setattr("hardware.cameras.choose.PiCamera", lambda settings: Ribbon())
    monkeypatch.setattr("hardware.cameras.choose.V4l2Camera", lambda settings: Webcam())
    camera = watched_camera(CameraSection(width_px=320, height_px=240), lambda seen: None)
    camera.start()
    wait_for(lambda: "ribbon" in camera.lost_because)
    plugged_in.append(Found(Path("/dev/video0"), "Webcam"))
    assert next(camera.frames()).image.size and camera.name == "webcam"
    camera.close()


def test_without_any_camera_auto_says_what_to_do() -> None:
    with pytest.raises(DeviceError, match="no camera is there; plug one in"):
        V4l2Camera(CameraSection(), finder=list).open()


# picamera2 -----------------------------------------------------------------------------------------------------------


class FakeRequest:
    def __init__(self, told: dict[str, Any]) -> None:
        self.told, self.released = told, False

    def make_array(self, _stream: str) -> Any:
        return np.zeros((720, 1280, 3), np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return self.told

    def release(self) -> None:
        self.released = True


class FakePicamera2:
    """What of picamera2 is used here."""

    camera_properties: ClassVar = {"Model": "imx708"}

    def __init__(self) -> None:
        self.told = {"SensorTimestamp": 7_000 * MS, "ExposureTime": 14_000, "AnalogueGain": 2.0, "LensPosition": 4.5}
        self.requests: list[FakeRequest] = []
        self.shape: dict[str, Any] = {}
        self.stopped = False

    def create_video_configuration(self, **shape: Any) -> dict[str, Any]:
        return shape

    def configure(self, shape: dict[str, Any]) -> None:
        self.shape = shape

    def start(self) -> None: ...

    def capture_metadata(self) -> dict[str, Any]:
        return self.told

    def set_controls(self, held: dict[str, Any]) -> None:
        self.told |= held

    def capture_request(self) -> FakeRequest:
        self.requests.append(FakeRequest(self.told))
        return self.requests[-1]

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None: ...


def on_picamera2(device: FakePicamera2, monkeypatch: pytest.MonkeyPatch) -> PiCamera:
    module = ModuleType("picamera2")
    monkeypatch.setattr(module, "Picamera2", lambda: device, raising=False)
    monkeypatch.setitem(sys.modules, "picamera2", module)
    return PiCamera(CameraSection(), clock=lambda: 7_020 * MS)


@pytest.mark.parametrize(
    "ignored, says",
    [({"ExposureTime"}, ["exposure"]), ({"ColourGains", "LensPosition"}, ["focus", "white balance"])],
)
def test_a_pi_camera_that_does_not_hold_what_it_was_told_is_said(
    monkeypatch: pytest.MonkeyPatch, ignored: set[str], says: list[str]
) -> None:
    class Drifts(FakePicamera2):
        def set_controls(self, held: dict[str, Any]) -> None:
            drifted = {"ExposureTime": 14_000, "ColourGains": (2.4, 1.1), "LensPosition": 3.0}
            self.told |= held | {name: drifted[name] for name in ignored}

    device = Drifts()
    device.told["ColourGains"] = (1.9, 1.5)
    camera = on_picamera2(device, monkeypatch)
    camera.open()
    assert sorted(word for word in ("exposure", "focus", "white balance") if word in str(camera.complaints)) == says


def test_a_sensor_stamp_of_another_clock_is_replaced_by_the_moment_of_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakePicamera2()
    device.told["SensorTimestamp"] = 90_000_000 * MS
    camera = on_picamera2(device, monkeypatch)
    camera.open()
    assert camera.read().at_ns == 7_020 * MS


def test_a_ribbon_camera_that_breaks_while_it_is_closed_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakePicamera2()
    camera = on_picamera2(device, monkeypatch)
    camera.open()

    def broken() -> None:
        raise RuntimeError("the pipeline is gone")

    monkeypatch.setattr(device, "stop", broken)
    camera.close()
    camera.close()


def test_the_pi_camera_is_locked_stamped_in_mid_exposure_and_gives_requests_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = FakePicamera2()
    camera = on_picamera2(device, monkeypatch)
    camera.open()
    assert camera.complaints == []
    frame = camera.read()
    assert frame.at_ns == 7_005 * MS and camera.name == "picamera2 imx708"
    assert device.shape["main"] == {"size": (1280, 720), "format": "RGB888"}
    assert device.told["ExposureTime"] == 10_000 and device.told["AnalogueGain"] == pytest.approx(2.8)
    assert device.told["AeEnable"] is False and device.told["LensPosition"] == 4.5
    assert all(request.released for request in device.requests)
    camera.close()
    camera.close()
    assert device.stopped


def test_a_missing_picamera2_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(DeviceError, match="apt install python3-picamera2"):
        PiCamera(CameraSection()).open()


# The judge of pictures -----------------------------------------------------------------------------------------------


def frame(at_ms: float, size: tuple[int, int] = (64, 48), grey: int | None = None) -> Frame:
    value = 60 + int(at_ms) % 180 if grey is None else grey
    return Frame(at_ns=round(at_ms * MS), image=np.full((size[1], size[0], 3), value, np.uint8), number=0)


def test_good_pictures_are_good_and_their_rate_is_known() -> None:
    judge = PictureJudge((64, 48), 30)
    assert {judge.why_bad(frame(n * 33), n * 33 * MS) for n in range(60)} == {""}
    assert judge.rate() == pytest.approx(30, rel=0.05) and judge.why_slow() == ""


def test_a_slow_stream_is_said_and_not_refused() -> None:
    judge = PictureJudge((64, 48), 30)
    assert {judge.why_bad(frame(n * 70), n * 70 * MS) for n in range(40)} == {""}
    assert judge.why_slow().startswith("only 14 pictures a second instead of 30")


def test_a_single_odd_picture_is_refused_and_the_next_one_is_good() -> None:
    judge = PictureJudge((64, 48), 30)
    assert "64x40 instead of 64x48" in judge.why_bad(frame(0, (64, 40)), 0)
    assert "empty" in judge.why_bad(frame(33, (64, 0)), 33 * MS)
    assert judge.why_bad(frame(66), 66 * MS) == ""


def test_the_same_picture_again_and_again_is_frozen_within_a_second() -> None:
    judge = PictureJudge((64, 48), 30)
    bad = [n * 33 for n in range(60) if judge.why_bad(frame(n * 33, grey=70), n * 33 * MS)]
    assert 600 <= bad[0] <= 1000


def test_a_picture_in_which_nothing_can_be_seen_says_what_to_do() -> None:
    """A cap on the lens, the lamp off, a lamp into the lens: with the noise of a sensor, so it is not frozen."""
    judge, chance = PictureJudge((320, 240), 30), np.random.default_rng(1)
    for low, high, says in ((0, 20, "cap off the lens"), (251, 255, "white all over"), (20, 40, "")):
        image = chance.integers(low, high, (240, 320, 3), dtype=np.uint8)
        assert says in (said := judge.why_bad(Frame(at_ns=0, image=image, number=0), 0)) and bool(says) == bool(said)


def test_one_card_on_a_black_table_in_the_evening_is_not_black() -> None:
    image = np.full((240, 320, 3), 12, np.uint8)
    image[100:140, 100:130] = 90
    assert PictureJudge((320, 240), 30).why_bad(Frame(at_ns=0, image=image, number=0), 0) == ""


def test_an_old_picture_is_refused_with_its_age() -> None:
    assert "2.0 s old" in PictureJudge((64, 48), 30).why_bad(frame(1000), 3000 * MS)


# The watchdog --------------------------------------------------------------------------------------------------------


@dataclass
class Watched:
    device: FaultyCamera
    camera: WatchedCamera
    seen: list[AnyObservation]
    frames: list[Frame]

    def news(self) -> list[str]:
        self.camera.check(monotonic_ns())
        return [type(item).__name__ for item in self.seen if isinstance(item, SensorLost | SensorBack)]


@pytest.fixture
def watched() -> Iterator[Watched]:
    device, seen, frames = FaultyCamera(), [], []  # type: FaultyCamera, list[AnyObservation], list[Frame]
    camera = WatchedCamera(lambda: device, seen.append, lost_after_ns=600 * MS)

    def consume() -> None:
        frames.extend(camera.frames())

    consumer = Thread(target=consume)
    consumer.start()
    wait_for(lambda: len(frames) > 3)
    yield Watched(device, camera, seen, frames)
    device.let_go.set()
    camera.close()
    consumer.join()


@pytest.mark.parametrize("fault", ["gone", "hangs", "repeats", "empty", "wrong_size", "late", "dark"])
def test_a_fault_is_said_within_a_second_and_ends_by_itself(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.watched.RETRY_NS", 0)
    now_ns, began_ns, seen = 0, 0, []  # type: int, int, list[AnyObservation]

    class Drives(FaultyCamera):
        """Its clock is the test's: every picture takes 33 ms. It goes wrong after two seconds, until that is said."""

        def read(self) -> Frame:
            nonlocal now_ns, began_ns
            self.pass_time()
            if now_ns > 2_000 * MS:
                self.fault, began_ns = "" if seen else fault, began_ns or now_ns
            self._refuse_if_gone()
            while self.fault == "hangs" and not seen:
                self.pass_time()
            late_ns = 2_000 * MS if self.fault == "late" else 0
            return Frame(at_ns=now_ns - late_ns, image=self._spoiled(now_ns // MS), number=now_ns // MS)

        @staticmethod
        def pass_time() -> None:
            nonlocal now_ns
            now_ns += 33 * MS
            watched.check(now_ns)
            assert now_ns < 60_000 * MS, "nothing was said"

    watched = WatchedCamera(Drives, seen.append, clock=lambda: now_ns)
    watched.start()
    wait_for(lambda: len(seen) == 2)
    watched.close()
    lost, back = seen
    assert isinstance(lost, SensorLost) and ";" in lost.reason, "a reason and its cure"
    assert 0 <= lost.at_ns - began_ns <= 1_000 * MS
    assert isinstance(back, SensorBack) and back.at_ns - lost.at_ns < 1_000 * MS
    assert "same picture" in lost.reason or fault != "repeats"
    assert "is black" in lost.reason or fault != "dark"


def test_a_slow_camera_is_said_and_played_on(watched: Watched) -> None:
    watched.device.fault = "slow"
    wait_for(lambda: "more light" in watched.camera.why_slow())
    assert watched.news() == []


def test_a_camera_that_hangs_is_left_behind_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.watched.HUNG_NS", 300 * MS)
    devices: list[FaultyCamera] = []

    def make() -> FaultyCamera:
        devices.append(FaultyCamera())
        devices[-1].fault = "hangs" if len(devices) <= 2 else ""  # the first only tells the size
        return devices[-1]

    seen: list[AnyObservation] = []
    camera = WatchedCamera(make, seen.append, lost_after_ns=200 * MS)
    frames = camera.frames()
    Thread(target=lambda: [camera.check(monotonic_ns()) or sleep(0.05) for _ in range(40)]).start()
    assert next(frames).image.size
    assert len(devices) == 3
    assert next(type(item).__name__ for item in seen) == "SensorLost"
    devices[1].let_go.set()
    camera.close()


def test_a_slow_reader_gets_the_newest_picture_and_drops_are_counted() -> None:
    made: list[int] = []
    picture = noise((320, 240))
    device = FaultyCamera(picture=lambda number: made.append(number) or picture(number))
    camera = WatchedCamera(lambda: device, lambda seen: None)
    frames = camera.frames()
    first = next(frames)
    wait_for(lambda: made[-1] > first.number + 8)
    device.fault = "hangs"
    second = next(frames)
    assert second.number >= made[-1] - 1, "all but the one that was on its way"
    assert camera.dropped >= second.number - first.number - 2 > 3
    device.let_go.set()
    camera.close()


def test_the_measured_delay_behind_the_pads_is_taken_off_the_stamp() -> None:
    camera = WatchedCamera(FaultyCamera, lambda seen: None, behind_pads_ns=5_000 * MS)
    stamp_ns = next(camera.frames()).at_ns
    assert monotonic_ns() - stamp_ns > 5_000 * MS
    camera.close()


def test_closing_ends_the_stream_and_its_thread() -> None:
    before = active_count()
    camera = WatchedCamera(FaultyCamera, lambda seen: None)
    frames = camera.frames()
    next(frames)
    camera.close()
    list(frames)
    wait_for(lambda: active_count() <= before)


def test_a_camera_that_is_closed_while_it_starts_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    camera = WatchedCamera(FaultyCamera, lambda seen: None)
    start = Thread.start

    def stopped_meanwhile(thread: Thread) -> None:
        camera.close()
        start(thread)

    monkeypatch.setattr("hardware.cameras.watched.Thread.start", stopped_meanwhile)
    assert list(camera.frames()) == []


def test_a_camera_that_comes_late_is_lost_at_first_and_then_there() -> None:
    device, seen = FaultyCamera(), []  # type: FaultyCamera, list[AnyObservation]
    device.fault = "gone"
    camera = WatchedCamera(lambda: device, seen.append)
    camera.start()
    wait_for(lambda: seen)
    device.fault = ""
    wait_for(lambda: [type(item) for item in seen] == [SensorLost, SensorBack])
    camera.close()
