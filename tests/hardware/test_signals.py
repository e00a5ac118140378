"""Signals: told apart without colour, mixed by priority, dark and silent at the end."""

import signal
import subprocess
import sys
from datetime import time
from itertools import combinations
from threading import enumerate as enumerate_threads
from time import sleep
from typing import Any, Literal, get_args

import msgspec
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.pads import FOUR_PADS
from hardware.signals import DARK, GpiozeroOutputs, Mixer, MockOutputs, Output, SignalPlayer
from hardware.signals.outputs import LastingOutputs
from hardware.signals.player import is_between
from referee.cards import parse_card
from referee.errors import DeviceError, SettingsError
from referee.settings import SignalsSection, parse_settings, settings_from
from referee.signals import SIGNALS, Cue, Signal, SignalName, cue, cues_for, ended_by, in_words
from referee.verdicts import (
    AnyVerdict,
    Award,
    DealOver,
    DealPlan,
    GameOver,
    NextDeal,
    PlayJudged,
    Resumed,
    RowJudged,
    SlapJudged,
    TakenBack,
)

MS = 1_000_000


# The vocabulary ------------------------------------------------------------------------------------------------------


def test_every_signal_is_in_the_table() -> None:
    assert set(SIGNALS) == set(get_args(SignalName))


def runs(signal: Signal, of: str) -> tuple[tuple[bool, int], ...]:
    """The rhythm of the light or of the buzzer: (on, ms) with equal neighbours joined, for a buzzer with one tone."""
    joined: list[tuple[bool, int]] = []
    for beat in signal.beats:
        on = beat.lit if of == "light" else beat.hz > 0
        if joined and joined[-1][0] == on:
            joined[-1] = (on, joined[-1][1] + beat.ms)
        else:
            joined.append((on, beat.ms))
    return tuple(joined)


@pytest.mark.parametrize("one, other", list(combinations(SIGNALS, 2)))
def test_any_two_signals_differ_by_place_or_rhythm_without_colour_or_pitch(one: SignalName, other: SignalName) -> None:
    a, b = SIGNALS[one], SIGNALS[other]
    assert (a.place, runs(a, "light"), runs(a, "sound")) != (b.place, runs(b, "light"), runs(b, "sound"))


def test_every_signal_can_be_seen_and_all_but_the_touch_can_be_heard() -> None:
    assert all(any(beat.lit for beat in signal.beats) for signal in SIGNALS.values())
    assert [name for name, s in SIGNALS.items() if not any(beat.hz for beat in s.beats)] == ["touched"]


def example(kind: type[msgspec.Struct]) -> Any:
    values: dict[str, Any] = {
        "at_ns": 0,
        "player": "p1",
        "pile": "A",
        "card": parse_card("7H"),
        "p": 0.99,
        "ruling": "illegal",
        "what": "turn_up",
        "place": 1,
        "p1": "A",
        "p2": "B",
        "margin_us": 20.0,
        "uncertainty_us": 100.0,
        "was_due": False,
        "played_on": False,
        "onto": {"p1": "A", "p2": "B"},
        "who": ("p2",),
        "reason": "cleared",
        "piles": 2,
        "first": {"p1": "A", "p2": "B"},
        "winner": "p1",
        "phase": "play",
        "about": "pile A",
        "landings": 1,
        "was": "7H",
        "now": "7D",
    }
    if kind is SlapJudged:
        values["ruling"] = "false_slap"
    if kind is NextDeal:
        values |= dict.fromkeys(("p1", "p2"), DealPlan(cards=26, row=(1, 2, 3, 4, 5), spit=11))
    required = {f.name for f in msgspec.structs.fields(kind) if f.required}
    return kind(**{name: value for name, value in values.items() if name in required})


QUIET = {"PhaseChanged"}


@pytest.mark.parametrize("kind", get_args(AnyVerdict), ids=lambda kind: kind.__name__)
def test_every_verdict_says_something_or_is_meant_to_be_quiet(kind: type[msgspec.Struct]) -> None:
    cues = cues_for(example(kind))
    assert bool(cues) == (kind.__name__ not in QUIET)
    assert all(c.signal in SIGNALS and c.words for c in cues)


@pytest.mark.parametrize(
    "ruling, signal",
    [("legal", "accepted"), ("illegal", "illegal"), ("beaten", "beaten"), ("cannot_tell", "cannot_tell")],
)
def test_R20_a_ruling_is_told_at_the_light_of_its_player(ruling: Any, signal: str) -> None:
    judged = PlayJudged(at_ns=0, player="p2", pile="A", card=parse_card("7H"), p=1.0, ruling=ruling)
    (said,) = cues_for(judged)
    assert (said.signal, said.lights()) == (signal, ("p2",))


