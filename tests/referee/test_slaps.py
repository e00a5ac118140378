"""The end of a deal: cleared or blocked (R49, R50), slaps (R51 to R56), awards and counts (R57 to R70)."""

import pytest
from spoken import Table, position

from referee.game.announcements import Award, DeadHeat, DealOver, FalseSlap, GameOver, NextDeal, Stuck
from referee.game.phases import Phase

A_BUT_ONE = {"p1": "0:7S - - - -", "p2": "0:KD 1:4S 2:9C - -", "a": "8D*20", "b": "QC*15", "spit": (4, 6)}


def cleared(rules: str = "pagat", **laid: object) -> Table:
    """p1 has just played his last card on A: 21 cards there, 15 on B."""
    table = Table(rules, **(A_BUT_ONE | laid))
    assert table("p1 7S A") == ["legal"]
    assert table.said == [DealOver(reason="cleared", by="p1")]
    return table


def test_R52_different_piles_are_never_a_dispute() -> None:
    table = cleared()
    assert table("p1 slaps B", "p2 slaps A @0") == ["legal", "legal"]
    assert table.said[0] == Award(p1="B", p2="A")


def test_R57_R59_leftovers_are_added_and_the_next_deal_counted() -> None:
    table = cleared()
    table("p1 slaps B", "p2 slaps A @50")
    assert isinstance(table.said[1], NextDeal)
    deal = table.said[1]
    assert (deal.p1.cards, deal.p1.spit, deal.p2.cards, deal.p2.spit) == (19, 4, 33, 18)
    assert table.row("p1") == "1: 2: 3: 4: 5:"


@pytest.mark.parametrize("gap_ms", [0, 0.1])
def test_R53_slaps_within_the_resolution_are_a_dead_heat_and_nothing_is_decided(gap_ms: float) -> None:
    table = cleared()
    assert table("p1 slaps B", f"p2 slaps B @{gap_ms}") == ["dead_heat?", "dead_heat?"]
    assert (table.said, table.now.phase) == ([DeadHeat(pile="B")], Phase.SLAP)
    assert table("p2 slaps B", "p1 slaps B @5") == ["legal", "ignored"]


def test_R53_R55_the_first_slap_takes_its_pile_and_the_other_player_the_other() -> None:
    table = cleared()
    assert table("p2 slaps B", "p1 slaps B @0.101") == ["legal", "ignored"]
    assert table.said[0] == Award(p1="A", p2="B")


def test_R54_within_the_resolution_the_hand_underneath_was_first() -> None:
    assert cleared()("p1 slaps B", "p2 slaps B under @0.04") == ["ignored", "legal"]
    assert cleared()("p1 slaps B under", "p2 slaps B under @0.04") == ["dead_heat?", "dead_heat?"]


def test_R53_the_order_of_arrival_does_not_matter_inside_a_burst() -> None:
    table = cleared()
    late, early = table.event("p1 slaps B @900"), table.event("p2 slaps B @-300")
    _, said = table.judge.step([late, early])
    assert said[0] == Award(p1="A", p2="B")


def test_R53_an_unknown_hand_decides_nothing() -> None:
    table = cleared()
    assert table("unknown slaps B") == ["slapper_unknown?"]
    assert table.now.phase is Phase.SLAP


def test_R53_a_second_slap_of_the_same_player_and_all_after_the_award_are_nothing() -> None:
    table = cleared()
    assert table("p1 slaps B", "p1 slaps A @90", "p2 slaps B @10") == ["legal", "ignored", "ignored"]
    assert table("p2 slaps B") == ["ignored"]
    assert table.said == []


def test_R56_where_the_clearer_chooses_nobody_else_does() -> None:
    table = cleared(options={"pile_choice": "clearer_chooses"})
    assert table("p2 slaps B") == ["ignored"]
    assert table.said == []
    assert table("p2 slaps B", "p1 slaps B @50") == ["ignored", "legal"]
    assert table.said[0] == Award(p1="B", p2="A")


def test_R51_too_early_is_announced_and_changes_nothing() -> None:
    table = Table()
    assert table("p1 slaps A") == ["ignored"]
    assert table.said == [FalseSlap(who="p1")]


@pytest.mark.parametrize("gap_ms", [4, 250])
def test_R51_a_pad_feels_every_hard_play_before_and_after_it(gap_ms: int) -> None:
    after, before = Table(), Table()
    assert after("p1 7S A", f"p1 slaps A @{gap_ms}") == ["legal", "ignored"]
    assert before("p1 slaps A", f"p1 7S A @{gap_ms}") == ["ignored", "legal"]
    assert after.said == before.said == []


def test_R51_somebody_elses_card_or_the_other_pile_or_a_card_long_ago_is_no_excuse() -> None:
    for line in ("p2 slaps A @4", "p1 slaps B @4", "p1 slaps A @251"):
        table = Table()
        table("p1 7S A", line)
        assert [type(said) for said in table.said] == [FalseSlap]


