"""Teach the namer, which reads one cut-out index: `python -m calibration.training.corners.namer OUT.onnx POOL...`.

Its crops come out of the same practice scenes as the finder's truth: the same neighbours, covers, blur and light.
Output: 13 ranks, joker, no index; four suits.
"""

import copy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from calibration.training.corners.painter import painted
from calibration.training.corners.scenes import SIDE_PX, IndexTruth, Scene
from calibration.training.corners.teaching import Course, lesson, teach
from calibration.training.halved import halve
from hardware.vision.corners import INDEX_CROP, index_crop
from hardware.vision.paper import white_balanced
from referee.cards import RANKS, SUITS

NOTHING, JOKER = 14, 13
COURSE = Course(rise_steps=100, weight_decay=0.02, write_every_s=180)
_BATCH = 128
_FRESH = 16
_KEPT = 40000
"""Crops kept for another look; each batch brings `_FRESH` of its own."""
_BALANCED_SHARE = 0.5
"""Share of the crops whose paper is made white: two of the reader's three looks at an index are."""

Crop = NDArray[np.uint8]


class IndexNamer(nn.Module):
    """N x 3 x 64 x 40 (BGR, 0..1) to N x 19."""

    def __init__(self) -> None:
        super().__init__()
        widths = (3, 24, 48, 48, 64, 64, 96)
        strides = (1, 2, 1, 2, 1, 2)
        layers: list[nn.Module] = []
        for into, out, stride in zip(widths, widths[1:], strides, strict=False):
            layers += [nn.Conv2d(into, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)]
        self.body = nn.Sequential(*layers, nn.AvgPool2d((2, 1)), nn.Flatten(), nn.Dropout(0.2))
        self.head = nn.Linear(96 * 4 * 5, 19)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


def _shaken(rng: np.random.Generator, quad: NDArray[np.float32]) -> NDArray[np.float64]:
    """The quad as a finder would give it: a little off in place, size and angle."""
    q = quad.astype(np.float64)
    centre, height, width = q.mean(0), np.linalg.norm(q[3] - q[0]), np.linalg.norm(q[1] - q[0])
    by = rng.normal(0, 0.07)
    turn = np.array([[np.cos(by), -np.sin(by)], [np.sin(by), np.cos(by)]])
    grown = (q - centre) @ turn.T * rng.normal(1, 0.08, 2).clip(0.75, 1.3) + centre
    return np.asarray(grown + rng.normal(0, 0.06, 2) * [width, height] + rng.normal(0, 0.025 * height, (4, 2)))


def _elsewhere(rng: np.random.Generator, one: Scene) -> NDArray[np.float64] | None:
    """A place where no index stands, often on a pip, a court or upside down on an index."""
    height, angle = rng.uniform(12, 50), rng.uniform(0, 2 * np.pi)
    box = np.array([[-0.2, -0.5], [0.2, -0.5], [0.2, 0.5], [-0.2, 0.5]]) * height * [rng.uniform(0.7, 1.6), 1]
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    if one.indices and rng.random() < 0.7:
        near = one.indices[rng.integers(len(one.indices))]
        middle = near.card_quad.mean(0)
        place = middle + (near.card_quad[rng.integers(4)] - middle) * rng.uniform(0, 0.9)
    else:
        place = rng.uniform(0, SIDE_PX, 2)
    if any(np.linalg.norm(t.quad.mean(0) - place) < 0.7 * np.linalg.norm(t.quad[3] - t.quad[0]) for t in one.indices):
        return None
    return np.asarray(box @ turn.T + place)


def _labels(truth: IndexTruth) -> tuple[int, int] | None:
    if truth.seen < 0.55:
        return NOTHING, -1
    if truth.seen < 0.88:
        return None
    if truth.face == "JK":
        return JOKER, -1
    return RANKS.index(truth.face[:-1]), "".join(SUITS).index(truth.face[-1])


def crops_of(rng: np.random.Generator, one: Scene) -> Iterator[tuple[Crop, int, int]]:
    """Cut-out indices of a scene with rank and suit numbers (suit -1: does not count), and some places without one."""
    for truth in one.indices:
        label = _labels(truth)
        if label and (label[0] != NOTHING or rng.random() < 0.5):
            crop = index_crop(one.picture, _shaken(rng, truth.quad))
            yield white_balanced(crop) if rng.random() < _BALANCED_SHARE else crop, *label
    for _ in range(int(rng.random() < 0.6)):
        place = _elsewhere(rng, one)
        if place is not None:
            yield index_crop(one.picture, place), NOTHING, -1


class _Store:
    """Crops in a ring; a batch takes some new and many seen before."""

    def __init__(self, pools: list[Path], seed: int) -> None:
        self._fresh, self._rng = painted(pools, seed), np.random.default_rng(seed)
        self._crops = np.zeros((_KEPT, INDEX_CROP[1], INDEX_CROP[0], 3), np.uint8)
        self._labels = np.zeros((_KEPT, 2), np.int64)
        self._at = self._filled = 0

    def _more(self, n: int) -> None:
        until = self._at + n
        while self._at < until:
            for crop, rank, suit in crops_of(self._rng, self._fresh.get()):
                slot = self._at % _KEPT
                self._crops[slot], self._labels[slot] = crop, (rank, suit)
                self._at += 1
        self._filled = min(self._at, _KEPT)

    def batch(self) -> tuple[Tensor, Tensor]:
        self._more(_BATCH if self._filled < 2000 else _FRESH)
        chosen = self._rng.integers(0, self._filled, _BATCH)
        light = self._rng.uniform(0.8, 1.15, (_BATCH, 1, 1, 3)).astype(np.float32)
        pictures = torch.from_numpy(np.clip(self._crops[chosen] * light, 0, 255) / 255).permute(0, 3, 1, 2)
        return pictures.contiguous(memory_format=torch.channels_last), torch.from_numpy(self._labels[chosen])


def losses(said: Tensor, labels: Tensor) -> dict[str, Tensor]:
    rank = nn.functional.cross_entropy(said[:, :15], labels[:, 0], label_smoothing=0.01)
    suited = labels[:, 1] >= 0
    suit = nn.functional.cross_entropy(said[suited][:, 15:], labels[suited, 1], label_smoothing=0.01)
    return {"rank": rank, "suit": suit}


def write_onnx(net: nn.Module, path: Path) -> None:
    net = copy.deepcopy(net).eval()
    example = torch.zeros(1, 3, INDEX_CROP[1], INDEX_CROP[0])
    torch.onnx.export(
        net,
        (example,),
        str(path),
        input_names=["crop"],
        output_names=["odds"],
        opset_version=17,
        dynamo=False,
        dynamic_axes={"crop": {0: "n"}, "odds": {0: "n"}},
    )
    halve(path)


def main() -> None:
    asked = lesson("Teach the namer of indices.", minutes=20, seed=2, rate=3e-3)
    torch.manual_seed(asked.seed)
    net = IndexNamer().to(memory_format=torch.channels_last)
    teach(net, _Store(asked.pools, asked.seed).batch, losses, write_onnx, asked, COURSE)


if __name__ == "__main__":
    main()
