"""Corrections of a game that has been played: taken in, judged forward, and written behind what they correct."""

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from referee.cards import PACK_WITH_JOKERS, Card
from referee.errors import CorrectionError, NotationError, SettingsError
from referee.log import GameLog, LoggedGame
from referee.observations import AnyObservation, Correction, Observation, Recount
from referee.replay.rejudge import judge_for
from referee.replay.showing import KNOWN_CARDS
from referee.rules.rule_set import RuleSet
from referee.session import Session
from referee.table import Pile, Player
from referee.tracker import Tracker
from referee.verdicts import AnyVerdict, Corrected, Verdict

MOST_WORDS: Final = 1000
LARGEST_FILE_BYTES: Final = 1_000_000
DAY_MS: Final = 86_400_000

CORRECTED: Final = ("of", "card", "player", "pile", "place", "ruling", "first", "dismiss", "by")
"""What a word and the correction that it is have in common."""

WithinADay = Annotated[float, msgspec.Meta(ge=-DAY_MS, le=DAY_MS)]
Place = Annotated[int, msgspec.Meta(ge=1, le=5)]
Count = Annotated[int, msgspec.Meta(ge=0, le=54)]


class Word(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a person says about line `of` of a log; what is left out stays as it was."""

    of: int
    card: Card | None = None
    player: Player | None = None
    pile: Pile | None = None
    place: Place | None = None
    ruling: Literal["legal", "illegal", "beaten"] | None = None
    first: Player | None = None
    missed_ms: WithinADay | None = None
    """A landing was missed, so long after (or before) the moment of line `of`."""
    dismiss: bool = False
    row: tuple[Count, ...] | None = None
    spit: Count | None = None
    """A count: how many cards `player` has in each pile of the row, and how many spit cards, from now on."""
    by: str = ""

    @property
    def says_something(self) -> bool:
        """Whether anything is to be otherwise than it was."""
        return self != Word(of=self.of, by=self.by)

    def observation(self, at_ns: int, about_ns: int) -> Correction | Recount:
        """Return the word as an observation of the moment `at_ns`; line `of` happened at `about_ns`."""
        if self.player is not None and (self.row is not None or self.spit is not None):
            return Recount(at_ns=at_ns, player=self.player, row=self.row, spit=self.spit)
        missed_ns = None if self.missed_ms is None else max(0, about_ns + round(self.missed_ms * 1e6))
        said = {name: value for name, value in msgspec.structs.asdict(self).items() if name in CORRECTED}
        return Correction(at_ns=at_ns, missed_ns=missed_ns, **said)


class Words(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a replay page saves: the game it is about, and the words in order."""

    game: str
    started: str = ""
    words: tuple[Word, ...] = ()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the words. `is_rejudged` False: this version reads the log otherwise, so the words are only noted
    beside what they correct."""

    told: tuple[Corrected, ...]
    unknown: tuple[Word, ...]
    """Words about lines that the log does not have."""
    is_rejudged: bool


def words_of(content: bytes) -> Words:
    """Return the words that a replay page saved or sent. Raises CorrectionError with the cure."""
    try:
        words = msgspec.json.decode(content[:LARGEST_FILE_BYTES], type=Words)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise CorrectionError(f"these are no corrections ({error}): save them from a replay page") from None
    if len(words.words) > MOST_WORDS:
        raise CorrectionError(f"{len(words.words)} corrections are too many: {MOST_WORDS} are taken at once")
    unknown = next((word.card for word in words.words if word.card is not None and word.card not in KNOWN_CARDS), None)
    if unknown is not None:
        raise CorrectionError(f"{unknown[:12]!r} is no card: write it like 10S or QH")
    counted = max((sum(word.row or ()) + (word.spit or 0) for word in words.words), default=0)
    if counted > len(PACK_WITH_JOKERS):
        raise CorrectionError(f"{counted} cards are more than a pack has: count them again")
    return words


def amend(directory: Path, words: Words) -> Outcome:
    """Take the words into a game's log. The game must not be running: its referee would not hear of them.

    Raises CorrectionError if they are about another game, LogError if the log cannot be read or written."""
    game = LoggedGame(directory)
    if words.started and words.started != game.header.started:
        raise CorrectionError(
            f"these corrections are for the game {words.game!r} of {words.started[:16]}, not for {directory.name}: "
            "name that game"
        )
    past = _replayed(game)
    told: list[Corrected] = []
    unknown: list[Word] = []
    with GameLog.amend(directory) as log:
        session = Session(past.judge if past.is_same else _Noting(), log)
        for word in words.words:
            about_ns = past.at_ns.get(word.of)
            if about_ns is None:
                unknown.append(word)
                continue
            past.at_ns[log.next_n] = past.end_ns
            said = session.take(word.observation(past.end_ns, about_ns))
            told += [verdict for verdict in said if isinstance(verdict, Corrected)]
    return Outcome(told=tuple(told), unknown=tuple(unknown), is_rejudged=past.is_same)


class _Noting:
    """Judges nothing: the log's own rulings stay."""

    def feed(self, seen: AnyObservation, n: int | None = None) -> list[AnyVerdict]:
        return []


class _Past(msgspec.Struct):
    judge: Tracker
    is_same: bool
    """Whether this version says the same about the log's observations as the log."""
    at_ns: dict[int, int]
    end_ns: int


def _replayed(game: LoggedGame) -> _Past:
    """The game as far as it was played: a judge that knows it, and when each line happened."""
    try:
        judge, is_known = judge_for(game.header), True
    except (SettingsError, NotationError):
        judge, is_known = Tracker(RuleSet()), False
    past = _Past(judge, is_known, {}, 0)
    expected: list[AnyVerdict] = []
    for entry in game.entries():
        if not isinstance(entry.item, Observation | Verdict):
            continue
        past.at_ns[entry.n], past.end_ns = entry.item.at_ns, max(past.end_ns, entry.item.at_ns)
        if isinstance(entry.item, Verdict):
            past.is_same = past.is_same and bool(expected) and expected.pop(0) == entry.item
        else:
            past.is_same = past.is_same and not expected
            expected = judge.feed(entry.item, entry.n) if past.is_same else []
    return past