def test_R51_the_last_card_itself_is_not_a_slap() -> None:
    table = cleared()
    assert table("p1 slaps A @4") == ["ignored"]
    assert (table.said, table.now.phase) == ([], Phase.SLAP)
    assert table("p1 slaps A @400") == ["legal"]


def test_R49_a_card_after_the_end_is_too_late_and_carries_no_blame_if_it_was_close() -> None:
    table = Table(p1="0:7S - - - -", p2="0:9C - - - -", b="KC")
    assert table("p1 7S A", "p2 9C A @4") == ["legal", "deal_is_over p2"]
    assert "it came 4 ms too late" in table.told[1]


def test_R49_two_last_cards_at_the_same_moment_both_stand_and_the_slap_decides() -> None:
    table = Table(p1="0:7S - - - -", p2="0:QC - - - -", b="KC", options={"pile_choice": "clearer_chooses"})
    assert table("p2 QC B", "p1 7S A @0") == ["legal", "legal"]
    assert len(table.said) == 1
    assert (table.now.A.top, table.now.B.top, table.now.cleared_by) == ("7S", "QC", None)
    assert table("p1 slaps B") == ["legal"]


def test_R49_two_last_cards_whose_order_nobody_saw_stand_on_two_piles_and_go_back_on_one() -> None:
    two = Table(p1="0:7S - - - -", p2="0:QC - - - -", b="KC")
    assert two("p1 7S A unordered", "p2 QC B unordered @1") == ["legal", "legal"]
    one = Table(p1="0:7S - - - -", p2="0:9C - - - -", b=None)
    assert one("p1 7S A unordered", "p2 9C A unordered @0") == ["order_unknown?", "order_unknown?"]
    assert one.now.phase is Phase.PLAY


def test_R50_blocked_without_spit_cards_ends_the_deal_with_a_slap() -> None:
    table = Table(p1="0:2S 1:QH", p2="0:KD 1:4S", a="8D*30", b="8C*16", spit=(0, 0))
    table("tick")
    assert table.said == [Stuck(), DealOver(reason="stuck_out")]
    assert table("p2 slaps B") == ["legal"]


def test_R65_R66_with_one_pile_the_first_out_takes_nothing_and_nobody_slaps() -> None:
    table = Table(p1="0:KD 1:4S - - -", p2="0:9C - - - -", a="8D*42", b=None, spit=(0, 6))
    assert table("p2 9C A", "p2 slaps A @300") == ["legal", "ignored"]
    assert table.said[:2] == [DealOver(reason="cleared", by="p2", piles=1), Award(p1="A", p2="none")]
    assert (table.now.phase, table.now.p1.count, table.now.p2.count) == (Phase.FIRST_SPIT, 46, 6)


def test_R63_a_late_card_of_a_one_pile_deal_is_too_late_first_and_too_early_then() -> None:
    table = Table(p1="0:KD 1:4S - - -", p2="0:9C - - - -", a="8D*42", b=None, spit=(0, 6))
    table("p2 9C A")
    assert table("p1 KD A @500") == ["deal_is_over p1"]
    assert table("p1 KD A @1") == ["not_started p1"]


def test_R68_R70_who_has_no_cards_left_wins() -> None:
    table = Table(p1="0:7S - - - -", p2="0:KD 1:4S 2:9C - -", a="8D*34", b=None, spit=(0, 11))
    table("p1 7S A")
    assert table.said[1:] == [Award(p1="none", p2="A"), GameOver(winner="p1")]
    assert table("p2 9C A", "p1 slaps A") == ["deal_is_over p2", "ignored"]


@pytest.mark.parametrize(("option", "taker"), [("more_cards_takes", "p1"), ("starter_takes", "p2")])
def test_R67_who_takes_the_single_pile_of_a_blocked_deal(option: str, taker: str) -> None:
    start = position(p1="0:2S 0:QH 0:10C", p2="0:KD 0:4S", a="8D*47", b=None, spit=(0, 0))
    table = Table(start=start, options={"one_pile_stuck": option})
    table("tick")
    assert getattr(table.said[2], taker) == "A"


def test_R82_in_bicycle_the_fewest_cards_win_and_equal_is_a_draw() -> None:
    for p2, winner in (("0:KD 0:4S - 0:JD", "p1"), ("0:KD - - 0:JD", "draw")):
        table = Table("bicycle", p1="0:2S - 0:3D -", p2=p2, b="8C", spit=(0, 0))
        table("tick")
        assert table.said == [Stuck(), GameOver(winner=winner)]


def test_R81_in_bicycle_who_plays_his_last_card_wins_at_once_unless_a_deck_is_left() -> None:
    won = Table("bicycle", p1="- 0:9H - -", p2="0:KD 0:4S 0:JC 0:JD", spit=(0, 9))
    won("p1 9H A")
    assert won.said == [GameOver(winner="p1")]
    on = Table("bicycle", p1="- 0:9H - -", p2="0:KD 0:4S 0:JC 0:JD", spit=(2, 9))
    on("p1 9H A")
    assert (on.said, on.judge.can("p1")) == ([], True)
