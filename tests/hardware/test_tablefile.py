"""The table file survives a round trip, a power cut and a stranger's hand."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hardware.tablefile import Table, dump_table, load_table, parse_table, save_table
from hardware.wholefile import replace_whole
from referee.errors import TableFileError

TABLE = Table(
    image_size_px=(1280, 720),
    homography_mm_to_px=np.array([[1.2, -0.08, 651.0], [0.002, -1.3, 364.0], [-1e-4, -1.7e-4, 1.0]]),
    camera="usb-test",
    camera_matrix=np.array([[947.5, 0.0, 639.5], [0.0, 947.5, 359.5], [0.0, 0.0, 1.0]]),
    lens_k1k2p1p2k3=(-0.055, 0.0054, 0.0, 0.0, 0.0),
    residual_mm=0.8,
    behind_pads_ns=38_250_000,
    behind_pads_uncertainty_ns=2_500_000,
)


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    save_table(TABLE, tmp_path / "table.toml")
    loaded = load_table(tmp_path / "table.toml")
    assert dump_table(loaded) == dump_table(TABLE)
    assert loaded.image_size_px == (1280, 720)
    assert (loaded.behind_pads_ns, loaded.behind_pads_uncertainty_ns) == (38_250_000, 2_500_000)


def test_a_file_from_before_the_cameras_delay_was_measured_has_none() -> None:
    text = "\n".join(line for line in dump_table(TABLE).splitlines() if not line.startswith("behind_pads"))
    loaded = parse_table(text, Path("table.toml"))
    assert (loaded.behind_pads_ns, loaded.behind_pads_uncertainty_ns) == (0, None)


def test_the_lens_is_undone_exactly() -> None:
    points = np.array([(-242.0, 150.0), (242.0, -150.0), (0.0, 0.0), (-48.0, 44.0)])
    assert TABLE.to_mm(TABLE.to_px(points)) == pytest.approx(points, abs=0.05)
    straight = replace(TABLE, lens_k1k2p1p2k3=(0.0,) * 5)
    assert np.abs(straight.to_px(points) - TABLE.to_px(points)).max() > 1.0


def test_the_previous_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    save_table(TABLE, path)
    save_table(replace(TABLE, camera="another"), path)
    assert load_table(path).camera == "another"
    assert load_table(tmp_path / "table.toml.previous").camera == "usb-test"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["table.toml", "table.toml.previous"]


def test_every_cut_of_the_file_is_named_and_never_a_crash() -> None:
    text = dump_table(TABLE)
    for end in range(0, len(text) - 1, 7):
        with pytest.raises(TableFileError, match="calibrate corners"):
            parse_table(text[:end], Path("table.toml"))


def test_the_file_is_there_at_every_moment_of_a_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.toml"
    save_table(TABLE, path)
    replace_file = Path.replace

    def cut_the_power_after(source: Path, target: Path) -> Path:
        done = replace_file(source, target)
        assert load_table(path).camera in ("usb-test", "another")
        return done

    monkeypatch.setattr(Path, "replace", cut_the_power_after)
    save_table(replace(TABLE, camera="another"), path)


@pytest.mark.parametrize(
    "impossible",
    [
        replace(TABLE, image_size_px=(0, 720)),
        replace(TABLE, image_size_px=(320, 180)),
        replace(TABLE, card_size_mm=(0.0, 88.9)),
        replace(TABLE, homography_mm_to_px=np.ones((3, 3))),
        replace(TABLE, homography_mm_to_px=np.diag([1.0, -1.0, 1.0])),
    ],
    ids=["no picture", "a smaller picture", "no card", "folded into a line", "piles beside the picture"],
)
def test_a_table_that_the_picture_cannot_show_is_refused(impossible: Table) -> None:
    with pytest.raises(TableFileError, match="does not show the middle piles"):
        parse_table(dump_table(impossible), Path("table.toml"))


@pytest.mark.parametrize(
    "text",
    [
        "schema = 2",
        "nonsense",
        "\x00\x00",
        "schema = 1\nimage_size_px = 'big'",
        "[tool.other]\nname = 'x'",
        dump_table(TABLE).replace("rotation_deg = 0", "rotation_deg = inf"),
        "x = " + "[" * 5000,
    ],
)
def test_a_foreign_file_is_refused_with_the_cure(text: str) -> None:
    with pytest.raises(TableFileError, match="calibrate corners"):
        parse_table(text, Path("table.toml"))


def test_numbers_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(TableFileError, match="homography_mm_to_px"):
        parse_table(dump_table(TABLE).replace("651.0", "nan"), Path("table.toml"))


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="does not exist; make it with"):
        load_table(tmp_path / "table.toml")


def test_a_folder_that_may_not_be_written_is_named_and_not_the_file_in_the_making(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: str, *_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    monkeypatch.setattr("os.open", refused)
    with pytest.raises(PermissionError) as raised:
        replace_whole(tmp_path / "table.toml", b"")
    assert raised.value.filename == str(tmp_path)
