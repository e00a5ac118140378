"""Spit: the start (R16), the call when nobody can play (R40), whose card goes where (R41 to R45), agreement (R46)."""

import pytest
from spoken import Table

from referee.cards import Card
from referee.game.announcements import DealOver, NotStuck, SpitCall, Stuck
from referee.game.phases import Phase
from referee.game.position import Middle, Position, Side
from referee.rules.deals import OWN_PILE
from referee.rules.rows import parse_row
from referee.table import Player

STUCK1 = "0:2S 1:QH 2:3D 3:10C 4:5H"
STUCK2 = "0:KD 1:4S 2:JC 3:6D 4:2H"
CALL = SpitCall(onto={"p1": "A", "p2": "B"})


def stuck(rules: str = "pagat", **laid: object) -> Table:
    return Table(rules, **({"p1": STUCK1, "p2": STUCK2, "a": "8D", "b": "8C"} | laid))


def before_the_first_spit(p1_due: tuple[str, ...] = ("A",), p2_due: tuple[str, ...] = ("B",)) -> Position:
    def side(row: str, due: tuple[str, ...]) -> Side:
        return Side(row=parse_row(row.split()), packet=11 if due else 0, due=due)

    return Position(phase=Phase.FIRST_SPIT, p1=side(STUCK1, p1_due), p2=side("0:KD 1:4S 2:9C 3:JD 4:2H", p2_due))


def test_R16_nothing_is_played_before_both_piles_are_started() -> None:
    table = Table(start=before_the_first_spit())
    assert table("p2 9C A") == ["not_started p2"]
    assert table("p1 spits 8D A", "p2 9C A") == ["legal", "not_started p2"]
    assert table("p2 spits AC B", "p2 9C A") == ["legal", "legal"]
    assert (table.now.p1.packet, table.now.p2.packet, table.now.phase) == (10, 10, Phase.PLAY)


def test_R16_the_first_spit_waits_as_long_as_it_takes_and_counts_the_cards_once() -> None:
    table = Table(start=before_the_first_spit())
    assert table("p1 spits 8D A", "p1 spits 9D A", "p2 spits AC A") == ["legal", "already_spat p1", "wrong_pile p2"]
    assert table.now.A.count == 1
    assert [lying.card for _, lying in table.now.must_go_back] == ["9D", "AC"]


def test_R40_stuck_is_called_as_soon_as_it_is_so_and_only_once() -> None:
    table = stuck()
    table("tick")
    assert table.said == [Stuck(), CALL]
    table("tick")
    assert table.said == []


def test_R40_a_spit_card_before_anybody_called_counts_if_it_is_stuck() -> None:
    table = stuck()
    assert table("p1 spits 9H A") == ["legal"]
    assert table.said == [Stuck(), CALL]


def test_R40_a_spit_while_somebody_can_play_goes_back() -> None:
    table = Table()
    assert table("p2 spits 6H B") == ["not_stuck p2"]
    assert (table.now.B.top, table.now.p2.packet) == ("AC", 10)
    assert table("p2 takes 6H B") == ["nothing"]


def test_R40_both_call_too_early_and_only_a_name_is_said() -> None:
    table = stuck(b="4C")  # 3D and 5H of p1 play on it
    table("p1 calls")
    assert table.said == []
    table("p2 calls")
    assert table.said == [NotStuck(who=("p1",))]


def test_R40_a_call_is_forgotten_when_somebody_plays() -> None:
    table = stuck(b="4C")
    table("p1 calls", "p1 5H B", "p2 calls")
    assert table.said == []


def test_R40_with_an_unread_top_the_referee_waits_and_believes_both_players() -> None:
    row = "0:2S 1:QH 2:?? 3:10C 4:5H"
    waits = stuck(p1=row)
    waits("tick")
    assert (waits.said, waits.judge.can("p1"), waits.judge.can("p2")) == ([], None, False)
    waits("both calls")
    assert waits.said == [CALL]
    spat = stuck(p1=row)
    assert spat("p1 spits 9H A") == ["unread?"]
    assert (spat.now.A.top, spat.now.phase) == ("9H", Phase.SPIT)


def test_R41_everybody_spits_on_the_pile_he_started_and_once_for_each_call() -> None:
    table = stuck()
    table("tick")
    assert table("p1 spits 8H B") == ["wrong_pile p1"]
    assert table.told == ["Player 1, take the 8 of hearts back from pile B: your spit card goes on A."]
    assert table("p1 spits 8H A", "p1 spits 9H A") == ["legal", "already_spat p1"]
    assert table("p2 spits 8S B") == ["legal"]
    assert table.said == [Stuck(), CALL]  # the new cards did not help (R48)


@pytest.mark.parametrize("start", [True, False])
def test_R42_crossed_spits_stand_as_long_as_each_pile_gets_one(start: bool) -> None:
    table = Table("wikipedia", start=before_the_first_spit()) if start else stuck("wikipedia")
    table("tick")
    assert table("p1 spits 6H B", "p2 spits 6S B", "p2 spits 6S A") == ["legal", "wrong_pile p2", "legal"]
    assert (table.now.A.top, table.now.B.top, table.now.phase) == ("6S", "6H", Phase.PLAY)


def test_R41_unseen_hands_are_accepted_as_long_as_each_pile_gets_one() -> None:
    table = stuck()
    table("tick")
    assert table("unknown spits 6H A", "unknown spits 7H A", "unknown spits 6S B") == [
        "legal",
        "wrong_pile unknown",
        "legal",
    ]
    assert (table.now.p1.packet, table.now.p2.packet) == (9, 9)


