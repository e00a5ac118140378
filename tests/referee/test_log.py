"""Writing a game down, and reading it back after everything that can happen to a file."""

import errno
import json
import os
import shutil
from io import FileIO
from pathlib import Path

import msgspec
import pytest

from referee.cards import Card
from referee.errors import LogError
from referee.log import (
    Device,
    GameLog,
    Header,
    LoggedGame,
    find_game,
    list_games,
    newest_game,
    remove_game,
    trim_pictures,
)
from referee.log.header import Closed, Continued
from referee.log.lines import LineFile
from referee.observations import AnyObservation, CardLanded, PadSlapped, Tick
from referee.verdicts import AnyVerdict, PlayJudged

HEADER = Header(
    players={"p1": "Ann", "p2": "Bob"},
    rules_name="pagat",
    rules={"hands": "one"},
    devices=(Device(role="pads", name="gpio", uncertainty_ns=50_000),),
)
NINE = CardLanded(
    at_ns=5, pile="A", earliest_ns=4, latest_ns=6, cards={Card("9S"): 0.98}, players={"p1": 0.9}, frame="a.jpg"
)
FITS = PlayJudged(at_ns=5, of=0, player="p1", pile="A", card=Card("9S"), p=0.98, ruling="legal", top=Card("8H"))
SLAP = PadSlapped(at_ns=9, player="p2", pile="B", uncertainty_ns=50_000)


def items(game: LoggedGame) -> list[AnyObservation | AnyVerdict | Continued | Closed]:
    return [entry.item for entry in game.entries()]


def write_game(folder: Path) -> Path:
    with GameLog.create(folder, HEADER) as log:
        assert log.observation(NINE) == 0
        assert log.verdict(FITS) == 1
        assert log.observation(SLAP) == 2
    return log.directory


def test_a_game_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    game = LoggedGame(write_game(tmp_path))
    assert items(game) == [NINE, FITS, SLAP, Closed()]
    assert [entry.n for entry in game.entries()] == [0, 1, 2, -1]
    assert game.header.players == {"p1": "Ann", "p2": "Bob"}
    assert game.header.devices[0].uncertainty_ns == 50_000
    assert game.was_closed
    assert game.troubles == []


def test_every_line_is_an_object_with_its_number_and_its_kind(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (write_game(tmp_path) / "game.jsonl").read_text().splitlines()]
    assert [(line.get("n"), line["kind"]) for line in lines] == [
        (None, "header"), (0, "card_landed"), (1, "play_judged"), (2, "pad_slapped"), (None, "closed"),
    ]  # fmt: skip
    assert lines[2] == {
        "n": 1, "kind": "play_judged", "at_ns": 5, "of": 0, "player": "p1", "pile": "A", "card": "9S", "p": 0.98,
        "ruling": "legal", "top": "8H",
    }  # fmt: skip


def test_an_event_is_in_the_file_at_once(tmp_path: Path) -> None:
    log = GameLog.create(tmp_path, HEADER)
    log.observation(NINE)
    assert items(LoggedGame(log.directory)) == [NINE]
    log.close()


@pytest.mark.parametrize("cut", range(1, 700, 13))
def test_a_log_cut_anywhere_gives_every_whole_line_and_names_the_rest(tmp_path: Path, cut: int) -> None:
    path = write_game(tmp_path) / "game.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    left = whole[:-cut].splitlines(keepends=True)
    complete = sum(1 for line in left[1:] if line.rstrip().endswith(b"}"))
    if complete == 0:
        return
    game = LoggedGame(path.parent)
    assert len(items(game)) == complete
    assert bool(game.troubles) == (complete != len(left) - 1)
    assert not game.was_closed or complete == 4


def test_a_log_of_a_newer_version_shows_what_is_known_and_names_what_is_not(tmp_path: Path) -> None:
    path = write_game(tmp_path) / "game.jsonl"
    lines = path.read_text().splitlines()
    lines[0] = (
        lines[0].replace('"schema":1', '"schema":7') if '"schema"' in lines[0] else lines[0][:-1] + ',"schema":7}'
    )
    lines.insert(2, '{"n":2,"kind":"card_whispered","at_ns":7,"loud":[1,2]}')
    lines[3] = lines[3].replace("}", ',"mood":{"of":["p1"]}}')
    path.write_text("\n".join(lines) + "\n")
    game = LoggedGame(path.parent)
    assert items(game)[:3] == [NINE, FITS, SLAP]
    said = " ".join(trouble.what for trouble in game.troubles)
    assert "newer version" in said
    assert "card_whispered" in said


