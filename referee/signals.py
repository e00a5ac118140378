"""What the lights and the buzzer can say, as data; and which verdict says what.

A signal is told apart by its place (whose light), its rhythm and its tones; the colour of the lights means nothing, and
an active buzzer, which has one tone only, still tells all of them apart by rhythm.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple, assert_never

import msgspec

from referee.table import Player, Who
from referee.verdicts import (
    AnyVerdict,
    Award,
    BackInStep,
    Breach,
    CannotTell,
    Corrected,
    DeadHeat,
    DealOver,
    GameOver,
    LeftLying,
    NextDeal,
    NotStuck,
    Paused,
    PhaseChanged,
    PlayJudged,
    Resumed,
    RowJudged,
    Ruling,
    SlapJudged,
    SpitCall,
    SpitJudged,
    Stuck,
    TakenBack,
)

SignalName = Literal[
    "touched",
    "accepted",
    "beaten",
    "illegal",
    "cannot_tell",
    "not_stuck",
    "stuck",
    "count_in",
    "slap_now",
    "slap_won",
    "too_close",
    "deal",
    "win",
    "noted",
    "ready",
    "paused",
    "fault",
]


class Beat(NamedTuple):
    """A piece of a signal: how long, whether its light burns, and which tone sounds (0: none)."""

    ms: int
    lit: bool
    hz: int = 0


Colour = Literal["white", "green", "yellow", "red", "blue"]
"""Of lights that have colours. It only repeats what place and rhythm say already."""


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    """One signal. `own`: the light of the player whom it is about, both where that is not known."""

    words: str
    place: Literal["own", "both"]
    colour: Colour = "white"
    priority: int
    """A higher one covers a lower one while it lasts."""
    beats: tuple[Beat, ...]
    every_ms: int | None = None
    """Comes again at this pace, without its tones, until it is ended."""
    waits: bool = False
    """Begins only when the announcement before it is over, so that both are heard whole."""

    @property
    def length_ms(self) -> int:
        return sum(beat.ms for beat in self.beats)


def lit(*ms_and_hz: tuple[int, int]) -> tuple[Beat, ...]:
    """Return beats with the light on, a tone each, and a dark gap of 80 ms after each but the last."""
    beats = [piece for ms, hz in ms_and_hz for piece in (Beat(ms, True, hz), Beat(80, False))]
    return tuple(beats[:-1])


SIGNALS: Final[Mapping[SignalName, Signal]] = {
    "touched": Signal(words="Your pad was felt", place="own", priority=100, beats=lit((40, 0))),
    "accepted": Signal(
        words="Good card", place="own", colour="green", priority=20, beats=(Beat(20, True, 1760), Beat(60, True))
    ),
    "beaten": Signal(
        words="The other card was first: take yours back, no blame",
        place="own",
        colour="yellow",
        priority=30,
        beats=lit((60, 740), (60, 0)),
    ),
    "cannot_tell": Signal(
        words="The referee could not see that",
        place="own",
        colour="blue",
        priority=40,
        beats=lit((220, 440), (220, 440)),
    ),
    "illegal": Signal(
        words="That card may not lie there: take it back",
        place="own",
        colour="red",
        priority=50,
        beats=(Beat(100, True, 165), Beat(60, False, 165), *lit((100, 165), (100, 165), (100, 0), (100, 0))),
    ),
    "not_stuck": Signal(
        words="Not stuck: somebody can still play",
        place="own",
        colour="blue",
        priority=45,
        beats=lit((60, 523), (60, 659), (60, 523)),
    ),
    "stuck": Signal(
        words="Nobody can play",
        place="both",
        colour="yellow",
        priority=60,
        beats=lit((350, 880), (350, 587)),
        waits=True,
    ),
    "count_in": Signal(
        words="Ready, set, spit: turn on the long tone",
        place="both",
        priority=60,
        beats=(*((Beat(100, True, 523), Beat(400, False)) * 3), Beat(600, True, 1047)),
        waits=True,
    ),
    "slap_now": Signal(
        words="Slap a pile", place="both", priority=70, beats=(Beat(50, True, 1319), Beat(50, False, 1568)) * 6
    ),
    "slap_won": Signal(
        words="Was first on the pad",
        place="own",
        colour="green",
        priority=80,
        beats=(Beat(120, True, 784), Beat(120, True, 988), Beat(160, True, 1175), Beat(1100, True)),
    ),
    "too_close": Signal(
        words="Too close to call: slap again",
        place="both",
        colour="yellow",
        priority=80,
        beats=lit((160, 988), (160, 988), (160, 988), (160, 988)),
    ),
    "deal": Signal(
        words="Lay out the next deal",
        place="both",
        priority=60,
        beats=lit((80, 392), (80, 494), (80, 587), (600, 0)),
        waits=True,
    ),
    "win": Signal(
        words="Has won the game",
        place="own",
        colour="green",
        priority=90,
        beats=lit((120, 523), (120, 659), (120, 784), (500, 1047), (120, 784), (900, 1047)),
        waits=True,
    ),
    "noted": Signal(words="Correction taken in", place="both", priority=35, beats=lit((30, 784))),
    "ready": Signal(
        words="Ready", place="both", colour="green", priority=55, beats=(Beat(200, True, 587), Beat(800, True, 784))
    ),
    "paused": Signal(
        words="Paused", place="both", colour="blue", priority=15, beats=lit((120, 698), (120, 0)), every_ms=2_000
    ),
    "fault": Signal(
        words="Something is wrong with the rig: see the page or `spit-referee check`",
        place="both",
        colour="red",
        priority=95,
        beats=lit((60, 196), (60, 196), (60, 196), (400, 196)),
        every_ms=3_000,
    ),
}


class Cue(msgspec.Struct, frozen=True, kw_only=True):
    """A signal to be given now: about whom (None: about everybody) and in which words for screens."""

    signal: SignalName
    player: Player | None = None
    words: str = ""

    def lights(self) -> tuple[Player, ...]:
        """Return whose lights burn."""
        one = SIGNALS[self.signal].place == "own" and self.player is not None
        return (self.player,) if one and self.player is not None else ("p1", "p2")


RULING_SIGNAL: Final[Mapping[Ruling, SignalName]] = {
    "legal": "accepted",
    "beaten": "beaten",
    "illegal": "illegal",
    "cannot_tell": "cannot_tell",
}


def cue(signal: SignalName, who: Who | None = None, words: str = "") -> Cue:
    """Return a cue; a player who is not known makes it one for both lights."""
    return Cue(signal=signal, player=None if who == "unknown" else who, words=words or SIGNALS[signal].words)


def cues_for(verdict: AnyVerdict) -> tuple[Cue, ...]:
    """Return what lights and buzzer say about a verdict; nothing where silence is the better answer."""
    if verdict.revised:
        return ()
    match verdict:
        case PlayJudged(provisional=True):
            return ()
        case PlayJudged() | SpitJudged():
            return (cue(RULING_SIGNAL[verdict.ruling], verdict.player, verdict.sentence),)
        case RowJudged():  # a good move within the own row needs no answer
            quiet = verdict.ruling == "legal"
            return () if quiet else (cue(RULING_SIGNAL[verdict.ruling], verdict.player, verdict.sentence),)
        case SlapJudged():
            said: Mapping[str, SignalName] = {"false_slap": "illegal", "cannot_tell": "cannot_tell"}
            return (cue(said[verdict.ruling], verdict.player),) if verdict.ruling in said else ()
        case Award():
            return (cue("slap_won", verdict.first, verdict.sentence),)
        case DeadHeat():
            return (cue("too_close"),)
        case LeftLying():
            return () if verdict.played_on else (cue("illegal", words=f"{verdict.card} still lies on {verdict.pile}"),)
        case Breach():
            return (cue("illegal", verdict.player, verdict.sentence),)
        case Stuck():
            return (cue("stuck"),)
        case SpitCall():
            return (cue("count_in"),)
        case NotStuck():
            return tuple(cue("not_stuck", player) for player in verdict.who)
        case DealOver():
            return (cue("slap_now"),) if verdict.piles == 2 else ()
        case NextDeal():
            return (cue("deal"),)
        case GameOver():
            return (cue("win", None if verdict.winner == "draw" else verdict.winner),)
        case CannotTell():
            return (cue("cannot_tell", words=f"The referee lost the thread: {verdict.about}"),)
        case BackInStep() | Resumed():
            return (cue("ready"),)
        case Paused():
            return (cue("paused", words=f"Paused: {verdict.reason}"),)
        case Corrected():
            return (cue("noted", words=f"{verdict.was} is now {verdict.now}"),)
        case TakenBack():
            stays = f"{verdict.card} should have stayed on {verdict.pile}: put it back"
            return () if verdict.was_due else (cue("illegal", verdict.player, stays),)
        case PhaseChanged():
            return ()
        case _:
            assert_never(verdict)


def ended_by(verdict: AnyVerdict) -> tuple[SignalName, ...]:
    """Return the repeating signals that a verdict brings to an end."""
    return ("paused", "fault") if isinstance(verdict, Resumed) else ()


def in_words(cues: Iterable[Cue]) -> str:
    """Return cues as one line for a terminal: `[p1] illegal: That card ...`."""
    return "; ".join(f"[{'+'.join(c.lights())}] {c.signal}: {c.words}" for c in cues)
