"""Does the camera still see the table from where it did? It was nudged if all cards move, or look different, at once.

Hands come bit by bit: in no frame do they move everywhere. So the picture right before a nudge shows nearly the same
as the one right after it, whatever lies on the table by then.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from hardware.frames import Frame
from hardware.vision.motion import Mask, Motion
from hardware.vision.spots import Spot
from hardware.vision.steady import Matrix, Steady, is_nudge

FEW_CELLS: Final = 30
LEAST_SPOTS: Final = 5
"""With fewer cards in view, two hands may change how all of them look."""
LEAST_JUMPING: Final = 3
"""So many cards move at once only if the camera was nudged, or the whole table was."""
UPSET_SHARE: Final = 0.04
UPSET_SPOTS: Final = 0.95
JUMP_SHARE: Final = 0.02
JUMP_SPOTS: Final = 0.9
JUMP_CELLS: Final = 0.07
"""Share of the whole picture that moves at once if the camera was nudged; hands move less."""
CALM_SPOTS: Final = 0.5
CALM_NS: Final = 90_000_000
"""After so long it is asked again whether at most half of the spots look different."""
SUDDEN_NS: Final = 250_000_000
"""From at most half of the spots to nearly all of them it takes a nudge so long."""
REST_NS: Final = 150_000_000
"""At the latest so long after a nudge the camera has come to rest, and the view is compared with the one before."""
JUMPS_NS: Final = 300_000_000
"""So long after hands were taken for a nudge they are not again."""
AGAIN_NS: Final = 1_000_000_000
"""So long nothing is read after a nudge, until the table is found again."""
SELDOM_NS: Final = 4_000_000_000
"""If the view did not move, or did not change all at once, it is compared again so much later."""


class Viewpoint:
    """Remembers from where the camera saw the still table, and notices when that changes."""

    def __init__(self, first: Frame) -> None:
        self._start = Steady(first.image)
        self._moved: Matrix = np.eye(3)
        """How the picture has moved since the start."""
        self._last = first
        self._before: Steady | None = None
        """The view right before everything moved at once."""
        self._jumped_ns = self._jumps_after_ns = 0
        self._upset = False
        self._unchanged: Spot | None = None
        """A spot that did not look different when last asked: the first to ask."""
        self._calm_ns = 0
        self.compare_ns = 0
        """Not before this moment is it worth comparing the views."""
        self.blind_until_ns = 0
        """Until then nothing that is seen counts."""

    def is_upset(self, frame: Frame, motion: Motion, spots: Sequence[Spot]) -> bool:
        """Take each frame in; return whether the camera may see the table from elsewhere."""
        at_ns, before, self._last = frame.at_ns, self._last, frame
        cards = [spot for spot in spots if spot.top is not None] if motion.changed_cells >= FEW_CELLS else []
        if len(cards) >= LEAST_JUMPING and at_ns >= self._jumps_after_ns and self._all_move(motion, cards):
            if self._before is None:
                self._before, self._jumped_ns = Steady(before.image), at_ns
            self.compare_ns, self.blind_until_ns = min(at_ns + 1, self._jumped_ns + REST_NS), at_ns + AGAIN_NS
        if len(cards) < LEAST_SPOTS:
            cards = []
        if at_ns - self._calm_ns >= CALM_NS and (not cards or not self._are_changed(motion, cards, CALM_SPOTS)):
            self._calm_ns = at_ns
        if not cards or not self._are_changed(motion, cards, UPSET_SPOTS):
            self._upset = False
        elif not self._upset:
            self._upset = True
            if self._before is None:
                sudden = at_ns - self._calm_ns < SUDDEN_NS
                self.compare_ns, self.blind_until_ns = at_ns + (REST_NS if sudden else SELDOM_NS), 0
        return self._upset or self._before is not None

    def compared(self, frame: Frame) -> Matrix | None:
        """Return how the picture moved since this was last asked, 3 x 3 in pixels; None if the views do not match.

        A movement that is no more than a measuring error is none.
        """
        before, self._before = self._before, None
        nudge = None if before is None else before.moved(frame.image)
        if before is not None and nudge is None and frame.at_ns < self._jumped_ns + REST_NS:
            self._before, self.compare_ns = before, self._jumped_ns + REST_NS  # it shakes still
            return None
        if nudge is None:
            moved = self._start.moved(frame.image)
            nudge = None if moved is None else moved @ np.linalg.inv(self._moved)
        self.blind_until_ns = 0 if nudge is not None else self.blind_until_ns
        self.compare_ns = frame.at_ns + (AGAIN_NS if nudge is None else SELDOM_NS)
        if nudge is None or not is_nudge(nudge, (frame.image.shape[1], frame.image.shape[0])):
            self._jumps_after_ns = frame.at_ns + JUMPS_NS
            return None if nudge is None else np.eye(3)
        self._moved, self._upset = nudge @ self._moved, False
        return nudge

    def _all_move(self, motion: Motion, cards: Sequence[Spot]) -> bool:
        if motion.moving_cells < JUMP_CELLS * motion.moving.size:
            return False
        return self._do_most(motion.moving, cards, JUMP_SHARE, JUMP_SPOTS)

    def _are_changed(self, motion: Motion, cards: Sequence[Spot], share: float) -> bool:
        """Whether at least this share of the spots looks different."""
        return self._do_most(motion.changed, cards, UPSET_SHARE, share)

    def _do_most(self, cells: Mask, cards: Sequence[Spot], least: float, share: float) -> bool:
        """Whether at least this share of the spots has more than the least share of its cells set."""
        others = (1.0 - share) * len(cards)
        for spot in sorted(cards, key=lambda spot: spot is not self._unchanged):
            if spot.zone.share(cells) <= least:
                self._unchanged = spot
                others -= 1
            if others < 0:
                return False
        return True
