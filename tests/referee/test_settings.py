"""Settings: strict, layered, and every refusal says where and what instead."""

from pathlib import Path

import pytest

from referee.errors import SettingsError
from referee.settings import (
    Settings,
    from_home,
    games_dir,
    load_settings,
    parse_settings,
    settings_from,
    state_dir,
    table_file,
)


def refusal(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        settings_from([parse_settings(text, "my.toml")])
    return str(caught.value)


@pytest.mark.parametrize(
    "text, says",
    [
        ("[pads]\nminimum_contct_us = 5", "there is no such setting (my.toml, line 2); did you mean pads.minimum"),
        ("[camra]\nfps = 5", "camra: there is no such setting (my.toml, line 1); did you mean camera?"),
        ("[players]\nzzz = 'x'", "known here: p1, p2"),
        ("[signals]\nvolume_percent = 120", "signals.volume_percent: expected `int` <= 100 (my.toml, line 2)"),
        ("[signals]\nvolume_percent = 'loud'", "expected `int`, got `str`"),
        ("[camera]\nfps = -5", "camera.fps: expected `float` >= 1.0"),
        ("[camera]\nmains_hz = 55", "allowed: 50, 60"),
        ("[pads]\nbackend = 'magic'", "allowed: auto, gpiod, gpiozero, mock, none"),
        ("[pads]\np1_a_pin = 99", "pads.p1_a_pin: expected `int` <= 27 (my.toml, line 2); the header has GPIO 0 to 27"),
        ("[pads]\n\np1_a_pin = 22", "pads.p1_a_pin: pin 22 is also pads.p2_a_pin (my.toml, line 3)"),
        ("[signals]\nled_p1_pin = 17", "pin 17 is also"),
        ("[signals]\nbuzzer_pin = 2", "always pulled up (my.toml, line 2); use pin 9 or higher"),
        ("[signals]\nquiet_from = '25:00'", 'expected `str` of another form (my.toml, line 2); write it like "22:30"'),
        ("[signals]\nquiet_from = 22:00:00", 'got `time` (my.toml, line 2); write it like "22:30"'),
        ('[signals]\nquiet_from = "22:00\\n"\nquiet_until = "07:00"', "signals.quiet_from: expected `str` of"),
        ("[signals]\nquiet_from = '22:00'\nquiet_until = '22:00'", "the same as signals.quiet_from (my.toml"),
        ("[storage]\ngames_dir = 'games'", "'games' is no whole path (my.toml, line 2); begin it with"),
        ("[storage]\ngames_dir = '~nobody-here/games'", "is no whole path"),
        ("[storage]\ntable_file = '/'", "storage.table_file: '/' is no whole path"),
        ("[camera]\nsource = 0", 'got `int` (my.toml, line 2); write it like "/dev/video0"'),
        ("[signals]\nquiet_from = '21:00'", "set without signals.quiet_until (my.toml, line 2); give both, or neither"),
        ("[signals]\nsilent_signals = ['stcuk']", "signals.silent_signals: invalid enum value 'stcuk' (my.toml"),
        ("[mqtt]\nhost = ''", "mqtt.host: expected `str`"),
        ("[players]\np1 = '" + "A" * 200_000 + "'", "players.p1: expected `str` of length <= 30 (my.toml, line 2)"),
        ('[players]\np2 = "Ben\\nis first"', 'players.p2: expected `str` of another form (my.toml, line 2); write it'),
        ('[players]\np2 = "\\u202eneB"', "players.p2: expected `str` of another form"),
        ('[players]\np2 = "\\u001b[2J"', "players.p2: expected `str` of another form"),
        ("pads = 3", "pads: expected `object`, got `int`"),
        ("volume = ", "not TOML"),
        ("\t[pads", "not TOML"),
        ("x = " + "[" * 5000, "not TOML"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_its_place_and_the_cure(text: str, says: str) -> None:
    assert says in refusal(text)


def test_defaults_are_complete_and_the_pins_are_those_of_the_drawing() -> None:
    settings = settings_from([]).settings
    assert settings == Settings()
    assert settings.pads.pins() == {("p1", "A"): 17, ("p1", "B"): 27, ("p2", "A"): 22, ("p2", "B"): 23}
    assert (settings.signals.led_p1_pin, settings.signals.led_p2_pin, settings.signals.buzzer_pin) == (24, 25, 18)


def test_two_shared_pads_leave_the_other_pins_free() -> None:
    text = "[pads]\nshared = true\n[signals]\nled_p1_pin = 27"
    pads = settings_from([parse_settings(text, "f")]).settings.pads
    assert pads.pins() == {(None, "A"): 17, (None, "B"): 22}


def test_a_missing_buzzer_needs_no_pin() -> None:
    settings_from([parse_settings("[signals]\nbuzzer = 'none'\nbuzzer_pin = 2", "f")])


@pytest.mark.parametrize("text", ["", "\r\n[pads]\r\nshared = true\r\n", "# only a remark"])
def test_empty_files_and_other_line_ends_are_fine(text: str) -> None:
    settings_from([parse_settings(text, "f")])


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_bytes(b"\xef\xbb\xbf[players]\np1 = 'Ann'\n")
    assert load_settings(file, {"HOME": str(tmp_path)}).settings.players.p1 == "Ann"


def test_the_later_file_wins_value_by_value_and_the_origin_is_known(tmp_path: Path) -> None:
    user = tmp_path / "spit-referee" / "settings.toml"
    user.parent.mkdir()
    user.write_text("[players]\np1 = 'Ann'\np2 = 'Bob'\n[rules]\nname = 'pagat'\n")
    given = tmp_path / "given.toml"
    given.write_text("[players]\np2 = 'Cid'\n[rules.options]\npiles = 4\n")
    loaded = load_settings(given, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert (loaded.settings.players.p1, loaded.settings.players.p2) == ("Ann", "Cid")
    assert loaded.settings.rules.options == {"piles": 4}
    assert loaded.origins["players.p1"] == f"{user}, line 2"
    assert loaded.origins["players.p2"] == f"{given}, line 2"


def test_a_file_that_was_given_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="leave --config out"):
        load_settings(tmp_path / "none.toml", {"HOME": str(tmp_path)})
    with pytest.raises(SettingsError, match="cannot be read as text"):
        load_settings(tmp_path, {"HOME": str(tmp_path)})


def test_state_lies_where_the_service_or_the_user_has_it(tmp_path: Path) -> None:
    assert state_dir({"STATE_DIRECTORY": "/var/lib/spit-referee"}) == Path("/var/lib/spit-referee")
    assert state_dir({"HOME": "/home/ann"}) == Path("/home/ann/.local/state/spit-referee")
    assert state_dir({"HOME": "/x", "XDG_STATE_HOME": "/data"}) == Path("/data/spit-referee")
    assert state_dir({"HOME": "/x", "XDG_STATE_HOME": "data"}) == Path("/x/.local/state/spit-referee")  # as XDG has it
    assert state_dir({"HOME": ""}) == Path("/.local/state/spit-referee")  # never in whatever folder one is
    assert table_file(Settings(), {"HOME": "/h"}).name == "table.toml"
    assert games_dir(Settings(), {"HOME": "/h"}) == Path("/h/.local/state/spit-referee/games")
    assert from_home("~nobody-here/games") == Path("~nobody-here/games")
