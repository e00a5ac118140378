"""Judging a logged game again: the log holds all that the tracker was told, so today's verdicts are yesterday's."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from referee.errors import LogError, NotationError, SettingsError
from referee.log import GameLog, Header, LoggedGame
from referee.observations import CardLanded, Tick
from referee.replay.rejudge import differences, judge_for
from referee.replay.side_by_side import MOST_LINES, side_by_side
from referee.rules.rule_set import rule_set
from referee.session import Session
from referee.simulated.noise import Noise, observe
from referee.simulated.players import play_game
from referee.tracker import Tracker
from referee.verdicts import Stuck, Verdict

HEADER = Header(source="simulated", rules_name="pagat", rules=msgspec.to_builtins(rule_set("pagat")))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated deal, seen with misreads, refereed and logged as at the table."""
    script = play_game(11, deals=1)
    with GameLog.create(tmp_path_factory.mktemp("games"), HEADER) as log:
        session = Session(Tracker(rule_set("pagat")))
        for seen in observe(script, Noise(), seed=3):
            log.observation(seen.observation)
            for verdict in session.take(seen.observation):
                log.verdict(verdict)
    return log.directory


@pytest.fixture
def game(whole: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    directory = tmp_path / whole.name
    directory.mkdir()
    (directory / "game.jsonl").write_bytes((whole / "game.jsonl").read_bytes())
    return directory


def rejudge(*words: object, hash_seed: str = "random") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee", "rejudge", *map(str, words)]
    environ = os.environ | {"PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ)


def test_the_same_observations_bring_the_same_verdicts(whole: Path) -> None:
    game = LoggedGame(whole)
    assert sum(isinstance(entry.item, Verdict) for entry in game.entries()) > 40
    assert list(differences(game, judge_for(game.header))) == []


def test_each_verdict_names_the_line_that_it_judges(whole: Path) -> None:
    entries = list(LoggedGame(whole).entries())
    landings = {entry.n for entry in entries if isinstance(entry.item, CardLanded)}
    judged = {getattr(entry.item, "of", None) for entry in entries if type(entry.item).__name__ == "PlayJudged"}
    assert len(judged) > 15
    assert judged <= landings


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9])
def test_a_log_cut_anywhere_still_agrees(game: Path, kept: float) -> None:
    log = game / "game.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole[: round(len(whole) * kept)])
    logged = LoggedGame(game)
    assert list(differences(logged, judge_for(logged.header))) == []


def test_a_verdict_that_was_changed_is_found(game: Path) -> None:
    log = game / "game.jsonl"
    lines = log.read_text().splitlines()
    changed = next(i for i, line in enumerate(lines) if '"play_judged"' in line and '"ruling":"legal"' in line)
    lines[changed] = lines[changed].replace('"ruling":"legal"', '"ruling":"illegal"')
    log.write_text("\n".join(lines) + "\n")
    done = rejudge(game)
    assert done.returncode == 1
    assert "the log" in done.stdout and "this version" in done.stdout
    assert "illegal:" in done.stdout and "legal:" in done.stdout
    [difference] = differences(LoggedGame(game), judge_for(HEADER))
    assert difference.logged != difference.judged


@pytest.mark.parametrize("hash_seed", ["0", "1", "2"])
def test_the_command_says_that_there_is_no_difference(whole: Path, hash_seed: str) -> None:
    """Whatever order sets have in another process: a restart is a replay."""
    done = rejudge(whole, hash_seed=hash_seed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{whole.name}: no difference.\n"


def test_other_rules_are_judged_and_shown(whole: Path) -> None:
    done = rejudge(whole, "--rules", "wikipedia", "--all")
    assert done.returncode == 1
    assert " differences" in done.stdout


def test_house_rules_are_judged_by_as_well(whole: Path, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "pagat"\ncolours = "alternate"\n')
    done = rejudge(whole, "--rules", house, "--all")
    assert done.returncode == 1 and "differences" in done.stdout


def test_a_page_shows_both_side_by_side_and_runs_nothing(whole: Path, tmp_path: Path) -> None:
    page = tmp_path / "differences.html"
    done = rejudge(whole, "--rules", "wikipedia", "--html", page)
    assert done.returncode == 1
    text = page.read_text()
    assert "the rules wikipedia" in text and "the log" in text and "<script" not in text
    assert text.count('role="row"') == int(done.stdout.split(" difference")[0].split()[-1]) + 1


def test_what_reads_alike_is_shown_with_its_numbers(game: Path) -> None:
    log = game / "game.jsonl"
    lines = log.read_text().splitlines()
    changed = next(i for i, line in enumerate(lines) if '"play_judged"' in line and '"p":1.0' in line)
    lines[changed] = lines[changed].replace('"p":1.0', '"p":0.5')
    log.write_text("\n".join(lines) + "\n")
    assert "p0.5000" in rejudge(game).stdout.replace("\n", "").replace(" ", "").replace("│", "")


def test_what_cannot_be_judged_is_one_sentence_and_exit_2(whole: Path, tmp_path: Path) -> None:
    unknown = rejudge(whole, "--rules", "pagatt")
    nowhere = rejudge("nowhere", "--games", tmp_path)
    for done in (unknown, nowhere):
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1
    assert "pagat" in unknown.stderr


def test_a_log_without_observations_and_a_start_that_is_none_are_refused(game: Path) -> None:
    log = game / "game.jsonl"
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    empty = LoggedGame(game)
    with pytest.raises(LogError, match="no observation"):
        list(differences(empty, judge_for(empty.header)))
    with pytest.raises(NotationError, match="start"):
        judge_for(msgspec.structs.replace(HEADER, start={"phase": "tea"}))
    with pytest.raises(SettingsError):
        judge_for(msgspec.structs.replace(HEADER, rules={"hands": "three"}))


def test_of_what_stands_after_one_observation_as_much_is_shown_as_can_be_read(tmp_path: Path) -> None:
    with GameLog.create(tmp_path, HEADER) as log:
        log.observation(Tick(at_ns=0))
        for n in range(500):
            log.verdict(Stuck(at_ns=n))
    game = LoggedGame(log.directory)
    (row,) = side_by_side(differences(game, judge_for(game.header)), game.header, 0).rows
    assert len(row.logged) == MOST_LINES + 1
    assert row.logged[-1] == f"and {500 - MOST_LINES} more"
