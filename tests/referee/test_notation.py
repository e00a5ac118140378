"""A game as text and as a table: printing and parsing are inverse, and nothing in it runs in a spreadsheet."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plausible_game import HEADER, write_plausible_game

from referee.cards import JOKERS, PACK, UNREAD
from referee.errors import NotationError
from referee.log import GameLog, LoggedGame
from referee.log.schema import log_schema
from referee.observations import Called, CardLanded
from referee.replay import timeline_of
from referee.replay.exchange import csv_of, notation_of, write_log
from referee.replay.notation import PHRASES, RULING_OF, Event, Notated, parse, text_of
from referee.verdicts import Stuck

ROOT = Path(__file__).parents[2]

GAME = """\
[Rules "pagat"]
[p1 "Ann \\"the Flash\\" O'Neill"]
[p2 "Bob"]

deal 1
0:07.582 p1 spits 9C on A
0:10.456 p1 8H on B
0:14.351 p2 5S on B, illegal (not_adjacent)
0:15.453 p2 takes 5S back from B
0:18.259 p1 AH on A, beaten
0:27.841 somebody ?? on B, cannot tell (unread)
0:30.000 p2 turns up 10D on 4
0:31.000 p2 moves 10D from 4 to 1, illegal (space_not_empty)
0:40.000 p2 calls
0:40.001 not stuck
0:51.543 stuck
0:59.000 p1 slaps A, too early
1:01.418 p2 is out
1:02.158 too close on A, 0.031 ms
1:04.158 p2 slaps B
1:04.158 p1 takes A, p2 takes B, p2 first by 8.072 ms

deal 2
1:02:03.004 paused
1:02:04.004 play goes on
1:03:04.004 nobody can go on
1:03:05.004 p1 takes nothing, p2 takes A
1:03:06.004 p2 wins
"""


def test_a_game_is_read_and_printed_as_it_was() -> None:
    game = parse(GAME)
    assert text_of(game) == GAME
    assert game.tags["p1"] == 'Ann "the Flash" O\'Neill'
    assert [len(deal) for deal in game.deals] == [16, 5]
    assert game.deals[0][15].margin_us == 8072
    assert game.deals[1][0].at_ms == 3_723_004


def test_comments_and_empty_lines_are_passed_over() -> None:
    assert parse("# a game\n\n  deal 1\n# so\n0:01.000 stuck\n") == parse("deal 1\n0:01.000 stuck")


players = st.sampled_from(["p1", "p2", "unknown"])
piles = st.sampled_from(["A", "B"])
cards = st.sampled_from([*PACK, *JOKERS, UNREAD])
places = st.integers(1, 5)
rulings = st.one_of(
    st.just(("legal", "")),
    st.tuples(st.sampled_from(sorted(RULING_OF.values())), st.sampled_from(["", "not_adjacent", "unread"])),
)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Any event that can be written."""
    what, pattern = draw(st.sampled_from(PHRASES))
    fields: dict[str, Any] = {"at_ms": draw(st.integers(0, 400_000_000)), "what": what}
    choices = {"player": players, "pile": piles, "card": cards, "place": places, "to_place": places}
    fields |= {name: draw(choice) for name, choice in choices.items() if f"(?P<{name}>" in pattern}
    if "(?P<ruling>" in pattern:
        fields["ruling"], fields["reason"] = draw(rulings)
    if what == "takes":
        taken = st.one_of(st.none(), piles)
        fields |= {"p1": draw(taken), "p2": draw(taken), "player": draw(players)}
        if fields["player"] != "unknown":
            fields["margin_us"] = draw(st.one_of(st.none(), st.integers(0, 10_000_000)))
    if what == "too_close":
        fields["margin_us"] = draw(st.integers(0, 10_000))
    return Event(**fields)


texts = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=20)
games = st.builds(
    Notated,
    tags=st.dictionaries(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,9}", fullmatch=True), texts, max_size=4),
    deals=st.lists(st.lists(events(), max_size=8).map(tuple), max_size=3).map(tuple),
)


@given(games)
def test_parsing_what_was_printed_gives_the_same_game(game: Notated) -> None:
    assert parse(text_of(game)) == game


@given(st.text(max_size=300))
def test_any_text_is_a_game_or_a_sentence(text: str) -> None:
    try:
        parse(text)
    except NotationError as error:
        assert len(str(error).splitlines()) == 1
        assert "line " in str(error)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0:01.000 p1 8H on C", "line 2: 'p1 8H on C' is no event"),
        ("0:01.000 p1 11H on A", "no event"),
        ("1.5 stuck", "line 2: '1.5' is no time"),
        ("0:61.000 stuck", "no time"),
        ("[p1 Ann]", "no tag"),
        ("deal 3", "no time"),
    ],
)
def test_what_is_not_notation_is_named_with_its_line(line: str, said: str) -> None:
    with pytest.raises(NotationError, match=re.escape(said)):
        parse(f"deal 1\n{line}\n")


def test_a_game_before_its_first_deal_is_refused() -> None:
    with pytest.raises(NotationError, match="deal 1"):
        parse("0:01.000 stuck\n")


def test_a_logged_game_survives_export_and_import(tmp_path: Path) -> None:
    game = notation_of(timeline_of(LoggedGame(write_plausible_game(tmp_path / "games"))))
    again = notation_of(timeline_of(LoggedGame(write_log(game, tmp_path / "imported"))))
    assert again.deals == game.deals
    assert again.tags | {"Game": ""} == game.tags | {"Game": ""}
    assert sum(map(len, game.deals)) > 100