def test_R43_R44_the_lone_spitter_chooses_once_and_keeps_his_pile() -> None:
    table = stuck(options={"solo_spit": "chosen_pile"}, spit=(0, 5))
    table("tick")
    assert table.said[-1] == SpitCall(onto={"p2": "any"})
    assert table("p1 spits 8H A") == ["not_your_spit p1"]
    assert table("p2 spits 8H A") == ["legal"]
    assert table.said[-1] == SpitCall(onto={"p2": "A"})
    assert table("p2 spits 8S B") == ["wrong_pile p2"]


def test_R29_a_card_played_between_the_two_spits_stands() -> None:
    table = stuck()
    table("tick")
    assert table("p1 spits 3C A", "p2 4S A", "p2 spits 7H B") == ["legal", "legal", "legal"]
    assert table.now.phase is Phase.PLAY


def test_R49_who_clears_between_the_two_spits_ends_the_deal() -> None:
    table = stuck(p2="0:4S - - - -")
    table("tick")
    assert table("p1 spits 3C A", "p2 4S A", "p2 spits 7H B") == ["legal", "legal", "deal_is_over p2"]
    assert table.said == [DealOver(reason="cleared", by="p2")]
    assert table.now.phase is Phase.SLAP


def test_R46_two_spit_cards_within_a_second_are_an_agreement_where_players_may_agree() -> None:
    assert Table()("p1 spits 4D A", "p2 spits 6D B @600") == ["not_stuck p1", "not_stuck p2"]
    assert Table("wikipedia")("p1 spits 4D A", "p2 spits 6D B @1000") == ["legal", "legal"]
    assert Table("wikipedia")("p1 spits 4D A", "p2 spits 6D B @1001") == ["not_stuck p1", "not_stuck p2"]
    assert Table("wikipedia")("p1 spits 4D A", "p1 spits 6D A @600") == ["not_stuck p1", "not_stuck p1"]


def test_R46_the_second_half_of_an_agreement_makes_the_first_one_count_also_when_it_comes_later() -> None:
    together, apart = Table("wikipedia"), Table("wikipedia")
    together("p1 spits 4D A", "p2 spits 6D B @600")
    assert apart("p1 spits 4D A") == ["not_stuck p1"]
    assert apart("p2 spits 6D B @600") == ["legal"]
    for table in (together, apart):
        assert (table.now.A.top, table.now.B.top, table.now.phase) == ("4D", "6D", Phase.PLAY)
        assert (table.now.p1.packet, table.now.p2.packet, table.now.must_go_back) == (9, 9, ())


def test_R88_in_speed_only_the_players_know_and_used_up_outer_stacks_are_renewed() -> None:
    start = Position(
        phase=Phase.PLAY,
        p1=Side(hand=5, packet=3),
        p2=Side(hand=5, packet=3),
        A=Middle(top=Card("8D"), count=20),
        B=Middle(top=Card("AC"), count=16),
    )
    table = Table("speed", start=start)
    table("tick", "p1 calls")
    assert (table.said, table.judge.can("p1")) == ([], None)
    table("p2 calls")
    assert table.said == [CALL]
    assert (table.now.A.outer, table.now.B.outer, table.now.A.count) == (19, 15, 1)
    assert table("p1 spits 4D A", "p2 spits 6D B") == ["legal", "legal"]
    assert table.now.in_game == table.now.total


def test_R88_in_speed_one_spit_card_is_too_early_and_two_within_a_second_are_a_call() -> None:
    middle = {"A": Middle(top=Card("8D"), count=9, outer=5), "B": Middle(top=Card("AC"), count=9, outer=5)}
    start = Position(phase=Phase.PLAY, p1=Side(hand=5, packet=7), p2=Side(hand=5, packet=7), **middle)
    table = Table("speed", start=start)
    assert table("p1 spits 4D A") == ["not_stuck p1"]
    table = Table("speed", start=start)
    assert table("p1 spits 4D A", "p2 spits 6D B @500") == ["legal", "legal"]
    assert (table.now.A.outer, table.now.B.outer) == (4, 4)


def test_R46_the_first_half_of_a_late_agreement_on_the_wrong_pile_still_goes_back() -> None:
    table = Table(options={"spit_when": "stuck_or_agreed"})
    assert table("p1 spits 4D B") == ["not_stuck p1"]
    assert table("p2 spits 6D B @600") == ["legal"]
    assert (table.now.B.top, table.now.p1.due, table.now.phase) == ("6D", ("A",), Phase.SPIT)


@pytest.mark.parametrize(("first", "second"), [("p1", "p2"), ("p2", "p1")])
def test_R46_of_two_cards_that_came_too_soon_the_one_on_his_own_pile_is_his_half(first: Player, second: Player) -> None:
    table, own, other = Table(options={"spit_when": "stuck_or_agreed"}), OWN_PILE[first], OWN_PILE[second]
    assert table(f"{first} spits 4D {other}") == [f"not_stuck {first}"]
    assert table(f"{first} spits 5D {own} @100") == [f"not_stuck {first}"]
    assert table(f"{second} spits 6D {other} @600") == ["legal"]
    assert (table.now.middle(own).top, table.now.middle(other).top, table.now.phase) == ("5D", "6D", Phase.PLAY)
    assert [lying.card for _, lying in table.now.must_go_back] == ["4D"]


def test_R46_who_will_not_play_but_has_nothing_to_spit_with_changes_nothing() -> None:
    table = Table("wikipedia", spit=(0, 0))
    assert table("both calls") == ["nothing"]
    assert (table.said, table.now.phase) == ([], Phase.PLAY)


def test_R40_a_call_after_the_deal_is_over_is_only_a_word() -> None:
    table = Table(p1="0:7S - - - -")
    assert table("p1 7S A", "both calls") == ["legal", "nothing"]
