"""Corrections that wait until nobody plays, kept beside the game's log: a power cut loses none of them."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

import msgspec

from hardware.wholefile import replace_whole
from referee.errors import CorrectionError, RefereeError
from referee.observations import AnyObservation
from referee.replay.amend import Word, Words, amend, words_of

WAITING_FILE: Final = "waiting.json"


class Waiting:
    """The words about one running game that its referee has not taken in yet. Used from several threads."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / WAITING_FILE
        self._words: list[tuple[Word, AnyObservation]] = []
        self._given = 0
        self._lock = Lock()

    def add(self, word: Word, seen: AnyObservation) -> None:
        """Keep a word, and `seen`, the observation that it is; it is on the disk when this returns, if it has room."""
        with self._lock:
            self._words.append((word, seen))
            self._keep()

    def give(self) -> list[AnyObservation]:
        """Return, once, what is to be taken in now."""
        with self._lock:
            given, self._given = self._given, len(self._words)
            return [seen for _, seen in self._words[given:]]

    def taken(self, seen: AnyObservation) -> None:
        """It stands in the log now."""
        with self._lock:
            place = next((place for place, (_, one) in enumerate(self._words) if one is seen), None)
            if place is not None:
                del self._words[place]
                self._given -= 1
                self._keep()

    def _keep(self) -> None:
        with suppress(OSError):  # a full disk: they wait in memory, and nobody's game is held up
            if self._words:
                words = Words(game=self._file.parent.name, words=tuple(word for word, _ in self._words))
                replace_whole(self._file, msgspec.json.encode(words))
            else:
                self._file.unlink(missing_ok=True)


def take_in_left(games: Path, say: Callable[[str], None]) -> None:
    """Write into their games' logs the words that still waited when the power went. Nobody may be playing."""
    for file in sorted(games.glob(f"*/{WAITING_FILE}")):
        game = file.parent.name
        try:
            amend(file.parent, words_of(file.read_bytes()))
            file.unlink()
        except CorrectionError as error:
            aside = file.replace(file.with_name(f"{file.name}.damaged"))
            say(f"corrections of {game} that waited are set aside as {aside.name}: {error}")
        except (RefereeError, OSError) as error:
            say(f"corrections of {game} that waited are not taken in: {error}")
        else:
            say(f"corrections of {game} that waited when the power went are taken in")
