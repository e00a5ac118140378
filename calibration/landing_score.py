"""Compares what the eyes said about a drill with what happened there."""

from dataclasses import dataclass, field
from typing import Final

from calibration.figures import Share
from calibration.landing_kinds import Landing, Other, is_thrown, kinds_by_landing, landings, others
from hardware.simulated.renderer import Renderer, SeenCard
from referee.cards import Card
from referee.observations import AnyObservation, CardLanded, CardTakenBack, PileRead, PilesTaken, PlaceSeen, RowRead
from referee.script import Gather, Script, TakeBack

_FAR_NS: Final = 350_000_000
"""A landing is not the one that is meant if its touch is further off."""
_MISNAMED_NS: Final = 200_000_000
"""A landing of the right card is preferred to one of another card that is nearer by so much."""
_TOLD_NS: Final = 1_500_000_000
"""What was taken is told at most so long after."""
_SURE: Final = 0.5
"""Odds under which a card counts as not read."""

FOUND, FALSE, IDLE = "landings found", "landings told that were none", "idle hands taken for a landing"


@dataclass(slots=True)
class Figures:
    """Shares by name, in the order in which they are printed."""

    shares: dict[str, Share] = field(default_factory=dict)
    by_kind: dict[str, dict[str, Share]] = field(default_factory=dict)
    """Kind of landing or event: what was counted of it."""
    delays_ms: list[float] = field(default_factory=list)
    """From touch until it was told."""
    seconds: float = 0.0
    frames: int = 0
    mistakes: list[str] = field(default_factory=list)
    touches: list[str] = field(default_factory=list)
    """A line for each landing that was found: when it touched, and when it was said to."""

    def count(self, name: str, was_so: bool) -> None:
        self.shares.setdefault(name, Share()).count(was_so)

    def count_kind(self, kind: str, name: str, was_so: bool) -> None:
        self.by_kind.setdefault(kind, {}).setdefault(name, Share()).count(was_so)

    def add(self, other: "Figures") -> None:
        for name, share in other.shares.items():
            self.shares.setdefault(name, Share()).add(share)
        for kind, shares in other.by_kind.items():
            for name, share in shares.items():
                self.by_kind.setdefault(kind, {}).setdefault(name, Share()).add(share)
        self.delays_ms += other.delays_ms
        self.seconds += other.seconds
        self.frames += other.frames
        self.mistakes += other.mistakes
        self.touches += other.touches

    def f1(self) -> Share:
        """Return F1 as a share: found landings of the mean of those that were and those that were told."""
        found, false = self.shares.get(FOUND, Share()), self.shares.get(FALSE, Share())
        return Share(2 * found.k, found.n + found.k + false.k)


@dataclass(slots=True)
class Watched:
    """A drill and what the eyes said about it: each observation with the moment of the frame after which it came."""

    script: Script
    renderer: Renderer
    told: list[tuple[int, AnyObservation]]


def score(watched: Watched, place: str) -> Figures:
    """Return all figures of one drill; `place` says in a list of mistakes which one it was."""
    figures = Figures()
    _Landings(watched, figures, place).count()
    _count_taken(watched, figures)
    _count_readings(watched, figures)
    return figures


