"""The printed mat is measured as a camera would see it: the PDF is rasterised and its markers are found again."""

from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from typer.testing import CliRunner

from calibration.mat import Paper, draw_mat, marker_cells
from hardware.tablefile import MARKER_CENTRES_MM
from hardware.vision.tablefinder import detect_markers
from referee.cli.app import app

PX_PER_MM = 2.0


def pages(paper: Paper) -> list[np.ndarray]:
    """The sheets as gray pictures, 2 px a millimetre."""
    document = pypdfium2.PdfDocument(bytes(draw_mat(paper).output()))
    return [
        np.asarray(page.render(scale=PX_PER_MM * 25.4 / 72, grayscale=True).to_numpy()).squeeze() for page in document
    ]


def joined(paper: Paper) -> np.ndarray:
    """The sheets laid edge to edge, as people tape them together."""
    sheets = pages(paper)
    if paper is Paper.A4:
        return np.vstack([np.hstack(sheets[:2]), np.hstack(sheets[2:])])
    return np.hstack(sheets)


def marker_centres_mm(picture: np.ndarray) -> dict[int, tuple[float, float]]:
    corners, ids = detect_markers(cv2.aruco, picture)
    assert ids is not None
    middle = np.array([picture.shape[1] / 2, picture.shape[0] / 2])
    found = {}
    for quad, number in zip(corners, ids.ravel(), strict=True):
        x, y = (quad.reshape(4, 2).mean(axis=0) + 0.5 - middle) / PX_PER_MM
        found[int(number)] = (float(x), float(-y))
    return found


@pytest.mark.parametrize("paper", list(Paper))
def test_the_mat_joined_from_any_paper_has_its_markers_where_the_table_expects_them(paper: Paper) -> None:
    found = marker_centres_mm(joined(paper))
    assert sorted(found) == [0, 1, 2, 3]
    for number, centre in enumerate(MARKER_CENTRES_MM):
        assert found[number] == pytest.approx(centre, abs=0.5)


@pytest.mark.parametrize(
    ("paper", "count", "size_mm"), [("a2", 1, (594, 420)), ("a3", 2, (297, 420)), ("a4", 4, (297, 210))]
)
def test_the_sheets_have_the_size_of_real_paper(paper: str, count: int, size_mm: tuple[int, int]) -> None:
    sheets = pages(Paper(paper))
    assert len(sheets) == count
    assert sheets[0].shape[::-1] == pytest.approx([side * PX_PER_MM for side in size_mm], abs=1)


@pytest.mark.parametrize("paper", list(Paper))
def test_no_word_lies_across_a_seam_or_within_a_printers_margin_of_it(paper: Paper) -> None:
    read = set()
    for page in pypdfium2.PdfDocument(bytes(draw_mat(paper).output())):
        size_mm = [side * 25.4 / 72 for side in page.get_size()]
        text = page.get_textpage()
        for number in range(text.count_rects()):
            box = text.get_rect(number)
            left, bottom, right, top = (side * 25.4 / 72 for side in box)
            beyond = right < -5 or top < -5 or left > size_mm[0] + 5 or bottom > size_mm[1] + 5
            within = left > 5 and bottom > 5 and right < size_mm[0] - 5 and top < size_mm[1] - 5
            assert within or beyond, f"{text.get_text_bounded(*box)} at {left:.0f} to {right:.0f} mm"
            read |= {text.get_text_bounded(*box).strip()} if within else set()
    assert {"player p1 sits here", "player p2 sits here", "p2 pad B", "3"} <= read


def test_markers_differ_in_every_quarter_turn() -> None:
    looks = [np.rot90(marker_cells(n), turn).tobytes() for n in range(4) for turn in range(4)]
    assert len(set(looks)) == 16


@pytest.mark.parametrize("name", ["mat", "mat.PDF", "our.mat"])
def test_a_file_without_a_suffix_gets_one(tmp_path: Path, name: str) -> None:
    done = CliRunner().invoke(app, ["calibrate", "mat", "--out", str(tmp_path / name)])
    assert done.exit_code == 0, done.output
    written = sorted(path.name for path in tmp_path.iterdir())
    assert len(written) == 2 and all(one.lower().endswith(".pdf") for one in written)
