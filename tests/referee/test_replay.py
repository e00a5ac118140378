"""The replay's view of a game: who played what when, what lay on the piles, what is shown of a log that lies."""

import json
import re
from pathlib import Path
from random import Random

import msgspec
import pytest
from plausible_game import HEADER, write_plausible_game

from referee.cards import Card
from referee.log import GameLog, Header, LoggedGame
from referee.observations import (
    AnyObservation,
    Called,
    CardLanded,
    CardTakenBack,
    Correction,
    PadReleased,
    PadSlapped,
    PlaceSeen,
    RowRead,
)
from referee.replay import Moment, Timeline, statistics_of, timeline_of
from referee.replay.page import page_of, write_page
from referee.replay.words import clock, margin_words, plain, player_names
from referee.table import Pile, Player, Who
from referee.verdicts import (
    AnyVerdict,
    Award,
    DeadHeat,
    DealOver,
    NotStuck,
    Paused,
    PlayJudged,
    Resumed,
    Ruling,
    SpitCall,
    SpitJudged,
    Stuck,
    TakenBack,
)

S = 1_000_000_000


class Table:
    """Writes a game down, in seconds, as somebody at the table would tell it."""

    def __init__(self, folder: Path, header: Header = HEADER) -> None:
        self.log = GameLog.create(folder, header)

    def see(self, seen: AnyObservation) -> int:
        return self.log.observation(seen)

    def say(self, *verdicts: AnyVerdict) -> None:
        for verdict in verdicts:
            self.log.verdict(verdict)

    def spit(self, s: float, player: Player, pile: Pile, card: str) -> None:
        n = self._land(s, player, pile, card)
        self.say(
            SpitJudged(at_ns=round(s * S), of=n, player=player, pile=pile, card=Card(card), p=0.99, ruling="legal")
        )

    def play(
        self, s: float, player: Player, pile: Pile, card: str, ruling: Ruling = "legal", reason: str | None = None,
        who: Who | None = None,
    ) -> int:  # fmt: skip
        n = self._land(s, player, pile, card)
        self.say(
            PlayJudged(
                at_ns=round(s * S), of=n, player=who or player, pile=pile, card=Card(card), p=0.99, ruling=ruling,
                reason=reason,
            )
        )  # fmt: skip
        return n

    def take_back(self, s: float, player: Player, pile: Pile, card: str) -> None:
        at_ns = round(s * S)
        of = self.see(CardTakenBack(at_ns=at_ns, pile=pile, cards={Card(card): 0.9}, players={player: 0.9}))
        self.say(TakenBack(at_ns=at_ns, of=of, player=player, pile=pile, card=Card(card), was_due=True))

    def row(self, s: float, player: Player, cards: str) -> None:
        places = tuple(PlaceSeen(cards={Card(card): 0.97}) for card in cards.split())
        self.see(RowRead(at_ns=round(s * S), player=player, places=places))

    def timeline(self, *, still_playing: bool = False) -> Timeline:
        if not still_playing:
            self.log.close()
        return timeline_of(LoggedGame(self.log.directory))

    def _land(self, s: float, player: Player, pile: Pile, card: str) -> int:
        at_ns = round(s * S)
        return self.see(
            CardLanded(
                at_ns=at_ns, pile=pile, earliest_ns=at_ns, latest_ns=at_ns, cards={Card(card): 0.99},
                players={player: 0.99},
            )
        )  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A game that has just begun: 6C on A, KD on B. The first sighting is the game's start."""
    table = Table(tmp_path)
    table.spit(100, "p1", "A", "6C")
    table.spit(100.2, "p2", "B", "KD")
    return table


def lying(moment: Moment, pile: Pile, when: str = "after") -> str:
    piles = moment.after if when == "after" else moment.before
    return " ".join(item.card + ("" if item.counts else "!") for item in piles.get(pile, ()))


def landings(timeline: Timeline) -> list[Moment]:
    return [moment for moment in timeline.moments if moment.is_landing]


