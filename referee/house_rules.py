"""The rules that two players chose: a preset by its name, a TOML file of house rules, or single options over one."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from referee.errors import SettingsError, cause_of
from referee.files import read_given_text
from referee.rules.rule_set import PRESETS, RuleSet, rule_set, rule_set_from


def chosen_rules(name: str, options: Mapping[str, Any]) -> RuleSet:
    """Return the rule set of that name, with the options over it; raises SettingsError with the cure."""
    rules = load_rules(name)
    return rule_set_from({**msgspec.to_builtins(rules), **options}) if options else rules


def load_rules(name: str) -> RuleSet:
    """Return the rule set that `name` means: a preset, or a TOML file of house rules.

    Raises SettingsError with the cure if there is no such set or file, or if the file cannot work.
    """
    path = Path(name)
    if name in PRESETS or path.suffix != ".toml":
        return rule_set(name)
    try:
        mapping = tomllib.loads(read_given_text(path))
    except OSError as error:
        raise SettingsError(f"the house rules {name} cannot be read ({error.strerror}): check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(
            f'the house rules {name} are not TOML ({cause_of(error)}): write lines like extends = "pagat"'
        ) from None
    section = next((key for key, value in mapping.items() if isinstance(value, dict)), None)
    if section is not None:
        raise SettingsError(f"the house rules {name} have a section [{section}]: write the options without a heading")
    return rule_set_from(mapping)
