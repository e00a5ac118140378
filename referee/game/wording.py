"""Rulings and announcements in sentences for people, each with its rule number and the numbers behind it.

Nothing here says which card could be played, or how large a pile is before the slap (RULES 1.11).
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from referee.cards import UNREAD, Card, is_joker
from referee.game.announcements import (
    AnyAnnouncement,
    Award,
    BreachSeen,
    DeadHeat,
    DealOver,
    FalseSlap,
    GameOver,
    NextDeal,
    NotStuck,
    SpitCall,
    Stuck,
)
from referee.game.rulings import Breach, Doubt, Facts, Illegal, Reason, Ruling, Undecided
from referee.table import PLAYERS, Player, Who
from referee.units import counted

Names = Mapping[Player, str]

PLAIN_NAMES: Final[Names] = {"p1": "Player 1", "p2": "Player 2"}

_SUIT_NAMES: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_RANK_NAMES: Final = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}


class Law(msgspec.Struct, frozen=True):
    """The rule behind a reason, and the sentence that a player is told."""

    rule: str
    sentence: str


LAWS: Final[Mapping[Reason, Law]] = {
    Breach.NOT_ADJACENT: Law(
        "R22", "{who}, take {card} back from pile {pile}: it is {distance} {other} and must be one rank away."
    ),
    Breach.SAME_COLOUR: Law(
        "R71", "{who}, take {card} back from pile {pile}: red and black alternate, and {other} has the same colour."
    ),
    Breach.BEATEN: Law(
        "R31", "{who}, no fault, but take {card} back: {other} on pile {pile} was covered {after} before it."
    ),
    Breach.ON_ILLEGAL_CARD: Law(
        "R30", "{who}, no fault, but take {card} back: {other} under it on pile {pile} does not count."
    ),
    Breach.TWO_CARDS: Law("R26", "{who}, put the {count} cards back: only {limit} may be played or moved at a time."),
    Breach.TWO_HANDS: Law(
        "R27", "{who}, one hand only: the other one acted {after} before, and {limit} ms must lie between."
    ),
    Breach.NOT_A_TOP_CARD: Law("R20", "{who}, put {card} back: it was not the top card of one of your piles."),
    Breach.NOT_YOUR_CARD: Law("R20", "{who}, give {card} back: it lay on top of your opponent's pile."),
    Breach.CARD_WAS_PLAYED: Law("R29", "{who}, {card} stays: it was played when it touched pile {pile}."),
    Breach.NOT_STARTED: Law("R16", "{who}, take {card} back: pile {pile} is not started yet, wait for the spit."),
    Breach.DEAL_IS_OVER: Law("R49", "{who}, take {card} back: the deal is over{late}."),
    Breach.PILE_NOT_IN_USE: Law("R63", "{who}, take {card} back from pile {pile}: this deal has one middle pile, A."),
    Breach.SPACE_NOT_EMPTY: Law("R35", "{who}, put {card} back: place {place} of your row is not empty{under}."),
    Breach.FACE_DOWN_CARD: Law("R35", "{who}, the card at place {place} lies face down and may only be turned up."),
    Breach.TOO_MANY_PILES: Law("R37", "{who}, {count} piles are too many: a row has {limit} at most."),
    Breach.NOT_YOUR_ROW: Law("R35", "{who}, put {card} back: it lies in your opponent's row."),
    Breach.NOTHING_TO_TURN: Law("R34", "{who}, there is no face-down card to take{there}."),
    Breach.NOT_STUCK: Law("R40", "{who}, take {card} back: it is not stuck, somebody can still do something."),
    Breach.WRONG_PILE: Law("R41", "{who}, take {card} back from pile {pile}: your spit card goes on {expected}."),
    Breach.ALREADY_SPAT: Law("R40", "{who}, take {card} back: one spit card each for every call."),
    Breach.NOT_YOUR_SPIT: Law("R43", "{who}, take {card} back: in this call only your opponent turns a card."),
    Breach.ROW_FULL: Law(
        "R77", "{who}, take {card} back: place {place} is taken, and a row has {limit} cards at most."
    ),
    Breach.HAND_FULL: Law("R83", "{who}, {count} cards are too many: a hand holds {limit} at most."),
    Breach.LAYOUT_MISMATCH: Law("R61", "{who}, a row of {count} does not fit {cards}: lay out {piles}."),
    Doubt.ORDER_UNKNOWN: Law("R31", "Nobody can say which card touched pile {pile} first: both go back, no fault."),
    Doubt.UNREAD: Law("R22", "The card could not be read: it stays, and there is no ruling."),
    Doubt.UNREAD_TOP: Law("R22", "{card} lies on a card that was not read: it stays, and there is no ruling."),
    Doubt.MISREAD: Law("R4", "The card was misread: {card} already lies in the middle; there is no ruling."),
    Doubt.SLAPPER_UNKNOWN: Law("R53", "Nobody can say whose hand slapped pile {pile}: slap again."),
    Doubt.DEAD_HEAT: Law(
        "R53", "Too close on pile {pile}: {after} apart, and more than {limit} µs are needed; slap again."
    ),
}
"""Every reason with its rule. The tests demand that none is missing and that every fact is at hand."""


def rule_of(ruling: Ruling) -> str | None:
    """The number of the rule behind a refusal or a doubt, `R22`; None if there is nothing to explain."""
    if not isinstance(ruling, Illegal | Undecided):
        return None
    if ruling.reason is Breach.NOT_ADJACENT and ruling.facts.apart == 0:
        return "R23"
    return LAWS[ruling.reason].rule


def explain(ruling: Ruling, names: Names = PLAIN_NAMES) -> str:
    """A refusal or a doubt as one sentence for the table; empty if there is nothing to explain."""
    if not isinstance(ruling, Illegal | Undecided):
        return ""
    return _begin(LAWS[ruling.reason].sentence.format_map(_words(ruling.who, ruling.facts, names)))


def _begin(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _words(who: Who, facts: Facts, names: Names) -> dict[str, object]:
    """The facts as the sentences name them."""
    after = "" if facts.after_ns is None else say_duration(facts.after_ns)
    return {
        "who": say_who(who, names),
        "card": say_card(facts.card),
        "other": say_card(facts.other),
        "pile": facts.pile,
        "place": facts.place,
        "count": facts.count,
        "limit": facts.limit,
        "after": after,
        "distance": _distance(facts.apart),
        "late": after and f", it came {after} too late",
        "under": facts.other and f", {say_card(facts.other)} lies there",
        "there": facts.place and f" at place {facts.place}",
        "expected": facts.expected or "the other pile",
        "cards": counted(facts.limit or 0, "card"),
        "piles": f"{facts.expected} pile" if facts.expected == "1" else f"{facts.expected} piles",
    }


def _distance(apart: int | None) -> str:
    match apart:
        case None:
            return "no neighbour of"
        case 0:
            return "of the same rank as"
        case _:
            return f"{apart} ranks away from"


def say_who(who: Who, names: Names = PLAIN_NAMES) -> str:
    return "somebody" if who == "unknown" else names[who]


def say_card(card: Card | None) -> str:
    """A card as it is read aloud: `the 10 of clubs`."""
    if card is None or card == UNREAD:
        return "the card"
    if is_joker(card):
        return "the joker"
    return f"the {_RANK_NAMES.get(card[:-1], card[:-1])} of {_SUIT_NAMES[card[-1]]}"


def say_duration(ns: int) -> str:
    """A time between two events in the unit that people can compare: `8 ms`, `40 µs`, `1.2 s`."""
    for unit, size in (("s", 1_000_000_000), ("ms", 1_000_000)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns / 1_000:.3g} µs"


def announce(said: AnyAnnouncement, names: Names = PLAIN_NAMES) -> str:
    """An announcement as one sentence for the table."""
    match said:
        case Stuck():
            return "Nobody can play."
        case SpitCall(onto=onto):
            return "Spit: " + ", ".join(f"{names[player]} on {_say_pile(pile)}" for player, pile in onto.items()) + "."
        case DealOver(reason="cleared", by=by):
            return _begin(f"{say_who(by or 'unknown', names)} is out, the deal is over.")
        case DealOver():
            return "Nobody can play and nobody has a spit card: the deal is over."
        case Award(p1=p1, p2=p2):
            taken = zip(PLAYERS, (p1, p2), strict=True)
            return ", ".join(f"{names[player]} takes {_say_pile(pile)}" for player, pile in taken) + "."
        case NextDeal(p1=p1, p2=p2, piles=piles, first=first):
            counts = f"{names['p1']} has {counted(p1.cards, 'card')}, {names['p2']} {p2.cards}"
            starters = " and ".join(names[player] for player in first)
            return f"{counts}. {'One middle pile' if piles == 1 else 'Two middle piles'}, started by {starters}."
        case GameOver(winner=winner):
            return "Both have as many cards left: a draw." if winner == "draw" else f"{names[winner]} wins the game."
        case DeadHeat(pile=pile):
            return f"Too close on pile {pile}: slap again."
        case FalseSlap(who=who):
            return _begin(f"{say_who(who, names)}, too early: the deal is not over, play on.")
        case NotStuck(who=who):
            return "Not stuck: " + " and ".join(names[player] for player in who) + " can still do something."
        case BreachSeen(who=who):
            return f"{names[who]}, one hand only: both carry cards."


def _say_pile(pile: str) -> str:
    return {"any": "either pile", "none": "nothing"}.get(pile, f"pile {pile}")
