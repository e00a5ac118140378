"""Observations as moments, before anybody has judged them."""

from collections.abc import Mapping
from typing import Final

from referee.cards import Card
from referee.observations import (
    AnyObservation,
    Called,
    CardLanded,
    CardOdds,
    CardTakenBack,
    Correction,
    PadSlapped,
    Recount,
    Undo,
)
from referee.replay.moments import Moment
from referee.replay.showing import known, likeliest, likeliest_card
from referee.replay.words import correction_words, count_words, plain, touch_words
from referee.table import Player, Who

MOST_ODDS: Final = 4


def moment_of(n: int, at_ns: int, seen: AnyObservation, shift_ns: int, names: Mapping[Player, str]) -> Moment | None:
    """Return the moment of an observation, `shift_ns` being what times of the log are moved by; None for those that
    are only evidence."""
    match seen:
        case CardLanded():
            return _landing(n, at_ns, seen, shift_ns)
        case CardTakenBack():
            return _taken_back(n, at_ns, seen)
        case PadSlapped():
            who: Who = seen.player or "unknown"
            sentence = touch_words(who, seen.pile, names)
            return Moment(n=n, at_ns=at_ns, kind="slap", player=who, pile=seen.pile, sentence=sentence)
        case Called(word="spit"):
            sentence = f"{names[seen.player]} calls: I can't play."
            return Moment(n=n, at_ns=at_ns, kind="called", player=seen.player, sentence=sentence)
        case Undo():
            sentence = "All four pads were held: the last call was undone."
            return Moment(n=n, at_ns=at_ns, kind="undo", sentence=sentence)
        case Correction(missed_ns=int(missed_ns)):
            return _missed(n, missed_ns + shift_ns, seen, names)
        case Correction():
            sentence = correction_words(seen, names)
            card = known(seen.card)
            return Moment(n=n, at_ns=at_ns, kind="corrected", pile=seen.pile, card=card, sentence=sentence)
        case Recount():
            return Moment(n=n, at_ns=at_ns, kind="corrected", player=seen.player, sentence=count_words(seen, names))
        case _:
            return None


def _landing(n: int, at_ns: int, seen: CardLanded, shift_ns: int) -> Moment:
    card, p = likeliest_card(seen.cards)
    return Moment(
        n=n,
        at_ns=at_ns,
        kind="play",
        player=likeliest(seen.players) or "unknown",
        pile=seen.pile,
        card=card,
        p=p,
        early_ns=seen.earliest_ns + shift_ns,
        late_ns=seen.latest_ns + shift_ns,
        frame=plain(seen.frame) or None,
        odds=_odds(seen.cards),
    )


def _odds(cards: CardOdds) -> dict[Card, float]:
    """What else it may have been, the likeliest first: at hand for a correction."""
    likely = sorted(cards.items(), key=lambda item: -item[1])[:MOST_ODDS]
    return {card: round(p, 3) for card, p in likely if known(card) == card and p >= 0.001}


def _missed(n: int, at_ns: int, word: Correction, names: Mapping[Player, str]) -> Moment:
    """A landing that only people saw."""
    return Moment(
        n=n,
        at_ns=at_ns,
        kind="play",
        player=word.player or "unknown",
        pile=word.pile,
        card=known(word.card),
        p=1.0,
        sentence=correction_words(word, names),
        was="not seen by the referee",
    )


def _taken_back(n: int, at_ns: int, seen: CardTakenBack) -> Moment:
    card, p = likeliest_card(seen.cards)
    return Moment(
        n=n,
        at_ns=at_ns,
        kind="taken_back",
        player=likeliest(seen.players) or "unknown",
        pile=seen.pile,
        card=card,
        p=p,
        frame=plain(seen.frame) or None,
    )