HOSTILE = [
    b"[" * 100_000 + b"\n",
    b'{"n":2,"kind":"tick","x":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b',"at_ns":1}\n',
    b'{"n":2,"kind":"tick","at_ns":NaN}\n',
    b'{"n":2,"kind":"tick","at_ns":1e999}\n',
    b'{"n":2,"kind":"tick","at_ns":' + b"9" * 4000 + b"}\n",
    b'{"n":2,"kind":"tick","at_ns":-1}\n',
    b'{"n":-2,"kind":"tick","at_ns":1}\n',
    b'{"n":2,"kind":"tick","at_ns":"soon"}\n',
    b'{"n":2,"kind":["tick"],"at_ns":1}\n',
    b'{"n":2,"kind":"card_landed","at_ns":1,"pile":"C","cards":{}}\n',
    b'{"n":2,"kind":"' + b"x" * 3_000_000 + b'"}\n',
    b"\0" * 4096 + b"\n",
    b"\xff\xfe\xfd\n",
    b"null\n",
    b"plain text\n",
]


@pytest.mark.parametrize("line", HOSTILE, ids=[line[:30].decode("latin1") for line in HOSTILE])
def test_a_hostile_line_is_named_and_the_rest_is_read(tmp_path: Path, line: bytes) -> None:
    path = write_game(tmp_path) / "game.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], line, *lines[2:]]))
    game = LoggedGame(path.parent)
    assert items(game) == [NINE, FITS, SLAP, Closed()]
    assert [trouble.line for trouble in game.troubles] == [3]
    assert len(game.troubles[0].what) < 250


def test_a_lost_line_is_missed(tmp_path: Path) -> None:
    path = write_game(tmp_path) / "game.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    game = LoggedGame(path.parent)
    assert items(game) == [NINE, SLAP, Closed()]
    assert [trouble.what for trouble in game.troubles] == ["before it 1 entry is missing"]


def test_a_log_without_its_header_still_opens(tmp_path: Path) -> None:
    path = write_game(tmp_path) / "game.jsonl"
    for damage in (b"", b"{\n"):
        lines = write_game(tmp_path / "x").joinpath("game.jsonl").read_bytes().splitlines(keepends=True)
        path.write_bytes(damage + b"".join(lines[1:]))
        game = LoggedGame(path.parent)
        assert items(game)[:3] == [NINE, FITS, SLAP]
        assert "header" in game.troubles[0].what


@pytest.mark.parametrize("content", [b"", b"\n\n", b"a,b,c\n1,2,3\n", b'{"hello":"world"}\n', b"\x00" * 100])
def test_what_is_no_log_at_all_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "game.jsonl").write_bytes(content)
    with pytest.raises(LogError, match="not a game log"):
        LoggedGame(tmp_path)
    with pytest.raises(LogError, match="cannot be read"):
        LoggedGame(tmp_path / "nowhere")


def test_a_game_goes_on_after_a_power_cut(tmp_path: Path) -> None:
    directory = write_game(tmp_path)
    path = directory / "game.jsonl"
    path.write_bytes(path.read_bytes()[:-70])
    with GameLog.resume(directory) as log:
        assert log.observation(Tick(at_ns=1)) == 2
    game = LoggedGame(directory)
    kinds = [type(item).__name__ for item in items(game)]
    assert kinds == ["CardLanded", "PlayJudged", "Continued", "Tick", "Closed"]
    assert len(game.troubles) == 1


def test_games_get_names_of_their_own_even_at_one_wall_time(tmp_path: Path) -> None:
    header = msgspec.structs.replace(HEADER, started="2026-11-30T20:00:00+01:00")
    names = []
    for _ in range(5):
        with GameLog.create(tmp_path, header) as log:
            names.append(log.directory.name)
    earlier = msgspec.structs.replace(HEADER, started="1999-01-01T00:00:00")
    with GameLog.create(tmp_path, earlier) as log:
        names.append(log.directory.name)
    assert len(set(names)) == 6
    assert [game.name for game in list_games(tmp_path)] == names[::-1]
    newest = newest_game(tmp_path)
    assert newest is not None and newest.name == names[-1]
    assert not any(set(name) & set(':/\\ *?"<>|') for name in names)


