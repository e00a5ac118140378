"""Pictures that go with a call: one of each card that landed, and the film around cards and slaps."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.frames import Frame
from hardware.tablefile import Table
from hardware.vision.snapshots import AROUND, Snapshots
from referee.cards import Card
from referee.log import GameLog, Header, LoggedGame
from referee.log.names import film_time
from referee.observations import CardLanded, PadSlapped
from referee.replay import timeline_of
from referee.verdicts import PlayJudged

FRAME_NS = 33_333_333


class Album:
    def __init__(self) -> None:
        self.clock, self.wanted = "beef", deque[int]()
        self.pictures: dict[str, bytes] = {}

    def frame(self, name: str, jpeg_bytes: bytes) -> bool:
        self.pictures[name] = jpeg_bytes
        return True

    @property
    def film_ns(self) -> list[int]:
        return sorted(at[1] for name in self.pictures if (at := film_time(name)) is not None)


@pytest.fixture(scope="module")
def table() -> Table:
    """Two pixels a millimetre, the middle of the table in the middle of the picture."""
    return Table(image_size_px=(1280, 720), homography_mm_to_px=np.array([(2, 0, 640), (0, -2, 360), (0, 0, 1)], float))


def frame(number: int, table: Table) -> Frame:
    width, height = table.image_size_px
    image = np.full((height, width, 3), number % 200, np.uint8)
    return Frame(at_ns=number * FRAME_NS, image=image, number=number)


def landing(at_ns: int) -> CardLanded:
    return CardLanded(at_ns=at_ns, earliest_ns=at_ns, latest_ns=at_ns, pile="A", cards={Card("9S"): 0.9}, players={})


def test_a_landing_told_late_has_the_film_around_its_touch(table: Table) -> None:
    album = Album()
    snapshots = Snapshots(table, album)
    touch_ns = 20 * FRAME_NS + 5
    for number in range(60):
        seen = snapshots.see(frame(number, table), [landing(touch_ns)] if number == 45 else [])
        for one in seen:
            assert isinstance(one, CardLanded) and one.frame in album.pictures
    assert album.film_ns == [number * FRAME_NS // 1000 * 1000 for number in range(21 - AROUND, 21 + AROUND)]


def test_a_slap_is_filmed_on_both_sides_as_soon_as_the_pictures_have_come(table: Table) -> None:
    album = Album()
    snapshots = Snapshots(table, album)
    for number in range(30):
        if number == 10:
            album.wanted.append(number * FRAME_NS + 1)
        snapshots.see(frame(number, table), [])
        assert bool(album.film_ns) == (number >= 10 + AROUND)


def test_two_events_close_together_share_their_pictures(table: Table) -> None:
    album = Album()
    snapshots = Snapshots(table, album)
    for number in range(30):
        near = [landing(10 * FRAME_NS), landing(11 * FRAME_NS)] if number == 12 else []
        snapshots.see(frame(number, table), list(near))
    assert len(album.film_ns) == 2 * AROUND + 1
    assert len({name for name in album.pictures if film_time(name) is None}) == 1


def test_the_film_is_small_and_shows_the_piles(table: Table) -> None:
    album = Album()
    snapshots = Snapshots(table, album)
    for number in range(20):
        snapshots.see(frame(number, table), [landing(10 * FRAME_NS)] if number == 10 else [])
    name = next(name for name in album.pictures if film_time(name) is not None)
    picture = cv2.imdecode(np.frombuffer(album.pictures[name], np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None and picture.shape[:2] == (150, 220)


def logged(tmp_path: Path, boot_id: str) -> tuple[GameLog, Path]:
    log = GameLog.create(tmp_path, Header(boot_id=boot_id))
    return log, log.directory


def test_the_replay_shows_a_landing_with_its_own_film_and_never_that_of_another_boot(tmp_path: Path) -> None:
    log, directory = logged(tmp_path, "beef0000")
    for clock in ("beef", "cafe"):
        for ms in range(900, 1100, 33):
            assert log.frame(f"{clock}-{ms * 1000:013d}.jpg", b"\xff\xd8\xff jpeg")
    log.observation(landing(1_000_000_000))
    log.close()
    [moment] = timeline_of(LoggedGame(directory)).moments
    assert moment.strip and {shot.name[:4] for shot in moment.strip} == {"beef"}
    assert all(abs(shot.at_ns - moment.at_ns) <= 140_000_000 for shot in moment.strip)


def test_the_film_of_a_quarrel_outlives_the_quota(tmp_path: Path) -> None:
    log = GameLog.create(tmp_path, Header(boot_id="beef0000"), frame_quota_bytes=2_000)
    n = log.observation(landing(1_000_000_000))
    log.frame("beef-0000000990000.jpg", b"x" * 100)
    wrong = PlayJudged(at_ns=10**9, of=n, player="p1", pile="A", card=Card("9S"), p=1.0, ruling="illegal")
    log.verdict(wrong)
    log.frame("beef-0000001020000.jpg", b"x" * 100)  # saved after it was ruled
    for ms in range(2_000, 6_000, 33):
        log.frame(f"beef-{ms * 1000:013d}.jpg", b"y" * 100)
    log.close()
    left = {path.name for path in (log.directory / "frames").glob("*.jpg")}
    assert {"beef-0000000990000.jpg", "beef-0000001020000.jpg"} <= left and len(left) == 20


def test_the_eyes_save_pictures_while_the_referee_marks_some(tmp_path: Path) -> None:
    log = GameLog.create(tmp_path, Header(boot_id="beef0000"), frame_quota_bytes=60_000)

    def film() -> int:
        return sum(log.frame(f"beef-{ms * 1000:013d}.jpg", b"y" * 100) for ms in range(0, 60_000, 33))

    with ThreadPoolExecutor(1) as eyes:
        filmed, at_ns = eyes.submit(film), 0
        while not filmed.done():
            at_ns += 50_000_000
            log.verdict(PlayJudged(at_ns=at_ns, player="p1", pile="A", card=Card("9S"), p=1.0, ruling="illegal"))
    assert filmed.result() == 1819


def test_a_picture_never_takes_the_place_of_another(tmp_path: Path) -> None:
    log, directory = logged(tmp_path, "beef0000")
    assert log.frame("000000001-A-after.jpg", b"first")
    assert not log.frame("000000001-A-after.jpg", b"second")
    assert (directory / "frames" / "000000001-A-after.jpg").read_bytes() == b"first"


def test_a_slap_asks_for_its_film(tmp_path: Path) -> None:
    log, _ = logged(tmp_path, "beef0000")
    log.observation(PadSlapped(at_ns=77, player="p1", pile="A", uncertainty_ns=1))
    assert list(log.wanted) == [77]
