"""Everything that was seen and said in a game, with places to go back to: a person's word is judged from where it
matters, not from the beginning, and only what has become different is said."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from referee.observations import AnyObservation, CardLanded, Correction, Undo
from referee.tracker.correcting import changes, in_words, is_call, missed_landing
from referee.tracker.sequencer import Numbered
from referee.verdicts import (
    AnyVerdict,
    Award,
    Corrected,
    DeadHeat,
    DealOver,
    GameOver,
    NextDeal,
    PhaseChanged,
    PlayJudged,
    RowJudged,
    SlapJudged,
    SpitCall,
    SpitJudged,
    Stuck,
    TakenBack,
)

State = TypeVar("State")

STOP_EVERY: Final = 500
"""Observations between two places to go back to."""
FRESH_NS: Final = 10_000_000_000
"""What a word brings about that happened so short a time ago is news for the table; older things are only noted."""
NEWS: Final = (Stuck, SpitCall, DealOver, NextDeal, GameOver)
REJUDGED: Final = (PlayJudged, SpitJudged, RowJudged, SlapJudged, Award, DeadHeat, TakenBack, Stuck, SpitCall)
"""Verdicts that rest on an observation that a word can change; any other is only withdrawn."""
TO_COME: Final = -1


class Said(msgspec.Struct):
    """A verdict, its number in the log, and the observation after which it was said."""

    place: int
    n: int
    verdict: AnyVerdict


class Change(msgspec.Struct, frozen=True):
    """Where to judge again from, and the correction as it is announced. `place` None: nothing is judged again."""

    place: int | None
    told: Corrected


@dataclass(slots=True)
class Past(Generic[State]):
    """The game so far."""

    seen: list[Numbered] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    words: dict[int, Correction] = field(default_factory=dict)
    """What people said, by number, in order."""
    changed: dict[int, AnyObservation | None] = field(default_factory=dict)
    agreed: dict[int, Correction] = field(default_factory=dict)
    """What people agreed on about a landing, all their words in one: it outweighs every evidence."""
    denied: dict[int, int] = field(default_factory=dict)
    """By the number of the word: the observation after which the table was not stuck, as people say."""
    stops: list[tuple[int, State]] = field(default_factory=list)

    def copy(self) -> "Past[State]":
        said = [msgspec.structs.replace(one) for one in self.said]
        return Past(list(self.seen), said, dict(self.words), dict(self.changed), dict(self.agreed), dict(self.denied),
                    list(self.stops))  # fmt: skip

    def see(self, n: int, seen: AnyObservation, state: Callable[[], State]) -> None:
        """Keep an observation; `state` copies the state before it."""
        if len(self.seen) % STOP_EVERY == 0:
            self.stops.append((len(self.seen), state()))
        self.seen.append((n, seen))

    def note(self, n: int, verdicts: list[AnyVerdict]) -> None:
        """Keep what was said after observation `n`: it is numbered on from there."""
        if not verdicts:
            return
        is_corrected = any(isinstance(verdict, Corrected) for verdict in verdicts)
        waiting = [said for said in self.said if said.n == TO_COME] if is_corrected else []
        fresh = len(verdicts) - len(waiting)
        for k, said in enumerate(waiting):
            said.n = n + 1 + fresh + k
        self.said += [
            Said(len(self.seen) - 1, n + 1 + k, verdict)
            for k, verdict in enumerate(verdicts[:fresh])
            if not isinstance(verdict, Corrected)
        ]

    def now(self, place: int) -> Numbered | None:
        """The observation at a place as people agreed that it was; None if it did not happen."""
        n, seen = self.seen[place]
        agreed = self.changed.get(n, seen)
        return None if agreed is None else (n, agreed)

    def last_call(self, undo: Undo) -> Correction | None:
        """The word that takes the last call back; None if there is none to take back."""
        call = next((said.verdict for said in reversed(self.said) if is_call(said.verdict)), None)
        return None if call is None or call.of is None else Correction(at_ns=undo.at_ns, of=call.of, dismiss=True)

    # -- a word -----------------------------------------------------------------------------------------------------

    def hear(self, n: int, word: Correction) -> Change | None:
        """Take a person's word in; None if it is about nothing that was seen or said."""
        if (earlier := self.words.get(word.of)) is not None:
            if word.dismiss:
                return self._take_back_word(word)
            word = word if earlier.missed_ns is not None else replace(word, of=earlier.of)
        if (landing := missed_landing(word)) is not None:
            return self._add(n, word, landing)
        said = next((said for said in reversed(self.said) if said.n == word.of), None)
        if said is not None and not isinstance(said.verdict, REJUDGED):
            return self._withdraw(n, word, said)
        if said is not None and isinstance(said.verdict, Stuck | SpitCall):
            return self._deny(n, word, said)
        word = _about_what_was_seen(word, said)
        place = self._place(word.of)
        return None if place is None else self._change(n, word, place)

    def _place(self, n: int) -> int | None:
        return next((place for place, (number, _) in enumerate(self.seen) if number == n), None)

    def _change(self, n: int, word: Correction, place: int) -> Change:
        was = in_words((self.now(place) or (0, None))[1], self._spoken_of(word))
        self.words[n] = word
        self._apply(word, place)
        now = in_words((self.now(place) or (0, None))[1], self._spoken_of(word))
        return Change(place, Corrected(at_ns=word.at_ns, decided_ns=word.at_ns, of=word.of, was=was, now=now))

    def _spoken_of(self, word: Correction) -> Correction:
        """The word with what was agreed on before, to put it in words."""
        return self.agreed.get(word.of, replace(word, ruling=None))

    def _apply(self, word: Correction, place: int) -> None:
        view = [(n, seen) for n, seen in map(self._as_agreed, self.seen[place:])]
        self.changed |= changes(word, view, 0)
        number, seen = self.seen[place]
        if isinstance(seen, CardLanded) and not word.dismiss:
            self.agreed[number] = _merged(self.agreed.get(number), word)

    def _as_agreed(self, numbered: Numbered) -> Numbered:
        """For finding the looks that repeat a mistake; what did not happen shows as it was seen."""
        n, seen = numbered
        return n, self.changed.get(n) or seen

    def _take_back_word(self, word: Correction) -> Change:
        """A correction was a mistake itself: everything is as it was without it."""
        gone = self.words.pop(word.of)
        about = self.denied.pop(word.of, word.of if gone.missed_ns is not None else gone.of)
        place = self._place(about)
        was = in_words((self.now(place or 0) or (0, None))[1], self._spoken_of(gone))
        self.changed.clear()
        self.agreed.clear()
        if gone.missed_ns is not None:
            self.changed[word.of] = None
        for number, old in self.words.items():
            self._repeat(number, old)
        now = in_words((self.now(place or 0) or (0, None))[1], self._spoken_of(gone))
        return Change(place, Corrected(at_ns=word.at_ns, decided_ns=word.at_ns, of=gone.of, was=was, now=now))

    def _repeat(self, n: int, word: Correction) -> None:
        """Take an old word in anew."""
        if word.missed_ns is not None:
            self.agreed[n] = word
        elif (place := self._place(word.of)) is not None:
            self._apply(word, place)

    def _add(self, n: int, word: Correction, landing: CardLanded) -> Change:
        """A landing that nobody saw, put where it belongs in the order of what was seen."""
        later = (place for place, (_, seen) in enumerate(self.seen) if seen.at_ns >= landing.at_ns)
        place = next(later, len(self.seen))
        self.seen.insert(place, (n, landing))
        self.stops = [stop for stop in self.stops if stop[0] <= place]
        self.words[n] = word
        self.agreed[n] = word
        told = Corrected(at_ns=word.at_ns, decided_ns=word.at_ns, of=n, was="nothing", now=in_words(landing))
        return Change(place, told)

    def _deny(self, n: int, word: Correction, said: Said) -> Change:
        self.words[n] = word
        self.denied[n] = self.seen[said.place][0]
        told = Corrected(at_ns=word.at_ns, decided_ns=word.at_ns, of=said.n, was="stuck", now="not stuck")
        return Change(said.place, told)

    def _withdraw(self, n: int, word: Correction, said: Said) -> Change | None:
        """A verdict that changes nothing on the table is only taken back."""
        if not word.dismiss:
            return None
        self.words[n] = word
        self.said.remove(said)
        was = str(said.verdict.__struct_config__.tag).replace("_", " ")
        return Change(None, Corrected(at_ns=word.at_ns, decided_ns=word.at_ns, of=said.verdict.of, was=was,
                                      now="nothing", withdrawn=(said.n,)))  # fmt: skip

    # -- judging again ----------------------------------------------------------------------------------------------

    def go_back(self, place: int) -> tuple[int, State | None, list[Said]]:
        """The last stop before a place: where it is, the state there, and what was said since, which is forgotten."""
        self.stops = [stop for stop in self.stops if stop[0] <= place]
        at, state = self.stops.pop() if self.stops else (0, None)
        before = [said for said in self.said if said.place >= at]
        self.said = [said for said in self.said if said.place < at]
        return at, state, before

    def again(self, start: int, state: Callable[[], State]) -> Iterator[tuple[int, Numbered | None]]:
        """Everything from a stop on, as people agreed on it, with new stops on the way."""
        for place in range(start, len(self.seen)):
            if place % STOP_EVERY == 0 or place == start:
                self.stops.append((place, state()))
            yield place, self.now(place)

    def compare(self, change: Change, before: list[Said], after: list[tuple[int, AnyVerdict]]) -> list[AnyVerdict]:
        """What is to be said of a word: the correction, then what has become different. Keeps what was said anew."""
        kept: dict[str, list[Said]] = defaultdict(list)
        for old in before:
            kept[_content(old.verdict)].append(old)
        wanted = Counter(_content(verdict) for _, verdict in after)
        gone = [old for key, olds in kept.items() for old in olds[wanted[key] :]]
        names_gone = {type(old.verdict) for old in gone}
        new: list[AnyVerdict] = []
        for place, verdict in after:
            olds = kept[_content(verdict)]
            if olds:
                self.said.append(Said(place, olds.pop(0).n, verdict))
                continue
            is_news = isinstance(verdict, NEWS) and type(verdict) not in names_gone
            if not is_news or verdict.at_ns < change.told.at_ns - FRESH_NS:
                verdict = replace(verdict, revised=True)
            new.append(verdict)
            self.said.append(Said(place, TO_COME, verdict))
        self._set_phase_right(before, new)
        return [replace(change.told, withdrawn=tuple(sorted(old.n for old in gone))), *new]

    def _set_phase_right(self, before: list[Said], new: list[AnyVerdict]) -> None:
        """Who follows the phases must end in the right one, even if the same ones came in another order."""
        was, now = _last_phase([old.verdict for old in before]), _last_phase([one.verdict for one in self.said])
        if now is not None and was != now and _last_phase(new) != now:
            phase = PhaseChanged(at_ns=self.seen[-1][1].at_ns, phase=now, revised=True)
            new.append(phase)
            self.said.append(Said(len(self.seen) - 1, TO_COME, phase))


def _about_what_was_seen(word: Correction, said: Said | None) -> Correction:
    """A word about a verdict is one about what the verdict judged."""
    if said is None or said.verdict.of is None:
        return word
    place = said.verdict.place if isinstance(said.verdict, RowJudged) else word.place
    return replace(word, of=said.verdict.of, place=word.place or place)


def _merged(old: Correction | None, word: Correction) -> Correction:
    if old is None:
        return word
    return replace(word, card=word.card or old.card, player=word.player or old.player, pile=word.pile or old.pile,
                   ruling=word.ruling or old.ruling)  # fmt: skip


def _last_phase(verdicts: list[AnyVerdict]) -> str | None:
    return next((verdict.phase for verdict in reversed(verdicts) if isinstance(verdict, PhaseChanged)), None)


def _content(verdict: AnyVerdict) -> str:
    """What a verdict says, without when it was decided, how sure it was, and that it was said anew."""
    skipped = ("at_ns", "decided_ns", "p", "revised")
    said = {name: getattr(verdict, name) for name in verdict.__struct_fields__ if name not in skipped}
    return f"{type(verdict).__name__} {said}"
