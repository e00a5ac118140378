"""Moments at the table in which a hasty referee would accuse the wrong player, lose count, or miss a breach."""

import pytest
from at_the_table import MS, AtTheTable, blamed, kinds, lands, row, rulings, spits, taken

from referee.cards import Card
from referee.observations import (
    CardLanded,
    CardTakenBack,
    HandsSeen,
    Origin,
    PadReleased,
    PileRead,
    PlaceSeen,
    RowRead,
)
from referee.table import PLAYERS, Player
from referee.tracker import evidence
from referee.tracker.rows import RowView
from referee.verdicts import Award, DealOver, NextDeal, PlayJudged, SlapJudged, SpitJudged

SPIT_DUE = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["0:6C", "0:6S", "0:KC", "0:KS", "0:10S"], "spit": 10},
    "p2": {"row": ["0:AD", "0:6D", "0:10H", "0:KD", "0:6H"], "spit": 10},
    "middle": {"A": {"top": "8S", "count": 1, "started_by": "p1"}, "B": {"top": "3S", "count": 1, "started_by": "p2"}},
}
TWO_LEFT = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["0:10C", "0:2H", "-", "-", "-"], "spit": 5},
    "p2": {"row": ["0:9D", "1:6D", "2:9H", "3:QC", "4:QS"], "spit": 9},
    "middle": {"A": {"top": "8S", "count": 9, "started_by": "p1"}, "B": {"top": "JS", "count": 7, "started_by": "p2"}},
}
ONE_LEFT = TWO_LEFT | {"p1": {"row": ["0:9C", "-", "-", "-", "-"], "spit": 6}}
ONE_PILE = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["0:6C", "1:3S", "2:KC", "3:AS", "4:10S"], "spit": 20},
    "p2": {"row": ["0:4D", "1:6D", "2:9H", "3:QC", "1:QS"], "spit": 0},
    "middle": {"A": {"top": "8S", "count": 5, "started_by": "p1"}},
    "piles": 1,
}

ON_UNREAD = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["1:6C", "1:3S", "1:KC", "1:AS", "1:10S"], "spit": 10},
    "p2": {"row": ["1:4D", "1:6D", "1:9H", "1:QC", "1:QS"], "spit": 10},
    "middle": {"A": {"top": "??", "count": 1, "started_by": "p1"}, "B": {"top": "4S", "count": 1, "started_by": "p2"}},
}


def test_R22_a_spit_card_that_was_read_wrong_again_and_again_makes_the_next_good_card_no_breach() -> None:
    """The spit card is a king; a glare makes it a nine, in the first reading and in each that repeats its error."""
    table = AtTheTable(SPIT_DUE)
    table.wait(1500)
    glare = {Card("9D"): 0.87}
    at_ns = (table.now_ms + 500) * MS
    table.feed(HandsSeen(at_ns=at_ns - 200 * MS, players=("p1",)))
    told = table.feed(
        CardLanded(at_ns=at_ns, earliest_ns=at_ns, latest_ns=at_ns, pile="A", cards=glare, players={"p1": 0.9995})
    )
    table.feed(HandsSeen(at_ns=at_ns + 150 * MS, players=()))
    for ms in (250, 500):
        told += table.feed(PileRead(at_ns=at_ns + ms * MS, pile="A", cards=glare))
    table.now_ms += 800
    told += table.land("p2", 1, "A") + table.wait(2500)  # the ace, which the players see to follow the king
    assert not blamed(told)


def test_R22_looks_that_are_the_first_one_in_everything_make_a_spit_card_no_surer() -> None:
    table = AtTheTable(SPIT_DUE)
    table.wait(1500)
    glare = {Card("9D"): 0.995, Card("9C"): 0.003}
    told = spits(table, "p1", "A", "KH", glare)
    for _ in range(3):
        table.now_ms += 150
        told += table.feed(PileRead(at_ns=table.now_ms * MS, pile="A", cards=glare))
    told += table.land("p2", 1, "A", after_ms=300) + table.wait(2500)  # the ace, which follows the king
    assert not blamed(told)


