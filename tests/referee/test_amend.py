"""Corrections after the game: written behind what they correct, judged forward, shown with the old value beside."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from plausible_game import write_plausible_game
from test_tracker_properties import deal

from referee.errors import CorrectionError
from referee.log import GameLog, Header, LoggedGame
from referee.observations import Correction, Recount
from referee.replay import Moment, Timeline, statistics_of, timeline_of
from referee.replay.amend import Outcome, Word, Words, amend, words_of
from referee.replay.rejudge import differences, judge_for
from referee.rules.rule_set import RuleSet
from referee.session import Session
from referee.tracker import Tracker
from referee.verdicts import PlayJudged


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A logged deal between two simulated players, over perfect sensors."""
    rules = msgspec.to_builtins(RuleSet())
    header = Header(players={"p1": "Ann", "p2": "Bob"}, rules=rules, started="2026-11-30T20:15")
    with GameLog.create(tmp_path, header) as log:
        session = Session(Tracker(RuleSet()), log)
        for seen in deal(5):
            session.take(seen)
    return log.directory


def timeline(directory: Path) -> Timeline:
    return timeline_of(LoggedGame(directory))


def at(directory: Path, n: int) -> Moment:
    return next(moment for moment in timeline(directory).moments if moment.n == n)


def plays(directory: Path) -> list[tuple[int, PlayJudged]]:
    return [(entry.n, entry.item) for entry in LoggedGame(directory).entries() if isinstance(entry.item, PlayJudged)]


def said(directory: Path, **word: object) -> Outcome:
    return amend(directory, words_of(msgspec.json.encode({"game": "", "words": [word]})))


def test_a_card_that_the_players_call_illegal_counts_no_more_in_the_figures(played: Path) -> None:
    _, play = next((n, play) for n, play in plays(played) if play.ruling == "legal" and play.player == "p1")
    assert play.of is not None
    before = statistics_of(timeline(played)).game.players["p1"]
    said(played, of=play.of, ruling="illegal", by="Bob")
    after = statistics_of(timeline(played)).game.players["p1"]
    assert after.plays < before.plays
    moment = at(played, play.of)
    assert moment.ruling == "illegal" and moment.was


def test_what_was_logged_stays_and_what_is_new_stands_behind_it(played: Path) -> None:
    before = (played / "game.jsonl").read_bytes()
    of = plays(played)[3][1].of
    said(played, of=of, dismiss=True)
    after = (played / "game.jsonl").read_bytes()
    assert after.startswith(before)
    game = LoggedGame(played)
    numbers = [entry.n for entry in game.entries() if not entry.is_mark]
    assert numbers == list(range(len(numbers)))
    assert game.was_closed and not game.troubles


def test_a_corrected_log_is_judged_again_without_any_difference(played: Path) -> None:
    for play in (plays(played)[2][1], plays(played)[7][1]):
        said(played, of=play.of, ruling="illegal")
    game = LoggedGame(played)
    assert list(differences(game, judge_for(game.header))) == []


def test_what_did_not_happen_is_struck_through(played: Path) -> None:
    of = plays(played)[3][1].of
    assert of is not None
    said(played, of=of, dismiss=True)
    assert at(played, of).dismissed
    correction = next(moment for moment in timeline(played).moments if moment.kind == "corrected")
    assert "did not happen" in correction.sentence
    said(played, of=correction.n, dismiss=True)
    assert not at(played, of).dismissed and at(played, of).ruling == "legal"


def test_a_missed_landing_is_a_moment_of_its_own(played: Path) -> None:
    n, play = plays(played)[4]
    outcome = said(played, of=n, missed_ms=250, player="p2", card="7C", pile="B", by="Ann")
    assert outcome.is_rejudged and not outcome.unknown
    word = next(e.n for e in LoggedGame(played).entries() if isinstance(e.item, Correction))
    moment = at(played, word)
    assert (moment.kind, moment.card, moment.player, moment.was) == ("play", "7C", "p2", "not seen by the referee")
    assert moment.at_ns - next(m.at_ns for m in timeline(played).moments if m.n == play.of) == 250_000_000


