"""What no example can show: any sequence of events, however absurd, against every rule set."""

from itertools import pairwise
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from spoken import MS, P1, P2, position

from referee.cards import PACK, UNREAD, Card
from referee.game.announcements import AnyAnnouncement, Award, NextDeal
from referee.game.events import (
    AnyEvent,
    Call,
    Draw,
    Hands,
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
from referee.game.phases import TRANSITIONS, Phase
from referee.game.position import Middle, Position, Side
from referee.game.rulings import Illegal, Ruling, Undecided
from referee.game.wording import announce, explain, rule_of
from referee.rules.rows import parse_row
from referee.rules.rule_set import RuleSet, rule_set_from

HOUSES = {
    "pagat": RuleSet(),
    "wikipedia": rule_set_from({"extends": "wikipedia"}),
    "bicycle": rule_set_from({"extends": "bicycle"}),
    "speed": rule_set_from({"extends": "speed"}),
    "lone": RuleSet(solo_spit="chosen_pile", one_pile="below_layout", pile_choice="clearer_chooses"),
    "wild": RuleSet(jokers="wild", colours="alternate", row_stack_same_rank=True, hands="both"),
}


def starts(house: str) -> list[Position]:
    """Tables from which the games of one house set out."""
    bicycle = ("0:7S 0:QH 0:3D 0:10C", "0:KD 0:4S 0:9C 0:JD")
    match house:
        case "bicycle":
            return [position(*bicycle, spit=(3, 1)), position("0:7S - - -", "- 0:9C - -", spit=(0, 0))]
        case "speed":
            middle = {"A": Middle(top=Card("8D"), count=20, outer=2), "B": Middle(top=Card("AC"), count=18, outer=2)}
            return [Position(phase=Phase.PLAY, p1=Side(hand=5, packet=1), p2=Side(hand=1, packet=3), **middle)]
    first = Position(
        phase=Phase.FIRST_SPIT,
        p1=Side(row=parse_row(P1.split()), packet=11, due=("A",)),
        p2=Side(row=parse_row(P2.split()), packet=11, due=("B",)),
    )
    last = position("0:7S - - - -", "0:9C - - - -", a="8D*30", b="8C*15", spit=(2, 3))
    single = position("0:7S 0:6C - - -", "0:9C 1:10S - - -", a="8D*30", b=None, spit=(0, 17))
    return [position(), first, last, single]


CARDS = st.one_of(
    st.sampled_from([Card(card) for card in ("7S", "QH", "9C", "KD", "8H", "6C", "10S", "X1", "JK")]),
    st.sampled_from([UNREAD, *PACK]),
    st.just(UNREAD),
)
PLAYERS = st.sampled_from(["p1", "p2"])
WHO = st.sampled_from(["p1", "p2", "unknown"])
PILES = st.sampled_from(["A", "B"])
PLACES = st.integers(-1, 7)
HANDS = st.sampled_from([None, None, "L", "R"])
CARRIED = st.sampled_from(["card", "spit", "empty"])


def events_of(kind: type, **fields: Any) -> st.SearchStrategy[Any]:
    return st.builds(kind, at_ns=st.just(0), **fields)


EVENTS: st.SearchStrategy[AnyEvent] = st.one_of(
    events_of(
        Land,
        player=WHO,
        pile=PILES,
        cards=st.one_of(st.tuples(CARDS), st.lists(CARDS, max_size=3).map(tuple)),
        hand=HANDS,
        touched=st.sampled_from([True, True, True, False]),
        order_known=st.sampled_from([True, True, False]),
        from_place=st.one_of(st.none(), PLACES),
    ),
    events_of(Land, player=WHO, pile=PILES, cards=st.tuples(CARDS)),
    events_of(Land, player=PLAYERS, pile=PILES, cards=st.just((UNREAD,))),
    events_of(Read, place=PILES, card=CARDS),
    events_of(Spit, player=WHO, pile=PILES, card=CARDS),
    events_of(Slap, player=WHO, pile=PILES, under=st.booleans()),
    events_of(TakeBack, player=WHO, pile=PILES, card=CARDS),
    events_of(TurnUp, player=PLAYERS, place=PLACES, card=CARDS, hand=HANDS),
    events_of(
        Move, player=PLAYERS, from_place=PLACES, to_place=PLACES, card=CARDS, count=st.integers(1, 2), hand=HANDS
    ),
    events_of(Refill, player=PLAYERS, place=PLACES, card=CARDS, hand=HANDS),
    events_of(Draw, player=PLAYERS),
    events_of(Hands, player=PLAYERS, left=CARRIED, right=CARRIED),
    events_of(Call, player=st.sampled_from(["p1", "p2", "both"])),
    events_of(Read, player=WHO, place=st.one_of(PLACES, PILES), card=CARDS),
    events_of(Layout, player=PLAYERS, tops=st.lists(CARDS, max_size=7).map(tuple)),
    events_of(Tick),
)


@st.composite
def stories(draw: st.DrawFn) -> tuple[RuleSet, Position, list[AnyEvent]]:
    """A house, a table, and events in the order of time."""
    house = draw(st.sampled_from(list(HOUSES)))
    start = draw(st.sampled_from(starts(house)))
    at_ns, events = 1_000 * MS, []
    for event in draw(st.lists(EVENTS, max_size=25)):
        at_ns += draw(st.sampled_from([0, 50_000, 4 * MS, 300 * MS, 900 * MS]))
        events.append(replace(event, at_ns=at_ns))
    return HOUSES[house], start, events


many = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])


