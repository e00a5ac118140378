"""Figures of still photographs: what counts as right, unsure and wrong, and the sheet of the worst mistakes."""

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.measure_stills import Outcome, photos, reliability, report, sheet
from hardware.vision.stills import StillCard
from referee.cards import UNREAD, parse_card

SQUARE = np.array([(40.0, 40.0), (100.0, 40.0), (100.0, 120.0), (40.0, 120.0)])


def read(name: str, p: float = 0.99, top: bool = True, sure: bool = True) -> StillCard:
    card = parse_card(name)
    return StillCard(card if sure else UNREAD, card, p, top, SQUARE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set").mkdir()
    for name in ("pair.png", "cut.png"):
        cv2.imwrite(str(tmp_path / "set" / name), np.full((200, 300, 3), 90, np.uint8))
    rows = [
        "file,kind,cards,deck,notes",
        "pair.png,overlapping,top:10S QH back,old,",
        "cut.png,separate,4C joker,new,cards cut by the frame",
        "clip.mp4,video,AS,new,",
    ]
    (tmp_path / "labels.csv").write_text("\n".join(rows))
    return tmp_path


def test_labels_are_cards_as_the_game_writes_them(folder: Path) -> None:
    pair, cut = photos(folder)
    assert pair.cards == ("10S", "QH") and pair.tops == ("10S",) and pair.whole
    assert cut.cards == ("4C", "JK") and not cut.whole


def test_a_name_beyond_the_labels_is_wrong_only_where_all_cards_are_labelled(folder: Path) -> None:
    pair, cut = photos(folder)
    assert Outcome(pair, [read("10S"), read("9H")]).wrong == {"9H": 1}
    assert Outcome(cut, [read("4C"), read("9H")]).wrong == {}


def test_an_unread_card_is_missed_and_not_wrong(folder: Path) -> None:
    pair, _ = photos(folder)
    outcome = Outcome(pair, [read("10S", top=False), read("KH", p=0.6, sure=False)])
    assert outcome.missed == {"QH": 1} and not outcome.wrong
    table = list(report([outcome]))
    assert "1 of 2" in table[1] and table[1].endswith("0 of 1 (0.0 % [0.0, 79.3])"), "the top was not told as top"


def test_probabilities_that_are_too_sure_show_as_error(folder: Path) -> None:
    pair, _ = photos(folder)
    outcomes = [Outcome(pair, [read("10S", p=0.98), read("9H", p=0.98)])]
    *_, last = reliability(outcomes)
    assert last == "expected calibration error 48.0 %"


def test_the_sheet_shows_the_pictures_with_mistakes_only(folder: Path) -> None:
    pair, cut = photos(folder)
    good, bad = Outcome(pair, [read("10S"), read("QH")]), Outcome(cut, [read("4C")])
    assert sheet([good]).max() == 0
    assert sheet([good, bad]).shape == sheet([bad]).shape and sheet([bad]).max() > 0


MEASURES = {
    "calibration.measure_stills": ["{}"],
    "calibration.measure_table": ["{}"],
    "calibration.training.evaluate": ["--photos", "{}"],
}


@pytest.mark.parametrize("module", list(MEASURES))
@pytest.mark.parametrize("what", ["missing", "empty", "file", "foreign", "no columns"])
def test_a_folder_that_cannot_be_measured_with_is_one_sentence(tmp_path: Path, module: str, what: str) -> None:
    folder = tmp_path / "photos"
    if what == "file":
        folder.write_text("photos")
    elif what != "missing":
        folder.mkdir()
    if what == "foreign":
        (folder / "labels.csv").write_bytes(b"\xff\xfe\0")
        (folder / "a.json").write_text('{"file": 1}')
    if what == "no columns":
        (folder / "labels.csv").write_text("picture;card\na.jpg;AS\n")
        (folder / "a.json").write_text('{"file": "a.jpg", "cards": []}')  # and no picture
    words = [word.format(folder) for word in MEASURES[module]]
    done = subprocess.run([sys.executable, "-m", module, *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert str(folder) in said


def test_a_seed_that_cannot_be_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "calibration.measure_landings", "--seed", "-1"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and "Traceback" not in done.stderr
