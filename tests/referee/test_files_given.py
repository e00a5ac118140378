"""Whatever lies where a file should lie: one sentence that names it, exit code 2, and no memory filled."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from hardware.pads.trains import read_pads_file
from hardware.tablefile import load_table
from hardware.vision.enrolled import load_deck
from referee import cli
from referee.cli import import_
from referee.cli.app import app
from referee.cli.yaml_file import load_yaml
from referee.errors import RefereeError, SettingsError
from referee.files import MOST_BYTES
from referee.house_rules import load_rules
from referee.settings import load_settings, read_settings_file
from referee.web.access import load_access

READERS: Final[dict[str, Callable[[Path], object]]] = {
    "settings": read_settings_file,
    "rules": lambda path: load_rules(str(path)),
    "table": load_table,
    "deck": load_deck,
    "pads": read_pads_file,
    "scenario": load_yaml,
    "notation": lambda path: import_.import_(path, path.parent),
    "access": load_access,
}


def folder(path: Path) -> None:
    path.mkdir()


def another_encoding(path: Path) -> None:
    path.write_bytes("name = 'Zoë'\n".encode("latin-1"))


def zeros(path: Path) -> None:
    path.write_bytes(bytes(4096))


def too_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)


@pytest.mark.parametrize("make", [folder, another_encoding, zeros, too_large], ids=lambda make: make.__name__)
@pytest.mark.parametrize("reader", list(READERS))
def test_a_file_that_is_none_is_named_in_one_line(tmp_path: Path, make: Callable[[Path], None], reader: str) -> None:
    path = tmp_path / "given.toml"
    make(path)
    with pytest.raises(RefereeError) as refused:
        READERS[reader](path)
    says = str(refused.value)
    assert str(path) in says and "\n" not in says and len(says) < 400
    assert "codec" not in says


def test_a_folder_where_the_settings_should_lie_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "spit-referee" / "settings.toml").mkdir(parents=True)
    with pytest.raises(SettingsError, match=r"settings\.toml: cannot be read as text \(Is a directory\)"):
        load_settings(None, {"XDG_CONFIG_HOME": str(tmp_path)})


def test_a_folder_where_the_choices_of_the_pages_should_lie_is_told_and_the_rest_counts(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").mkdir()
    own = tmp_path / "own.toml"
    own.write_text(f"[storage]\ntable_file = '{tmp_path / 'table.toml'}'\n[players]\np1 = 'Ann'\n")
    loaded = load_settings(own, {"HOME": str(tmp_path / "home")})
    assert loaded.settings.players.p1 == "Ann"
    assert "Is a directory" in loaded.complaints[0]


def test_what_a_file_says_steers_no_terminal_and_fills_no_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "steers.toml"
    file.write_text('[players]\n"\\u001b[2J' + "x" * 100_000 + '\\n\\u202e" = 1\n', encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["spit-referee", "signals", "--list", "--config", str(file)])
    assert cli.exit_code() == 2
    said = capsys.readouterr().err
    assert said.startswith("spit-referee: players.") and len(said) < 1100
    assert said.count("\n") == 1 and "\x1b" not in said and "\u202e" not in said


def test_a_name_as_long_as_a_book_leaves_the_log_whole(tmp_path: Path) -> None:
    text = tmp_path / "game.txt"
    text.write_text(f'[p1 "{"A" * 2_000_000}"]\n[p2 "Ben"]\n\ndeal 1\n0:01.000 p1 8H on B\n')
    assert CliRunner().invoke(app, ["import", str(text), "--games", str(tmp_path / "games")]).exit_code == 0
    shown = CliRunner().invoke(app, ["replay", "--games", str(tmp_path / "games")]).stdout
    assert "AAAA" in shown and "Ben" in shown
