"""A person knows better: any reading or ruling is corrected, at once or later; judged from there on; heard once."""

from random import Random
from typing import Any

import pytest
from at_the_table import MS, START, AtTheTable, rulings
from msgspec.structs import replace
from test_tracker import LAST, STUCK
from test_tracker_properties import deal

from referee.cards import PACK
from referee.observations import AnyObservation, CardLanded, Correction, PadSlapped, RowRead
from referee.rules.rule_set import RuleSet
from referee.signals import cues_for
from referee.tracker import Tracker
from referee.verdicts import (
    AnyVerdict,
    Award,
    Corrected,
    DeadHeat,
    DealOver,
    LeftLying,
    NextDeal,
    PhaseChanged,
    PlayJudged,
    RowJudged,
    SlapJudged,
    SpitCall,
    SpitJudged,
    Stuck,
    Verdict,
)


def number_of(table: AtTheTable, kind: type, **fields: object) -> int:
    """The log's number of the last line of this kind with these values."""
    return max(
        n
        for n, item in enumerate(table.log)
        if isinstance(item, kind) and all(getattr(item, name) == value for name, value in fields.items())
    )


def correct(table: AtTheTable, of: int, **now: Any) -> list[AnyVerdict]:
    """What is told when a person corrects line `of` of the log."""
    table.now_ms += 100
    return table.feed(Correction(at_ns=table.now_ms * MS, of=of, **now))


def standing(table: AtTheTable) -> list[AnyVerdict]:
    """The verdicts that hold: those said, without the withdrawn ones."""
    gone = {n for item in table.log if isinstance(item, Corrected) for n in item.withdrawn}
    return [
        item
        for n, item in enumerate(table.log)
        if isinstance(item, Verdict) and not isinstance(item, Corrected) and n not in gone
    ]


def sounds(told: list[AnyVerdict]) -> list[str]:
    return [cue.signal for verdict in told for cue in cues_for(verdict)]


def test_R22_a_card_that_was_read_wrong_is_named_and_what_lay_on_it_is_judged_anew() -> None:
    table = AtTheTable()
    table.look()
    table.rows["p2"][2][-1] = "9C"  # it is the nine of clubs that lies there, and the eyes read hearts
    table.land("p2", 3, "A", read="9H")
    table.wait(1000)
    told = correct(table, number_of(table, CardLanded), card="9C")
    assert isinstance(told[0], Corrected) and (told[0].was, told[0].now) == ("9H by p2 on A", "9C by p2 on A")
    assert table.tracker.position is not None and table.tracker.position.A.top == "9C"


def test_R22_players_agree_that_a_card_counts_and_the_next_card_follows_it() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")  # a king on an eight
    table.wait(1000)
    table.land("p2", 4, "A")  # a queen on that king
    table.wait(2500)
    assert [r for _, _, r, _ in rulings(table.said)] == ["illegal", "illegal"]
    told = correct(table, number_of(table, PlayJudged, card="KC"), ruling="legal")
    assert rulings(told) == [("p1", "KC", "legal", None), ("p2", "QC", "legal", None)]
    assert set(told[0].withdrawn) == {number_of(table, PlayJudged, card=c, ruling="illegal") for c in ("KC", "QC")}
    assert table.tracker.position is not None and table.tracker.position.A.top == "QC"
    assert sounds(told) == ["noted"]


@pytest.mark.parametrize("ruling", ["illegal", "beaten"])
def test_R22_players_agree_that_a_card_has_to_go_back(ruling: str) -> None:
    table = AtTheTable()
    table.look()
    table.land("p2", 3, "A")
    table.wait(1000)
    told = correct(table, number_of(table, PlayJudged), ruling=ruling)
    assert rulings(told) == [("p2", "9H", ruling, None)]
    assert table.tracker.position is not None and table.tracker.position.A.top == "8S"
    assert sounds(told) == ["noted"]


def test_the_card_of_a_correction_outweighs_all_evidence() -> None:
    table = AtTheTable()
    table.look()
    table.land("p2", 3, "A")
    table.wait(1000)
    told = correct(table, number_of(table, PlayJudged), card="7D", player="p1")
    assert ("p1", "7D") in [(who, card) for who, card, _, _ in rulings(told)]


def test_what_did_not_happen_is_withdrawn_with_all_that_followed_from_it() -> None:
    table = AtTheTable(LAST)
    table.look()
    table.land("p1", 1, "A")
    table.wait(500)
    assert any(isinstance(v, DealOver) for v in table.said)
    told = correct(table, number_of(table, CardLanded), dismiss=True)
    assert isinstance(told[0], Corrected) and told[0].now == "nothing"
    assert number_of(table, DealOver) in told[0].withdrawn
    phases = [v.phase for v in table.said if isinstance(v, PhaseChanged)]
    assert phases[-1] == "play"


