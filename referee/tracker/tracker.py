"""The tracker: observations in, verdicts out; the same for a live table, a video, a simulation and a logged game."""

import msgspec
from msgspec.structs import replace

from referee.game.phases import Phase
from referee.game.position import Position
from referee.observations import (
    AnyObservation,
    Called,
    CardLanded,
    CardTakenBack,
    Correction,
    HandsSeen,
    PadReleased,
    PadSlapped,
    PileRead,
    PilesTaken,
    Recount,
    RowRead,
    SensorBack,
    SensorLost,
    Tick,
    Undo,
)
from referee.rules.rule_set import RuleSet
from referee.table import PLAYERS
from referee.tracker import recovery, slapping, stillness
from referee.tracker.belief import AT_ONCE, Caution
from referee.tracker.core import Core
from referee.tracker.gestures import Gestures
from referee.tracker.layout import Layout
from referee.tracker.opening import Opening
from referee.tracker.past import Past
from referee.tracker.rewind import LATE, Recent, content
from referee.tracker.sequencer import Sequencer
from referee.tracker.worlds import World
from referee.units import MS
from referee.verdicts import AnyVerdict

SLAP_WAIT_NS = 100 * MS
"""A slap is decided when the other hand, and the landing that ended the deal, had time to arrive."""
PRESS_WAIT_NS = 800 * MS
"""Outside the slap phase a press is understood when a landing or another press around it is known."""
LATEST_NS = 1_900 * MS
"""A press waits no longer than this for a landing that is still in doubt."""


class _State(msgspec.Struct, eq=False):
    """Everything that changes, so that it can be copied."""

    core: Core | None
    opening: Opening = msgspec.field(default_factory=Opening)
    gestures: Gestures = msgspec.field(default_factory=Gestures)
    presses: Sequencer = msgspec.field(default_factory=Sequencer)
    first_looks: list[tuple[int, AnyObservation]] = []
    unclear: list[tuple[int, PadSlapped]] = []
    """Presses of which later looks may tell whether they were slaps too early."""
    pressed: tuple[PadSlapped, ...] = ()
    released: tuple[PadReleased, ...] = ()
    """The last few presses and releases."""

    def copy(self) -> "_State":
        return replace(
            self,
            core=None if self.core is None else self.core.copy(),
            opening=self.opening.copy(),
            gestures=self.gestures.copy(),
            presses=self.presses.copy(),
            first_looks=list(self.first_looks),
            unclear=list(self.unclear),
        )


_Stop = tuple[_State, Recent[_State]]


