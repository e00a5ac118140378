"""The set-up through the pages: each step alone, what it measured kept, and no file or fault that stops it."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest
from served import Table
from visitor import Visitor

from calibration import steps
from calibration.bench import Ask, Found, Scene, Shown, StepEvent
from calibration.camera import Filmed
from calibration.deck import Doubtful
from calibration.offset import Offset
from calibration.plan import PLAN
from calibration.wires import Press
from hardware.checks.report import fail, ok, skip, warn
from hardware.frames import Frame
from hardware.pads.edges import FOUR_PADS, Pad
from hardware.simulated.look import Look
from hardware.simulated.practice import StillTable
from hardware.simulated.switches import Troubles
from hardware.tablefile import load_table
from hardware.vision.enrolled import load_deck
from hardware.vision.reader import CLASSES
from referee.cards import Card
from referee.demo import simulated_script
from referee.errors import DeviceError, SettingsError, TableFileError
from referee.settings import Loaded, RulesSection, Settings, with_choices
from referee.web.bench import LiveBench
from referee.web.choices import choose
from referee.web.feed import Feed
from referee.web.wizard import Options, Result, Wizard, worst_of

Visit = Callable[[], Visitor]


class StillBench:
    """A bench over the simulated table, without a camera or a clock; presses come from a list."""

    def __init__(self, folder: Path, presses: list[Pad | None]) -> None:
        self.still = StillTable(simulated_script(7, 1), Look())
        self.settings, self.table_path = Settings(), folder / "table.toml"
        self.presses, self.answers = presses, [True, True, False]
        self.packs = 0

    def film(self, count: int) -> Filmed:
        frames = [Frame(at_ns=n * 33_333_333, image=self.still.picture(0, n), number=n) for n in range(min(count, 10))]
        return Filmed("simulated", frames, 5_000_000, [])

    def watch(self, seconds: float) -> Iterator[Frame]:
        for n in range(round(seconds * 30)):
            at_ns = round(n * 1e9 / 30)
            yield Frame(at_ns=at_ns, image=self.still.picture(at_ns, n), number=n)

    def press(self, patience_ns: int) -> Press | None:
        pad = self.presses.pop(0)
        return None if pad is None else Press(pad, 60_000_000, 2)

    def race(self, patience_ns: int) -> list[Press]:
        return [
            Press(pad, None, 0, at_ns=n * 12_000_000, uncertainty_ns=50_000) for n, pad in enumerate(FOUR_PADS[::2])
        ]

    def blink(self, seconds: float) -> Offset:
        raise DeviceError("no light is seen")

    def another(self, ask: str) -> bool:
        return self.answers.pop(0)

    def names_of(self, doubtful: Sequence[Doubtful], missing: Sequence[Card]) -> list[Card | None]:
        return [one.likely(missing)[0] for one in doubtful]

    def lies(self, scene: Scene) -> None:
        if scene == "pack":
            self.packs += 1
        self.still.lay(("pack 1", "pack 2")[self.packs % 2 - 1] if scene == "pack" else scene)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> StillBench:
    return StillBench(tmp_path_factory.mktemp("table"), [*FOUR_PADS, FOUR_PADS[0]])


def told(events: Iterator[StepEvent]) -> dict[str, str]:
    return {event.name: f"{event.answer.state} {event.answer.says}" for event in events if isinstance(event, Found)}


# The steps, as both the terminal and the pages drive them ------------------------------------------------------------


def test_the_plan_names_every_step_that_runs() -> None:
    assert [step.name for step in PLAN] == list(steps.RUNS)


def test_wires_asks_for_each_pad_and_tells_its_pin(bench: StillBench) -> None:
    events = list(steps.wires(bench))
    assert [type(event) for event in events] == [Ask, Found] * 4
    assert "p1's left pad" in events[0].text
    assert events[1].answer.says == "GPIO17 closed for 60 ms, bounced 2 times"


def test_the_simulated_table_passes_camera_light_corners_sides_and_test(bench: StillBench) -> None:
    seen = told(steps.camera(bench))
    assert {name: line.split()[0] for name, line in seen.items()}.items() >= {
        ("sharpness", "OK"), ("height", "OK"), ("turn", "OK"), ("frame", "OK"),
    }  # fmt: skip
    light = list(steps.light(bench))
    assert {line.split()[0] for line in told(iter(light)).values()} == {"OK"}
    assert any(isinstance(event, Shown) for event in light)
    told_of_blur = told(iter(light))["motion blur"]
    assert re.search(r"open for (9|10|11) ms", told_of_blur), "the simulated shutter is open for 10 ms"
    found = told(steps.corners(bench))
    assert found["exactness"].startswith("OK")
    assert load_table(bench.table_path).px_per_mm() > 1.2
    assert told(steps.sides(bench))["sides"].startswith("OK p1 sits at the bottom")
    tested = told(steps.trial(bench))
    assert tested["pile A"].startswith("OK 3S") and tested["exactness"].startswith("OK")
    assert tested["slap"] == "OK p1/A was first, p2/A 12.0 ms later (±0.10)"
    assert tested["delay"] == "SKIP not measured: no light is seen"


def test_the_delay_of_the_camera_is_measured_and_kept(bench: StillBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "blink", lambda seconds: Offset(38_000_000, 3_000_000, (5, 5), 200))
    assert told(steps.delay(bench))["delay"] == "OK camera 38.0 ms behind the pads (±3.0)"
    assert load_table(bench.table_path).behind_pads_ns == 38_000_000


def test_corners_that_are_shown_write_the_same_table(bench: StillBench, tmp_path: Path) -> None:
    found = load_table(bench.table_path)
    paper = np.array([(-297, -210), (297, -210), (297, 210), (-297, 210)], np.float64)
    shares = found.to_px(paper) / (1279, 719)
    other = StillBench(tmp_path, [])
    shown = steps.rectangle_from(shares.tolist(), (1280, 720), (594.0, 420.0))
    answers = told(steps.corners(other, shown))
    places = np.array([(-48.0, 0.0), (48.0, 0.0), (0.0, 118.0)])
    off_px = np.linalg.norm(load_table(other.table_path).to_px(places) - found.to_px(places), axis=1)
    assert off_px.max() < 4.0
    assert answers["exactness"].split()[0] in ("OK", "WARN")


def test_nobody_presses_and_the_side_is_not_guessed(bench: StillBench) -> None:
    bench.presses[:] = [None]
    with pytest.raises(DeviceError, match="no pad was pressed"):
        told(steps.sides(bench))


def test_a_deck_of_which_nothing_is_read_surely_is_named_by_a_person(
    bench: StillBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calibration.deck.SURE", 2.0)
    bench.answers[:] = [True, False]
    learned = told(steps.deck(bench, tmp_path / "deck.npz"))
    assert "missing: AS 2S" in learned["picture 1"], "none was named by the reader"
    assert len(load_deck(tmp_path / "deck.npz").known) >= 20, "and nearly all by the person"


# The wizard on the pages ---------------------------------------------------------------------------------------------


def wizard_over(events: list[StepEvent | Exception], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Wizard:
    """A wizard whose step `wires` tells these events."""

    def run(bench: LiveBench) -> Iterator[StepEvent]:
        for event in events:
            if isinstance(event, Exception):
                raise event
            yield event

    monkeypatch.setitem(steps.RUNS, "wires", run)
    settings = msgspec.structs.replace(
        Settings(), storage=msgspec.structs.replace(Settings().storage, table_file=str(tmp_path / "table.toml"))
    )
    return Wizard(LiveBench(lambda: settings), Feed())


def done(wizard: Wizard, step: str = "wires") -> dict[str, object]:
    end = monotonic() + 5
    while True:
        result = next(one for one in wizard.state() if one["name"] == step)
        if result["state"] not in ("new", "running"):
            return result
        assert monotonic() < end
        sleep(0.01)


@pytest.mark.parametrize(
    "answers, state",
    [
        ([ok("fine")], "good"),
        ([ok("fine"), skip("not told")], "good"),
        ([ok("fine"), warn("dim", "more light")], "look"),
        ([warn("dim", "more light"), fail("dark", "a lamp"), ok("fine")], "wrong"),
    ],
)
def test_a_step_is_as_good_as_its_worst_finding(
    answers: list[object], state: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wizard = wizard_over([Found("it", answer) for answer in answers], monkeypatch, tmp_path)
    assert wizard.start("wires", Options()) == ""
    assert done(wizard)["state"] == state


def test_a_step_that_fails_says_why_and_can_be_repeated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    events: list[StepEvent | Exception] = [Ask("Press it."), DeviceError("no camera is there; plug one in")]
    wizard = wizard_over(events, monkeypatch, tmp_path)
    wizard.start("wires", Options())
    result = done(wizard)
    assert (result["state"], result["trouble"], result["ask"]) == ("failed", "no camera is there; plug one in", "")
    events[:] = [Found("it", ok("fine"))]
    assert wizard.start("wires", Options()) == ""
    assert done(wizard)["state"] == "good"


def test_a_bug_in_a_step_goes_to_the_journal_and_is_no_end_of_the_set_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    journal: SimpleQueue[type[BaseException]] = SimpleQueue()
    monkeypatch.setattr("threading.excepthook", lambda told: journal.put(told.exc_type))
    wizard = wizard_over([ZeroDivisionError()], monkeypatch, tmp_path)
    wizard.start("wires", Options())
    assert "bug" in str(done(wizard)["trouble"])
    assert journal.get(timeout=5) is ZeroDivisionError


def test_a_picture_that_a_step_draws_is_kept_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    image = np.zeros((1080, 1920, 3), np.uint8)
    wizard = wizard_over([Shown("overlay", image, "It must fit.")], monkeypatch, tmp_path)
    wizard.start("wires", Options())
    assert done(wizard)["pictures"] == {"overlay": "It must fit."}
    kept = wizard.picture("wires", "overlay")
    assert kept is not None and cv2.imdecode(np.frombuffer(kept, np.uint8), cv2.IMREAD_COLOR).shape == (540, 960, 3)
    assert wizard.picture("wires", "../../etc/passwd") is None


def doubtful(*cards: str) -> list[Doubtful]:
    """Pictures of cards of which the reader is not sure."""
    odds = np.full(len(CLASSES), 1e-4, np.float32)
    for n, card in enumerate(cards):
        odds[CLASSES.index(card)] = 0.5 - 0.1 * n
    crop = np.full((120, 88, 3), 230, np.uint8)
    return [Doubtful(crop, odds, f"picture 1, card {n + 1}") for n in range(2)]


def asks_for_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step `deck` asks for two cards and tells what it was answered."""

    def run(bench: LiveBench) -> Iterator[StepEvent]:
        named = bench.names_of(doubtful("QS", "KS"), [Card("KS")])
        yield Found("deck", ok(" ".join(str(card) for card in named)))

    monkeypatch.setitem(steps.RUNS, "deck", run)


