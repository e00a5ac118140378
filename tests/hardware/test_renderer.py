"""The simulated table: its pictures agree with its truth, and its people move like people."""

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest

from hardware.pads.edges import FOUR_PADS
from hardware.simulated.choreography import Choreography
from hardware.simulated.deck import DECK_STYLES, Deck
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer, SeenCard
from hardware.simulated.rig import SimulatedCamera, pad_changes, pad_observations
from hardware.simulated.trouble import Trouble, troubled
from hardware.simulated.view import Camera
from referee.cards import PACK, Card
from referee.observations import PadSlapped
from referee.script import AnyAction, Deal, Gather, Lay, Script, Slap
from referee.simulated.players import play_deal

SECOND = 1_000_000_000
CLEAN = replace(Look(), noise=0.0, defocus_px=0.0)


def a_row(*tops: str) -> tuple[tuple[Card, ...], ...]:
    return tuple((Card(top),) for top in tops)


def script(*actions: AnyAction, seconds: float = 6) -> Script:
    """Both rows lie there from the start; then the actions."""
    rows = (a_row("5H", "9C", "KS", "2D", "AS"), a_row("7D", "10H", "QC", "3S", "8H"))
    deals = [
        Deal(at_ns=0, start_ns=0, player=player, row=row, spit=(Card("JD"), Card("4C")) if player == "p1" else ())
        for player, row in zip(("p1", "p2"), rows, strict=True)
    ]
    return Script(seed=1, rules="pagat", actions=(*deals, *actions), end_ns=round(seconds * SECOND))


def lay(player: str, place: int, pile: str, card: str, at_s: float) -> Lay:
    touch = round(at_s * SECOND)
    start = touch - SECOND // 3
    return Lay(at_ns=touch, start_ns=start, player=player, place=place, pile=pile, card=Card(card), hand="R")


def rectified(picture: np.ndarray, seen: SeenCard, deck: Deck) -> np.ndarray:
    art = deck.art(seen.card if seen.up else None)
    height, width = art.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(seen.quad_px.astype(np.float32), corners)
    return cv2.warpPerspective(picture, matrix, (width, height))


@pytest.mark.parametrize("lens", [0.0, -0.06])
def test_a_card_is_where_the_truth_says(lens: float) -> None:
    camera = Camera(tilt_deg=4, pan_deg=-2, roll_deg=5, lens_k1k2p1p2k3=(lens, 0, 0, 0, 0))
    renderer = Renderer(script(), replace(CLEAN, camera=camera))
    picture = renderer.picture(SECOND)
    tops = [seen for seen in renderer.truth(SECOND).cards if seen.top]
    assert len(tops) == 11, "ten row cards and one packet of spit cards"
    for seen in tops:
        found = rectified(picture, seen, renderer.deck)[8:-8, 8:-8].ravel()
        printed = renderer.deck.art(seen.card if seen.up else None)[8:-8, 8:-8, :3].ravel()
        likeness = np.corrcoef(found, printed)[0, 1]
        assert likeness > 0.9, f"{seen.card} at {seen.spot}: {likeness:.3f}"


def test_truth_agrees_with_the_exact_table_file() -> None:
    renderer = Renderer(script(), CLEAN)
    table = renderer.table()
    for seen in renderer.truth(SECOND).cards:
        if seen.spot.startswith("p1.") and seen.up:
            middle_mm = table.to_mm(seen.quad_px).mean(axis=0)
            place = table.rows["p1"][int(seen.spot[3:]) - 1]
            assert np.linalg.norm(middle_mm - place.mean(axis=0)) < 12


def test_the_same_look_and_script_give_the_same_frames_also_backwards() -> None:
    play = script(lay("p1", 1, "A", "5H", 2.0))
    look = Look.seeded(3)
    once, again = Renderer(play, look), Renderer(play, look)
    forwards = [once.frame(n).image for n in (10, 55, 62, 90)]
    backwards = [again.frame(n).image for n in (90, 62, 55, 10)][::-1]
    assert all((a == b).all() for a, b in zip(forwards, backwards, strict=True))
    assert (once.frame(90).image != Renderer(play, Look.seeded(4)).frame(90).image).any()


