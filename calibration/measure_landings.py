"""How well the eyes see: rendered drills with exact truth, whole decks, tables, lamps and hands at a time.

`python -m calibration.measure_landings --landings 3000` prints k of n with the 95 % interval for landings found, cards,
players, touch times, idle hands, and what is read of lying piles and rows.
"""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Annotated, Final

import cv2
import msgspec
import typer

from calibration.figures import Share
from hardware.frames import Frame
from hardware.simulated.drill import drill_script
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer, SeenCard
from hardware.vision.eyes import Eyes
from hardware.vision.reader import CardReader
from hardware.vision.tablefinder import find_table
from referee.cards import Card
from referee.observations import AnyObservation, CardLanded, PileRead, PlaceSeen, RowRead
from referee.script import Hover, Lay, Script, SpitDown

_FAR_NS: Final = 350_000_000
"""A landing is not the one that is meant if its touch is further off."""
_SURE: Final = 0.5
"""Odds under which a card counts as not read."""

Landing = Lay | SpitDown


@dataclass(slots=True)
class Figures:
    """Shares by name, in the order in which they are printed."""

    shares: dict[str, Share] = field(default_factory=dict)
    seconds: float = 0.0
    frames: int = 0
    mistakes: list[str] = field(default_factory=list)

    def count(self, name: str, was_so: bool) -> None:
        self.shares.setdefault(name, Share()).count(was_so)

    def add(self, other: "Figures") -> None:
        for name, share in other.shares.items():
            self.shares.setdefault(name, Share()).add(share)
        self.seconds += other.seconds
        self.frames += other.frames
        self.mistakes += other.mistakes


@dataclass(slots=True)
class _Watched:
    """A drill and what the eyes said about it."""

    script: Script
    renderer: Renderer
    seen: list[AnyObservation]
    seconds: float
    frames: int


def measure(seed: int) -> Figures:
    """Return the figures of one drill at one table; the same seed gives the same frames."""
    cv2.setNumThreads(1)
    watched = _watch(seed)
    figures = Figures(seconds=watched.seconds, frames=watched.frames)
    _count_landings(watched, figures, f"seed {seed}, {watched.renderer.look.deck}")
    _count_readings(watched, figures)
    return figures


def _watch(seed: int) -> _Watched:
    script, look = drill_script(seed), Look.seeded(seed)
    renderer = Renderer(script, look)
    count = int(script.end_ns * look.fps / 1e9)
    frames = (renderer.frame(number) for number in range(count))
    first = next(frames)
    eyes = Eyes(find_table(first.image, renderer.deck.size_mm), CardReader())
    seen: list[AnyObservation] = []
    spent = 0.0
    for frame in _again(first, frames):
        begun = time.process_time()
        seen += eyes.see(frame)
        spent += time.process_time() - begun
    seen += eyes.finish()
    return _Watched(script, renderer, seen, spent, count)


def _again(first: Frame, rest: Iterator[Frame]) -> Iterator[Frame]:
    yield first
    yield from rest


def _count_landings(watched: _Watched, figures: Figures, place: str) -> None:
    truths = [action for action in watched.script.actions if isinstance(action, Landing)]
    told = [seen for seen in watched.seen if isinstance(seen, CardLanded)]
    frame_ns = 1e9 / watched.renderer.look.fps
    free = list(told)
    for truth in truths:
        match = min((one for one in free if one.pile == truth.pile), key=lambda one: _apart(truth, one), default=None)
        found = match is not None and abs(match.at_ns - truth.at_ns) < _FAR_NS
        close = _is_close(truth, truths)
        figures.count("landings found", found)
        figures.count("  of those with another within 150 ms" if close else "  of those alone", found)
        if not found or match is None:
            figures.mistakes.append(f"{place}: {truth.card} on {truth.pile} at {truth.at_ns / 1e9:.2f} s was not seen")
            continue
        free.remove(match)
        kind = "" if _was_seen(truth, truths, watched.renderer) else " (face never half visible)"
        _count_match(truth, match, figures, frame_ns, place, kind)
    hovers = sum(isinstance(action, Hover) for action in watched.script.actions)
    for n in range(max(len(told), 1)):
        figures.count("landings told that were none", n < len(free))
    for n in range(hovers):
        figures.count("idle hands taken for a landing", n < len(free))
    for one in free:
        figures.mistakes.append(f"{place}: nothing landed on {one.pile} at {one.at_ns / 1e9:.2f} s, {one.cards}")


def _apart(truth: Landing, one: CardLanded) -> float:
    return abs(one.at_ns - truth.at_ns) + (0 if truth.card in one.cards else 2e8)


def _is_close(truth: Landing, truths: list[Landing]) -> bool:
    return any(
        other is not truth and other.pile == truth.pile and abs(other.at_ns - truth.at_ns) < 150e6 for other in truths
    )


