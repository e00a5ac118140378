"""Simulated players: real cards, human timing, breaches that are what they say."""

from collections import Counter

import pytest

from referee.cards import PACK, Card
from referee.script import Deal, Lay, Script, Slap, SpitDown
from referee.simulated.players import HONEST, demo_script, play_deal, play_game
from referee.simulated.table import Lying, SimulatedTable, Stock, follows, row_sizes
from referee.table import Player


def intents(script: Script) -> Counter[str]:
    return Counter(a.intent for a in script.actions if isinstance(a, Lay | SpitDown | Slap))


@pytest.mark.parametrize("seed", range(4))
def test_R4_the_same_seed_plays_the_same_game_and_every_deal_has_the_whole_pack(seed: int) -> None:
    script = play_game(seed)
    assert script == play_game(seed)
    deals = [a for a in script.actions if isinstance(a, Deal)]
    for one, two in zip(deals[::2], deals[1::2], strict=True):
        cards = [card for deal in (one, two) for stock in (*deal.row, deal.spit) for card in stock]
        assert sorted(cards) == sorted(PACK)


def test_honest_players_break_no_rule_but_lose_races() -> None:
    seen = sum((intents(play_game(seed, HONEST)) for seed in range(5)), Counter())
    assert seen["beaten"] > 0
    assert not set(seen) - {"legal", "beaten", "call", "deal_is_over"}


def test_a_script_is_in_order_and_hands_need_time() -> None:
    script = play_game(3)
    times = [action.at_ns for action in script.actions]
    assert times == sorted(times)
    assert all(a.at_ns - a.start_ns >= 100_000_000 for a in script.actions if isinstance(a, Lay))


def test_every_breach_of_the_list_happens() -> None:
    seen = sum((intents(play_game(seed)) for seed in range(12)), Counter())
    wanted = {"not_adjacent", "not_your_card", "not_a_top_card", "two_cards", "pile_not_in_use", "deal_is_over",
              "false_slap", "wrong_pile", "on_illegal_card", "beaten", "not_started"}  # fmt: skip
    assert not wanted - set(seen)


def test_the_demo_shows_an_illegal_play_a_stuck_table_and_a_decided_slap() -> None:
    script = demo_script(1)
    seen = intents(script)
    assert script.end_ns <= 60_000_000_000
    assert seen.total() - seen["legal"] - seen["beaten"] - seen["call"] > 0
    assert sum(isinstance(a, SpitDown) for a in script.actions) >= 4
    assert sum(isinstance(a, Slap) and a.intent == "legal" for a in script.actions) == 2


def test_play_deal_ends_with_the_piles_gathered() -> None:
    assert sum(isinstance(a, Deal) for a in play_deal(5).actions) == 2


def test_R25_the_ring_of_ranks_and_R61_short_deals() -> None:
    assert follows(PACK[0], PACK[12]) and follows(PACK[0], PACK[1]) and not follows(PACK[0], PACK[0])
    assert row_sizes(10) == [1, 2, 3, 4, 0] and row_sizes(26) == [1, 2, 3, 4, 5]


def test_R63_a_player_without_spit_cards_leaves_one_middle_pile() -> None:
    table = SimulatedTable.dealt({"p1": list(PACK[:15]), "p2": list(PACK[15:])})
    assert table.piles == ("A",) and table.due == {"p2": "A"}


def test_R30_a_refused_card_that_was_lifted_off_excuses_only_who_was_under_way_already() -> None:
    """p1's king has to go back and is off the pile at 1 s; p2's queen would have followed it."""
    rows: dict[Player, list[Stock]] = {"p1": [Stock()], "p2": [Stock([Card("QH")], up=True)]}
    table = SimulatedTable(rows, {"p1": [], "p2": []}, phase="play")
    table.middle["A"] = [
        Lying(Card("8S"), "p1", "p1", 0, "legal", 0),
        Lying(Card("KC"), "p1", "p1", 1, "not_a_top_card", 0, lifted_ns=1_000_000_000),
    ]
    said = [table.what_the_rules_say("p2", "p2", Card("QH"), "A", ms * 1_000_000) for ms in (900, 1100, 1150)]
    assert said == ["on_illegal_card", "on_illegal_card", "not_adjacent"]
