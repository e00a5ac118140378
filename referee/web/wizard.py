"""The set-up on the pages: runs one step at a time in a thread, keeps what each has measured, and tells the viewers."""

from collections.abc import Sequence
from threading import Lock, Thread
from time import time
from typing import Annotated, Any, Final, Literal

import cv2
import msgspec
import numpy as np

from calibration.bench import Ask, Found, Shown, Told
from calibration.deck import Doubtful
from calibration.plan import PLAN
from calibration.steps import RUNS, corners, rectangle_from
from hardware.checks.report import State
from hardware.tablefile import CARD_SIZES
from hardware.vision.enrolled import deck_file
from referee.cards import PACK, Card
from referee.errors import RefereeError
from referee.web.bench import LiveBench, StepLeftError
from referee.web.feed import Feed

PICTURE_WIDTH: Final = 960
StepState = Literal["new", "running", "good", "look", "wrong", "failed", "left"]
ENDS: Final[dict[State, StepState]] = {"OK": "good", "SKIP": "good", "WARN": "look", "FAIL": "wrong"}


class Finding(msgspec.Struct, frozen=True):
    """A line of a step's result."""

    name: str
    state: State
    says: str
    cure: str


class Nameless(msgspec.Struct, frozen=True):
    """A picture of a card that was not named surely."""

    picture: str
    """Its name among the step's pictures."""
    where: str
    likely: list[Card]


class Result(msgspec.Struct):
    """How far a step is. `state`: new, running, good, look (works, could be better), wrong, failed, left."""

    name: str
    state: StepState = "new"
    ask: str = ""
    """What the person is to do now."""
    waits: bool = False
    """A button of the page goes on."""
    naming: list[Nameless] = []
    """Pictures of cards that the person is asked to name; `Wizard.name` goes on."""
    findings: list[Finding] = []
    pictures: dict[str, str] = {}
    """Name -> words; the picture itself is at /set-up/picture/STEP/NAME?at=..."""
    trouble: str = ""
    at: float = 0.0
    """When it last changed; a label."""


Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page may send with a step."""

    points: tuple[tuple[Share, Share], ...] = ()
    """Four corners as shares of the picture: p1-left, p1-right, p2-right, p2-left."""
    size_mm: tuple[float, float] = (0.0, 0.0)
    """Of their rectangle."""


class Wizard:
    """The steps of one table. Only one runs; what is asked meanwhile is refused."""

    def __init__(self, bench: LiveBench, feed: Feed) -> None:
        self._bench, self._feed = bench, feed
        self._results = {step.name: Result(step.name) for step in PLAN}
        self._pictures: dict[tuple[str, str], bytes] = {}
        self._lock = Lock()
        self._thread: Thread | None = None
        bench.ask_another, bench.ask_names = self._wait_for_person, self._wait_for_names
        self._running = ""

    def state(self) -> list[dict[str, Any]]:
        """Return every step's result as values for JSON."""
        done = {"corners": self._bench.table_path, "deck": deck_file(self._bench.table_path)}
        kept = {name for name, path in done.items() if path.exists()}
        return [{**msgspec.to_builtins(result), "kept": result.name in kept} for result in self._results.values()]

    def picture(self, step: str, name: str) -> bytes | None:
        """Return a picture that a step has drawn, as a JPEG."""
        return self._pictures.get((step, name))

    def start(self, name: str, options: Options) -> str:
        """Begin a step; return why not, or nothing."""
        if name not in RUNS:
            return "there is no such step"
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return f"the step {self._running} is running; finish it first"
            self._bench.begin()
            self._running = name
            self._results[name] = Result(name, "running")
            self._thread = Thread(target=self._run, args=(name, options), name=f"step {name}", daemon=True)
            self._thread.start()
        return ""

    def answer(self, more: bool) -> None:
        """The person goes on, or has done enough."""
        result = self._results.get(self._running)
        if result is not None and result.waits:
            result.waits, result.ask = False, ""
            self._tell(result)
            self._bench.answer(more)

    def name(self, names: list[str]) -> str:
        """The person has named the cards of `naming`, in their order (empty: left out); return why not, or nothing."""
        result = self._results.get(self._running)
        if result is None or len(result.naming) != len(names) or not names:
            return "there is nothing to name any more"
        if not all(name in ("", *PACK) for name in names):
            return "that is no card of the pack"
        result.naming, result.ask = [], ""
        self._tell(result)
        self._bench.name([Card(name) if name else None for name in names])
        return ""

    def stop(self) -> None:
        """Leave the step that runs."""
        self._bench.stop()

    def _run(self, step: str, options: Options) -> None:
        result = self._results[step]
        self._tell(result)
        try:
            for event in self._events(step, options):
                match event:
                    case Ask():
                        result.ask = event.text
                    case Found():
                        answer = event.answer
                        says = answer.says.replace(f"{self._bench.table_path.parent}/", "")  # a page shows no paths
                        result.findings.append(Finding(event.name, answer.state, says, answer.cure))
                        result.ask = ""
                    case Shown():
                        self._keep(step, event)
                        result.pictures[event.name] = event.words
                self._tell(result)
            result.state = ENDS[worst_of(result)]
        except StepLeftError:
            result.state = "left"
        except RefereeError as error:
            result.state, result.trouble = "failed", str(error)
        finally:  # a bug ends this thread and goes to the journal, but never leaves the page waiting
            if result.state == "running":
                result.state, result.trouble = "failed", "this step has a bug; `journalctl -u spit-referee` shows it"
            result.ask, result.waits, result.naming = "", False, []
            self._tell(result)

    def _events(self, step: str, options: Options) -> Told:
        if step != "corners":
            yield from RUNS[step](self._bench)
            return
        card_mm = CARD_SIZES[self._bench.settings.cards.size]
        shown = None
        if len(options.points) == 4:
            height, width = self._bench.film(1).frames[-1].image.shape[:2]
            shown = rectangle_from(options.points, (width, height), options.size_mm)
        yield from corners(self._bench, shown, card_mm)

    def _keep(self, step: str, shown: Shown) -> None:
        height, width = shown.image.shape[:2]
        size = PICTURE_WIDTH, round(height * PICTURE_WIDTH / width)
        small = cv2.resize(shown.image, size, interpolation=cv2.INTER_AREA) if width > PICTURE_WIDTH else shown.image
        self._pictures[step, shown.name] = bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 78])[1])

    def _wait_for_person(self, ask: str) -> None:
        result = self._results[self._running]
        result.ask, result.waits = ask, True
        self._tell(result)

    def _wait_for_names(self, doubtful: Sequence[Doubtful], missing: Sequence[Card]) -> None:
        result = self._results[self._running]
        nameless = []
        for n, one in enumerate(doubtful):
            large = np.asarray(cv2.resize(one.crop, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
            self._keep(result.name, Shown(f"card-{n}", large, one.where))
            nameless.append(Nameless(f"card-{n}", one.where, one.likely(missing)))
        several = len(doubtful) > 1
        result.ask = f"Which cards are these {len(doubtful)}?" if several else "Which card is this?"
        result.naming = nameless  # all at once: a page may look at any moment
        self._tell(result)

    def _tell(self, result: Result) -> None:
        result.at = time()
        self._feed.publish("step", result)


def worst_of(result: Result) -> State:
    """Return the gravest state among the findings."""
    return max((finding.state for finding in result.findings), key=("SKIP", "OK", "WARN", "FAIL").index, default="OK")
