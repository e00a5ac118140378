"""`spit-referee bench`: what each stage costs here, as a ratio to decoding the same frame."""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.options import JsonOption

if TYPE_CHECKING:
    from rich.progress import Progress

    from referee.benching import Stage


PER_SECOND: Final = 50_000
REJUDGE_S: Final = 1.0
MEMORY_MB: Final = 200


def bench(
    video: Annotated[
        Path | None, typer.Option("--video", metavar="FILE", help="Measure on this video; else on the simulated table.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Length of the simulated play.", min=3.0, max=120.0)] = 20.0,
    games: Annotated[
        int, typer.Option(help="Games of the tracker's corpus; the released figure is for 100.", min=1, max=100)
    ] = 100,
    only_tracker: Annotated[
        bool, typer.Option("--only-tracker", help="Leave the eyes out: neither OpenCV nor a video is needed.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the cost of seeing and judging on this machine: CPU time, one thread, beyond the decoding."""
    if not only_tracker:
        _bench_eyes(video, seconds, as_json)
    _bench_tracker(games, as_json)


def _bench_eyes(video: Path | None, seconds: float, as_json: bool) -> None:
    from referee.benching import bench_vision
    from referee.cli.memory_cost import refereeing_mb

    with _progress() as progress, TemporaryDirectory() as folder:
        task = progress.add_task("Watching", total=1.0)
        stages = bench_vision(video, seconds, Path(folder), lambda share: progress.update(task, completed=share))
        progress.update(task, description="Refereeing")
        memory = refereeing_mb(Path(folder))
    if as_json:
        for stage in stages:
            row = {"stage": stage.name, "ms": stage.ms, "ratio": stage.ratio, "target": stage.target}
            print(json.dumps(row | {"reached": stage.reached}))
        print(json.dumps({"stage": "memory", "mb": memory, "target": MEMORY_MB}))
    else:
        _print_table(stages, memory)


def _bench_tracker(games: int, as_json: bool) -> None:
    from referee.judging_cost import GAMES, cost_of_rejudging, cost_of_tracking

    with _progress() as progress:
        task = progress.add_task("Tracking", total=1.0)
        tracking = cost_of_tracking(games, lambda share: progress.update(task, completed=share))
        rejudging = cost_of_rejudging()
    if as_json:
        tracked = {"stage": "tracker", "observations_per_s": tracking.per_second, "target": PER_SECOND}
        print(json.dumps(tracked | {"games": games, "observations": tracking.observations, "digest": tracking.digest}))
        print(json.dumps({"stage": "rejudge 20 minutes", "s": rejudging.seconds, "target": REJUDGE_S}))
        return
    part = "the corpus" if games == GAMES else f"the first {games} games of the corpus"
    print(
        f"Tracker: {tracking.per_second:,.0f} observations a second (target {PER_SECOND:,}); {part} "
        f"of {GAMES} simulated games at 3 % misreads, {tracking.observations:,} observations, digest {tracking.digest}."
    )
    print(
        f"A game of 20 minutes ({rejudging.observations:,} observations) is read from its log and judged again in "
        f"{rejudging.seconds:.2f} s (target under {REJUDGE_S:g})."
    )


def _progress() -> "Progress":
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), transient=True)


def _print_table(stages: "list[Stage]", memory_mb: float) -> None:
    from rich.console import Console
    from rich.table import Table

    from referee.benching import pi_factors

    factors = pi_factors(stages)
    table = Table("stage", "ms", "x decode", "target", "", *(f"{name}, estimated ms" for name in factors))
    for stage in stages:
        target = "" if stage.target is None else f"{stage.target:g}"
        reached = {None: "", True: "reached", False: "missed"}[stage.reached]
        on_pi = [f"{stage.ms * factor:.1f}" for factor in factors.values()]
        table.add_row(stage.name, f"{stage.ms:.2f}", f"{stage.ratio:.2f}", target, reached, *on_pi)
    console = Console(file=sys.stdout)
    console.print(table)
    console.print(
        f"Memory of a table that referees these pictures, pages loaded: {memory_mb:.0f} MB (target {MEMORY_MB})."
    )
    console.print(
        "The columns for the Pi are estimates, not measurements: "
        "as many times slower as published single-core figures say it runs the card reader's network."
    )