def test_a_count_is_taken_in_and_shown(played: Path) -> None:
    n, _ = plays(played)[4]
    outcome = said(played, of=n, player="p1", row=[1, 2, 3, 4, 5], spit=7, by="Ann")
    assert outcome.is_rejudged and not outcome.unknown
    counted = next(entry.item for entry in LoggedGame(played).entries() if isinstance(entry.item, Recount))
    assert (counted.player, counted.row, counted.spit) == ("p1", (1, 2, 3, 4, 5), 7)
    last = timeline(played).moments[-1]
    assert last.sentence == "Counted: Ann has 1, 2, 3, 4, 5 in the row and 7 spit cards."


def test_a_log_that_this_version_judges_otherwise_keeps_its_rulings(tmp_path: Path) -> None:
    directory = write_plausible_game(tmp_path, deals=1)
    of = next(moment.n for moment in timeline(directory).moments if moment.is_landing)
    outcome = said(directory, of=of, card="2C", by="Ann")
    assert not outcome.is_rejudged
    assert at(directory, of).card == "2C" and at(directory, of).was


def test_words_about_lines_that_are_not_there_are_named(played: Path) -> None:
    outcome = said(played, of=10**9, dismiss=True)
    assert [word.of for word in outcome.unknown] == [10**9] and not outcome.told


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"game":"x","words":[{"of":1,"card":"<b>"}]}', b'{"game":"x","words":[{"of":1,"x":2}]}',
     b'{"game":"x","words":[{"of":1,"missed_ms":1e308}]}', b'{"game":"x","words":[{"of":1,"row":[-1]}]}',
     b'{"game":"x","words":[{"of":1,"spit":1e9}]}', b'{"game":"x","words":[{"of":1,"place":6}]}',
     b"\xff\xfe", b"[" * 5000, b'{"game":"x","words":[' + b'{"of":1},' * 1500 + b'{"of":1}]}'],
)  # fmt: skip
def test_a_file_that_holds_no_corrections_is_refused(content: bytes) -> None:
    with pytest.raises(CorrectionError):
        words_of(content)


def test_corrections_of_another_game_are_refused(played: Path) -> None:
    words = Words(game="2020-01-01-0001-abcd", started="2020-01-01T10:00", words=(Word(of=1, dismiss=True),))
    with pytest.raises(CorrectionError, match="not for"):
        amend(played, words)


def correct(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee", "correct", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("--of", 10**9, "--dismiss"), "shows the numbers"),
        (("--of", 1), "say what is right"),
        (("--of", 1, "--card", "9C", "--missed-ms", "nan"), "milliseconds"),
        (
            ("--of", 1, "--player", "p1", "--row", "9,9,x"),
            "--row 9,9,x is no row: give how many",
        ),
        (("--of", 1, "--player", "p1", "--row", "9,9,9,9,9", "--spit", 20), "65 cards are more than a pack has"),
    ],
)
def test_a_correction_that_corrects_nothing_is_one_sentence_and_exit_2(
    played: Path, words: tuple[object, ...], cure: str
) -> None:
    done = correct(played, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert cure in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_count_that_changes_no_ruling_is_said_to_be_noted(played: Path) -> None:
    n, _ = plays(played)[4]
    done = correct(played, "--of", n, "--player", "p1", "--row", "1,2,3,4,5", "--spit", 7)
    assert (done.returncode, done.stderr) == (0, "") and "noted" in done.stdout


def test_the_command_takes_a_file_or_a_single_word(played: Path, tmp_path: Path) -> None:
    first, second = plays(played)[2][1], plays(played)[3][1]
    file = tmp_path / "corrections.json"
    file.write_bytes(msgspec.json.encode(Words(game=played.name, words=(Word(of=first.of or 0, ruling="illegal"),))))
    done = correct(played.name, file, "--games", played.parent)
    assert (done.returncode, done.stderr) == (0, "") and ", illegal" in done.stdout
    done = correct(played, "--of", second.of, "--card", "2C", "--player", "p2")
    assert done.returncode == 0 and "is now 2C by p2" in done.stdout


@pytest.mark.parametrize("words", [(), ("--of", "3", "--card", "ZZ"), ("/nowhere.json",)])
def test_what_cannot_be_is_one_sentence_and_exit_2(played: Path, words: tuple[str, ...]) -> None:
    done = correct(played, *words)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr
