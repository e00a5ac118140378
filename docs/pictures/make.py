"""Makes the pictures of the rendered table for the documentation: `python docs/pictures/make.py`."""

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from hardware.frames import Image
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from referee.script import Lay, Script
from referee.simulated.players import demo_script

HERE = Path(__file__).parent


def busiest_ns(script: Script) -> int:
    """Return a moment when both players' cards come down within a quarter of a second, late in the deal."""
    touches = [action for action in script.actions if isinstance(action, Lay)]
    pairs = [(a, b) for a, b in pairwise(touches) if a.player != b.player]
    first, _ = min(pairs, key=lambda pair: pair[1].at_ns - pair[0].at_ns)
    return first.at_ns - 60_000_000


def save(name: str, picture: Image, width: int) -> None:
    height = round(picture.shape[0] * width / picture.shape[1])
    small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(HERE / name), small, [cv2.IMWRITE_JPEG_QUALITY, 84])


def sheet(script: Script) -> Image:
    """Return six tables, each with its own deck, lamp, cloth and hands."""
    looks = [Look.seeded(seed) for seed in (2, 4, 1, 6, 8, 11)]
    moments = [9.3, 14.0, 20.0, 24.0, 30.0, 41.1]
    pictures = [Renderer(script, look).picture(round(at * 1e9)) for look, at in zip(looks, moments, strict=True)]
    return np.vstack([np.hstack(pictures[n : n + 3]) for n in (0, 3)])


def main() -> None:
    script = demo_script(7)
    save("table.jpg", Renderer(script, Look()).picture(busiest_ns(script)), 960)
    save("tables.jpg", sheet(script), 1200)


if __name__ == "__main__":
    main()
