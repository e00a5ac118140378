"""`spit-referee score`: how right the referee is, over simulated games or over filmed ones whose truth is known."""

import json
import math
import multiprocessing
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.options import JsonOption
from referee.units import counted

if TYPE_CHECKING:
    from referee.simulated.score import Score


def score(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Filmed games with truth, instead of simulated ones.")
    ] = None,
    rules: Annotated[
        str, typer.Option("--rules", metavar="NAME", help="Of the filmed games; a rule set or a file of one.")
    ] = "pagat",
    games: Annotated[int, typer.Option(help="Games for each share of misreads.", min=1)] = 20,
    misreads: Annotated[
        list[float] | None,
        typer.Option(help="Share of readings that are wrong; may be given several times.", min=0.0, max=0.5),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first game; the others follow.")] = 1,
    honest: Annotated[bool, typer.Option("--honest", help="Players who break no rule.")] = False,
    stories: Annotated[bool, typer.Option("--stories", help="Tell each false accusation, with its seed.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Judge simulated games through noisy sensors: breaches found, false accusations, landings out of step.

    With FOLDER the whole chain watches the videos that lie there with their truth (see docs/recording.md).
    """
    if folder is not None:
        _score_folder(folder, rules, stories, as_json)
        return
    from rich.console import Console
    from rich.progress import Progress

    from referee.simulated.score import Score

    if any(math.isnan(rate) for rate in misreads or []):
        raise typer.BadParameter("a share is a number from 0 to 0.5", param_hint="--misreads")
    scores: dict[float, Score] = {}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for rate in misreads or [0.01, 0.03, 0.10]:
            task = progress.add_task(f"{rate:.0%} misread", total=games)
            scores[rate] = Score()
            for one in _scores(range(seed, seed + games), rate, honest):
                scores[rate].add(one)
                progress.advance(task)
    for rate, one in scores.items():
        if as_json:
            print(json.dumps({"misreads": rate, "seed": seed} | one.summary()))
        else:
            _print_table(rate, seed, one)
        if stories:
            print(*one.stories, sep="\n")


def _score_folder(folder: Path, rules: str, stories: bool, as_json: bool) -> None:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from referee.cli.score_folder import ClipScore, clips_in, score_clip

    whole = ClipScore()
    clips = clips_in(folder)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for clip in progress.track(clips, description="watching"):
            one = score_clip(clip, rules)
            if as_json:
                print(json.dumps({"clip": clip.name} | one.summary()), flush=True)
            whole.add(one)
    if as_json:
        return
    table = Table("measure", "figure", "goal", title=counted(len(clips), "clip"))
    for line in whole.lines():
        table.add_row(*line)
    Console(file=sys.stdout).print(table)
    if stories:
        print(*whole.stories, sep="\n")


def _scores(seeds: Iterable[int], misreads: float, honest: bool) -> "Iterator[Score]":
    """Yield the score of each game, on all cores, in no order."""
    with multiprocessing.Pool() as pool:
        yield from pool.imap_unordered(_score_one, [(seed, misreads, honest) for seed in seeds])


def _score_one(game: tuple[int, float, bool]) -> "Score":
    from referee.simulated.noise import Noise
    from referee.simulated.players import HONEST
    from referee.simulated.score import score_game

    seed, misreads, honest = game
    started = time.process_time()
    score = score_game(seed, Noise(misreads=misreads), habits=HONEST if honest else None)
    score.seconds = time.process_time() - started
    return score


def _print_table(rate: float, seed: int, score: "Score") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("measure", "figure", title=f"{rate:.0%} misread, {counted(score.games, 'game')} from seed {seed}")
    for measure, figure in score.lines():
        table.add_row(measure, figure)
    Console(file=sys.stdout).print(table)
