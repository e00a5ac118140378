"""What goes wrong with cameras and lamps, as values that are put over a stream of frames."""

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
    """

    what: Literal["nudge", "lamp", "glare", "frozen", "black", "lost", "flicker"]
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
        case _:
            return image
