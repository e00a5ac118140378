"""Teaches the card reader and writes its weights and model card: one command, seeded.

    python -m calibration.training.train DATA WORK --out hardware/vision/weights --steps 8000

DATA is the folder that `fetch` filled. WORK holds the pictures made for training (they are made while training runs,
and kept), and the best network so far. Runs on one core or two; a GPU is used where torch finds one.
"""

import argparse
import math
import multiprocessing
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from calibration.training import modelcard, shards
from calibration.training.halved import halve
from calibration.training.network import CardNet, Exported
from hardware.vision.reader import CROP_SIZE

BATCH = 128
LABEL_DOUBT = 0.01
"""Label smoothing: no picture is certain."""


def _augmented(crops: Tensor, rng: torch.Generator) -> Tensor:
    """Cheap changes made anew each time a stored crop is seen: either way up, colour, contrast, a shift."""
    n = len(crops)
    if torch.rand(1, generator=rng) < 0.5:
        crops = crops.flip(2, 3)
    gain = 1 + 0.12 * torch.randn(n, 3, 1, 1, generator=rng)
    offset = 8 * torch.randn(n, 1, 1, 1, generator=rng)
    dx, dy = torch.randint(-1, 2, (2,), generator=rng).tolist()
    return (crops.roll((dy, dx), (2, 3)) * gain + offset).clamp_(0, 255)


def _loaded(file: Path) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    with np.load(file) as kept:
        return kept["crops"], kept["labels"]


