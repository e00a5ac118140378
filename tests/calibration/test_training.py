"""What the networks are taught with: no deck that looks like one kept for judging, and the same scenes for a seed."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.training import lookalike
from calibration.training.__main__ import steps
from calibration.training.corners.painter import painted
from calibration.training.corners.pool import Pool
from calibration.training.corners.scenes import SIDE_PX, scene
from hardware.simulated.deck import Deck
from referee.cards import PACK, parse_card

COURTS = tuple(face for face in lookalike.TELLING if face != "back")


def artist(seed: int) -> dict[str, NDArray[np.uint8]]:
    """Courts as one artist draws them: figures of blobs that no other seed gives."""
    rng = np.random.default_rng(seed)
    courts = {}
    for face in COURTS:
        picture = np.full((264, 190, 3), 245, np.uint8)
        for _ in range(40):
            centre, axes = rng.integers(40, 150, 2).tolist(), rng.integers(4, 26, 2).tolist()
            colour = rng.integers(0, 255, 3).tolist()
            cv2.ellipse(picture, (centre[0], centre[1] + 60), axes, float(rng.uniform(0, 180)), 0, 360, colour, -1)
        courts[face] = picture
    return courts


def publish(folder: Path, courts: dict[str, NDArray[np.uint8]], licence: str = "CC0-1.0") -> Path:
    folder.mkdir(parents=True)
    for face, picture in courts.items():
        cv2.imwrite(str(folder / f"{face}.png"), picture)
    (folder / "deck.toml").write_text(f'source = "a test"\nlicence = "{licence}"\nvalidation = false\n')
    return folder


def compared(monkeypatch: pytest.MonkeyPatch, data: Path, kept: Path) -> int:
    """The exit status of the look-alike check."""
    monkeypatch.setattr(lookalike, "DRAWN_DECKS", 0)
    monkeypatch.setattr("sys.argv", ["lookalike", str(data), str(kept)])
    with pytest.raises(SystemExit) as stopped:
        lookalike.main()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


def test_another_printing_of_a_kept_deck_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = publish(tmp_path / "kept-deck", artist(1))
    reprinted = {
        face: np.clip(cv2.GaussianBlur(cv2.resize(art, (120, 168)), (0, 0), 0.8) * 0.8 + [20, 10, 0], 0, 255)
        for face, art in artist(1).items()
    }
    publish(tmp_path / "data/decks/reprint", {face: art.astype(np.uint8) for face, art in reprinted.items()})
    assert compared(monkeypatch, tmp_path / "data", kept) == 1
    assert "reprint KH  ~  kept-deck KH" in capsys.readouterr().out


def test_an_artist_of_its_own_is_no_look_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = publish(tmp_path / "kept-deck", artist(1))
    publish(tmp_path / "data/decks/other", artist(2))
    assert compared(monkeypatch, tmp_path / "data", kept) == 0


def test_the_recipe_checks_the_decks_before_it_teaches() -> None:
    modules = [step[0] for step in steps(Path("data"), [Path("kept")], Path("out"), 60)]
    assert modules[:3] == ["fetch", "lookalike", "train"]
    assert {"corners.train", "corners.namer"} <= set(modules)


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    """Eight cards of a rendered deck as `calibration.training.corners.pool` keeps them."""
    faces = [str(card) for card in PACK[::7]]
    art = [np.asarray(Deck("club", 2.7).art(parse_card(face)), np.uint8) for face in faces]
    height, width = art[0].shape[:2]
    np.save(tmp_path / "cards.npy", np.stack(art))
    index = [[[8, 8], [24, 8], [24, 50], [8, 50]], [[width - 8, height - 8], [width - 24, height - 8]] * 2]
    index[1][2:] = [[width - 24, height - 50], [width - 8, height - 50]]
    note = {"deck": 1, "size": [height, width], "corners": index, "turned": [False, True]}
    (tmp_path / "cards.json").write_text(json.dumps([{**note, "face": face} for face in faces]))
    return Pool(tmp_path)


def test_a_seed_gives_the_same_scene_again(pool: Pool) -> None:
    first, again, other = (scene(np.random.default_rng(seed), pool) for seed in (3, 3, 4))
    assert (first.picture == again.picture).all()
    assert [truth.face for truth in first.indices] == [truth.face for truth in again.indices]
    assert not (first.picture == other.picture).all()


def test_scenes_painted_beside_the_training_are_those_of_the_seed(pool: Pool, tmp_path: Path) -> None:
    fresh, rng = painted([tmp_path], 3), np.random.default_rng(3)
    for _ in range(3):
        assert (fresh.get(timeout=60).picture == scene(rng, pool).picture).all()


def test_nothing_shows_beyond_the_edge_of_a_picture(pool: Pool) -> None:
    rng, cut = np.random.default_rng(8), 0
    for _ in range(20):
        picture = scene(rng, pool).picture
        border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]]).reshape(4, -1)
        cut += int((border.max(axis=1) == 0).any())
    assert 2 <= cut <= 12, "some scenes are cut, with plain black beyond, whatever the camera's noise"


def test_the_truth_of_a_scene_is_about_what_shows(pool: Pool) -> None:
    rng = np.random.default_rng(5)
    for _ in range(12):
        one = scene(rng, pool)
        assert one.picture.shape == (SIDE_PX, SIDE_PX, 3)
        for truth in one.indices:
            assert 0.1 < truth.seen <= 1
            ahead = truth.card_quad[1] - truth.card_quad[0]
            across = truth.quad[1] - truth.quad[0]
            assert float(ahead @ across) > 0, "an index reads the way its card outline runs"
