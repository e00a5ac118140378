"""The pages in a real browser, phone and desktop, against the simulated rig: what a family does, by touch and keys."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from referee.cards import Card
from referee.log import GameLog, Header
from referee.verdicts import PlayJudged

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
DESKTOP = {"viewport": {"width": 1360, "height": 900}}
STARTS_S, STEP_S = 120.0, 600.0
PADS = {"Player 1's left": "a", "Player 1's right": "s", "Player 2's left": "l", "Player 2's right": "k"}


class Rig:
    """`spit-referee run --simulate` as its own process, with a folder of its own."""

    def __init__(self, folder: Path, port: int, *options: str) -> None:
        self.folder, self.port, self._options = folder, port, options
        self.address = f"http://127.0.0.1:{port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "referee", "run", "--simulate", "--port", str(self.port), *self._options]
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        log = (self.folder / "rig.txt").open("ab")
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = monotonic() + STARTS_S
        while monotonic() < end:
            try:
                urlopen(self.address, timeout=2).close()
                return
            except (URLError, OSError):
                sleep(0.2)
        raise AssertionError((self.folder / "rig.txt").read_text())

    def stop(self) -> int:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=20)


def free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    rig = Rig(tmp_path_factory.mktemp("rig"), free_port(), "--set-up")
    rig.start()
    yield rig
    assert rig.stop() == 0


class Viewer:
    """A person with the pages open. Anything that the browser complains about fails the test."""

    def __init__(self, browser: Any, address: str, options: dict[str, Any]) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(45_000)
        self.address = address
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, path: str) -> None:
        self.page.goto(self.address + path)
        self.wait("isConnected === true")

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def wait(self, script: str, seconds: float = 15.0) -> None:
        """Wait until a script is true; the pages' policy lets nobody else evaluate one."""
        end = monotonic() + seconds
        while not self.page.evaluate(script):
            assert monotonic() < end, f"never: {script}"
            self.page.wait_for_timeout(50)

    def state_of(self, step: str) -> str:
        return str(self.page.get_attribute(f"[data-step={step}]", "data-state") or "new")

    def ask(self, step: str) -> str:
        return self.text(f"[data-panel={step}] [data-ask]")

    def do_step(self, step: str) -> str:
        """Go through a step as its words ask; return how it ended."""
        self.page.click(f"[data-step={step}]")
        before = self.page.evaluate(f"results['{step}']?.at ?? 0")
        self.page.click(f"[data-run={step}]")
        self.wait(f"results['{step}']?.at > {before}", 120)
        return self.finish(step)

    def finish(self, step: str) -> str:
        end = monotonic() + STEP_S
        answered = ""
        pictures = 0
        while self.state_of(step) in ("new", "running"):
            assert monotonic() < end, self.text(f"[data-panel={step}]")
            asked = self.ask(step)
            if asked != answered and (found := re.match(r"Press (.+?) pad", asked)):
                self.page.keyboard.press(PADS[found[1]])
                answered = asked
            elif asked != answered and "press your left pad" in asked:
                self.page.keyboard.press("a")
                answered = asked
            elif asked != answered and "at the same time" in asked:
                self.page.keyboard.press("a")
                self.page.keyboard.press("k")
                answered = asked
            elif "Lay a part" in asked:
                word = "more" if pictures < 2 else "enough"
                pictures += 1
                self.page.click(f"[data-panel={step}] [data-answer={word}]")
                self.wait(f"!results['{step}'].waits", 60)
            self.page.wait_for_timeout(100)
        return self.state_of(step)

    def close(self) -> None:
        self.context.close()


def only_about_the_connection(complaints: list[str]) -> bool:
    return all("net::ERR" in text or "Failed to load resource" in text for text in complaints)


@pytest.fixture(params=[PHONE, DESKTOP], ids=["phone", "desktop"])
def viewer(request: pytest.FixtureRequest, browser: Any, rig: Rig) -> Iterator[Viewer]:
    viewer = Viewer(browser, rig.address, request.param)
    yield viewer
    assert viewer.complaints == []
    assert all(url.startswith((rig.address, "blob:", "data:")) for url in viewer.requests), "nothing from elsewhere"
    viewer.close()


