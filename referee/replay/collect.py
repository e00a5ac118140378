"""From the lines of a log to moments: each sighting joined with what was ruled about it. Pure; one pass, any order.

The collector believes the log's types but not its texts: what is shown is cut to a sensible length here.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from referee.cards import JOKERS, PACK, UNREAD, Card
from referee.log.header import Closed, Continued
from referee.log.reader import Entry
from referee.observations import (
    Called,
    CardLanded,
    CardTakenBack,
    Correction,
    PadReleased,
    PadSlapped,
    PilesTaken,
    RowRead,
    Undo,
)
from referee.replay.moments import Edge, Moment
from referee.replay.words import correction_words, plain, touch_words, verdict_sentence
from referee.table import PLAYERS, Pile, Player, Who
from referee.verdicts import (
    Award,
    BackInStep,
    Breach,
    CannotTell,
    Corrected,
    DeadHeat,
    DealOver,
    GameOver,
    LeftLying,
    NextDeal,
    NotStuck,
    Paused,
    PhaseChanged,
    PlayJudged,
    Resumed,
    RowJudged,
    SlapJudged,
    SpitCall,
    SpitJudged,
    Stuck,
    TakenBack,
    Verdict,
)

KNOWN_CARDS: Final = frozenset((*PACK, *JOKERS, UNREAD))
NAMED_AT: Final = 0.5
"""Likelier than not: below it a landing that nobody judged is shown as unread."""

RULE_OF_LEGAL: Final[Mapping[str, str]] = {"play": "R22", "spit": "R16"}
"""What a card that stands was judged by, where the log does not say."""

Option = TypeVar("Option", Card, Player)


class RowSeen(msgspec.Struct, frozen=True):
    """The faces of a row's places 1..5; None where none was read."""

    at_ns: int
    player: Player
    faces: tuple[Card | None, ...]


class Collected(msgspec.Struct):
    """What the pass over the log found, by running number."""

    moments: dict[int, Moment] = {}
    edges: list[Edge] = []
    rows: list[RowSeen] = []
    taken: list[tuple[int, int, Pile]] = []
    """Whole piles picked up: (n, at_ns, pile)."""
    phases: list[tuple[int, int, str]] = []
    """(n, at_ns, phase)."""
    verdicts: dict[int, Verdict] = {}
    """The latest verdict behind a moment, for those who need a field that moments do not have."""
    end_ns: int = 0
    is_cut_short: bool = False
    """The log goes on beyond the limit."""


def collect(entries: Iterable[Entry], boot_id: str, names: Mapping[Player, str], most_moments: int) -> Collected:
    """Return everything worth showing of a log's entries, times counted from the first one.

    After `most_moments` it stops, so that a log of any length can be shown."""
    collector = _Collector(boot_id, names)
    for entry in entries:
        if len(collector.found.moments) >= most_moments:
            collector.found.is_cut_short = True
            break
        collector.take(entry)
    return collector.found


