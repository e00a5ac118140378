"""`spit-referee replay`: the list, the timeline in the terminal, the page, and one sentence for what cannot be."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from plausible_game import write_plausible_game
from typer.testing import CliRunner

from referee.cli import replay as replay_command
from referee.cli.app import app
from referee.log import GameLog, Header, game_entry


def replay(*words: object, answer: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee", "replay", *map(str, words)]
    return subprocess.run(command, input=answer, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    write_plausible_game(folder, deals=1)
    write_plausible_game(folder, deals=2)
    return folder


def test_without_a_game_it_lists_the_newest_first(games: Path) -> None:
    done = replay("--games", games)
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    assert names == sorted((path.name for path in games.iterdir()), reverse=True)
    listed = [json.loads(line) for line in replay("--games", games, "--json").stdout.splitlines()]
    assert [game["game"] for game in listed] == names
    assert listed[0]["header"]["players"] == {"p1": "Ann", "p2": "Bob"}


def test_the_games_are_where_the_settings_say(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Pi they are the service's: whoever lists them has another home."""
    settings = tmp_path / "spit-referee" / "settings.toml"
    settings.parent.mkdir()
    settings.write_text(f'[storage]\ngames_dir = "{games}"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for command in ("replay", "history", "export"):
        done = CliRunner().invoke(app, [command])
        assert done.exit_code == 0, done.output
        assert "Ann" in done.stdout


def test_a_prefix_names_a_game_and_its_timeline_reads_like_a_report(games: Path) -> None:
    name = next(path.name for path in games.iterdir() if "-0001-" in path.name)
    done = replay(name[:15], "--games", games)
    assert done.returncode == 0
    assert "Ann has won the game." in done.stdout
    assert "take back" in done.stdout
    assert "legal plays" in done.stdout


def test_a_log_from_somebody_else_does_not_steer_the_terminal(tmp_path: Path) -> None:
    write_plausible_game(tmp_path, deals=1)
    (made,) = tmp_path.iterdir()
    log = made.rename(tmp_path / "x\x1b[31mred") / "game.jsonl"
    header, _, rest = log.read_text().partition("\n")
    steering = {"started": "\x1b[2J\x1b]0;mine\x07", "rules_name": "\x1b[31mred"}
    log.write_text(json.dumps(json.loads(header) | steering) + "\n" + rest)
    for words in ([], [log.parent]):
        told = replay(*words, "--games", tmp_path)
        assert told.returncode == 0 and "\x1b" not in told.stdout + told.stderr


def test_json_gives_one_moment_a_line(games: Path) -> None:
    name = next(path.name for path in games.iterdir() if "-0001-" in path.name)
    moments = [json.loads(line) for line in replay(name, "--games", games, "--json").stdout.splitlines()]
    assert moments[0]["kind"] == "spit"
    assert {"n", "at_ns", "kind"} <= moments[0].keys()


def test_the_page_of_the_newest_game_is_one_file(games: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    done = replay("--html", page, "--games", games)
    assert done.returncode == 0
    assert str(page) in done.stdout
    assert "0002-" in page.read_text()


def test_what_cannot_be_is_one_sentence_and_exit_2(games: Path, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_text("not a log")
    pages = (["--html", page, "--games", games] for page in (tmp_path / "no" / "x.html", "/"))
    for words in (["nobody", "--games", games], [tmp_path], *pages):
        done = replay(*words)
        assert done.returncode == 2
        assert done.stderr.startswith("spit-referee: ")
        assert len(done.stderr.strip().splitlines()) == 1
        assert "Traceback" not in done.stderr


def test_an_empty_games_folder_says_how_to_play_one(tmp_path: Path) -> None:
    done = replay("--games", tmp_path)
    assert done.returncode == 0
    assert "spit-referee demo" in done.stdout


def test_a_game_is_deleted_only_by_name_and_after_a_yes(tmp_path: Path) -> None:
    directory = write_plausible_game(tmp_path, deals=1)
    assert replay("--delete", "--games", tmp_path, answer="y\n").returncode == 2
    for no in ("n\n", ""):
        assert "Nothing" in replay(directory.name, "--delete", "--games", tmp_path, answer=no).stdout
    assert directory.exists()
    assert "is gone" in replay(directory.name, "--delete", "--games", tmp_path, answer="y\n").stdout
    assert not directory.exists()


def test_a_folder_that_is_not_there_is_no_empty_list(tmp_path: Path) -> None:
    done = replay("--games", tmp_path / "nope")
    assert done.returncode == 2 and "there is no folder" in done.stderr


@pytest.mark.parametrize("form", [["--json"], []])
def test_whoever_stops_reading_is_no_error(games: Path, form: list[str]) -> None:
    name = next(path.name for path in games.iterdir() if "-0002-" in path.name)
    command = [sys.executable, "-m", "referee", "replay", name, *form, "--games", str(games)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", '[p1 "Ann"]\n', "deal 1\n"])
def test_a_text_without_a_game_is_not_imported(tmp_path: Path, text: str) -> None:
    file = tmp_path / "game.txt"
    file.write_text(text)
    command = [sys.executable, "-m", "referee", "import", str(file), "--games", str(tmp_path / "games")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "holds no game" in done.stderr
    assert not (tmp_path / "games").exists()


def test_of_many_games_only_those_that_are_listed_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 61):
        GameLog.create(tmp_path, Header(players={"p1": f"Ann {number}", "p2": "Bob"})).close()
    opened: list[Path] = []
    monkeypatch.setattr(replay_command, "game_entry", lambda folder: opened.append(folder) or game_entry(folder))
    listed = CliRunner().invoke(app, ["replay", "--games", str(tmp_path)]).stdout
    assert "Ann 60" in listed and "Ann 10 " not in listed
    assert "The newest 50 of 60 games; --all lists every one." in listed
    assert len(opened) == 50
    assert "Ann 1 " in CliRunner().invoke(app, ["replay", "--games", str(tmp_path), "--all"]).stdout
    assert len(CliRunner().invoke(app, ["replay", "--games", str(tmp_path), "--json"]).stdout.splitlines()) == 60
