"""Every reason has a rule and a sentence with its numbers; the phases are one table; the docs draw it."""

import re
from pathlib import Path

import pytest
from spoken import P2, Table, position

from referee.errors import PhaseError
from referee.game.announcements import (
    Award,
    BreachSeen,
    DeadHeat,
    DealOver,
    FalseSlap,
    GameOver,
    NextDeal,
    NotStuck,
    SpitCall,
    Stuck,
)
from referee.game.events import Draw, Move
from referee.game.phases import TRANSITIONS, Cause, Phase, next_phase, state_diagram
from referee.game.position import Position, Side
from referee.game.rulings import Breach, Doubt, Facts, Illegal, Undecided
from referee.game.wording import LAWS, announce, explain, rule_of, say_duration
from referee.verdicts import DealPlan

ONE_PILE = {"p1": "0:7S 1:QH - - -", "a": "8D*30", "b": None, "spit": (0, 16)}
STUCK = {"p1": "0:2S 1:QH 2:3D 3:10C 4:5H", "p2": "0:KD 1:4S 2:JC 3:6D 4:2H", "a": "8D", "b": "8C"}


def provoke() -> dict[object, str]:
    """Make every reason happen at a table, and return what the players are told."""
    games = [
        (Table(), ["p1 10C A"]),
        (Table(options={"colours": "alternate"}, p1="0:7H 1:QH"), ["p1 7H A"]),
        (Table(), ["p1 7S A", "p2 9C A @8"]),
        (Table(p2="0:6C 1:4S 2:9C 3:JD 4:2H"), ["p1 5H A", "p2 6C A"]),
        (Table(), ["p1 7S+QH A"]),
        (Table(b="JC"), ["p1 7S A R", "p1 QH B L @90"]),
        (Table(), ["p1 9S A"]),
        (Table(), ["p1 9C A"]),
        (Table(), ["p1 7S A", "p1 takes 7S A"]),
        (Table(start=Position(phase=Phase.FIRST_SPIT, p1=Side(due=("A",)), p2=Side())), ["p1 7S A"]),
        (Table(p1="0:7S - - - -"), ["p1 7S A", "p2 9C A @40"]),
        (Table(**ONE_PILE), ["p2 9C B"]),
        (Table(), ["p1 moves 7S 1-2"]),
        (Table(p1="- 2: 1:QH 1:5H 1:3D"), ["p1 moves ?? 2-1"]),
        (Table(), ["p1 moves 7S 1-6"]),
        (Table(), ["p1 turns 3 6H"]),
        (Table(), ["p1 spits 6H A"]),
        (Table(**STUCK), ["tick", "p1 spits 8H B"]),
        (Table(**STUCK), ["tick", "p1 spits 8H A", "p1 spits 9H A"]),
        (Table(**STUCK, spit=(0, 4)), ["tick", "p1 spits 8H A"]),
        (Table("bicycle", p1="0:7S 0:QH 0:3D 0:10C", p2="0:KD 0:4S 0:9C 0:JD"), ["p1 refills 2 9H"]),
        (Table(start=position("1: 2: 3: 4: -", a=None, b=None, phase=Phase.FIRST_SPIT, spit=(0, 9))), ["p1 lays KH"]),
        (Table(), ["p1 7S A unordered", "p2 9C A unordered @0"]),
        (Table(), ["p1 ?? A 1", "p2 9C A"]),
        (Table(p2=P2, p1="2: 1:QH", b="10S"), ["p2 9C A", "p1 9C B"]),
        (Table(p1="0:7S - - - -"), ["p1 7S A", "unknown slaps B"]),
        (Table(p1="0:7S - - - -"), ["p1 7S A", "p1 slaps B", "p2 slaps B @0.05"]),
    ]
    told: dict[object, str] = {}
    for table, lines in games:
        rulings, _ = table.judge.step([table.event(line) for line in lines])
        told |= {ruling.reason: explain(ruling) for ruling in rulings if isinstance(ruling, Illegal | Undecided)}
    table = Table()
    stolen = table.judge.feed(Move(at_ns=0, player="p1", from_place=5, to_place=1, card="2H", owner="p2")).ruling
    full = Table("speed", start=Position(phase=Phase.PLAY, p1=Side(hand=5, packet=3), p2=Side(hand=5, packet=3)))
    for ruling in (stolen, full.judge.feed(Draw(at_ns=0, player="p1")).ruling):
        assert isinstance(ruling, Illegal)
        told[ruling.reason] = explain(ruling)
    return told


