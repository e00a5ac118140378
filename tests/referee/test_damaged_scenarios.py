"""Scenarios and messages that are damaged anywhere: a sentence, never a traceback, and the partner goes on."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from referee.cli.app import app
from referee.errors import NotationError, RefereeError, SettingsError
from referee.game.protocol import Session
from referee.game.suite import differences
from referee.rules.rule_set import rule_set_from

FOLDER = Path(__file__).parents[1] / "scenarios"
WHOLE = [
    yaml.load((FOLDER / name).read_bytes(), Loader=yaml.CSafeLoader)
    for name in ("single/story-deal-to-deal.yaml", "single/speed-draw.yaml", "single/bicycle-refill.yaml")
]
JUNK = [None, True, -1, 7, 10**30, 1.5, float("inf"), "", "p1", "7S", "0:7S", "9999:7S", [], {}, ["7S"], {"A": 1}]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*at, key))


def damaged(document: Any, at: tuple[Any, ...], junk: Any) -> Any:
    """A copy with `junk` at a place, or with the place left out (`junk` is ...)."""
    document = around = deepcopy(document)
    for key in at[:-1]:
        around = around[key]
    if junk is ...:
        del around[at[-1]]
    else:
        around[at[-1]] = deepcopy(junk)
    return document


@st.composite
def damages(draw: st.DrawFn) -> Any:
    document = draw(st.sampled_from(WHOLE))
    return damaged(document, draw(st.sampled_from(list(places(document)))), draw(st.sampled_from([..., *JUNK])))


@settings(max_examples=300)
@given(damages())
def test_a_damaged_scenario_differs_or_is_refused_in_words(document: Any) -> None:
    try:
        list(differences(document))
    except RefereeError as error:
        assert str(error)


@settings(max_examples=300)
@given(damages())
def test_the_partner_answers_every_damaged_message(document: Any) -> None:
    session = Session()
    load = {"load": {key: document.get(key) for key in ("ruleset", "start")}}
    steps = document["steps"] if isinstance(document.get("steps"), list) else []
    bursts = [{"step": step.get("events")} for step in steps if isinstance(step, dict)]
    for message in (load, *bursts):
        answer = json.loads(session.answer_line(json.dumps(message)))
        assert set(answer) in ({"ok"}, {"error"}, {"rulings", "say", "state"})


def test_bytes_that_are_no_text_and_lines_that_are_no_message_are_answered_and_the_partner_goes_on() -> None:
    lines = b'\xff\xfe\n\n[1]\n{"load": {"ruleset": 5, "start": {}}}\n{"step": [{"do": "fly"}]}\n' + b"[" * 5000
    plays = b'\n{"ask": "plays", "card": "7S", "top": "8D"}\n'
    answers = CliRunner().invoke(app, ["judge", "--serve"], input=lines + plays).stdout.splitlines()
    assert ["error" in json.loads(answer) for answer in answers] == [True] * 6 + [False]
    assert json.loads(answers[-1]) == {"answer": True}


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ({"ask": "plays", "card": "7S"}, "top"),
        ({"ask": "shape", "cards": -3}, "cards"),
        ({"ask": "can", "tops": 5, "row": []}, "tops"),
        ({"ask": "next_deal", "p1": "x", "p2": 3}, "p1"),
        ({"ask": "luck"}, "luck"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_with_what_is_wrong(question: Any, word: str) -> None:
    with pytest.raises(NotationError, match=word):
        Session().answer(question)


def test_a_file_that_yaml_cannot_read_is_named(tmp_path: Path) -> None:
    for n, text in enumerate(("when: 2026-13-45\n", "- \x07\n", "a: " + "[" * 2000)):
        path = tmp_path / f"{n}.yaml"
        path.write_text(text)
        error = CliRunner().invoke(app, ["judge", str(path)]).exception
        assert isinstance(error, NotationError)
        assert str(path) in str(error)


def test_house_rules_extend_one_rule_set_by_name() -> None:
    for name in (5, ["pagat"], None):
        with pytest.raises(SettingsError, match=r"rules\.extends .* name of one rule set"):
            rule_set_from({"extends": name})


def test_what_a_rule_number_means_is_printed_as_json_too() -> None:
    answer = json.loads(CliRunner().invoke(app, ["rules", "r23", "--json"]).stdout)
    assert answer["rule"] == "R23"
    assert "same rank" in answer["sentence"]


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize("command", [["judge"], ["watch", "film.mp4", "--start"]], ids=" ".join)
@pytest.mark.parametrize(
    "content",
    [
        "day: 2026-99-99",
        "a: &a [*a]",
        "[" * 5000,
        "\0",
        LAUGHS + "ruleset: {preset: pagat, piles: *i}\nstart: {phase: play, p1: {row: []}, p2: {row: []}}\nsteps: []\n",
    ],
    ids=["no day", "around itself", "deep", "no text", "a billion laughs"],
)
def test_a_file_that_is_none_is_refused_in_one_line(tmp_path: Path, command: list[str], content: str) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(content)
    error = CliRunner().invoke(app, [*command, str(file)]).exception
    assert isinstance(error, NotationError)
    assert "\n" not in str(error) and len(str(error)) < 500
    assert str(error).count(str(file)) == 1
