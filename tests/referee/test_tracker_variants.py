"""The tracker follows the other rule sets through the looks of the camera: Bicycle's refills and twin cards (R72 to
R78), Speed's hidden hands and agreements (R83 to R88), and equal tops stacked in a row (R38)."""

import pytest
from at_the_table import AtTheTable
from msgspec.structs import replace

from referee.game.phases import Phase
from referee.game.position import Middle, Position, Side
from referee.rules.rule_set import PRESETS
from referee.script import Move, Refill
from referee.simulated.noise import PERFECT, Noise
from referee.simulated.score import Story, referee, score_story
from referee.simulated.variants import Variant, play_variant
from referee.table import PLAYERS, Player
from referee.verdicts import RowJudged

SPEED = Position(
    phase=Phase.FIRST_SPIT,
    p1=Side(hand=5, packet=15, due=("A",)),
    p2=Side(hand=5, packet=15, due=("B",)),
    A=Middle(outer=6),
    B=Middle(outer=6),
)


def watched(variant: Variant, seed: int, noise: Noise) -> tuple[Story, dict[Player, int]]:
    """A game of this rule set as the tracker followed it, and how many cards each player really has left."""
    script, left = play_variant(variant, seed)
    hidden = replace(noise, origins_seen=0.0) if variant == "speed" else noise
    start = SPEED if variant == "speed" else None
    return referee(script, hidden, PRESETS[variant], seed, start), left


def counts(story: Story) -> dict[Player, int]:
    assert story.position is not None
    return {player: story.position.side(player).count for player in PLAYERS}


@pytest.mark.parametrize("variant", ["bicycle", "speed", "wikipedia"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_whole_game_through_perfect_looks_blames_nobody_wrongly_and_counts_every_card(
    variant: Variant, seed: int
) -> None:
    story, left = watched(variant, seed, PERFECT)
    score = score_story(story)
    assert (score.false_accusations, score.stories) == (0, [])
    assert counts(story) == left
    assert score.breaches and score.found >= (0 if variant == "speed" else score.breaches - 1)


@pytest.mark.parametrize("variant", ["bicycle", "speed", "wikipedia"])
@pytest.mark.parametrize("seed", [3, 4])
def test_nobody_is_blamed_wrongly_when_three_readings_of_a_hundred_are_wrong(variant: Variant, seed: int) -> None:
    assert score_story(watched(variant, seed, Noise())[0]).stories == []


def test_R76_every_refill_of_a_bicycle_row_is_told() -> None:
    story, _ = watched("bicycle", 1, PERFECT)
    told = [verdict.card for _, verdict in story.said if isinstance(verdict, RowJudged) and verdict.what == "refill"]
    filled = [action.card for action in story.script.actions if isinstance(action, Refill)]
    assert filled and sorted(told) == sorted(filled)


def test_R38_a_top_laid_on_an_equal_one_is_a_move() -> None:
    moves, told = [], []
    for seed in range(1, 6):
        story, _ = watched("wikipedia", seed, PERFECT)
        moves += [(seed, a.place, a.to_place, a.card) for a in story.script.actions if isinstance(a, Move)]
        rows = [verdict for _, verdict in story.said if isinstance(verdict, RowJudged) and verdict.what == "move"]
        told += [(seed, verdict.place, verdict.to_place, verdict.card) for verdict in rows]
    seen = [move for move in moves if move in told]
    assert len(seen) > 20 and len(moves) - len(seen) <= len(moves) // 10  # two between two looks are seen as one


STACKED: dict[str, object] = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["1:2C+2S", "0:AS", "-", "0:5H", "3:10S"], "spit": 10},
    "p2": {"row": ["0:4D", "1:6D", "2:9H", "3:QC", "4:QS"], "spit": 10},
    "middle": {"A": {"top": "8S", "count": 6, "started_by": "p1"}, "B": {"top": "4S", "count": 1, "started_by": "p2"}},
}


def row_of_p1(table: AtTheTable) -> list[str]:
    assert table.tracker.position is not None
    return [str(stock) for stock in table.tracker.position.p1.row]


def test_R38_a_top_moved_into_a_space_leaves_its_equal_behind_and_no_card_is_there_twice() -> None:
    table = AtTheTable(STACKED, PRESETS["wikipedia"])
    table.look()
    table.move("p1", 1, 3)
    table.wait(1000)
    assert row_of_p1(table) == ["1:2C", "0:AS", "0:2S", "0:5H", "3:10S"]


def test_R38_two_equal_cards_moved_one_after_the_other_between_two_looks_are_followed() -> None:
    table = AtTheTable(STACKED, PRESETS["wikipedia"])
    table.look()
    table.rows["p1"][2] = [table.rows["p1"][0].pop(), table.rows["p1"][0].pop()]
    table.wait(1500)
    assert row_of_p1(table) == ["1:", "0:AS", "0:2S+2C", "0:5H", "3:10S"]
