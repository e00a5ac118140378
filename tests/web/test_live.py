"""The table live: news in order, the state anew for whoever fell behind, and viewers who never slow the referee."""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, monotonic_ns, perf_counter, sleep

import cv2
import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from served import Table
from visitor import Visitor

from hardware.frames import Frame
from hardware.rig import Ended
from referee.cards import Card
from referee.log import GameLog, Header, LoggedGame
from referee.observations import (
    Called,
    CardLanded,
    Correction,
    PadReleased,
    PadSlapped,
    PileRead,
    PlaceSeen,
    RowRead,
    SensorBack,
    SensorLost,
    Undo,
)
from referee.replay.amend import Word, words_of
from referee.rules.rule_set import RuleSet
from referee.verdicts import CannotTell, DealPlan, NextDeal, PhaseChanged, PlayJudged, Stuck
from referee.web.board import Board
from referee.web.feed import Feed
from referee.web.pictures import Pictures
from referee.web.status import Light
from referee.web.waiting import WAITING_FILE, Waiting, take_in_left

Visit = Callable[[], Visitor]
MINUTE_NS = 60_000_000_000
LEGAL = PlayJudged(at_ns=1, player="p1", pile="A", card=Card("8H"), p=0.99, ruling="legal")


# The feed ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 60), max_size=30), st.integers(1, 20))
def test_whoever_asks_often_enough_hears_everything_once_and_in_order(bursts: list[int], kept: int) -> None:
    feed = Feed(kept)
    heard: list[int] = []
    n = said = 0
    for burst in bursts:
        for _ in range(burst):
            said += 1
            feed.publish("line", said)
        news = feed.since(n)
        if news is None:
            assert burst > kept, "only who was away for more than is kept has missed something"
            heard = list(range(1, said + 1))
        else:
            heard += [json.loads(one.data) for one in news]
        n = feed.last
    assert heard == list(range(1, said + 1))


def test_a_number_from_before_a_restart_is_told_to_begin_anew() -> None:
    feed = Feed()
    feed.publish("line", "first")
    assert feed.since(17) is None


# The board -----------------------------------------------------------------------------------------------------------


def deal_plan() -> DealPlan:
    return DealPlan(cards=26, row=(1, 2, 3, 4, 5), spit=11)


def board() -> Board:
    fresh = Board(Feed())
    fresh.clear("starting", {"p1": "Ann", "p2": "Ben"})
    return fresh


def test_the_board_follows_phase_tops_and_verdicts() -> None:
    told = board()
    told.tell(PhaseChanged(at_ns=0, phase="play"))
    told.tell(LEGAL)
    told.tell(Stuck(at_ns=2))
    told.tell(CannotTell(at_ns=3, about="pile B"))
    state = told.state()
    assert (state["phase_words"], state["tops"]) == ("play", {"A": "8H", "B": None})
    assert [line["tone"] for line in state["lines"]] == ["legal", "call", "cannot_tell"]
    told.tell(NextDeal(at_ns=4, piles=2, p1=deal_plan(), p2=deal_plan(), first={"p1": "A", "p2": "B"}))
    assert told.state()["tops"] == {"A": None, "B": None}


def test_the_board_shows_what_is_read_and_doubts_what_is_not_sure() -> None:
    told = board()
    told.saw(PileRead(at_ns=0, pile="A", cards={Card("8H"): 0.97}))
    told.saw(PileRead(at_ns=0, pile="B", cards={Card("9S"): 0.6}))
    hidden, empty, down = PlaceSeen(), PlaceSeen(empty=0.99), PlaceSeen(face_down=0.99)
    told.saw(RowRead(at_ns=0, player="p2", places=(empty, down, hidden, hidden, hidden)))
    assert told.state()["places"] == {"pile A": "8H", "pile B": "??", "p2 1": "", "p2 2": "down"}
    told.saw(PileRead(at_ns=0, pile="A", cards={}))
    assert told.state()["places"]["pile A"] == "8H", "a hand over it takes no label away"


