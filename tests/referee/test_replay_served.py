"""Corrections from a replay page that the referee serves: taken into the log, and shown at once."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from plausible_game import write_plausible_game

from referee.log import LoggedGame
from referee.observations import Correction, Recount
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


def recounts_of(game: Path) -> list[Recount]:
    return [entry.item for entry in LoggedGame(game).entries() if isinstance(entry.item, Recount)]


@pytest.mark.browser
def test_a_count_is_typed_with_the_keyboard_alone(address: str, game: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(address)
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.name") == "player"
    page.keyboard.press("ArrowDown")
    for count in "12343":  # 1, 2, 4, 5 and 8 are keys of the player elsewhere
        page.keyboard.press("Tab")
        page.keyboard.type(count)
    page.keyboard.press("Tab")
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.validationMessage") != "", "99 spit cards are no count"
    assert recounts_of(game) == []
    page.keyboard.press("Control+A")
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    end = monotonic() + 20
    while not recounts_of(game):
        assert monotonic() < end
        page.wait_for_timeout(50)
    assert [(one.player, one.row, one.spit) for one in recounts_of(game)] == [("p2", (1, 2, 3, 4, 3), 6)]
    page.close()


@pytest.mark.browser
def test_half_a_count_and_more_cards_than_a_pack_are_asked_again(address: str, game: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1360, "height": 900})
    page.goto(address)
    page.keyboard.press("k")
    page.fill("#count [name=row] >> nth=0", "3")
    page.click("#count button")
    assert "every pile" in page.inner_text("#count .trouble")
    for n in range(5):
        page.fill(f"#count [name=row] >> nth={n}", "12")
    page.click("#count button")
    assert "more than a pack" in page.inner_text("#count .trouble")
    assert recounts_of(game) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.close()


def test_who_does_not_come_from_the_page_changes_nothing(address: str, game: Path) -> None:
    before = (game / "game.jsonl").read_bytes()
    words = json.dumps({"game": game.name, "words": [{"of": 3, "dismiss": True}]}).encode()
    for headers in ({}, {"x-csrf-token": "guessed"}, {"origin": "http://evil.example"}):
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{address}/corrections", words, headers), timeout=5)
        assert refused.value.code in (400, 403, 421)
    assert (game / "game.jsonl").read_bytes() == before