def test_R22_a_spit_card_is_not_what_one_look_says_that_may_have_seen_the_next_card() -> None:
    """p1's queen was read as a two at first, then once as a nine: that look saw p2's king, which landed just then."""
    table = AtTheTable(SPIT_DUE)
    table.wait(1500)
    for ms, odds in ((0, {Card("2C"): 0.87, Card("2H"): 0.078}), (250, {Card("9D"): 0.87, Card("KD"): 0.078})):
        table.now_ms += ms
        told = spits(table, "p1", "A", "QH", odds) if not ms else []
        told += table.feed(PileRead(at_ns=table.now_ms * MS, pile="A", cards=odds))
    table.piles["A"].append(table.rows["p2"][3].pop())
    landed_ns = (table.now_ms + 8) * MS
    told += table.feed(
        CardLanded(at_ns=landed_ns, earliest_ns=landed_ns - 16 * MS, latest_ns=landed_ns + 16 * MS, pile="A",
                   cards={Card("9D"): 0.87, Card("KD"): 0.078}, players={"p2": 0.9995})
    )  # fmt: skip
    assert not blamed(told + table.wait(2500))


def test_R31_who_raced_for_a_top_that_was_read_wrong_was_only_beaten() -> None:
    """The queen that p1 has turned seems to be an ace; his king follows both, and p2's jack was meant for the queen."""
    table = AtTheTable(SPIT_DUE | {"p2": {"row": ["0:AD", "0:6D", "0:10H", "0:KD", "0:JH"], "spit": 10}})
    table.wait(1500)
    told = spits(table, "p2", "B", "7D", {Card("7D"): 0.995})
    told += spits(table, "p1", "A", "QH", {Card("AH"): 0.87, Card("QH"): 0.078})
    told += table.land("p1", 3, "A", after_ms=400)
    table.now_ms -= 200
    told += table.land("p2", 5, "A", after_ms=150) + table.wait(2500)
    assert not blamed(told)


def test_R29_a_card_that_seemed_to_stay_and_was_fetched_after_all_lies_in_its_row_again() -> None:
    """p2 turns his spit card before he fetches the six that he laid on the nine; then he plays it onto his seven."""
    table = AtTheTable(SPIT_DUE)
    table.wait(1500)
    table.spit("p1", "9C", "A")
    table.wait(1500)
    told = table.land("p2", 5, "A") + table.wait(1500)
    told += table.spit("p2", "7D", "B")
    told += table.take_back("p2", "A", 5) + table.land("p2", 5, "B") + table.wait(2500)
    assert [v.ruling for v in told if isinstance(v, PlayJudged)] == ["illegal", "legal"]


def test_R35_a_card_that_was_moved_under_a_hand_and_played_is_no_spit_card() -> None:
    """p1's nine leaves its place, where the seven is turned; his hand hides the space in which the nine lies now."""
    table = AtTheTable(SPIT_DUE | {"p1": {"row": ["-", "0:6S", "0:KC", "0:KS", "1:9C"], "spit": 10}})
    table.wait(2000)
    table.rows["p1"][0], table.rows["p1"][4] = ["9C"], ["7D"]
    for _ in range(2):
        table.now_ms += 300
        places = [PlaceSeen(cards={Card(stock[-1]): 0.995}) for stock in table.rows["p1"]]
        table.feed(RowRead(at_ns=table.now_ms * MS, player="p1", places=(PlaceSeen(), *places[1:])))
    told = table.land("p1", 1, "A") + table.wait(2500)
    assert [(v.card, v.ruling) for v in told if isinstance(v, PlayJudged)] == [("9C", "legal")]


