"""How well the eyes see: rendered drills with exact truth, whole decks, tables, lamps and hands at a time.

`python -m calibration.measure_landings --landings 3000` prints k of n with the 95 % interval for landings found, cards,
players, touch times, idle hands, and what is read of lying piles and rows; then the same by kind.
`--hands 1000` measures so many hands that pass over the piles without a card, with few cards between them.
"""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from typing import Annotated

import cv2
import msgspec
import numpy as np
import typer

from calibration.figures import run
from calibration.landing_score import FOUND, IDLE, Figures, Watched, score
from hardware.frames import Frame
from hardware.simulated.drill import drill_script, drill_troubles, hands_script, trouble_of
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from hardware.simulated.trouble import troubled
from hardware.vision.eyes import Eyes
from hardware.vision.reader import CardReader
from hardware.vision.tablefinder import find_table
from referee.observations import AnyObservation

_PER_DRILL = {FOUND: 33, IDLE: 120}
"""About so many of what is counted happen in a drill."""


def measure(seed: int, what: str = FOUND) -> Figures:
    """Return the figures of one drill at one table, of landings or, `what` IDLE, of hands that pass.

    The same seed gives the same frames.
    """
    cv2.setNumThreads(1)
    script, look = hands_script(seed) if what == IDLE else drill_script(seed), Look.seeded(seed)
    renderer = Renderer(script, look)
    count = int(script.end_ns * look.fps / 1e9)
    pictures = (renderer.frame(number) for number in range(count))
    frames = troubled(pictures, drill_troubles(seed, script.end_ns))
    first = next(frames)
    eyes = Eyes(find_table(first.image, renderer.deck.size_mm), CardReader())
    told: list[tuple[int, AnyObservation]] = []
    spent = 0.0
    for frame in _again(first, frames):
        begun = time.process_time()
        told += [(frame.at_ns, seen) for seen in eyes.see(frame)]
        spent += time.process_time() - begun
    told += [(script.end_ns, seen) for seen in eyes.finish()]
    figures = score(Watched(script, renderer, told), f"seed {seed}, {look.deck}, {trouble_of(seed) or 'calm'}")
    figures.seconds, figures.frames = spent, count
    return figures


def _again(first: Frame, rest: Iterator[Frame]) -> Iterator[Frame]:
    yield first
    yield from rest


def _measured(pool: ProcessPoolExecutor, what: str, least: int, seed: int, jobs: int) -> Iterator[Figures]:
    """Yield the figures of drill after drill until `what` has happened often enough; `jobs` are worked on at a time."""
    waiting = [pool.submit(measure, seed + n, what) for n in range(jobs)]
    following, found = seed + jobs, 0
    while waiting:
        figures = waiting.pop(0).result()
        found += figures.shares[what].n
        yield figures
        if found + _PER_DRILL[what] * len(waiting) < least:
            waiting.append(pool.submit(measure, following, what))
            following += 1


def _print(total: Figures, mistakes: int, touches: bool) -> None:
    print(f"{'F1 of landings':40} {total.f1()}")
    for name, share in total.shares.items():
        print(f"{name:40} {share}")
    if total.delays_ms:
        median, late = np.percentile(total.delays_ms, (50, 95))
        print(f"{'touch to telling, ms':40} {median:.0f}, 95 % within {late:.0f}")
    print(f"{'eyes, ms of processor time a frame':40} {1e3 * total.seconds / max(1, total.frames):.2f}")
    for kind, shares in sorted(total.by_kind.items()):
        print(f"  {kind:38} " + "; ".join(f"{name} {share.k} of {share.n}" for name, share in shares.items()))
    for line in total.mistakes[:mistakes] + (total.touches if touches else []):
        print(line)


def main(
    landings: Annotated[int, typer.Option(help="Measure at least so many rendered landings.", min=1)] = 300,
    hands: Annotated[int, typer.Option(help="Measure at least so many idle hands instead.", min=0)] = 0,
    seed: Annotated[
        int, typer.Option(help="The first drill; each seed has its own deck, table, lamp and hands.", min=0)
    ] = 0,
    jobs: Annotated[int, typer.Option(help="Processes at a time.", min=1)] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one object.")] = False,
    mistakes: Annotated[int, typer.Option(help="Print so many mistakes.", min=0)] = 0,
    touches: Annotated[bool, typer.Option("--touches", help="Print each touch, and when it was said to be.")] = False,
) -> None:
    """Measure landings, idle hands and readings on rendered video with exact truth; Ctrl-C prints what is known."""
    total, what, least = Figures(), IDLE if hands else FOUND, hands or landings
    with suppress(KeyboardInterrupt), ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for figures in _measured(pool, what, least, seed, jobs):
            total.add(figures)
            print(
                f"\r{total.shares[what].n} of {least} {'hands' if hands else 'landings'}",
                end="",
                file=sys.stderr,
                flush=True,
            )
    print(file=sys.stderr)
    if as_json:
        named = {name: (share.k, share.n) for name, share in total.shares.items()}
        kinds = {kind: {n: (s.k, s.n) for n, s in shares.items()} for kind, shares in total.by_kind.items()}
        print(msgspec.json.encode({**named, "kinds": kinds}).decode())
        return
    _print(total, mistakes, touches)


if __name__ == "__main__":
    run(lambda: typer.run(main))
