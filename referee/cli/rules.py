"""`spit-referee rules`: the rule sets, and one of them in sentences that two players can agree on."""

import re
from itertools import groupby
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.errors import SettingsError
from referee.house_rules import chosen_rules, load_rules
from referee.rules.rule_set import ABOUT, PRESETS, RuleSet
from referee.rules.rulebook import RULEBOOK
from referee.rules.sentences import describe
from referee.settings import Settings


def rules(
    name: Annotated[
        str | None,
        typer.Argument(help='A rule set, a TOML file of house rules (`extends = "pagat"`), or a rule number (R22).'),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """List the rule sets, print one in plain sentences with the numbers of the rules, or say what a number means."""
    if name is None:
        _list_sets(as_json)
        return
    if (number := name.upper()) in RULEBOOK:
        rule = {"rule": number, "sentence": RULEBOOK[number]}
        print(msgspec.json.encode(rule).decode() if as_json else f"{number}  {RULEBOOK[number]}")
        return
    if re.fullmatch(r"[A-Z]\d{1,3}", number) and not Path(name).exists():
        raise SettingsError(f"there is no rule {name}: the rules are numbered R1 to {list(RULEBOOK)[-1]}")
    chosen = load_rules(name)
    if as_json:
        for clause in describe(chosen):
            print(msgspec.json.encode(clause).decode())
        return
    for chapter, clauses in groupby(describe(chosen), key=lambda clause: clause.chapter):
        print(f"\n{chapter}")
        for clause in clauses:
            print(f"  {clause.sentence}  [{clause.rules}]")


def rules_of(settings: Settings) -> RuleSet:
    """Return the rule set of the settings; raises SettingsError with the cure."""
    return chosen_rules(settings.rules.name, settings.rules.options)


def _list_sets(as_json: bool) -> None:
    for name, preset in PRESETS.items():
        if as_json:
            print(msgspec.json.encode({"name": name, "about": ABOUT[name], "options": preset}).decode())
        else:
            print(f"{name:10} {ABOUT[name]}")
    if not as_json:
        print("\nThe first one is played where nobody has chosen. `spit-referee rules NAME` prints one in sentences;")
        print("house rules are a TOML file that extends one.")