@pytest.mark.parametrize(("after_ms", "blames"), [(60, []), (160, [("p2", "not_adjacent")])])
def test_R30_a_card_on_its_way_to_one_that_was_just_taken_off_is_no_fault(
    after_ms: int, blames: list[tuple[str, str]]
) -> None:
    """A hand swerves no sooner than 120 ms after what it aims at has gone; who comes later saw it go."""
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")  # the king on the eight
    table.wait(600)
    table.take_back("p1", "A", 3)
    table.now_ms -= 200
    told = table.land("p2", 4, "A", after_ms=after_ms) + table.wait(2500)  # a queen for the king
    assert blamed(told) == blames


def test_R20_a_card_that_the_other_may_have_laid_leaves_its_owner_free_to_play_on_what_lay_there() -> None:
    """p1 takes p2's nine with a hand that looks like p2's; p2 plays his seven on the eight that lay there before."""
    table = AtTheTable(SPIT_DUE | {"p2": {"row": ["0:7D", "0:9H", "0:10H", "0:KD", "0:QH"], "spit": 10}})
    table.look()
    told = lands(table, "p2", 2, "A", {Card("9H"): 0.995}, {"p2": 0.9545, "p1": 0.0455})
    told += table.wait(600)
    told += lands(table, "p2", 1, "A", {Card("7D"): 0.995})
    told += table.wait(2500)
    assert [(v.card, v.ruling) for v in told if isinstance(v, PlayJudged)] == [("9H", "legal"), ("7D", "cannot_tell")]


def test_R51_a_slap_just_before_the_card_that_ends_the_deal_is_still_a_false_slap() -> None:
    table = AtTheTable(ONE_LEFT)
    table.look()
    table.slap("p2", "B")
    table.let_go()
    told = table.land("p1", 1, "A", after_ms=400) + table.wait(1500)
    assert [v.player for v in told if isinstance(v, SlapJudged) and v.ruling == "false_slap"] == ["p2"]
    assert [v.by for v in told if isinstance(v, DealOver)] == ["p1"]


def test_R49_who_plays_on_has_left_his_refused_card_lying_and_is_out_with_his_last_one() -> None:
    table = AtTheTable(TWO_LEFT)
    table.look()
    told = table.land("p1", 2, "A") + table.wait(500)  # the two does not follow the eight
    assert blamed(told) == [("p1", "not_adjacent")]
    told = table.land("p2", 1, "A", after_ms=400)  # the nine does, and buries it
    table.wait(800)
    told += table.land("p1", 1, "A") + table.wait(1500)
    assert [v.by for v in told if isinstance(v, DealOver)] == ["p1"]


def test_R52_who_takes_which_pile_settles_the_counts_although_nobody_slapped() -> None:
    table = AtTheTable(ONE_LEFT)
    table.look()
    table.land("p1", 1, "A")
    table.wait(500)
    told = taken(table, "p1", "B") + taken(table, "p2", "A")
    assert [(v.p1, v.p2) for v in told if isinstance(v, Award)] == [("B", "A")]
    [deal] = [v for v in told if isinstance(v, NextDeal)]
    assert (deal.p1.cards, deal.p2.cards) == (13, 39)


def test_R63_every_card_of_a_row_on_a_pile_that_was_never_started_is_told() -> None:
    table = AtTheTable(ONE_PILE)
    table.wait(1000)
    told = table.land("p1", 1, "B") + table.land("p2", 1, "B", after_ms=400) + table.wait(2000)
    assert blamed(told) == [("p1", "pile_not_in_use"), ("p2", "pile_not_in_use")]


def test_a_top_that_was_read_many_times_keeps_its_name_when_it_is_misread_once() -> None:
    table = AtTheTable()
    table.wait(3000)
    table.rows["p2"][2][-1] = "9S"
    table.look()
    table.rows["p2"][2][-1] = "9H"
    assert rulings(table.land("p2", 3, "A") + table.wait(1000)) == [("p2", "9H", "legal", None)]
    assert "RowJudged" not in kinds(table.said)


