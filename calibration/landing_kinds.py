"""Which kinds of landings, and of events that are none, a drill contains: so that figures can be told by kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import Final

from hardware.simulated.choreography import Choreography
from hardware.simulated.drill import drill_troubles, trouble_of
from hardware.simulated.look import HandLook, Look
from referee.script import Hover, Knock, Lay, Script, SpitDown, SquareUp, TakeBack
from referee.table import Pile

Landing = Lay | SpitDown

CLOSE_NS: Final = 150_000_000
RALLY_NS: Final = 400_000_000
"""Cards that follow each other on one pile so fast lie under hands that never leave it."""
HALF_OFF_MM: Final = 15.0
IN_PLACE: Final = 1.5
"""Millimetres, or degrees, by which a card that lies exactly on another one is off."""
WHITE: Final = 200
BEFORE_NS: Final = 300_000_000
AFTER_NS: Final = 700_000_000
_RESTING_MM: Final = 5.0
_HIGH_MM: Final = 25.0


@dataclass(frozen=True, slots=True)
class Other:
    """Something that is no landing, but could be taken for one. `pile` None: on both."""

    kind: str
    pile: Pile | None
    from_ns: int
    until_ns: int

    def may_explain(self, pile: Pile, at_ns: int) -> bool:
        return self.pile in (None, pile) and self.from_ns - BEFORE_NS < at_ns < self.until_ns + AFTER_NS


def landings(script: Script) -> list[Landing]:
    return [action for action in script.actions if isinstance(action, Landing)]


def kinds_by_landing(script: Script, look: Look) -> list[list[str]]:
    """Return the kinds of each landing, in the order of `landings`."""
    everywhere = _of_the_table(look)
    kinds = [["spit card" if isinstance(one, SpitDown) else "row card", *everywhere] for one in landings(script)]
    for pile in ("A", "B"):
        here = [(n, one) for n, one in enumerate(landings(script)) if one.pile == pile]
        for (_, before), (n, one) in pairwise(here):
            kinds[n] += _by_place(before, one)
        for k, (n, one) in enumerate(here):
            kinds[n].append(_by_time(one, [other for _, other in here[max(0, k - 1) : k + 2] if other is not one]))
    troubles = drill_troubles(script.seed, script.end_ns)
    for n, one in enumerate(landings(script)):
        during = any(trouble.from_ns <= one.at_ns < trouble.until_ns for trouble in troubles)
        kinds[n] += [f"during or after {trouble_of(script.seed)}"] if during else []
    return kinds


def is_thrown(one: Landing, choreography: Choreography) -> bool:
    """Whether a card slides on after it touched."""
    return any(
        flight.slide_ns > 0 and flight.target.card == one.card and flight.end_ns - flight.slide_ns == one.at_ns
        for flight in choreography.flights
    )


def others(script: Script) -> list[Other]:
    """Return what happens in a drill besides landings."""
    troubles = drill_troubles(script.seed, script.end_ns)
    found = [Other(f"change of {t.what}", None, at_ns, at_ns) for t in troubles for at_ns in (t.from_ns, t.until_ns)]
    for action in script.actions:
        match action:
            case Hover(pile=pile, height_mm=z):
                how = "rests" if z < _RESTING_MM else "passes high" if z > _HIGH_MM else "passes low"
                found.append(Other(f"hand {how}", pile, action.at_ns, action.end_ns))
            case Knock() | SquareUp():
                kind = "knock" if isinstance(action, Knock) else "square-up"
                found.append(Other(kind, action.pile, action.start_ns, action.at_ns))
            case TakeBack():
                found.append(Other("card taken back", action.pile, action.start_ns, action.at_ns))
            case _:
                pass
    return found


def _of_the_table(look: Look) -> list[str]:
    def white(hand: HandLook) -> bool:
        return min(hand.skin if hand.glove else hand.sleeve) > WHITE

    kinds = [f"deck {look.deck}"]
    kinds += ["white table"] if look.table_top == "white" else []
    kinds += ["white sleeve or glove"] if any(white(hand) for hand in look.hands.values()) else []
    kinds += ["glove"] if any(hand.glove for hand in look.hands.values()) else []
    kinds += ["strong shadows"] if look.lamp.shadow > 0.4 else []
    kinds += ["glare of the lamp"] if look.lamp.glare > 0 else []
    return kinds


def _by_place(before: Landing, one: Landing) -> list[str]:
    off = hypot(one.dx_mm - before.dx_mm, one.dy_mm - before.dy_mm)
    if off < IN_PLACE and abs(one.angle_deg - before.angle_deg) < IN_PLACE:
        return ["exactly in place"]
    return ["half off the pile"] if abs(one.dx_mm) >= HALF_OFF_MM else []


def _by_time(one: Landing, neighbours: Sequence[Landing]) -> str:
    nearest = min((abs(one.at_ns - other.at_ns) for other in neighbours), default=10 * RALLY_NS)
    if nearest < CLOSE_NS:
        return "another within 150 ms"
    return "another within 400 ms" if nearest < RALLY_NS else "alone"
