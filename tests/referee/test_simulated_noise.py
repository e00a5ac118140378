"""Simulated sensors: errors at the rate they say, calibrated, and reports in order of arrival."""

from referee.observations import CardLanded, PadSlapped
from referee.script import Lay, SpitDown
from referee.simulated.noise import PERFECT, Noise, observe
from referee.simulated.players import play_game
from referee.simulated.score import breaches_of


def landings(noise: Noise) -> list[tuple[str, dict[str, float]]]:
    seen = [one for seed in range(6) for one in observe(play_game(seed), noise, seed)]
    return [
        (one.about.card, dict(one.observation.cards))
        for one in seen
        if isinstance(one.observation, CardLanded) and isinstance(one.about, Lay | SpitDown)
    ]


def test_perfect_sensors_read_every_card_right() -> None:
    assert all(cards == {card: 1.0} for card, cards in landings(PERFECT))


def test_readings_are_wrong_with_the_rate_and_say_so() -> None:
    read = landings(Noise(misreads=0.1))
    wrong = sum(max(cards, key=cards.__getitem__) != card for card, cards in read) / len(read)
    claimed = sum(1 - max(cards.values()) for _, cards in read) / len(read)
    assert 0.07 < wrong < 0.13
    assert abs(wrong - claimed) < 0.03


def test_the_same_seed_sees_the_same_and_pads_carry_their_uncertainty() -> None:
    script = play_game(3)
    once, again = list(observe(script, Noise(), 3)), list(observe(script, Noise(), 3))
    assert once == again
    slaps = [one.observation for one in once if isinstance(one.observation, PadSlapped)]
    assert slaps and all(slap.uncertainty_ns == 50_000 for slap in slaps)


def test_on_one_pile_landings_are_told_in_the_order_of_touch() -> None:
    for pile in ("A", "B"):
        seen = [one.observation for one in observe(play_game(4), Noise(), 4)]
        touches = [one.at_ns for one in seen if isinstance(one, CardLanded) and one.pile == pile]
        assert touches == sorted(touches)


def test_breaches_are_those_that_somebody_is_to_blame_for() -> None:
    reasons = {getattr(action, "intent", "") for seed in range(4) for action in breaches_of(play_game(seed))}
    assert "not_adjacent" in reasons and not reasons & {"legal", "beaten", "on_illegal_card", "call"}
