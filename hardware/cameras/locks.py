"""Hold exposure, focus and white balance of a V4L2 camera: set, then read back, and say what it does not do.

The automatic modes are switched off first, because a value set under them has no effect.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

MANUAL, APERTURE_PRIORITY = 1, 3
"""V4L2's exposure modes as OpenCV passes them on."""
EXPOSURE_UNIT_NS: Final = 100_000
"""V4L2 counts exposure in steps of 100 us."""

STEP_SHARE: Final = 0.05
"""A value may be rounded by so much to the camera's own steps."""


@dataclass(frozen=True, slots=True)
class Locked:
    """What came of it: the exposure that holds now (0: not known) and what was ignored."""

    exposure_ns: int
    complaints: tuple[str, ...]


def exposure_for(mains_hz: Literal[50, 60], wanted_ns: int, fps: float) -> int:
    """Return the multiple of the lamps' half wave that is nearest to an exposure and fits into a frame.

    >>> exposure_for(50, 17_000_000, 30) // 1000
    20000
    >>> exposure_for(60, 1_000_000, 30) // 1000
    8333
    """
    half_wave_ns = 1_000_000_000 // (2 * mains_hz)
    most = max(1, int(1e9 / fps / half_wave_ns))
    return half_wave_ns * min(most, max(1, round(wanted_ns / half_wave_ns)))


def lock_exposure_focus_and_white(capture: Any, mains_hz: Literal[50, 60], fps: float) -> Locked:
    """Hold what the camera's automatics have settled on; `capture` is OpenCV's, opened."""
    import cv2

    complaints: list[str] = []
    exposure_ns = _lock_exposure(capture, mains_hz, fps, complaints)
    for what, automatic, value in (
        ("focus", cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS),
        ("white balance", cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_WB_TEMPERATURE),
    ):
        before = capture.get(value)
        if capture.get(automatic) < 0:
            continue  # the camera has no such thing: a fixed lens, for one
        capture.set(automatic, 0)
        if before > 0:
            capture.set(value, before)
        moved = before > 0 and abs(capture.get(value) - before) > STEP_SHARE * before
        if capture.get(automatic) > 0 or moved:
            complaints.append(f"the camera ignores manual {what}; watch for readings that get worse during play")
    return Locked(exposure_ns, tuple(complaints))


def _lock_exposure(capture: Any, mains_hz: Literal[50, 60], fps: float, complaints: list[str]) -> int:
    import cv2

    settled = float(capture.get(cv2.CAP_PROP_EXPOSURE))
    wanted_ns = exposure_for(mains_hz, round(max(settled, 0) * EXPOSURE_UNIT_NS), fps)
    capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL)
    capture.set(cv2.CAP_PROP_EXPOSURE, round(wanted_ns / EXPOSURE_UNIT_NS))
    got_ns = round(float(capture.get(cv2.CAP_PROP_EXPOSURE)) * EXPOSURE_UNIT_NS)
    if capture.get(cv2.CAP_PROP_AUTO_EXPOSURE) != MANUAL or abs(got_ns - wanted_ns) > 2 * EXPOSURE_UNIT_NS:
        complaints.append("the camera ignores manual exposure; keep the light steady during play")
        return max(0, got_ns)
    return got_ns
