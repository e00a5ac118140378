"""The demo: what it compares, what it shows, and the whole chain once on a short deal."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from hardware.signals.mixer import Output
from hardware.simulated.look import Look
from referee.cards import Card
from referee.cli.demo import DEFAULT_SEED
from referee.cli.screen import LiveScreen, PlainScreen, line_of
from referee.demo import Progress, compare, ruling_of, run_demo, simulated_script
from referee.log import LoggedGame
from referee.replay.page import write_page
from referee.script import Lay, Script, Slap
from referee.table import Pile, Player
from referee.verdicts import AnyVerdict, Award, PhaseChanged, PlayJudged, Ruling, SpitCall, Stuck

SECOND = 1_000_000_000


def lay(card: str, at_s: float, intent: str = "legal", pile: Pile = "A") -> Lay:
    touch = round(at_s * SECOND)
    return Lay(at_ns=touch, start_ns=touch - SECOND // 3, player="p1", place=1, pile=pile, card=Card(card), hand="R",
               intent=intent)  # fmt: skip


def ruled(card: str, at_s: float, ruling: Ruling, player: Player = "p1", sentence: str = "") -> PlayJudged:
    at_ns = round(at_s * SECOND)
    return PlayJudged(at_ns=at_ns, player=player, pile="A", card=Card(card), p=0.99, ruling=ruling, sentence=sentence)


def script(*actions: Lay) -> Script:
    return Script(seed=1, rules="pagat", actions=actions, end_ns=10 * SECOND)


def test_every_card_of_the_script_is_compared_with_the_verdict_about_it() -> None:
    play = script(lay("5H", 1.0), lay("6H", 1.1, "beaten"), lay("KS", 3.0, "not_adjacent"))
    told: list[AnyVerdict] = [ruled("6H", 1.12, "beaten"), ruled("5H", 0.99, "legal"), ruled("KS", 3.02, "legal")]
    assert [compared.agrees for compared in compare(play, told)] == [True, True, False]


def test_a_card_that_nobody_ruled_on_does_not_agree() -> None:
    (compared,) = compare(script(lay("5H", 1.0)), [ruled("5H", 2.0, "legal")])
    assert compared.verdict is None
    assert not compared.agrees


def test_the_last_word_about_a_card_counts() -> None:
    told: list[AnyVerdict] = [ruled("5H", 1.0, "cannot_tell"), ruled("5H", 1.0, "legal")]
    (compared,) = compare(script(lay("5H", 1.0)), told)
    assert compared.agrees


def test_reasons_are_illegal_and_a_beaten_card_is_not() -> None:
    assert [ruling_of(lay("5H", 1, intent)) for intent in ("legal", "beaten", "not_adjacent", "on_illegal_card")] == [
        "legal", "beaten", "illegal", "illegal",
    ]  # fmt: skip


def test_the_live_screen_shows_phase_tops_verdicts_lights_and_says_that_it_is_simulated() -> None:
    console = Console(file=io.StringIO(), width=110, force_terminal=True)
    with LiveScreen(console) as screen:
        screen.tell(PhaseChanged(at_ns=0, phase="play"))
        screen.tell(ruled("10D", 1.0, "legal"))
        screen.tell(ruled("7C", 2.0, "illegal", sentence="Take the 7 of clubs back."))
        lights = Output(p1=True, p2=False, hz=165)
        screen.show(Progress(end_ns=9 * SECOND, at_ns=2 * SECOND, fps=29.6, busy_ms=6.1, lights=lights))
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    for words in ("SIMULATED TABLE", "play", "10♦", "Take the 7 of clubs back.", "♪ 165 Hz", "30 frames", "1 illegal"):
        assert words in shown, words


def test_a_pipe_gets_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with PlainScreen() as screen:
        screen.tell(ruled("7C", 2.0, "illegal", sentence="Take the 7 of clubs back."))
        screen.tell(PhaseChanged(at_ns=0, phase="play"))
        screen.show(Progress(end_ns=9 * SECOND))
    out = capsys.readouterr().out
    assert out == "   2.00 s  Take the 7 of clubs back.\n"


def test_announcements_have_lines() -> None:
    assert line_of(Stuck(at_ns=0)) is not None
    legal = PlayJudged(at_ns=0, player="p1", pile="A", card=Card("7C"), p=0.99, ruling="legal")
    assert line_of(legal) == ("Player 1 plays 7C on A.", "green")
    spit = SpitCall(at_ns=0, onto={"p1": "A", "p2": "B"})
    assert line_of(spit) == ("Spit: Player 1 on A and Player 2 on B.", "bold cyan")
    line = line_of(Award(at_ns=0, p1="A", p2="B", first="p2", margin_us=1500.0))
    assert line is not None
    assert line[0] == "Player 2 was first by 1.5 ms: Player 1 takes pile A, Player 2 takes pile B."


@pytest.mark.slow
def test_the_demo_referees_a_whole_deal_and_agrees_with_the_script(tmp_path: Path) -> None:
    play = simulated_script(DEFAULT_SEED, 1)
    summary = run_demo(play, Look(), tmp_path, PlainScreen(), real_time=False)
    right = sum(compared.agrees for compared in summary.compared)
    blamed = [c for c in summary.compared if c.verdict and c.verdict.ruling == "illegal" and not c.agrees]
    assert not blamed, "nobody is accused of what he did not do"
    assert right >= 0.9 * len(summary.compared)
    kinds = {type(verdict) for verdict in summary.verdicts}
    assert {Stuck, SpitCall, Award} <= kinds
    assert any(isinstance(action, Slap) for action in play.actions)
    assert summary.slaps_right == summary.slaps == 1
    logged = LoggedGame(summary.game)
    assert logged.header.source == "simulated"
    page = tmp_path / "page.html"
    assert write_page(logged, page) > 50_000
    assert any((summary.game / "frames").glob("*.jpg"))