def test_an_unknown_player_lights_both() -> None:
    judged = PlayJudged(at_ns=0, player="unknown", pile="A", card=parse_card("7H"), p=1.0, ruling="illegal")
    assert cues_for(judged)[0].lights() == ("p1", "p2")


def test_a_provisional_ruling_and_a_good_move_in_the_own_row_are_quiet() -> None:
    card = parse_card("7H")
    assert not cues_for(
        PlayJudged(at_ns=0, player="p1", pile="A", card=card, p=1.0, ruling="illegal", provisional=True)
    )
    assert not cues_for(RowJudged(at_ns=0, player="p1", what="move", place=1, card=card, ruling="legal"))
    assert not cues_for(TakenBack(at_ns=0, player="p1", pile="A", card=card, was_due=True))


@pytest.mark.parametrize("reason", ["cleared", "stuck_out"])
def test_R50_R65_a_deal_calls_for_the_slap_unless_it_had_one_pile(reason: Literal["cleared", "stuck_out"]) -> None:
    assert [cue.signal for cue in cues_for(DealOver(at_ns=0, reason=reason))] == ["slap_now"]
    assert not cues_for(DealOver(at_ns=0, reason=reason, piles=1))


def test_the_winner_of_slap_and_game_is_told_by_the_place() -> None:
    assert cues_for(Award(at_ns=0, p1="B", p2="A", first="p1"))[0].lights() == ("p1",)
    assert cues_for(GameOver(at_ns=0, winner="draw"))[0].lights() == ("p1", "p2")


def test_play_going_on_ends_what_repeats() -> None:
    repeating = {name for name, signal in SIGNALS.items() if signal.every_ms}
    assert set(ended_by(Resumed(at_ns=0))) == repeating


def test_a_line_for_the_terminal_names_lights_signal_and_words() -> None:
    assert in_words([cue("illegal", "p1", "Take it back")]) == "[p1] illegal: Take it back"


# The mixer -----------------------------------------------------------------------------------------------------------


def test_both_lights_answer_at_the_same_time() -> None:
    mixer = Mixer()
    mixer.say(cue("accepted", "p1"), 0)
    mixer.say(cue("touched", "p2"), 5 * MS)
    assert mixer.output(10 * MS)[0] == Output(p1=True, p2=True, hz=1760)


def test_a_higher_priority_covers_a_lower_one_only_while_it_lasts() -> None:
    mixer = Mixer()
    mixer.say(cue("paused"), 0)
    mixer.say(cue("illegal", "p1"), 1 * MS)
    assert mixer.output(2 * MS)[0] == Output(p1=True, p2=True, hz=165)
    assert mixer.output(2050 * MS)[0] == Output(p1=True, p2=True, hz=0), "paused again, and silent from now on"


@pytest.mark.parametrize("name", [name for name in SIGNALS if name != "touched"])
def test_a_pad_is_answered_at_once_whatever_its_light_says_at_that_moment(name: SignalName) -> None:
    for touch_ms in range(SIGNALS[name].length_ms):
        mixer = Mixer()
        mixer.say(cue(name, "p1"), 0)
        sounds = mixer.output(touch_ms * MS)[0].hz
        mixer.say(cue("touched", "p1"), touch_ms * MS)
        now, change_ns = mixer.output(touch_ms * MS)
        assert now.p1, f"dark {touch_ms} ms after the beginning"
        assert now.hz == sounds, "the buzzer goes on with what it says"
        assert change_ns is not None and change_ns <= (touch_ms + 40) * MS


def test_the_count_in_waits_for_the_end_of_stuck_and_its_start_is_told() -> None:
    mixer = Mixer()
    mixer.say(cue("stuck"), 0)
    begins = mixer.say(cue("count_in"), 1 * MS)
    assert begins == SIGNALS["stuck"].length_ms * MS
    assert mixer.output(begins + 1 * MS)[0] == Output(True, True, 523)


