"""What a viewer sees of a game: phase, both tops, what lies where, the last verdicts. Told by the session, in order."""

from collections import deque
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from referee.cards import UNREAD, Card
from referee.observations import (
    AnyObservation,
    CardLanded,
    CardOdds,
    PadReleased,
    PadSlapped,
    PileRead,
    RowRead,
    SensorBack,
    SensorLost,
)
from referee.replay.words import PHASE_WORDS, player_names, verdict_sentence
from referee.table import PILES, Player
from referee.verdicts import AnyVerdict, NextDeal, PhaseChanged, PlayJudged, RowJudged, SlapJudged, SpitJudged
from referee.web.feed import Feed

LINES: Final = 60
SURE: Final = 0.9
"""A reading less sure is shown as `??`."""
PHASES: Final[Mapping[str, str]] = {
    **PHASE_WORDS,
    "starting": "waiting for a still table",
    "set_up": "being set up",
    "idle": "no game",
}


class Board:
    """A follower of the session. What changes goes into the feed at once; `state` is all of it, for a new viewer."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._lock = Lock()
        self._names = player_names({})
        self.clear("idle", {})

    def clear(self, phase: str, players: Mapping[Player, str]) -> None:
        """Begin anew: another game, or none."""
        with self._lock:
            self._names = player_names({p: name for p, name in players.items() if name != p})
            self._phase = phase
            self._tops: dict[str, Card | None] = dict.fromkeys(PILES)
            self._places: dict[str, Card] = {}
            self._lines: deque[dict[str, Any]] = deque(maxlen=LINES)
            self._down: set[str] = set()
            self._number = 0
        self._feed.publish("anew", {})

    @property
    def phase(self) -> str:
        """The phase of the game, or what else the table does."""
        return self._phase

    def state(self) -> dict[str, Any]:
        """Return everything as values for JSON; newest line last."""
        with self._lock:
            return {
                "phase": self._phase,
                "phase_words": PHASES.get(self._phase, self._phase),
                "names": dict(self._names),
                "tops": dict(self._tops),
                "places": dict(self._places),
                "pads": sorted(self._down),
                "lines": list(self._lines),
            }

    def saw(self, seen: AnyObservation) -> None:
        """Take in what a sensor saw."""
        match seen:
            case PadSlapped() | PadReleased():
                self._touch(f"{seen.player or ''}{seen.pile}", isinstance(seen, PadSlapped))
            case CardLanded():  # the look at the pile that confirms it comes up to half a second later
                self._reads({f"pile {seen.pile}": _name(seen.cards, 0.0, 0.0)})
            case PileRead():
                self._reads({f"pile {seen.pile}": _name(seen.cards, 0.0, seen.empty)})
            case RowRead():
                read = enumerate(seen.places, 1)
                self._reads({f"{seen.player} {n}": _name(p.cards, p.face_down, p.empty) for n, p in read})
            case SensorLost():
                self._say(f"{_cap(seen.sensor)} lost: {seen.reason}.", "trouble")
            case SensorBack():
                self._say(f"{_cap(seen.sensor)} is back.", "quiet")

    def tell(self, verdict: AnyVerdict) -> None:
        """Take in what the referee decided."""
        match verdict:
            case PhaseChanged():
                self._enter(verdict.phase)
                return
            case PlayJudged(ruling="legal") | SpitJudged(ruling="legal"):
                self._top(verdict.pile, verdict.card)
            case NextDeal():
                for pile in PILES:
                    self._top(pile, None)
            case SlapJudged(ruling="legal" | "ignored") | RowJudged(ruling="legal"):
                return
        who = getattr(verdict, "player", None)
        self._say(verdict_sentence(verdict, self._names), _tone(verdict), who, verdict.of)

    def _enter(self, phase: str) -> None:
        with self._lock:
            self._phase = phase
        self._feed.publish("phase", {"phase": phase, "words": PHASES.get(phase, phase)})

    def _top(self, pile: str, card: Card | None) -> None:
        with self._lock:
            self._tops[pile] = card
        self._feed.publish("top", {"pile": pile, "card": card})

    def _touch(self, pad: str, down: bool) -> None:
        with self._lock:
            (self._down.add if down else self._down.discard)(pad)
        self._feed.publish("pad", {"pad": pad, "down": down})

    def _reads(self, places: Mapping[str, Card | None]) -> None:
        with self._lock:
            fresh = {place: card for place, card in places.items() if card is not None}
            changed = {place: card for place, card in fresh.items() if self._places.get(place) != card}
            self._places |= changed
        if changed:
            self._feed.publish("places", changed)

    def _say(self, sentence: str, tone: str, player: str | None = None, of: int | None = None) -> None:
        """`of`: the line of the log that it is about, by which the replay finds it to be put right."""
        with self._lock:
            self._number += 1
            line = {"n": self._number, "text": sentence, "tone": tone, "player": player, "of": of}
            self._lines.append(line)
        self._feed.publish("line", line)


def _name(cards: CardOdds, face_down: float, empty: float) -> Card | None:
    """What a place is labelled with; None where nothing was seen of it (a hand is over it)."""
    if empty > SURE:
        return Card("")
    if face_down > SURE:
        return Card("down")
    if not cards:
        return None
    card, p = max(cards.items(), key=lambda item: item[1])
    return card if p >= SURE else UNREAD


def _tone(verdict: AnyVerdict) -> str:
    """How a line looks: the ruling where there is one, else `call` for what the whole table is told."""
    ruling = getattr(verdict, "ruling", None)
    if ruling is not None:
        return str(ruling)
    quiet = ("TakenBack", "BackInStep", "Resumed", "Corrected")
    return {"CannotTell": "cannot_tell", "Breach": "illegal", "Paused": "trouble", "LeftLying": "beaten"}.get(
        type(verdict).__name__, "quiet" if type(verdict).__name__ in quiet else "call"
    )


def _cap(word: str) -> str:
    return word[:1].upper() + word[1:]
