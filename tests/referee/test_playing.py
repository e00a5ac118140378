"""Cards on the middle piles: R20 to R32, R71, and jokers (R5)."""

import pytest
from spoken import Table

from referee.cards import PACK
from referee.game.announcements import DealOver


def test_R22_a_card_goes_on_its_neighbours_and_a_refused_card_changes_nothing() -> None:
    table = Table(p1="0:7S 0:9S 0:10S 0:8S 0:QS", a="8D")
    before = table.now
    assert table("p1 10S A") == ["not_adjacent p1"]
    assert (table.now.A.top, table.now.A.count, table.now.p1.row) == ("8D", 1, before.p1.row)
    assert table("p1 8S A") == ["not_adjacent p1"]  # R23
    assert table("p1 7S A") == ["legal"]
    assert table.row("p1") == "- 0:9S 0:10S 0:8S 0:QS"


def test_R22_the_sentence_names_the_cards_and_the_distance() -> None:
    table = Table()
    table("p1 10C A")
    assert table.told == [
        "Player 1, take the 10 of clubs back from pile A: "
        "it is 2 ranks away from the 8 of diamonds and must be one rank away."
    ]


@pytest.mark.parametrize(("card", "top", "ruling"), [("AS", "KD", "legal"), ("AS", "2D", "legal"), ("KS", "2D", "no")])
def test_R25_the_ace_is_next_to_king_and_two_and_the_ring_goes_no_further(card: str, top: str, ruling: str) -> None:
    table = Table(p1=f"0:{card} 1:5H", a=top, b="9C")
    assert table(f"p1 {card} A") == ["legal" if ruling == "legal" else "not_adjacent p1"]


def test_R20_only_the_top_of_your_own_piles() -> None:
    table = Table(p1="0:7S 1:QH 2:3D 3:10C 1:9H+9S")
    assert table("p1 9C A") == ["not_your_card p1"]
    assert table("p1 9H A") == ["not_a_top_card p1"]  # it lies under the 9 of spades
    assert table("p1 9D A") == ["not_a_top_card p1"]  # no face-down top it could have been
    assert table("p1 9S A") == ["legal"]
    assert table.row("p1") == "0:7S 1:QH 2:3D 3:10C 1:9H"


def test_R20_a_card_nobody_saw_may_have_been_turned_in_the_hand_or_have_lain_there_unread() -> None:
    turned = Table(p1="0:7S 2: 2:3D 3:10C 4:5H")
    assert turned("p1 9D A") == ["legal"]
    assert turned.row("p1") == "0:7S 1: 2:3D 3:10C 4:5H"
    unread = Table(p1="0:7S 1:QH 2:?? 3:10C 4:5H")
    assert unread("p1 9D A") == ["legal"]
    assert unread.row("p1") == "0:7S 1:QH 2: 3:10C 4:5H"


def test_R4_a_card_that_lies_in_the_middle_cannot_land_again() -> None:
    table = Table(p1="0:7S 2: 2:3D 3:10C 4:5H", b="10S")
    assert table("p2 9C A") == ["legal"]
    assert table("p1 9C B") == ["misread?"]
    assert table.now.must_go_back == ()


def test_R26_one_card_at_a_time_and_all_of_them_go_back() -> None:
    table = Table(p1="0:9S 1:10H 2:3D 3:10C 4:5H")
    assert table("p1 9S+10H A") == ["two_cards p1"]
    assert [lying.card for _, lying in table.now.must_go_back] == ["9S", "10H"]
    assert table("p1 takes 10H A", "p1 takes 9S A") == ["nothing", "nothing"]
    assert table.now.must_go_back == ()


def test_R27_the_other_hand_must_wait_400_ms_and_what_was_not_seen_is_not_held_against_anybody() -> None:
    table = Table(p1="0:7S 1:QH 2:6D 3:10C 4:5H", b="JC")
    assert table("p1 7S A R", "p1 QH B L @399") == ["legal", "two_hands p1"]
    assert "399 ms" in table.told[1]
    table = Table(p1="0:7S 1:QH 2:6D 3:10C 4:5H", b="JC")
    assert table("p1 7S A R", "p1 QH B L @400", "p1 6D A @1") == ["legal", "legal", "legal"]