class Tracker:
    """Follow one game by `rules`; feed observations in the order in which they arrive, get verdicts back.

    `start` is what lies on the table; None: it is taken from the first settled picture. No observation, however
    absurd, raises. The same observations always bring the same verdicts.
    """

    def __init__(self, rules: RuleSet, start: Position | None = None, caution: Caution | None = None) -> None:
        self._rules = rules
        self._caution = caution or Caution()
        self._n = 0
        self._start = start
        self._past: Past[_Stop] = Past()
        self._state = _State(None if start is None else self._core(start, known=True))
        self._recent: Recent[_State] = Recent()

    def _core(self, position: Position, known: bool) -> Core:
        layout = Layout()
        if position.phase is not Phase.FIRST_SPIT or any(s.up for p in (position.p1, position.p2) for s in p.row):
            layout.laid = frozenset(PLAYERS)
        else:
            layout.begin(0, cleared=True)
        return Core(
            self._rules, self._caution, (World(position),), layout, counts_known=known, agreed=self._past.agreed
        )

    @property
    def position(self) -> Position | None:
        """The table in the likeliest understanding of the game; None before the first settled picture."""
        return None if self._state.core is None else self._state.core.position

    def feed(self, seen: AnyObservation, n: int | None = None) -> list[AnyVerdict]:
        """Take in an observation and return what there is to tell. `n` is its number in the log: observations and
        verdicts are counted together from 0; by default the tracker counts the same way itself."""
        n = self._n if n is None else n
        verdicts = self._take_in(n, seen)
        self._n = n + 1 + len(verdicts)
        if verdicts:
            self._past.note(n, verdicts)
        return verdicts

    def _take_in(self, n: int, seen: AnyObservation) -> list[AnyVerdict]:
        """An observation of the table, or a person's word about an earlier one."""
        match seen:
            case Correction():
                return self._correct(n, seen)
            case Undo():
                undone = self._past.last_call(seen)
                return [] if undone is None else self._correct(n, undone)
            case _:
                self._past.see(n, seen, self._stop)
                told = self._take(n, seen)
                return told + self._held_pads(n) if self._state.gestures.held else told

    def _held_pads(self, n: int, is_again: bool = False) -> list[AnyVerdict]:
        """Words that are said by holding pads: all four take the last call back. In the slap phase there are none."""
        core, gestures = self._state.core, self._state.gestures
        if core is None or len(gestures.held) < 2 or core.position.phase is Phase.SLAP:
            return []
        for word in gestures.holding(core.now_ns):
            if not isinstance(word, Undo):
                continue
            self._state.presses = Sequencer()  # these pads were held to undo something, not to call
            undone = None if is_again else self._past.last_call(word)
            if undone is not None:
                return self._correct(n, undone)
        return []

    def _correct(self, n: int, word: Correction) -> list[AnyVerdict]:
        """Judge the game again with what a person knows better, from there forward; say only what is new (once)."""
        change = self._past.hear(n, word)
        if change is None:
            return []
        if change.place is None:
            return [change.told]
        start, stop, before = self._past.go_back(change.place)
        if stop is not None:
            self._state, self._recent = stop
            if self._state.core is not None:
                self._state.core.agreed = self._past.agreed
        after: list[tuple[int, AnyVerdict]] = []
        for place, numbered in self._past.again(start, self._stop):
            if numbered is not None:
                after += [(place, told) for told in self._take(*numbered)]
                self._held_pads(numbered[0], is_again=True)
        return self._past.compare(change, before, after)

    def _stop(self) -> "_Stop":
        """The state as it is now, to come back to."""
        return self._state.copy(), self._recent.copy()

    def _take(self, n: int, seen: AnyObservation) -> list[AnyVerdict]:
        state, recent = self._state, self._recent
        if state.core is None:
            return self._open(n, seen)
        if isinstance(seen, LATE) and (place := recent.before(seen)) is not None:
            return self._again(place, n, seen)
        recent.remember(n, seen, state.copy)
        told = self._step(state, state.core, n, seen)
        if told:
            recent.note(told)
        return told

    def _again(self, place: int, n: int, seen: AnyObservation) -> list[AnyVerdict]:
        """Go back to before this place and take everything in again, in the order in which it happened."""
        before, past, said = self._recent.cut(place)
        self._state = before.copy()
        told: list[AnyVerdict] = []
        for number, one in sorted([*past, (n, seen)], key=lambda numbered: numbered[1].at_ns):
            told += self._take(number, one)
        self._recent.note_said(said)
        return [verdict for verdict in told if content(verdict) not in said]

    def _open(self, n: int, seen: AnyObservation) -> list[AnyVerdict]:
        """Wait for the first settled picture, then take in everything that was seen until then."""
        state = self._state
        state.first_looks.append((n, seen))
        if not state.opening.see(seen):
            return []
        state.core = self._core(state.opening.position(self._rules), known=not state.opening.in_play())
        looks, state.first_looks = state.first_looks, []
        return [verdict for n, look in looks for verdict in self._step(state, state.core, n, look)]

    def _step(self, state: _State, core: Core, n: int, seen: AnyObservation) -> list[AnyVerdict]:
        """Take one observation in, and say what there is to say: nothing, where it showed nothing new and nothing is
        due yet."""
        if seen.at_ns > core.now_ns:
            core.now_ns = seen.at_ns
        told = self._hear(state, core, n, seen)
        if core.now_ns < core.due_ns or core.lost_sensors:
            return told
        told += core.decide()
        worlds, decided = core.worlds, len(told)
        if state.unclear or len(state.presses):
            told += self._understand_presses(state, core)
        if self._past.denied and n in self._past.denied.values():
            core.not_stuck = core.position
        told += stillness.when_still(core)
        told += recovery.find_the_thread(core)
        told += core.phase_changes()
        is_settled = len(told) == decided and core.worlds is worlds
        core.due_ns = self._next_due_ns(state, core) if is_settled else AT_ONCE
        return told

    def _next_due_ns(self, state: _State, core: Core) -> int:
        """When there may be something to say next, if nothing new is seen until then."""
        if state.unclear or self._past.denied:
            return AT_ONCE
        due_ns = min(core.decides_ns(), stillness.due_ns(core), recovery.due_ns(core))
        press_ns = state.presses.first_ns()
        if press_ns is None:
            return due_ns
        return min(due_ns, press_ns + (SLAP_WAIT_NS if core.position.phase is Phase.SLAP else PRESS_WAIT_NS))

    @staticmethod
    def _hear(state: _State, core: Core, n: int, seen: AnyObservation) -> list[AnyVerdict]:
        """Believe what was seen, and say what that brings at once."""
        match seen:
            case RowRead():
                return core.look_at_row(n, seen)
            case PileRead():
                core.look_at_pile(n, seen)
                return []
            case HandsSeen():
                core.hands(seen)
                return []
            case Tick():
                return []
        core.due_ns = AT_ONCE
        match seen:
            case CardLanded():
                state.gestures.land(seen.at_ns)
                return core.land(n, seen)
            case CardTakenBack():
                return core.take_back(n, seen)
            case PadSlapped():
                state.gestures.press(seen)
                state.pressed = (*state.pressed[-5:], seen)
                state.presses.hold(n, seen)
            case PadReleased():
                state.gestures.release(seen)
                state.released = (*state.released[-5:], seen)
            case PilesTaken():
                return core.pile_taken(n, seen)
            case Called():
                return core.call(n, seen)
            case Recount():
                core.recount(seen)
            case SensorLost():
                return core.pause(seen)
            case SensorBack():
                return core.resume(seen)
        return []

    def _understand_presses(self, state: _State, core: Core) -> list[AnyVerdict]:
        """Slaps and gestures whose wait is over."""
        told: list[AnyVerdict] = []
        state.presses.hear(core.now_ns)
        unclear, state.unclear = state.unclear, []
        for number, early in unclear:
            told += self._too_early(state, core, number, early)
        while (first_ns := state.presses.first_ns()) is not None:
            in_slap = core.position.phase is Phase.SLAP and first_ns >= core.position.ended_ns
            known_by_ns = first_ns if in_slap else first_ns + slapping.OWN_LANDING_NS
            if core.is_in_doubt(known_by_ns) and core.now_ns - first_ns < LATEST_NS:
                break
            if in_slap:
                window = list(state.presses.release(SLAP_WAIT_NS))
                if not window:
                    break
                window += state.presses.flush()
                presses = [(n, press) for n, press in window if isinstance(press, PadSlapped)]
                told += slapping.contest(core, presses)
                continue
            if state.gestures.may_become_undo:
                break
            released = next(state.presses.release(PRESS_WAIT_NS), None)
            if released is None:
                break
            n, press = released
            if isinstance(press, PadSlapped):
                told += self._understand(state, core, n, press)
        return told

    def _understand(self, state: _State, core: Core, n: int, press: PadSlapped) -> list[AnyVerdict]:
        meaning = state.gestures.meaning(press)
        if meaning == "slap":  # who presses both his pads at once slaps none of them, however near a card came down
            return [] if state.gestures.partner(press) else self._too_early(state, core, n, press)
        if meaning == "call" and press.player is not None:
            return core.call(n, Called(at_ns=press.at_ns, player=press.player, word="spit"))
        return []

    @staticmethod
    def _too_early(state: _State, core: Core, n: int, press: PadSlapped) -> list[AnyVerdict]:
        """A slap outside the slap phase; as long as it is not clear, it is looked at again."""
        told = slapping.outside(core, n, press, slapping.held_ns(press, state.released))
        if told and slapping.is_answered(core, press, state.pressed) and not slapping.cards_lie(core, press.at_ns):
            told = None
        if told is None and core.now_ns - press.at_ns < LATEST_NS:
            state.unclear.append((n, press))
        return told or []

    def copy(self) -> "Tracker":
        """A tracker of the same game that goes its own way."""
        twin = Tracker(self._rules, None, self._caution)
        twin._n, twin._start = self._n, self._start
        twin._state, twin._recent = self._stop()
        twin._past = self._past.copy()
        if twin._state.core is not None:
            twin._state.core.agreed = twin._past.agreed
        return twin