def test_R41_a_breach_is_told_even_if_its_card_stays_unknown() -> None:
    """p2 has spat; p1 spits on the same pile a two that is hearts or diamonds, the camera cannot say which."""
    table = AtTheTable(SPIT_DUE | {"p2": {"row": ["0:10D", "0:6D", "0:10H", "0:KD", "0:6H"], "spit": 10}})
    table.wait(3000)
    table.spit("p2", "2C", "B")
    table.now_ms += 300
    at_ns = table.now_ms * MS
    table.feed(HandsSeen(at_ns=at_ns - 200 * MS, players=("p1",)))
    told = table.feed(
        CardLanded(
            at_ns=at_ns,
            earliest_ns=at_ns,
            latest_ns=at_ns,
            pile="B",
            players={"p1": 0.99999},
            cards={Card("2H"): 0.5, Card("2D"): 0.49},
        )
    )
    for _ in range(4):
        table.now_ms += 500
        told += table.feed(HandsSeen(at_ns=table.now_ms * MS, players=()))
        told += [v for player in PLAYERS for v in table.feed(row(table, player))]
    assert blamed(told) == [("p1", "wrong_pile")]
    assert [v.card for v in told if isinstance(v, SpitJudged) and v.ruling == "illegal"] == ["??"]


def test_R4_a_top_that_is_bared_is_no_new_landing() -> None:
    """The king that had to go back is taken off, and the eyes report the eight under it as if it had just landed."""
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")
    table.wait(500)
    table.rows["p1"][2].append(table.piles["A"].pop())
    at_ns = (table.now_ms + 500) * MS
    told = table.feed(
        CardLanded(at_ns=at_ns, earliest_ns=at_ns, latest_ns=at_ns, pile="A", cards={Card("8S"): 0.995},
                   players={"p1": 0.9995})
    )  # fmt: skip
    table.now_ms += 700
    assert "TakenBack" in kinds(told) and not rulings(told)
    assert rulings(table.land("p2", 3, "A") + table.wait(1000)) == [("p2", "9H", "legal", None)]


def test_R22_the_sentence_names_the_card_that_most_likely_lies_there() -> None:
    table = AtTheTable()
    table.look()
    at_ns = (table.now_ms + 600) * MS
    odds = {Card("9H"): 0.997, Card("7H"): 0.001, Card("9D"): 0.0005, Card("7D"): 0.0005}
    table.feed(HandsSeen(at_ns=at_ns - 200 * MS, players=("p2",)))
    table.feed(
        CardLanded(at_ns=at_ns, earliest_ns=at_ns, latest_ns=at_ns, pile="A", cards=odds, players={"p2": 0.9995})
    )
    table.feed(HandsSeen(at_ns=at_ns + 150 * MS, players=()))
    table.piles["A"].append(table.rows["p2"][2].pop())
    table.now_ms += 800
    table.wait(1000)
    told = table.land("p1", 2, "A") + table.wait(2500)  # a three, which follows neither the nine nor a seven
    verdict = next(v for v in told if isinstance(v, PlayJudged))
    assert (verdict.ruling, verdict.top) == ("illegal", "9H")
    assert "from the 9 of hearts" in verdict.sentence


def test_a_reading_with_another_second_guess_is_hardly_the_first_error_again() -> None:
    first = {Card("9D"): 0.995, Card("JD"): 0.003}
    again = {Card("9D"): 0.995, Card("8D"): 0.003}
    assert evidence.shared_error(first, first) > 2 * evidence.SHARED_ERROR, "the same in everything says little"
    assert 0 < evidence.shared_error(again, first) < evidence.SHARED_ERROR / 5
    assert evidence.shared_error({Card("9D"): 0.87, Card("JD"): 0.08}, first) == 0, "it was read afresh"


def test_a_card_of_a_row_that_was_first_read_wrong_is_what_the_fresh_looks_say() -> None:
    """A glare makes the five a ten, in the first look and in most of the others; thrice it is read afresh."""
    row = RowView()
    glare = {Card("10C"): 0.995, Card("9C"): 0.003}
    fresh = [{Card("5C"): 0.995, Card(second): 0.003} for second in ("5S", "6C", "QC")]
    for n, odds in enumerate((glare, fresh[0], glare, fresh[1], glare, fresh[2], glare, glare, glare)):
        row.look((PlaceSeen(cards=odds),), n * 500 * MS, frozenset())
    assert row.places[0].card == "5C"


