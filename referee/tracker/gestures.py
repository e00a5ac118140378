"""Pad presses that are words and not slaps: *call*, *ready* and *undo*. In the slap phase every press is a slap.

Both own pads within 150 ms with no landing within 250 ms say "I can't play"; both own pads held for a second say
"ready"; all four held for two seconds take the last call back.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from referee.observations import Called, PadReleased, PadSlapped, Undo
from referee.table import PILES, PLAYERS, Pile, Player

TOGETHER_NS = 150_000_000
NO_LANDING_NS = 250_000_000
READY_NS = 1_000_000_000
UNDO_NS = 2_000_000_000
REMEMBER_NS = 5_000_000_000

Meaning = Literal["slap", "call", "nothing"]
Pad = tuple[Player, Pile]


class Gestures(msgspec.Struct, eq=False):
    """What the pads of both players were used for lately. Everything is told in observations; nothing reads a clock."""

    presses: tuple[PadSlapped, ...] = ()
    landings: tuple[int, ...] = ()
    held: Mapping[Pad, int] = {}
    """Pads that are down, and since when."""
    spoken: frozenset[Pad] = frozenset()
    """Pads whose present hold was already understood."""

    def copy(self) -> "Gestures":
        return replace(self)

    def press(self, press: PadSlapped) -> None:
        young = (old for old in self.presses if old.at_ns > press.at_ns - REMEMBER_NS)
        self.presses = (*young, press)
        if press.player is not None:
            pad = (press.player, press.pile)
            self.held, self.spoken = {**self.held, pad: press.at_ns}, self.spoken - {pad}

    def release(self, release: PadReleased) -> None:
        pad = (release.player, release.pile)
        self.held = {other: since_ns for other, since_ns in self.held.items() if other != pad}
        self.spoken = frozenset(other for other in self.spoken if other != pad)

    def land(self, at_ns: int) -> None:
        """A card came down: pads may have felt it."""
        self.landings = (*(old for old in self.landings if old > at_ns - REMEMBER_NS), at_ns)

    def meaning(self, press: PadSlapped) -> Meaning:
        """What a press was, once everything within 250 ms around it is known."""
        partner = self.partner(press)
        if partner is None or self._near_landing(press) or self._near_landing(partner):
            return "slap"
        return "call" if (partner.at_ns, partner.pile) > (press.at_ns, press.pile) else "nothing"

    def partner(self, press: PadSlapped) -> PadSlapped | None:
        """The press of the same player's other pad that goes with this one."""
        if press.player is None:
            return None
        for other in self.presses:
            same_hands = other.player == press.player and other.pile != press.pile
            if same_hands and abs(other.at_ns - press.at_ns) <= TOGETHER_NS:
                return other
        return None

    def _near_landing(self, press: PadSlapped) -> bool:
        return any(abs(press.at_ns - landed_ns) <= NO_LANDING_NS for landed_ns in self.landings)

    @property
    def may_become_undo(self) -> bool:
        """Whether all four pads are down: two calls if they are let go, an undo if they are held."""
        return len(self.held) == len(PLAYERS) * len(PILES) and not self.held.keys() <= self.spoken

    def holding(self, now_ns: int) -> list[Called | Undo]:
        """Words that are said by holding: each once per hold."""
        if len(self.held) < 2:
            return []
        if len(self.held) == len(PLAYERS) * len(PILES):
            if not self._said(frozenset(self.held), now_ns, UNDO_NS):
                return []
            return [Undo(at_ns=now_ns)]
        words: list[Called | Undo] = []
        for player in PLAYERS:
            own = frozenset((player, pile) for pile in PILES)
            if own <= self.held.keys() and self._said(own, now_ns, READY_NS):
                words.append(Called(at_ns=now_ns, player=player, word="ready"))
        return words

    def _said(self, pads: frozenset[Pad], now_ns: int, after_ns: int) -> bool:
        """Whether all these pads have just been held long enough; then the hold is spent."""
        if pads <= self.spoken or now_ns - max(self.held[pad] for pad in pads) < after_ns:
            return False
        self.spoken |= pads
        return True