def test_a_card_that_lands_is_labelled_at_once_and_not_with_the_next_look() -> None:
    told = board()
    told.saw(PileRead(at_ns=0, pile="A", cards={Card("8H"): 0.97}))
    told.saw(CardLanded(at_ns=9, earliest_ns=8, latest_ns=9, pile="A", cards={Card("9S"): 0.99}, players={"p1": 1.0}))
    assert told.state()["places"]["pile A"] == "9S"


def test_the_board_says_a_lost_sensor_and_a_pad_that_is_pressed() -> None:
    told = board()
    told.saw(SensorLost(at_ns=0, sensor="camera", reason="it was pulled out"))
    told.saw(SensorBack(at_ns=1, sensor="camera"))
    told.saw(PadSlapped(at_ns=2, player="p1", pile="A", uncertainty_ns=1))
    assert [line["text"] for line in told.state()["lines"]] == ["Camera lost: it was pulled out.", "Camera is back."]
    assert told.state()["pads"] == ["p1A"]
    told.saw(PadReleased(at_ns=3, player="p1", pile="A", contact_ns=1))
    assert told.state()["pads"] == []


def test_a_long_game_keeps_the_last_lines_only() -> None:
    told = board()
    for _ in range(500):
        told.tell(LEGAL)
    assert len(told.state()["lines"]) == 60


# News over the wire --------------------------------------------------------------------------------------------------