def test_a_clock_that_was_never_set_is_said_to_be_unsure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = tmp_path / "timesync"
    monkeypatch.setattr("referee.log.writer.TIME_SERVICE", service)
    assert not LoggedGame(write_game(tmp_path / "no-service")).header.clock_unsure
    service.mkdir()
    assert LoggedGame(write_game(tmp_path / "never-set")).header.clock_unsure
    (service / "synchronized").touch()
    assert not LoggedGame(write_game(tmp_path / "set")).header.clock_unsure


def test_a_game_is_found_by_path_name_prefix_or_as_the_newest(tmp_path: Path) -> None:
    first, second = write_game(tmp_path), write_game(tmp_path)
    assert find_game(None, tmp_path) == second
    assert find_game(str(first), tmp_path) == first
    assert find_game(first.name, tmp_path) == first
    assert find_game(first.name[:-3], tmp_path) == first
    with pytest.raises(LogError, match="2 games begin with"):
        find_game(first.name[:4], tmp_path)
    with pytest.raises(LogError, match="no game in"):
        find_game("yesterday", tmp_path)
    with pytest.raises(LogError, match="yet"):
        find_game(None, tmp_path / "empty")


def test_the_list_tells_a_closed_game_from_a_power_cut_and_survives_damage(tmp_path: Path) -> None:
    write_game(tmp_path)
    cut = write_game(tmp_path) / "game.jsonl"
    cut.write_bytes(cut.read_bytes()[:-5])
    (write_game(tmp_path) / "game.jsonl").write_bytes(b"")
    damaged, cut_off, closed = list_games(tmp_path)
    assert closed.closed
    assert not cut_off.closed
    assert cut_off.header
    assert damaged.header is None
    assert "not a game log" in damaged.trouble


def test_a_deleted_game_is_gone_and_nothing_else_can_be_deleted(tmp_path: Path) -> None:
    directory = write_game(tmp_path)
    remove_game(directory)
    assert not directory.exists()
    with pytest.raises(LogError, match="not a game"):
        remove_game(tmp_path)


def test_pictures_stay_within_their_quota_oldest_first_and_marked_ones_stay(tmp_path: Path) -> None:
    with GameLog.create(tmp_path, HEADER, frame_quota_bytes=300) as log:
        assert log.frame("001.jpg", b"x" * 100, keep=True)
        for number in range(2, 6):
            assert log.frame(f"{number:03d}.jpg", b"y" * 100)
        assert sorted(path.name for path in (log.directory / "frames").glob("*.jpg")) == [
            "001.jpg",
            "004.jpg",
            "005.jpg",
        ]
        assert not log.frame("006.jpg", b"z" * 301)
    with GameLog.resume(log.directory, frame_quota_bytes=300) as again:
        assert again.frame("007.jpg", b"z" * 200)
        assert (log.directory / "frames" / "001.jpg").exists()
        assert not (log.directory / "frames" / "005.jpg").exists()


def test_below_the_disks_reserve_pictures_are_left_out_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    with GameLog.create(tmp_path, HEADER, reserve_bytes=500_000_000) as log:
        monkeypatch.setattr("shutil.disk_usage", lambda _: usage._replace(free=500_000_003))
        assert log.frame("000000001-A-after.jpg", b"123")
        assert not log.frame("000000002-A-after.jpg", b"1234")
        assert log.observation(Tick(at_ns=1)) == 0
        assert log.trouble is None, "the status line says how little is free"


def test_old_games_give_their_pictures_before_newer_ones_and_never_their_log(tmp_path: Path) -> None:
    games = []
    for _ in range(3):
        with GameLog.create(tmp_path, HEADER) as log:
            log.frame("a.jpg", b"x" * 100)
            games.append(log.directory)
    (games[0] / "keep").touch()
    assert trim_pictures(tmp_path, 200) == 1
    assert [(game / "frames" / "a.jpg").exists() for game in games] == [True, False, True]
    assert len(list_games(tmp_path)) == 3


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "a/b.jpg", "a.png", ".jpg", "a..jpg", "a\0.jpg", "", "ü.jpg"]
)
def test_a_picture_is_never_looked_for_outside_its_game(tmp_path: Path, name: str) -> None:
    directory = write_game(tmp_path)
    assert LoggedGame(directory).frame_path(name) is None
    log = GameLog.resume(directory)
    with pytest.raises(LogError, match="no name for a picture"):
        log.frame(name, b"x")
    log.close()


def test_a_link_in_the_pictures_folder_is_not_followed(tmp_path: Path) -> None:
    directory = write_game(tmp_path)
    (tmp_path / "secret").write_text("secret")
    (directory / "frames" / "a.jpg").symlink_to(tmp_path / "secret")
    (directory / "frames" / "b.jpg").write_bytes(b"x")
    game = LoggedGame(directory)
    assert game.frame_path("a.jpg") is None
    assert game.frame_path("b.jpg") is not None