class _Collector:
    def __init__(self, boot_id: str, names: Mapping[Player, str]) -> None:
        self.found = Collected()
        self._boot_id = boot_id
        self._names = names
        self._shift_ns: int | None = None
        self._restarts = 0
        self._open_edges: dict[tuple[str | None, Pile], int] = {}
        self._last_row: dict[Player, tuple[Card | None, ...]] = {}

    def take(self, entry: Entry) -> None:
        item = entry.item
        if isinstance(item, Continued):
            self._continue(item)
        elif not isinstance(item, Closed):
            if self._shift_ns is None:
                self._shift_ns = self.found.end_ns + 1 - item.at_ns if self._restarts else -item.at_ns
            at_ns = item.at_ns + self._shift_ns
            self.found.end_ns = max(self.found.end_ns, at_ns)
            if isinstance(item, Verdict):
                self._take_verdict(entry.n, at_ns, item)
            else:
                self._take_sighting(entry.n, at_ns, item)

    def _continue(self, item: Continued) -> None:
        """The monotonic clock starts anew with every boot: what follows is hung onto the end of what was."""
        if item.boot_id != self._boot_id:
            self._boot_id, self._shift_ns = item.boot_id, None
            self._open_edges.clear()
        text = "The referee was started again and goes on with this game."
        self._restarts += 1
        self.found.end_ns += 1  # after everything before it, and before everything after it
        self._put(Moment(n=-self._restarts, at_ns=self.found.end_ns, kind="continued", sentence=text))

    def _take_sighting(self, n: int, at_ns: int, item: Any) -> None:
        match item:
            case CardLanded():
                self._put(_landing(n, at_ns, item, (self._shift_ns or 0)))
            case CardTakenBack():
                card, p = _likeliest_card(item.cards)
                player = _likeliest(item.players)
                self._put(
                    Moment(
                        n=n,
                        at_ns=at_ns,
                        kind="taken_back",
                        pile=item.pile,
                        card=card,
                        p=p,
                        player=player or "unknown",
                        frame=item.frame,
                    )
                )
            case PadSlapped():
                self._open_edges[item.player, item.pile] = len(self.found.edges)
                self.found.edges.append(
                    Edge(
                        player=item.player or "unknown",
                        pile=item.pile,
                        start_ns=at_ns,
                        uncertainty_ns=item.uncertainty_ns,
                    )
                )
                who: Who = item.player or "unknown"
                words = touch_words(who, item.pile, self._names)
                self._put(Moment(n=n, at_ns=at_ns, kind="slap", player=who, pile=item.pile, sentence=words))
            case PadReleased():
                index = self._open_edges.pop((item.player, item.pile), None)
                if index is not None:
                    self.found.edges[index] = replace(self.found.edges[index], end_ns=at_ns)
            case RowRead():
                self._take_row(at_ns, item)
            case PilesTaken():
                self.found.taken.append((n, at_ns, item.pile))
            case Called(word="spit"):
                words = f"{self._names[item.player]} calls: I can't play."
                self._put(Moment(n=n, at_ns=at_ns, kind="called", player=item.player, sentence=words))
            case Undo():
                self._put(
                    Moment(n=n, at_ns=at_ns, kind="undo", sentence="All four pads were held: the last call was undone.")
                )
            case Correction():
                self._correct(n, at_ns, item)

    def _take_row(self, at_ns: int, item: RowRead) -> None:
        faces = tuple(_face(place.cards) for place in item.places[:5])
        if self._last_row.get(item.player) != faces:
            self._last_row[item.player] = faces
            self.found.rows.append(RowSeen(at_ns, item.player, faces))

    def _correct(self, n: int, at_ns: int, item: Correction) -> None:
        """A person's word changes the moment it is about, which keeps what it said before."""
        old = self.found.moments.get(item.of)
        if old is None and item.of in self.found.verdicts:
            of = self.found.verdicts[item.of].of
            old = None if of is None else self.found.moments.get(of)
        words = correction_words(item, self._names)
        if old is not None:
            self.found.moments[old.n] = replace(
                old,
                card=_known(item.card) or old.card,
                p=1.0 if item.card else old.p,
                player=item.player or old.player,
                pile=item.pile or old.pile,
                ruling=plain(item.ruling) if item.ruling else old.ruling,
                dismissed=old.dismissed or item.dismiss,
                was=old.was or old.sentence or str(old.card or old.kind),
                sentence=words,
            )
        self._put(Moment(n=n, at_ns=at_ns, kind="corrected", sentence=words, pile=item.pile, card=_known(item.card)))

    def _take_verdict(self, n: int, at_ns: int, item: Verdict) -> None:
        if isinstance(item, PhaseChanged):
            self.found.phases.append((n, at_ns, item.phase))
            return
        self.found.verdicts[n] = item
        sentence = verdict_sentence(item, self._names)
        decided_ns = item.decided_ns + (self._shift_ns or 0) if item.decided_ns else None
        seen = self.found.moments.get(item.of) if item.of is not None else None
        match item:
            case PlayJudged() | SpitJudged():
                self._rule_landing(n, at_ns, item, sentence, decided_ns)
            case SlapJudged():
                slap = seen if seen and seen.kind == "slap" else Moment(n=n, at_ns=at_ns, kind="slap", pile=item.pile)
                self._put(
                    replace(
                        slap,
                        player=item.player,
                        ruling=item.ruling,
                        reason=plain(item.reason),
                        sentence=sentence,
                        decided_ns=decided_ns,
                    )
                )
            case TakenBack():
                base = seen if seen and seen.kind == "taken_back" else Moment(n=n, at_ns=at_ns, kind="taken_back")
                card = _known(item.card)
                self._put(replace(base, player=item.player, pile=item.pile, card=card, sentence=sentence))
            case Corrected() if seen is not None and seen.kind == "corrected":
                self._put(replace(seen, sentence=sentence))
            case _:
                self._put(_announcement(n, at_ns, item, sentence, decided_ns))

    def _rule_landing(
        self, n: int, at_ns: int, item: PlayJudged | SpitJudged, sentence: str, decided_ns: int | None
    ) -> None:
        kind = "play" if isinstance(item, PlayJudged) else "spit"
        seen = self.found.moments.get(item.of) if item.of is not None else None
        if seen is None or not seen.is_landing:
            seen = Moment(n=n, at_ns=at_ns, kind="play")
        revised = seen.ruling is not None and (seen.ruling, seen.card) != (item.ruling, item.card)
        self.found.verdicts[seen.n] = item
        self._put(
            replace(
                seen,
                kind=kind,
                player=item.player,
                pile=item.pile,
                card=_known(item.card),
                p=item.p,
                ruling=item.ruling,
                reason=plain(item.reason),
                rule=plain(item.rule) or (RULE_OF_LEGAL[kind] if item.ruling == "legal" else ""),
                top=_known(item.top) if isinstance(item, PlayJudged) else None,
                sentence=sentence,
                decided_ns=decided_ns,
                was=seen.was or (seen.sentence if revised else ""),
            )
        )

    def _put(self, moment: Moment) -> None:
        self.found.moments[moment.n] = moment