def test_R22_a_card_read_wrong_in_its_row_and_on_the_pile_is_no_breach() -> None:
    """p2 turns up the eight that follows his nine: read as a jack in its row, as a five at first on the pile."""
    table = AtTheTable()
    table.look()
    table.land("p2", 3, "A")
    table.wait(1000)
    seen = [PlaceSeen(cards={Card(c): 0.995}) for c in ("4D", "6D", "JD", "QC", "QS")]
    seen[2] = PlaceSeen(cards={Card("JD"): 0.87, Card("10D"): 0.078})
    table.now_ms += 300
    table.feed(RowRead(at_ns=table.now_ms * MS, player="p2", places=tuple(seen)))
    table.rows["p2"][2][-1] = "8D"
    told = lands(table, "p2", 3, "A", {Card("5H"): 0.87, Card("QS"): 0.078}, looks=False)
    for ms in (0, 300, 800):
        at_ns = (table.now_ms + ms) * MS
        told += table.feed(PileRead(at_ns=at_ns, pile="A", cards={Card("8D"): 0.995, Card("JD"): 0.003}))
        told += [v for player in PLAYERS for v in table.feed(row(table, player, ms))]
    assert not blamed(told)
    assert table.tracker.position is not None
    assert table.tracker.position.p2.row[2].up == (), "it came from there, whatever it was taken for"


def test_R22_a_card_on_the_top_that_the_opponent_stole_is_no_breach_of_its_player() -> None:
    """p1 lays p2's nine onto the eight, read as a seven or perhaps a nine; p2 plays his ten onto the eight's nine."""
    table = AtTheTable(SPIT_DUE | {"p2": {"row": ["0:9D", "0:7S", "0:10H", "0:KD", "0:6H"], "spit": 10}})
    table.wait(2000)
    told = lands(table, "p2", 1, "A", {Card("7D"): 0.87, Card("9D"): 0.078}, {"p1": 0.9995, "p2": 0.0005})
    told += table.land("p2", 2, "A", after_ms=300) + table.wait(2500)  # a seven, which follows the eight
    assert ("p2", "not_adjacent") not in blamed(told)


def test_R22_who_plays_on_a_stolen_card_that_is_fetched_again_is_not_blamed() -> None:
    """p2 lays p1's nine onto the eight; p1's seven, meant for the eight, comes down on it, and p2 fetches the nine."""
    table = AtTheTable(SPIT_DUE | {"p1": {"row": ["0:6C", "0:6S", "0:KC", "0:9C", "0:7D"], "spit": 10}})
    table.wait(2000)
    told = lands(table, "p1", 4, "A", {Card("9C"): 0.995}, {"p1": 0.5, "p2": 0.5}, looks=False)
    told += lands(table, "p1", 5, "A", {Card("7D"): 0.995}, looks=False)
    table.piles["A"].remove("9C")
    table.rows["p1"][3] = ["9C"]
    at_ns = (table.now_ms + 50) * MS
    told += table.feed(CardTakenBack(at_ns=at_ns, pile="A", cards={Card("9C"): 0.995}, players={"p2": 0.9995}))
    assert not blamed(told + table.wait(2500))


def test_R51_a_hand_stays_longer_on_a_pad_than_a_card_of_the_other_player_shakes_it() -> None:
    for held_ms, says in ((30, []), (120, ["p2"])):
        table = AtTheTable()
        table.look()
        told = table.land("p1", 5, "A", read="9S")
        table.now_ms -= 190
        table.slap("p2", "A")
        released = PadReleased(at_ns=(table.now_ms + held_ms) * MS, player="p2", pile="A", contact_ns=held_ms * MS)
        told = table.feed(released)
        table.now_ms += 200
        told += table.wait(2500)
        assert [v.player for v in told if isinstance(v, SlapJudged) and v.ruling == "false_slap"] == says


