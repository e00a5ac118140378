"""What goes wrong with cameras and lamps, as values that are put over a stream of frames."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from hardware.frames import Frame, Image


@dataclass(frozen=True, slots=True)
class Trouble:
    """One fault from `from_ns` until `until_ns` of the stream's own time.

    `nudge`: the camera is turned, the picture moves by `amount` px to the right and half as much down. `lamp`: the
    light is `amount` times as strong. `glare`: a bright spot, `amount` 0 to 1. `frozen`: the same picture again and
    again. `black`: nothing but black. `lost`: no frames at all. `flicker`: bright and dark bands, `amount` 0 to 1.
    `focus`: the lens hunts, to a blur of `amount` px and back, and the picture breathes with it. `led`: a coloured
    light shines on p1's side of the table, `amount` 0 to 1.
    """

    what: Literal["nudge", "lamp", "glare", "frozen", "black", "lost", "flicker", "focus", "led"]
    from_ns: int
    until_ns: int
    amount: float = 1.0


def troubled(frames: Iterable[Frame], troubles: Iterable[Trouble]) -> Iterator[Frame]:
    """Yield the frames with the troubles of their moment."""
    troubles = tuple(troubles)
    first_ns: int | None = None
    last: Image | None = None
    for frame in frames:
        first_ns = frame.at_ns if first_ns is None else first_ns
        since_ns = frame.at_ns - first_ns
        now = [trouble for trouble in troubles if trouble.from_ns <= since_ns < trouble.until_ns]
        if any(trouble.what == "lost" for trouble in now):
            continue
        image = frame.image
        for trouble in now:
            image = last if trouble.what == "frozen" and last is not None else _spoiled(image, trouble, since_ns)
        last = image
        yield replace(frame, image=image)


def _spoiled(image: Image, trouble: Trouble, since_ns: int) -> Image:
    height, width = image.shape[:2]
    match trouble.what:
        case "nudge":
            shift = np.array([[1, 0, trouble.amount], [0, 1, trouble.amount / 2]])
            moved = cv2.warpAffine(image, shift, (width, height), borderMode=cv2.BORDER_REPLICATE)
            return np.asarray(moved, np.uint8)
        case "lamp":
            return np.asarray(cv2.convertScaleAbs(image, alpha=trouble.amount), np.uint8)
        case "glare":
            y, x = np.mgrid[0:height, 0:width]
            spot = np.exp(-((x - width * 0.55) ** 2 + (y - height * 0.5) ** 2) / (2 * (height * 0.12) ** 2))
            light = np.rint(220 * trouble.amount * spot).astype(np.uint8)
            return np.asarray(cv2.add(image, cv2.merge([light, light, light])), np.uint8)
        case "black":
            return np.zeros_like(image)
        case "flicker":
            rows = 1 + 0.4 * trouble.amount * np.sin(np.arange(height) / height * 4 * np.pi + since_ns * 6e-8)
            return np.asarray(np.clip(image * rows[:, None, None], 0, 255), np.uint8)
        case "focus":
            share = (since_ns - trouble.from_ns) / max(1, trouble.until_ns - trouble.from_ns)
            off = abs(math.sin(2 * math.pi * share))
            grown = cv2.getRotationMatrix2D((width / 2, height / 2), 0.0, 1.0 + 0.006 * off)
            breathed = cv2.warpAffine(image, grown, (width, height), borderMode=cv2.BORDER_REPLICATE)
            return np.asarray(cv2.GaussianBlur(breathed, (0, 0), 0.01 + trouble.amount * off), np.uint8)
        case "led":
            y, x = np.mgrid[0:height, 0:width]
            spot = np.exp(-((x - width * 0.3) ** 2 + (y - height * 0.8) ** 2) / (2 * (height * 0.25) ** 2))
            light = np.rint(70 * trouble.amount * spot).astype(np.uint8)
            return np.asarray(cv2.add(image, cv2.merge([light // 6, light // 4, light])), np.uint8)
        case _:
            return image