def test_the_whole_set_up_and_a_practice_round(viewer: Viewer) -> None:
    viewer.open("/set-up")
    assert "SIMULATED" in viewer.text(".simulated")
    for step in ("wires", "camera", "light", "corners", "sides", "deck", "test"):
        assert viewer.do_step(step) in ("good", "look"), viewer.text(f"[data-panel={step}]")
    viewer.page.click("[data-step=corners]")
    assert re.search(r"\d\.\d mm off: good", viewer.text("[data-panel=corners] [data-findings]"))
    viewer.page.click("[data-step=test]")
    assert "was first" in viewer.text("[data-panel=test] [data-findings]")
    viewer.page.click("[data-step=practice]")
    viewer.page.click("#play")
    viewer.page.wait_for_url("**/", timeout=60_000)
    viewer.wait("state.mode === 'play'", 90)
    viewer.wait("document.querySelector('#frame').naturalWidth > 0", 60)
    viewer.wait("document.querySelectorAll('#zones polygon').length === 12", 60)
    viewer.wait("document.querySelectorAll('#lines li').length >= 1", 180)
    viewer.page.click("#set-up")
    viewer.page.wait_for_url("**/set-up", timeout=60_000)
    viewer.wait("mode === 'set_up'", 90)


def test_nothing_sticks_out_and_targets_are_large(viewer: Viewer) -> None:
    for path in ("/", "/set-up", "/rules", "/games"):
        viewer.open(path)
        viewer.page.wait_for_timeout(400)
        assert viewer.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        small = viewer.page.evaluate(
            """[...document.querySelectorAll('button, a.button, nav a, select, input')]
               .filter(one => one.offsetParent && !['radio', 'checkbox'].includes(one.type))
               .filter(one => one.getBoundingClientRect().height < 44).map(one => one.outerHTML.slice(0, 80))"""
        )
        assert small == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_and_labels_are_as_they_should_be(viewer: Viewer, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    viewer.page.emulate_media(color_scheme=scheme)
    for path in ("/", "/set-up#corners", "/rules", "/games"):
        viewer.open(path)
        viewer.page.wait_for_timeout(600)
        found = Axe().run(viewer.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]})
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"


def test_a_step_and_the_corners_by_keyboard_alone(viewer: Viewer) -> None:
    viewer.open("/set-up#corners")
    page = viewer.page
    page.focus("[name=way][value=itself]")
    page.keyboard.press("ArrowDown")
    assert page.locator(".handle").count() == 4
    page.focus(".handle >> nth=0")
    before = page.evaluate("corners()[0]")
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowUp"):
        page.keyboard.press(key)
    after = page.evaluate("corners()[0]")
    assert after[0] > before[0] and after[1] < before[1]
    assert page.locator("#magnifier").is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Corner bottom right"
    page.focus("[data-step=wires]")
    page.keyboard.press("Enter")
    page.focus("[data-run=wires]")
    page.keyboard.press("Enter")
    viewer.wait("results.wires?.state === 'running'", 60)
    assert viewer.finish("wires") == "good"


def test_corners_are_dragged_with_the_finger_or_the_mouse(viewer: Viewer) -> None:
    viewer.open("/set-up#corners")
    page = viewer.page
    page.check("[name=way][value=drag]")
    viewer.wait("document.querySelector('#frame').naturalWidth > 0", 60)
    page.locator("#picture").scroll_into_view_if_needed()
    box = page.locator("#picture").bounding_box()
    paper = {"bottom left": (0.175, 0.94), "bottom right": (0.81, 0.945)}
    paper |= {"top right": (0.815, 0.06), "top left": (0.18, 0.055)}
    for name, (x, y) in paper.items():
        at = page.locator(f"[aria-label='Corner {name}']").bounding_box()
        page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=5)
        assert page.locator("#magnifier").is_visible()
        page.mouse.up()
    shown = page.evaluate("corners()")
    assert shown == [pytest.approx(place, abs=0.01) for place in paper.values()]
    page.click("[data-run=corners]")
    viewer.wait("results.corners?.state === 'running'", 60)
    viewer.finish("corners")
    assert "table file" in viewer.text("[data-panel=corners] [data-findings]").lower()


@pytest.mark.parametrize("trouble, says", [("pulled", "pulled out"), ("lamp", "far too dark"), ("glare", "burnt out")])
def test_trouble_is_made_seen_and_mended(viewer: Viewer, trouble: str, says: str) -> None:
    viewer.open("/")
    viewer.page.click(f"[data-trouble={trouble}]")
    viewer.wait(f"document.querySelector('#health').innerText.includes('{says}')")
    assert viewer.page.get_attribute(f"[data-trouble={trouble}]", "aria-pressed") == "true"
    viewer.page.click(f"[data-trouble={trouble}]")
    viewer.wait(f"!document.querySelector('#health').innerText.includes('{says}')")


