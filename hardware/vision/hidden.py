"""Landings that were covered again before the pile was still: what left a row must have gone somewhere."""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from hardware.frames import Image
from hardware.vision.carried import COARSE, Gray, last_rest, portrait, sightings
from hardware.vision.landings import REACH_MM, Landed
from hardware.vision.rectify import Pose
from hardware.vision.rows import Departure
from hardware.vision.touch import Ring, Touch, share_in_place, touch_of
from referee.table import Player

EARLIER_NS: Final = 8_000_000
"""A covered card touched at least so long before the one that covers it."""
CARRY_NS: Final = 900_000_000
"""From leaving the row to the pile takes at most about so long."""
HAND_MM: Final = (64.0, 56.0)
"""The part of a laying hand whose stop tells when its card touched."""


class HiddenLandings:
    """Looks for cards under a landing."""

    def __init__(self, ring: Ring, card_mm: tuple[float, float]) -> None:
        self._ring, self._card_mm = ring, card_mm

    def under(
        self,
        cover: Landed,
        owner: Player,
        missing: Sequence[Departure],
        around_mm: tuple[float, float],
        since_ns: int,
        before: Image,
    ) -> list[Landed]:
        """Return the landings on the same pile that `cover` hid, in order of time.

        `owner`: whose `cover` is; `missing`: cards that left a row and were not seen to land; `since_ns`: when the pile was last still, and
        `before`: the middle as it lay then.
        """
        until = cover.touch.at_ns - EARLIER_NS
        frames = self._ring.between(since_ns - 100_000_000, until)
        if len(frames) < 2:
            return []
        coarse = [_coarse(picture) for _, picture in frames]
        found: list[Landed] = []
        unseen: list[Departure] = []
        for gone in missing:
            touch = self._seen_at_rest(gone, frames, coarse, around_mm, before)
            if touch is not None:
                found.append(Landed(cover.pile, touch, gone.top, {gone.player: touch.at_ns}))
            elif gone.sure and gone.player != owner and gone.player in cover.visits:
                unseen.append(gone)
        if len(unseen) == 1 and not any(unseen[0].player in landed.visits for landed in found):
            touch = self._hand_at_rest(unseen[0].player, frames, cover, around_mm, before)
            found.append(Landed(cover.pile, touch, unseen[0].top, {unseen[0].player: touch.at_ns}))
        return sorted(found, key=lambda landed: landed.touch.at_ns)

    def _seen_at_rest(
        self,
        gone: Departure,
        frames: Sequence[tuple[int, Image]],
        coarse: Sequence[Gray],
        around_mm: tuple[float, float],
        before: Image,
    ) -> Touch | None:
        """Return the touch of a card that can be seen lying still in some frames."""
        patch, card_mm = self._ring.patch, self._card_mm
        first = next((n for n, (at, _) in enumerate(frames) if at >= gone.from_ns), len(frames))
        if len(frames) - first < 2:
            return None
        scale = patch.px_per_mm * COARSE
        look_for = portrait(gone.picture, gone.patch, gone.top.pose, card_mm, gone.player, scale)
        seen = sightings(look_for, coarse[first:], patch, card_mm, scale)
        rest = last_rest(seen, [at for at, _ in frames[first:]], around_mm, REACH_MM)
        if rest is None:
            return None
        upto = first + rest.frame + 1
        if share_in_place(frames[upto - 1][1], before, patch, rest.pose, card_mm) > 0.7:
            return None
        return touch_of(frames[:upto], patch, rest.pose, card_mm, before)

    def _hand_at_rest(
        self,
        player: Player,
        frames: Sequence[tuple[int, Image]],
        cover: Landed,
        around_mm: tuple[float, float],
        before: Image,
    ) -> Touch:
        """Return when the player's hand stopped over the pile: its card was hidden at once."""
        side = -1.0 if player == "p1" else 1.0
        pose = Pose(around_mm[0], around_mm[1] + side * (self._card_mm[1] / 2), 0.0)
        touch = touch_of(frames, self._ring.patch, pose, HAND_MM, before)
        if touch is None:
            at = cover.touch.at_ns - 2 * EARLIER_NS
            return Touch(at, frames[0][0], cover.touch.at_ns, False)
        at = min(touch.at_ns, cover.touch.at_ns - EARLIER_NS)
        return Touch(at, touch.earliest_ns, max(at, touch.latest_ns), False)


def _coarse(picture: Image) -> Gray:
    small = cv2.resize(picture, None, fx=COARSE, fy=COARSE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


