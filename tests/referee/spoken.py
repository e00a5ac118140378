"""Spit spoken aloud, for tests: a table is laid out in one line, and every line that is said gets the ruling back.

    table = Table()                       # p1: 7S QH 3D 10C 5H, p2: KD 4S 9C JD 2H, tops 8D and AC, pagat rules
    table("p1 7S A", "p2 9C A @8")        # ["legal", "beaten p2"]: p2's card came 8 ms later
    table.said                            # what the table was told

`@8` is milliseconds after the line before; without it a second passes. Lines in one call are one burst.
"""

from typing import Any

from referee.cards import UNREAD, parse_card
from referee.game.announcements import AnyAnnouncement
from referee.game.events import (
    AnyEvent,
    Call,
    Draw,
    Land,
    Layout,
    Move,
    Read,
    Refill,
    Slap,
    Spit,
    TakeBack,
    Tick,
    TurnUp,
)
from referee.game.judge import Judge
from referee.game.phases import Phase
from referee.game.position import Middle, Position, Side, seen_bits
from referee.game.rulings import Illegal, Legal, Ruling, Undecided
from referee.game.wording import explain
from referee.rules.rows import parse_row
from referee.rules.rule_set import rule_set_from

MS = 1_000_000
P1 = "0:7S 1:QH 2:3D 3:10C 4:5H"
P2 = "0:KD 1:4S 2:9C 3:JD 4:2H"


def middle(text: str | None, started_by: Any = None) -> Middle:
    """`8D` or `8D*20`: a top, and how many cards the pile has (one, if nothing is said)."""
    if text is None:
        return Middle()
    top, _, count = text.partition("*")
    return Middle(top=parse_card(top), count=int(count or 1), started_by=started_by)


def position(
    p1: str = P1,
    p2: str = P2,
    a: str | None = "8D",
    b: str | None = "AC",
    spit: tuple[int, int] = (10, 10),
    **more: Any,
) -> Position:
    """A table in play; one middle pile if `b` is None and `a` is not."""
    piles = 1 if a and not b else 2
    starter = "p2" if piles == 1 else "p1"
    laid = Position(
        phase=Phase.PLAY,
        p1=Side(row=parse_row(p1.split()), packet=spit[0]),
        p2=Side(row=parse_row(p2.split()), packet=spit[1]),
        A=middle(a, starter),
        B=middle(b, "p2"),
        piles=piles,
        seen=seen_bits(parse_card(top.partition("*")[0]) for top in (a, b) if top),
    )
    changes = {"total": laid.in_game} | more
    return type(laid)(**{name: changes.get(name, getattr(laid, name)) for name in laid.__struct_fields__})


class Table:
    """A game that is told line by line."""

    def __init__(self, rules: str = "pagat", start: Position | None = None, options: Any = None, **laid: Any) -> None:
        self.rules = rule_set_from({"extends": rules} | (options or {}))
        self.judge = Judge(self.rules, start if start is not None else position(**laid))
        self.at_ns = 1_000 * MS
        self.said: list[AnyAnnouncement] = []
        self.told: list[str] = []
        """The last refusals and doubts in sentences."""

    @property
    def now(self) -> Position:
        return self.judge.position

    def row(self, player: str) -> str:
        return " ".join(map(str, self.now.side(player).row))

    def __call__(self, *lines: str) -> list[str]:
        rulings, self.said = self.judge.step([self.event(line) for line in lines])
        self.told = [explain(ruling) for ruling in rulings]
        return [in_short(ruling) for ruling in rulings]

    def event(self, line: str) -> AnyEvent:
        words, _, gap = line.partition(" @")
        self.at_ns += round(float(gap or 1000) * MS)
        return event(words.split(), self.at_ns)


def event(words: list[str], at_ns: int) -> AnyEvent:
    match words:
        case ["tick"]:
            return Tick(at_ns=at_ns)
        case [who, "calls"]:
            return Call(at_ns=at_ns, player=who)
        case [who, "slaps", pile, *under]:
            return Slap(at_ns=at_ns, player=who, pile=pile, under=bool(under))
        case [who, "spits", card, pile]:
            return Spit(at_ns=at_ns, player=who, card=parse_card(card), pile=pile)
        case [who, "takes", card, pile]:
            return TakeBack(at_ns=at_ns, player=who, card=parse_card(card), pile=pile)
        case [who, "turns", place, card, *hand]:
            return TurnUp(at_ns=at_ns, player=who, place=int(place), card=parse_card(card), hand=in_hand(hand))
        case [who, "moves", card, places, *hand]:
            source, target = map(int, places.split("-"))
            moved = parse_card(card)
            return Move(at_ns=at_ns, player=who, card=moved, from_place=source, to_place=target, hand=in_hand(hand))
        case [who, "refills", place, card, *hand]:
            return Refill(at_ns=at_ns, player=who, place=int(place), card=parse_card(card), hand=in_hand(hand))
        case [who, "draws"]:
            return Draw(at_ns=at_ns, player=who)
        case [who, "shows", place, card]:
            where: Any = place if place in "AB" else int(place)
            return Read(at_ns=at_ns, player=who, place=where, card=parse_card(card))
        case [who, "lays", *tops]:
            return Layout(at_ns=at_ns, player=who, tops=tuple(map(parse_card, tops)))
        case [who, cards, pile, *how]:
            faces = tuple(map(parse_card, cards.split("+")))
            place = next((int(word) for word in how if word.isdecimal()), None)
            order_known, touched = "unordered" not in how, "beside" not in how
            return Land(
                at_ns=at_ns,
                player=who,
                pile=pile,
                cards=faces if faces else (UNREAD,),
                hand=in_hand(how),
                from_place=place,
                order_known=order_known,
                touched=touched,
            )
    raise AssertionError(f"nobody says {words}")


def in_hand(words: list[str]) -> Any:
    return next((word for word in words if word in "LR"), None)


def in_short(ruling: Ruling) -> str:
    """`legal`, `beaten p2`, `unread?`: the reason and who is named; a doubt ends in a question mark."""
    match ruling:
        case Legal():
            return "legal"
        case Illegal(reason, who):
            return f"{reason} {who}"
        case Undecided(reason, _):
            return f"{reason}?"
        case _:
            return type(ruling).__name__.lower()