def _batches(work: Path, rng: np.random.Generator, at_once: int = 6) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches for ever, mixed from a few shards at a time; shards made meanwhile are taken up, the freshest first."""
    seen: dict[Path, int] = {}
    while True:
        ready = sorted((work / "training").glob("shard_*.npz"), key=lambda f: (seen.get(f, 0), rng.random()))
        if not ready:
            time.sleep(2)
            continue
        chosen = ready[:at_once]
        for file in chosen:
            seen[file] = seen.get(file, 0) + 1
        parts = [_loaded(file) for file in chosen]
        crops, labels = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
        order = rng.permutation(len(labels))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            some = np.sort(order[start : start + BATCH])
            yield torch.from_numpy(crops[some]).permute(0, 3, 1, 2).float(), torch.from_numpy(labels[some])


def _logits(net: nn.Module, crops: NDArray[np.uint8]) -> Tensor:
    """Mean logits of both ways up, as the reader does it."""
    net.eval()
    rows = []
    with torch.no_grad():
        for start in range(0, len(crops), 256):
            batch = torch.from_numpy(crops[start : start + 256]).permute(0, 3, 1, 2).float()
            rows.append((net(batch) + net(batch.flip(2, 3))) / 2)
    return torch.cat(rows)


def _validation(work: Path) -> tuple[NDArray[np.uint8], Tensor, NDArray[np.float32]]:
    """Crops, labels and visible shares of decks kept out."""
    parts = [np.load(file) for file in sorted((work / "validation").glob("shard_*.npz"))]
    crops, labels, visible = (np.concatenate([p[key] for p in parts]) for key in ("crops", "labels", "visible"))
    return crops, torch.from_numpy(labels), visible


def _drifting(average: Tensor, latest: Tensor, count: Tensor | int) -> Tensor:
    """Weights averaged over about the last 300 steps, over fewer at the start."""
    keep = min(0.997, (1 + float(count)) / (10 + float(count)))
    return keep * average + (1 - keep) * latest if average.is_floating_point() else latest


def teach(work: Path, steps: int, minutes: float, seed: int, start: Path | None = None) -> CardNet:
    """Train for so many steps, or until the time is up, the rate falling along a half cosine.

    The averaged weights of the way are what is returned; they are kept in `work` every 200 steps.
    """
    torch.manual_seed(seed)
    net = CardNet().to(memory_format=torch.channels_last)
    if start:
        net.load_state_dict(torch.load(start))
    average = torch.optim.swa_utils.AveragedModel(net, avg_fn=_drifting, use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.02)
    loss_of = nn.CrossEntropyLoss(label_smoothing=LABEL_DOUBT)
    augment = torch.Generator().manual_seed(seed)
    began, step, running = time.monotonic(), 0, 4.0
    for crops, labels in _batches(work, np.random.default_rng(seed)):
        done = max(step / steps, (time.monotonic() - began) / (60 * minutes))
        if done >= 1:
            break
        rate = (1.5e-3 if start else 3e-3) * min(1.0, (step + 1) / 100) * (0.5 + 0.5 * math.cos(math.pi * done))
        for group in optimiser.param_groups:
            group["lr"] = rate
        net.train()
        with torch.autocast("cpu", torch.bfloat16):
            logits = net(_augmented(crops, augment).contiguous(memory_format=torch.channels_last))
        loss = loss_of(logits.float(), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        average.update_parameters(net)
        running, step = 0.98 * running + 0.02 * loss.item(), step + 1
        if step % 50 == 0:
            print(f"{done:5.0%}  step {step}  loss {running:.3f}", flush=True)
        if step % 200 == 0:
            torch.save(average.module.state_dict(), work / "latest.pt")
            _tell(average.module, work)
    torch.save(average.module.state_dict(), work / "latest.pt")
    return average.module


def _tell(net: nn.Module, work: Path) -> None:
    crops, truth, _ = _validation(work)
    right = (_logits(net, crops[:600]).argmax(1) == truth[:600]).float().mean()
    print(f"       decks kept out: {right:.2%} of every kind of picture", flush=True)


def calibrate(net: CardNet, work: Path) -> NDArray[np.float32]:
    """Set the temperature with which the odds on kept-out decks are likeliest; gives those odds."""
    crops, truth, _ = _validation(work)
    logits = _logits(net, crops)
    loss_of = nn.CrossEntropyLoss()
    best = min(np.geomspace(0.5, 3, 60), key=lambda t: loss_of(logits / t, truth).item())
    net.temperature.fill_(float(best))
    print(f"temperature {best:.2f}")
    return np.asarray((logits / best).softmax(1).numpy(), np.float32)


def export(net: CardNet, file: Path) -> None:
    """Write the ONNX file: weights in half precision, free batch size, operators that OpenCV 4.6 knows."""
    file.parent.mkdir(parents=True, exist_ok=True)
    example = torch.zeros(1, 3, CROP_SIZE[1], CROP_SIZE[0])
    torch.onnx.export(
        Exported(net).eval(),
        (example,),
        str(file),
        input_names=["crops"],
        output_names=["logits"],
        dynamic_axes={"crops": {0: "n"}, "logits": {0: "n"}},
        opset_version=11,
        dynamo=False,
    )
    halve(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, default=Path("hardware/vision/weights"))
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--minutes", type=float, default=120, help="stop then, if the steps are not done")
    parser.add_argument("--shards", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--note", default="", help="a sentence for the model card: how this run was not the usual one")
    parser.add_argument("--start", type=Path, help="weights (.pt) to go on from")
    given = parser.parse_args()
    torch.set_num_threads(1)
    shards.make(given.data, given.work / "validation", 0, 2, True)
    painter = multiprocessing.get_context("spawn").Process(
        target=shards.make, args=(given.data, given.work / "training", 0, given.shards, False), daemon=True
    )
    painter.start()
    net = teach(given.work, given.steps, given.minutes, given.seed, given.start)
    painter.terminate()
    odds = calibrate(net, given.work)
    export(net, given.out / "reader.onnx")
    _, labels, visible = _validation(given.work)
    samples = shards.SHARD * len(list((given.work / "training").glob("shard_*.npz")))
    modelcard.write(
        given.out / "reader.onnx",
        given.data,
        modelcard.Facts(
            given.seed,
            given.steps,
            given.note,
            samples,
            sum(p.numel() for p in net.parameters()),
            net.temperature.item(),
            odds,
            labels.numpy(),
            visible,
        ),
    )


if __name__ == "__main__":
    main()