_KIND_OF: Final[Mapping[type[Verdict], Any]] = {
    Award: "award",
    DeadHeat: "dead_heat",
    LeftLying: "left_lying",
    Stuck: "stuck",
    SpitCall: "spit_call",
    NotStuck: "not_stuck",
    DealOver: "deal_over",
    NextDeal: "next_deal",
    GameOver: "game_over",
    CannotTell: "cannot_tell",
    BackInStep: "back_in_step",
    Breach: "breach",
    Paused: "paused",
    Resumed: "resumed",
    Corrected: "corrected",
    RowJudged: "row",
}
"""Verdicts that are a moment of their own."""


def _announcement(n: int, at_ns: int, item: Verdict, sentence: str, decided_ns: int | None) -> Moment:
    return Moment(
        n=n,
        at_ns=at_ns,
        kind=_KIND_OF[type(item)],
        action=item.what if isinstance(item, RowJudged) else "",
        place=item.place if isinstance(item, RowJudged) else None,
        to_place=item.to_place if isinstance(item, RowJudged) else None,
        takes=_takes(item) if isinstance(item, Award) else {},
        player=_who(item),
        pile=getattr(item, "pile", None),
        card=_known(getattr(item, "card", None)),
        ruling=getattr(item, "ruling", None),
        reason=plain(getattr(item, "reason", None)),
        rule=plain(getattr(item, "rule", None)),
        sentence=sentence,
        decided_ns=decided_ns,
    )


def _who(item: Verdict) -> Who:
    match item:
        case Award():
            return item.first
        case DealOver():
            return item.by or "unknown"
        case GameOver(winner="p1" | "p2" as winner):
            return winner
        case Breach() | RowJudged():
            return item.player
        case _:
            return "unknown"


def _takes(award: Award) -> dict[Player, Pile]:
    return {player: pile for player, pile in zip(PLAYERS, (award.p1, award.p2), strict=True) if pile}


def _landing(n: int, at_ns: int, item: CardLanded, shift_ns: int) -> Moment:
    card, p = _likeliest_card(item.cards)
    return Moment(
        n=n,
        at_ns=at_ns,
        kind="play",
        player=_likeliest(item.players) or "unknown",
        pile=item.pile,
        card=card,
        p=p,
        early_ns=item.earliest_ns + shift_ns,
        late_ns=item.latest_ns + shift_ns,
        frame=plain(item.frame),
    )


def _known(card: Card | None) -> Card | None:
    """The card, if it is one: a foreign log may hold any text in its place."""
    return card if card is None or card in KNOWN_CARDS else UNREAD


def _likeliest(odds: Mapping[Option, float]) -> Option | None:
    best = max(odds, key=lambda option: odds[option], default=None)
    return best if best is not None and odds[best] > NAMED_AT else None


def _likeliest_card(odds: Mapping[Card, float]) -> tuple[Card, float | None]:
    card = _likeliest(odds)
    return (_known(card) or UNREAD, odds[card]) if card is not None else (UNREAD, None)


def _face(odds: Mapping[Card, float]) -> Card | None:
    card = _likeliest(odds)
    return card if card in KNOWN_CARDS and card != UNREAD else None
