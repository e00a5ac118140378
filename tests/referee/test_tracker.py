"""The tracker at a table: plays, evidence, cards that go back, stuck, spits, slaps, corrections."""

import msgspec
import pytest
from at_the_table import MS, START, AtTheTable, kinds, rulings

from referee.observations import Correction, Recount, SensorBack, SensorLost, Undo
from referee.verdicts import (
    Award,
    Corrected,
    DeadHeat,
    DealOver,
    NextDeal,
    NotStuck,
    PlayJudged,
    RowJudged,
    SlapJudged,
    SpitCall,
    TakenBack,
)

STUCK = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["0:6C", "0:6S", "0:KC", "0:KS", "0:10S"], "spit": 10},
    "p2": {"row": ["0:10D", "0:6D", "0:10H", "0:KD", "0:6H"], "spit": 10},
    "middle": {"A": {"top": "8S", "count": 1, "started_by": "p1"}, "B": {"top": "3S", "count": 1, "started_by": "p2"}},
}
LAST = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["0:9C", "-", "-", "-", "-"], "spit": 5},
    "p2": {"row": ["0:4D", "1:6D", "2:9H", "3:QC", "4:QS"], "spit": 10},
    "middle": {"A": {"top": "8S", "count": 9, "started_by": "p1"}, "B": {"top": "JS", "count": 7, "started_by": "p2"}},
}


def test_R22_a_card_that_follows_is_legal_at_once_and_names_what_it_went_on() -> None:
    table = AtTheTable()
    table.look()
    [verdict] = [v for v in table.land("p2", 3, "A") if isinstance(v, PlayJudged)]
    assert (verdict.player, verdict.card, verdict.ruling, verdict.top) == ("p2", "9H", "legal", "8S")


def test_R22_a_card_that_does_not_follow_is_named_with_its_rule_and_a_sentence() -> None:
    table = AtTheTable()
    table.look()
    [verdict] = [v for v in table.land("p1", 3, "A") + table.wait(1000) if isinstance(v, PlayJudged)]
    assert (verdict.player, verdict.card, verdict.ruling, verdict.reason) == ("p1", "KC", "illegal", "not_adjacent")
    assert verdict.rule == "R22" and "king of clubs" in verdict.sentence


def test_a_misread_card_is_named_by_the_row_top_that_vanished() -> None:
    table = AtTheTable()
    table.look()
    assert rulings(table.land("p2", 3, "A", read="JD") + table.wait(2500)) == [("p2", "9H", "legal", None)]


def test_a_landing_that_was_not_read_is_named_by_the_row_top_that_vanished() -> None:
    table = AtTheTable()
    table.look()
    assert rulings(table.land("p2", 3, "A", read="??") + table.wait(2500)) == [("p2", "9H", "legal", None)]


def test_nobody_is_accused_while_the_rows_are_hidden() -> None:
    table = AtTheTable()
    table.look()
    table.look = lambda hidden=True: AtTheTable.look(table, True)
    told = table.land("p1", 3, "A") + table.wait(3000, hidden=True)
    assert [ruling for _, _, ruling, _ in rulings(told)] in ([], ["cannot_tell"])


def test_an_attribution_by_the_row_beats_a_doubtful_hand() -> None:
    table = AtTheTable()
    table.look()
    told = table.land("p2", 3, "A", hand={"p1": 0.6, "p2": 0.4}) + table.wait(2500)
    assert rulings(told) == [("p2", "9H", "legal", None)]


def test_R32_a_card_that_has_to_go_back_is_expected_and_its_return_is_seen() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")
    table.wait(500)
    [back] = [v for v in table.take_back("p1", "A", 3) if isinstance(v, TakenBack)]
    assert (back.card, back.was_due) == ("KC", True)
    assert rulings(table.land("p2", 3, "A") + table.wait(1000)) == [("p2", "9H", "legal", None)]


def test_R30_a_card_on_an_illegal_card_is_judged_on_the_last_that_counts() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")
    told = table.land("p2", 4, "A") + table.wait(2000)
    assert ("p2", "QC", "illegal", "on_illegal_card") in rulings(told)


def test_R34_R35_cards_turned_up_and_moved_are_read_from_the_row() -> None:
    table = AtTheTable()
    table.look()
    table.land("p2", 1, "B", after_ms=600)  # the 4 of diamonds does not follow the 4 of spades
    table.take_back("p2", "B", 1)
    table.land("p2", 3, "A")
    [turned] = [v for v in table.turn_up("p2", 3, "2H") if isinstance(v, RowJudged)]
    assert (turned.what, turned.place, turned.card) == ("turn_up", 3, "2H")


def test_R40_stuck_is_called_over_a_still_table_and_says_where_to_spit() -> None:
    table = AtTheTable(STUCK)
    told = table.wait(3000)
    assert "Stuck" in kinds(told)
    assert [v.onto for v in told if isinstance(v, SpitCall)] == [{"p1": "A", "p2": "B"}]


def test_R40_with_a_hidden_row_stuck_is_not_called() -> None:
    table = AtTheTable(STUCK)
    assert "Stuck" not in kinds(table.wait(4000, hidden=True))


@pytest.mark.parametrize("apart_ms", [30, 300])
def test_R41_spits_are_told_from_plays(apart_ms: int) -> None:
    table = AtTheTable(STUCK)
    table.wait(3000)
    told = table.spit("p1", "2H", "A") + table.spit("p2", "QD", "B", after_ms=apart_ms) + table.wait(1000)
    assert rulings(told) == [("p1", "2H", "legal", None), ("p2", "QD", "legal", None)]


