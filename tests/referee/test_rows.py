"""Moves within a row (R34 to R38), lay-outs (R8, R59, R61), Bicycle's refill (R76, R77) and Speed's draw (R83)."""

import pytest
from spoken import Table, position

from referee.game.phases import Phase
from referee.game.position import Position, Side
from referee.rules.rows import Stock, parse_row


def waiting(row: str, spit: int) -> Position:
    """A table before the first spit."""
    side = Side(row=parse_row(row.split()), packet=spit, due=("A",))
    return Position(phase=Phase.FIRST_SPIT, p1=side, p2=Side(row=parse_row(["1:", "2:", "3:", "4:", "5:"]), packet=11))


def test_R34_only_a_face_down_top_may_be_turned_up() -> None:
    table = Table(p1="0:7S 2: 2:3D 3:10C 4:5H")
    assert table("p1 turns 3 6H") == ["nothing_to_turn p1"]
    assert table("p1 turns 6 6H") == ["nothing_to_turn p1"]
    assert table("p1 turns 2 JS") == ["legal"]
    assert table.row("p1") == "0:7S 1:JS 2:3D 3:10C 4:5H"


def test_R35_a_top_may_go_into_a_space_and_nowhere_else() -> None:
    table = Table(p1="- 2:QH 3: 3:10C 4:5H")
    assert table("p1 moves QH 2-4") == ["space_not_empty p1"]
    assert table("p1 moves ?? 3-1") == ["face_down_card p1"]
    assert table("p1 moves 3D 2-1") == ["not_a_top_card p1"]
    assert table("p1 moves QH 2-2") == ["nothing"]
    assert table("p1 moves QH 2-1") == ["legal"]
    assert table.row("p1") == "0:QH 2: 3: 3:10C 4:5H"


def test_R37_never_more_piles_than_the_lay_out_has() -> None:
    assert Table()("p1 moves 5H 5-6") == ["too_many_piles p1"]
    four = Table(options={"piles": 4}, p1="0:7S 1:QH 2:3D 3:10C", p2="0:KD 1:4S 2:9C 3:JD")
    assert four("p1 moves 10C 4-5") == ["too_many_piles p1"]
    assert four.told == ["Player 1, 5 piles are too many: a row has 4 at most."]


def test_R38_equal_tops_are_stacked_only_where_the_house_says_so() -> None:
    row = "0:7S 1:7H 2:3D 3:10C 4:5H"
    assert Table(p1=row)("p1 moves 7S 1-2") == ["space_not_empty p1"]
    table = Table("wikipedia", p1=row)
    assert table("p1 moves 7S 1-3") == ["space_not_empty p1"]
    assert table("p1 moves 7S 1-2") == ["legal"]
    assert table.row("p1") == "- 1:7H+7S 2:3D 3:10C 4:5H"


def test_R38_stacking_on_a_card_that_was_not_read_cannot_be_judged() -> None:
    table = Table("wikipedia", p1="0:7S 1:?? 2:3D 3:10C 4:5H")
    assert table("p1 moves 7S 1-2") == ["unread?"]
    assert table.row("p1") == "0:7S 1:?? 2:3D 3:10C 4:5H"


def test_R34_a_face_that_is_read_later_is_what_lies_there() -> None:
    table = Table(p1="0:7S 1:?? 2: 3:10C 4:5H")
    table("p1 shows 2 QH", "p1 shows 3 3D", "p1 shows 5 6H", "p1 shows 9 2H")
    assert table.row("p1") == "0:7S 1:QH 1:3D 3:10C 4:6H"


def test_after_the_deal_the_players_gather_their_cards_as_they_like() -> None:
    table = Table(p1="0:7S - - - -")
    table("p1 7S A")
    assert table.now.phase is Phase.SLAP
    assert table("p2 moves KD 1-2", "p2 turns 2 3S") == ["nothing", "nothing"]


@pytest.mark.parametrize(
    ("tops", "ruling", "row"),
    [
        ("KH 10D 9S", "layout_mismatch p1", "1: 2: 3: 4: -"),
        ("KH 10D 9S 8C", "legal", "0:KH 1:10D 2:9S 3:8C -"),  # pile by pile
        ("KH 10D 9S 8C AH", "legal", "0:KH 1:10D 2:9S 1:8C 1:AH"),  # row by row, accepted because it lies there
        ("KH 10D 9S 8C AH 2H", "too_many_piles p1", "1: 2: 3: 4: -"),
    ],
)
def test_R61_ten_cards_fit_a_row_of_four_or_five_tops(tops: str, ruling: str, row: str) -> None:
    table = Table(start=waiting("1: 2: 3: 4: -", 0))
    assert table(f"p1 lays {tops}") == [ruling]
    assert table.row("p1") == row


