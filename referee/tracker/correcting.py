"""A person knows better: what a word changes in what was seen. Pure; the tracker judges again from there."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from referee.cards import UNREAD, Card
from referee.observations import (
    AnyObservation,
    CardLanded,
    CardOdds,
    CardTakenBack,
    Correction,
    PadSlapped,
    PileRead,
    PlaceSeen,
    RowRead,
)
from referee.table import Pile, Player
from referee.tracker.evidence import best_card, likely_player
from referee.tracker.sequencer import Numbered
from referee.verdicts import AnyVerdict, Award, DeadHeat, PlayJudged, SlapJudged, SpitJudged

CERTAIN: Final = 1.0
CONTEST_NS: Final = 1_000_000_000
"""Presses that follow one another so closely belong to one slap."""

Changes = Mapping[int, AnyObservation | None]
"""Observations by their numbers as they should have been; None: it did not happen."""


def changes(word: Correction, seen: Sequence[Numbered], place: int) -> dict[int, AnyObservation | None]:
    """What a word makes of the observation at `place`, and of the looks after it that repeat its mistake."""
    n, was = seen[place]
    if word.dismiss:
        return {n: None, **dict.fromkeys(_looks_at(seen, place, was))}
    match was:
        case CardLanded() | CardTakenBack():
            cards = was.cards if word.card is None else {word.card: CERTAIN}
            players = was.players if word.player is None else {word.player: CERTAIN}
            now = replace(was, cards=cards, players=players, pile=word.pile or was.pile)
            if word.card in (None, best_card(was.cards)):
                return {n: now}
            right: CardOdds = {word.card: CERTAIN}
            return {n: now} | {look: replace(one, cards=right) for look, one in _looks_at(seen, place, was).items()}
        case PileRead() if word.card is not None:
            return {n: replace(was, cards={word.card: CERTAIN}, empty=0.0)}
        case RowRead() if word.card is not None and word.place is not None:
            return dict(_row_named(seen, place, was.player, word.place, word.card))
        case PadSlapped() if word.first is not None:
            return dict(_first_on_the_pad(seen, place, word.first, word.pile))
        case PadSlapped():
            return {n: replace(was, player=word.player or was.player, pile=word.pile or was.pile)}
        case _:
            return {}


def missed_landing(word: Correction) -> CardLanded | None:
    """The landing that a person says the referee missed; None if the word is about something that it saw."""
    if word.missed_ns is None:
        return None
    at_ns = word.missed_ns
    cards: dict[Card, float] = {} if word.card is None else {word.card: CERTAIN}
    players: dict[Player, float] = {} if word.player is None else {word.player: CERTAIN}
    return CardLanded(
        at_ns=at_ns, earliest_ns=at_ns, latest_ns=at_ns, pile=word.pile or "A", cards=cards, players=players
    )


def _looks_at(seen: Sequence[Numbered], place: int, landing: AnyObservation) -> dict[int, PileRead]:
    """Looks at the pile that read what this landing was read as, until something else happens there."""
    looks: dict[int, PileRead] = {}
    if not isinstance(landing, CardLanded) or (read := best_card(landing.cards)) is None:
        return looks
    for n, one in seen[place + 1 :]:
        if isinstance(one, CardLanded | CardTakenBack) and one.pile == landing.pile:
            break
        if isinstance(one, PileRead) and one.pile == landing.pile and best_card(one.cards) == read:
            looks[n] = one
    return looks


def _row_named(
    seen: Sequence[Numbered], place: int, player: Player, row_place: int, card: Card
) -> Iterator[tuple[int, AnyObservation]]:
    """This look at the row and those after it that show the same wrong card at the same place."""
    wrong: Card | None = None
    for n, one in seen[place:]:
        if not isinstance(one, RowRead) or one.player != player or not 0 < row_place <= len(one.places):
            continue
        shown = best_card(one.places[row_place - 1].cards)
        if n == seen[place][0]:
            wrong = shown
        elif shown is not None and shown != wrong:
            return
        if shown == wrong:
            places = list(one.places)
            places[row_place - 1] = PlaceSeen(cards={card: CERTAIN})
            yield n, replace(one, places=tuple(places))


def _first_on_the_pad(
    seen: Sequence[Numbered], place: int, player: Player, pile: Pile | None
) -> Iterator[tuple[int, AnyObservation | None]]:
    """The slap as the players agreed on it: one hand was first, and the others of this contest do not matter."""
    n, opening = seen[place]
    assert isinstance(opening, PadSlapped)
    own = [press for _, press in _contest(seen, place) if press.player == player]
    yield n, replace(opening, player=player, pile=pile or (own[0].pile if own else opening.pile))
    for other, press in _contest(seen, place):
        if press is not opening:
            yield other, None


def _contest(seen: Sequence[Numbered], place: int) -> Iterator[tuple[int, PadSlapped]]:
    start_ns = seen[place][1].at_ns
    for n, one in seen[place:]:
        if one.at_ns > start_ns + CONTEST_NS:
            return
        if isinstance(one, PadSlapped):
            yield n, one


def in_words(seen: AnyObservation | None, word: Correction | None = None) -> str:
    """An observation as the correction names it; `word`: what people agreed on about it."""
    match seen:
        case None:
            return "nothing"
        case CardLanded() | CardTakenBack():
            card = max(seen.cards, key=seen.cards.__getitem__, default=UNREAD)
            ruled = f", {word.ruling}" if word is not None and word.ruling else ""
            return f"{card} by {likely_player(seen.players)} on {seen.pile}{ruled}"
        case PileRead():
            return f"{best_card(seen.cards) or UNREAD} on {seen.pile}"
        case RowRead() if word is not None and word.place is not None and word.place <= len(seen.places):
            return f"{best_card(seen.places[word.place - 1].cards) or UNREAD} at place {word.place} of {seen.player}"
        case PadSlapped(player=player, pile=pile) if word is not None and word.first is not None:
            return f"{player or 'unknown'} first on {pile}"
        case PadSlapped(player=player, pile=pile):
            return f"slap by {player or 'unknown'} on {pile}"
        case _:
            return str(seen.__struct_config__.tag).replace("_", " ")


def is_call(verdict: AnyVerdict) -> bool:
    """Whether the verdict is one that players may take back with all four pads."""
    if isinstance(verdict, PlayJudged | SpitJudged):
        return verdict.ruling in ("illegal", "beaten")
    return isinstance(verdict, Award | DeadHeat) or (isinstance(verdict, SlapJudged) and verdict.ruling == "legal")
