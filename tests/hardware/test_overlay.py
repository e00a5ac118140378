"""The debug view says beside the picture what happened, and how the light changed."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.frames import Frame, Image
from hardware.simulated.trouble import Trouble, troubled
from hardware.vision.eyes import Eyes
from hardware.vision.overlay import SHOWN_NS, EyesVideo, draw_eyes
from referee.errors import PictureError
from tests.hardware.eyetest import MS, DeckReader, film, play

WHITE = 220
CODEC_NOISE = 80
"""A film differs by less from what was drawn; writing on a dark table differs by more."""


@pytest.fixture(scope="module")
def still() -> tuple[Eyes, list[Frame]]:
    """Eyes that have seen a still table, then the same in dimmed light, and the last frame of each."""
    renderer, frames = film(play(until_ms=1500))
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    dimmed = list(troubled(frames[:4], [Trouble("lamp", 50 * MS, 10_000 * MS, 0.7)]))
    for frame in dimmed:
        eyes.see(frame)
    return eyes, [frames[3], dimmed[3]]


def writing_px(picture: Image, rows: slice = slice(0, 30)) -> int:
    """How many pixels of the upper left corner are as white as writing, which some OpenCV draws a little darker."""
    return int(np.count_nonzero(picture[rows, :400].min(axis=2) > WHITE))


def test_how_much_weaker_the_light_is_stands_beside_the_time(still):
    eyes, [_, dimmed] = still
    assert eyes.motion.light == pytest.approx(0.7, abs=0.02)
    with_light = writing_px(draw_eyes(dimmed, eyes))
    eyes.motion.accept_all()
    assert writing_px(draw_eyes(dimmed, eyes)) < with_light / 2, "the time alone"


def test_what_is_said_is_written_for_a_while(still, tmp_path: Path):
    eyes, [frame, _] = still
    film_path = tmp_path / "eyes.mp4"
    with EyesVideo(film_path) as video:
        video.say(frame.at_ns, "7H on A by p1 (p 1.00)")
        for at_ns in (frame.at_ns, frame.at_ns + SHOWN_NS):
            video.show(replace(frame, at_ns=at_ns), eyes, [])
    capture = cv2.VideoCapture(str(film_path))
    said, silent = (capture.read()[1].astype(int) for _ in range(2))
    line, below = (np.abs(said - silent)[rows, :400].max() for rows in (slice(26, 44), slice(60, None)))
    assert line > CODEC_NOISE > below
    assert not capture.read()[0]


def test_a_film_that_cannot_be_written_is_told_in_a_sentence(still, tmp_path: Path):
    eyes, [frame, _] = still
    with pytest.raises(PictureError, match="cannot be written"), EyesVideo(tmp_path / "none" / "eyes.mp4") as video:
        video.show(frame, eyes, [])
