"""An upgrade keeps calibration, deck, settings, who may come in, and games: `earlier/` was written by an earlier
version (its first with pages, commit 882caca), and is read by this one as it lies there."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hardware.tablefile import load_table, save_table
from hardware.vision.enrolled import load_deck
from referee.log import LoggedGame, list_games
from referee.replay import timeline_of
from referee.replay.amend import Word, Words, amend
from referee.replay.page import page_of
from referee.settings import choices_file, load_settings
from referee.verdicts import PlayJudged
from referee.web.access import access_file, load_access
from referee.web.choices import choose

EARLIER = Path(__file__).parent / "earlier"
GAME = "2026-11-30-0001-a06e"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The folder that the earlier version left behind."""
    return shutil.copytree(EARLIER, tmp_path / "state")


def test_the_calibration_is_as_it_was_and_is_written_again_without_loss(kept: Path) -> None:
    table = load_table(kept / "table.toml")
    assert (table.camera, table.image_size_px, table.residual_mm) == ("/dev/v4l/by-id/usb-Eye", (1280, 720), 0.8)
    middle_px = [651.0, 364.0]
    assert table.to_px(np.zeros((1, 2)))[0] == pytest.approx(middle_px, abs=1.0)
    assert table.px_per_mm() > 1.2
    save_table(table, kept / "table.toml")
    again = load_table(kept / "table.toml")
    assert again.homography_mm_to_px.tolist() == table.homography_mm_to_px.tolist()
    assert (kept / "table.toml.previous").read_bytes() == (EARLIER / "table.toml").read_bytes()


def test_the_deck_is_as_it_was(kept: Path) -> None:
    assert load_deck(kept / "deck.npz").known == ("7S", "8S", "9S")


def test_what_was_installed_and_what_was_chosen_on_the_pages_holds(kept: Path) -> None:
    installed = kept / "installed.toml"
    text = installed.read_text().replace("/var/lib/spit-referee", str(kept))
    installed.write_text(text)
    loaded = load_settings(installed, {"XDG_CONFIG_HOME": str(kept / "nobody")})
    assert loaded.complaints == ()
    settings = loaded.settings
    assert (settings.players.p1, settings.players.p2, settings.cards.size) == ("Ann", "Ben", "bridge")
    assert settings.rules.options == {"colours": "alternate", "piles": 4}
    assert settings.camera.source == "/dev/v4l/by-id/usb-Eye"
    assert (settings.pads.p2_b_pin, settings.signals.quiet_from) == (23, "22:00")
    assert choose(settings, {"players": {"p1": "Anna"}}).players.p2 == "Ben"
    assert "colours" in choices_file(kept / "table.toml").read_text(), "another choice leaves the old ones"


def test_who_had_the_pin_still_comes_in(kept: Path) -> None:
    access = load_access(access_file(kept / "table.toml"))
    assert access.open and access.lets_in("204816") and access.secret == "kept-by-the-earlier-version"


def test_games_are_listed_shown_and_corrected(kept: Path) -> None:
    (entry,) = list_games(kept / "played")
    assert (entry.name, entry.closed, entry.trouble) == (GAME, True, "")
    game = LoggedGame(entry.directory)
    plays = [one.item for one in game.entries() if isinstance(one.item, PlayJudged)]
    assert len(plays) == 21 and game.troubles == []
    assert len(timeline_of(game).moments) > len(plays)
    assert "Ann" in page_of(game)
    was = (entry.directory / "game.jsonl").read_bytes()
    assert plays[0].of is not None
    amend(entry.directory, Words(game=GAME, words=(Word(of=plays[0].of, ruling="illegal"),)))
    assert (entry.directory / "game.jsonl").read_bytes().startswith(was), "nothing of the old log is touched"


def test_the_commands_take_the_game(kept: Path) -> None:
    def said(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "referee", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    shown = said("rejudge", GAME, "--games", str(kept / "played"))
    assert shown.returncode in (0, 1) and "Traceback" not in shown.stderr
    listed = said("replay", "--json", "--games", str(kept / "played"))
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout.splitlines()[0])
