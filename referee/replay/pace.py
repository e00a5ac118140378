"""How fast a film of a game runs: slowly around disputes and slaps, quickly where nothing happens. Pure."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from referee.replay.moments import Timeline

S: Final = 1_000_000_000
SLOW: Final = 0.25
SLOW_BEFORE_NS: Final = S // 2
SLOW_AFTER_NS: Final = S
IDLE_NS: Final = 3 * S
"""A longer stretch without any moment is cut down to this."""


def film_times(timeline: Timeline, fps: float, start_ns: int = 0, end_ns: int | None = None) -> Iterator[int]:
    """Yield the game's time of every frame of a film from `start_ns` to `end_ns`, rising."""
    end_ns = timeline.length_ns if end_ns is None else min(end_ns, timeline.length_ns)
    moments_ns = [moment.at_ns for moment in timeline.moments]
    slow_ns = [moment.at_ns for moment in timeline.moments if moment.is_dispute or moment.kind == "award"]
    step_ns = S / fps
    now_ns = float(max(0, start_ns))
    while now_ns <= end_ns:
        yield round(now_ns)
        now_ns = _without_idling(now_ns, moments_ns, end_ns) + step_ns * (SLOW if _is_slow(now_ns, slow_ns) else 1.0)


def _is_slow(now_ns: float, slow_ns: list[int]) -> bool:
    place = bisect_left(slow_ns, now_ns - SLOW_AFTER_NS)
    return place < len(slow_ns) and slow_ns[place] <= now_ns + SLOW_BEFORE_NS


def _without_idling(now_ns: float, moments_ns: list[int], end_ns: int) -> float:
    """Jump over the middle of a long pause: half of the idle time is kept before and after."""
    place = bisect_left(moments_ns, now_ns)
    before_ns = moments_ns[place - 1] if place else 0
    after_ns = moments_ns[place] if place < len(moments_ns) else end_ns
    is_long = after_ns - before_ns > IDLE_NS
    has_seen_enough = before_ns + IDLE_NS / 2 <= now_ns < after_ns - IDLE_NS / 2
    return after_ns - IDLE_NS / 2 if is_long and has_seen_enough else now_ns
