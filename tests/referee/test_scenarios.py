"""Every scenario and table of expected answers, through the engine."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from referee.game.suite import differences, first_difference

FOLDER = Path(__file__).parents[1] / "scenarios"

CONTRADICTED = {
    "spit-crossed-wikipedia": "p2 holds JC and JD, may stack them (R38) and turn a card: by R40 it is not stuck",
}
"""Scenarios that contradict the rules they are about; `ours/` has each of them put right."""


def scenarios() -> list[Any]:
    return [pytest.param(path, id=path.stem, marks=_mark(path.stem)) for path in sorted(FOLDER.rglob("*.yaml"))]


def _mark(name: str) -> Any:
    return pytest.mark.xfail(reason=CONTRADICTED[name], strict=True) if name in CONTRADICTED else ()


@pytest.mark.parametrize("path", scenarios())
def test_scenario(path: Path) -> None:
    assert list(differences(yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader))) == []


def test_a_scenario_that_expects_something_else_is_noticed() -> None:
    document = yaml.load((FOLDER / "single" / "legal-one-higher.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    document["steps"][0]["state"]["top_A"] = "8D"
    assert list(differences(document)) == ["step 1: state.top_A: expected '8D', got '9C'"]


@pytest.mark.parametrize(
    ("name", "part", "wrong"),
    [
        ("legality_any", ("tops", "AS"), "1" * 52),
        ("stuck", ("groups", 0, "cases", 0, "can"), [None, None]),
        ("deals", ("shapes", 0, "row"), [0]),
        ("deals", ("next_deals", 0, "piles"), 3),
        ("races", ("cases", 0, "second_is"), "legal"),
        ("slaps", ("cases", 0, "result"), {"p1": "none", "p2": "none"}),
    ],
)
def test_a_table_that_expects_something_else_is_noticed(name: str, part: tuple[Any, ...], wrong: Any) -> None:
    document = yaml.load((FOLDER / "tables" / f"{name}.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    place = document
    for key in part[:-1]:
        place = place[key]
    place[part[-1]] = wrong
    assert list(differences(document)) != []


def test_only_what_is_expected_is_compared() -> None:
    assert first_difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2, "c": 3}], "d": 4}) is None
    assert first_difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == "a[1].b: expected 2, got 3"
    assert first_difference([1], [1, 2]) == ": expected [1], got [1, 2]"
