"""Piles that are never free: rallies, resting hands, knocks, cards taken back, whole piles taken, restless cameras."""

import numpy as np
import pytest

from hardware.simulated.trouble import Trouble, troubled
from hardware.vision.eyes import Eyes
from hardware.vision.tops import Face
from referee.observations import CardTakenBack, PilesTaken, SensorLost
from referee.script import Gather, Hover, Knock, SquareUp, TakeBack
from tests.hardware.eyetest import MS, DeckReader, cards, film, landings, lay, play, watch


def test_cards_that_follow_each_other_under_hands_that_never_leave_are_all_told():
    rally = [
        lay(2000, "p1", 1, "A", "7H"), lay(2230, "p2", 1, "A", "9C"), lay(2460, "p1", 2, "A", "5C"),
        lay(2690, "p2", 2, "A", "4D"), lay(2920, "p1", 3, "A", "10D"),
    ]  # fmt: skip
    seen = watch(*film(play(*rally, until_ms=4000)))
    assert sorted(landings(seen)) == ["p1:A:10D", "p1:A:5C", "p1:A:7H", "p2:A:4D", "p2:A:9C"]


@pytest.mark.parametrize("height_mm", [38.0, 14.0, 4.0])
def test_a_hand_that_passes_or_rests_without_a_card_lays_nothing(height_mm):
    hand = Hover(
        at_ns=2000 * MS, start_ns=1700 * MS, player="p2", pile="A", hand="R", end_ns=2900 * MS, height_mm=height_mm
    )
    assert landings(watch(*film(play(hand, until_ms=3500)))) == []


def test_a_pile_that_is_squared_up_is_no_landing():
    tidy = SquareUp(at_ns=3200 * MS, start_ns=2900 * MS, player="p2", pile="A", hand="R")
    seen = watch(*film(play(lay(2000, "p1", 1, "A", "7H", dx_mm=9.0, angle_deg=14.0), tidy, until_ms=4000)))
    assert landings(seen) == ["p1:A:7H"]


def test_R29_a_card_that_is_bare_again_after_a_knock_is_no_new_landing():
    knock = Knock(at_ns=2900 * MS, start_ns=2600 * MS, player="p2", pile="A", dx_mm=11.0, dy_mm=4.0, angle_deg=8.0)
    back = TakeBack(at_ns=4200 * MS, start_ns=3800 * MS, player="p1", place=1, pile="A", card=cards("7H")[0], hand="R")
    seen = watch(*film(play(lay(2000, "p1", 1, "A", "7H"), knock, back, until_ms=5200)))
    assert landings(seen) == ["p1:A:7H"]
    assert len([one for one in seen if isinstance(one, CardTakenBack)]) == 1


def test_R51_both_piles_are_taken_after_the_slap():
    ends = (("p1", "A"), ("p2", "B"))
    takes = [Gather(at_ns=3000 * MS, start_ns=2000 * MS, player=player, pile=pile) for player, pile in ends]
    seen = watch(*film(play(*takes, until_ms=4800)))
    assert sorted(one.pile for one in seen if isinstance(one, PilesTaken)) == ["A", "B"]
    assert landings(seen) == []


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble("focus", 200 * MS, 1000 * MS, 3.0),
        Trouble("flicker", 0, 60_000 * MS, 0.15),
        Trouble("led", 300 * MS, 800 * MS, 1.0),
        Trouble("glare", 300 * MS, 60_000 * MS, 0.3),
    ],
    ids=lambda trouble: trouble.what,
)
def test_a_restless_camera_or_lamp_lays_nothing_and_the_next_card_is_seen(trouble):
    renderer, frames = film(play(lay(2900, "p1", 1, "B", "7H"), until_ms=3800), from_ms=1500)
    seen = watch(renderer, troubled(frames, [trouble]))
    assert landings(seen) == ["p1:B:7H"]
    assert not [one for one in seen if isinstance(one, SensorLost | CardTakenBack | PilesTaken)]


def test_a_card_under_a_hand_is_found_by_the_print_of_its_free_end_where_no_edge_shows():
    renderer, frames = film(play(until_ms=1300))
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    eyes.see(frames[0])
    faces = [Face(spot.top, spot.picture, spot.patch) for spot in eyes.rows.spots.values() if spot.top is not None]
    [seven] = [face for face in faces if face.top.reading.best[0] == "7H"]
    pile = eyes.piles["A"].spot
    quad = seven.patch.to_patch(seven.top.pose.quad_mm(eyes.table.card_size_mm))
    (left, top), (right, bottom) = quad.min(axis=0).round().astype(int), quad.max(axis=0).round().astype(int)
    card = seven.picture[top + 3 : bottom - 3, left + 3 : right - 3]
    paper = np.median(card, axis=(0, 1))
    picture = np.full_like(pile.picture, paper)
    y, x = (np.array(picture.shape[:2]) - card.shape[:2]) // 2
    picture[y : y + card.shape[0], x : x + card.shape[1]] = card
    picture[y + card.shape[0] * 8 // 10 :, :] = (110, 140, 190)
    found = pile.finder.like_half(picture, [(face, "upper") for face in faces])
    assert found is not None
    assert found.top.reading.best[0] == "7H"
    assert abs(found.top.pose.x_mm - pile.centre_mm[0]) < 3
    assert abs(found.top.pose.y_mm - pile.centre_mm[1]) < 3
    assert pile.finder.like_half(np.full_like(picture, paper), [(face, "upper") for face in faces]) is None


def test_R29_a_card_that_lies_in_a_row_again_lies_on_no_pile():
    renderer, frames = film(play(until_ms=1300))
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    eyes.see(frames[0])
    pile, laid = eyes.piles["A"], eyes.rows.spots["p1", 1].top
    assert laid is not None
    pile.lay_below(laid)
    assert pile.spot.last.known == (laid,)
    pile.lies_elsewhere(eyes.rows.spots["p2", 2].top)
    assert pile.spot.last.known == (laid,)
    pile.lies_elsewhere(laid)
    assert pile.spot.last.known == ()
