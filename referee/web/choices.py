"""What people choose on the pages: written into one settings file beside the table file, the previous one kept."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from hardware.wholefile import replace_whole
from referee.errors import SettingsError
from referee.settings import (
    Loaded,
    Settings,
    choices_file,
    overlaid,
    parse_settings,
    read_settings_file,
    table_file,
)

HEAD = "Chosen on the pages of the Spit referee. It is read after all other settings."


def choose(settings: Settings, values: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Write choices (section -> key -> value) and return the settings that follow.

    Raises:
        SettingsError: a value cannot be; nothing is written then.
    """
    path = choices_file(table_file(settings))
    document = _read(path, settings)
    for section, chosen in values.items():
        table = document.setdefault(section, tomlkit.table())
        for key, value in chosen.items():
            table[key] = value
    text = tomlkit.dumps(document)
    checked = overlaid(Loaded(settings, {}), parse_settings(text, str(path))).settings
    replace_whole(path, text.encode(), keep_previous=True)
    return checked


def _read(path: Path, settings: Settings) -> tomlkit.TOMLDocument:
    """A damaged or foreign file is begun anew; what it held stays as the previous one."""
    try:
        file = read_settings_file(path)
        overlaid(Loaded(settings, {}), file)
        return tomlkit.parse(file.text)
    except (SettingsError, TOMLKitError):
        document = tomlkit.document()
        document.add(tomlkit.comment(HEAD))
        return document
