"""Where the referee's thread and the pages meet. The referee leaves word and never waits; the pages look and ask."""

from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, monotonic_ns
from typing import Any, Final, Literal, Protocol

import numpy as np

from hardware.checks.report import Answer
from hardware.frames import Frame
from hardware.pads import MockPads
from hardware.rig import NewsQueue, RigStatus
from hardware.signals import DARK, Output
from hardware.simulated.switches import Troubles
from hardware.tablefile import Table
from referee.observations import AnyObservation, Correction
from referee.replay.amend import Word
from referee.settings import Settings
from referee.table import PLAYERS
from referee.verdicts import AnyVerdict, PhaseChanged
from referee.web.bench import LiveBench
from referee.web.board import Board
from referee.web.choices import choose
from referee.web.feed import Feed
from referee.web.pictures import Pictures
from referee.web.status import Light, Machine, Named, rig_answers
from referee.web.waiting import Waiting
from referee.web.wizard import Wizard

Mode = Literal["idle", "play", "set_up"]
Wish = Literal["play", "set_up"]

LONG_PAST_NS: Final = 30_000_000_000
"""What followed something that happened longer ago is not judged again while people play."""
BUSY: Final = ("play", "slap")
STATUS_S: Final = 1.0
"""So often the status is worked out, however many look."""


class Rig(Protocol):
    """What runs: the live rig, or a demo that stands in for it."""

    last_frame: Frame | None

    def status(self) -> RigStatus: ...

    def stop(self) -> None: ...


class Rehearsal(Protocol):
    """What a person may do to a simulated rig."""

    mock: MockPads
    troubles: Troubles


