"""Figures on practice scenes of decks kept out of training: `python -m calibration.training.corners.check POOL`.

Prints, for cards of which an index shows: named right, left unread, named wrong, each k of n; and the top flag.
"""

import argparse
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

from calibration.training.corners.pool import Pool
from calibration.training.corners.scenes import Scene, scene
from hardware.vision.corners import CornerReader
from hardware.vision.networks import network_of
from hardware.vision.reader import CardReader
from hardware.vision.stills import StillCard, StillReader


def count(one: Scene, cards: list[StillCard]) -> Counter[str]:
    """Compare what was read with what lies there; a card only partly indexed is neither asked for nor wrong."""
    shown = Counter({t.face: 1 for t in one.indices if t.seen > 0.9})
    there = {t.face for t in one.indices}
    named = Counter(c.card for c in cards if c.card != "??")
    complete = {t.face for t in one.indices if t.complete and t.seen > 0.9}
    tops = {str(c.card) for c in cards if c.top}
    extra = {card: n for card, n in (named - shown).items() if card not in there or card in shown}
    return Counter(
        cards=sum(shown.values()),
        right=sum((shown & named).values()),
        wrong=sum(extra.values()),
        complete=len(complete),
        complete_right=len(complete & tops & set(named)),
        covered_as_top=len(tops & (there - complete)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the reading of stills on practice scenes.")
    parser.add_argument("pool", type=Path)
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--finder", type=Path)
    parser.add_argument("--namer", type=Path)
    parser.add_argument("--reader", type=Path)
    told = parser.parse_args()
    cv2.setNumThreads(1)
    networks = [network_of(p.read_bytes()) if p else None for p in (told.finder, told.namer)]
    stills = StillReader(CornerReader(*networks), CardReader(told.reader))
    pool, rng, total = Pool(told.pool), np.random.default_rng(9), Counter[str]()
    for _ in range(told.scenes):
        one = scene(rng, pool)
        total += count(one, stills.read(one.picture))
    print(", ".join(f"{name} {n}" for name, n in total.items()))


if __name__ == "__main__":
    main()
