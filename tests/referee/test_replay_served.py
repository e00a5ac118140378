"""Corrections from a replay page that the referee serves: taken into the log, and shown at once."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from plausible_game import write_plausible_game

from referee.log import LoggedGame
from referee.observations import Correction
from referee.settings import Settings
from referee.web.desk import Desk
from referee.web.server import WebServer


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return write_plausible_game(tmp_path / "games", deals=1)


@pytest.fixture
def address(game: Path, tmp_path: Path) -> Iterator[str]:
    """Where the game's page is served."""
    with WebServer(Desk(Settings(), game.parent), tmp_path / "table.toml", 0) as server:
        yield f"http://localhost:{server.port}/games/{game.name}"


def corrections_of(game: Path) -> list[Correction]:
    return [entry.item for entry in LoggedGame(game).entries() if isinstance(entry.item, Correction)]


@pytest.mark.browser
def test_a_tap_on_the_page_is_in_the_log_and_on_the_page(address: str, game: Path, browser: Any) -> None:
    before = len(corrections_of(game))
    page = browser.new_page(viewport={"width": 390, "height": 844})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(address)
    page.keyboard.press("n")
    mark = page.evaluate("location.hash")
    page.click("#moment .correct-toggle")
    page.locator("#moment button", has_text="did not happen").click()
    page.wait_for_selector("#moment.void")
    assert page.evaluate("location.hash") == mark
    assert [word.dismiss for word in corrections_of(game)[before:]] == [True]
    assert complaints == []
    page.close()


def test_who_does_not_come_from_the_page_changes_nothing(address: str, game: Path) -> None:
    before = (game / "game.jsonl").read_bytes()
    words = json.dumps({"game": game.name, "words": [{"of": 3, "dismiss": True}]}).encode()
    for headers in ({}, {"x-csrf-token": "guessed"}, {"origin": "http://evil.example"}):
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{address}/corrections", words, headers), timeout=5)
        assert refused.value.code in (400, 403, 421)
    assert (game / "game.jsonl").read_bytes() == before