def test_each_landing_shows_both_piles_before_and_after_and_the_time_between(table: Table) -> None:
    table.play(101.5, "p1", "A", "7H")
    last = landings(table.timeline())[-1]
    assert (lying(last, "A", "before"), lying(last, "B", "before")) == ("6C", "KD")
    assert (lying(last, "A"), lying(last, "B")) == ("7H", "KD")
    assert last.at_ns == 1.5 * S
    assert last.since_ns == 1.3 * S


def test_an_illegal_card_lies_on_the_top_that_counts_until_it_is_taken_back(table: Table) -> None:
    table.play(101, "p2", "A", "9S", "illegal", "not_adjacent")
    table.take_back(102, "p2", "A", "9S")
    table.play(103, "p1", "A", "5D")
    timeline = table.timeline()
    illegal, after = landings(timeline)[2:]
    assert lying(illegal, "A") == "6C 9S!"
    assert illegal.is_dispute
    assert lying(next(moment for moment in timeline.moments if moment.kind == "taken_back"), "A") == "6C"
    assert lying(after, "A", "before") == "6C"


def test_an_unread_card_stays_and_counts(table: Table) -> None:
    table.play(101, "p2", "A", "??", "cannot_tell", "unread")
    assert lying(landings(table.timeline())[-1], "A") == "??"


def test_the_piles_follow_the_top_that_the_referee_judged_by(table: Table) -> None:
    n = table._land(101, "p1", "A", "9S")
    table.say(PlayJudged(at_ns=101 * S, of=n, player="p1", pile="A", card=Card("9S"), p=0.6, ruling="cannot_tell"))
    n = table._land(102, "p2", "A", "10H")
    table.say(
        PlayJudged(
            at_ns=102 * S, of=n, player="p2", pile="A", card=Card("10H"), p=0.9, ruling="legal", top=Card("9S")
        )
    )  # fmt: skip
    n = table._land(103, "p2", "B", "2S")
    table.say(
        PlayJudged(at_ns=103 * S, of=n, player="p2", pile="B", card=Card("2S"), p=0.9, ruling="legal", top=Card("AS"))
    )
    unsure, on_it, misread = landings(table.timeline())[2:]
    assert lying(unsure, "A") == "6C 9S!"
    assert lying(on_it, "A", "before") == "9S"
    assert lying(misread, "B", "before") == "AS"


def test_a_better_reading_replaces_a_ruling_and_keeps_what_was_said(table: Table) -> None:
    n = table.play(101, "p1", "A", "9S", "illegal", "not_adjacent")
    table.say(PlayJudged(at_ns=101 * S, of=n, player="p1", pile="A", card=Card("7S"), p=0.98, ruling="legal"))
    last = landings(table.timeline())[-1]
    assert (last.ruling, last.card) == ("legal", "7S")
    assert "9S" in last.was
    assert last.is_dispute


def test_a_person_corrects_a_landing_and_the_old_value_stays_readable(table: Table) -> None:
    n = table.play(101, "p1", "A", "7H")
    table.see(Correction(at_ns=103 * S, of=n, card=Card("7D"), by="Bob"))
    timeline = table.timeline()
    assert landings(timeline)[-1].card == "7D"
    assert "7H" in landings(timeline)[-1].was
    assert "Bob corrects: the card was 7D." in [moment.sentence for moment in timeline.moments]


def test_what_a_person_says_did_not_happen_is_shown_but_lies_nowhere(table: Table) -> None:
    n = table.play(101, "p1", "A", "7H")
    table.see(Correction(at_ns=103 * S, of=n, dismiss=True))
    table.play(104, "p2", "A", "5S")
    timeline = table.timeline()
    assert landings(timeline)[-2].dismissed
    assert lying(landings(timeline)[-1], "A", "before") == "6C"
    assert statistics_of(timeline).game.players["p1"].plays == 0


