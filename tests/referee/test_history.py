"""Many games together: scores between two players, each one's trend, and forgetting somebody for good."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import plausible_game
import pytest

from referee.log import GameLog, game_folders
from referee.replay import history as history_module
from referee.replay.history import history_of
from referee.replay.history_page import history_page, trends_of
from referee.replay.timeline import timeline_of
from referee.table import Player
from referee.verdicts import GameOver


def write_game(folder: Path, p1: str, p2: str, winner: str | None, seed: int) -> None:
    header = msgspec.structs.replace(plausible_game.HEADER, players={"p1": p1, "p2": p2})
    with GameLog.create(folder, header) as log:
        game = plausible_game.PlausibleGame(log, seed, None)
        game.deal(first=True)
        for _ in range(6):
            game.wait(300, 900)
            game.play()
        game.end(dead_heat=False)
        if winner:
            game.say(GameOver(at_ns=game.now_ns, winner=winner))


@pytest.fixture
def games(tmp_path: Path) -> Path:
    results: list[tuple[str, str, Player | str | None]] = [
        ("Ann", "Bob", "p1"), ("Bob", "Ann", "p2"), ("Ann", "Bob", "p2"), ("Ann", "Cleo", None), ("Ann", "Bob", "draw"),
    ]  # fmt: skip
    for seed, (p1, p2, winner) in enumerate(results):
        write_game(tmp_path, p1, p2, winner, seed)
    return tmp_path


def history(*words: object, answer: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee", "history", *map(str, words)]
    return subprocess.run(command, input=answer, capture_output=True, text=True, timeout=60)


def test_the_score_follows_the_person_not_the_chair(games: Path) -> None:
    told = history_of(game_folders(games))
    [match] = told.matches
    assert (match.names, match.won, match.draws) == (("Ann", "Bob"), (2, 1), 1)
    assert [player.name for player in told.players] == ["Ann", "Bob", "Cleo"]
    ann, bob, cleo = told.players
    assert (len(ann.games), ann.won, ann.finished) == (5, 2, 4)
    assert (len(bob.games), bob.won) == (4, 1)
    assert (cleo.games[0].result, cleo.games[0].opponent) == ("not finished", "Ann")
    assert [game.result for game in ann.games] == ["won", "won", "lost", "not finished", "drawn"]


def test_a_trend_has_a_dot_for_each_game_and_one_game_has_no_trend(games: Path) -> None:
    ann, _, cleo = history_of(game_folders(games)).players
    assert {len(trend.dots) for trend in trends_of(ann)} <= {4, 5}
    assert trends_of(ann)[0].dots[0].x == 0
    assert trends_of(cleo) == ()


def test_a_damaged_game_is_named_and_the_rest_is_told(games: Path) -> None:
    (sorted(games.iterdir())[0] / "game.jsonl").write_text("nothing")
    told = history_of(game_folders(games))
    assert len(told.unreadable) == 1
    assert told.matches[0].won == (1, 1)


def test_the_page_has_no_script_and_escapes_names(tmp_path: Path) -> None:
    write_game(tmp_path, "<script>alert(1)</script>", "Bob", "p1", 1)
    page = history_page(history_of(game_folders(tmp_path)))
    assert "<script" not in page
    assert "script-src" not in page
    assert "&lt;script&gt;" in page


def test_the_command_prints_writes_and_forgets(games: Path, tmp_path: Path) -> None:
    assert "Ann  2 : 1  Bob  (1 drawn)" in history("--games", games).stdout
    players = [json.loads(line)["name"] for line in history("--games", games, "--json").stdout.splitlines()]
    assert players == ["Ann", "Bob", "Cleo"]
    page = tmp_path / "history.html"
    assert history("--games", games, "--html", page).returncode == 0
    assert "Games and players" in page.read_text()
    assert history("--games", games, "--forget", "Cloe").returncode == 2
    for no in ("n\n", ""):
        assert "Nothing" in history("--games", games, "--forget", "Cleo", answer=no).stdout
    assert "Deleted: 1 game." in history("--games", games, "--forget", "Cleo", answer="y\n").stdout
    assert len(game_folders(games)) == 4


def test_a_game_is_read_once_and_again_when_its_log_has_changed(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(
        history_module, "timeline_of", lambda game: read.append(game.directory.name) or timeline_of(game)
    )
    first = history_of(game_folders(games))
    assert len(read) == 5
    newest, *others = game_folders(games)
    (others[0] / history_module.KEPT_FILE).write_text('{"log": 1')
    with GameLog.amend(newest) as log:
        log.verdict(GameOver(at_ns=10**12, winner="p1"))
    read.clear()
    again = history_of(game_folders(games))
    assert read == [others[0].name, newest.name]
    assert first.matches[0].draws == 1 and again.matches[0].won == (3, 1)


def test_figures_are_never_written_through_a_link(games: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    mine = tmp_path_factory.mktemp("mine") / "letter.txt"
    mine.write_text("dear Ann")
    (game_folders(games)[0] / history_module.KEPT_FILE).symlink_to(mine)
    history_of(game_folders(games))
    assert mine.read_text() == "dear Ann"


def test_forgetting_somebody_leaves_no_figures_behind(games: Path) -> None:
    history("--games", games)
    history("--games", games, "--forget", "Cleo", answer="y\n")
    assert not [path for path in games.rglob("*") if path.is_file() and b"Cleo" in path.read_bytes()]