def test_every_line_of_the_notation_page_is_understood() -> None:
    page = (ROOT / "docs" / "notation.md").read_text()
    example = page.split("\n    [Started ")[1].split("\n`p1` sits")[0]
    game = parse("[Started " + "\n".join(line.strip() for line in example.splitlines()))
    assert len(game.deals[0]) == 11


# --- the table


def test_the_table_has_a_row_for_each_moment(tmp_path: Path) -> None:
    timeline = timeline_of(LoggedGame(write_plausible_game(tmp_path)))
    rows = list(csv.DictReader(io.StringIO(csv_of(timeline))))
    assert len(rows) == len(timeline.moments)
    assert rows[0]["card"] == timeline.moments[0].card
    assert {row["kind"] for row in rows} >= {"play", "spit", "slap", "award", "stuck"}


def test_no_cell_of_the_table_is_a_formula(tmp_path: Path) -> None:
    header = msgspec.structs.replace(HEADER, players={"p1": '=HYPERLINK("http://x")', "p2": "+1"})
    with GameLog.create(tmp_path, header) as log:
        log.observation(CardLanded(at_ns=1, earliest_ns=1, latest_ns=1, pile="A", cards={}, players={}))
        log.observation(Called(at_ns=2, player="p1", word="spit"))
        log.observation(Called(at_ns=2, player="p2", word="spit"))
    cells = [cell for row in csv.reader(io.StringIO(csv_of(timeline_of(LoggedGame(log.directory))))) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


# --- the schema


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """A small judge of JSON schemas, with what the log's schema uses."""
    if "$ref" in schema:
        return fits(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    if "anyOf" in schema:
        return any(fits(value, one, root) for one in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    kinds: dict[str, Any] = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "null": type(None),
    }
    kinds["boolean"] = bool
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return False
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if any(name not in value for name in schema.get("required", [])):
            return False
        rest = schema.get("additionalProperties", {})
        rest = {} if rest is True else rest
        return all(fits(one, known.get(name, rest), root) for name, one in value.items())
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return all(fits(one, schema["items"], root) for one in value)
    return not (isinstance(value, int) and "minimum" in schema and value < schema["minimum"])


def test_the_published_schema_is_the_one_of_this_version() -> None:
    published = json.loads((ROOT / "docs" / "log.schema.json").read_text())
    today = json.loads(json.dumps(log_schema()))
    assert published == today, "run `spit-referee export --schema --out docs/log.schema.json` and read the difference"


def test_every_line_of_a_log_fits_the_published_schema(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs" / "log.schema.json").read_text())
    lines = (write_plausible_game(tmp_path) / "game.jsonl").read_text().splitlines()
    assert len(lines) > 300
    assert [line for line in lines if not fits(json.loads(line), schema, schema)] == []


@pytest.mark.parametrize(
    "line",
    [
        '{"n":0,"kind":"tick"}',
        '{"kind":"tick","at_ns":1}',
        '{"n":-1,"kind":"tick","at_ns":1}',
        '{"n":0,"kind":"card_landed","at_ns":1,"earliest_ns":1,"latest_ns":1,"pile":"C","cards":{},"players":{}}',
        '{"n":0,"kind":"whisper","at_ns":1}',
    ],
)
def test_what_is_no_line_does_not_fit(line: str) -> None:
    assert not fits(json.loads(line), log_schema(), log_schema())


# --- the commands


def command(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)], capture_output=True, text=True, timeout=60
    )


def test_export_and_import_at_the_command_line(tmp_path: Path) -> None:
    write_plausible_game(tmp_path / "games", deals=1)
    text = tmp_path / "game.txt"
    done = command("export", "--games", tmp_path / "games", "--out", text)
    assert (done.returncode, done.stdout) == (0, f"{text}: {len(text.read_text().splitlines())} lines written.\n")
    assert command("import", text, "--games", tmp_path / "again").returncode == 0
    [directory] = (tmp_path / "again").iterdir()
    shown = command("replay", directory)
    assert "Ann has won the game." in shown.stdout
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"\xff\xfe")
    for words in (["import", bad], ["import", tmp_path / "none"], ["export", "--games", tmp_path / "none"]):
        done = command(*words)
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("tag", "says"),
    [
        ('[Started "2026-13-45T99:00"]', "2026-11-30T20:15:00"),
        ('[Started "yesterday"]', "[Started] 'yesterday' is no moment"),
        ('[Rules "moon"]', "there are no rules 'moon': name one of pagat"),
    ],
)
def test_a_date_that_cannot_be_and_rules_that_nobody_knows_are_refused(tmp_path: Path, tag: str, says: str) -> None:
    game = parse(f"{tag}\n\ndeal 1\n0:01.000 p1 8H on B\n")
    with pytest.raises(NotationError) as refused:
        write_log(game, tmp_path)
    assert says in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_game_that_can_be_had_again_waits_for_the_disk_only_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int] = []
    monkeypatch.setattr(os, "fsync", waits.append)
    write_log(parse("deal 1\n" + "".join(f"0:{n:02d}.000 stuck\n" for n in range(60))), tmp_path)
    assert len(waits) <= 2  # its header, its end
    waits.clear()
    with GameLog.create(tmp_path, HEADER) as played:
        for n in range(60):
            played.verdict(Stuck(at_ns=n))
    assert len(waits) >= 60