def test_R41_a_spit_on_the_wrong_pile() -> None:
    table = AtTheTable(STUCK)
    table.wait(3000)
    told = table.spit("p2", "QD", "B") + table.spit("p1", "2H", "B", after_ms=400) + table.wait(2500)
    assert rulings(told)[0] == ("p2", "QD", "legal", None)
    assert rulings(told)[1][2:] in (("illegal", "wrong_pile"), ("cannot_tell", None))


def test_R46_a_call_too_early_names_who_can_play_and_no_card() -> None:
    table = AtTheTable()
    table.look()
    for player in ("p1", "p2"):
        table.slap(player, "A")
        table.slap(player, "B", after_us=20_000)
    table.let_go()
    [verdict] = [v for v in table.wait(2500) if isinstance(v, NotStuck)]
    assert verdict.who == ("p1", "p2")
    assert not any(card in str(msgspec.to_builtins(verdict)) for card in ("9H", "3S", "AS"))


def cleared() -> AtTheTable:
    table = AtTheTable(LAST)
    table.look()
    told = table.land("p1", 1, "A") + table.wait(600)
    assert [(v.reason, v.by) for v in told if isinstance(v, DealOver)] == [("cleared", "p1")]
    return table


def test_R53_the_first_slap_on_a_pile_takes_it_with_its_margin() -> None:
    table = cleared()
    told = table.slap("p1", "B") + table.slap("p2", "B", after_us=8_000) + table.let_go()
    [award] = [v for v in told if isinstance(v, Award)]
    assert (award.p1, award.p2, award.first, award.margin_us) == ("B", "A", "p1", 8000.0)
    [deal] = [v for v in told if isinstance(v, NextDeal)]
    assert deal.p1.cards + deal.p2.cards == 52


def test_R53_under_the_measured_uncertainty_it_is_a_dead_heat_and_they_slap_again() -> None:
    table = cleared()
    told = table.slap("p1", "B", 0, 200) + table.slap("p2", "B", 300, 200) + table.let_go()
    assert [(v.pile, v.margin_us, v.uncertainty_us) for v in told if isinstance(v, DeadHeat)] == [("B", 300.0, 400.0)]
    again = table.slap("p2", "B") + table.let_go()
    assert [v.p2 for v in again if isinstance(v, Award)] == ["B"]


def test_R52_slaps_on_different_piles_are_never_a_dispute() -> None:
    table = cleared()
    told = table.slap("p1", "A", 0, 500) + table.slap("p2", "B", 10, 500) + table.let_go()
    assert [(v.p1, v.p2) for v in told if isinstance(v, Award)] == [("A", "B")]


def test_R51_an_early_slap_is_said_and_a_hard_play_is_not() -> None:
    table = AtTheTable()
    table.look()
    table.slap("p1", "B")
    table.let_go()
    told = table.wait(1500)
    assert [(v.player, v.ruling) for v in told if isinstance(v, SlapJudged)] == [("p1", "false_slap")]
    table.land("p2", 3, "A")
    table.feed(table.fed[-1])
    table.slap("p2", "A", after_us=-190_000)
    assert not [v for v in table.wait(2000) if isinstance(v, SlapJudged)]


def test_before_the_slap_nothing_says_how_large_a_pile_is() -> None:
    table = cleared()
    assert not any("count" in str(msgspec.to_builtins(v)) for v in table.said)


def test_a_correction_of_a_card_is_judged_forward_and_said_once() -> None:
    table = AtTheTable()
    table.look()
    n = table.n + 1
    table.land("p1", 3, "A")
    table.wait(1000)
    told = table.feed(Correction(at_ns=table.now_ms * MS, of=n, card="9C", player="p1", by="page"))
    assert isinstance(told[0], Corrected) and told[0].was == "KC by p1 on A" and told[0].now == "9C by p1 on A"


def test_a_correction_of_something_unknown_says_nothing() -> None:
    table = AtTheTable()
    assert table.feed(Correction(at_ns=1, of=999, dismiss=True)) == []


def test_undo_takes_the_last_call_back() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")
    table.wait(1000)
    told = table.feed(Undo(at_ns=table.now_ms * MS))
    assert isinstance(told[0], Corrected) and told[0].now == "nothing"
    assert table.feed(Undo(at_ns=table.now_ms * MS + 1)) != told


def test_a_recount_changes_the_hidden_numbers() -> None:
    table = AtTheTable()
    table.feed(Recount(at_ns=MS, player="p1", spit=7, row=(1, 2, 3, 4, 6)))
    position = table.tracker.position
    assert position is not None and position.p1.packet == 7 and position.p1.row[4].down == 5


def test_a_lost_camera_pauses_and_its_return_resumes() -> None:
    table = AtTheTable()
    told = table.feed(SensorLost(at_ns=MS, sensor="camera", reason="the cable is out"))
    told += table.land("p1", 3, "A") + table.feed(SensorBack(at_ns=table.now_ms * MS, sensor="camera"))
    assert kinds(told)[0] == "Paused" and "Resumed" in kinds(told)
    assert not rulings(told)


def test_the_start_of_the_tests_is_a_whole_pack() -> None:
    position = AtTheTable(START).tracker.position
    assert position is not None and position.p1.count == 25
