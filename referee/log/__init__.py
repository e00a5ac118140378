"""The game log: what was seen and what was ruled, one JSON object a line, in a folder that a person can copy.

    games/2026-11-30-0007-3fa2/game.jsonl     header line, then observations and verdicts numbered by `n`
    games/2026-11-30-0007-3fa2/frames/*.jpg   small pictures of what the camera saw, within a quota

Writing: `with GameLog.create(folder, header) as log: n = log.observation(seen); log.verdict(verdict)`.
Reading: `LoggedGame(directory)`, which never fails on a cut, foreign or hostile line but names it.
"""

from referee.log.header import SCHEMA, Device, Header
from referee.log.reader import Entry, LoggedGame, Trouble
from referee.log.store import (
    GameEntry,
    find_game,
    game_entry,
    game_folders,
    list_games,
    newest_game,
    remove_game,
    trim_pictures,
)
from referee.log.writer import GameLog

__all__ = [
    "SCHEMA",
    "Device",
    "Entry",
    "GameEntry",
    "GameLog",
    "Header",
    "LoggedGame",
    "Trouble",
    "find_game",
    "game_entry",
    "game_folders",
    "list_games",
    "newest_game",
    "remove_game",
    "trim_pictures",
]