def test_R28_both_hands_where_both_agreed() -> None:
    table = Table(options={"hands": "both"}, b="JC")
    assert table("p1 7S A R", "p1 QH B L @10") == ["legal", "legal"]


def test_R29_a_touch_counts_and_nobody_takes_it_back() -> None:
    table = Table()
    assert table("p1 7S A beside") == ["ignored"]
    assert table("p1 7S A") == ["legal"]
    assert table("p1 takes 7S A") == ["card_was_played p1"]
    assert table.now.A.top == "7S"


def test_R31_who_comes_second_within_the_race_window_is_beaten_without_blame() -> None:
    table = Table()
    assert table("p1 7S A", "p2 9C A @500") == ["legal", "beaten p2"]
    assert table.told[1].startswith("Player 2, no fault")
    table = Table()
    assert table("p1 7S A", "p2 9C A @501") == ["legal", "not_adjacent p2"]


def test_R31_a_card_is_beaten_also_by_two_quick_cards_of_the_other_player() -> None:
    table = Table(p1="0:7S 1:6H 2:3D 3:10C 4:5H")
    assert table("p1 7S A", "p1 6H A @150", "p2 9C A @100") == ["legal", "legal", "beaten p2"]


def test_R31_nobody_races_himself_nor_a_top_that_he_covered_since() -> None:
    table = Table(p1="0:7S 1:9H 2:3D 3:10C 4:5H", p2="0:6C 1:4S 2:9C 3:JD 4:2H")
    assert table("p1 7S A", "p1 9H A @100") == ["legal", "not_adjacent p1"]
    assert table("p2 6C A @100", "p2 9C A @100") == ["legal", "not_adjacent p2"]


def test_R31_cards_that_nobody_can_order_both_go_back_and_nobody_is_named_for_it() -> None:
    table = Table()
    assert table("p1 7S A unordered", "p2 9C A unordered @0") == ["order_unknown?", "order_unknown?"]
    assert table.now.A.top == "8D"
    assert len(table.now.must_go_back) == 2


def test_R31_order_does_not_matter_on_different_piles() -> None:
    table = Table()
    assert table("p1 7S A unordered", "p2 KD B unordered @0") == ["legal", "legal"]


def test_R30_building_on_an_illegal_card_is_no_fault_but_goes_back_too() -> None:
    table = Table(p2="0:6C 1:4S 2:9C 3:JD 4:2H")
    assert table("p1 5H A", "p2 6C A @300") == ["not_adjacent p1", "on_illegal_card p2"]
    assert table.now.A.physical_top == "6C"
    assert table("p1 7S A") == ["legal"]
    assert table.now.A.physical_top == "7S"  # the two others lie under it and still have to go back
    assert [lying.card for _, lying in table.now.must_go_back] == ["5H", "6C"]


def test_R30_an_illegal_card_deeper_down_does_not_excuse_anybody() -> None:
    table = Table(p2="0:6C 1:4S 2:9C 3:JD 4:2H")
    assert table("p1 5H A", "p2 9C A") == ["not_adjacent p1", "legal"]
    assert table("p2 6C A") == ["not_adjacent p2"]


def test_R32_a_beaten_card_that_is_played_elsewhere_lies_here_no_longer() -> None:
    table = Table(b="10S")
    assert table("p1 7S A", "p2 9C A @6", "p2 9C B") == ["legal", "beaten p2", "legal"]
    assert table.now.must_go_back == ()


def test_R6_an_unread_card_makes_two_landings_undecided_and_then_all_is_known_again() -> None:
    table = Table(p1="0:7S 1:QH 2:3D 3:6D 4:5H", p2="0:KD 1:4S 2:9C 3:5C 4:2H")
    assert table("p1 ?? A 1", "p2 5C A", "p1 6D A") == ["unread?", "unread_top?", "legal"]
    assert table.now.A.count == 4
    assert table.now.in_game == table.now.total


def test_R22_an_unread_card_that_is_read_before_it_is_covered_is_judged_then() -> None:
    table = Table()
    assert table("p1 ?? A 1", "unknown shows A 7S") == ["unread?", "nothing"]
    assert table.now.A.top == "7S"
    table = Table()
    assert table("p1 ?? A 1", "unknown shows A 3C") == ["unread?", "not_adjacent p1"]
    assert (table.now.A.top, table.row("p1")[:4]) == ("8D", "0:3C")


