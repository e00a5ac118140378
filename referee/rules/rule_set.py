"""Rule sets as data: one frozen value holds every switch that the rule texts leave to the players.

The presets are rows of a table, a house's own rules are a mapping (a TOML file) that `extends` one of them. What
cannot work together is refused here, so that nothing below has to think about it.
"""

import difflib
from collections.abc import Mapping
from typing import Any, Final, Literal, get_args, get_type_hints

import msgspec

from referee.errors import SettingsError

Setup = Literal["pyramid", "canfield", "row_of_four", "hand_of_five"]
Jokers = Literal["none", "wild"]
Colours = Literal["any", "alternate"]

_Option = tuple[str, object]


_TIMES: Final = ("slap_resolution_us", "slap_play_window_ms", "race_window_ms", "hand_change_ms")

_LONGEST_TIME: Final = 60_000
"""No window is longer than a minute: a larger number was written in the wrong unit."""

AGREEMENT_MS: Final = 1000
"""Two spit cards of two players this close together are an agreement, where players may agree (R46)."""


class RuleSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What two players agreed on. The defaults are the pagat rules; each option names its rule or contradiction."""

    setup: Setup = "pyramid"
    """Lay-out of a deal: R8, R13 (canfield), R73 (row_of_four), R83 (hand_of_five)."""
    piles: Literal[5, 4] = 5
    """Stock piles of a pyramid: R8, R15."""
    decks: Literal["shared", "own"] = "shared"
    """One pack for both, or one each: R4, R72."""
    jokers: Jokers = "none"
    """R5, R86: a wild joker goes on anything, and anything goes on it."""
    colours: Colours = "any"
    """R24, R71."""
    row_stack_same_rank: bool = False
    """R14, R38: equal tops of a row may be put on each other."""
    hands: Literal["one", "both"] = "one"
    """R27, R28."""
    spit_pile: Literal["own", "each_once"] = "own"
    """R41, R42: each on the pile they started, or crossed as long as each pile gets one."""
    solo_spit: Literal["own_pile", "chosen_pile"] = "own_pile"
    """R43 to R45: where the only player with spit cards spits."""
    spit_when: Literal["stuck", "stuck_or_agreed", "called"] = "stuck"
    """R40, R46, R88."""
    pile_choice: Literal["slap", "clearer_chooses"] = "slap"
    """R53, R55 or R56."""
    one_pile: Literal["at_most_layout", "below_layout"] = "at_most_layout"
    """R64 ("fifteen or fewer") or R61 by the letter ("fewer than 15")."""
    one_pile_stuck: Literal["more_cards_takes", "starter_takes"] = "more_cards_takes"
    """R67: who takes the single pile of a blocked deal."""
    short_deal: Literal["pile_by_pile", "row_by_row"] = "pile_by_pile"
    """R61: how a hand that does not fill the lay-out is dealt."""
    slap_resolution_us: int = 100
    """R53: slaps on one pile that are not further apart are a dead heat."""
    slap_play_window_ms: int = 250
    """R51: a pad hit this close to the player's own landing is that landing."""
    race_window_ms: int = 500
    """R31, R32: a card this late is beaten, not wrong."""
    hand_change_ms: int = 400
    """R27: the other hand may act after this pause."""

    def __post_init__(self) -> None:
        for name in _TIMES:
            if not 0 <= getattr(self, name) <= _LONGEST_TIME:
                raise SettingsError(f"rules.{name} is {getattr(self, name)}: use a number from 0 to {_LONGEST_TIME}")
        for first, second, why in CONTRADICTIONS:
            if self._has(first) and self._has(second):
                raise SettingsError(f"rules.{_spell(first)} and rules.{_spell(second)} contradict each other: {why}")

    def _has(self, option: _Option) -> bool:
        name, value = option
        return bool(getattr(self, name) == value)

    @property
    def row_is_visible(self) -> bool:
        """Whether the players' cards lie face up in rows; a hand is hidden (R88)."""
        return self.setup != "hand_of_five"

    @property
    def refills(self) -> bool:
        """Whether gaps of the row are filled from a deck (R76)."""
        return self.setup == "row_of_four"

    @property
    def has_slap(self) -> bool:
        """Whether a deal ends with a slap or an award and is followed by another (R51, R59)."""
        return self.setup in ("pyramid", "canfield")


