"""Options that several commands share, the games folder that they mean, and the question before a deletion."""

from pathlib import Path
from typing import Annotated

import typer

from referee.settings import from_home, games_dir, load_settings

GameArgument = Annotated[str | None, typer.Argument(help="A game's folder, its name or the beginning of it.")]
GamesOption = Annotated[Path | None, typer.Option("--games", metavar="DIR", help="The games folder.")]
ConfigOption = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="A settings file.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def games_folder(chosen: Path | None) -> Path:
    """Return the games folder as an absolute path: the chosen one, else where this machine's referee logs its games.

    Raises:
        SettingsError: none was chosen, and the settings cannot be read.
    """
    return from_home(chosen).absolute() if chosen is not None else games_dir(load_settings().settings)


def is_sure(question: str) -> bool:
    """Ask, and say so if the answer is no; nobody there to answer means no."""
    try:
        sure = typer.confirm(question)
    except typer.Abort:
        print()
        sure = False
    if not sure:
        print("Nothing was deleted.")
    return sure
