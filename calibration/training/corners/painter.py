"""Draws practice scenes beside the training, in a process of its own that gives way to it."""

import multiprocessing
import os
from multiprocessing import Queue
from pathlib import Path
from queue import Full

import cv2
import numpy as np

from calibration.training.corners.pool import Pool
from calibration.training.corners.scenes import Scene, scene

_NICE = 5
_AHEAD = 64
"""Scenes that wait to be taken."""


def painted(pools: list[Path], seed: int) -> "Queue[Scene]":
    """Scenes for ever, the same ones in the same order for the same pools and seed; ends with the calling process."""
    context = multiprocessing.get_context("spawn")
    fresh: Queue[Scene] = context.Queue(maxsize=_AHEAD)
    context.Process(target=_paint, args=(pools, seed, fresh), daemon=True).start()
    return fresh


def _paint(pools: list[Path], seed: int, fresh: "Queue[Scene]") -> None:
    os.nice(_NICE)
    cv2.setNumThreads(1)
    pool, rng, trainer = Pool(*pools), np.random.default_rng(seed), multiprocessing.parent_process()
    one = scene(rng, pool)
    while trainer is not None and trainer.is_alive():
        try:
            fresh.put(one, timeout=5)
        except Full:
            continue
        one = scene(rng, pool)