def test_cards_that_are_not_read_surely_are_named_by_the_person(
    table: Table, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks_for_names(monkeypatch)
    here = visit()
    here.get("/set-up")
    assert here.post("/set-up/names", {"names": ["QS"]}).status == 409, "nobody has asked"
    assert here.post("/set-up/deck", {}).status == 200
    wait_until_asked(table, "deck")
    asked = result(table, "deck")
    assert asked.naming[0].likely[:2] == ["KS", "QS"], "what is missing comes first"
    assert here.get(f"/set-up/picture/deck/{asked.naming[1].picture}").headers["content-type"] == "image/jpeg"
    for wrong in (["QS"], ["QS", "KS", "7H"], ["QS", "ZZ"]):
        assert here.post("/set-up/names", {"names": wrong}).status == 409
    assert here.post("/set-up/names", {"names": ["QS", ""]}).status == 200
    wait_for(table, "deck", "good")
    assert result(table, "deck").findings[0].says == "QS None"
    assert result(table, "deck").naming == []


def test_a_step_that_asks_for_names_can_be_left(table: Table, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    asks_for_names(monkeypatch)
    here = visit()
    here.get("/set-up")
    here.post("/set-up/deck", {})
    wait_until_asked(table, "deck")
    here.post("/set-up/answer", {"word": "leave"})
    wait_for(table, "deck", "left")
    assert result(table, "deck").naming == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1360])
