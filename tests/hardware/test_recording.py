"""A game on film: constant rate with gaps filled, pads on the film's clock, the table file, and nobody waits."""

import json
from pathlib import Path

import numpy as np
import pytest

import hardware.recording
from hardware.cameras.video import VideoFile
from hardware.frames import Frame
from hardware.pads.trains import read_pads_file
from hardware.recording import ABOUT_FILE, PADS_FILE, TABLE_FILE, Recording, new_recording
from hardware.room import VIDEO_FILE, films_bytes
from hardware.tablefile import Table, load_table
from referee.errors import DeviceError
from referee.observations import AnyObservation, PadReleased, PadSlapped

FPS = 30.0
START_NS = 7_000_000_000
TABLE = Table(image_size_px=(64, 48), homography_mm_to_px=np.array([(0.1, 0, 32), (0, -0.1, 24), (0, 0, 1)], float))


def frame(number: int, grey: int, at_s: float) -> Frame:
    image = np.full((48, 64, 3), grey, np.uint8)
    return Frame(at_ns=START_NS + round(at_s * 1e9), image=image, number=number)


class Eyes:
    def __init__(self) -> None:
        self.seen = 0

    def see(self, frame: Frame) -> list[AnyObservation]:
        self.seen += 1
        return []


def greys(path: Path) -> list[int]:
    return [round(float(one.image.mean())) for one in VideoFile(path).frames()]


def test_picture_i_of_the_film_is_what_the_camera_showed_around_i_by_fps(tmp_path: Path) -> None:
    eyes = Eyes()
    with Recording(tmp_path / "recording", FPS) as recording:
        filmed = recording.eyes(eyes)
        for number, at_s in enumerate((0.0, 0.034, 0.066, 0.2)):  # four pictures, three lost before the last
            filmed.see(frame(number, 40 + 50 * number, at_s))
    assert eyes.seen == 4
    shown = greys(tmp_path / "recording" / VIDEO_FILE)
    assert [round((grey - 40) / 50) for grey in shown] == [0, 1, 2, 3, 3, 3, 3]
    assert json.loads((tmp_path / "recording" / ABOUT_FILE).read_text())["start_ns"] == START_NS


def test_the_pads_are_on_the_clock_of_the_film_and_can_be_read_again(tmp_path: Path) -> None:
    with Recording(tmp_path / "recording", FPS) as recording:
        recording.saw(PadSlapped(at_ns=START_NS - 2_000_000, player="p1", pile="A", uncertainty_ns=1))
        recording.take(frame(0, 9, 0.0))
        recording.saw(PadReleased(at_ns=START_NS + 50_123_000, player="p1", pile="A", contact_ns=1))
        recording.saw(PadSlapped(at_ns=START_NS + 60_000_000, player="p2", pile="B", uncertainty_ns=1))
    lines = [json.loads(line) for line in (tmp_path / "recording" / PADS_FILE).read_text().splitlines()]
    assert [line["t_us"] for line in lines] == [-2000, 50_123, 60_000]
    assert len(read_pads_file(tmp_path / "recording" / PADS_FILE)) == 3


def test_the_table_file_lies_beside_the_film(tmp_path: Path) -> None:
    with Recording(tmp_path / "recording", FPS) as recording:
        recording.found(TABLE)
    assert load_table(tmp_path / "recording" / TABLE_FILE).image_size_px == (64, 48)


def test_a_slow_disk_costs_pictures_and_not_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Recording(tmp_path / "recording", FPS) as recording:
        for number in range(2000):
            recording.take(frame(number, 100, number / FPS / 1000))
        assert recording.dropped > 0
    assert greys(tmp_path / "recording" / VIDEO_FILE)


def test_a_full_disk_ends_the_film_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware.recording, "LEAST_FREE_BYTES", 10**18)
    with Recording(tmp_path / "recording", FPS) as recording:
        recording.take(frame(0, 9, 0.0))
        recording._thread.join(0.5)
    assert recording.trouble is not None and "make room" in recording.trouble


def test_the_room_for_films_ends_the_film_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware.recording, "LOOK_EVERY", 1)
    with Recording(tmp_path / "g" / "recording", FPS, room_bytes=0) as recording:
        for number in range(5):
            recording.take(frame(number, 9, number / FPS))
    assert recording.trouble is not None and "storage.films_mb" in recording.trouble
    count, size = films_bytes(tmp_path)
    assert count == 1 and size > 0


def test_a_camera_that_was_away_for_long_ends_the_film(tmp_path: Path) -> None:
    with Recording(tmp_path / "recording", FPS) as recording:
        recording.take(frame(0, 9, 0.0))
        recording.take(frame(1, 9, 10_000.0))
    assert recording.trouble is not None and "away" in recording.trouble
    assert len(greys(tmp_path / "recording" / VIDEO_FILE)) == 1


def test_a_second_recording_of_a_game_has_a_folder_of_its_own(tmp_path: Path) -> None:
    first = new_recording(tmp_path)
    with Recording(first, FPS):
        pass
    assert new_recording(tmp_path).name == "recording-2"
    with pytest.raises(DeviceError, match="--record"):
        Recording(first, FPS)
