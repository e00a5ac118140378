"""Learning the deck at hand: a rendered pack is dealt out, enrolled, and read under a worse lamp than it was shown."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.deck import Doubtful, Enrolment, in_reading_order, parse_order, refuse_twins, report
from hardware.simulated.dealt import Dealt, Light, deal_out
from hardware.simulated.deck import Deck
from hardware.vision.enrolled import EnrolledDeck, EnrolledReader, deck_file, load_deck, reader_for, save_deck
from hardware.vision.reader import CLASSES, CardReader, rectify
from hardware.vision.stills import StillReader
from referee.cards import PACK, UNREAD, Card
from referee.cli.calibrate.terminal import TerminalBench
from referee.errors import DeckError, NotationError
from referee.settings import Settings

COURTS = tuple(card for card in PACK if card[0] in "JQK")
DIM = Light(exposure=0.6, warmth=0.5, blur_px=1.0, noise=4)


def crops(dealt: Dealt) -> NDArray[np.uint8]:
    return np.stack([rectify(dealt.image, quad) for _, quad in dealt.cards])


def dealt(cards: tuple[Card, ...], seed: int, light: Light | None = None, style: str = "tavern") -> Dealt:
    return deal_out(Deck(style, 1.6), cards, 9, seed, light)


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader()


@pytest.fixture(scope="module")
def courts(reader: CardReader) -> EnrolledDeck:
    return EnrolledDeck.learned(reader, COURTS, crops(dealt(COURTS, 1)))


def test_the_courts_of_an_enrolled_deck_are_all_read_right_under_a_worse_lamp(
    reader: CardReader, courts: EnrolledDeck
) -> None:
    read = EnrolledReader(courts, reader).read(crops(dealt(COURTS, 2, DIM)))
    assert [one.best[0] for one in read] == list(COURTS)
    assert sum(one.best[1] > 0.9 for one in read) >= len(COURTS) - 1


def test_odds_still_add_up_to_one_and_a_back_stays_a_back(reader: CardReader, courts: EnrolledDeck) -> None:
    seen = crops(deal_out(Deck("tavern", 1.6), [None, Card("KS"), Card("7H")]))
    odds = EnrolledReader(courts, reader).odds(seen)
    assert odds.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-4)
    assert odds[0, CLASSES.index("face_down")] == pytest.approx(
        reader.odds(seen)[0, CLASSES.index("face_down")], abs=1e-5
    )


def test_a_card_that_was_not_enrolled_is_still_read(reader: CardReader, courts: EnrolledDeck) -> None:
    pips = (Card("7H"), Card("4C"), Card("10D"))
    read = EnrolledReader(courts, reader).read(crops(dealt(pips, 3)))
    assert [one.best[0] for one in read] == list(pips)


def test_far_from_every_enrolled_card_the_network_is_left_alone(courts: EnrolledDeck) -> None:
    strange = np.full((1, len(CLASSES)), 1e-4, np.float32)
    strange[0, CLASSES.index("7H")] = 1 - strange[0, 1:].sum()
    assert courts.sharpened(strange)[0, CLASSES.index("7H")] > 0.95


def test_the_deck_file_brings_back_the_same_deck(tmp_path: Path, reader: CardReader, courts: EnrolledDeck) -> None:
    path = deck_file(tmp_path / "table.toml")
    save_deck(courts, path)
    again = load_deck(path)
    seen = reader.odds(crops(dealt(COURTS, 5, DIM)))
    assert again.known == courts.known
    assert again.fits(reader)
    assert again.sharpened(seen) == pytest.approx(courts.sharpened(seen))
    save_deck(courts, path)
    assert path.with_name("deck.npz.previous").exists()


@pytest.mark.parametrize("text", [b"", b"not a deck", b"PK\x03\x04 half a file"])
def test_a_damaged_deck_file_is_named_with_its_cure(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "deck.npz"
    path.write_bytes(text)
    with pytest.raises(DeckError, match="calibrate deck"):
        load_deck(path)


def test_without_a_deck_file_the_general_reader_serves_and_a_named_one_must_be_there(tmp_path: Path) -> None:
    assert type(reader_for(tmp_path / "deck.npz")) is CardReader
    with pytest.raises(DeckError, match="does not exist"):
        reader_for(tmp_path / "deck.npz", must_exist=True)


def test_a_deck_of_another_network_is_learned_anew(reader: CardReader, courts: EnrolledDeck) -> None:
    class Changed(CardReader):
        def odds(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
            return np.asarray(np.roll(reader.odds(crops), 1, axis=1), np.float32)

    assert not courts.fits(Changed())
    assert EnrolledReader(courts, Changed()).deck.fits(Changed())


def test_a_deck_with_two_cards_alike_is_refused_by_their_names(reader: CardReader) -> None:
    shown = crops(dealt((Card("QS"), Card("QS"), Card("7H")), 6))
    _, pairs = EnrolledDeck.examined(reader, [Card("QS"), Card("KS"), Card("7H")], shown)
    with pytest.raises(DeckError, match=r"QS and KS .* cannot be told apart"):
        refuse_twins(pairs)


def test_a_person_names_what_was_not_named_surely_and_leaves_out_the_rest() -> None:
    blank, odds = np.zeros((120, 88, 3), np.uint8), np.full(len(CLASSES), 1e-4, np.float32)
    odds[CLASSES.index("QS")], odds[CLASSES.index("KS")] = 0.6, 0.3
    gathered = Enrolment(doubtful=[Doubtful(blank, odds, f"picture 1, card {n}") for n in (1, 2)])
    assert gathered.doubtful[0].likely(PACK)[:2] == ["QS", "KS"]
    assert gathered.doubtful[0].likely([Card("KS"), Card("2H")])[:2] == ["KS", "2H"], "the queen was seen already"
    gathered.take_names([Card("QS"), None])
    assert gathered.names == ["QS"]
    assert [one.where for one in gathered.doubtful] == ["picture 1, card 2"]


def test_a_sound_deck_is_not_refused_and_the_closest_pairs_come_first(reader: CardReader) -> None:
    _, pairs = EnrolledDeck.examined(reader, COURTS, crops(dealt(COURTS, 1)))
    refuse_twins(pairs)
    assert [pair.odds for pair in pairs] == sorted(pair.odds for pair in pairs)
    assert len(pairs) == len(COURTS) * (len(COURTS) - 1) // 2


def test_a_picture_of_cards_lying_apart_is_enrolled_by_name_or_by_order(reader: CardReader) -> None:
    cards = (*PACK[:4], Card("KH"))
    picture = dealt(cards, 7)
    gathered = Enrolment()
    stills = StillReader(reader=reader)
    assert gathered.see(picture.image, stills, reader, "one.jpg", order=list(cards)) == len(cards)
    assert gathered.names == list(cards)
    with pytest.raises(DeckError, match=r"one.jpg: 5 cards lie free, --order names 2"):
        gathered.see(picture.image, stills, reader, "one.jpg", order=list(cards[:2]))
    deck, pairs = gathered.learned(reader)
    assert report(deck, pairs, [])[0] == "5 cards enrolled from 5 pictures of them"
    assert "missing: 5S" in report(deck, pairs, [])[1]


def test_nothing_named_is_refused_with_the_cure(reader: CardReader) -> None:
    with pytest.raises(DeckError, match="--order"):
        Enrolment().learned(reader)


def test_the_last_cards_of_the_pack_are_named_by_what_is_missing() -> None:
    blank = np.zeros((120, 88, 3), np.uint8)
    odds = np.full(len(CLASSES), 1e-4, np.float32)
    odds[CLASSES.index("QS")], odds[CLASSES.index("KS")] = 0.5, 0.45
    named = [card for card in PACK if card != "KS"]
    gathered = Enrolment(named, [blank] * 51, [Doubtful(blank, odds, "picture 2, card 9")])
    gathered.settle_rest()
    assert gathered.names[-1] == "KS"
    assert (gathered.missing, gathered.doubtful) == ((), [])


def test_cards_are_put_in_reading_order_though_they_lie_askew() -> None:
    places = [(300, 105), (100, 95), (500, 88), (120, 300), (310, 310)]
    square = np.array([(-20, -30), (20, -30), (20, 30), (-20, 30)], np.float64)
    quads = [square + place for place in places]
    ordered = in_reading_order([(UNREAD, quads[n]) for n in (4, 2, 0, 3, 1)])
    assert [tuple(quad.mean(axis=0)) for _, quad in ordered] == [places[n] for n in (1, 0, 2, 3, 4)]


def test_an_order_is_read_with_spaces_or_commas() -> None:
    assert parse_order("as, TS kd") == ["AS", "10S", "KD"]
    with pytest.raises(NotationError):
        parse_order("AS 11H")


def test_the_terminal_asks_for_names_until_they_are_cards_and_nobody_is_asked_in_a_script(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    odds = np.full(len(CLASSES), 1e-4, np.float32)
    asked = [Doubtful(np.zeros((120, 88, 3), np.uint8), odds, f"picture 1, card {n}") for n in (1, 2)]
    bench = TerminalBench(Settings())
    assert bench.names_of(asked, PACK) == [None, None], "the test's input is no terminal"
    answers = iter(["queen", "qs", ""])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.prompt", lambda text, **options: next(answers))
    assert bench.names_of(asked, PACK) == ["QS", None]
    assert "queen" in capsys.readouterr().err
