"""`spit-referee judge`: scenarios as an exam, and the engine as a partner on stdin and stdout."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from referee.cli.app import app
from referee.errors import RefereeError

FOLDER = Path(__file__).parents[1] / "scenarios"


def judge(*arguments: str, stdin: str = "") -> Any:
    return CliRunner().invoke(app, ["judge", *arguments], input=stdin)


def serve(*messages: Any) -> list[Any]:
    lines = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in messages)
    return [json.loads(line) for line in judge("--serve", stdin=lines).stdout.splitlines()]


LOAD = {
    "load": {
        "ruleset": {"preset": "pagat"},
        "start": {
            "phase": "play",
            "total": 52,
            "p1": {"row": ["0:7S", "1:QH", "2:3D", "3:10C", "4:5H"], "spit": 10},
            "p2": {"row": ["0:KD", "1:4S", "2:9C", "3:JD", "4:2H"], "spit": 10},
            "middle": {"A": {"top": "8D", "count": 1}, "B": {"top": "AC", "count": 1}},
        },
    }
}
LAND = {"t": 1000, "do": "land", "player": "p1", "pile": "A", "card": "7S"}


def test_what_differs_is_named_step_by_step_and_ends_in_exit_1(tmp_path: Path) -> None:
    good = FOLDER / "single" / "legal-one-higher.yaml"
    bad = tmp_path / "bad.yaml"
    bad.write_text(good.read_text().replace("ruling: legal", "ruling: ignored"))
    answer = judge(str(good), str(bad))
    assert answer.exit_code == 1
    assert answer.stdout.splitlines() == [
        f"{bad}: step 1: rulings[0].ruling: expected 'ignored', got 'legal'",
        "1 passed, 1 failed",
    ]
    assert judge(str(good)).exit_code == 0


def test_json_prints_one_object_for_each_file() -> None:
    lines = judge("--json", str(FOLDER / "ours")).stdout.splitlines()
    assert [json.loads(line)["ok"] for line in lines] == [True] * len(list((FOLDER / "ours").iterdir()))


def test_what_is_no_scenario_is_refused_with_its_name(tmp_path: Path) -> None:
    empty, list_file, broken = tmp_path / "none", tmp_path / "list.yaml", tmp_path / "broken.yaml"
    empty.mkdir()
    list_file.write_text("- 1\n")
    broken.write_text("a: [\n")
    for path in (empty, list_file, broken, tmp_path / "missing.yaml"):
        error = judge(str(path)).exception
        assert isinstance(error, RefereeError)
        assert str(path) in str(error)


def test_the_partner_answers_line_by_line() -> None:
    loaded, stepped, plays, shape, deal, can = serve(
        LOAD,
        {"step": [LAND]},
        {"ask": "plays", "options": {}, "card": "ts", "top": "JD"},
        {"ask": "shape", "options": {"short_deal": "row_by_row"}, "cards": 10},
        {"ask": "next_deal", "options": {"one_pile": "below_layout"}, "p1": 15, "p2": 37},
        {"ask": "can", "options": {}, "tops": ["8D", "8C"], "row": ["0:2S", "-"], "deck": None},
    )
    assert loaded == {"ok": True}
    assert stepped["rulings"] == [{"ruling": "legal", "who": "p1"}]
    assert stepped["state"]["p1_row"] == ["-", "1:QH", "2:3D", "3:10C", "4:5H"]
    assert [plays, shape, can] == [{"answer": True}, {"answer": [1, 2, 3, 2, 2]}, {"answer": False}]
    assert deal == {"answer": {"piles": 2, "first_spit": {"p2": ["B", "A"]}}}


def test_the_partner_explains_what_it_does_not_understand_and_goes_on() -> None:
    answers = serve(
        "what?",
        [1],
        {"step": [LAND]},
        {"ask": "why"},
        {"ask": "plays", "card": "7S"},
        {"load": {"ruleset": {"preset": "pagat", "pils": 4}, "start": {}}},
        {"load": {"ruleset": {}, "start": {"phase": "dance"}}},
        LOAD,
        {"step": [{"do": "dance", "t": 1}]},
        {"step": [{"do": "land", "t": 1, "player": "p1", "pile": "A", "card": "7Z"}]},
        {"step": ["land"]},
        {"step": [LAND]},
    )
    assert [set(answer) for answer in answers[:7]] == [{"error"}] * 7
    assert answers[7] == {"ok": True}
    assert [set(answer) for answer in answers[8:11]] == [{"error"}] * 3
    assert answers[11]["rulings"] == [{"ruling": "legal", "who": "p1"}]