class _Landings:
    def __init__(self, watched: Watched, figures: Figures, place: str) -> None:
        self.watched, self.figures, self.place = watched, figures, place
        self.truths = landings(watched.script)
        self.kinds = kinds_by_landing(watched.script, watched.renderer.look)
        for one, kinds in zip(self.truths, self.kinds, strict=True):
            kinds.append("thrown" if is_thrown(one, watched.renderer.choreography) else "laid")
        self.told = [(at_ns, seen) for at_ns, seen in watched.told if isinstance(seen, CardLanded)]

    def count(self) -> None:
        matches = self._matched()
        for n, truth in enumerate(self.truths):
            match = matches.get(n)
            self.figures.count(FOUND, match is not None)
            for kind in self.kinds[n]:
                self.figures.count_kind(kind, "found", match is not None)
            if match is None:
                self._mistake(f"{truth.card} on {truth.pile} at {truth.at_ns / 1e9:.2f} s was not seen", n)
            else:
                self._count_match(n, truth, *self.told[match])
        self._count_false([one for n, (_, one) in enumerate(self.told) if n not in matches.values()])

    def _matched(self) -> dict[int, int]:
        """Return which landing was told as what, each once: the right card first, then the nearest touch."""
        pairs = sorted(
            (abs(one.at_ns - truth.at_ns) + (0 if _best(one.cards)[0] == truth.card else _MISNAMED_NS), n, m)
            for n, truth in enumerate(self.truths)
            for m, (_, one) in enumerate(self.told)
            if one.pile == truth.pile and abs(one.at_ns - truth.at_ns) < _FAR_NS
        )
        matches: dict[int, int] = {}
        for _, n, m in pairs:
            if n not in matches and m not in matches.values():
                matches[n] = m
        return matches

    def _count_match(self, n: int, truth: Landing, told_ns: int, match: CardLanded) -> None:
        figures = self.figures
        seen = "" if self._was_seen(truth) else " (face never half visible)"
        card, p = _best(match.cards)
        right, wrong = card == truth.card and p >= _SURE, card != truth.card and p >= _SURE
        figures.count(f"card right{seen}", right)
        figures.count(f"card wrong{seen}", wrong)
        who = max(match.players, key=lambda player: match.players[player], default=None)
        figures.count("player right", who == truth.player)
        in_time = abs(match.at_ns - truth.at_ns) <= 1e9 / self.watched.renderer.look.fps
        inside = match.earliest_ns <= truth.at_ns <= match.latest_ns
        figures.count("touch within one frame", in_time)
        figures.count("touch inside the told interval", inside)
        figures.delays_ms.append((told_ns - truth.at_ns) / 1e6)
        for kind in (*self.kinds[n], *(["covered at once"] if seen else [])):
            figures.count_kind(kind, "card", right)
            figures.count_kind(kind, "player", who == truth.player)
            figures.count_kind(kind, "touch", in_time)
            figures.count_kind(kind, "interval", inside)
        self._touch(truth, match, n)
        named = f"{truth.card} on {truth.pile} at {truth.at_ns / 1e9:.2f} s"
        if not right:
            self._mistake(f"{named} was read as {card} ({p:.2f}){seen}", n)
        if who != truth.player:
            self._mistake(f"{named} was given to {who} {match.players}", n)

    def _touch(self, truth: Landing, told: CardLanded, n: int) -> None:
        at, early, late = ((ns - truth.at_ns) / 1e6 for ns in (told.at_ns, told.earliest_ns, told.latest_ns))
        self.figures.touches.append(
            f"{self.place}: {truth.card} on {truth.pile} touched at {truth.at_ns / 1e9:.3f} s, said {at:+.0f} ms off, "
            f"between {early:+.0f} and {late:+.0f} ms ({', '.join(self.kinds[n])})"
        )

    def _was_seen(self, truth: Landing) -> bool:
        """Whether half of the face showed in at least one frame before the next card came down on it."""
        after = [other.at_ns for other in self.truths if other.pile == truth.pile and other.at_ns > truth.at_ns]
        until_ns = min([truth.at_ns + 1_500_000_000, *after])
        fps = self.watched.renderer.look.fps
        moments = (round(n * 1e9 / fps) for n in range(int(truth.at_ns * fps / 1e9) + 1, int(until_ns * fps / 1e9) + 1))
        return any(self.watched.renderer.visible(at_ns, truth.card) >= 0.5 for at_ns in moments)

    def _count_false(self, free: list[CardLanded]) -> None:
        charged: list[Other] = []
        events = others(self.watched.script)
        for one in free:
            may = [event for event in events if event.may_explain(one.pile, one.at_ns)]
            charged += [min(may, key=lambda event: abs(event.until_ns - one.at_ns))] if may else []
            why = charged[-1].kind if may else "no reason known"
            self.figures.count_kind("false landings", why, True)
            self._mistake(f"nothing landed on {one.pile} at {one.at_ns / 1e9:.2f} s ({why}): {_best(one.cards)}")
        for n in range(max(len(self.told), 1)):
            self.figures.count(FALSE, n < len(free))
        for event in events:
            if event.kind.startswith("hand"):
                self.figures.count(IDLE, event in charged)
            self.figures.count_kind(event.kind, "taken for a landing", event in charged)

    def _mistake(self, what: str, n: int | None = None) -> None:
        kinds = "" if n is None else f" ({', '.join(self.kinds[n])})"
        self.figures.mistakes.append(f"{self.place}: {what}{kinds}")


def _count_taken(watched: Watched, figures: Figures) -> None:
    """Count cards taken back and piles taken that were told, and those that were told but are none."""
    backs = [one for one in watched.script.actions if isinstance(one, TakeBack)]
    takes = [one for one in watched.script.actions if isinstance(one, Gather)]
    told_backs = [seen for _, seen in watched.told if isinstance(seen, CardTakenBack)]
    told_takes = [seen for _, seen in watched.told if isinstance(seen, PilesTaken)]

    def near(one: TakeBack | Gather, seen: CardTakenBack | PilesTaken) -> bool:
        return seen.pile == one.pile and one.start_ns <= seen.at_ns < one.at_ns + _TOLD_NS

    for back in backs:
        told = any(near(back, seen) and _best(seen.cards)[0] == back.card for seen in told_backs)
        figures.count("cards taken back told", told)
    for take in takes:
        figures.count("piles taken told", any(near(take, seen) for seen in told_takes))
    for seen in told_backs:
        figures.count("cards taken back that were not", not any(near(back, seen) for back in backs))
    for taken in told_takes:
        figures.count("piles taken that were not", not any(near(take, taken) for take in takes))


def _best(cards: dict[Card, float]) -> tuple[Card, float]:
    return max(cards.items(), key=lambda item: item[1], default=(Card("??"), 0.0))


def _count_readings(watched: Watched, figures: Figures) -> None:
    """Compare what was read of lying cards with what lay there; hidden places and moving tables do not count."""
    moving = [(action.start_ns - 100_000_000, action.at_ns + 500_000_000) for action in watched.script.actions]
    for _, seen in watched.told:
        if not isinstance(seen, PileRead | RowRead) or any(a < seen.at_ns < b for a, b in moving[2:]):
            continue
        tops = {card.spot: card for card in watched.renderer.truth(seen.at_ns).cards if card.top}
        if isinstance(seen, PileRead):
            _count_face("pile top", PlaceSeen(cards=seen.cards, empty=seen.empty), tops.get(seen.pile), figures)
            continue
        for n, seen_place in enumerate(seen.places, 1):
            _count_face("row place", seen_place, tops.get(f"{seen.player}.{n}"), figures)


def _count_face(name: str, seen: PlaceSeen, truth: SeenCard | None, figures: Figures) -> None:
    card, p = _best(seen.cards)
    odds: dict[str, float] = {card: p, "face down": seen.face_down, "empty": seen.empty}
    if max(odds.values()) == 0.0:
        return
    told = max(odds, key=lambda what: odds[what])
    really = "empty" if truth is None else truth.card if truth.up else "face down"
    sure = odds[told] >= _SURE
    figures.count(f"{name} right", sure and told == really)
    figures.count(f"{name} wrong", sure and told != really)