def test_R63_a_card_that_follows_a_refused_one_onto_a_pile_that_was_never_started_is_told() -> None:
    table = AtTheTable(ONE_PILE)
    table.wait(1000)
    table.land("p1", 1, "B")
    table.wait(500)
    table.take_back("p1", "B", 1)
    table.now_ms -= 200
    told = table.land("p2", 1, "B", after_ms=90) + table.wait(2000)
    assert ("p2", "pile_not_in_use") in blamed(told)


def test_R27_two_cards_over_a_refused_one_are_told() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")  # the king on the eight
    table.wait(300)
    table.land("p2", 4, "A", after_ms=300)  # a queen
    table.now_ms += 600
    at_ns = table.now_ms * MS
    table.feed(HandsSeen(at_ns=at_ns - 200 * MS, players=("p1",)))
    table.piles["A"] += [table.rows["p1"][0].pop(), table.rows["p1"][4].pop()]
    told = table.feed(
        CardLanded(at_ns=at_ns, earliest_ns=at_ns - 10 * MS, latest_ns=at_ns + 10 * MS, pile="A",
                   cards={Card("10S"): 0.995}, players={"p1": 0.9995}, together=2)
    )  # fmt: skip
    told += table.wait(2500)
    assert ("p1", "two_cards") in blamed(told)


def test_R29_a_card_may_be_fetched_while_the_other_player_spits() -> None:
    """p2 puts his spit card on p1's pile; p1 turns his own in the moment in which p2 fetches it."""
    table = AtTheTable(SPIT_DUE)
    table.wait(1500)
    table.spit("p2", "3C", "B")
    told = table.land("p2", 1, "B", after_ms=300)  # an ace, which does not follow
    table.wait(1000)
    told += table.spit("p1", "QC", "A", after_ms=200)
    table.now_ms -= 190
    told += table.take_back("p2", "B", 1, after_ms=100) + table.wait(2500)
    assert [who for who, _ in blamed(told)] == ["p2"]


def test_R41_a_spit_card_that_a_row_seemed_to_show_is_the_spit_card() -> None:
    """p1's king was read as the two that he turns from his packet next, and his hand seemed to come from the row."""
    table = AtTheTable(SPIT_DUE)
    table.wait(1500)
    seen = list(row(table, "p1").places)
    for ms in (200, 700):
        seen[2] = PlaceSeen(cards={Card("2C"): 0.87, Card("KC"): 0.078})
        table.feed(RowRead(at_ns=(table.now_ms + ms) * MS, player="p1", places=tuple(seen)))
    table.now_ms += 1000
    at_ns = table.now_ms * MS
    table.feed(HandsSeen(at_ns=at_ns - 200 * MS, players=("p1",)))
    table.piles["A"].append("2C")
    told = table.feed(
        CardLanded(at_ns=at_ns, earliest_ns=at_ns - 10 * MS, latest_ns=at_ns + 10 * MS, pile="A",
                   cards={Card("2C"): 0.995}, players={"p1": 0.9995},
                   origins=(Origin(player="p1", place=3, p=0.97),))
    )  # fmt: skip
    table.now_ms += 200
    told += table.wait(2500)
    assert not blamed(told)


def test_R22_who_plays_on_a_card_that_has_to_go_back_excuses_nobody_who_laid_it() -> None:
    table = AtTheTable()
    table.look()
    told = table.land("p1", 3, "A")  # the king on the eight
    told += table.land("p2", 5, "A", after_ms=400) + table.wait(2500)  # the queen, in good faith
    assert blamed(told) == [("p1", "not_adjacent")]


