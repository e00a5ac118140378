"""House rules, players and cards: chosen on a page, shown in the sentences that two players can agree on."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final, Literal, get_args, get_type_hints

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from referee.errors import SettingsError
from referee.house_rules import chosen_rules
from referee.replay.words import plain, player_names, with_names
from referee.rules.rule_set import ABOUT, PRESETS, RuleSet, rule_set_from
from referee.rules.sentences import describe
from referee.table import LONGEST_NAME, Player
from referee.web.desk import Desk
from referee.web.live import message, refusal
from referee.web.pages import page

WORDS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "piles": ("Stock piles", {"5": "five", "4": "four"}),
    "jokers": ("Jokers", {"none": "none", "wild": "wild"}),
    "colours": ("Colours", {"any": "do not matter", "alternate": "red and black by turns"}),
    "row_stack_same_rank": ("Equal cards in a row", {"false": "stay apart", "true": "may be stacked"}),
    "hands": ("Hands", {"one": "one hand each", "both": "both hands"}),
    "spit_when": (
        "Spit",
        {
            "stuck": "when nobody can play",
            "stuck_or_agreed": "when stuck, or when both agree",
            "called": "when players call",
        },
    ),
    "spit_pile": ("Spit onto", {"own": "the pile you started", "each_once": "either pile, each gets one"}),
    "solo_spit": (
        "The only one with spit cards spits onto",
        {"own_pile": "the pile they started", "chosen_pile": "either pile"},
    ),
    "pile_choice": ("At the end of a deal", {"slap": "both slap", "clearer_chooses": "whoever is out chooses"}),
    "one_pile": (
        "One pile is played with",
        {"at_most_layout": "no more cards than a full row", "below_layout": "fewer cards than a full row"},
    ),
    "one_pile_stuck": (
        "A single pile when stuck goes to",
        {
            "more_cards_takes": "whoever has more cards",
            "starter_takes": "whoever started it",
        },
    ),
}
"""Options that people agree on before a game, in their words; the rest is for the settings file."""


class Chosen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends."""

    rules: str
    options: dict[str, str]
    p1: str = ""
    p2: str = ""
    cards: Literal["poker", "bridge"] = "poker"

    def rule_set(self) -> RuleSet:
        """Return the rules; raises SettingsError where they cannot be or contradict each other."""
        return rule_set_from({"extends": self.rules, **self.changed()})

    def changed(self) -> dict[str, str | int | bool]:
        """Return the options that differ from the preset's, as values."""
        if self.rules not in PRESETS:
            raise SettingsError(f"there is no rule set {self.rules!r}: choose one of the list")
        preset = msgspec.to_builtins(PRESETS[self.rules])
        values = {name: _value(name, text) for name, text in self.options.items() if name in WORDS}
        return {name: value for name, value in values.items() if value != preset[name]}

    def sections(self) -> dict[str, dict[str, Any]]:
        """Return it as sections of a settings file."""
        names = {"p1": plain(self.p1, LONGEST_NAME).strip() or "p1", "p2": plain(self.p2, LONGEST_NAME).strip() or "p2"}
        return {
            "rules": {"name": self.rules, "options": self.changed()},
            "players": names,
            "cards": {"size": self.cards},
        }


def _value(name: str, text: str) -> str | int | bool:
    kind = get_type_hints(RuleSet)[name]
    if kind is bool:
        return text == "true"
    return next((value for value in get_args(kind) if str(value) == text), text)


async def house(request: Request) -> Response:
    """The rules that are played by, and the choice."""
    settings = request.app.state.desk.settings
    try:
        rules, trouble = chosen_rules(settings.rules.name, settings.rules.options), ""
    except SettingsError as error:
        rules, trouble = RuleSet(), str(error)
    now = _texts(rules)
    players = msgspec.to_builtins(settings.players)
    return page(
        request,
        "rules.html",
        chapters=_chapters(rules, players),
        trouble=trouble,
        about=ABOUT,
        chosen=settings.rules.name,
        options=[(name, words, choices, now[name]) for name, (words, choices) in WORDS.items()],
        presets={name: _texts(preset) for name, preset in PRESETS.items()},
        names={player: "" if name == player else name for player, name in players.items()},
        cards=settings.cards.size,
    )


def _texts(rules: RuleSet) -> dict[str, str]:
    """Return the options of the page as the texts of their choices."""
    values = msgspec.to_builtins(rules)
    return {name: str(values[name]).lower() if values[name] in (True, False) else str(values[name]) for name in WORDS}


def _chapters(rules: RuleSet, players: Mapping[Player, str]) -> list[tuple[str, list[dict[str, str]]]]:
    """The sentences by chapters, with the players' names in them."""
    names = player_names({player: name for player, name in players.items() if name != player})
    return [
        (chapter, [{"words": with_names(clause.sentence, names), "rules": clause.rules} for clause in clauses])
        for chapter, clauses in groupby(describe(rules), key=lambda clause: clause.chapter)
    ]


async def preview(request: Request) -> Response:
    """The sentences of a choice that is not made yet."""
    chosen = await message(request, Chosen)
    try:
        return JSONResponse({"chapters": _chapters(chosen.rule_set(), {"p1": chosen.p1, "p2": chosen.p2})})
    except SettingsError as error:
        return refusal(str(error))


async def save(request: Request) -> Response:
    """Make the choice: it counts from the next game on."""
    desk: Desk = request.app.state.desk
    chosen = await message(request, Chosen)
    try:
        chosen.rule_set()
        await run_in_threadpool(desk.choose, chosen.sections())
    except SettingsError as error:
        return refusal(str(error))
    except OSError as error:
        return refusal(f"the settings cannot be written ({error.strerror}); give the referee a folder of its own")
    return JSONResponse({"running": desk.mode == "play"})
