"""The checks: break one thing at a time, and the line names it with its cure."""

import grp
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hardware.cameras.faulty import FaultyCamera
from hardware.checks import CHECKS, Answer, devices, machine, software, worst
from hardware.checks.report import from_error
from hardware.pads import MockPads
from hardware.pads.edges import FOUR_PADS
from hardware.tablefile import Table, save_table
from referee.errors import DeviceError
from referee.settings import CameraSection, Settings, StorageSection, WebSection

CENTRED = np.array([[1.0, 0.0, 320.0], [0.0, -1.0, 240.0], [0.0, 0.0, 1.0]])
PI5 = "Raspberry Pi 5 Model B Rev 1.0"


@pytest.fixture
def pi(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (software, machine, devices):
        monkeypatch.setattr(module, "board", lambda: PI5)


def answers(command: dict[str, str | None]) -> Callable[..., str | None]:
    return lambda name, *words: command.get(name)


def test_every_check_answers_on_this_machine_and_every_trouble_has_a_cure() -> None:
    for check in CHECKS:
        answer = check.ask(Settings())
        assert answer.says, check.name
        assert bool(answer.cure) == (answer.state in ("WARN", "FAIL")), check.name


def test_the_gravest_state_decides() -> None:
    assert worst([Answer("OK", ""), Answer("FAIL", ""), Answer("WARN", "")]) == "FAIL"
    assert worst([Answer("SKIP", ""), Answer("OK", "")]) == "OK"


def test_our_own_errors_split_into_finding_and_cure() -> None:
    assert from_error(DeviceError("it is gone; plug it in")) == Answer("FAIL", "it is gone", "plug it in")


def test_two_opencvs_are_one_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dist:
        def __init__(self, name: str) -> None:
            self.metadata = {"Name": name}

    monkeypatch.setattr(software, "distributions", lambda: map(Dist, ("opencv-python", "opencv-python-headless", "x")))
    answer = software.opencv(Settings())
    assert answer.state == "FAIL" and "pip uninstall opencv-python opencv-python-headless" in answer.cure


def test_no_opencv_names_the_package_for_pi_and_laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    answer = software.opencv(Settings())
    assert answer.state == "FAIL" and "apt install python3-opencv" in answer.cure


def test_an_old_gpiozero_on_a_pi_5_is_refused(monkeypatch: pytest.MonkeyPatch, pi: None) -> None:
    monkeypatch.setattr(software, "installed", lambda name: "2.0.1")
    assert "wrong chip on a Pi 5" in software.gpio_packages(Settings()).says


def test_a_pi_without_lgpio_gets_no_lights(monkeypatch: pytest.MonkeyPatch, pi: None) -> None:
    monkeypatch.setattr(software, "find_spec", lambda name: None)
    assert software.gpio_packages(Settings()).cure == "`sudo apt install python3-lgpio`"


def test_the_old_gpiod_of_debian_12_is_said(monkeypatch: pytest.MonkeyPatch, pi: None) -> None:
    monkeypatch.setattr(software, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "gpiod", ModuleType("gpiod"))
    answer = software.gpio_packages(Settings())
    assert answer.state == "WARN" and "without gpiod 2" in answer.says


def test_a_wanted_picamera2_that_is_missing_fails() -> None:
    answer = software.picamera(Settings(camera=CameraSection(source="picamera2")))
    assert answer.state == "FAIL" and "python3-picamera2" in answer.cure


def test_a_user_outside_the_groups_is_told_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter([self / pattern.replace("*", "0")]))
    monkeypatch.setattr(devices.os, "access", lambda path, mode: "gpio" not in path.name)
    answer = devices.groups(Settings())
    assert answer.state == "FAIL" and answer.cure.startswith("`sudo usermod -aG gpio $USER`")
    monkeypatch.setattr(devices.os, "access", lambda path, mode: True)
    monkeypatch.setattr(grp, "getgrgid", lambda gid: type("Group", (), {"gr_name": "video"}))
    assert devices.groups(Settings()).state == "OK"


@pytest.mark.parametrize("held, state", [(None, "OK"), (FOUR_PADS[2], "WARN")])
def test_a_pad_that_is_down_at_rest_is_named(monkeypatch: pytest.MonkeyPatch, held: Any, state: str) -> None:
    pads = MockPads()
    if held is not None:
        pads.press(held)
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter([self / "gpiochip0"]))
    monkeypatch.setattr(devices, "pad_backend", lambda settings: pads)
    answer = devices.pads(Settings())
    assert answer.state == state and (held is None or "p2/A down" in answer.says)


def test_a_camera_without_pictures_fails_on_a_pi_and_warns_on_a_laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FaultyCamera()
    monkeypatch.setattr(devices, "one_camera", lambda settings: device)
    assert devices.camera(Settings()) == Answer("OK", "faulty camera, 320x240")
    device.complaints = ["the camera ignores manual focus; watch it"]
    assert devices.camera(Settings()).state == "WARN"
    device.fault = "gone"
    assert devices.camera(Settings()).state == "WARN"
    monkeypatch.setattr(devices, "board", lambda: PI5)
    assert devices.camera(Settings()).state == "FAIL"