@pytest.mark.parametrize(("player", "card", "place"), [("p1", "KS", 3), ("p2", "QC", 3)])
def test_hands_come_from_their_owners_side_and_take_the_card_along(player: str, card: str, place: int) -> None:
    play = script(lay(player, place, "A", card, 2.0))
    renderer = Renderer(play, CLEAN)
    before = renderer.picture(SECOND).astype(int)
    during = renderer.picture(2 * SECOND).astype(int)
    changed = np.abs(during - before).max(axis=2) > 40
    own_edge, other_edge = (changed[-1], changed[0]) if player == "p1" else (changed[0], changed[-1])
    assert own_edge.any(), "an arm reaches in over its owner's edge"
    assert not other_edge.any()
    (where,) = [seen.spot for seen in renderer.truth(2 * SECOND).cards if seen.card == card]
    assert where == "A"


def test_a_carried_card_is_in_the_air_under_the_hand() -> None:
    renderer = Renderer(script(lay("p1", 3, "A", "KS", 2.0)), CLEAN)
    at_ns = round(1.85 * SECOND)
    truth = renderer.truth(at_ns)
    (flying,) = [seen for seen in truth.cards if seen.spot == "air"]
    assert flying.card == "KS"
    ((hand, tip_px),) = truth.hands
    assert (hand.player, hand.hand) == ("p1", "R")
    assert cv2.pointPolygonTest(flying.quad_px.astype(np.float32), tip_px, True) > -20


def test_no_card_is_ever_lost_or_doubled() -> None:
    play = play_deal(11)
    renderer = Renderer(play, CLEAN)
    dealt = max(action.at_ns for action in play.actions if isinstance(action, Deal))
    gathered = min(action.start_ns for action in play.actions if isinstance(action, Gather))
    for at_ns in range(dealt, gathered, SECOND // 7):
        assert sorted(seen.card for seen in renderer.truth(at_ns).cards) == sorted(PACK)


def test_hands_never_jump() -> None:
    stage = Choreography(play_deal(12), Look())
    for path in stage.hands.values():
        places = [hand for at_ns in range(0, stage.script.end_ns, SECOND // 60) if (hand := path.at(at_ns))]
        for a, b in pairwise(places):
            assert np.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) < 170, "10 m/s is faster than any hand"


@pytest.mark.parametrize("style", sorted(DECK_STYLES))
def test_a_deck_has_52_faces_that_differ(style: str) -> None:
    deck = Deck(style, px_per_mm=2.0)
    faces = [deck.art(card)[..., :3].astype(int) for card in PACK]
    for n, face in enumerate(faces):
        others = [np.abs(face - other).mean() for other in faces[n + 1 :]]
        assert min(others, default=99) > 0.4
    for card in PACK:
        turned = deck.art(card)[::-1, ::-1]
        same_up = card[-1] == "D" or card[:-1] in ("2", "4", "10", "J", "Q", "K")
        assert not same_up or np.abs(turned.astype(int) - deck.art(card)).mean() < 4, card


def test_the_camera_keeps_real_time_and_leaves_late_frames_out() -> None:
    now = [0]

    def clock() -> int:
        now[0] += SECOND // 10  # every look at the clock costs a tenth of a second: far too slow for 30 frames
        return now[0]

    camera = SimulatedCamera(Renderer(script(seconds=1), CLEAN), clock)
    numbers = [frame.number for frame in camera.frames()]
    assert camera.dropped == 30 - len(numbers) > 10
    assert numbers == sorted(numbers)


def test_pads_bounce_and_still_tell_first_contact() -> None:
    start, end = SECOND // 2, SECOND + SECOND // 5
    slaps = [
        Slap(at_ns=SECOND + n * 137_000, start_ns=start, player=player, pile="A", hand="R", release_ns=end)
        for n, player in enumerate(("p1", "p2"))
    ]
    play = script(*slaps)
    assert len(pad_changes(play)) > 4, "contacts bounce"
    told = [seen for seen in pad_observations(play) if isinstance(seen, PadSlapped)]
    assert [(seen.at_ns, seen.player) for seen in told] == [(slap.at_ns, slap.player) for slap in slaps]
    assert {pad.player for pad in FOUR_PADS} == {"p1", "p2"}


def test_troubles_come_and_go() -> None:
    renderer = Renderer(script(seconds=1), CLEAN)
    frames = [renderer.frame(n) for n in range(12)]
    third = SECOND // 10
    spoiled = list(troubled(frames, [Trouble("black", third, 2 * third), Trouble("lost", 2 * third, 3 * third)]))
    assert len(spoiled) == 9, "three frames are lost"
    assert [bool(frame.image.any()) for frame in spoiled[:6]] == [True] * 3 + [False] * 3
    (nudged, *_) = troubled(frames, [Trouble("nudge", 0, SECOND, 8)])
    assert (nudged.image[4:, 8:] == frames[0].image[:-4, :-8]).all()