def test_R22_refused_cards_under_a_card_that_counts_make_no_pile_unclear() -> None:
    table = AtTheTable(
        SPIT_DUE | {"phase": "play", "p1": {"row": ["0:6C", "0:6S", "0:9C", "0:KS", "0:10S"], "spit": 10}}
    )
    table.wait(2000)
    for player, place in (("p1", 1), ("p2", 2), ("p1", 2)):
        table.land(player, place, "A", after_ms=300)  # sixes on the eight
    told = table.land("p1", 3, "A", after_ms=600)  # the nine counts
    table.wait(500)
    told = table.land("p1", 4, "A") + table.wait(2500)  # a king on the nine
    assert ("p1", "not_adjacent") in blamed(told)


def test_R49_a_deal_is_not_over_for_whoever_turns_up_another_card() -> None:
    """p1's nine seemed to be his last card, but a jack lay under it: he turns it up and plays it."""
    table = AtTheTable(ONE_LEFT)
    table.look()
    table.land("p1", 1, "A")
    table.rows["p1"][0] = ["JH"]
    table.wait(1000)
    told = table.land("p2", 4, "A", after_ms=300)
    table.rows["p1"][0] = []
    told += table.wait(2500)
    assert not blamed(told)


def test_R22_after_players_built_high_on_a_refused_card_nobody_is_blamed_for_what_follows_either_top() -> None:
    """They go on from a two that did not follow the eight, four cards high; later p1 plays a seven, for the eight."""
    start = SPIT_DUE | {
        "p1": {"row": ["0:2H", "0:4H", "0:KC", "0:7C", "0:10S"], "spit": 10},
        "p2": {"row": ["0:3D", "0:5D", "0:10H", "0:KD", "0:9H"], "spit": 10},
    }
    table = AtTheTable(start)
    table.wait(1500)
    players: tuple[tuple[Player, int], ...] = (("p1", 1), ("p2", 1), ("p1", 2), ("p2", 2))
    for player, place in players:
        table.land(player, place, "A", after_ms=400)
    table.wait(9000)
    told = table.land("p1", 4, "A") + table.wait(2500)
    assert not blamed(told)


def test_R51_a_pad_that_is_free_again_at_once_felt_a_card_though_nobody_saw_one_land() -> None:
    for held_ms, says in ((30, []), (120, ["p2"])):
        table = AtTheTable()
        table.wait(1000)
        table.slap("p2", "A")
        ns = held_ms * MS
        told = table.feed(PadReleased(at_ns=table.now_ms * MS + ns, player="p2", pile="A", contact_ns=ns))
        told += table.wait(2500)
        assert [v.player for v in told if isinstance(v, SlapJudged) and v.ruling == "false_slap"] == says


def test_R51_two_who_slap_at_once_over_full_rows_both_slap_too_early() -> None:
    table = AtTheTable()
    table.wait(3000)
    table.slap("p1", "A")
    table.slap("p2", "B", after_us=90_000)
    told = table.let_go() + table.wait(2500)
    assert [v.player for v in told if isinstance(v, SlapJudged) and v.ruling == "false_slap"] == ["p1", "p2"]


def test_R49_two_who_slap_at_once_over_a_bare_row_know_that_the_deal_is_over() -> None:
    table = AtTheTable(ONE_LEFT)
    table.wait(1000)
    table.rows["p1"][0] = []  # nobody saw his last card land
    table.slap("p1", "A")
    table.slap("p2", "B", after_us=90_000)
    told = table.let_go() + table.wait(2500)
    assert not [v for v in told if isinstance(v, SlapJudged) and v.ruling == "false_slap"]


def test_R21_a_card_turned_where_a_refused_one_lay_does_not_excuse_the_other_players_wrong_card() -> None:
    table = AtTheTable()
    told = table.land("p2", 5, "B")  # the queen of spades on the four of spades; it is left lying
    told += table.wait(500)
    table.feed(HandsSeen(at_ns=(table.now_ms + 10) * MS, players=("p2",)))  # anything may be in that hand
    told += table.land("p1", 3, "A", after_ms=1300)  # the king of clubs on the eight of spades
    told += table.turn_up("p2", 5, "JD")
    told += table.wait(2500)
    assert rulings(told) == [("p2", "QS", "illegal", "not_adjacent"), ("p1", "KC", "illegal", "not_adjacent")]