def test_every_reason_happens_and_its_sentence_is_complete() -> None:
    told = provoke()
    assert set(told) == {*Breach, *Doubt} == set(LAWS)
    for reason, sentence in told.items():
        assert "None" not in sentence, (reason, sentence)
        assert re.fullmatch(r"[A-Z].*\.", sentence), (reason, sentence)


def test_every_reason_names_a_rule_of_the_table() -> None:
    assert all(re.fullmatch(r"R[1-9]\d?", law.rule) for law in LAWS.values())
    same_rank = Illegal(Breach.NOT_ADJACENT, "p1", Facts(card=None, apart=0))
    assert (rule_of(same_rank), rule_of(Illegal(Breach.NOT_ADJACENT, "p1"))) == ("R23", "R22")


@pytest.mark.parametrize(
    ("reason", "number"),
    [
        (Breach.BEATEN, "8 ms"),
        (Breach.TWO_HANDS, "90 ms before, and 400 ms"),
        (Breach.TOO_MANY_PILES, "6 piles are too many: a row has 5"),
        (Breach.DEAL_IS_OVER, "40 ms too late"),
        (Breach.LAYOUT_MISMATCH, "a row of 1 does not fit 10 cards: lay out 4 or 5"),
        (Doubt.DEAD_HEAT, "50 µs apart, and more than 100 µs"),
    ],
)
def test_a_sentence_names_the_numbers_behind_it(reason: object, number: str) -> None:
    assert number in provoke()[reason]


def test_names_of_the_players_are_a_setting_and_nobody_is_somebody() -> None:
    ruling = Illegal(Breach.TWO_CARDS, "p2", Facts(count=2, limit=1))
    assert explain(ruling, {"p1": "Anna", "p2": "Ben McKay"}).startswith("Ben McKay, put the 2 cards back")
    assert explain(Illegal(Breach.TWO_CARDS, "unknown", Facts(count=2, limit=1))).startswith("Somebody, ")


@pytest.mark.parametrize(("ns", "said"), [(40_000, "40 µs"), (8_000_000, "8 ms"), (1_234_000_000, "1.23 s")])
def test_times_are_said_in_the_unit_that_people_compare(ns: int, said: str) -> None:
    assert say_duration(ns) == said


def test_every_announcement_is_said_in_a_sentence() -> None:
    plan = DealPlan(cards=26, row=(1, 2, 3, 4, 5), spit=11)
    announcements = [
        Stuck(),
        SpitCall(onto={"p1": "A", "p2": "any"}),
        DealOver(reason="cleared", by="p1"),
        DealOver(reason="stuck_out"),
        Award(p1="A", p2="none"),
        NextDeal(piles=2, p1=plan, p2=plan, first={"p1": ("A",), "p2": ("B",)}),
        GameOver(winner="draw"),
        GameOver(winner="p2"),
        DeadHeat(pile="A"),
        FalseSlap(who="unknown"),
        NotStuck(who=("p1", "p2")),
        BreachSeen(reason=Breach.TWO_HANDS, who="p1"),
    ]
    for said in announcements:
        assert re.fullmatch(r"[A-Z].*\.", announce(said)), said
        numbers = re.findall(r"\d", announce(said, {"p1": "Anna", "p2": "Ben"}))
        assert not numbers or isinstance(said, NextDeal), "no size of a pile is told before the slap"


def test_one_card_is_no_cards() -> None:
    few, many = DealPlan(cards=1, row=(1, 0, 0, 0, 0), spit=0), DealPlan(cards=51, row=(1, 2, 3, 4, 5), spit=36)
    deal = announce(NextDeal(piles=1, p1=few, p2=many, first={"p2": ("A",)}))
    assert deal == "Player 1 has 1 card, Player 2 51. One middle pile, started by Player 2."
    mismatch = Illegal(Breach.LAYOUT_MISMATCH, "p1", Facts(count=2, limit=1, expected="1"))
    assert explain(mismatch) == "Player 1, a row of 2 does not fit 1 card: lay out 1 pile."


def test_a_change_of_phase_that_the_table_does_not_have_is_a_bug_and_says_what_was_allowed() -> None:
    with pytest.raises(PhaseError, match="allowed here: both piles are started"):
        next_phase(Phase.FIRST_SPIT, Cause.GAME_WON)


def test_the_diagram_shows_every_row_of_the_table() -> None:
    diagram = state_diagram()
    for phase, row in TRANSITIONS.items():
        for cause, after in row.items():
            assert f"{phase} --> {after}: {cause}" in diagram
    assert set(TRANSITIONS) == set(Phase)


def test_the_docs_show_the_diagram_of_the_table_that_the_engine_runs_on() -> None:
    assert state_diagram() in (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
