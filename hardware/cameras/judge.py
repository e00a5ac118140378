"""Is this picture to be trusted? Pure code over pictures and stamps: empty, wrong size, blind, frozen, late, slow."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hardware.frames import Frame, Image
from referee.units import MS

BLACK: Final = 30
WHITE: Final = 250
"""A table with a card on it has places brighter than this, in any light by which it can be read; and darker ones."""
SHARE_SEEN: Final = 0.01
"""A card covers more of the picture; the rig's own lights cover less."""


def why_blind(image: Image) -> str:
    """Return why nothing can be seen in a picture, with the cure: it is black or white all over; else nothing."""
    sample = sampled(image)
    if np.count_nonzero(sample > BLACK) < SHARE_SEEN * sample.size:
        return "the picture is black; take the cap off the lens and switch the lamp on"
    if np.count_nonzero(sample < WHITE) < SHARE_SEEN * sample.size:
        return "the picture is white all over; turn the lamp away from the lens, then start the referee again"
    return ""


def sampled(image: Image) -> Image:
    """Return every 16th place of every 16th line."""
    return image[7::16, 5::16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a stream of pictures is no longer good. Nanoseconds."""

    frozen_ns: int = 700 * MS
    """Not one sampled pixel changes for so long: even a still table has noise."""
    late_ns: int = 500 * MS
    """A picture this old when it arrives comes from a full queue."""
    slow_share: float = 0.7
    """Fewer pictures than this share of the rate: said, and played on."""


@dataclass(slots=True)
class PictureJudge:
    """Feed every picture with the moment it arrived; returns what is wrong with it as a sentence, or nothing."""

    size_px: tuple[int, int]
    fps: float
    limits: Limits = field(default_factory=Limits)
    _sample: bytes = b""
    _changed_ns: int | None = None
    _arrivals: deque[int] = field(default_factory=deque)

    def why_bad(self, frame: Frame, now_ns: int) -> str:
        """Return why a picture must not be used; empty: it is good."""
        self._count(now_ns)
        height, width = frame.image.shape[:2]
        if not height or not width:
            return "the camera sends empty pictures; plug it in again"
        if (width, height) != self.size_px:
            asked = "x".join(map(str, self.size_px))
            return f"the camera sends {width}x{height} instead of {asked}; plug it in again or calibrate anew"
        if blind := why_blind(frame.image):
            return blind
        if self._is_frozen(frame, now_ns):
            return "the camera repeats the same picture; plug it in again"
        if now_ns - frame.at_ns > self.limits.late_ns:
            return f"the picture is {(now_ns - frame.at_ns) / 1e9:.1f} s old; use another USB port or a smaller picture"
        return ""

    @property
    def changed_ns(self) -> int | None:
        """When a picture last differed from the one before it: a frozen stream was good until then."""
        return self._changed_ns

    def rate(self) -> float:
        """Return pictures a second over the last second; 0 where too few came."""
        if len(self._arrivals) < 3:
            return 0.0
        return (len(self._arrivals) - 1) * 1e9 / (self._arrivals[-1] - self._arrivals[0])

    def why_slow(self) -> str:
        """Return what to do about a slow stream; empty where it is fast enough."""
        rate = self.rate()
        if not rate or rate >= self.limits.slow_share * self.fps:
            return ""
        return (
            f"only {rate:.0f} pictures a second instead of {self.fps:.0f}; give it more light, or a USB port of its own"
        )

    def restart(self) -> None:
        """Forget the stream: a new one begins."""
        self._sample, self._changed_ns = b"", None
        self._arrivals.clear()

    def _is_frozen(self, frame: Frame, now_ns: int) -> bool:
        sample = sampled(frame.image).tobytes()
        if sample != self._sample or self._changed_ns is None:
            self._sample, self._changed_ns = sample, now_ns
        return now_ns - self._changed_ns >= self.limits.frozen_ns

    def _count(self, now_ns: int) -> None:
        self._arrivals.append(now_ns)
        while now_ns - self._arrivals[0] > 1_000 * MS:
            self._arrivals.popleft()