def _was_seen(truth: Landing, truths: list[Landing], renderer: Renderer) -> bool:
    """Whether half of the face showed in at least one frame before the next card came down on it."""
    after = [other.at_ns for other in truths if other.pile == truth.pile and other.at_ns > truth.at_ns]
    until_ns = min([truth.at_ns + 1_500_000_000, *after])
    fps = renderer.look.fps
    moments = (round(n * 1e9 / fps) for n in range(int(truth.at_ns * fps / 1e9) + 1, int(until_ns * fps / 1e9) + 1))
    return any(renderer.visible(at_ns, truth.card) >= 0.5 for at_ns in moments)


def _count_match(truth: Landing, match: CardLanded, figures: Figures, frame_ns: float, place: str, kind: str) -> None:
    card, p = _best(match.cards)
    figures.count(f"card right{kind}", card == truth.card and p >= _SURE)
    figures.count(f"card wrong{kind}", card != truth.card and p >= _SURE)
    who = max(match.players, key=lambda player: match.players[player], default=None)
    figures.count("player right", who == truth.player)
    off_ns = abs(match.at_ns - truth.at_ns)
    figures.count("touch within one frame", off_ns <= frame_ns)
    figures.count("touch inside the told interval", match.earliest_ns <= truth.at_ns <= match.latest_ns)
    if card != truth.card and p >= _SURE:
        moment = f"{truth.at_ns / 1e9:.2f} s"
        figures.mistakes.append(f"{place}: {truth.card} on {truth.pile} at {moment} was read as {card} ({p:.2f})")


def _best(cards: dict[Card, float]) -> tuple[Card, float]:
    return max(cards.items(), key=lambda item: item[1], default=(Card("??"), 0.0))


def _count_readings(watched: _Watched, figures: Figures) -> None:
    """Compare what was read of lying cards with what lay there; hidden places and moving tables do not count."""
    moving = [(action.start_ns - 100_000_000, action.at_ns + 500_000_000) for action in watched.script.actions]
    for seen in watched.seen:
        if not isinstance(seen, PileRead | RowRead) or any(a < seen.at_ns < b for a, b in moving[2:]):
            continue
        tops = {card.spot: card for card in watched.renderer.truth(seen.at_ns).cards if card.top}
        if isinstance(seen, PileRead):
            _count_face("pile top", PlaceSeen(cards=seen.cards, empty=seen.empty), tops.get(seen.pile), figures)
            continue
        for n, seen_place in enumerate(seen.places, 1):
            _count_face("row place", seen_place, tops.get(f"{seen.player}.{n}"), figures)


def _count_face(name: str, seen: PlaceSeen, truth: SeenCard | None, figures: Figures) -> None:
    card, p = _best(seen.cards)
    odds: dict[str, float] = {card: p, "face down": seen.face_down, "empty": seen.empty}
    told = max(odds, key=lambda what: odds[what])
    really = "empty" if truth is None else truth.card if truth.up else "face down"
    sure = odds[told] >= _SURE
    figures.count(f"{name} right", sure and told == really)
    figures.count(f"{name} wrong", sure and told != really)


def _measured(pool: ProcessPoolExecutor, landings: int, seed: int, jobs: int) -> Iterator[Figures]:
    """Yield the figures of drill after drill until there are enough landings; `jobs` are worked on at a time."""
    waiting = [pool.submit(measure, seed + n) for n in range(jobs)]
    following, found = seed + jobs, 0
    while waiting:
        figures = waiting.pop(0).result()
        found += figures.shares["landings found"].n
        yield figures
        if found + 33 * len(waiting) < landings:
            waiting.append(pool.submit(measure, following))
            following += 1


def main(
    landings: Annotated[int, typer.Option(help="Measure at least so many rendered landings.", min=1)] = 300,
    seed: Annotated[int, typer.Option(help="The first drill; each seed has its own deck, table, lamp and hands.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes at a time.", min=1)] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one object.")] = False,
    mistakes: Annotated[int, typer.Option(help="Print so many mistakes.")] = 0,
) -> None:
    """Measure landings, idle hands and readings on rendered video with exact truth; Ctrl-C prints what is known."""
    total = Figures()
    with suppress(KeyboardInterrupt), ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for figures in _measured(pool, landings, seed, jobs):
            total.add(figures)
            found = total.shares["landings found"].n
            print(f"\r{found} of {landings} landings", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if as_json:
        print(msgspec.json.encode({name: (share.k, share.n) for name, share in total.shares.items()}).decode())
        return
    for name, share in total.shares.items():
        print(f"{name:40} {share}")
    print(f"{'eyes, ms of processor time a frame':40} {1e3 * total.seconds / max(1, total.frames):.2f}")
    for line in total.mistakes[:mistakes]:
        print(line)


if __name__ == "__main__":
    typer.run(main)