def test_R22_looks_that_repeat_the_first_error_about_a_top_do_not_silence_the_referee() -> None:
    """p2's nine of hearts is read as the king of hearts when it lands, and again while it lies there."""
    table = AtTheTable()
    table.look()
    table.wait(1000)
    table.land("p2", 3, "A", read="KH")
    table.piles["A"][-1] = "KH"
    table.wait(1500)
    told = table.land("p1", 3, "A", after_ms=300) + table.wait(1500)  # a king on the nine
    assert blamed(told) == [("p1", "not_adjacent")]


def test_R6_on_a_card_of_which_nobody_can_tell_whether_it_counts_nobody_is_blamed() -> None:
    """The top was not read; p1's king on it may have been wrong, and then p2's nine, which fits the top, is right."""
    table = AtTheTable(ON_UNREAD)
    for one in PLAYERS:
        table.feed(row(table, one))
    told = lands(table, "p1", 3, "A", {Card("KC"): 0.995}, looks=False)
    for one in PLAYERS:
        told += table.feed(row(table, one, 300))
    table.now_ms += 2500
    told += table.feed(HandsSeen(at_ns=table.now_ms * MS, players=()))
    told += lands(table, "p2", 3, "A", {Card("9H"): 0.995}, looks=False)
    for ms in (300, 800, 1300, 2500):
        for one in PLAYERS:
            told += table.feed(row(table, one, ms))
    assert [v.ruling for v in told if isinstance(v, PlayJudged)] == ["cannot_tell", "cannot_tell"]


def test_R63_a_card_that_comes_too_late_for_a_lone_pile_is_not_the_first_of_the_next_deal() -> None:
    """p2 clears, p1's card is on its way; the rows are laid out anew, and no card is counted twice."""
    table = AtTheTable(ONE_PILE | {"p2": {"row": ["0:9H", "-", "-", "-", "-"], "spit": 0}})
    table.look()
    told = table.land("p2", 1, "A")
    assert any(isinstance(v, DealOver) for v in told)
    table.land("p1", 1, "A", after_ms=100)
    table.take_back("p1", "A", 1)
    table.wait(1500)
    taken(table, "p1", "A")
    for empty in (True, False):
        for player in PLAYERS:
            table.rows[player] = [[] if empty else ["?"] * n + [f"{2 * n + 2}{'C' if player == 'p1' else 'D'}"]
                                  for n in range(5)]  # fmt: skip
        table.piles = {"A": [], "B": []}
        table.wait(3000)
    position = table.tracker.position
    assert position is not None and position.in_game == position.total


def test_R51_who_presses_both_his_pads_beside_a_card_that_comes_down_has_slapped_none() -> None:
    """p2 calls, and p1's card lands a fifth of a second later: too near for a call, and no slap either."""
    table = AtTheTable()
    table.look()
    table.slap("p2", "A")
    table.slap("p2", "B", after_us=50_000)
    told = table.land("p1", 4, "B", after_ms=200) + table.let_go() + table.wait(3000)
    assert not [v for v in told if isinstance(v, SlapJudged)]


def test_R22_looks_at_a_card_that_nobody_reported_may_repeat_the_first_error_about_it() -> None:
    """p1's spit card, a jack, comes down unseen and is read as a three, always with the same second guess."""
    table = AtTheTable(SPIT_DUE)
    table.look()
    table.wait(2500)
    table.spit("p2", "5C", "B")
    for _ in range(3):
        table.now_ms += 300
        misread = {Card("3H"): 0.995, Card("JH"): 0.003}
        table.feed(PileRead(at_ns=table.now_ms * MS, pile="A", cards=misread))
    table.piles["A"].append("JH")
    told = lands(table, "p1", 5, "A", {Card("10S"): 0.995}) + table.wait(2500)
    assert not blamed(told)
