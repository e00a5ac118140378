"""What is left out of a landing's possible meanings must be exactly what cannot matter."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.game.phases import Phase
from referee.game.position import Position, Side
from referee.observations import CardLanded
from referee.rules.rule_set import rule_set
from referee.simulated.noise import Noise, observe
from referee.simulated.players import play_deal
from referee.tracker import Tracker
from referee.tracker.guesses import Guess, Report, guesses
from referee.tracker.worlds import FORGOTTEN, FORGOTTEN_IN_PEACE, World, has_more_than, shares

RULES = rule_set("pagat")
NOISE = Noise(misreads=0.1, late_landings=0.3, hidden_places=0.4, unknown_players=0.2)


@pytest.mark.parametrize("least", [0.0, 1e-9, 1e-5, 1e-2, 0.4])
def test_only_guesses_that_cannot_matter_are_left_out(least: float) -> None:
    tracker, landings, left_out = Tracker(RULES), 0, 0
    for seen in observe(play_deal(3), NOISE, 3):
        core = tracker._state.core
        if core is not None and isinstance(seen.observation, CardLanded) and seen.observation.together == 1:
            report = Report.of(seen.observation)
            for world in core.worlds:
                everything = guesses(RULES, world, core.rows, report, None)
                some = guesses(RULES, world, core.rows, report, least)
                negligible = max(least, FORGOTTEN * max(guess.likelihood for guess in everything))
                assert _worth(some, negligible) == _worth(everything, negligible)
                landings, left_out = landings + 1, left_out + len(everything) - len(some)
        tracker.feed(seen.observation)
    assert landings > 50
    assert left_out > 0


def _worth(found: list[Guess], least: float) -> list[Guess]:
    return [guess for guess in found if guess.likelihood >= least]


def test_the_very_unlikely_is_kept_only_where_somebody_may_be_blamed() -> None:
    tracker, at_stake = Tracker(RULES), 0
    for seen in observe(play_deal(3), NOISE, 3):
        tracker.feed(seen.observation)
        core = tracker._state.core
        if core is not None and len(core.worlds) > 1:
            likeliest, lightest = core.worlds[0], math.exp(core.worlds[-1].log_weight)
            blames = any(claim.blames for claim in likeliest.claims.values())
            assert lightest > (FORGOTTEN if blames else FORGOTTEN_IN_PEACE)
            at_stake += blames and lightest < FORGOTTEN_IN_PEACE
    assert at_stake


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=12), st.floats(0.5, 0.999999))
def test_who_outweighs_the_others_has_the_greater_share(weights: list[float], share: float) -> None:
    position = Position(phase=Phase.PLAY, p1=Side(), p2=Side())
    worlds = tuple(World(position, weight) for weight in weights)
    assert has_more_than(share, worlds) == (len(worlds) == 1 or shares(worlds)[0] > share)
    assert math.isclose(sum(shares(worlds)), 1.0)