class FullDisk:
    """A log file on a disk that takes only the beginning of a line."""

    def __init__(self, file: FileIO) -> None:
        self._file = file

    def write(self, line: bytes) -> int:
        return self._file.write(line[:10])

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """Disks are as full as the answer says: `of_lines`, or `of_files` so that no folder can be made."""
    full = {"of_lines": False, "of_files": False}
    opened = LineFile._opened

    def on_the_disk(lines: LineFile) -> object:
        if full["of_files"]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return FullDisk(opened(lines)) if full["of_lines"] else opened(lines)

    monkeypatch.setattr(LineFile, "_opened", on_the_disk)
    return full


def test_a_full_disk_costs_pictures_then_lines_but_never_the_game(tmp_path: Path, full_disk: dict[str, bool]) -> None:
    log = GameLog.create(tmp_path, HEADER)
    log.frame("a.jpg", b"x" * 1000)
    log.observation(NINE)
    full_disk["of_lines"] = True
    assert log.observation(SLAP) == 1
    assert not (log.directory / "frames" / "a.jpg").exists()
    assert log.trouble and os.strerror(errno.ENOSPC) in log.trouble
    assert "make room" in log.blocked
    full_disk["of_lines"] = False
    assert log.verdict(FITS) == 2
    assert not log.blocked and log.trouble
    log.close()
    game = LoggedGame(log.directory)
    assert items(game) == [NINE, FITS, Closed()]
    assert game.troubles[0].what == "before it 1 entry is missing"


def test_a_running_game_that_somebody_removes_is_logged_on_with_its_header(tmp_path: Path) -> None:
    with GameLog.create(tmp_path, HEADER) as log:
        log.observation(NINE)
    with GameLog.resume(log.directory) as log:
        shutil.rmtree(log.directory)
        log.observation(SLAP)
        assert log.frame("a.jpg", b"x")
        log.verdict(FITS)
    game = LoggedGame(log.directory)
    assert game.header.players == HEADER.players and game.header.started
    assert items(game) == [SLAP, FITS, Closed()]
    assert [trouble.what for trouble in game.troubles] == ["before it 1 entry is missing"]


@pytest.mark.parametrize("what", ["of_lines", "of_files"])
def test_a_game_that_begins_on_a_full_disk_is_logged_from_the_moment_there_is_room(
    tmp_path: Path, full_disk: dict[str, bool], what: str
) -> None:
    full_disk[what] = True
    log = GameLog.create(tmp_path / "games", HEADER, waits=True)
    log.observation(NINE)
    assert "NOT LOGGED" in log.blocked and "make room" in log.blocked
    full_disk[what] = False
    log.observation(SLAP)
    assert not log.blocked
    log.close()
    game = LoggedGame(log.directory)
    assert game.header.started and items(game) == [SLAP, Closed()]
    assert game.troubles[0].what == "before it 1 entry is missing"


@pytest.mark.parametrize("what", ["of_lines", "of_files"])
def test_a_game_of_which_no_line_fits_leaves_nothing_behind(
    tmp_path: Path, full_disk: dict[str, bool], what: str
) -> None:
    full_disk[what] = True
    with GameLog.create(tmp_path, HEADER, waits=True) as log:
        log.observation(NINE)
    assert list(tmp_path.iterdir()) == []


def test_a_cut_game_goes_on_on_a_full_disk(tmp_path: Path, full_disk: dict[str, bool]) -> None:
    with GameLog.create(tmp_path, HEADER) as log:
        log.observation(NINE)
    path = log.directory / "game.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0] + b'{"n":0,"ki')
    full_disk["of_lines"] = True
    log = GameLog.resume(log.directory, waits=True)
    log.observation(NINE)
    full_disk["of_lines"] = False
    log.observation(SLAP)
    log.close()
    assert [type(item).__name__ for item in items(LoggedGame(log.directory))] == ["Continued", "PadSlapped", "Closed"]


def test_where_nobody_waits_for_room_a_full_disk_is_one_sentence(tmp_path: Path, full_disk: dict[str, bool]) -> None:
    full_disk["of_lines"] = True
    with pytest.raises(LogError, match="--games"):
        GameLog.create(tmp_path, HEADER)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_sentence_with_its_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogError, match="--games"):
        GameLog.create(tmp_path / "file", HEADER)
