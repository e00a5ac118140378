"""What could have been played while nobody played: from the rows as they were seen, and only from them."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from referee.errors import SettingsError
from referee.replay.collect import RowSeen
from referee.replay.moments import Chance
from referee.replay.piles import Shown
from referee.rules.legality import follows
from referee.rules.rule_set import RuleSet, rule_set_from
from referee.table import PLAYERS, Player


class Chances:
    """Answers what could have been played, from rows and tops as they were seen under a rule set's options."""

    def __init__(self, rows: list[RowSeen], shown: list[Shown], options: Mapping[str, Any]) -> None:
        ordered = sorted(rows, key=_time)
        self._rows = {player: [row for row in ordered if row.player == player] for player in PLAYERS}
        self._shown = shown
        try:
            self._rules: RuleSet | None = rule_set_from(options)
        except SettingsError:
            self._rules = None

    def between(self, start_ns: int, end_ns: int) -> tuple[Chance, ...] | None:
        """Return each card that fitted a pile between the two times, with how long it lay there, longest first.

        None where a row was not seen at all by then, or where the log names rules that this version does not know."""
        if self._rules is None:
            return None
        tops = _held(self._shown, start_ns, end_ns)
        found: list[Chance] = []
        for player in PLAYERS:
            seen = _held(self._rows[player], start_ns, end_ns)
            if not seen:
                return None
            found.extend(_fitting(player, seen, tops, self._rules))
        return tuple(sorted(_joined(found), key=lambda chance: chance.start_ns - chance.end_ns))


Timed = TypeVar("Timed", bound=RowSeen | Shown)


def _held(states: list[Timed], start_ns: int, end_ns: int) -> list[tuple[int, int, Timed]]:
    """The states that held between the two times, each with its stretch of it; a state holds until the next one."""
    first = max(0, bisect_right(states, start_ns, key=_time) - 1)
    last = bisect_left(states, end_ns, key=_time)
    within = states[first:last]
    if not within:
        return []
    ends = [*(state.at_ns for state in within[1:]), end_ns]
    held = [(max(start_ns, state.at_ns), end, state) for state, end in zip(within, ends, strict=True)]
    return [(start, end, state) for start, end, state in held if start < end]


def _time(state: RowSeen | Shown) -> int:
    return state.at_ns


def _fitting(
    player: Player, seen: list[tuple[int, int, RowSeen]], tops: list[tuple[int, int, Shown]], rules: RuleSet
) -> list[Chance]:
    return [
        Chance(player=player, place=place, card=card, pile=pile, start_ns=max(start, since), end_ns=min(end, until))
        for start, end, row in seen
        for since, until, shown in tops
        if max(start, since) < min(end, until)
        for place, card in enumerate(row.faces, 1)
        for pile, top in shown.tops.items()
        if card is not None and top is not None and follows(card, top, rules)
    ]


def _joined(chances: list[Chance]) -> list[Chance]:
    """Chances that differ only in time and touch each other, as one."""
    joined: dict[tuple[object, ...], Chance] = {}
    for chance in sorted(chances, key=lambda chance: chance.start_ns):
        key = (chance.player, chance.place, chance.card, chance.pile)
        old = joined.get(key)
        joined[key] = replace(old, end_ns=max(old.end_ns, chance.end_ns)) if old else chance
    return list(joined.values())
