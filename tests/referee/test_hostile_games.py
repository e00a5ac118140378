"""Logs that were made to do harm, through every command that takes a game: a sentence at most, and nothing is lost."""

import gzip
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from plausible_game import write_plausible_game
from typer.testing import CliRunner

from referee.cli import one_line
from referee.cli.app import app
from referee.errors import RefereeError

Lines = list[str]


def with_header(lines: Lines, **values: Any) -> str:
    return "\n".join([json.dumps({**json.loads(lines[0]), **values}), *lines[1:]])


def with_line(lines: Lines, line: str) -> str:
    return "\n".join([lines[0], line, *lines[1:]])


def each(lines: Lines, **values: Any) -> str:
    return "\n".join([lines[0], *(json.dumps({**json.loads(line), **values}) for line in lines[1:])])


def slipping_zip(lines: Lines) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as bundle:
        bundle.writestr("../../../tmp/slipped", "\n".join(lines))
    return packed.getvalue()


def tick(at: object) -> str:
    return f'{{"n":0,"kind":"tick","at_ns":{at}}}'


def landed(cards: str, players: str, earliest: int = 1, latest: int = 1) -> str:
    times = f'"at_ns":1,"earliest_ns":{earliest},"latest_ns":{latest}'
    return f'{{"n":0,"kind":"card_landed",{times},"pile":"A","cards":{cards},"players":{players}}}'


DEEP: Final = '{"a":' * 50_000 + "1" + "}" * 50_000
HOSTILE: Final[dict[str, Callable[[Lines], str | bytes]]] = {
    "cut gzip": lambda lines: gzip.compress("\n".join(lines).encode())[:2000],
    "zip that slips out": slipping_zip,
    "NaN and Infinity": lambda lines: with_line(lines, f"{tick('NaN')}\n{tick('Infinity')}"),
    "number of 400 digits": lambda lines: with_line(lines, tick(10**400)),
    "a century": lambda lines: with_line(lines, tick(2**61)),
    "odds beyond measure": lambda lines: with_line(lines, landed('{"5D":1e308,"6D":1e308}', '{"p1":1e308}')),
    "odds below nothing": lambda lines: with_line(lines, landed('{"5D":-3,"6D":4}', '{"p1":-1,"p2":2}', 5, -9)),
    "cards of no pack": lambda lines: with_line(lines, landed('{"\\u0000":1}', "{}")),
    "nested line": lambda lines: with_line(lines, '{"n":0,"x":' + "[" * 90_000 + "]" * 90_000 + "}"),
    "nested header": lambda lines: f'{{"kind":"header","rules":{DEEP}}}\n{lines[1]}',
    "keys twice": lambda lines: with_line(lines, '{"n":0,"n":5,"kind":"tick","kind":"tick","at_ns":1,"at_ns":2}'),
    "Latin 1": lambda lines: with_line(lines, '{"n":0,"kind":"paused","at_ns":1,"reason":"Zoë"}').encode("latin-1"),
    "UTF-16": lambda lines: "\n".join(lines).encode("utf-16"),
    "byte order mark": lambda lines: b"\xef\xbb\xbf" + "\n".join(lines).encode(),
    "two games": lambda lines: "\n".join([*lines, *lines]),
    "a header in the middle": lambda lines: "\n".join([*lines[:20], lines[0], *lines[20:]]),
    "half a character": lambda lines: with_header(lines, players={"p1": "\ud800", "p2": "Ben"}),
    "rules of a moon": lambda lines: with_header(lines, rules={"piles": 10**30, "decks": "moon"}),
    "rules in a list": lambda lines: with_header(lines, rules=[1]),
    "a long rule set": lambda lines: with_header(lines, rules={}, rules_name="x" * 100_000),
    "a start that is none": lambda lines: with_header(lines, start={"phase": "play", "p1": 5}),
    "a start of billions": lambda lines: with_header(lines, start={"p1": {"row": ["9999999999:7S"] * 5}}),
    "words that steer": lambda lines: with_header(lines, started="\x1b[2J" * 1000, source="\u202e"),
    "ends of old Macs": lambda lines: "\r".join(lines),
    "zeros": lambda lines: "\n".join([*lines[:20], "\0" * 100_000, *lines[20:]]),
    "a header alone": lambda lines: lines[0] + "\n",
    "verdicts alone": lambda lines: "\n".join([lines[0], *(line for line in lines if '"of"' in line)]),
    "one number for all": lambda lines: each(lines, n=3),
    "numbers below nothing": lambda lines: each(lines, n=-7),
    "backwards": lambda lines: "\n".join([lines[0], *lines[:0:-1]]),
    "pictures from elsewhere": lambda lines: "\n".join(lines).replace(".jpg", "/../../../../etc/passwd"),
    "a line of 2 MB": lambda lines: with_line(lines, '{"n":0,"x":"' + "a" * 2_000_000 + '"}'),
}  # fmt: skip
COMMANDS: Final = (
    ("replay", "{game}"),
    ("replay", "{game}", "--html", "{out}"),
    ("export", "{game}"),
    ("export", "{game}", "--as", "csv"),
    ("rejudge", "{game}"),
    ("correct", "{game}", "--of", "3", "--dismiss"),
    ("replay", "--games", "{games}"),
    ("history", "--games", "{games}"),
)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    folder = tmp_path_factory.mktemp("whole")
    write_plausible_game(folder, deals=1)
    (log,) = folder.glob("*/game.jsonl")
    return log.read_text().splitlines()


