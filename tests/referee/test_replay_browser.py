"""The replay page in a real browser, phone and desktop: what a person does with it, by keys, clicks and touch."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from plausible_game import write_plausible_game

from referee.log import LoggedGame
from referee.replay import timeline_of
from referee.replay.amend import amend, words_of
from referee.replay.page import write_page

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1360, "height": 900}
JPEG = bytes.fromhex(  # one grey pixel
    "ffd8ffe000104a46494600010100000100010000ffdb004300100b0c0e0c0a100e0d0e1211101318281a181616183123251d283a333d3c3933"
    "383740485c4e404457453738506d51575f626768673e4d71797064785c656763ffc0000b080001000101011100ffc4001f00000105010101"
    "01010100000000000000000102030405060708090a0bffc400b5100002010303020403050504040000017d0102030004110512213141061351"
    "6107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758"
    "595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5"
    "c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffda0008010100003f00d28affd9"
)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_plausible_game(tmp_path_factory.mktemp("games"), picture=lambda pile, card: JPEG)


class Viewer:
    """A person with the page open. Anything that the browser complains about fails the test."""

    def __init__(self, browser: Any, path: Path, viewport: dict[str, int], **options: Any) -> None:
        self.context = browser.new_context(viewport=viewport, offline=True, **options)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.path = path

    def open(self, mark: str = "") -> None:
        self.page.goto("about:blank")
        self.page.goto(self.path.as_uri() + mark)

    def press(self, *keys: str) -> str:
        for key in keys:
            self.page.keyboard.press(key)
        return self.sentence

    @property
    def sentence(self) -> str:
        return str(self.page.inner_text("#moment .sentence"))

    @property
    def kind(self) -> str:
        return str(self.page.inner_text("#moment .badge"))

    @property
    def clock(self) -> str:
        return str(self.page.inner_text("#clock"))


@pytest.fixture(params=[PHONE, DESKTOP], ids=["phone", "desktop"])
def viewer(request: pytest.FixtureRequest, browser: Any, game: Path, tmp_path: Path) -> Iterator[Viewer]:
    page = tmp_path / "replay.html"
    write_page(LoggedGame(game), page)
    viewer = Viewer(browser, page, request.param)
    viewer.open()
    yield viewer
    assert viewer.complaints == []
    assert {url.split(":")[0] for url in viewer.requests} <= {"file", "data", "about"}
    viewer.context.close()


def test_the_quarrel_is_found_in_three_key_presses(viewer: Viewer) -> None:
    assert "illegal" in (viewer.press("n") and viewer.kind)
    assert "rule R22" in viewer.sentence
    assert "beaten" in (viewer.press("n") and viewer.kind)
    assert "was first by" in viewer.press("s")


def test_arrows_step_and_home_and_end_go_to_the_ends(viewer: Viewer) -> None:
    first = viewer.sentence
    assert viewer.press("ArrowRight") != first
    assert viewer.press("ArrowLeft") == first
    assert viewer.press("End") == "Ann has won the game."
    assert viewer.press("Home") == first


def test_a_landing_shows_cards_pictures_rule_probability_and_time(viewer: Viewer) -> None:
    viewer.press("n")
    panel = viewer.page.inner_text("#moment")
    for words in ("before", "after", "read by camera", "%", "since the last landing", "ruled"):
        assert words in panel
    labels = [svg.get_attribute("aria-label") for svg in viewer.page.query_selector_all("#moment .felt svg")]
    assert len(labels) == 2
    assert "does not count" in labels[1]
    assert viewer.page.evaluate("[...document.querySelectorAll('#moment img')].map(one => one.naturalWidth)") == [1, 1]


def test_a_picture_is_enlarged_and_closed_with_escape(viewer: Viewer) -> None:
    viewer.press("n")
    viewer.page.locator("#moment .enlarge").first.click()
    assert viewer.page.locator("dialog img").is_visible()
    viewer.page.keyboard.press("Escape")
    viewer.page.wait_for_timeout(50)
    assert viewer.page.locator("dialog").count() == 0
    viewer.page.locator("#moment .enlarge").first.click()
    viewer.page.click("dialog button")
    viewer.page.wait_for_timeout(50)
    assert viewer.page.locator("dialog").count() == 0


def test_the_list_follows_the_moment(viewer: Viewer, wait_until: Callable[[Any, str], None]) -> None:
    viewer.press("End")
    wait_until(viewer.page, "document.querySelector('#moments').scrollTop > 100")


def test_a_duel_shows_the_pads_with_margin_and_uncertainty(viewer: Viewer) -> None:
    viewer.press("s")
    strip = viewer.page.inner_text("#moment .strip")
    assert "was first by" in strip
    assert "known to ±0.10 ms" in strip
    assert viewer.page.locator("#moment .strip .pulse").count() == 2
    assert viewer.page.locator("#moment .strip .measure").count() == 1


def test_space_plays_at_the_chosen_speed_and_skips_the_pause(viewer: Viewer) -> None:
    viewer.press("8", " ")
    for _ in range(100):
        viewer.page.wait_for_timeout(50)
        if viewer.clock > "0:20":
            break
    assert viewer.clock > "0:20"
    assert viewer.page.get_attribute("#play", "aria-pressed") == "true"
    viewer.press(" ")
    stopped = viewer.clock
    viewer.page.wait_for_timeout(150)
    assert viewer.clock == stopped
    assert viewer.page.input_value("#speed") == "8"


def test_a_link_leads_back_to_the_moment(viewer: Viewer) -> None:
    wanted = viewer.press("n")
    mark = viewer.page.evaluate("location.hash")
    viewer.open(mark)
    assert viewer.sentence == wanted
    viewer.open(f"{mark}&correct")
    assert viewer.sentence == wanted and viewer.page.locator("#moment .correct button").count() > 20
    viewer.open("#t=51.6")
    assert "Spit" in viewer.sentence
    viewer.open("#t=nonsense")
    assert viewer.sentence


def test_the_list_chooses_a_moment_and_filters_the_disputes(viewer: Viewer) -> None:
    viewer.page.select_option("#filter", "disputes")
    rows = viewer.page.locator("#moments button")
    assert 5 < rows.count() < 40
    rows.nth(2).scroll_into_view_if_needed()
    rows.nth(2).click()
    assert rows.nth(2).get_attribute("aria-current") == "true"
    viewer.page.select_option("#filter", "2")
    assert "Next deal" in (viewer.page.text_content("#moments li:first-child") or "")


def test_the_timeline_is_dragged_and_pressed(viewer: Viewer) -> None:
    before = viewer.clock
    box = viewer.page.locator("#tape").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + 100)
    viewer.page.mouse.move(*middle)
    viewer.page.mouse.down()
    viewer.page.mouse.move(middle[0] - 90, middle[1], steps=4)
    viewer.page.mouse.up()
    assert viewer.clock != before
    overview = viewer.page.locator("#overview").bounding_box()
    viewer.page.mouse.click(overview["x"] + overview["width"] * 0.5, overview["y"] + 20)
    assert viewer.clock.startswith(("1:2", "1:3"))


def test_everything_works_with_the_keyboard_alone_and_every_control_has_a_name(viewer: Viewer) -> None:
    nameless = viewer.page.evaluate(
        """[...document.querySelectorAll('button, select, input')].filter(one => !(one.getAttribute('aria-label')
            || one.textContent.trim() || one.querySelector('[alt]') || one.labels?.[0]?.textContent.trim())).length"""
    )
    assert nameless == 0
    viewer.page.focus("#dispute")
    viewer.press("Enter")
    assert "illegal" in viewer.kind


def test_nothing_sticks_out_of_the_page(viewer: Viewer) -> None:
    for _ in range(12):
        viewer.press("ArrowRight")
    assert viewer.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_figures_follow_the_chosen_deal(viewer: Viewer) -> None:
    whole = viewer.page.inner_text("#figures .score tbody tr:first-child")
    viewer.page.select_option("#part", "1")
    assert viewer.page.inner_text("#figures .score tbody tr:first-child") != whole
    assert viewer.page.locator("#figures .plot").count() >= 2


def tap(viewer: Viewer, *words: str) -> int:
    """Press buttons of the moment by what they say; returns how many taps that took."""
    for word in words:
        viewer.page.locator("#moment button", has_text=word).first.click()
    return len(words)


def test_a_card_is_corrected_in_three_taps_and_keeps_its_old_value(viewer: Viewer) -> None:
    before = viewer.press("n")
    viewer.page.click(".correct-toggle")
    viewer.page.click(".ranks button >> text=K")
    viewer.page.click(".suits button[aria-label='king of spades']")
    assert viewer.sentence.startswith("You say: the card was K♠")
    assert before.split(" rule")[0] in viewer.page.inner_text("#moment .was")


@pytest.mark.parametrize(
    ("taps", "told"),
    [
        (("correct", "legal"), "it was legal"),
        (("correct", "beaten"), "it was beaten, no fault"),
        (("correct", "did not happen"), "this did not happen"),
        (("correct", "Bob"), "it was Bob"),
    ],
)
def test_whatever_was_ruled_is_corrected_in_two_taps(viewer: Viewer, taps: tuple[str, ...], told: str) -> None:
    viewer.press("n")
    assert tap(viewer, *taps) <= 3
    assert viewer.sentence.startswith("You say: " + told)
    viewer.page.locator("#pending button", has_text="Undo").click()
    assert not viewer.sentence.startswith("You say") and viewer.page.inner_text("#pending") == ""


def test_the_order_on_the_pads_is_corrected(viewer: Viewer) -> None:
    viewer.press("s", "c")
    tap(viewer, "Bob")
    assert viewer.sentence == "You say: Bob was first on the pads."


def test_a_card_that_the_referee_missed_is_added_where_the_playhead_stands(
    browser: Any, tmp_path: Path, game: Path
) -> None:
    copy = tmp_path / game.name
    shutil.copytree(game, copy)
    write_page(LoggedGame(copy), tmp_path / "page.html")
    viewer = Viewer(browser, tmp_path / "page.html", DESKTOP)
    viewer.open("#t=25.5")
    tap(viewer, "correct", "Bob on B")
    viewer.page.click(".ranks button >> text=7")
    viewer.page.click(".suits button[aria-label='7 of clubs']")
    with viewer.page.expect_download() as download:
        viewer.page.click("#pending button >> text=Save")
    assert not amend(copy, words_of(Path(download.value.path()).read_bytes())).unknown
    added = next(moment for moment in timeline_of(LoggedGame(copy)).moments if moment.was == "not seen by the referee")
    assert (added.player, added.card, added.pile) == ("p2", "7C", "B")
    assert abs(added.at_ns - 25_500_000_000) < 1_000_000
    viewer.context.close()


def test_corrections_are_saved_as_a_file_that_the_referee_takes_in(browser: Any, tmp_path: Path, game: Path) -> None:
    copy = tmp_path / game.name
    shutil.copytree(game, copy)
    write_page(LoggedGame(copy), tmp_path / "page.html")
    viewer = Viewer(browser, tmp_path / "page.html", PHONE)
    viewer.open()
    viewer.press("n")
    tap(viewer, "correct", "did not happen")
    mark = viewer.page.evaluate("location.hash")
    viewer.open(mark)
    assert "You say" in viewer.sentence  # the browser remembers what it was told
    with viewer.page.expect_download() as download:
        viewer.page.click("#pending button >> text=Save")
    outcome = amend(copy, words_of(Path(download.value.path()).read_bytes()))
    assert not outcome.unknown
    write_page(LoggedGame(copy), tmp_path / "page.html")
    viewer.open(mark)
    assert "did not happen" in viewer.sentence and viewer.page.locator("#moment.void").count() == 1
    assert viewer.page.inner_text("#pending") == "" and viewer.complaints == []
    viewer.context.close()


def contrast(viewer: Viewer, selector: str) -> float:
    ratio: float = viewer.page.evaluate(
        """selector => {
            const light = colour => { const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(value => {
                const one = value / 255; return one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4; });
                return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const node = document.querySelector(selector);
            let ground = node;
            while (getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
            const pair = [light(getComputedStyle(node).color), light(getComputedStyle(ground).backgroundColor)].sort();
            return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        }""",
        selector,
    )
    return ratio


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_in_light_and_dark(browser: Any, game: Path, tmp_path: Path, scheme: str) -> None:
    write_page(LoggedGame(game), tmp_path / "page.html")
    viewer = Viewer(browser, tmp_path / "page.html", DESKTOP, color_scheme=scheme)
    viewer.open()
    for selector in (".sentence", ".facts", ".who.p1", ".who.p2", ".facts-list dt", ".at", ".score th[scope=row]"):
        assert contrast(viewer, selector) >= 4.5, selector
    for _ in range(2):
        viewer.press("n")
        assert contrast(viewer, ".badge") >= 4.5
    viewer.context.close()


def test_with_reduced_motion_the_tape_moves_only_from_moment_to_moment(
    browser: Any, game: Path, tmp_path: Path
) -> None:
    write_page(LoggedGame(game), tmp_path / "page.html")
    viewer = Viewer(browser, tmp_path / "page.html", DESKTOP, reduced_motion="reduce")
    viewer.open()
    places = set()
    viewer.press(" ")
    for _ in range(8):
        viewer.page.wait_for_timeout(40)
        places.add(viewer.page.get_attribute("#tape svg > g", "transform"))
    assert len(places) <= 2
    viewer.context.close()


def test_a_damaged_game_opens_and_says_what_is_missing(browser: Any, tmp_path: Path) -> None:
    directory = write_plausible_game(tmp_path / "games", deals=2)
    log = directory / "game.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    lines[20:24] = [b"\0" * 300 + b"\n", b"[" * 5000 + b"\n"]
    log.write_bytes(b"".join(lines)[:-150])
    write_page(LoggedGame(directory), tmp_path / "page.html")
    viewer = Viewer(browser, tmp_path / "page.html", PHONE)
    viewer.open()
    assert "could not be used" in viewer.page.inner_text(".troubles")
    assert "the log was not closed" in viewer.page.inner_text(".facts")
    assert viewer.press("End")
    assert viewer.complaints == []
    viewer.context.close()


def test_a_log_with_nothing_but_its_header_opens_too(browser: Any, tmp_path: Path) -> None:
    directory = write_plausible_game(tmp_path / "games", deals=1)
    log = directory / "game.jsonl"
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    write_page(LoggedGame(directory), tmp_path / "page.html")
    viewer = Viewer(browser, tmp_path / "page.html", DESKTOP)
    viewer.open()
    assert viewer.press("n", "s", "ArrowRight", " ", "End") == "This log holds no moment to show."
    assert viewer.complaints == []
    viewer.context.close()


@pytest.mark.slow
def test_the_page_of_a_twenty_minute_game_opens_in_under_a_second(browser: Any, tmp_path: Path) -> None:
    directory = write_plausible_game(tmp_path / "games", deals=26, picture=lambda pile, card: JPEG)
    assert timeline_of(LoggedGame(directory)).length_ns > 20 * 60 * 1_000_000_000
    write_page(LoggedGame(directory), tmp_path / "page.html")
    viewer = Viewer(browser, tmp_path / "page.html", PHONE)
    devtools = viewer.context.new_cdp_session(viewer.page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})  # processor time: others may use this machine

    def busy_s() -> float:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    viewer.open()
    viewer.page.wait_for_timeout(300)
    opened_s = busy_s()
    assert opened_s < 1.0
    frames = 60
    viewer.page.evaluate(
        """async frames => { document.querySelector('#play').click();
            for (let i = 0; i < frames; i++) { scrollBy(0, 8); await new Promise(requestAnimationFrame); } }""",
        frames,
    )
    assert (busy_s() - opened_s) / frames < 1 / 60  # smooth: a picture is drawn before the next one is due
    viewer.context.close()