def test_the_count_in_ends_with_a_long_high_tone_after_three_even_beats() -> None:
    mixer, sounds = Mixer(), []
    mixer.say(cue("count_in"), 0)
    now: int | None = 0
    while now is not None:
        shown, then = mixer.output(now)
        if shown.hz:
            sounds.append((now // MS, shown.hz))
        now = then
    assert sounds == [(0, 523), (500, 523), (1000, 523), (1500, 1047)]


def test_announcements_do_not_pile_up() -> None:
    """Somebody calls again and again: what waits its turn already is not put behind itself."""
    mixer = Mixer()
    begins = [mixer.say(cue(name), n * MS) for n in range(100) for name in ("stuck", "count_in")]
    assert max(begins) < 5_000 * MS
    assert mixer.output(10_000 * MS) == (DARK, None)


def test_a_repeating_signal_goes_on_until_it_is_ended() -> None:
    mixer = Mixer()
    mixer.say(cue("fault"), 0)
    mixer.say(cue("fault"), 100 * MS)
    assert mixer.output(3_000 * MS)[0].p1
    mixer.end("fault")
    assert mixer.output(3_000 * MS) == (DARK, None)


def test_a_silent_signal_is_shown_and_leaves_the_buzzer_to_others() -> None:
    mixer = Mixer(frozenset({"accepted"}))
    mixer.say(cue("accepted", "p1"), 0)
    assert mixer.output(1 * MS)[0] == Output(p1=True)


# The player ----------------------------------------------------------------------------------------------------------


def wait_for(condition: Any, seconds: float = 2.0) -> None:
    for _ in range(int(seconds * 200)):
        if condition():
            return
        sleep(0.005)
    raise AssertionError("it never happened")


def test_a_signal_is_shown_and_the_end_is_dark_and_silent() -> None:
    outputs = MockOutputs()
    with SignalPlayer(outputs) as player:
        player.touched(FOUR_PADS[0])
        wait_for(lambda: len(outputs.shown) == 2)
        player.say(cue("paused"))
        wait_for(lambda: outputs.now.hz > 0)
    assert outputs.closed and outputs.now == DARK
    assert [shown for _, shown in list(outputs.shown)[:2]] == [Output(p1=True), DARK]


def test_an_own_light_answers_at_once_and_not_at_the_players_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.signals.player.LONGEST_SLEEP_NS", 3_600_000 * MS)
    now_ns = [5 * MS]
    outputs = MockOutputs(lambda: now_ns[0])
    with SignalPlayer(outputs, clock=lambda: now_ns[0]) as player:
        for number in range(5):
            now_ns[0] += 1_000 * MS
            player.touched(FOUR_PADS[2])
            wait_for(lambda number=number: len(outputs.shown) == 2 * number + 1)
            assert outputs.shown[-1] == (now_ns[0], Output(p2=True)), "its clock has not moved meanwhile"
            now_ns[0] += 41 * MS
            player.end("paused")  # only wakes it
            wait_for(lambda number=number: len(outputs.shown) == 2 * number + 2)


def test_any_number_of_signals_needs_one_thread() -> None:
    with SignalPlayer(MockOutputs()) as player:
        for _ in range(500):
            player.say(cue("accepted", "p1"))
        assert [thread.name for thread in enumerate_threads()].count("signals") == 1
    assert "signals" not in [thread.name for thread in enumerate_threads()]


@pytest.mark.parametrize(
    "settings, wall, sounds",
    [
        (SignalsSection(), time(23), True),
        (SignalsSection(mute=True), time(12), False),
        (SignalsSection(volume_percent=0), time(12), False),
        (SignalsSection(quiet_from="22:00", quiet_until="07:00"), time(23, 30), False),
        (SignalsSection(quiet_from="22:00", quiet_until="07:00"), time(7), True),
    ],
)
def test_mute_and_quiet_hours_keep_the_lights(settings: SignalsSection, wall: time, sounds: bool) -> None:
    outputs = MockOutputs()
    with SignalPlayer(outputs, settings, wall=lambda: wall) as player:
        player.say(cue("stuck"))
        wait_for(lambda: outputs.now.p1)
        assert (outputs.now.hz > 0) == sounds


def test_quiet_hours_may_pass_midnight() -> None:
    assert is_between(time(1), time(22), time(7)) and not is_between(time(8), time(22), time(7))
    assert is_between(time(13), time(12), time(14)) and not is_between(time(14), time(12), time(14))


def test_outputs_that_fail_are_said_and_do_not_stop_the_player() -> None:
    class Breaking(MockOutputs):
        broken = True

        def show(self, output: Output) -> None:
            if self.broken:
                raise DeviceError("lights are gone; check them")
            super().show(output)

    outputs = Breaking()
    with SignalPlayer(outputs) as player:
        player.touched(FOUR_PADS[0])
        wait_for(lambda: player.fault)
        outputs.broken = False
        player.touched(FOUR_PADS[2])
        wait_for(lambda: outputs.shown)
        assert player.fault == ""


def test_outputs_that_were_lost_are_made_anew_as_soon_as_their_pins_are_back() -> None:
    gone = False
    made: list[MockOutputs] = []

    class Leaving(MockOutputs):
        def show(self, output: Output) -> None:
            if gone:
                raise DeviceError("the chip is gone; it may come back")
            super().show(output)

        def close(self) -> None:
            self.closed = True

    def make() -> MockOutputs:
        if gone:
            raise DeviceError("there is no chip; it may come back")
        made.append(Leaving())
        return made[-1]

    with SignalPlayer(LastingOutputs(make)) as player:
        gone = True
        player.touched(FOUR_PADS[0])
        wait_for(lambda: player.fault == "there is no chip; it may come back")
        player.say(cue("paused"))
        gone = False
        wait_for(lambda: not player.fault and len(made) == 2)
        assert made[0].closed and not made[1].closed
    assert made[1].closed


LIGHTS_OF_A_COMMAND = """
import sys
import hardware.signals
from hardware.signals import MockOutputs
from referee.cli import main

class Lights(MockOutputs):
    def show(self, output):
        super().show(output)
        print("on" if output.p1 else "off", flush=True)

hardware.signals.outputs_of = lambda settings: Lights()
sys.argv = ["spit-referee", "signals", "paused"]
main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_light_on(number: int) -> None:
    """On a Pi a pin keeps its level when its process is gone: also when the terminal was closed."""
    with subprocess.Popen(
        [sys.executable, "-c", LIGHTS_OF_A_COMMAND],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # the tests may run under nohup
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "on\n":
            pass
        process.send_signal(number)
        assert process.stdout.read().split()[-1] == "off"
    assert process.returncode > 0


# Pins ----------------------------------------------------------------------------------------------------------------


def on_mock_pins(**settings: Any) -> tuple[GpiozeroOutputs, MockFactory]:
    factory = MockFactory(pin_class=MockPWMPin)
    return GpiozeroOutputs(SignalsSection(**settings), lambda: factory), factory


@pytest.mark.parametrize("kind", ["passive", "active", "none"])
def test_lights_and_buzzer_reach_their_pins_and_end_low(kind: str) -> None:
    outputs, factory = on_mock_pins(buzzer=kind, volume_percent=50)
    pins = {name: factory.pin(f"GPIO{n}") for name, n in (("p1", 24), ("p2", 25), ("buzzer", 18))}
    outputs.show(Output(p1=True, hz=880))
    assert (pins["p1"].state, pins["p2"].state) == (1, 0)
    assert pins["buzzer"].state == {"passive": 0.25, "active": 1, "none": 0}[kind]
    outputs.show(Output(p2=True))
    assert (pins["p1"].state, pins["p2"].state, pins["buzzer"].state) == (0, 1, 0)
    states = [pins[name].states for name in pins]
    outputs.close()
    outputs.close()
    assert all(not seen[-1].state for seen in states)


def test_pins_that_are_gone_are_given_up_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs, factory = on_mock_pins()

    def gone(*_: object) -> None:
        raise OSError("No such device")

    with monkeypatch.context() as while_gone:
        for name in ("GPIO24", "GPIO25", "GPIO18"):
            while_gone.setattr(factory.pin(name), "close", gone)
        while_gone.setattr(factory, "close", gone)
        outputs.close()
        outputs.close()


def test_a_coloured_light_shows_the_signals_colour_and_a_plain_one_beside_it_just_burns() -> None:
    outputs, factory = on_mock_pins(led_p1_rgb_pins=(9, 10, 11))
    shown, _ = mixed(cue("illegal"), coloured=True)
    outputs.show(shown)
    assert [factory.pin(f"GPIO{n}").state for n in (9, 10, 11, 25)] == [1, 0, 0, 1]
    outputs.show(DARK)
    assert [factory.pin(f"GPIO{n}").state for n in (9, 10, 11, 25)] == [0, 0, 0, 0]
    outputs.close()


def mixed(given: Cue, *, coloured: bool) -> tuple[Output, int | None]:
    mixer = Mixer(coloured=coloured)
    mixer.say(given, 0)
    return mixer.output(1)


def test_lights_without_colours_are_told_of_none() -> None:
    assert mixed(cue("illegal"), coloured=False)[0].p1_colour == "white"
    assert mixed(cue("illegal"), coloured=True)[0].p1_colour == "red"


def test_half_a_coloured_light_is_refused() -> None:
    with pytest.raises(SettingsError, match="give three, for red, green and blue"):
        settings_from([parse_settings("[signals]\nled_p1_rgb_pins = [9, 10]", "s.toml")])
    with pytest.raises(SettingsError, match="pin 17 is also"):
        settings_from([parse_settings("[signals]\nled_p1_rgb_pins = [9, 10, 17]", "s.toml")])


def test_cues_survive_json() -> None:
    given = cue("beaten", "p2")
    assert msgspec.json.decode(msgspec.json.encode(given), type=Cue) == given
