"""A filmed game becomes a test: its landings as truth, after corrections; and the whole chain scored over a folder."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from test_tracker_properties import deal

from referee.cards import Card
from referee.cli.score_folder import ClipScore, _compare, clips_in, score_clip
from referee.errors import LogError
from referee.log import GameLog, Header, LoggedGame
from referee.replay.amend import Word, Words, amend
from referee.replay.truth import TrueLanding, Truth, write_truth
from referee.rules.rule_set import RuleSet
from referee.session import Session
from referee.tracker import Tracker
from referee.verdicts import PlayJudged

FPS = 30.0


@pytest.fixture
def filmed(tmp_path: Path) -> Path:
    """A logged deal whose film began with its first observation."""
    seen = deal(5)
    with GameLog.create(tmp_path, Header(rules=msgspec.to_builtins(RuleSet()))) as log:
        session = Session(Tracker(RuleSet()), log)
        for one in seen:
            session.take(one)
    folder = log.directory / "recording"
    folder.mkdir()
    frames = round((seen[-1].at_ns - seen[0].at_ns) / 1e9 * FPS)
    about = {"start_ns": seen[0].at_ns, "fps": FPS, "frames": frames, "size_px": [1280, 720], "dropped": 0}
    (folder / "recording.json").write_text(json.dumps(about))
    (folder / "game.mp4").write_bytes(b"no real film")
    return log.directory


def truth(game: Path) -> dict[str, Any]:
    [path] = write_truth(LoggedGame(game))
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def plays(game: Path) -> list[PlayJudged]:
    return [entry.item for entry in LoggedGame(game).entries() if isinstance(entry.item, PlayJudged)]


def test_the_truth_has_the_form_of_a_clip(filmed: Path) -> None:
    found = truth(filmed)
    assert {"file", "fps", "landings"} <= found.keys() and found["file"] == "game.mp4"
    landing = found["landings"][5]
    assert landing["side"] in ("A", "B") and landing["pile"] in (0, 1) and landing["legal"] in (True, False)
    for one in found["landings"]:
        assert one["frame_index"] / FPS >= one["t_touch"] > (one["frame_index"] - 1) / FPS
    times = [one["t_touch"] for one in found["landings"]]
    assert times == sorted(times) and len(times) > 20


def test_what_the_players_corrected_is_the_truth(filmed: Path) -> None:
    before = truth(filmed)["landings"]
    wrong, gone = plays(filmed)[3], plays(filmed)[6]
    words = (
        Word(of=wrong.of or 0, card=Card("2C"), player="p2"),
        Word(of=gone.of or 0, dismiss=True),
        Word(of=gone.of or 0, missed_ms=40, card=Card("7D"), player="p1", pile="B"),
    )
    amend(filmed, Words(game=filmed.name, words=words))
    after = truth(filmed)
    assert after["corrections"] >= 2
    assert len(after["landings"]) == len(before)
    changed = [one for one in after["landings"] if (one["card"], one["side"]) == ("2C", "B")]
    added = [one for one in after["landings"] if (one["card"], one["side"], one["pile"]) == ("7D", "A", 1)]
    assert changed and added


def test_legal_is_what_the_cards_say_whatever_was_ruled(filmed: Path) -> None:
    of = next(play for play in plays(filmed) if play.ruling == "legal").of or 0
    amend(filmed, Words(game=filmed.name, words=(Word(of=of, ruling="illegal"),)))
    ruled = [one for one in truth(filmed)["landings"] if one["ruling"] == "illegal"]
    assert any(one["legal"] for one in ruled)


def test_a_game_that_was_not_filmed_says_how_to(tmp_path: Path) -> None:
    with GameLog.create(tmp_path, Header()) as log:
        for one in deal(5)[:40]:
            log.observation(one)
    with pytest.raises(LogError, match="--record"):
        write_truth(LoggedGame(log.directory))


def line(at_ms: float, pile: str, card: str, player: str) -> dict[str, Any]:
    return {"kind": "card_landed", "at_ms": at_ms, "pile": pile, "card": card, "player": player, "p": 1.0}


def test_the_score_counts_missed_extra_misread_and_late_landings() -> None:
    landings = (
        TrueLanding(t_touch=1.0, pile=0, card="9S", side="A"),
        TrueLanding(t_touch=2.0, pile=1, card="10H", side="B"),
        TrueLanding(t_touch=3.0, pile=1, card="JH", side="B"),
        TrueLanding(t_touch=3.05, pile=1, card="QH", side="A"),
        TrueLanding(t_touch=5.0, pile=0),
    )
    told = [
        line(1010, "A", "9S", "p1"),
        line(2000, "B", "9H", "p1"),  # misread, wrong player
        line(3100, "B", "QH", "p1"),  # one landing told of two: it serves the first
        line(5000, "A", "4C", "p2"),
        line(9000, "A", "2C", "p2"),  # nothing landed there
    ]
    score = ClipScore()
    _compare(Truth(file="clip.mp4", fps=30, landings=landings), told, score, "clip")
    assert (score.landings, score.found, score.extra) == (5, 4, 1)
    assert (score.cards, score.named) == (1, 3) and (score.players, score.owned) == (1, 3)
    assert sum(off <= 1 for off in score.touch_frames) == 3
    assert len(score.stories) == 6
    whole = ClipScore()
    whole.add(score)
    whole.add(score)
    assert {name: figure for name, figure, _ in whole.lines()}["F1 of landings"] == "0.800"


def test_a_folder_without_filmed_games_says_how_to_get_one(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(b"no real film")
    (tmp_path / "empty.json").write_text('{"fps": 30, "file": "film.mp4"}')
    with pytest.raises(LogError, match="run --record"):
        clips_in(tmp_path)
    with pytest.raises(LogError, match="export --truth"):
        score_clip(tmp_path / "empty.json")


def test_a_truth_whose_film_is_not_beside_it_is_named_and_not_left_out(filmed: Path) -> None:
    write_truth(LoggedGame(filmed))
    elsewhere = filmed.parent / "elsewhere.json"
    elsewhere.write_text('{"landings": [], "fps": 30, "file": "../../etc/passwd"}')
    with pytest.raises(LogError, match=r"elsewhere\.json tells what landed in passwd, which does not lie beside it"):
        clips_in(filmed.parent)


@pytest.mark.parametrize(
    "about", [b'{"start_ns": 0, "fps": 0, "frames": 9, "size_px": [1, 1]}', b'{"fps": "\xff"}', b"[" * 9999]
)
def test_a_damaged_word_about_a_film_is_named(filmed: Path, about: bytes) -> None:
    (filmed / "recording" / "recording.json").write_bytes(about)
    with pytest.raises(LogError, match=r"recording\.json is damaged"):
        write_truth(LoggedGame(filmed))


def test_the_command_writes_the_truth_beside_the_film(filmed: Path) -> None:
    command = [sys.executable, "-m", "referee", "export", str(filmed), "--truth"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and str(filmed / "recording" / "game.json") in done.stdout
    assert clips_in(filmed.parent) == [filmed / "recording" / "game.json"]


@pytest.mark.slow
def test_the_whole_chain_is_scored_over_the_handed_clip(shared: Path) -> None:
    [clip] = clips_in(shared / "table" / "clips")
    score = score_clip(clip)
    assert (score.landings, score.found, score.extra, score.cards, score.players) == (7, 7, 0, 7, 7)
    assert score.jpeg_ms > 0 and len(score.seen_ms) == 240


@pytest.mark.parametrize(
    "said, says",
    [
        ('"fps": 30, "landings": [{"t_touch": 1, "pile": 7}]', "enum value 7"),
        ('"fps": 30, "landings": [{"t_touch": "soon", "pile": 0}]', "got `str`"),
        ('"fps": 30, "landings": [{}]', "required field"),
        ('"fps": 30, "landings": 5', "got `int`"),
        ('"fps": 0, "landings": []', "`float` > 0.0"),
    ],
)
def test_a_truth_that_is_garbled_is_named_and_not_left_out(tmp_path: Path, said: str, says: str) -> None:
    (tmp_path / "film.mp4").touch()
    (tmp_path / "about.json").write_text('{"fps": 30}')
    (tmp_path / "film.json").write_text(f'{{"file": "film.mp4", {said}}}')
    with pytest.raises(LogError, match=r"film\.json garbles what landed") as refused:
        clips_in(tmp_path)
    assert says in str(refused.value)
