"""Drills for the eyes, and how what they said about one is counted."""

from calibration.landing_kinds import landings
from calibration.landing_score import FOUND, IDLE, Watched, score
from hardware.simulated.drill import drill_script, hands_script
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from referee.cards import Card
from referee.observations import CardLanded
from referee.script import Hover, Script
from referee.table import PLAYERS

PASSES = 20


def hovers(script: Script) -> list[Hover]:
    return [action for action in script.actions if isinstance(action, Hover)]


def test_in_a_drill_of_hands_both_pass_as_often_as_asked_and_lay_hardly_a_card():
    script = hands_script(7, PASSES)
    assert [sum(hover.player == player for hover in hovers(script)) for player in PLAYERS] == [PASSES, PASSES]
    assert len(landings(script)) < PASSES / 2
    assert script == hands_script(7, PASSES)


def test_a_hand_that_is_told_as_a_card_is_counted_against_the_eyes_and_nobody_else_s_is():
    script = hands_script(7, PASSES)
    quiet = next(
        hover
        for hover in hovers(script)
        if all(one.pile != hover.pile or abs(one.at_ns - hover.end_ns) > 500_000_000 for one in landings(script))
    )
    told = CardLanded(
        at_ns=quiet.end_ns, earliest_ns=quiet.at_ns, latest_ns=quiet.end_ns, pile=quiet.pile, cards={Card("7H"): 0.9},
        players={quiet.player: 1.0},
    )  # fmt: skip
    renderer = Renderer(script, Look.seeded(7))
    wrong = score(Watched(script, renderer, [(told.at_ns, told)]), "a drill")
    silent = score(Watched(script, renderer, []), "a drill")
    assert (wrong.shares[IDLE].k, wrong.shares[IDLE].n) == (1, 2 * PASSES)
    assert silent.shares[IDLE].k == 0
    assert silent.shares[FOUND].k == 0 < silent.shares[FOUND].n


def test_a_drill_of_landings_has_many_of_them():
    assert len(landings(drill_script(7))) >= 30