def test_films_of_games_are_counted_and_a_full_quota_is_said(tmp_path: Path) -> None:
    settings = Settings(storage=StorageSection(games_dir=str(tmp_path), films_mb=2000))
    assert machine.films(settings).state == "SKIP"
    film = tmp_path / "2026-11-30-0001-abcd" / "recording" / "game.mp4"
    film.parent.mkdir(parents=True)
    film.write_bytes(b"")
    assert machine.films(settings).state == "OK"
    with film.open("ab") as sparse:
        sparse.truncate(1_700_000_000)
    answer = machine.films(settings)
    assert (answer.state, answer.says) == ("WARN", "1 film: 1.7 of 2 GB")
    assert "storage.films_mb" in answer.cure


def test_a_full_or_locked_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(storage=StorageSection(games_dir=str(tmp_path / "games"), reserve_mb=500))
    assert machine.disk(settings).state == "OK"
    usage = type("Usage", (), {"free": 20_000_000})
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda path: usage)
    assert machine.disk(settings).says.startswith("only 20 MB free")
    usage.free = 4096
    assert machine.disk(settings).state == "FAIL" and "full" in machine.disk(settings).says
    monkeypatch.setattr(machine.os, "access", lambda path, mode: mode == os.F_OK)
    assert machine.disk(settings).state == "FAIL"


@pytest.mark.parametrize(
    "bits, state, says",
    [
        ("throttled=0x0", "OK", "fine"),
        ("throttled=0x50005", "WARN", "the supply voltage is too low, it is throttled (now)"),
        ("throttled=0x10000", "WARN", "the supply voltage is too low (since it was switched on)"),
        (None, "SKIP", "vcgencmd"),
    ],
)
def test_a_weak_supply_is_said(
    monkeypatch: pytest.MonkeyPatch, pi: None, bits: str | None, state: str, says: str
) -> None:
    monkeypatch.setattr(machine, "told", answers({"vcgencmd": bits}))
    answer = machine.power(Settings())
    assert answer.state == state and says in answer.says


def test_a_clock_that_nobody_set_is_a_label_to_mistrust(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "told", answers({"timedatectl": "no"}))
    assert machine.clock(Settings()).state == "WARN"
    monkeypatch.setattr(machine, "told", answers({"timedatectl": "yes"}))
    assert machine.clock(Settings()).state == "OK"


def test_a_port_that_another_program_has_is_said() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        settings = Settings(web=WebSection(port=other.getsockname()[1]))
        assert machine.pages(settings).state == "WARN"
    assert machine.pages(settings).state == "OK"
    assert machine.pages(Settings(web=WebSection(enabled=False))).state == "SKIP"


def test_the_cameras_delay_is_told_with_how_sure_it_is(tmp_path: Path) -> None:
    settings = Settings(storage=StorageSection(table_file=str(tmp_path / "table.toml")))
    assert machine.delay(settings).says == "no table file yet"
    known = Table(image_size_px=(640, 480), homography_mm_to_px=CENTRED)
    save_table(known, tmp_path / "table.toml")
    assert "calibrate offset" in machine.delay(settings).says
    save_table(replace(known, behind_pads_ns=38_000_000, behind_pads_uncertainty_ns=3_000_000), tmp_path / "table.toml")
    assert machine.delay(settings).says == "the camera is 38 ms behind the pads (±3)"


def test_the_lgpio_that_pip_used_to_give_is_found_out(monkeypatch: pytest.MonkeyPatch, pi: None) -> None:
    monkeypatch.setattr(software, "find_spec", lambda name: object())
    monkeypatch.setattr(software, "installed", {"lgpio": "0.0.0.2", "gpiozero": "2.0.1.post3"}.get)
    answer = software.gpio_packages(Settings())
    assert answer.state == "FAIL" and "0.0.0.2 cannot drive lights" in answer.says


@pytest.mark.parametrize(
    "shown, state",
    [
        ("LoadState=not-found\nActiveState=inactive\nStatusText=", "SKIP"),
        ("LoadState=loaded\nActiveState=active\nStatusText=play", "OK"),
        ("LoadState=loaded\nActiveState=failed\nStatusText=", "FAIL"),
        (None, "SKIP"),
    ],
)
def test_the_services_state_is_told(monkeypatch: pytest.MonkeyPatch, shown: str | None, state: str) -> None:
    monkeypatch.setattr(machine, "told", answers({"systemctl": shown}))
    assert machine.service(Settings()).state == state


def test_a_damaged_deck_file_is_named(tmp_path: Path) -> None:
    settings = Settings(storage=StorageSection(table_file=str(tmp_path / "table.toml")))
    save_table(Table(image_size_px=(1280, 720), homography_mm_to_px=CENTRED), tmp_path / "table.toml")
    assert machine.table(settings).state == "OK"
    (tmp_path / "deck.npz").write_bytes(b"half written")
    assert machine.table(settings).state == "FAIL" and "deck.npz is damaged" in machine.table(settings).says


def test_a_table_file_for_another_size_of_picture_fails(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    settings = Settings(storage=StorageSection(table_file=str(path)))
    assert machine.table(settings).state == "WARN"
    save_table(Table(image_size_px=(640, 480), homography_mm_to_px=CENTRED), path)
    answer = machine.table(settings)
    assert answer.state == "FAIL" and "640x480, the camera gives 1280x720" in answer.says
    path.write_text("schema = 1\n")
    assert machine.table(settings).state == "FAIL"


def test_a_boards_name_is_read_from_the_device_tree(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.write_bytes(PI5.encode() + b"\0")
    assert software.board(model) == PI5
    model2 = tmp_path / "other"
    model2.write_bytes(b"Some other board\0")
    assert software.board(model2) == "" and software.board(tmp_path / "none") == ""
