"""Looks at piles and rows against what was played: a hand in the way is no news, and reports may come late."""

from spoken import position

from referee.cards import Card, parse_card
from referee.observations import CardLanded, HandsSeen, Origin, PileRead, PlaceSeen, RowRead
from referee.rules.rule_set import rule_set
from referee.table import Pile, Player
from referee.tracker.rewind import Recent
from referee.tracker.tracker import Tracker
from referee.verdicts import AnyVerdict, PlayJudged, RowJudged

MS = 1_000_000
P1 = ("7S", "QH", "3D", "10C", "5H")
P2 = ("KD", "4S", "9C", "JD", "2H")
HIDDEN = "under a hand"
BACK = "a back"


def odds(card: str) -> dict[Card, float]:
    return {parse_card(card): 0.9995}


def landed(at_ms: int, player: Player, card: str, pile: Pile, place: int) -> CardLanded:
    at_ns = at_ms * MS
    return CardLanded(
        at_ns=at_ns,
        earliest_ns=at_ns - 20 * MS,
        latest_ns=at_ns + 20 * MS,
        pile=pile,
        cards=odds(card),
        players={player: 0.999},
        origins=(Origin(player=player, place=place, p=0.99),),
    )


def place(shows: str) -> PlaceSeen:
    if shows == HIDDEN:
        return PlaceSeen()
    return PlaceSeen(face_down=0.9995) if shows == BACK else PlaceSeen(cards=odds(shows))


def row(at_ms: int, player: Player, *shows: str) -> RowRead:
    return RowRead(at_ns=at_ms * MS, player=player, places=tuple(map(place, shows)))


def pile(at_ms: int, name: Pile, card: str) -> PileRead:
    return PileRead(at_ns=at_ms * MS, pile=name, cards=odds(card))


def told(*seen: CardLanded | RowRead | PileRead) -> list[AnyVerdict]:
    """A tracker that has seen the whole table lie still, and what it tells of the rest."""
    tracker = Tracker(rule_set("pagat"), position())
    for look in (pile(0, "A", "8D"), pile(0, "B", "AC"), row(0, "p1", *P1), row(0, "p2", *P2)):
        assert not [v for v in tracker.feed(look) if isinstance(v, PlayJudged | RowJudged)]
    return [verdict for one in seen for verdict in tracker.feed(one)]


def test_a_hand_over_the_place_that_was_played_from_is_no_card_turned_up() -> None:
    verdicts = told(
        landed(1000, "p2", "9C", "A", 3),
        row(1400, "p2", "KD", "4S", HIDDEN, HIDDEN, "2H"),
        row(1900, "p2", "KD", "4S", HIDDEN, "JD", "2H"),
        row(2400, "p2", "KD", "4S", BACK, "JD", "2H"),
    )
    assert [v.ruling for v in verdicts if isinstance(v, PlayJudged)] == ["legal"]
    assert not [v for v in verdicts if isinstance(v, RowJudged)]


def test_R31_a_look_that_saw_the_second_of_two_cards_reported_late_speaks_for_the_second() -> None:
    """7S and 9C race onto the eight; the look that shows the nine comes before both reports."""
    verdicts = told(
        pile(1600, "A", "9C"),
        landed(1000, "p1", "7S", "A", 1),
        landed(1060, "p2", "9C", "A", 3),
        row(2000, "p1", BACK, *P1[1:]),
        row(2000, "p2", *P2[:2], BACK, *P2[3:]),
    )
    plays = [(v.player, v.card, v.ruling) for v in verdicts if isinstance(v, PlayJudged)]
    assert plays == [("p1", "7S", "legal"), ("p2", "9C", "beaten")]


def test_R22_a_card_that_does_not_follow_is_called_although_the_top_was_seen_before_its_own_report() -> None:
    verdicts = told(
        pile(1600, "A", "9C"),
        landed(1000, "p1", "7S", "A", 1),
        landed(1060, "p2", "9C", "A", 3),
        row(2000, "p1", BACK, *P1[1:]),
        row(2000, "p2", *P2[:2], BACK, *P2[3:]),
        landed(2300, "p1", "QH", "A", 2),
        row(2700, "p1", BACK, BACK, *P1[2:]),
        row(2700, "p2", *P2[:2], BACK, *P2[3:]),
    )
    last = [v for v in verdicts if isinstance(v, PlayJudged)][-1]
    assert (last.player, last.card, last.ruling, last.reason) == ("p1", "QH", "illegal", "not_adjacent")


def test_while_nobody_plays_for_an_hour_nothing_piles_up_for_late_reports() -> None:
    recent: Recent[int] = Recent()
    recent.remember(1, pile(0, "A", "8D"), lambda: 1)
    for second in range(3600):
        recent.remember(second + 2, HandsSeen(at_ns=second * 1000 * MS, players=("p1",)), lambda: 0)
    assert sum(len(stretch.seen) for stretch in recent.stretches) < 12
    recent.remember(5000, row(3_600_000, "p1", *P1), lambda: 2)
    assert recent.before(landed(3_599_000, "p1", "7S", "A", 1)) == 0, "the game goes on, with late reports as before"
