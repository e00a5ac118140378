"""The card reader at the table: it names cards of a deck it has never seen, and says so when it cannot tell."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulated.deck import DECK_STYLES, Deck
from hardware.vision.reader import (
    CLASSES,
    CROP_MARGIN,
    CROP_SIZE,
    CardReader,
    reading_of,
    rectify,
)
from referee.cards import JOKER, PACK, UNREAD, Card

FELT = (60, 90, 40)


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader()


def on_felt(
    card: Card | None, style: str = "club", px_per_mm: float = 2.0, turn_deg: float = 20.0
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """A card lying on green felt as a soft picture, and its own corners TL, TR, BR, BL in pixels."""
    art = Deck(style, px_per_mm).art(card)
    h, w = art.shape[:2]
    size = 320
    turn = cv2.getRotationMatrix2D((w / 2 - 0.5, h / 2 - 0.5), turn_deg, 1.0)
    turn[:, 2] += (size / 2 - w / 2, size / 2 - h / 2)
    laid = cv2.warpAffine(art, turn, (size, size))
    table = np.full((size, size, 3), FELT, np.uint8)
    picture = np.asarray(laid[..., :3] + table * (1 - laid[..., 3:] / 255.0), np.uint8)
    corners = np.array([(-0.5, -0.5), (w - 0.5, -0.5), (w - 0.5, h - 0.5), (-0.5, h - 0.5)])
    own = np.asarray(corners @ turn[:, :2].T + turn[:, 2], np.float64)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8), own


def crops_of(cards: list[Card], style: str) -> NDArray[np.uint8]:
    return np.stack([rectify(*on_felt(card, style)) for card in cards])


@pytest.mark.parametrize("style", DECK_STYLES)
def test_a_whole_pack_that_it_never_saw_is_named_without_one_false_name(reader: CardReader, style: str) -> None:
    readings = reader.read(crops_of(list(PACK), style))
    named = [(card, *reading.best) for card, reading in zip(PACK, readings, strict=True)]
    assert [(card, said) for card, said, p in named if p > 0.9 and said != card] == []
    assert sum(said == card and p > 0.9 for card, said, p in named) >= 46


def test_a_court_that_looks_like_another_suit_is_named_by_its_index(reader: CardReader) -> None:
    courts = [card for card in PACK if card[0] in "JQK"]
    lying = [on_felt(card, "parlour", px_per_mm=1.4, turn_deg=8.0) for card in courts]
    alone = [reader.read_quad(*one) for one in lying]
    checked = [reader.checked(reading, *one) for reading, one in zip(alone, lying, strict=True)]
    assert [reading.best[0] for reading in checked] == courts
    assert sum(p > 0.97 for _, p in (one.best for one in checked)) > sum(
        p > 0.97 for _, p in (one.best for one in alone)
    )


def test_without_an_index_in_view_a_reading_stays_as_it_is(reader: CardReader) -> None:
    picture, quad = on_felt(Card("KS"))
    reading = reader.read_quad(picture, quad)
    assert reader.checked(reading, np.full_like(picture, FELT), quad) == reading


def test_a_card_reads_the_same_either_way_up(reader: CardReader) -> None:
    picture, quad = on_felt(Card("6H"))
    upright, turned = reader.read_quad(picture, quad), reader.read_quad(picture, np.roll(quad, 2, axis=0))
    assert upright.best[0] == turned.best[0] == "6H"
    assert upright.best[1] == pytest.approx(turned.best[1], abs=0.02)


def test_a_back_is_face_down_and_bare_felt_is_nothing(reader: CardReader) -> None:
    felt = np.full((CROP_SIZE[1], CROP_SIZE[0], 3), FELT, np.uint8)
    back, bare = reader.read(np.stack([rectify(*on_felt(None)), felt]))
    assert back.face_down > 0.9
    assert bare.best[1] < 0.5


def test_noise_is_never_named_surely(reader: CardReader) -> None:
    rng = np.random.default_rng(4)
    noise = rng.integers(0, 256, (20, CROP_SIZE[1], CROP_SIZE[0], 3), dtype=np.uint8)
    soft = np.stack([cv2.GaussianBlur(n, (0, 0), 6) for n in noise])
    assert max(reading.best[1] for reading in reader.read(np.concatenate([noise, soft]))) < 0.9


def test_a_card_smeared_over_20_mm_is_unsure_rather_than_wrong(reader: CardReader) -> None:
    crops = np.stack([cv2.blur(crop, (25, 25)) for crop in crops_of(list(PACK), "club")])
    false = [(c, r.best) for c, r in zip(PACK, reader.read(crops), strict=True) if r.best[0] != c and r.best[1] > 0.9]
    assert false == []


def test_odds_add_up_to_one_and_no_crops_give_no_rows(reader: CardReader) -> None:
    odds = reader.odds(crops_of([Card("AS"), Card("10D")], "parlour"))
    assert odds.shape == (2, len(CLASSES))
    assert odds.sum(axis=1) == pytest.approx([1, 1], abs=1e-4)
    assert reader.odds(np.zeros((0, 120, 88, 3), np.uint8)).shape == (0, len(CLASSES))


def test_rectify_puts_the_corners_where_the_network_expects_them_at_any_fineness() -> None:
    for px_per_mm in (1.0, 2.0, 9.0):
        w, h = round(63.5 * px_per_mm), round(88.9 * px_per_mm)
        picture = np.zeros((h + 80, w + 80, 3), np.uint8)
        picture[40 : 40 + h, 40 : 40 + w] = 255
        quad = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float64) + 39.5
        white = cv2.boundingRect((rectify(picture, quad)[..., 0] > 127).astype(np.uint8))
        assert white == (CROP_MARGIN, CROP_MARGIN, CROP_SIZE[0] - 2 * CROP_MARGIN, CROP_SIZE[1] - 2 * CROP_MARGIN)


def test_a_reading_keeps_the_likeliest_first_and_drops_the_hopeless() -> None:
    row = np.zeros(len(CLASSES), np.float32)
    row[CLASSES.index("QH")], row[CLASSES.index("QD")], row[CLASSES.index(str(JOKER))] = 0.2, 0.7, 0.0005
    reading = reading_of(row)
    assert list(reading.cards) == ["QD", "QH"]
    assert reading_of(np.zeros(len(CLASSES), np.float32)).best == (UNREAD, 0.0)
