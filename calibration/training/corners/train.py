"""Teach the corner finder: `python -m calibration.training.corners.train OUT.onnx POOL... [--minutes M]`.

POOLs are folders made by `pool`. One thread; the network is written again every few minutes.
"""

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from calibration.training.corners.network import CARD_UNIT_PX, CHANNELS, INDEX_UNIT_PX, STRIDE, CornerFinder
from calibration.training.corners.painter import painted
from calibration.training.corners.scenes import SIDE_PX, Scene
from calibration.training.corners.teaching import Course, lesson, teach
from calibration.training.halved import halve

_CELLS = SIDE_PX // STRIDE
_BATCH = 16
_FRESH = 4
"""Scenes of a batch that were never shown; the others are some of the last `_KEPT`, turned by quarters and lit anew."""
_KEPT = 4000
COURSE = Course(rise_steps=150, weight_decay=1e-3, write_every_s=240, longest_gradient=5.0)


def quarter_turned(one: Scene, quarters: int) -> Scene:
    """The scene turned anticlockwise by quarters."""
    picture, truths = np.rot90(one.picture, quarters), one.indices
    for _ in range(quarters % 4):
        truths = [replace(t, quad=_turned(t.quad), card_quad=_turned(t.card_quad)) for t in truths]
    return Scene(np.ascontiguousarray(picture), truths)


def _turned(points: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.stack([points[:, 1], SIDE_PX - 1 - points[:, 0]], 1)


def targets(one: Scene) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What the network should say, 19 x cells x cells: heat, index, card, complete, and the card's length in px;
    and the weight of the heat (0 where an index is half covered)."""
    made = np.zeros((19, _CELLS, _CELLS), np.float32)
    weight = np.ones((_CELLS, _CELLS), np.float32)
    y, x = np.mgrid[:_CELLS, :_CELLS].astype(np.float32) * STRIDE + (STRIDE - 1) / 2
    for truth in one.indices:
        centre = truth.quad.mean(0)
        height = float(np.linalg.norm(truth.quad[3] - truth.quad[0]))
        sigma = float(np.clip(0.14 * height, 2.8, 6.5))
        heat = np.exp(-((x - centre[0]) ** 2 + (y - centre[1]) ** 2) / (2 * sigma**2))
        if truth.seen < 0.9:
            weight[heat > 0.1] = 0.0 if truth.seen > 0.35 else weight[heat > 0.1]
            continue
        mine = (heat > 0.55) & (heat > made[0])
        made[0] = np.maximum(made[0], heat)
        at = np.stack([x[mine], y[mine]], 0)
        for n in range(4):
            made[1 + 2 * n : 3 + 2 * n, mine] = (truth.quad[n][:, None] - at) / INDEX_UNIT_PX
            made[9 + 2 * n : 11 + 2 * n, mine] = (truth.card_quad[n][:, None] - at) / CARD_UNIT_PX
        made[17, mine] = truth.complete
        made[18, mine] = np.linalg.norm(truth.card_quad[3] - truth.card_quad[0])
        cx, cy = np.rint((centre - 1.5) / STRIDE).astype(int)
        if 0 <= cx < _CELLS and 0 <= cy < _CELLS:
            made[0, cy, cx] = 1.0
    return made, weight


def losses(said: Tensor, truth: Tensor, weight: Tensor) -> dict[str, Tensor]:
    """CenterNet's focal loss for the heat, L1 by the card's length for places, cross entropy for bare or not."""
    heat, want = torch.sigmoid(said[:, 0]).clamp(1e-4, 1 - 1e-4), truth[:, 0]
    peak = (want == 1).float()
    focal = -(peak * (1 - heat) ** 2 * heat.log() + (1 - peak) * (1 - want) ** 4 * heat**2 * (1 - heat).log()) * weight
    n = peak.sum().clamp(min=1)
    mine = truth[:, 18] > 0
    got, goal = said.permute(0, 2, 3, 1)[mine], truth.permute(0, 2, 3, 1)[mine]
    m = max(1, got.shape[0])
    length = goal[:, 18:19]
    index = ((got[:, CHANNELS["index"]] - goal[:, 1:9]).abs() * INDEX_UNIT_PX / length).sum() / m
    card = (got[:, CHANNELS["card"]] - goal[:, 9:17]).abs() * CARD_UNIT_PX / length
    card = (card * (0.3 + 0.7 * goal[:, 17:18])).sum() / m
    complete = binary_cross_entropy_with_logits(got[:, 17], goal[:, 17], reduction="sum") / m
    return {"heat": focal.sum() / n, "index": 6 * index, "card": 2.5 * card, "complete": 6 * complete}


class _Scenes:
    """Practice scenes, each shown a few times, turned and lit anew."""

    def __init__(self, pools: list[Path], seed: int) -> None:
        self._fresh = painted(pools, seed)
        self._rng = np.random.default_rng(seed)
        self._kept: list[Scene] = []

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        """Pictures (N, 3, side, side) in 0..1, targets and weights; the same batches for the same seed."""
        fresh = [self._fresh.get() for _ in range(_FRESH if len(self._kept) >= _BATCH else _BATCH)]
        self._kept = (self._kept + fresh)[-_KEPT:]
        chosen = fresh + [self._kept[n] for n in self._rng.integers(0, len(self._kept), _BATCH - len(fresh))]
        chosen = [quarter_turned(one, int(self._rng.integers(4))) for one in chosen]
        pictures = torch.from_numpy(np.stack([c.picture for c in chosen])).permute(0, 3, 1, 2).float().div_(255)
        made = [targets(c) for c in chosen]
        return (
            self._lit(pictures).contiguous(memory_format=torch.channels_last),
            torch.from_numpy(np.stack([m[0] for m in made])),
            torch.from_numpy(np.stack([m[1] for m in made])),
        )

    def _lit(self, pictures: Tensor) -> Tensor:
        """Other light and contrast each time a scene is shown; black beyond its edge stays black."""
        n = len(pictures)
        gain = self._rng.normal(1, 0.1, (n, 3, 1, 1)) * self._rng.uniform(0.75, 1.15, (n, 1, 1, 1))
        return (pictures * torch.from_numpy(gain.astype(np.float32))).clamp_(0, 1)


def write_onnx(net: nn.Module, path: Path) -> None:
    """Write the network for any picture size."""
    net = copy.deepcopy(net).eval()
    sizes = {"picture": {0: "n", 2: "h", 3: "w"}, "map": {0: "n", 2: "h4", 3: "w4"}}
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, 64, 96),),
        str(path),
        input_names=["picture"],
        output_names=["map"],
        opset_version=17,
        dynamo=False,
        dynamic_axes=sizes,
    )
    halve(path)


def main() -> None:
    asked = lesson("Teach the corner finder.", minutes=40, seed=1, rate=2.5e-3)
    torch.manual_seed(asked.seed)
    net = CornerFinder().to(memory_format=torch.channels_last)
    teach(net, _Scenes(asked.pools, asked.seed).batch, losses, write_onnx, asked, COURSE)


if __name__ == "__main__":
    main()