def test_a_verdict_that_came_later_stands_where_the_card_touched(table: Table) -> None:
    n = table._land(101, "p1", "A", "7H")
    table.play(101.1, "p2", "B", "QS")
    table.say(
        PlayJudged(
            at_ns=101 * S, decided_ns=101_400_000_000, of=n, player="p1", pile="A", card=Card("7H"), p=0.9,
            ruling="legal",
        )
    )  # fmt: skip
    early, late = landings(table.timeline())[2:]
    assert (early.card, late.card) == ("7H", "QS")
    assert early.decided_ns is not None
    assert early.decided_ns - early.at_ns == 400_000_000


def test_a_landing_that_nobody_judged_is_shown_as_such(table: Table) -> None:
    table._land(101, "p1", "A", "7H")
    last = landings(table.timeline())[-1]
    assert last.ruling is None
    assert (last.player, last.card) == ("p1", "7H")


def test_R40_a_stuck_span_lasts_until_the_next_spit(table: Table) -> None:
    table.say(Stuck(at_ns=105 * S), SpitCall(at_ns=105 * S, onto={"p1": "A", "p2": "B"}))
    table.spit(107.5, "p1", "A", "2C")
    timeline = table.timeline()
    [stuck] = [span for span in timeline.spans if span.kind == "stuck"]
    assert (stuck.start_ns, stuck.end_ns) == (5 * S, 7.5 * S)
    assert "Spit: Ann on A and Bob on B." in [moment.sentence for moment in timeline.moments]


def test_a_pause_is_a_span_and_no_drought(table: Table) -> None:
    table.say(Paused(at_ns=101 * S, reason="the camera was moved"), Resumed(at_ns=109 * S))
    table.play(110, "p1", "A", "7H")
    table.say(DealOver(at_ns=110 * S, reason="cleared", by="p1"))
    spans = {span.kind: span for span in table.timeline().spans}
    assert spans.keys() == {"paused"}
    assert spans["paused"].reason == "Paused: the camera was moved."


