"""From the lines of a log to moments: one pass that joins each sighting with what was ruled about it. Pure."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from referee.cards import Card
from referee.log.header import Closed, Continued
from referee.log.names import clock_mark
from referee.log.reader import Entry
from referee.observations import (
    AnyObservation,
    CardLanded,
    Correction,
    PadReleased,
    PadSlapped,
    PilesTaken,
    RowRead,
    Undo,
)
from referee.replay.moments import Edge, Moment, Shot
from referee.replay.piles import PileTaken
from referee.replay.ruled import corrected, ruled
from referee.replay.showing import face
from referee.replay.sightings import moment_of
from referee.replay.words import verdict_sentence
from referee.table import Pile, Player
from referee.units import counted
from referee.verdicts import AnyVerdict, Award, Corrected, DeadHeat, PhaseChanged, Verdict

Film = Mapping[str, list[tuple[int, str]]]
"""By the mark of a clock: moments in order, each with the name of its picture."""
FILM_NS: Final = 140_000_000
"""How much of the film goes with a moment, before and after it."""


class RowSeen(msgspec.Struct, frozen=True):
    """The faces of a row's places 1..5; None where none was read."""

    at_ns: int
    player: Player
    faces: tuple[Card | None, ...]


class Collected(msgspec.Struct):
    """What the pass over the log found; moments and verdicts by running number, times from the game's start."""

    moments: dict[int, Moment] = {}
    edges: list[Edge] = []
    rows: list[RowSeen] = []
    taken: list[PileTaken] = []
    verdicts: dict[int, Verdict] = {}
    """The latest verdict behind a moment, for those who need a field that moments do not have."""
    end_ns: int = 0
    is_cut_short: bool = False
    """The log goes on beyond the limit."""


def collect(
    entries: Iterable[Entry], boot_id: str, names: Mapping[Player, str], most_moments: int, film: Film | None = None
) -> Collected:
    """Return everything worth showing of a log's entries, times counted from the first one.

    After `most_moments` it stops, so that a log of any length can be shown."""
    collector = _Collector(boot_id, names, film or {})
    for entry in entries:
        if len(collector.found.moments) >= most_moments:
            collector.found.is_cut_short = True
            break
        collector.take(entry)
    return collector.found


