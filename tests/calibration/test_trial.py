"""The test of a calibrated table: a rendered table lies there, and the table file is right, or not."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.trial import answers, fitted_on, measured, read_table
from hardware.checks.report import Answer
from hardware.frames import Image
from hardware.simulated.renderer import Renderer
from hardware.tablefile import BRIDGE_MM, POKER_MM, Table, load_table, picture_hash, rectangle
from hardware.vision.reader import CardReader
from referee.cli.calibrate import finding, seeing, wizard
from referee.errors import DeviceError, SettingsError, TableFileError
from tests.hardware.eyetest import P1_ROW, P2_ROW, DeckReader, film, play


@pytest.fixture(scope="module")
def lying() -> tuple[Renderer, Image]:
    renderer, frames = film(play(until_ms=1300))
    return renderer, next(iter(frames)).image


def scaled(table: Table, share: float) -> Table:
    return replace(table, homography_mm_to_px=table.homography_mm_to_px @ np.diag([share, share, 1.0]))


def test_both_piles_and_both_rows_are_named_with_their_margins(lying: tuple[Renderer, Image]) -> None:
    renderer, image = lying
    told = dict(answers(read_table(image, renderer.table(), DeckReader(renderer.deck))))
    names = [f"pile {pile}" for pile in "AB"] + [f"{player} {n}" for player in ("p1", "p2") for n in range(1, 6)]
    assert list(told) == names
    lying_there = ["8D", "QS", *P1_ROW.split(), *P2_ROW.split()]
    assert all(f"{card} " in told[name].says for card, name in zip(lying_there, names, strict=True))


def test_a_picture_of_another_size_is_refused(lying: tuple[Renderer, Image]) -> None:
    renderer, image = lying
    with pytest.raises(TableFileError, match="1280x720"):
        read_table(image[:480, :640], renderer.table(), CardReader())


def measured_on(image: Image, table: Table, renderer: Renderer) -> tuple[Table, Answer]:
    checked, (_, answer) = measured(table, image, read_table(image, table, DeckReader(renderer.deck)))
    return checked, answer


def test_the_residual_of_an_exact_table_is_green_and_of_a_wrong_scale_red(lying: tuple[Renderer, Image]) -> None:
    renderer, image = lying
    table, answer = measured_on(image, replace(renderer.table(), residual_mm=None), renderer)
    assert table.residual_mm is not None and table.residual_mm < 1.5
    assert answer.state == "OK"
    table, answer = measured_on(image, scaled(renderer.table(), 1.05), renderer)
    assert table.residual_mm is not None and table.residual_mm > 3
    assert answer.state == "FAIL"


def test_cards_of_the_other_size_are_told_as_such(lying: tuple[Renderer, Image]) -> None:
    renderer, image = lying
    assert renderer.deck.size_mm == POKER_MM
    _, answer = measured_on(image, replace(renderer.table(), card_size_mm=BRIDGE_MM), renderer)
    assert (answer.state, "--card poker" in answer.cure) == ("FAIL", True)


def test_cards_that_had_a_part_in_the_fit_measure_nothing(lying: tuple[Renderer, Image]) -> None:
    renderer, image = lying
    table = replace(renderer.table(), camera_matrix=np.eye(3), reference_hash=picture_hash(image), residual_mm=None)
    assert fitted_on(table, image)
    same, (_, answer) = measured(table, image, [])
    assert same is table
    assert answer.state == "SKIP"


def test_an_empty_table_measures_nothing() -> None:
    table = Table(image_size_px=(1280, 720), homography_mm_to_px=np.array([(1.6, 0, 640), (0, -1.6, 360), (0, 0, 1.0)]))
    same, (_, answer) = measured(table, np.full((720, 1280, 3), 90, np.uint8), [])
    assert same is table
    assert "the middle" in answer.says


def test_four_corners_leave_the_residual_unknown_until_the_test_writes_it(
    tmp_path: Path, lying: tuple[Renderer, Image], capsys: pytest.CaptureFixture[str]
) -> None:
    renderer, image = lying
    picture, path = tmp_path / "table.png", tmp_path / "table.toml"
    cv2.imwrite(str(picture), image)
    points = renderer.table().to_px(rectangle(0, 0, 400, 300))
    first, second, third, fourth = (f"{x:.1f},{y:.1f}" for x, y in points)
    finding.corners(picture, (first, second, third, fourth), (400.0, 300.0), path)
    seeing.test(picture, path)
    assert load_table(path).residual_mm == pytest.approx(0.7, abs=0.8)
    assert "good" in capsys.readouterr().out


def test_the_wizard_repeats_a_step_that_failed_and_skips_one_that_is_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tries: list[int] = []

    def run(config: None = None) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise DeviceError("no camera is there; plug one in")

    step = wizard.Step("camera", "The camera hangs there.", run)
    said = iter(["", "", "r", ""])
    assert wizard.walk(3, step, {"config": None}, lambda text: next(said))
    assert len(tries) == 3
    assert "no camera is there; plug one in" in capsys.readouterr().err
    assert not wizard.walk(3, step, {"config": None}, lambda text: "s")
    assert len(tries) == 3


def test_an_unknown_card_size_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="poker or bridge"):
        finding.corners(tmp_path / "table.png", card="tarot", table=tmp_path / "table.toml")
