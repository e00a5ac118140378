"""The measure of what judging costs, on a corner of its corpus."""

import json

from typer.testing import CliRunner

from referee.cli.app import app
from referee.judging_cost import FIRST_SEED, corpus_game, cost_of_tracking
from referee.simulated.noise import Noise, observe
from referee.simulated.players import play_game


def test_the_corpus_is_made_from_its_seeds_again() -> None:
    assert corpus_game(3) == [seen.observation for seen in observe(play_game(FIRST_SEED + 3), Noise(), FIRST_SEED + 3)]
    one, again = cost_of_tracking(1), cost_of_tracking(1)
    assert one.digest == again.digest
    assert one.observations == len(corpus_game(0))


def test_bench_prints_both_figures_of_the_tracker() -> None:
    answer = CliRunner().invoke(app, ["bench", "--only-tracker", "--games", "1", "--json"])
    tracking, rejudging = map(json.loads, answer.stdout.splitlines())
    assert tracking["observations_per_s"] > 0
    assert tracking["games"] == 1
    assert rejudging["s"] > 0