@many
@given(stories())
def test_no_sequence_of_events_raises_or_leaves_the_table_of_phases_or_loses_a_card(
    story: tuple[RuleSet, Position, list[AnyEvent]],
) -> None:
    rules, start, events = story
    judge = Judge(rules, start)
    for event in events:
        before = judge.position
        answer = judge.feed(event)
        after = judge.position
        assert after.in_game == after.total == start.total
        assert min(after.p1.count, after.p2.count, after.A.count, after.B.count) >= 0
        assert leads_to(before.phase, after.phase)
        assert all(explain_everything(answer.ruling))
        assert all(announce(said) for said in answer.announcements)


def leads_to(before: Phase, after: Phase) -> bool:
    """Whether the table of phases leads from one to the other; one event may take two steps (spit, and stuck again)."""
    near = {before} | set(TRANSITIONS[before].values())
    return after in near or any(after in TRANSITIONS[phase].values() for phase in near)


def explain_everything(ruling: Ruling) -> list[str]:
    if isinstance(ruling, Illegal | Undecided):
        return [explain(ruling), rule_of(ruling) or ""]
    return []


def mirrored(value: Any) -> Any:
    """The same thing seen from the other seat: players and their piles change places."""
    swap = {"p1": "p2", "p2": "p1", "A": "B", "B": "A"}
    match value:
        case str():
            return swap.get(value, value)
        case tuple() | list():
            return type(value)(map(mirrored, value))
        case dict():
            return {mirrored(key): mirrored(part) for key, part in value.items()}
        case _:
            return value


def mirror_event(event: AnyEvent) -> AnyEvent:
    turned: AnyEvent = msgspec.convert(mirrored(msgspec.to_builtins(event)), AnyEvent)
    return turned


def mirror_position(start: Position) -> Position:
    """Both sides and both piles change places; `touched_ns` is told by player, so it turns too."""
    plain = mirrored(msgspec.to_builtins(start))
    for pile in ("A", "B"):
        first, second, unknown = plain[pile]["touched_ns"]
        plain[pile]["touched_ns"] = [second, first, unknown]
    return msgspec.convert(plain, Position)


@many
@given(stories())
def test_both_seats_are_treated_alike(story: tuple[RuleSet, Position, list[AnyEvent]]) -> None:
    rules, start, events = story
    if start.piles == 1:
        return  # the single pile is always called A
    here, there = Judge(rules, start), Judge(rules, mirror_position(start))
    for event in events:
        answer, other = here.feed(event), there.feed(mirror_event(event))
        assert mirrored(msgspec.to_builtins(answer.ruling)) == msgspec.to_builtins(other.ruling)
        assert [type(said) for said in answer.announcements] == [type(said) for said in other.announcements]
        if here.position.piles == 1:
            return
        assert mirror_position(here.position) == there.position


@many
@given(stories(), st.data())
def test_a_burst_changes_only_what_the_events_of_one_moment_share(
    story: tuple[RuleSet, Position, list[AnyEvent]], data: st.DataObject
) -> None:
    """Slaps, unordered cards, silent agreement and hard plays look into the burst; nothing else does."""
    rules, start, events = story
    alone = [event for event in events if not isinstance(event, Slap | Spit) and getattr(event, "order_known", True)]
    one_by_one, in_bursts = Judge(rules, start), Judge(rules, start)
    singles = [one_by_one.feed(event) for event in alone]
    rulings: list[Ruling] = []
    said: list[AnyAnnouncement] = []
    while alone:
        size = data.draw(st.integers(1, len(alone)))
        ruled, told = in_bursts.step(alone[:size])
        rulings, said, alone = rulings + ruled, said + told, alone[size:]
    assert rulings == [answer.ruling for answer in singles]
    assert said == [announcement for answer in singles for announcement in answer.announcements]
    assert in_bursts.position == one_by_one.position


@many
@given(stories(), st.integers(0, 24))
def test_a_copy_goes_its_own_way(story: tuple[RuleSet, Position, list[AnyEvent]], cut: int) -> None:
    rules, start, events = story
    judge, whole = Judge(rules, start), Judge(rules, start)
    told = [whole.feed(event) for event in events]
    for event in events[:cut]:
        judge.feed(event)
    twin, kept = judge.copy(), judge.position
    assert [twin.feed(event) for event in events[cut:]] == told[cut:]
    assert judge.position is kept
    assert [judge.feed(event) for event in events[cut:]] == told[cut:]


@many
@given(stories())
def test_R66_every_award_shares_out_all_cards(story: tuple[RuleSet, Position, list[AnyEvent]]) -> None:
    rules, start, events = story
    judge = Judge(rules, start)
    for event in events:
        said = judge.feed(event).announcements
        for award, deal in pairwise(said):
            if isinstance(award, Award) and isinstance(deal, NextDeal):
                assert deal.p1.cards + deal.p2.cards == start.total
                assert (award.p1, award.p2) != ("none", "none")


@many
@given(stories())
def test_events_and_positions_survive_their_plain_form(story: tuple[RuleSet, Position, list[AnyEvent]]) -> None:
    rules, start, events = story
    judge = Judge(rules, start)
    for event in events:
        assert msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent) == event
        judge.feed(event)
    assert msgspec.json.decode(msgspec.json.encode(judge.position), type=Position) == judge.position