def test_R61_the_sentence_says_which_numbers_of_piles_fit() -> None:
    table = Table(start=waiting("1: 2: 3: 4: -", 0))
    table("p1 lays KH 10D 9S")
    assert table.told == ["Player 1, a row of 3 does not fit 10 cards: lay out 4 or 5 piles."]


def test_R76_R77_a_gap_is_filled_from_the_deck_and_never_a_fifth_card() -> None:
    table = Table("bicycle", p1="- 0:QH 0:3D 0:10C", p2="0:KD 0:4S 0:9C 0:JD", spit=(1, 40))
    assert table("p1 refills 2 9H") == ["row_full p1"]
    assert table("p1 refills 5 9H") == ["row_full p1"]
    assert table("p1 refills 1 9H") == ["legal"]
    assert (table.row("p1"), table.now.p1.packet) == ("0:9H 0:QH 0:3D 0:10C", 0)
    table("p1 9H A")
    assert table("p1 refills 1 9D") == ["nothing_to_turn p1"]  # the deck is gone (R79)


def test_R76_a_card_laid_and_played_at_once_is_accepted_past_a_gap_only() -> None:
    p2 = "0:KD 0:4S 0:9C 0:JD"
    assert Table("bicycle", p1="0:7S 0:QH 0:3D 0:10C", p2=p2)("p1 9H A") == ["not_a_top_card p1"]
    table = Table("bicycle", p1="- 0:QH 0:3D 0:10C", p2=p2)
    assert table("p1 9H A") == ["legal"]
    assert table.now.p1.packet == 9


def test_a_stock_pile_is_written_as_it_is_read() -> None:
    for text in ("-", "3:", "0:9S", "2:9S", "1:7H+7S", "0:??"):
        assert [str(stock) for stock in parse_row([text])] == [text]
    assert parse_row(["1:7H+7S"]) == (Stock(1, ("7H", "7S")),)


def test_positions_of_the_tests_hold_all_cards() -> None:
    assert position().in_game == position().total


@pytest.mark.parametrize(
    ("second", "house"),
    [("p1 turns 2 JS L @100", "pagat"), ("p1 moves QH 3-1 L @100", "pagat"), ("p1 refills 1 2C L @100", "bicycle")],
)
def test_R27_one_hand_only_holds_for_every_action(second: str, house: str) -> None:
    row = "- 2: 2:QH 3:10C 0:7S" if house == "pagat" else "- 0:QH 0:7S 0:10C"
    table = Table(house, p1=row)
    assert table("p1 7S A R", second) == ["legal", "two_hands p1"]


def test_R76_only_bicycle_has_a_deck_and_only_speed_a_stock_to_draw_from() -> None:
    table = Table(p1="- 1:QH 2:3D 3:10C 4:5H")
    assert table("p1 refills 1 9H", "p1 draws", "p1 lays 2H 3H") == ["nothing", "nothing", "nothing"]
    speed = Table("speed", p1="", p2="", spit=(1, 9))
    assert speed("p1 draws", "p1 draws") == ["legal", "nothing_to_turn p1"]


def test_R34_a_reading_of_nobody_knows_whose_row_is_left_alone() -> None:
    table = Table()
    before = table.now
    assert table("unknown shows 2 QH", "p1 shows 2 ??") == ["nothing", "nothing"]
    assert table.now == before


@pytest.mark.parametrize(
    ("tops", "ruling"),
    [
        ("7S QH 3D 10C", "legal"),
        ("7S QH 3D 10C 5H", "too_many_piles p1"),
        ("7S QH 3D", "layout_mismatch p1"),
    ],
)
def test_R73_bicycle_lays_four_cards_in_a_row(tops: str, ruling: str) -> None:
    side = Side(row=parse_row(["-", "-", "-", "-"]), packet=52, due=("A",))
    table = Table("bicycle", start=Position(phase=Phase.FIRST_SPIT, p1=side, p2=side, total=104))
    assert table(f"p1 lays {tops}") == [ruling]
    assert table.now.p1.packet == (48 if ruling == "legal" else 52)


def test_R34_a_face_where_by_the_count_no_card_lies_is_not_taken_in() -> None:
    table = Table(p1="- 1:QH 2:3D 3:10C 4:5H")
    assert table("p1 shows 1 6S") == ["nothing"]
    assert table.row("p1") == "- 1:QH 2:3D 3:10C 4:5H"