class Desk:
    """What the pages know about the table now, and what they have asked for. A follower of the session."""

    def __init__(self, settings: Settings, games: Path, *, simulated: bool = False, shadow: bool = False) -> None:
        self.settings, self.games = settings, games
        self.simulated, self.shadow = simulated, shadow
        self.feed = Feed()
        self.board = Board(self.feed)
        self.pictures = Pictures(self.frame)
        self.bench = LiveBench(lambda: self.settings)
        self.wizard = Wizard(self.bench, self.feed)
        self.table: Table | None = None
        self.trouble: Answer | None = None
        """What of the settings cannot be used."""
        self.practice: Rehearsal | None = None
        """The simulated rig's pads and troubles; None at a real table."""
        self.mode: Mode = "idle"
        self.game = ""
        self.takes_turns = True
        """Whether games and set-ups follow each other as people wish; a demo goes by itself."""
        self._waiting = Waiting(games)
        self.wish: Wish | None = None
        """What the table is to do next; the referee's thread looks at it when a rig has stopped."""
        self._rig: Rig | None = None
        self._queue: NewsQueue | None = None
        self._lights: Callable[[], Output] = lambda: DARK
        self._light = Light()
        self._machine = Machine(lambda: self.settings)
        self._status: list[Named] = []
        self._status_s = float("-inf")

    # -- the referee's side ------------------------------------------------------------------------------------------

    def opens(
        self, mode: Mode, rig: Rig, queue: NewsQueue | None, lights: Callable[[], Output], game: str = ""
    ) -> None:
        """A rig runs from now on: what it films is shown, and `queue` takes what people say on the pages, if any."""
        self._rig, self._queue, self._lights = rig, queue, lights
        self.mode, self.game = mode, game
        self._waiting = Waiting(self.games / game)
        players = self.settings.players
        self.board.clear("set_up" if mode == "set_up" else "starting", {"p1": players.p1, "p2": players.p2})
        if self.wish == mode:
            self.wish = None
        elif self.wish is not None:  # said while nothing ran: no tap is lost
            rig.stop()

    def closes(self) -> None:
        """The rig has stopped."""
        self._rig = self._queue = None
        self._lights = lambda: DARK
        self.mode = "idle"
        self.feed.publish("anew", {})

    def saw(self, seen: AnyObservation) -> None:
        """Take in an observation of the session."""
        self.board.saw(seen)
        if isinstance(seen, Correction):
            self._waiting.taken(seen)

    def tell(self, verdict: AnyVerdict) -> None:
        """Take in a verdict of the session."""
        self.board.tell(verdict)
        queue = self._queue
        if isinstance(verdict, PhaseChanged) and verdict.phase not in BUSY and queue is not None:
            for word in self.left():
                queue.put(word)

    # -- the pages' side ---------------------------------------------------------------------------------------------

    def frame(self) -> Frame | None:
        """Return the newest picture of the camera."""
        rig = self._rig
        return None if rig is None else rig.last_frame

    def rig_status(self) -> RigStatus | None:
        """Return how the rig is doing; None: nothing runs."""
        rig = self._rig
        return None if rig is None else rig.status()

    def put(self, seen: AnyObservation) -> bool:
        """Hand a person's word (a call, a correction) to the running game; False where none runs."""
        queue = self._queue
        if queue is None or self.mode != "play":
            return False
        queue.put(seen)
        return True

    def correct(self, word: Word, about_ns: int) -> Literal["put", "waits", "nobody"]:
        """Hand a word about something that happened at `about_ns` to the running game.

        To judge all again that came after it may take seconds in a long game, and verdicts would come late: so a
        correction of something long past waits until nobody plays, at the latest until the game is ended. What waits
        is kept in the game's folder, and the next start takes it in if this one does not come to it.
        """
        seen = word.observation(monotonic_ns(), about_ns)
        is_old = isinstance(seen, Correction) and seen.at_ns - about_ns > LONG_PAST_NS
        if not is_old or self.board.phase not in BUSY:
            return "put" if self.put(seen) else "nobody"
        if self._queue is None or self.mode != "play":
            return "nobody"
        self._waiting.add(word, seen)
        return "waits"

    def left(self) -> list[AnyObservation]:
        """Return the words that still wait, once: nobody plays, or the game is at its end."""
        return self._waiting.give()

    def choose(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Write what people chose on the pages; it counts from the next game. Raises SettingsError."""
        self.settings = choose(self.settings, values)
        self.trouble = None

    def ask(self, wish: Wish) -> None:
        """Ask for another mode: what runs is ended in order, then it begins."""
        self.wish = wish
        rig = self._rig
        if rig is not None:
            rig.stop()

    def take_wish(self) -> Wish | None:
        """Return, once, what people have asked for; None: nothing."""
        wish, self.wish = self.wish, None
        return wish

    def state(self) -> dict[str, Any]:
        """Return everything that a viewer sees, as values for JSON."""
        return {
            **self.board.state(),
            "mode": self.mode,
            "simulated": self.simulated,
            "shadow": self.shadow,
            "game": self.game,
            "zones": self.zones(),
            "steps": self.wizard.state(),
            "troubles": sorted(self.practice.troubles.on) if self.practice else [],
            **self.status(),
        }

    def status(self) -> dict[str, Any]:
        """Return lights and health; worked out at most once a second for all viewers."""
        if monotonic() - self._status_s > STATUS_S:
            self._status_s = monotonic()
            light = self._light.answer(self.frame(), self.table)
            wrong = [("settings", self.trouble)] if self.trouble else []
            self._status = [*wrong, *rig_answers(self.rig_status()), ("light", light), *self._machine.answers()]
        lights = self._lights()
        health = [{"name": name, "state": a.state, "says": a.says, "cure": a.cure} for name, a in self._status]
        return {"health": health, "lights": {"p1": lights.p1, "p2": lights.p2, "hz": lights.hz}, "mode": self.mode}

    def zones(self) -> dict[str, Any]:
        """Return where piles and places lie in the picture, as shares of its width and height (0 to 1)."""
        table = self.table
        if table is None:
            return {}
        named = {f"pile {pile}": zone for pile, zone in table.piles.items()}
        named |= {f"{player} {n}": zone for player in PLAYERS for n, zone in enumerate(table.rows[player], 1)}
        size = np.array(table.image_size_px, np.float64)
        return {name: np.round(table.to_px(zone) / size, 4).tolist() for name, zone in named.items()}
