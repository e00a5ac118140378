"""A video file as a camera, and what is said of files that are none."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.cameras.video import VideoFile
from referee.errors import PictureError


def written(path: Path, frames: int, fps: float = 25.0) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (64, 48))
    for n in range(frames):
        writer.write(np.full((48, 64, 3), 40 + 20 * n, np.uint8))
    writer.release()
    return path


def test_every_frame_comes_once_and_carries_its_time_in_the_video(tmp_path):
    video = VideoFile(written(tmp_path / "game.avi", 4))
    frames = list(video.frames())
    assert video.size_px == (64, 48)
    assert [frame.number for frame in frames] == [0, 1, 2, 3]
    assert [frame.at_ns for frame in frames] == [0, 40_000_000, 80_000_000, 120_000_000]
    assert [round(float(frame.image.mean()), -1) for frame in frames] == [40, 60, 80, 100]


def test_a_missing_video_is_said_in_one_sentence(tmp_path):
    with pytest.raises(PictureError, match="is not there"):
        VideoFile(tmp_path / "none.mp4")


def test_an_empty_video_is_said_in_one_sentence(tmp_path):
    (tmp_path / "empty.mp4").touch()
    with pytest.raises(PictureError, match="is empty"):
        VideoFile(tmp_path / "empty.mp4")


def test_a_file_that_is_no_video_is_said_in_one_sentence(tmp_path):
    (tmp_path / "notes.mp4").write_text("not a video")
    with pytest.raises(PictureError, match="not a video"):
        VideoFile(tmp_path / "notes.mp4")
