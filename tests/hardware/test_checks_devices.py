"""Checks of lights, USB ports and of devices that a running referee holds."""

import fcntl
from pathlib import Path

import pytest

from hardware.cameras.usb import needed_mbit, usb_speed_mbit
from hardware.cameras.v4l2 import Found
from hardware.checks import CHECKS, devices, machine
from hardware.checks.pins import doubtful
from hardware.signals import MockOutputs
from referee.errors import DeviceError
from referee.settings import CameraSection, PadsSection, Settings, SignalsSection, StorageSection


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter([Path("/dev/gpiochip0")]))


@pytest.mark.usefixtures("pins")
def test_lights_that_can_be_had_are_named_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = MockOutputs()
    monkeypatch.setattr(devices, "outputs_of", lambda settings: outputs)
    answer = devices.lights(Settings())
    assert answer.state == "OK" and "two lights and a passive buzzer" in answer.says
    assert outputs.closed


@pytest.mark.usefixtures("pins")
def test_lights_that_are_taken_are_a_failure_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(_: object) -> MockOutputs:
        raise DeviceError("a light cannot be used (GPIO busy); end the other program")

    monkeypatch.setattr(devices, "outputs_of", taken)
    answer = devices.lights(Settings())
    assert (answer.state, answer.cure) == ("FAIL", "end the other program")


@pytest.mark.usefixtures("pins")
@pytest.mark.parametrize("name", ["pads", "lights", "camera"])
def test_what_a_running_referee_holds_is_no_fault(tmp_path: Path, name: str) -> None:
    settings = Settings(storage=StorageSection(games_dir=str(tmp_path)))
    check = next(check for check in CHECKS if check.name == name)
    with (tmp_path / machine.LOCK_FILE).open("w") as lock:
        lock.write("4711\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        answer = check.ask(settings)
        assert answer.state == "SKIP" and "process 4711" in answer.says
    assert machine.running_referee(settings) == "", "a lock file that nobody holds is history"


@pytest.mark.usefixtures("pins")
@pytest.mark.parametrize("name", ["pads", "lights"])
def test_pins_that_are_made_up_are_said_where_there_are_real_ones(name: str) -> None:
    settings = Settings(pads=PadsSection(backend="mock"), signals=SignalsSection(backend="mock"))
    answer = next(check for check in CHECKS if check.name == name).ask(settings)
    assert answer.state == "WARN" and 'backend = "auto"' in (answer.cure or "")


def usb_camera(folder: Path, speed: str) -> Path:
    """Lay a camera out as the kernel describes it: the node, its interface, and the device with its speed above."""
    interface = folder / "usb1" / "1-1" / "1-1:1.0"
    interface.mkdir(parents=True)
    (folder / "usb1" / "1-1" / "speed").write_text(f"{speed}\n")
    (folder / "class" / "video0").mkdir(parents=True)
    (folder / "class" / "video0" / "device").symlink_to(interface)
    return folder / "class"


def test_the_port_of_a_camera_is_read_from_the_kernel(tmp_path: Path) -> None:
    assert usb_speed_mbit(Path("/dev/video0"), usb_camera(tmp_path, "480")) == 480
    assert usb_speed_mbit(Path("/dev/video7"), tmp_path / "class") is None


def test_packed_pictures_need_a_fraction_of_unpacked_ones() -> None:
    assert needed_mbit(CameraSection()) == pytest.approx(83, abs=1)
    assert needed_mbit(CameraSection(format="YUYV")) == pytest.approx(442, abs=1)


@pytest.mark.parametrize(
    "speed, form, state", [(480, "MJPG", "OK"), (480, "YUYV", "WARN"), (5000, "YUYV", "OK"), (12, "MJPG", "WARN")]
)
def test_a_port_that_is_too_slow_is_said(monkeypatch: pytest.MonkeyPatch, speed: float, form: str, state: str) -> None:
    monkeypatch.setattr(devices, "find_cameras", lambda: [Found(Path("/dev/video0"), "cam")])
    monkeypatch.setattr(devices, "usb_speed_mbit", lambda path: speed)
    answer = devices.usb(Settings(camera=CameraSection(format=form)))
    assert answer.state == state and (state == "OK" or "another port" in answer.cure)


def test_a_service_that_runs_without_its_camera_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "LoadState=loaded\nActiveState=active\nStatusText=CAMERA LOST: no picture comes; pads gpiod"
    monkeypatch.setattr(machine, "told", lambda *command: text)
    answer = machine.service(Settings())
    assert answer.state == "WARN" and "CAMERA LOST" in answer.says


@pytest.mark.parametrize(
    ("signals", "there", "says"),
    [
        (SignalsSection(buzzer_pin=4), "", "signals.buzzer_pin: GPIO 4 is high while the Pi boots"),
        (SignalsSection(led_p2_pin=14), "", "signals.led_p2_pin: GPIO 14 is high while the Pi boots"),
        (SignalsSection(led_p1_pin=14), "serial0", "signals.led_p1_pin: GPIO 14 belongs to the serial port"),
        (SignalsSection(led_p1_rgb_pins=(12, 10, 11)), "spidev0.0", "led_p1_rgb_pins (green): GPIO 10 belongs to SPI"),
        (SignalsSection(led_p1_pin=1), "", "signals.led_p1_pin: GPIO 1 is kept for plug-on boards"),
        (SignalsSection(led_p1_rgb_pins=(12, 10, 11)), "i2c-1", ""),
        (SignalsSection(buzzer="none", buzzer_pin=4), "", ""),
        (SignalsSection(), "spidev0.0", ""),
    ],
)
def test_an_output_on_a_pin_of_something_else_is_a_warning(
    tmp_path: Path, signals: SignalsSection, there: str, says: str
) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / there).touch()
    answer = doubtful(Settings(signals=signals), "signals", tmp_path)
    assert (says in answer.says and answer.state == "WARN" and answer.cure) if answer else not says


def test_a_pad_may_be_pulled_up_at_boot_but_not_on_a_bus_that_is_on(tmp_path: Path) -> None:
    pads = Settings(pads=PadsSection(p1_a_pin=3))
    (tmp_path / "dev").mkdir()
    assert doubtful(pads, "pads", tmp_path) is None
    (tmp_path / "dev" / "i2c-1").touch()
    answer = doubtful(pads, "pads", tmp_path)
    assert answer is not None and "pads.p1_a_pin: GPIO 3 belongs to I2C" in answer.says


def test_the_serial_port_of_a_pi_5_is_not_on_the_header(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "ttyAMA10").touch()
    (tmp_path / "dev" / "serial0").symlink_to("ttyAMA10")
    assert doubtful(Settings(pads=PadsSection(p1_a_pin=15)), "pads", tmp_path) is None


@pytest.mark.usefixtures("pins")
def test_the_check_says_what_is_doubtful_of_lights_that_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "outputs_of", lambda settings: MockOutputs())
    answer = devices.lights(Settings(signals=SignalsSection(buzzer_pin=6)))
    assert answer.state == "WARN" and "GPIO 6" in answer.says and "9 or higher" in answer.cure
