"""Options that several commands share, and the games folder that they mean."""

from pathlib import Path
from typing import Annotated

import typer

from referee.settings import games_dir, load_settings

GameArgument = Annotated[str | None, typer.Argument(help="A game's folder, its name or the beginning of it.")]
GamesOption = Annotated[Path | None, typer.Option("--games", metavar="DIR", help="The games folder.")]
ConfigOption = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="A settings file.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def games_folder(chosen: Path | None) -> Path:
    """Return the games folder as an absolute path: the chosen one, else where this machine's referee logs its games.

    Raises:
        SettingsError: none was chosen, and the settings cannot be read.
    """
    return chosen.expanduser().absolute() if chosen is not None else games_dir(load_settings().settings)
