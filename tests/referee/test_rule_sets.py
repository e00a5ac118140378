"""Rule sets are data: presets, house rules, what is refused, deals, and the sentences two players agree on."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from referee.cards import PACK, Card
from referee.cli.app import app
from referee.cli.rules import load_rules
from referee.errors import NotationError, SettingsError
from referee.game.wording import LAWS
from referee.rules.deals import full_row, next_deal, row_sizes
from referee.rules.legality import cards_on, follows, why_not
from referee.rules.rows import parse_row, parse_stock
from referee.rules.rule_set import OPTIONS, PRESETS, RuleSet, rule_set_from
from referee.rules.rulebook import RULEBOOK
from referee.rules.sentences import describe


def test_the_presets_are_those_of_the_texts() -> None:
    assert PRESETS["pagat"] == RuleSet()
    assert PRESETS["wikipedia"] == RuleSet(row_stack_same_rank=True, spit_when="stuck_or_agreed", spit_pile="each_once")
    assert PRESETS["bicycle"] == RuleSet(setup="row_of_four", decks="own", spit_pile="each_once")
    assert PRESETS["speed"] == RuleSet(setup="hand_of_five", spit_when="called")


def test_house_rules_extend_a_preset(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "wikipedia"\npiles = 4\nrace_window_ms = 300\n')
    assert load_rules(str(house)) == rule_set_from({"extends": "wikipedia", "piles": 4, "race_window_ms": 300})
    assert load_rules(str(house)).row_stack_same_rank


@pytest.mark.parametrize("content", [b"piles = ", b"\xff\xfe", b"x = " + b"[" * 5000, b"extends = 'pagat"])
def test_a_file_that_holds_no_house_rules_is_refused(tmp_path: Path, content: bytes) -> None:
    house = tmp_path / "house.toml"
    house.write_bytes(content)
    with pytest.raises(SettingsError, match="write lines like"):
        load_rules(str(house))


def test_house_rules_under_a_heading_are_told_to_stand_without_it(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('[rules]\nextends = "pagat"\n')
    with pytest.raises(SettingsError, match=r"have a section \[rules\]: write the options without a heading"):
        load_rules(str(house))


def test_house_rules_may_come_from_an_editor_that_marks_its_files(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_bytes(b"\xef\xbb\xbfpiles = 4\r\n")
    assert load_rules(str(house)).piles == 4


@pytest.mark.parametrize(
    ("house", "sentence"),
    [
        ({"pils": 4}, "rules.pils is not an option: did you mean 'piles'?"),
        ({"extends": "paget"}, "there is no rule set 'paget': did you mean 'pagat'?"),
        ({"piles": 3}, "rules.piles is 3: write 5 or 4"),
        ({"colours": "red"}, 'rules.colours is "red": write "any" or "alternate"'),
        ({"row_stack_same_rank": 1}, "rules.row_stack_same_rank is 1: write true or false"),
        ({"race_window_ms": "short"}, 'rules.race_window_ms is "short": write a whole number'),
        ({"hand_change_ms": -1}, "rules.hand_change_ms is -1: use a number from 0 to 60000"),
        ({"race_window_ms": 500_000}, "rules.race_window_ms is 500000: use a number from 0 to 60000"),
        ({"extend": "bicycle"}, "rules.extend is not an option: did you mean 'extends'?"),
        (
            {"setup": "canfield", "piles": 4},
            'rules.setup = "canfield" and rules.piles = 4 contradict each other: '
            "the Canfield-like row is four single cards and a stack; use piles = 5",
        ),
        (
            {"extends": "speed", "spit_when": "stuck"},
            'rules.setup = "hand_of_five" and rules.spit_when = "stuck" contradict each other: '
            'a hidden hand cannot be judged stuck; use "called" (R88)',
        ),
        (
            {"extends": "bicycle", "row_stack_same_rank": True},
            'rules.setup = "row_of_four" and rules.row_stack_same_rank = true contradict each other: '
            "no card may lie on another in a row of four (R77)",
        ),
        (
            {"extends": "bicycle", "pile_choice": "clearer_chooses"},
            'rules.setup = "row_of_four" and rules.pile_choice = "clearer_chooses" contradict each other: '
            "this game is a single deal, without a slap and without a short lay-out",
        ),
        (
            {"extends": "speed", "solo_spit": "chosen_pile"},
            'rules.setup = "hand_of_five" and rules.solo_spit = "chosen_pile" contradict each other: '
            "each player turns cards of their own outer stack (R84)",
        ),
    ],
)
def test_what_cannot_work_is_refused_in_one_sentence(house: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError) as refused:
        rule_set_from(house)
    assert str(refused.value) == sentence


def test_every_option_changes_what_the_players_agree_on() -> None:
    other = {
        "setup": "canfield",
        "piles": 4,
        "decks": "own",
        "jokers": "wild",
        "colours": "alternate",
        "row_stack_same_rank": True,
        "hands": "both",
        "spit_pile": "each_once",
        "solo_spit": "chosen_pile",
        "spit_when": "stuck_or_agreed",
        "pile_choice": "clearer_chooses",
        "one_pile": "below_layout",
        "one_pile_stuck": "starter_takes",
        "short_deal": "row_by_row",
        "slap_resolution_us": 250,
        "slap_play_window_ms": 100,
        "race_window_ms": 300,
        "hand_change_ms": 2000,
    }
    assert set(other) == set(OPTIONS)
    plain = {clause.sentence for clause in describe(RuleSet())}
    for name, value in other.items():
        changed = {clause.sentence for clause in describe(rule_set_from({name: value}))}
        assert changed != plain, name


@pytest.mark.parametrize(
    ("house", "sentence"),
    [
        ({"extends": "speed"}, "each player gets 20 cards, with 10 it is 15, with 15 it is 10."),
        ({"extends": "speed", "jokers": "wild"}, "each player gets 21 cards, with 10 it is 16, with 15 it is 11."),
        ({"extends": "speed", "jokers": "wild", "decks": "own"}, "each player gets 48 cards, with 10 it is 43"),
        ({"extends": "bicycle"}, "When nobody can play or fill a gap, spit"),
        ({}, "If nobody can tell which card was first, both go back."),
        ({"extends": "wikipedia"}, "Two spit cards within 1 second of each other mean that both agree to spit."),
    ],
)
def test_the_sentences_hold_the_numbers_of_their_own_game(house: dict[str, Any], sentence: str) -> None:
    assert any(sentence in clause.sentence for clause in describe(rule_set_from(house)))


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_rule_set_is_printed_in_whole_sentences_with_rule_numbers(name: str) -> None:
    printed = CliRunner().invoke(app, ["rules", name])
    assert printed.exit_code == 0
    for clause in describe(PRESETS[name]):
        assert clause.sentence.endswith(".")
        assert clause.rules.startswith("R")
        assert clause.sentence in printed.stdout


def test_every_rule_number_that_is_ever_given_is_in_the_rulebook() -> None:
    assert list(RULEBOOK) == [f"R{n}" for n in range(1, 89)]
    cited = {
        number for preset in PRESETS.values() for clause in describe(preset) for number in clause.rules.split(", ")
    }
    assert cited | {law.rule for law in LAWS.values()} <= set(RULEBOOK)
    assert CliRunner().invoke(app, ["rules", "r22"]).stdout.startswith("R22  A card must be exactly one rank")


def test_the_list_names_every_rule_set() -> None:
    printed = CliRunner().invoke(app, ["rules"]).stdout
    assert all(name in printed for name in PRESETS)


@given(st.integers(0, 60), st.sampled_from([RuleSet(), RuleSet(piles=4), RuleSet(setup="canfield")]))
def test_R61_both_ways_of_dealing_use_all_cards_a_row_can_hold(cards: int, rules: RuleSet) -> None:
    for way in ("pile_by_pile", "row_by_row"):
        sizes = row_sizes(cards, rules, way)
        assert sum(sizes) == min(cards, sum(full_row(rules)))
        assert all(size <= full for size, full in zip(sizes, full_row(rules), strict=True))


def test_R61_ten_cards_are_dealt_two_ways() -> None:
    assert row_sizes(10, RuleSet()) == (1, 2, 3, 4, 0)
    assert row_sizes(10, RuleSet(short_deal="row_by_row")) == (1, 2, 3, 2, 2)


@pytest.mark.parametrize(
    ("p1", "house", "piles", "first"),
    [
        (16, {}, 2, {"p1": ("A",), "p2": ("B",)}),
        (15, {}, 1, {"p2": ("A",)}),
        (15, {"one_pile": "below_layout"}, 2, {"p2": ("B", "A")}),
        (14, {"one_pile": "below_layout"}, 1, {"p2": ("A",)}),
        (11, {"piles": 4}, 2, {"p1": ("A",), "p2": ("B",)}),
        (10, {"piles": 4}, 1, {"p2": ("A",)}),
        (38, {}, 1, {"p1": ("A",)}),
    ],
)
def test_R63_R64_few_cards_make_one_middle_pile(p1: int, house: dict[str, Any], piles: int, first: object) -> None:
    deal = next_deal(p1, 52 - p1, rule_set_from(house))
    assert (deal.piles, deal.first) == (piles, first)


def test_R22_R25_every_card_has_eight_followers_and_they_are_each_others() -> None:
    for top in PACK:
        assert len(cards_on(top, RuleSet())) == 8
        assert all(top in cards_on(card, RuleSet()) for card in cards_on(top, RuleSet()))
    assert len(cards_on(Card("8D"), RuleSet(colours="alternate"))) == 4


def test_R71_the_reason_tells_rank_and_colour_apart() -> None:
    alternate = RuleSet(colours="alternate")
    assert why_not(Card("7H"), Card("8D"), alternate) == "colour"
    assert why_not(Card("6S"), Card("8D"), alternate) == "rank"
    assert follows(Card("7S"), Card("8D"), alternate)


@pytest.mark.parametrize("text", ["9S", "x:9S", "1:9Z", ""])
def test_a_pile_that_is_none_is_refused_with_the_notation(text: str) -> None:
    with pytest.raises(NotationError, match="write it like"):
        parse_stock(text)
    with pytest.raises(NotationError):
        parse_row([text])


def test_a_rule_number_that_is_none_is_told_how_far_they_go() -> None:
    done = CliRunner().invoke(app, ["rules", "Z99"])
    assert "the rules are numbered R1 to R88" in str(done.exception)