def ends_well(*words: str) -> None:
    """Run a command: it does its work, or says in one line why not."""
    done = CliRunner().invoke(app, list(words))
    error = done.exception
    assert error is None or isinstance(error, RefereeError | SystemExit), f"{words}: {error!r}"
    assert done.exit_code in ((0, 1) if words[0] == "rejudge" else (0,)) or isinstance(error, RefereeError), words
    assert "\x1b" not in done.output and "\u202e" not in done.output
    if isinstance(error, RefereeError):
        assert len(one_line(error)) <= 1000
        assert "noted" not in done.output


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_log_ends_in_a_sentence_and_loses_nothing(tmp_path: Path, lines: Lines, name: str) -> None:
    made = HOSTILE[name](lines)
    before = made if isinstance(made, bytes) else made.encode("utf-8", "surrogatepass")
    game = tmp_path / "games" / "2026-11-30-0001-abcd"
    game.mkdir(parents=True)
    (game / "game.jsonl").write_bytes(before)
    places = {"game": game, "games": game.parent, "out": tmp_path / "out.html"}
    for command in COMMANDS:
        ends_well(*(word.format(**places) for word in command))
        assert (game / "game.jsonl").read_bytes().startswith(before), command
    assert {path.name for path in tmp_path.iterdir()} <= {"games", "out.html"}


@pytest.mark.parametrize("kind", ["foreign file", "loop", "device", "pipe", "folder"])
def test_what_is_no_file_is_no_game(tmp_path: Path, kind: str) -> None:
    game = tmp_path / "games" / "2026-11-30-0001-abcd"
    game.mkdir(parents=True)
    log = game / "game.jsonl"
    match kind:
        case "foreign file":
            log.symlink_to("/etc/passwd")
        case "loop":
            log.symlink_to(log.name)
        case "device":
            log.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(log)
        case _:
            log.mkdir()
    for command in COMMANDS[:6]:
        done = CliRunner().invoke(app, [word.format(game=game, out=tmp_path / "out.html") for word in command])
        assert isinstance(done.exception, RefereeError), command
        assert str(game) in str(done.exception), command
    for command in COMMANDS[6:]:
        CliRunner().invoke(app, [word.format(games=game.parent) for word in command])


def test_a_correction_of_a_line_that_is_not_there_is_one_sentence(tmp_path: Path, lines: Lines) -> None:
    game = tmp_path / "2026-11-30-0001-abcd"
    game.mkdir()
    (game / "game.jsonl").write_text("\n".join(lines) + "\n")
    done = CliRunner().invoke(app, ["correct", str(game), "--of", "99999", "--dismiss"])
    assert isinstance(done.exception, RefereeError) and done.output == ""
    assert "nothing that can be corrected has the number 99999" in str(done.exception)
