"""Freshly dealt rows: when the old cards are gone and the new tops lie still, the row is laid out (R59)."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from referee.cards import UNREAD
from referee.game.events import Layout as LaidOut
from referee.game.position import Position
from referee.game.readings import lay_out
from referee.game.rulings import Legal
from referee.rules.rows import EMPTY, Row
from referee.rules.rule_set import RuleSet
from referee.table import PLAYERS, Player
from referee.tracker.rows import RowView

STILL_LOOKS = 2
LONG_ENOUGH_NS = 6_000_000_000
"""After this time the old cards are taken to be gone, even if no empty row was seen."""


class Layout(msgspec.Struct, eq=False):
    """Whose row of the present deal has been seen lying there."""

    laid: frozenset[Player] = frozenset()
    cleared: frozenset[Player] = frozenset()
    since_ns: int = 0
    looks: Mapping[Player, tuple[tuple[int, ...], int]] = {}
    """The places that showed a face, and in how many looks in a row."""

    def copy(self) -> "Layout":
        return replace(self)

    def is_laid(self, player: Player) -> bool:
        return player in self.laid

    def begin(self, at_ns: int, cleared: bool) -> None:
        """A new deal: nothing lies there yet; the cards of the old one may (unless `cleared`)."""
        self.laid, self.looks, self.since_ns = frozenset(), {}, at_ns
        self.cleared = frozenset(PLAYERS if cleared else ())

    def may_be_old(self, player: Player, at_ns: int) -> bool:
        """Whether the cards of the deal before may still lie in the player's row."""
        return player not in self.cleared and at_ns - self.since_ns < LONG_ENOUGH_NS

    def look(self, player: Player, row: RowView, at_ns: int) -> bool:
        """Take a look in; True if the row lies still and may be read."""
        if row.count("face") == 0 and row.count("down") == 0 and row.count("empty") >= 3:
            self.cleared |= {player}
        if self.may_be_old(player, at_ns):
            return False
        faces = tuple(place for place, _ in row.faces())
        before, looks = self.looks.get(player, ((), 0))
        looks = looks + 1 if faces and faces == before and row.count("unknown") == 0 else 1
        self.looks = {**self.looks, player: (faces, looks)}
        return looks >= STILL_LOOKS

    def lay(self, rules: RuleSet, position: Position, player: Player, row: RowView, at_ns: int) -> Position:
        """The position with this row laid out as it was seen."""
        faces = row.faces()
        event = LaidOut(at_ns=at_ns, player=player, tops=tuple(card for _, card in faces))
        ruling, after, _ = lay_out(rules, position, event, (event,))
        if isinstance(ruling, Legal):
            self.laid |= {player}
            after = after.with_side(player, row=_where_they_lie(after.side(player).row, [place for place, _ in faces]))
        return after

    def force(self, position: Position, row: RowView, player: Player) -> Position:
        """The deal begins before the row was seen well: unread tops are filled in by later looks."""
        self.laid |= {player}
        seen = dict(row.faces())
        stocks = [
            replace(stock, down=stock.down - 1, up=(seen.get(place, UNREAD),)) if stock.down and not stock.up else stock
            for place, stock in enumerate(position.side(player).row, 1)
        ]
        return position.with_side(player, row=tuple(stocks))


def _where_they_lie(row: Row, places: list[int]) -> Row:
    """The same piles at the places where they were seen; people leave gaps where they like."""
    piles = [stock for stock in row if not stock.is_empty]
    spread = [EMPTY] * len(row)
    for place, stock in zip(places, piles, strict=True):
        if place <= len(spread):
            spread[place - 1] = stock
    return tuple(spread) if len([s for s in spread if s is not EMPTY]) == len(piles) else row