def test_R53_a_duel_has_the_pads_edges_and_the_margin_with_its_uncertainty(table: Table) -> None:
    table.say(DealOver(at_ns=105 * S, reason="cleared", by="p1"))
    first, second = 105_500_000_000, 105_512_400_000
    table.see(PadSlapped(at_ns=first, player="p1", pile="B", uncertainty_ns=50_000))
    table.see(PadSlapped(at_ns=second, player="p2", pile="B", uncertainty_ns=50_000))
    table.see(PadReleased(at_ns=first + S // 10, player="p1", pile="B", contact_ns=S // 10))
    table.say(Award(at_ns=first, p1="B", p2="A", first="p1", margin_us=12_400, uncertainty_us=100))
    timeline = table.timeline()
    award = next(moment for moment in timeline.moments if moment.kind == "award")
    assert award.duel is not None
    assert [(edge.player, edge.start_ns, edge.end_ns) for edge in award.duel.edges] == [
        ("p1", first - 100 * S, first - 100 * S + S // 10),
        ("p2", second - 100 * S, None),
    ]
    assert award.sentence == "Ann was first by 12.4 ms (±0.10): Ann takes pile B, Bob takes pile A."
    figures = statistics_of(timeline).game.players
    assert (figures["p1"].slaps_won, figures["p2"].slaps_lost) == (1, 1)
    assert figures["p1"].margins_us == (12_400,)


def test_a_dead_heat_names_nobody(table: Table) -> None:
    table.say(DealOver(at_ns=105 * S, reason="cleared", by="p1"))
    table.say(DeadHeat(at_ns=106 * S, pile="A", margin_us=30, uncertainty_us=100))
    heat = table.timeline().moments[-1]
    assert heat.sentence == "Too close on A: 0.03 ms (±0.10) apart. Slap again."
    assert heat.player == "unknown"
    assert heat.is_dispute


def test_what_could_have_been_played_is_told_only_after_the_deal(table: Table) -> None:
    table.row(99.9, "p1", "7H 2C 3C 9C 9D")
    table.row(99.9, "p2", "JS 2S 2H 8S 8H")
    table.play(105, "p1", "A", "7H")
    assert not [span for span in table.timeline(still_playing=True).spans if span.kind == "drought"]
    assert [span for span in table.timeline().spans if span.kind == "drought"]


def test_a_drought_names_each_card_that_fitted_and_how_long_it_was_open(table: Table) -> None:
    table.row(100.3, "p1", "7H 2C 3C 9C 9D")
    table.row(100.3, "p2", "JS 2S 2H 8S 8H")
    table.row(102.2, "p2", "QS 2S 2H 8S 8H")
    table.play(105.2, "p1", "A", "7H")
    table.say(DealOver(at_ns=106 * S, reason="cleared", by="p1"))
    [drought] = [span for span in table.timeline().spans if span.kind == "drought"]
    assert drought.chances is not None
    told = [(one.player, one.card, one.pile, (one.end_ns - one.start_ns) / S) for one in drought.chances]
    assert told == [("p1", "7H", "A", 4.9), ("p2", "QS", "B", 3.0)]


def test_of_a_row_that_was_never_seen_nothing_is_claimed(table: Table) -> None:
    table.row(99.9, "p1", "7H 2C 3C 9C 9D")
    table.play(105, "p1", "A", "7H")
    table.say(DealOver(at_ns=106 * S, reason="cleared", by="p1"))
    [drought] = [span for span in table.timeline().spans if span.kind == "drought"]
    assert drought.chances is None


def test_R40_a_refused_call_shows_afterwards_what_lay_there(table: Table) -> None:
    table.row(100.3, "p1", "9H 2C 3C 9C 9D")
    table.row(100.3, "p2", "QS 2S 2H 8S 8H")
    table.see(Called(at_ns=101 * S, player="p2", word="spit"))
    table.say(NotStuck(at_ns=101 * S, who=("p2",)))
    table.play(101.5, "p2", "B", "QS")
    table.say(DealOver(at_ns=106 * S, reason="cleared", by="p2"))
    refused = next(moment for moment in table.timeline().moments if moment.kind == "not_stuck")
    assert refused.chances is not None
    assert [(one.player, one.card) for one in refused.chances] == [("p2", "QS")]


def test_figures_are_medians_with_their_counts(table: Table) -> None:
    for s, player, pile, card in (
        (101.0, "p1", "A", "7H"), (101.5, "p2", "A", "8H"), (103.5, "p2", "B", "QS"), (104.0, "p1", "A", "9H"),
        (106.0, "p1", "A", "10H"),
    ):  # fmt: skip
        table.play(s, player, pile, card)
    table.say(DealOver(at_ns=106 * S, reason="cleared", by="p1"))
    figures = statistics_of(table.timeline())
    ann, bob = figures.game.players["p1"], figures.game.players["p2"]
    assert (ann.plays, bob.plays) == (3, 2)
    assert ann.per_minute == pytest.approx(30.0)
    assert (ann.reaction.count, ann.reaction.median_ns) == (2, 1.75 * S)
    assert (bob.reaction.count, bob.reaction.shortest_ns) == (2, 0.5 * S)
    assert (ann.between.count, ann.between.median_ns) == (2, 2.5 * S)
    assert ann.longest_drought_ns == 3 * S
    assert len(figures.deals) == 1


def test_a_deal_that_is_still_played_gives_no_figures(table: Table) -> None:
    table.play(101, "p1", "A", "7H")
    figures = statistics_of(table.timeline(still_playing=True))
    assert figures.deals == ()
    assert figures.game.players["p1"].plays == 0


def test_a_deal_that_was_broken_off_has_figures_but_was_not_played_to_its_end(table: Table) -> None:
    table.play(101, "p1", "A", "7H")
    timeline = table.timeline()
    assert statistics_of(timeline).game.players["p1"].plays == 1
    assert timeline.result == "The game was not finished: 0 deals played to the end."


def test_after_a_reboot_time_goes_on_although_the_clock_began_anew(tmp_path: Path) -> None:
    table = Table(tmp_path, msgspec.structs.replace(HEADER, boot_id="yesterday"))
    table.spit(5000, "p1", "A", "6C")
    table.log.close()
    table.log = GameLog.resume(table.log.directory)
    table.play(7, "p2", "A", "7C")
    timeline = table.timeline()
    assert [moment.kind for moment in timeline.moments] == ["spit", "continued", "play"]
    assert [moment.at_ns for moment in timeline.moments] == [0, 1, 2]


def test_a_whole_game_has_every_deal_and_no_trouble(tmp_path: Path) -> None:
    timeline = timeline_of(LoggedGame(write_plausible_game(tmp_path)))
    assert [deal.is_over for deal in timeline.deals] == [True, True, True]
    assert timeline.result == "Ann has won the game."
    assert timeline.troubles == ()
    assert [moment.at_ns for moment in timeline.moments] == sorted(moment.at_ns for moment in timeline.moments)


def test_a_log_beyond_all_measure_is_shown_as_far_as_it_makes_sense(tmp_path: Path) -> None:
    game = LoggedGame(write_plausible_game(tmp_path))
    timeline = timeline_of(game, most_moments=20)
    assert len(timeline.moments) == 20
    assert timeline.is_cut_short
    assert not timeline_of(game).is_cut_short


# --- words


@pytest.mark.parametrize(
    ("ns", "text"), [(0, "0:00.00"), (83_456_000_000, "1:23.45"), (3_723_010_000_000, "1:02:03.01"), (-5, "0:00.00")]
)
def test_the_clock_counts_from_the_games_start(ns: int, text: str) -> None:
    assert clock(ns) == text


def test_a_margin_is_told_with_what_is_not_known_of_it() -> None:
    assert margin_words(12_400, 90) == "12.4 ms (±0.09)"
    assert margin_words(31, None) == "0.03 ms"
    assert margin_words(None, None) == ""


def test_names_are_told_apart_and_cannot_turn_the_text_around() -> None:
    assert player_names({}) == {"p1": "Player 1", "p2": "Player 2"}
    assert player_names({"p1": "Kim", "p2": "Kim"}) == {"p1": "Kim (1)", "p2": "Kim (2)"}
    assert player_names({"p1": "a\u202eb\x00\n", "p2": "x" * 99})["p1"] == "ab"
    assert len(player_names({"p1": "a", "p2": "x" * 99})["p2"]) == 30
    assert plain("two\nlines\t") == "two lines "


# --- the page

SCRIPT = '</script><script>alert(1)</script><img src=x onerror="alert(1)">'


def page_data(page: str) -> dict[str, object]:
    match = re.search(r'<script type="application/json" id="game">(.*?)</script>', page, re.DOTALL)
    assert match
    found: dict[str, object] = json.loads(match.group(1))
    return found


def test_the_page_loads_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    page = page_of(LoggedGame(write_plausible_game(tmp_path)))
    assert re.findall(r"(?:src|href|action)\s*=\s*[\"']?(?:https?:)?//", page) == []
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert policy.group(1).startswith("default-src &#39;none&#39;; img-src data:;")
    assert "unsafe" not in policy.group(1)
    assert page.count("<script") == 2


def test_nothing_that_a_log_says_becomes_part_of_the_pages_code(tmp_path: Path) -> None:
    header = msgspec.structs.replace(
        HEADER, players={"p1": SCRIPT, "p2": "Bob"}, rules={SCRIPT: SCRIPT}, rules_name=SCRIPT, source=SCRIPT,
        started=SCRIPT, software=SCRIPT, devices=(msgspec.structs.replace(HEADER.devices[0], name=SCRIPT),),
    )  # fmt: skip
    table = Table(tmp_path, header)
    table.play(1, "p1", "A", SCRIPT, "illegal", SCRIPT)
    table.say(Paused(at_ns=2 * S, reason=SCRIPT))
    table.log.close()
    page = page_of(LoggedGame(table.log.directory))
    assert page.count("<script") == 2
    assert "<img" not in page
    moments = page_data(page)["timeline"]["moments"]
    assert moments[0]["card"] == "??"


def test_a_ruling_shows_the_first_sentence_of_its_rule_which_says_what_is_allowed(tmp_path: Path) -> None:
    rules = page_data(page_of(LoggedGame(write_plausible_game(tmp_path, deals=1))))["rules"]
    assert isinstance(rules, dict)
    assert rules["R22"].startswith("It must be one rank higher or lower")


def test_pictures_are_inside_within_the_budget_disputes_first(tmp_path: Path) -> None:
    jpeg = b"\xff\xd8\xff" + b"x" * 1000
    game = LoggedGame(write_plausible_game(tmp_path, deals=1, picture=lambda pile, card: jpeg))
    everything = page_data(page_of(game))["pictures"]
    few = page_data(page_of(game, picture_budget_bytes=5000))["pictures"]
    assert isinstance(everything, dict)
    assert isinstance(few, dict)
    assert len(everything) > 20
    assert len(few) == 3
    illegal = next(moment for moment in timeline_of(game).moments if moment.ruling == "illegal")
    assert illegal.frame in few
    assert page_data(page_of(game, picture_budget_bytes=0))["pictures"] == {}


def test_a_picture_that_is_none_or_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    directory = write_plausible_game(tmp_path, deals=1, picture=lambda pile, card: b"\xff\xd8\xffx")
    first, second, *_ = sorted((directory / "frames").glob("*.jpg"))
    first.unlink()
    second.write_bytes(b"<svg onload=alert(1)>")
    pictures = page_data(page_of(LoggedGame(directory)))["pictures"]
    assert isinstance(pictures, dict)
    assert pictures[first.name] is None
    assert pictures[second.name] is None


@pytest.mark.parametrize("cut", [200, 2000, 5000, 9000])
def test_a_cut_log_still_makes_a_page_that_says_so(tmp_path: Path, cut: int) -> None:
    directory = write_plausible_game(tmp_path, deals=1)
    log = directory / "game.jsonl"
    log.write_bytes(log.read_bytes()[:cut] if cut > 600 else log.read_bytes()[:700])
    page = page_of(LoggedGame(directory))
    assert "the log was not closed" in page
    assert "could not be used" in page


def test_the_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    game = LoggedGame(write_plausible_game(tmp_path, deals=1))
    target = tmp_path / "page.html"
    size = write_page(game, target)
    assert target.stat().st_size == size
    assert [path.name for path in tmp_path.glob(".*")] == []


# --- whatever a log holds

ODD_VALUES: list[object] = [
    None, -1, 0, 1e308, 2**70, 2**61, "", "x" * 5000, "\u202e", SCRIPT, [], {}, True, "p1", "??", {"AS": 1e300},
]  # fmt: skip


def distorted(value: object, chance: Random) -> object:
    """The value with one thing in it changed into something odd."""
    if isinstance(value, dict) and value:
        name = chance.choice(list(value))
        kept = {key: one for key, one in value.items() if key != name}
        return kept if chance.random() < 0.2 else {**value, name: distorted(value[name], chance)}
    if isinstance(value, int) and chance.random() < 0.5:
        return value * 10**6 - chance.randrange(10**12)
    return chance.choice(ODD_VALUES)


@pytest.mark.parametrize("seed", range(8))
def test_no_log_however_distorted_breaks_the_replay(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    log = write_plausible_game(tmp_path, deals=1) / "game.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    damaged = [distorted(line, chance) if chance.random() < 0.1 else line for line in lines if chance.random() > 0.02]
    if seed % 2:
        chance.shuffle(damaged)
    log.write_text("\n".join(map(json.dumps, damaged)))
    page = page_of(LoggedGame(log.parent))
    assert page.count("<script") == 2
    assert page_data(page)["statistics"]


def test_the_rules_beside_a_moment_speak_of_the_players_by_their_names(tmp_path: Path) -> None:
    write_page(LoggedGame(write_plausible_game(tmp_path, deals=1)), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Ann starts pile A, Bob pile B" in page and "p1 starts pile A" not in page
