"""The games folder: where games lie, how a person names one, and what is thrown away first when space is short."""

import os
import shutil
from pathlib import Path

import msgspec

from referee.errors import LogError
from referee.log.header import FRAMES_FOLDER, KEEP_MARK, LOG_FILE, Header
from referee.log.names import running_number
from referee.log.reader import LoggedGame
from referee.settings import from_home


class GameEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A game as a list shows it. `header` is None where `trouble` says why it cannot be read."""

    directory: Path
    header: Header | None
    closed: bool
    """False: it is being played, or the power went."""
    trouble: str = ""

    @property
    def name(self) -> str:
        return self.directory.name


def game_folders(folder: Path) -> list[Path]:
    """Return the directory of every game, newest first, without opening a log: by running number, which a wall clock
    set back cannot disturb. An empty list if there is no such folder."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if (path / LOG_FILE).is_file()]
    return sorted(found, key=lambda path: (running_number(path.name), path.name), reverse=True)


def game_entry(directory: Path) -> GameEntry:
    """Return a game as a list shows it, from the two ends of its log: the list must be quick for long games."""
    try:
        header = LoggedGame(directory).header
    except LogError as error:
        return GameEntry(directory=directory, header=None, closed=False, trouble=str(error))
    return GameEntry(directory=directory, header=header, closed=_ends_closed(directory / LOG_FILE))


def list_games(folder: Path) -> list[GameEntry]:
    """Return every game of the folder, newest first; an empty list if there is no such folder."""
    return [game_entry(directory) for directory in game_folders(folder)]


def newest_game(folder: Path) -> GameEntry | None:
    """Return the game that was begun last; None if there is none. No other log is opened, however many there are."""
    return next(map(game_entry, game_folders(folder)), None)


def find_game(name: str | None, folder: Path) -> Path:
    """Return the directory of a game: a path, a name or the beginning of one under `folder`; None: the newest.

    Raises LogError if there is no such game, or if several begin like that."""
    directories = game_folders(folder)
    if name is None:
        if not directories:
            raise LogError(f"no game is logged in {folder} yet: play one with `spit-referee demo`, or give --games DIR")
        return directories[0]
    path = from_home(name)
    if (path / LOG_FILE).is_file() or path.is_file():
        return path.absolute()
    if len(path.parts) > 1:
        raise LogError(f"there is no game in {path}: give a folder that holds a {LOG_FILE}, or the name of a game")
    return _by_prefix(name, directories, folder)


def remove_game(directory: Path) -> None:
    """Delete a game for good: its log and its pictures."""
    if not (directory / LOG_FILE).is_file():
        raise LogError(f"{directory} is not a game: nothing was deleted; `spit-referee replay` lists the games")
    shutil.rmtree(directory)


def trim_pictures(folder: Path, quota_bytes: int) -> int:
    """Delete pictures of the oldest games until all games' pictures fit into `quota_bytes`; return how many went.

    Logs stay. A game with a file `keep` in its folder, and single pictures with a keep mark, are left alone."""
    pictures = [path for game in reversed(game_folders(folder)) for path in _spare_pictures(game)]
    used_bytes = sum(path.stat().st_size for path in folder.glob(f"*/{FRAMES_FOLDER}/*.jpg"))
    deleted = 0
    for path in pictures:
        if used_bytes <= quota_bytes:
            break
        try:
            size_bytes = path.stat().st_size
            path.unlink()
        except OSError:
            continue  # somebody else's, or gone already: a game is not held up by that
        used_bytes -= size_bytes
        deleted += 1
    return deleted


def _by_prefix(name: str, directories: list[Path], folder: Path) -> Path:
    exact = [directory for directory in directories if directory.name == name]
    fitting = exact or [directory for directory in directories if directory.name.startswith(name)]
    if not fitting:
        raise LogError(f"no game in {folder} is called {name!r}: `spit-referee replay` lists the games")
    if len(fitting) > 1:
        some = ", ".join(directory.name for directory in fitting[:3])
        raise LogError(f"{len(fitting)} games begin with {name!r} ({some}): write more of the name")
    return fitting[0]


def _spare_pictures(game: Path) -> list[Path]:
    if (game / KEEP_MARK).exists():
        return []
    pictures = sorted((game / FRAMES_FOLDER).glob("*.jpg"), key=lambda path: path.stat().st_mtime_ns)
    return [path for path in pictures if not path.with_name(f"{path.name}.{KEEP_MARK}").exists()]


def _ends_closed(path: Path) -> bool:
    """Whether the last line is the closing one, read from the file's end."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 200))
        return b'"kind":"closed"' in file.read().rstrip(b"\n").rpartition(b"\n")[2]