def test_the_names_are_chosen_by_keyboard_on_phone_and_desktop(
    table: Table, monkeypatch: pytest.MonkeyPatch, browser: Any, width: int
) -> None:
    asks_for_names(monkeypatch)
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto(f"http://localhost:{table.serve().port}/set-up#deck")
    table.desk.wizard.start("deck", Options())
    page.wait_for_selector("#nameless img")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert [one.inner_text() for one in page.query_selector_all("#nameless label > span")] == [
        "picture 1, card 1", "picture 1, card 2",
    ]  # fmt: skip
    page.locator("#nameless select").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-step=deck][data-state=good]")
    assert result(table, "deck").findings[0].says == "KS QS"
    assert page.locator("#naming").is_hidden()
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1360])
@pytest.mark.parametrize("path", ["/", "/set-up", "/rules"])
def test_a_name_of_one_long_word_stays_inside_its_sheet(
    table: Table, browser: Any, wait_until: Callable[[Any, str], None], width: int, path: str
) -> None:
    long = msgspec.structs.replace(table.settings.players, p1="x" * 30, p2="<b>" + "W" * 27)
    table.desk.settings = msgspec.structs.replace(table.settings, players=long)
    table.desk.practice = SimpleNamespace(mock=table.pads, troubles=Troubles())
    table.film()
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto(f"http://localhost:{table.serve().port}{path}")
    wait_until(page, "isConnected === true") if path == "/rules" else page.wait_for_selector("text=xxxxxxxxx")
    out = page.evaluate(
        """[...document.querySelectorAll('section *, form *')]
           .filter(one => one.offsetParent && !one.closest('svg, select, .steps'))
           .filter(one => one.getBoundingClientRect().right >
                          one.closest('section, form').getBoundingClientRect().right + 1)
           .map(one => one.outerHTML.slice(0, 80))"""
    )
    assert out == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("script, path", [("live.js", "/"), ("set-up.js", "/set-up")])