def test_two_people_look_at_once_and_see_the_same(browser: Any, rig: Rig) -> None:
    phone, desktop = Viewer(browser, rig.address, PHONE), Viewer(browser, rig.address, DESKTOP)
    for viewer in (phone, desktop):
        viewer.open("/set-up#wires")
    desktop.page.click("[data-run=wires]")
    phone.wait("results.wires?.state === 'running'", 60)
    phone.wait("document.querySelector('[data-panel=wires] [data-ask]').textContent.startsWith('Press')", 30)
    phone.page.click("[data-step=camera]")
    phone.page.click("[data-run=camera]")
    phone.wait("document.querySelector('#said').textContent.includes('is running')")
    desktop.page.click("[data-panel=wires] [data-answer=leave]")
    phone.wait("results.wires?.state === 'left'")
    for viewer in (phone, desktop):
        assert only_about_the_connection(viewer.complaints), "a refused start is logged by the browser as such"
        viewer.close()


def test_a_restart_is_said_within_three_seconds_and_caught_up(browser: Any, tmp_path: Path) -> None:
    rig = Rig(tmp_path, free_port())
    rig.start()
    viewer = Viewer(browser, rig.address, PHONE)
    viewer.open("/")
    assert rig.stop() == 0
    stopped = monotonic()
    viewer.wait("!document.querySelector('#lost').hidden", 5)
    assert monotonic() - stopped < 3.0
    assert viewer.page.evaluate("document.querySelector('.acts').inert"), "nobody taps on what is old"
    rig.start()
    viewer.wait("isConnected && document.querySelector('#lost').hidden", 20)
    viewer.page.click("[data-pad=p1A]")
    viewer.page.wait_for_timeout(500)
    assert viewer.text("#said") == "", "the page is still good after a restart"
    assert only_about_the_connection(viewer.complaints)
    viewer.close()
    assert rig.stop() == 0


def test_a_phone_that_slept_says_so_and_catches_up(viewer: Viewer) -> None:
    viewer.open("/")
    asleep = "source.close(); heardMs = Date.now() - 60000; triedMs = Date.now() - 1500; check();"
    said = viewer.page.evaluate(f"() => {{ {asleep} return !document.querySelector('#lost').hidden }}")
    assert said, "before it is connected again, which may be at once"
    viewer.wait("isConnected && document.querySelector('#lost').hidden", 5)


def test_rules_are_chosen_and_read_in_sentences(viewer: Viewer) -> None:
    viewer.open("/rules")
    page = viewer.page
    page.fill("[name=p1]", "Zoë <b>")
    page.click("summary")
    page.select_option("[name=colours]", "alternate")
    viewer.wait("document.querySelector('#agreement').innerText.includes('Zoë <b> starts pile A')")
    page.click("#save")
    viewer.wait("document.querySelector('#said').textContent.startsWith('Kept')")
    viewer.open("/rules")
    assert page.input_value("[name=p1]") == "Zoë <b>"
    assert page.input_value("[name=colours]") == "alternate"
    page.click("summary")
    page.select_option("[name=rules]", "speed")
    page.select_option("[name=spit_when]", "stuck")
    viewer.wait("document.querySelector('#contradiction').textContent.includes('contradict')")
    assert page.is_disabled("#save")
    viewer.complaints.clear()  # the refused preview


def test_a_game_of_the_list_opens_in_the_replay(viewer: Viewer, rig: Rig) -> None:
    with GameLog.create(rig.folder / "spit-referee" / "games", Header(players={"p1": "Ann", "p2": "Ben"})) as log:
        log.verdict(PlayJudged(at_ns=1, player="p1", pile="A", card=Card("8H"), p=0.99, ruling="legal"))
    viewer.open("/games")
    viewer.page.locator(".game", has_text="Ann and Ben").first.click()
    viewer.page.wait_for_selector("#moment", timeout=90_000)
    assert viewer.page.locator("#moments").count() == 1


def test_pages_weigh_little_and_paint_at_once(viewer: Viewer) -> None:
    for path in ("/", "/set-up", "/rules", "/games"):
        viewer.requests.clear()
        session = viewer.context.new_cdp_session(viewer.page)
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        received = []
        session.on("Network.loadingFinished", lambda event, kept=received: kept.append(event["encodedDataLength"]))
        viewer.open(path)
        files = [url for url in viewer.requests if "/picture" not in url and not url.startswith("blob:")]
        assert len(files) <= 9, files
        viewer.wait("performance.getEntriesByName('first-contentful-paint').length > 0")
        assert sum(received) < 200_000, (path, received)
        session.detach()