class Stream:
    """A viewer's stream of news."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self._socket.sendall(b"GET /news HTTP/1.1\r\nhost: localhost\r\n\r\n")
        self._file = self._socket.makefile("rb")

    def events(self) -> Iterator[tuple[str, object]]:
        kind = ""
        for line in self._file:
            if line.startswith(b"event: "):
                kind = line[7:].decode().strip()
            elif line.startswith(b"data: "):
                yield kind, json.loads(line[6:])

    def until(self, kind: str) -> object:
        return next(data for found, data in self.events() if found == kind)

    def close(self) -> None:
        self._socket.close()


def test_a_viewer_gets_the_state_first_then_what_is_new_and_a_beat_every_second(table: Table) -> None:
    stream = Stream(table.serve().port)
    state = stream.until("state")
    assert isinstance(state, dict) and state["phase"] == "idle"
    table.desk.tell(LEGAL)
    assert stream.until("top") == {"pile": "A", "card": "8H"}
    assert isinstance(line := stream.until("line"), dict) and line["tone"] == "legal"
    begin = monotonic()
    stream.until("beat")
    stream.until("beat")
    assert monotonic() - begin < 2.5
    stream.close()


def test_another_game_tells_the_whole_state_again(table: Table) -> None:
    stream = Stream(table.serve().port)
    stream.until("state")
    table.film()
    state = stream.until("state")
    assert isinstance(state, dict) and (state["mode"], state["game"]) == ("play", "2026-11-30-0001-abcd")
    stream.close()


def test_stuck_viewers_and_many_viewers_leave_the_referee_its_time(table: Table) -> None:
    port = table.serve().port

    def telling_s() -> float:
        begin = perf_counter()
        for _ in range(2000):
            table.desk.tell(LEGAL)
        return perf_counter() - begin

    alone = min(telling_s() for _ in range(3))
    stuck = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    for viewer in stuck:  # they ask and never read
        viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        viewer.sendall(b"GET /news HTTP/1.1\r\nhost: localhost\r\n\r\n")
    sleep(0.3)
    assert min(telling_s() for _ in range(3)) < 3 * alone + 0.1
    reader = Stream(port)
    assert isinstance(reader.until("state"), dict), "somebody who does read is served"
    for viewer in stuck:
        viewer.close()


# Pictures ------------------------------------------------------------------------------------------------------------


def frame(number: int) -> Frame:
    return Frame(at_ns=number, image=np.full((720, 1280, 3), number, np.uint8), number=number)


def test_pictures_are_made_once_for_all_who_look_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    encode = cv2.imencode
    monkeypatch.setattr(cv2, "imencode", lambda *args: (made.append(1), encode(*args))[1])
    now = [frame(1)]
    pictures = Pictures(lambda: now[0])
    assert [pictures.number(), pictures.number()] == [1, 1]
    assert made == []
    assert {pictures.picture(960).jpeg for _ in range(5)} and len(made) == 1
    now[0] = frame(2)
    assert pictures.picture(960).number == 2
    assert len(made) == 2


def test_a_picture_is_as_wide_as_asked_and_never_wider_than_known_sizes() -> None:
    pictures = Pictures(lambda: frame(1))
    widths = {}
    for asked in (1, 640, 700, 1280, 99_999):
        picture = pictures.picture(asked)
        assert picture is not None
        widths[asked] = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR).shape[1]
    assert widths == {1: 640, 640: 640, 700: 960, 1280: 1280, 99_999: 1280}


def test_a_viewer_gets_newer_pictures_and_waits_where_there_is_none(table: Table, visit: Visit) -> None:
    here = visit()
    assert here.get("/picture?after=0").status == 204
    table.film()
    numbers = []
    for _ in range(3):
        answer = here.get(f"/picture?after={numbers[-1] if numbers else 0}&width=640")
        assert (answer.status, answer.headers["content-type"]) == (200, "image/jpeg")
        numbers.append(int(answer.headers["x-picture"]))
    assert numbers == sorted(set(numbers))
    assert here.get("/picture?after=-3&width=x").status == 200


# Words ---------------------------------------------------------------------------------------------------------------


def test_what_people_say_on_the_page_goes_to_the_referee(table: Table, visit: Visit) -> None:
    here = visit()
    here.get("/")
    assert here.post("/say", {"word": "undo"}).status == 409, "no game runs"
    table.film()
    before = monotonic_ns()
    for word in ({"word": "spit", "player": "p2"}, {"word": "ready", "player": "p1"}, {"word": "undo"}):
        assert here.post("/say", word).status == 200
    said = []
    while not table.queue.empty():
        said.append(table.queue.get_nowait())
    words = [one for one in said if isinstance(one, Called | Undo)]
    assert [(type(one).__name__, getattr(one, "player", None)) for one in words] == [
        ("Called", "p2"),
        ("Called", "p1"),
        ("Undo", None),
    ]
    assert all(before < one.at_ns <= monotonic_ns() for one in words)


@pytest.mark.parametrize("wish, ends", [("set_up", True), ("play", False)])
def test_a_wish_said_before_the_table_runs_is_not_lost(table: Table, visit: Visit, wish: str, ends: bool) -> None:
    here = visit()
    here.get("/")
    assert here.post("/say", {"word": wish}).status == 200, "the pages are there before the rig is"
    table.film()
    told = []
    while not table.queue.empty():
        told.append(table.queue.get_nowait())
    assert any(isinstance(one, Ended) for one in told) == ends, "what runs gives way to what was wished"
    assert table.desk.take_wish() == (wish if ends else None)
    assert table.desk.take_wish() is None


def test_every_page_is_small_and_asks_for_little(visit: Visit) -> None:
    here = visit()
    for path in ("/", "/set-up", "/rules", "/games", "/sign-in"):
        page = here.get(path)
        names = sorted(set(filter(None, page.text.split('"'))))
        files = [name for name in names if name.startswith("/static/")]
        packed = [here.get(name, accept_encoding="gzip") for name in files]
        assert all("immutable" in one.headers["cache-control"] for one in packed)
        weight = len(page.body) + sum(len(one.body) for one in packed)
        assert weight < 60_000 and len(files) <= 7, f"{path}: {weight} bytes in {1 + len(files)} requests"


def test_a_lamp_that_goes_out_is_said_on_the_page_and_so_that_it_is_back() -> None:
    now_s = 0.0
    light = Light(lambda: now_s)
    assert light.answer(None, None).state == "SKIP"
    for gray, state in ((200, "OK"), (40, "FAIL"), (200, "OK")):
        now_s += 3
        image = np.full((720, 1280, 3), gray, np.uint8)
        assert light.answer(Frame(at_ns=0, image=image, number=0), None).state == state


# Corrections of the running game --------------------------------------------------------------------------------------


def test_a_word_about_something_long_past_waits_until_nobody_plays(table: Table) -> None:
    table.film()
    desk, now_ns = table.desk, monotonic_ns()
    desk.tell(PhaseChanged(at_ns=0, phase="play"))
    old, new = (Word(of=n, dismiss=True) for n in (3, 900))
    assert desk.correct(new, now_ns - 5_000_000_000) == "put"
    assert desk.correct(old, now_ns - MINUTE_NS) == "waits"
    assert corrections_in(table) == [900], "what is long past is not judged again in the middle of the play"
    desk.tell(PhaseChanged(at_ns=now_ns, phase="slap"))
    assert corrections_in(table) == []
    desk.tell(PhaseChanged(at_ns=now_ns, phase="layout"))
    assert corrections_in(table) == [3]
    assert desk.correct(old, now_ns - MINUTE_NS) == "put", "nobody plays now"


def test_a_word_that_waits_is_taken_in_at_the_end_of_the_game(table: Table) -> None:
    table.film()
    table.desk.tell(PhaseChanged(at_ns=0, phase="play"))
    word, long_ago_ns = Word(of=3, dismiss=True), monotonic_ns() - MINUTE_NS
    assert table.desk.correct(word, long_ago_ns) == "waits"
    assert [one.of for one in table.desk.left() if isinstance(one, Correction)] == [3]
    assert table.desk.left() == []
    table.desk.closes()
    assert table.desk.correct(word, long_ago_ns) == "nobody"


def test_words_that_wait_are_kept_in_the_game_until_they_stand_in_the_log(table: Table) -> None:
    table.film()
    desk, long_ago_ns = table.desk, monotonic_ns() - MINUTE_NS
    kept = table.folder / "games" / desk.game / WAITING_FILE
    desk.tell(PhaseChanged(at_ns=0, phase="play"))
    for n in (3, 5):
        assert desk.correct(Word(of=n, dismiss=True), long_ago_ns) == "waits"
    assert [word.of for word in words_of(kept.read_bytes()).words] == [3, 5]
    first, second = desk.left()
    desk.saw(first)
    assert [word.of for word in words_of(kept.read_bytes()).words] == [5], "the first is logged, the second not yet"
    desk.saw(second)
    assert not kept.exists()


def test_a_game_whose_referee_died_gets_the_words_that_waited_at_the_next_start(tmp_path: Path) -> None:
    with GameLog.create(tmp_path, Header(rules=msgspec.to_builtins(RuleSet()))) as log:
        landed = log.observation(
            CardLanded(
                at_ns=MINUTE_NS,
                earliest_ns=MINUTE_NS,
                latest_ns=MINUTE_NS,
                pile="A",
                cards={Card("8H"): 0.9},
                players={"p1": 0.9},
            )
        )
    waiting = Waiting(log.directory)
    word = Word(of=landed, dismiss=True, by="Ann")
    waiting.add(word, word.observation(2 * MINUTE_NS, MINUTE_NS))
    said: list[str] = []
    for _ in range(2):
        take_in_left(tmp_path, said.append)
    corrections = [one.item for one in LoggedGame(log.directory).entries() if isinstance(one.item, Correction)]
    assert [(one.of, one.dismiss, one.by) for one in corrections] == [(landed, True, "Ann")], "once"
    assert len(said) == 1 and "are taken in" in said[0]


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"words": [{"of": "x"}]}', b"\xff"])
def test_a_damaged_file_of_waiting_words_is_named_once_and_set_aside(tmp_path: Path, content: bytes) -> None:
    with GameLog.create(tmp_path, Header()) as log:
        (log.directory / WAITING_FILE).write_bytes(content)
    said: list[str] = []
    for _ in range(2):
        take_in_left(tmp_path, said.append)
    assert len(said) == 1 and log.directory.name in said[0]
    assert (log.directory / f"{WAITING_FILE}.damaged").read_bytes() == content


def corrections_in(table: Table) -> list[int]:
    """Return the lines about which the referee was told, and forget them."""
    told = []
    while not table.queue.empty():
        told.append(table.queue.get_nowait())
    return [one.of for one in told if isinstance(one, Correction)]