_ONE_DEAL: Final[tuple[tuple[_Option, _Option, str], ...]] = tuple(
    (("setup", setup), option, "this game is a single deal, without a slap and without a short lay-out")
    for setup in ("row_of_four", "hand_of_five")
    for option in (
        ("pile_choice", "clearer_chooses"),
        ("one_pile", "below_layout"),
        ("one_pile_stuck", "starter_takes"),
        ("short_deal", "row_by_row"),
    )
)

CONTRADICTIONS: Final[tuple[tuple[_Option, _Option, str], ...]] = (
    (("setup", "canfield"), ("piles", 4), "the Canfield-like row is four single cards and a stack; use piles = 5"),
    (("setup", "row_of_four"), ("row_stack_same_rank", True), "no card may lie on another in a row of four (R77)"),
    (("setup", "hand_of_five"), ("row_stack_same_rank", True), "cards in a hand have no row to be stacked in"),
    (("setup", "hand_of_five"), ("piles", 4), "cards in a hand have no stock piles to leave one out"),
    (("setup", "hand_of_five"), ("spit_when", "stuck"), 'a hidden hand cannot be judged stuck; use "called" (R88)'),
    (
        ("setup", "hand_of_five"),
        ("spit_when", "stuck_or_agreed"),
        'a hidden hand cannot be judged stuck; use "called" (R88)',
    ),
    (("setup", "hand_of_five"), ("solo_spit", "chosen_pile"), "each player turns cards of their own outer stack (R84)"),
    *_ONE_DEAL,
)

PRESETS: Final[Mapping[str, RuleSet]] = {
    "pagat": RuleSet(),
    "wikipedia": RuleSet(row_stack_same_rank=True, spit_when="stuck_or_agreed", spit_pile="each_once"),
    "bicycle": RuleSet(setup="row_of_four", decks="own", spit_pile="each_once"),
    "speed": RuleSet(setup="hand_of_five", spit_when="called"),
}

ABOUT: Final[Mapping[str, str]] = {
    "pagat": "the usual game: five stock piles each, slap at the end of a deal",
    "wikipedia": "as pagat; equal cards may be stacked in the row, and both may agree to spit",
    "bicycle": "a pack each, four cards in a row, filled up from the deck; one deal, no slap",
    "speed": "five cards in the hand, outer stacks in the middle; stuck is never called",
}
"""Each preset in half a sentence."""

OPTIONS: Final[tuple[str, ...]] = RuleSet.__struct_fields__


def rule_set(name: str) -> RuleSet:
    """Return the preset called `name`; raises SettingsError naming the nearest one."""
    try:
        return PRESETS[name]
    except KeyError:
        raise SettingsError(f"there is no rule set {name!r}{_nearest(name, PRESETS)}") from None


def rule_set_from(mapping: Mapping[str, Any]) -> RuleSet:
    """Return the house rules of `mapping`: `extends` names a preset (pagat if left out), other keys override it.

    Raises SettingsError for an unknown preset or option (naming the nearest known one), a value that the option does
    not have, and options that contradict each other.
    """
    options = dict(mapping)
    base = _extended(options.pop("extends", "pagat"))
    for name in options:
        if name not in OPTIONS:
            raise SettingsError(f"rules.{name} is not an option{_nearest(name, ('extends', *OPTIONS))}")
    try:
        return msgspec.convert(msgspec.to_builtins(base) | options, RuleSet)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, SettingsError):
            raise error.__cause__ from None
        raise SettingsError(_cure(options, str(error))) from None


def _extended(name: object) -> RuleSet:
    if not isinstance(name, str):
        raise SettingsError(f"rules.extends is {name!r}: write the name of one rule set, {' or '.join(PRESETS)}")
    return rule_set(name)


def _cure(options: Mapping[str, Any], message: str) -> str:
    """Say which option has a value that it cannot have, and which it may have; msgspec's message ends in its path."""
    name = message.rpartition("$.")[2].rstrip("`")
    allowed = get_args(get_type_hints(RuleSet)[name])
    kinds = {"row_stack_same_rank": "true or false"} | dict.fromkeys(_TIMES, "a whole number")
    choice = " or ".join(_toml(value) for value in allowed) or kinds[name]
    return f"rules.{name} is {_toml(options[name])}: write {choice}"


def _toml(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _nearest(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f": did you mean {near[0]!r}?" if near else f": use one of {', '.join(known)}"


def _spell(option: _Option) -> str:
    name, value = option
    return f"{name} = {_toml(value)}"