def test_a_script_that_comes_late_still_hears_the_whole_state(
    table: Table, browser: Any, script: str, path: str
) -> None:
    def late(route: Any) -> None:
        sleep(1)
        route.continue_()

    page = browser.new_page()
    page.route(f"**/{script}*", late)
    page.goto(f"http://localhost:{table.serve().port}{path}")
    page.wait_for_selector("text=Player 1", timeout=5000)
    page.close()


def wait_until_asked(table: Table, step: str) -> None:
    end = monotonic() + 5
    while not result(table, step).naming:
        assert monotonic() < end
        sleep(0.01)


def test_only_one_step_runs_and_it_can_be_left(table: Table, visit: Visit) -> None:
    here = visit()
    here.get("/set-up")
    assert here.post("/set-up/dance", {}).status == 409
    assert here.post("/set-up/wires", {}).status == 200
    wait_for(table, "wires", "failed")
    assert "begin with the button" in result(table, "wires").trouble, "no set-up runs"


@pytest.mark.parametrize("points", [[[0.1, 1.2], [0.9, 0.9], [0.9, 0.1], [0.1, 0.1]], [[1e308, 0]] * 4, [[-1, 0]] * 4])
def test_corners_outside_the_picture_are_refused(table: Table, visit: Visit, points: list[list[float]]) -> None:
    here = visit()
    here.get("/set-up")
    assert here.post("/set-up/corners", {"points": points, "size_mm": [594, 420]}).status == 400
    assert result(table, "corners").state == "new"


def test_a_damaged_table_file_is_named_and_the_set_up_goes_on(table: Table, visit: Visit) -> None:
    (table.folder / "table.toml").write_bytes(b"schema = 1\ncamera = ")
    here = visit()
    here.get("/set-up")
    with pytest.raises(TableFileError):
        load_table(table.folder / "table.toml")
    assert here.post("/set-up/sides", {}).status == 200
    wait_for(table, "sides", "failed")
    assert "table.toml" in result(table, "sides").trouble
    assert here.get("/set-up").status == 200


def result(table: Table, step: str) -> Result:
    return msgspec.convert(
        {k: v for k, v in next(one for one in table.desk.wizard.state() if one["name"] == step).items() if k != "kept"},
        Result,
    )


def wait_for(table: Table, step: str, state: str) -> None:
    end = monotonic() + 5
    while result(table, step).state != state:
        assert monotonic() < end, result(table, step)
        sleep(0.01)


def test_the_worst_of_nothing_is_good() -> None:
    assert worst_of(Result("wires")) == "OK"


# What is chosen ------------------------------------------------------------------------------------------------------


