"""How both networks for corners are taught: AdamW, a rate that rises and falls as a cosine, a moving mean."""

import argparse
import copy
import itertools
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import torch
from torch import Tensor, nn

from calibration.training.corners.resumed import resume

Batch = tuple[Tensor, ...]
"""Pictures, and what they are compared with."""


@dataclass(frozen=True, slots=True)
class Course:
    """What differs between the two networks: how long the rate rises, and how the weights are held."""

    rise_steps: int
    weight_decay: float
    write_every_s: float
    longest_gradient: float = math.inf


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a person chose. `rate` is the highest; `start` are weights to go on from."""

    out: Path
    pools: list[Path]
    minutes: float
    seed: int
    rate: float
    start: Path | None


def lesson(description: str, minutes: float, seed: int, rate: float) -> Lesson:
    """Return what the command line asks for, with these defaults; torch and OpenCV then keep to one thread."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("out", type=Path)
    parser.add_argument("pools", type=Path, nargs="+")
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--rate", type=float, default=rate, help="learning rate at its highest")
    parser.add_argument("--start", type=Path, help="weights to go on from: .pt or .onnx")
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    return Lesson(**vars(parser.parse_args()))


def teach(
    net: nn.Module,
    batch: Callable[[], Batch],
    losses: Callable[..., Mapping[str, Tensor]],
    write: Callable[[nn.Module, Path], None],
    asked: Lesson,
    course: Course,
) -> None:
    """Teach for about `asked.minutes` of wall clock. `losses(said, *truth)` gives the parts of the loss by name; every
    few minutes and at the end the mean network is written to `asked.out`, and to its name with .pt to go on from."""
    if asked.start:
        resume(net, asked.start, (batch()[0] for _ in itertools.count()))
    mean = copy.deepcopy(net)
    optimiser = torch.optim.AdamW(net.parameters(), asked.rate, weight_decay=course.weight_decay)
    begun, step, told, written = time.monotonic(), 0, dict[str, float](), time.monotonic()
    while (share := (time.monotonic() - begun) / (60 * asked.minutes)) < 1:
        for group in optimiser.param_groups:
            rise, fall = min(1, (step + 1) / course.rise_steps), 0.5 * (1 + math.cos(math.pi * share))
            group["lr"] = asked.rate * rise * (0.02 + 0.98 * fall)
        pictures, *truth = batch()
        with torch.autocast("cpu", torch.bfloat16):
            said = net(pictures)
        parts = losses(said.float(), *truth)
        optimiser.zero_grad()
        torch.stack(list(parts.values())).sum().backward()
        nn.utils.clip_grad_norm_(net.parameters(), course.longest_gradient)
        optimiser.step()
        step += 1
        _follow(mean, net, min(0.998, step / (step + 20)))
        now = {name: float(part.detach()) for name, part in parts.items()}
        told = {name: told.get(name, value) * 0.98 + value * 0.02 for name, value in now.items()}
        if step % 100 == 0:
            print(f"{step:6d} {share:.2f} " + " ".join(f"{name} {v:.3f}" for name, v in told.items()), flush=True)
        if time.monotonic() - written > course.write_every_s:
            written = time.monotonic()
            _save(mean, asked.out, write)
    _save(mean, asked.out, write)


def _follow(mean: nn.Module, net: nn.Module, keep: float) -> None:
    """Move the mean weights a little towards those of the network."""
    with torch.no_grad():
        for a, b in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
            a.copy_(torch.lerp(a, b, 1 - keep) if a.is_floating_point() else b)


def _save(mean: nn.Module, out: Path, write: Callable[[nn.Module, Path], None]) -> None:
    torch.save(mean.state_dict(), out.with_suffix(".pt"))
    write(mean, out)