def test_R49_an_unread_last_card_leaves_the_end_open_until_it_is_read() -> None:
    table = Table(p1="0:7S - - - -", p2="0:KS 0:QS - - -", a="8D", b="4C")
    assert table("p1 ?? A") == ["unread?"]
    assert table.judge.can("p1") is None
    assert table.said == []  # p2 cannot play, but it is not known whether p1 is out
    assert table("unknown shows A 7S") == ["nothing"]
    assert table.said == [DealOver(reason="cleared", by="p1")]


def test_R71_colours_alternate_where_the_house_says_so() -> None:
    table = Table(options={"colours": "alternate"}, p1="0:7H 0:7S 1:QH", a="8D")
    assert table("p1 7H A") == ["same_colour p1"]
    assert table("p1 7S A") == ["legal"]


def test_R71_a_card_that_is_read_only_while_it_lies_is_refused_for_its_colour_too() -> None:
    table = Table(options={"colours": "alternate"}, p1="0:?? 0:7S 1:QH", a="8D")
    assert table("p1 ?? A 1", "unknown shows A 7H") == ["unread?", "same_colour p1"]
    assert table.told[1].endswith("red and black alternate, and the 8 of diamonds has the same colour.")


def test_R5_a_joker_goes_on_anything_and_anything_on_a_joker() -> None:
    table = Table(options={"jokers": "wild"}, p1="0:X1 1:QH 1:5H", p2="0:X2 1:2H 1:6C")
    assert table("p1 X1 A", "p2 X2 A @5", "p1 QH A") == ["legal", "legal", "legal"]
    table = Table(p1="0:X1 1:QH 1:5H")
    assert table("p1 X1 A") == ["not_adjacent p1"]


def test_R20_a_card_nobody_was_seen_to_play_belongs_to_the_only_row_that_shows_it() -> None:
    table = Table()
    assert table("unknown 9C A") == ["legal"]
    assert table.row("p2") == "0:KD 1:4S 2: 3:JD 4:2H"
    assert table("unknown 10C B") == ["not_adjacent p1"]
    assert table("unknown 3S B") == ["not_adjacent unknown"]


def test_R72_twins_of_two_packs_name_nobody() -> None:
    table = Table("bicycle", p1="0:9C 0:QH 0:3D 0:10C", p2="0:KD 0:4S 0:9C 0:JD", b="10S")
    assert table("unknown 9C A") == ["legal"]
    assert table.now.in_game == table.now.total


def test_R29_an_unread_card_taken_back_is_judged_by_what_it_turns_out_to_be() -> None:
    for taken, ruling, row in (("??", "nothing", "0:??"), ("3C", "nothing", "0:3C"), ("7S", "card_was_played p1", "-")):
        table = Table()
        assert table("p1 ?? A 1", f"p1 takes {taken} A") == ["unread?", ruling]
        assert table.row("p1").split()[0] == row
        assert table.now.in_game == table.now.total


@pytest.mark.parametrize("who", ["unknown", "p1"])
def test_R6_an_unread_card_from_nobody_knows_where_is_counted_once_also_when_it_goes_back(who: str) -> None:
    table = Table()
    assert table(f"{who} ?? A") == ["unread?"]
    assert (table.now.A.count, table.now.in_game) == (2, table.now.total)
    assert table("unknown shows A 3C") == [f"not_adjacent {who}"]
    assert (table.now.A.count, table.now.in_game) == (1, table.now.total)
    assert table.row("p1") == "0:7S 1:QH 2:3D 3:10C 4:5H"


def test_R6_a_second_unread_card_can_no_longer_be_judged_but_its_face_is_taken_in() -> None:
    table = Table()
    assert table("p1 ?? A 1", "p2 ?? A 3") == ["unread?", "unread?"]
    assert table("unknown shows A 3C", "unknown shows A ??") == ["nothing", "nothing"]
    assert table.now.A.top == "3C"
    assert table("p2 takes 9D A") == ["nothing"]