def test_R49_a_deal_that_turns_out_to_be_over_is_news_and_is_called() -> None:
    table = AtTheTable(LAST)
    table.look()
    at_ns = table.now_ms * MS
    told = correct(table, 0, card="9C", player="p1", pile="A", missed_ns=at_ns)  # a hand hid his last card
    assert [v.by for v in told if isinstance(v, DealOver)] == ["p1"]
    assert "slap_now" in sounds(told)


def test_R54_the_players_say_who_was_first_on_the_pads() -> None:
    table = AtTheTable(LAST)
    table.look()
    table.land("p1", 1, "A")
    table.wait(400)
    table.slap("p1", "A")
    table.slap("p2", "A", after_us=3000)
    table.let_go()
    [award] = [v for v in table.said if isinstance(v, Award)]
    assert (award.first, award.p1) == ("p1", "A")
    told = correct(table, number_of(table, Award), first="p2")
    [award] = [v for v in told if isinstance(v, Award)]
    assert (award.first, award.p2, award.p1, award.revised) == ("p2", "A", "B", True)
    assert "slap_won" not in sounds(told)
    assert [v.p2.cards for v in standing(table) if isinstance(v, NextDeal)] == [
        v.p2.cards for v in told if isinstance(v, NextDeal)
    ]


def test_R54_a_dead_heat_is_settled_by_the_players() -> None:
    table = AtTheTable(LAST)
    table.look()
    table.land("p1", 1, "A")
    table.wait(400)
    table.slap("p1", "B", uncertainty_us=500)
    table.slap("p2", "B", after_us=100, uncertainty_us=500)
    table.let_go()
    told = correct(table, number_of(table, DeadHeat), first="p2")
    [award] = [v for v in told if isinstance(v, Award)]
    assert (award.first, award.p2, award.p1) == ("p2", "B", "A")
    assert not [v for v in standing(table) if isinstance(v, DeadHeat)]


def test_R51_a_false_slap_that_was_none_is_taken_back() -> None:
    table = AtTheTable()
    table.look()
    table.wait(1000)
    table.slap("p1", "B")
    table.let_go()
    table.wait(1500)
    told = correct(table, number_of(table, SlapJudged, ruling="false_slap"), dismiss=True)
    assert not [v for v in standing(table) if isinstance(v, SlapJudged)] and sounds(told) == ["noted"]


def test_R34_a_card_turned_up_was_read_wrong_as_long_as_it_lay_there() -> None:
    table = AtTheTable()
    table.look()
    table.land("p2", 3, "A")
    table.turn_up("p2", 3, "2H")
    table.wait(1500)
    told = correct(table, number_of(table, RowJudged), card="10H")
    assert [(v.card, v.place) for v in told if isinstance(v, RowJudged)] == [("10H", 3)]
    position = table.tracker.position
    assert position is not None and position.p2.row[2].up[-1] == "10H"
    table.rows["p2"][2][-1] = "10H"
    assert ("p2", "10H", "legal", None) in rulings(table.land("p2", 3, "A") + table.wait(1500))


def test_R40_the_players_say_that_they_are_not_stuck() -> None:
    table = AtTheTable(STUCK)
    table.wait(3000)
    told = correct(table, number_of(table, Stuck), dismiss=True)
    assert isinstance(told[0], Corrected) and (told[0].was, told[0].now) == ("stuck", "not stuck")
    assert not [v for v in standing(table) if isinstance(v, Stuck | SpitCall)]
    assert not [v for v in table.wait(3000) if isinstance(v, Stuck)]


def test_a_landing_that_the_referee_missed_is_put_where_it_belongs() -> None:
    table = AtTheTable()
    table.look()
    table.wait(1000)
    at_ns = table.now_ms * MS - 400 * MS
    table.rows["p2"][2].pop()
    table.piles["A"].append("9H")
    told = correct(table, 1, card="9H", player="p2", pile="A", missed_ns=at_ns)
    assert rulings(told) == [("p2", "9H", "legal", None)]
    [play] = [v for v in told if isinstance(v, PlayJudged)]
    assert play.at_ns == at_ns and play.of == number_of(table, Correction)
    again = correct(table, number_of(table, Correction), card="7H")
    assert [(who, card) for who, card, _, _ in rulings(again)] == [("p2", "7H")]


def test_a_verdict_that_changes_nothing_is_only_withdrawn() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")
    table.land("p2", 4, "A")
    table.wait(6000)
    left = number_of(table, LeftLying)
    told = correct(table, left, dismiss=True)
    assert told == [told[0]] and isinstance(told[0], Corrected) and told[0].withdrawn == (left,)


def test_a_correction_is_taken_back_and_everything_is_as_before() -> None:
    table = AtTheTable()
    table.look()
    table.land("p2", 3, "A")
    table.wait(1000)
    before = table.tracker.position
    correct(table, number_of(table, PlayJudged), card="7D", player="p1")
    assert table.tracker.position != before
    told = correct(table, number_of(table, Correction), dismiss=True)
    assert isinstance(told[0], Corrected)
    assert table.tracker.position == before
    assert ("p2", "9H", "legal", None) in rulings(told)