class _Collector:
    def __init__(self, boot_id: str, names: Mapping[Player, str], film: Film) -> None:
        self.found = Collected()
        self._film = film
        self._boot_id = boot_id
        self._names = names
        self._shift_ns: int | None = None
        self._restarts = 0
        self._open_edges: dict[tuple[Player | None, Pile], int] = {}
        self._last_row: dict[Player, tuple[Card | None, ...]] = {}
        self._last_word: int | None = None
        """The correction that was heard last, until something else is seen."""

    def take(self, entry: Entry) -> None:
        match entry.item:
            case Continued():
                self._continue(entry.item)
            case Closed():
                pass
            case Verdict():
                self._take_verdict(entry.n, self._since_start(entry.item.at_ns), entry.item)
            case _:
                self._take_sighting(entry.n, self._since_start(entry.item.at_ns), entry.item)

    def _since_start(self, at_ns: int) -> int:
        if self._shift_ns is None:
            self._shift_ns = self.found.end_ns + 1 - at_ns if self._restarts else -at_ns
        at_ns += self._shift_ns
        self.found.end_ns = max(self.found.end_ns, at_ns)
        return at_ns

    def _continue(self, mark: Continued) -> None:
        """The monotonic clock starts anew with every boot: what follows is hung onto the end of what was."""
        if mark.boot_id != self._boot_id:
            self._boot_id, self._shift_ns = mark.boot_id, None
            self._open_edges.clear()
        text = "The referee was started again and goes on with this game."
        self._restarts += 1
        self.found.end_ns += 1  # after everything before it, and before everything after it
        self._put(Moment(n=-self._restarts, at_ns=self.found.end_ns, kind="continued", sentence=text))

    def _take_sighting(self, n: int, at_ns: int, seen: AnyObservation) -> None:
        moment = moment_of(n, at_ns, seen, self._shift_ns or 0, self._names)
        match seen:
            case PadSlapped():
                self._touch(at_ns, seen)
            case PadReleased():
                self._release(at_ns, seen)
            case RowRead():
                self._take_row(at_ns, seen)
            case PilesTaken():
                self.found.taken.append(PileTaken(n, at_ns, seen.pile))
            case Correction() if moment is not None:
                self._correct(seen, moment)
        if moment is not None:
            self._put(self._filmed(moment) if isinstance(seen, CardLanded | PadSlapped) else moment)
        self._last_word = n if isinstance(seen, Correction | Undo) and moment is not None else None

    def _filmed(self, moment: Moment) -> Moment:
        """The moment with the film around it; pictures of another boot's clock are never taken for its own."""
        shots, shift_ns = self._film.get(clock_mark(self._boot_id), []), self._shift_ns or 0
        first = bisect_left(shots, (moment.at_ns - shift_ns - FILM_NS, ""))
        last = bisect_left(shots, (moment.at_ns - shift_ns + FILM_NS, ""))
        return replace(moment, strip=tuple(Shot(at_ns + shift_ns, name) for at_ns, name in shots[first:last]))

    def _touch(self, at_ns: int, seen: PadSlapped) -> None:
        self._open_edges[seen.player, seen.pile] = len(self.found.edges)
        player, doubt_ns = seen.player or "unknown", seen.uncertainty_ns
        self.found.edges.append(Edge(player=player, pile=seen.pile, start_ns=at_ns, uncertainty_ns=doubt_ns))

    def _release(self, at_ns: int, seen: PadReleased) -> None:
        index = self._open_edges.pop((seen.player, seen.pile), None)
        if index is not None:
            self.found.edges[index] = replace(self.found.edges[index], end_ns=at_ns)

    def _take_row(self, at_ns: int, seen: RowRead) -> None:
        faces = tuple(face(place.cards) for place in seen.places[:5])
        if self._last_row.get(seen.player) != faces:
            self._last_row[seen.player] = faces
            self.found.rows.append(RowSeen(at_ns, seen.player, faces))

    def _correct(self, word: Correction, moment: Moment) -> None:
        """A person may point at a landing or at the verdict about it, or take an earlier correction back."""
        old = self.found.moments.get(word.of)
        if old is None and (verdict := self.found.verdicts.get(word.of)) is not None:
            old = self._seen(verdict.of)
        if old is not None and old.kind == "corrected":
            self._put(replace(old, dismissed=word.dismiss))
        elif old is not None:
            self._put(corrected(old, word, moment.sentence))

    def _withdraw(self, verdict: Corrected) -> None:
        """What a correction makes void stays readable, and is struck through unless something else is said of it."""
        for n in verdict.withdrawn:
            gone = self.found.verdicts.get(n)
            moment = self.found.moments.get(n) or (None if gone is None else self._seen(gone.of))
            if moment is not None:
                self._put(replace(moment, dismissed=True, was=moment.was or moment.sentence))

    def _hear_of_word(self, verdict: Corrected) -> bool:
        """Join what was made of a person's word with the word itself."""
        word = None if self._last_word is None else self.found.moments.get(self._last_word)
        self._withdraw(verdict)
        if word is None:
            return False
        changed = len(verdict.withdrawn)
        outcome = f" {counted(changed, 'ruling')} changed." if changed else ""
        kept = "" if word.is_landing else f"{word.sentence}{outcome}"
        self._put(replace(word, sentence=kept or word.sentence))
        return True

    def _take_verdict(self, n: int, at_ns: int, verdict: AnyVerdict) -> None:
        if isinstance(verdict, PhaseChanged) or (isinstance(verdict, Corrected) and self._hear_of_word(verdict)):
            return
        decided_ns = verdict.decided_ns + (self._shift_ns or 0) if verdict.decided_ns else None
        sentence = verdict_sentence(verdict, self._names)
        new = Moment(n=n, at_ns=at_ns, kind="play", sentence=sentence, decided_ns=decided_ns)
        new = self._filmed(new) if isinstance(verdict, Award | DeadHeat) else new
        moment = ruled(new, verdict, self._seen(verdict.of))
        self.found.verdicts[n] = self.found.verdicts[moment.n] = verdict
        self._put(moment)

    def _seen(self, n: int | None) -> Moment | None:
        return None if n is None else self.found.moments.get(n)

    def _put(self, moment: Moment) -> None:
        self.found.moments[moment.n] = moment