def test_R6_an_unread_card_that_was_covered_is_still_judged_when_a_picture_tells_what_it_was() -> None:
    table = Table(p1="0:7S - - - -", p2="0:KD 1:4S 2:9C 3:5C 4:2H")
    assert table("p1 ?? A", "p2 5C A") == ["unread?", "unread_top?"]
    assert table("unknown shows A 3C") == ["not_adjacent p1"]
    assert (table.now.A.top, table.row("p1"), table.now.A.count) == ("5C", "0:3C - - - -", 2)


def test_R20_the_place_that_a_card_was_seen_to_leave_tells_equal_guesses_apart() -> None:
    table = Table(p1="0:7S 2: 3: 3:10C 4:5H")
    assert table("p1 9D A 3") == ["legal"]
    assert table.row("p1") == "0:7S 2: 2: 3:10C 4:5H"
    assert table("p1 10H A 1") == ["legal"]  # 7S lies there, so it was the first that lay face down
    assert table.row("p1") == "0:7S 1: 2: 3:10C 4:5H"


def test_R20_an_unseen_card_that_only_one_row_can_have_held_leaves_that_row_and_names_nobody() -> None:
    table = Table(p1="0:7S 2: 2:3D 3:10C 4:5H")
    assert table("unknown 9D A") == ["legal"]
    assert table.row("p1") == "0:7S 1: 2:3D 3:10C 4:5H"
    both = Table(p1="0:7S 2: 2:3D", p2="0:KD 2: 2:JC")
    assert both("unknown 9D A") == ["legal"]
    assert both.now.in_game == both.now.total


def test_R83_in_speed_a_card_comes_from_the_hand_or_was_drawn_in_passing() -> None:
    table = Table("speed", p1="", p2="", spit=(2, 9))  # empty hands, two cards in the stock of p1
    assert table("p1 9C A") == ["legal"]
    assert table.now.p1.packet == 1
    assert table("p1 9C B", "unknown 10C A") == ["misread?", "legal"]
    assert table.now.in_game == table.now.total


def test_R83_an_unread_card_of_speed_goes_back_to_the_hand_it_came_from() -> None:
    table = Table("speed", p1="", p2="", spit=(2, 9))
    assert table("p1 ?? A", "unknown shows A 3C") == ["unread?", "not_adjacent p1"]
    assert (table.now.p1.packet, table.now.p1.hand, table.now.A.count) == (2, 0, 1)
    assert table.now.in_game == table.now.total


def test_R72_of_two_twins_only_the_one_that_was_beaten_goes_back() -> None:
    table = Table("bicycle", p1="0:9C 0:QH 0:3D 0:10C", p2="0:KD 0:4S 0:9C 0:JD")
    assert table("p1 9C A", "p2 9C A @5") == ["legal", "beaten p2"]
    assert table("p1 takes 9C A") == ["card_was_played p1"]
    assert table("p2 takes QH A", "p2 takes 9C A") == ["nothing", "nothing"]
    assert table.now.must_go_back == ()


def test_R5_two_jokers_that_nobody_tells_apart_leave_the_place_they_were_seen_to_leave() -> None:
    table = Table(options={"jokers": "wild"}, p1="0:JK 1:QH 2:JK 3:10C 4:5H")
    assert table("p1 JK A 3") == ["legal"]
    assert table.row("p1") == "0:JK 1:QH 2: 3:10C 4:5H"
    assert table("p1 JK A 2") == ["legal"]  # QH lies there, so it was the other one
    assert table.row("p1") == "- 1:QH 2: 3:10C 4:5H"


def test_R49_a_last_card_that_is_read_after_the_other_player_ended_the_deal_ends_nothing_any_more() -> None:
    table = Table(p1="0:7S - - - -", p2="0:KD - - - -")
    assert table("p1 ?? A", "p2 KD B") == ["unread?", "legal"]
    assert table.said == [DealOver(reason="cleared", by="p2")]
    assert table("unknown shows A 7S") == ["nothing"]
    assert table.said == []


def test_R4_only_what_was_seen_there_is_known_to_lie_in_the_middle() -> None:
    table = Table(p1="0:3S 2: 0:7S", a="2D", b="8D")
    assert table("p1 3S A", "p1 7S B") == ["legal", "legal"]
    assert {card for card in PACK if table.now.knows_in_middle(card)} == {"2D", "8D", "3S", "7S"}