@pytest.mark.parametrize("wait", [0, 7, 60])
def test_late_or_at_once_a_correction_leads_to_the_same_game(wait: int) -> None:
    """A landing that was seen wrong and put right later counts as if it had been seen right."""
    seen = deal(3)
    spoilt = next(k for k, one in enumerate(seen) if isinstance(one, CardLanded) and k > 120)
    right, tracker = Tracker(RuleSet()), Tracker(RuleSet())
    n, of = 0, -1
    for k, one in enumerate(seen):
        right.feed(one)
        if k == spoilt:
            of = n
            assert isinstance(one, CardLanded)
            best = max(one.cards, key=one.cards.__getitem__)
            player = max(one.players, key=one.players.__getitem__)
        n += 1 + len(tracker.feed(one, n))
        if k == spoilt + wait:
            word = Correction(at_ns=one.at_ns, of=of, card=best, player=player)
            n += 1 + len(tracker.feed(word, n))
    assert tracker.position == right.position


def test_a_restart_after_a_correction_goes_on_from_the_same_table() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")
    table.wait(1000)
    correct(table, number_of(table, PlayJudged), ruling="legal")
    table.land("p2", 4, "A")
    table.wait(1000)
    again = AtTheTable(START)
    said = [verdict for seen in table.fed for verdict in again.feed(seen)]
    assert said == table.said and again.tracker.position == table.tracker.position


def test_two_corrections_of_two_landings_hold_together() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")
    table.wait(1000)
    first = number_of(table, CardLanded)
    table.land("p2", 4, "A")
    table.wait(2500)
    second = number_of(table, CardLanded)
    correct(table, second, dismiss=True)
    correct(table, first, ruling="legal")
    assert table.tracker.position is not None and table.tracker.position.A.top == "KC"
    assert [(v.card, v.ruling) for v in standing(table) if isinstance(v, PlayJudged | SpitJudged)] == [("KC", "legal")]


def test_nothing_that_was_announced_sounds_twice() -> None:
    """Whatever is corrected about an old landing, lights and buzzer only note it."""
    table = AtTheTable(LAST)
    table.look()
    table.land("p1", 1, "A")
    table.wait(400)
    table.slap("p1", "A")
    table.let_go()
    table.now_ms += 20_000
    landing, press = number_of(table, CardLanded), number_of(table, PadSlapped)
    for of, now in (
        (landing, {"card": "7H"}),
        (landing, {"player": "p2"}),
        (landing, {"pile": "B"}),
        (landing, {"ruling": "illegal"}),
        (landing, {"dismiss": True}),
        (press, {"player": "p2"}),
        (press, {"first": "p2"}),
    ):
        assert set(sounds(correct(table, of, **now))) <= {"noted"}, (of, now)


def test_a_ruling_that_is_none_changes_nothing_and_is_no_error() -> None:
    table = AtTheTable()
    table.look()
    table.land("p1", 3, "A")
    table.wait(1000)
    told = correct(table, number_of(table, PlayJudged), ruling="nonsense")
    assert rulings(told) in ([], [("p1", "KC", "illegal", "not_adjacent")])


def test_a_row_that_was_read_wrong_from_the_start() -> None:
    table = AtTheTable()
    table.rows["p1"][2][-1] = "QD"
    table.look()
    table.wait(1000)
    told = correct(table, number_of(table, RowRead, player="p1"), place=3, card="KC")
    assert isinstance(told[0], Corrected) and told[0].now == "KC at place 3 of p1"


def play(seen: list[AnyObservation], spoilt: int, wrong: CardLanded, word: Correction | None, wait: int) -> Tracker:
    """A game with one landing seen wrong, which a person puts right (or not) some observations later."""
    tracker, n, of = Tracker(RuleSet()), 0, -1
    for k, one in enumerate(seen):
        if k == spoilt:
            of, one = n, wrong
        n += 1 + len(tracker.feed(one, n))
        if word is not None and k == min(spoilt + wait, len(seen) - 1):
            n += 1 + len(tracker.feed(replace(word, at_ns=one.at_ns, of=of), n))
    return tracker


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whenever_a_correction_comes_and_goes_the_game_is_the_same(seed: int) -> None:
    seen, random = deal(seed), Random(seed)
    for spoilt in random.sample([k for k, one in enumerate(seen) if isinstance(one, CardLanded)], 3):
        right = seen[spoilt]
        assert isinstance(right, CardLanded)
        wrong = replace(right, cards={random.choice(PACK): 0.99})
        word = Correction(
            at_ns=0,
            of=0,
            card=max(right.cards, key=right.cards.__getitem__),
            player=max(right.players, key=right.players.__getitem__),
        )
        at_once = play(seen, spoilt, wrong, word, 0)
        late = play(seen, spoilt, wrong, word, random.choice((3, 50, 400)))
        assert late.position == at_once.position, (seed, spoilt)
        of = next(n for n, said in late._past.words.items() if said.card == word.card)
        late.feed(Correction(at_ns=seen[-1].at_ns, of=of, dismiss=True))
        assert late.position == play(seen, spoilt, wrong, None, 0).position, (seed, spoilt)
