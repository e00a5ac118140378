"""The scenarios' words: their dictionaries to events and positions, rulings and announcements back to dictionaries."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from referee.cards import parse_card
from referee.errors import NotationError
from referee.game.announcements import AnyAnnouncement, NextDeal
from referee.game.events import AnyEvent
from referee.game.phases import Phase
from referee.game.position import Due, Middle, Position, Side, seen_bits
from referee.game.rulings import Illegal, Legal, Ruling, Undecided
from referee.rules.rows import parse_row
from referee.rules.rule_set import RuleSet, rule_set_from
from referee.table import PILES, PLAYERS, Pile, Player
from referee.units import MS

Plain = dict[str, Any]
"""A JSON object in the scenarios' words."""

NS_PER_US: Final = 1_000
LONGEST_SHOWN: Final = 200


Count = Annotated[int, msgspec.Meta(ge=0, le=1000)]


class _SideWords(msgspec.Struct):
    """A player's side in a `start`: `spit`, `deck` and `stock` are the packet under its three names."""

    row: list[str] = []
    spit: Count = 0
    deck: Count = 0
    stock: Count = 0
    hand: Count = 0


class _MiddleWords(msgspec.Struct):
    top: str
    count: Count
    started_by: Player | None = None


class _StartWords(msgspec.Struct):
    """The `start` of a scenario, as it is written."""

    phase: Literal["await_spit", "first_spit", "play", "spit", "slap", "over"]
    p1: _SideWords
    p2: _SideWords
    middle: dict[Pile, _MiddleWords] | None = None
    side: dict[Pile, Count] | None = None
    pending: dict[Player, list[Due]] | None = None
    piles: Literal[1, 2] = 2
    total: Count = 52
    cleared_by: Player | None = None


def shown(words: object) -> str:
    """Return what somebody wrote as a message shows it: its beginning."""
    text = repr(words)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} ..."


def read_rules(words: Mapping[str, Any]) -> RuleSet:
    """The rule set that a scenario names: a `preset`, and options that override it."""
    if not isinstance(words, Mapping):
        raise NotationError(f"{shown(words)} is not a rule set: write a mapping like {{preset: pagat}}")
    options = dict(words)
    return rule_set_from({"extends": options.pop("preset", "pagat"), **options})


def read_event(words: Mapping[str, Any]) -> AnyEvent:
    """The event that a scenario describes; raises NotationError for what is none."""
    try:
        do = words["do"]
        fields = {_FIELDS.get((do, name), name): value for name, value in words.items()}
        fields["at_ns"] = _ns(words["t_us"], NS_PER_US) if "t_us" in words else _ns(words["t"], MS)
        if do == "land":
            fields["cards"] = [parse_card(card) for card in words.get("cards") or [words["card"]]]
            fields["touched"] = words.get("contact") != "none"
            fields["order_known"] = words.get("order") != "unknown"
        elif do == "layout":
            fields["tops"] = [parse_card(card) for card in words["tops"]]
        elif "card" in words:
            fields["card"] = parse_card(words["card"])
        event: AnyEvent = msgspec.convert(fields, AnyEvent)
    except NotationError:
        raise
    except KeyError as error:
        raise NotationError(f"{shown(words)} is not an event of a scenario: it needs {error}") from None
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise NotationError(f"{shown(words)} is not an event of a scenario: {error}") from None
    return event


def _ns(time: object, unit_ns: int) -> int:
    if not isinstance(time, int | float):
        raise ValueError("its time is no number")
    return round(time * unit_ns)


_FIELDS: Final[Mapping[tuple[str, str], str]] = {
    ("land", "from"): "from_place",
    ("move", "from"): "from_place",
    ("move", "to"): "to_place",
    ("turn_up", "pile"): "place",
    ("refill", "slot"): "place",
    ("read", "pile"): "place",
    ("hands", "L"): "left",
    ("hands", "R"): "right",
}
"""Where the scenarios' names of fields differ from the engine's."""


def read_start(words: Mapping[str, Any]) -> Position:
    """The position that a scenario's `start` describes; raises NotationError for what is none."""
    try:
        start = msgspec.convert(words, _StartWords)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise NotationError(f"this is not the start of a scenario: {error}") from None
    middle, outer, pending = start.middle or {}, start.side or {}, start.pending or {}
    phase = _phase(start, middle)
    return Position(
        phase=phase,
        p1=_side(start.p1, pending.get("p1", []), phase),
        p2=_side(start.p2, pending.get("p2", []), phase),
        A=_middle(middle.get("A"), outer.get("A", 0)),
        B=_middle(middle.get("B"), outer.get("B", 0)),
        piles=start.piles,
        total=start.total,
        cleared_by=start.cleared_by,
        seen=seen_bits(parse_card(pile.top) for pile in middle.values()),
    )


def _phase(start: _StartWords, middle: Mapping[Pile, _MiddleWords]) -> Phase:
    """Waiting for a spit is the start of a deal as long as a pile in use is not started."""
    if start.phase != "await_spit":
        return Phase(start.phase)
    return Phase.SPIT if all(pile in middle for pile in PILES[: start.piles]) else Phase.FIRST_SPIT


def _side(words: _SideWords, pending: list[Due], phase: Phase) -> Side:
    packet = words.spit or words.deck or words.stock
    waiting = phase in (Phase.SPIT, Phase.FIRST_SPIT)
    return Side(
        row=parse_row(words.row),
        packet=packet,
        hand=words.hand,
        due=tuple(pending),
        has_spat=waiting and not pending and packet > 0,
    )


def _middle(words: _MiddleWords | None, outer: int) -> Middle:
    if words is None:
        return Middle(outer=outer)
    return Middle(top=parse_card(words.top), count=words.count, started_by=words.started_by, outer=outer)


def ruling_words(ruling: Ruling) -> Plain:
    """A ruling as the scenarios write it."""
    match ruling:
        case Legal(who):
            return {"ruling": "legal", "who": who}
        case Illegal(reason, who):
            return {"ruling": "illegal", "reason": reason.value, "who": who}
        case Undecided(reason, who):
            return {"ruling": "undecided", "reason": reason.value, "who": who}
        case _:
            return {"ruling": ruling.__struct_config__.tag}


def announcement_words(said: AnyAnnouncement) -> Plain:
    """An announcement as the scenarios write it."""
    words: Plain = msgspec.json.decode(msgspec.json.encode(said))
    if isinstance(said, NextDeal):
        words["first"] = {player: piles[0] if len(piles) == 1 else list(piles) for player, piles in said.first.items()}
    return words


def state_words(rules: RuleSet, position: Position) -> Plain:
    """The state keys of a scenario."""
    words: Plain = {"phase": position.phase.public_name}
    for pile in PILES:
        middle = position.middle(pile)
        words |= {f"top_{pile}": middle.top, f"n_{pile}": middle.count}
        if rules.setup == "hand_of_five":
            words[f"side_{pile}"] = middle.outer
    for player in PLAYERS:
        side = position.side(player)
        words[f"{player}_can"] = position.can(player, rules)
        if rules.setup == "hand_of_five":
            words |= {f"{player}_hand": side.hand, f"{player}_stock": side.packet}
        else:
            words[f"{player}_row"] = [str(stock) for stock in side.row]
            words[f"{player}_{'deck' if rules.refills else 'spit'}"] = side.packet
    return words
