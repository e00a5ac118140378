"""`spit-referee bench`: what each stage costs here, as a ratio to decoding the same frame."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from referee.benching import Stage


def bench(
    video: Annotated[
        Path | None, typer.Option("--video", metavar="FILE", help="Measure on this video; else on the simulated table.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Length of the simulated play.", min=3.0, max=120.0)] = 20.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Measure the cost of seeing and judging on this machine: CPU time, one thread, beyond the decoding."""
    from rich.console import Console
    from rich.progress import Progress

    from referee.benching import bench_tracker, bench_vision, memory_mb

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Watching", total=1.0)
        stages = bench_vision(video, seconds, lambda share: progress.update(task, completed=share))
        memory = memory_mb()
        progress.update(task, description="Tracking", completed=1.0)
        per_second = bench_tracker()
    if as_json:
        for stage in stages:
            row = {"stage": stage.name, "ms": stage.ms, "ratio": stage.ratio, "target": stage.target}
            print(json.dumps(row | {"reached": stage.reached}))
        print(json.dumps({"stage": "tracker", "observations_per_s": per_second, "target": 50_000}))
        print(json.dumps({"stage": "memory", "mb": memory, "target": 200}))
    else:
        _print_table(stages, per_second, memory)


def _print_table(stages: "list[Stage]", per_second: float, memory_mb: float) -> None:
    from rich.console import Console
    from rich.table import Table

    from referee.benching import PI_FACTOR

    table = Table("stage", "ms", "x decode", "target", "", *(f"{name}, estimated ms" for name in PI_FACTOR))
    for stage in stages:
        target = "" if stage.target is None else f"{stage.target:g}"
        reached = {None: "", True: "reached", False: "missed"}[stage.reached]
        on_pi = [f"{stage.ms * factor:.1f}" for factor in PI_FACTOR.values()]
        table.add_row(stage.name, f"{stage.ms:.2f}", f"{stage.ratio:.2f}", target, reached, *on_pi)
    console = Console(file=sys.stdout)
    console.print(table)
    console.print(f"Tracker: {per_second:,.0f} observations a second (target 50,000).")
    console.print(f"Memory of the watching process: {memory_mb:.0f} MB (target 200).")
    console.print("The columns for the Pi are estimates from published single-core figures, not measurements.")