def test_a_choice_is_kept_whole_with_the_one_before(table: Table) -> None:
    file = table.folder / "settings.toml"
    first = choose(table.settings, {"players": {"p1": "Ann", "p2": "Ben"}})
    assert (first.players.p1, first.pads) == ("Ann", table.settings.pads)
    file.write_text("# ours\n" + file.read_text())
    second = choose(first, {"players": {"p1": "Zoë"}, "rules": {"name": "bicycle", "options": {"hands": "both"}}})
    assert (second.players.p1, second.players.p2) == ("Zoë", "Ben")
    assert file.read_text().startswith("# ours"), "what people wrote beside it stays"
    assert 'p1 = "Ann"' in (table.folder / "settings.toml.previous").read_text()


def test_a_choice_that_cannot_be_changes_nothing(table: Table) -> None:
    choose(table.settings, {"cards": {"size": "bridge"}})
    before = (table.folder / "settings.toml").read_bytes()
    with pytest.raises(SettingsError, match="poker, bridge"):
        choose(table.settings, {"cards": {"size": "tarot"}})
    assert (table.folder / "settings.toml").read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"[players]\np1 = ", b"\xff\xfe", b"[nonsense]\nx = 1\n", b"players = 3\n"])
def test_a_damaged_or_foreign_file_of_choices_is_begun_anew(table: Table, content: bytes) -> None:
    (table.folder / "settings.toml").write_bytes(content)
    assert choose(table.settings, {"players": {"p1": "Ann"}}).players.p1 == "Ann"
    assert 'p1 = "Ann"' in (table.folder / "settings.toml").read_text()
    assert (table.folder / "settings.toml.previous").read_bytes() == content


@pytest.mark.parametrize("content", [b"[players]\np1 = ", b"[nonsense]\nx = 1\n", b"players = 3\n"])
def test_a_file_of_choices_that_cannot_be_used_is_named_and_left_out(table: Table, content: bytes) -> None:
    file = table.folder / "settings.toml"
    file.write_bytes(content)
    loaded = with_choices(Loaded(table.settings, {}), file)
    assert loaded.settings == table.settings
    assert str(file) in loaded.complaints[0]


def test_house_rules_follow_the_choice_in_sentences_and_count_from_the_next_game(table: Table, visit: Visit) -> None:
    here = visit()
    page = here.get("/rules").text
    assert "five stock piles" in page and "Suit and colour do not matter." in page
    wanted = {"rules": "pagat", "options": {"colours": "alternate", "piles": "4"}, "p1": " Ann ", "p2": ""}
    words = str(here.post("/rules/preview", wanted).json())
    assert "Ann starts pile A" in words and "four stock piles" in words
    assert here.post("/rules", wanted).json() == {"running": False}
    assert table.desk.settings.rules.options == {"colours": "alternate", "piles": 4}
    assert table.desk.settings.players.p1 == "Ann"
    assert "four stock piles" in here.get("/rules").text
    usual = {"rules": "pagat", "options": {"colours": "any", "piles": "5"}}
    assert here.post("/rules", usual).status == 200
    assert table.desk.settings.rules.options == {}


def test_the_rules_of_a_house_in_a_file_of_their_own_are_read_out(table: Table, visit: Visit) -> None:
    file = table.folder / "house.toml"
    file.write_text("piles = 4\n")
    rules = RulesSection(name=str(file), options={"colours": "alternate"})
    table.desk.settings = msgspec.structs.replace(table.desk.settings, rules=rules)
    page = visit().get("/rules").text
    assert "four stock piles" in page and "Red and black must alternate" in page


def test_rules_that_contradict_each_other_are_refused_with_the_reason(table: Table, visit: Visit) -> None:
    here = visit()
    here.get("/rules")
    refused = here.post("/rules", {"rules": "speed", "options": {"spit_when": "stuck"}})
    assert refused.status == 400 and "contradict" in refused.json()["error"]
    assert not (table.folder / "settings.toml").exists()


def test_a_camera_is_chosen_from_those_that_are_there(
    table: Table, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = [("auto", "the first that is found"), ("/dev/v4l/by-id/usb-Eye", "Eye <b>")]
    monkeypatch.setattr("referee.web.setup.cameras_to_choose", lambda: there)
    here = visit()
    page = here.get("/set-up").text
    assert "Eye &lt;b&gt;" in page
    assert here.post("/camera", {"source": "/etc/passwd"}).status == 409
    assert here.post("/camera", {"source": "/dev/v4l/by-id/usb-Eye"}).status == 200
    assert table.desk.settings.camera.source == "/dev/v4l/by-id/usb-Eye"
    assert 'value="/dev/v4l/by-id/usb-Eye" selected' in here.get("/set-up").text
