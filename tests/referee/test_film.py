"""A game as a film: slow where people quarrel, quick where nothing happens, whole or not at all."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from plausible_game import write_plausible_game

from referee.cli.film import write_film
from referee.errors import PictureError
from referee.log import LoggedGame
from referee.replay import Timeline, timeline_of
from referee.replay.pace import film_times

S = 1_000_000_000
FPS = 20


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> LoggedGame:
    jpeg = cv2.imencode(".jpg", np.full((24, 36, 3), 128, np.uint8))[1].tobytes()
    folder = tmp_path_factory.mktemp("games")
    return LoggedGame(write_plausible_game(folder, deals=1, picture=lambda pile, card: jpeg))


@pytest.fixture(scope="module")
def timeline(game: LoggedGame) -> Timeline:
    return timeline_of(game)


def test_a_dispute_is_shown_four_times_slower(timeline: Timeline) -> None:
    illegal = next(moment for moment in timeline.moments if moment.ruling == "illegal")
    around = [ns for ns in film_times(timeline, FPS) if abs(ns - illegal.at_ns) < S // 4]
    assert len(around) == pytest.approx(FPS * 0.5 * 4, abs=3)


def test_a_pause_is_cut_short_and_no_moment_is_lost(timeline: Timeline) -> None:
    [pause] = [span for span in timeline.spans if span.kind == "paused"]
    times = list(film_times(timeline, FPS))
    assert times == sorted(times)
    within = [ns for ns in times if pause.start_ns < ns < pause.end_ns]
    assert pause.end_ns - pause.start_ns > 8 * S
    assert len(within) < FPS * 4
    for moment in timeline.moments:
        assert any(moment.at_ns <= ns < moment.at_ns + S // FPS + 1 for ns in times) or moment.at_ns > times[-1]


def test_a_film_of_a_moment_can_be_watched(game: LoggedGame, tmp_path: Path) -> None:
    path = tmp_path / "moment.mp4"
    done = list(write_film(game, path, 14 * S, 15 * S))
    assert done == sorted(done)
    film = cv2.VideoCapture(str(path))
    shown, picture = film.read()
    assert shown
    assert picture.shape == (720, 1280, 3)
    assert int(film.get(cv2.CAP_PROP_FRAME_COUNT)) == len(done)
    assert [left.name for left in tmp_path.iterdir()] == ["moment.mp4"]


@pytest.mark.parametrize(("start_s", "end_s"), [(99_999, None), (20, 10), (20, 20)])
def test_a_stretch_that_is_none_is_refused_in_a_sentence(
    game: LoggedGame, tmp_path: Path, start_s: int, end_s: int | None
) -> None:
    with pytest.raises(PictureError, match="give"):
        list(write_film(game, tmp_path / "film.mp4", start_s * S, None if end_s is None else end_s * S))
    assert list(tmp_path.iterdir()) == []


def test_where_no_film_can_be_written_it_says_so_and_leaves_nothing(game: LoggedGame, tmp_path: Path) -> None:
    with pytest.raises(PictureError, match=r"\.mp4"):
        list(write_film(game, tmp_path / "no" / "film.mp4"))
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_is_broken_off_leaves_nothing(game: LoggedGame, tmp_path: Path) -> None:
    film = write_film(game, tmp_path / "film.mp4")
    next(film)
    film.close()
    assert list(tmp_path.iterdir()) == []
