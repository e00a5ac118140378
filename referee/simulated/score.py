"""How right the tracker is over simulated games: breaches found, false accusations, how long it is out of step.

A breach is *found* if its player is blamed for it within two seconds of the touch and before the pile is covered twice;
what is covered twice sooner and not named by then is counted apart. The card that is named must be the one that was
laid (no name is no wrong name). An accusation is *false* if the player who is blamed did not do what he is blamed for:
another player did it, it was no breach, or nothing happened. Rulings that send a card back without blame (beaten, built
on an illegal card, too late by less than the race window) accuse nobody.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from referee.cards import UNREAD, Card
from referee.game.position import Position
from referee.observations import CardLanded
from referee.rules.rule_set import RuleSet
from referee.script import AnyAction, Gather, Lay, Script, Slap, SpitDown
from referee.shares import share, wilson
from referee.simulated.noise import Noise, Seen, observe
from referee.simulated.players import Habits, play_game
from referee.table import PILES, Pile
from referee.tracker.tracker import Tracker
from referee.verdicts import AnyVerdict, PlayJudged, SlapJudged, SpitJudged

NAMED_WITHIN_NS = 2_000_000_000
JUST_OVER_NS = 500_000_000
SETTLED_NS = 1_000_000_000
"""A card that has lain so long should be known, even if a hand lingered over it."""
TRUE_WORDS = frozenset({"legal", "beaten", "on_illegal_card", "call"})
"""Intents that are no breach."""


class Score(msgspec.Struct, kw_only=True):
    """Counts over games; scores of several games add up."""

    games: int = 0
    observations: int = 0
    landings: int = 0
    breaches: int = 0
    found: int = 0
    covered_sooner: int = 0
    """Breaches not found that two more cards covered within two seconds: counted apart."""
    accusations: int = 0
    false_accusations: int = 0
    misnamed: int = 0
    """Breaches told of the right player with a wrong card: neither found nor false."""
    cannot_tell: int = 0
    out_of_step: list[int] = msgspec.field(default_factory=list)
    """Lengths in landings of every stretch with a wrong top."""
    missed: dict[str, int] = msgspec.field(default_factory=dict)
    by_reason: dict[str, int] = msgspec.field(default_factory=dict)
    stories: list[str] = msgspec.field(default_factory=list)
    """Each false accusation in words, with its seed."""
    seconds: float = 0.0

    def add(self, other: "Score") -> None:
        for name in ("games", "observations", "landings", "breaches", "found", "covered_sooner", "accusations",
                     "false_accusations", "misnamed", "cannot_tell", "seconds"):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.out_of_step += other.out_of_step
        self.stories += other.stories
        self.missed = dict(Counter(self.missed) + Counter(other.missed))
        self.by_reason = dict(Counter(self.by_reason) + Counter(other.by_reason))

    def summary(self) -> dict[str, object]:
        """The counts as plain numbers, for JSON."""
        low, high = wilson(self.found, self.breaches)
        _, worst = wilson(min(self.false_accusations, self.games), self.games)
        return {
            "games": self.games, "landings": self.landings, "observations": self.observations,
            "breaches": self.breaches, "found": self.found, "found_95": [round(low, 4), round(high, 4)],
            "covered_sooner": self.covered_sooner, "accusations": self.accusations,
            "false_accusations": self.false_accusations, "false_per_1000_games_at_most": round(1000 * worst, 2),
            "misnamed": self.misnamed, "cannot_tell": self.cannot_tell,
            "out_of_step_max": max(self.out_of_step, default=0),
            "out_of_step_p95": self.out_of_step_p95(), "missed": self.missed, "by_reason": self.by_reason,
            "cpu_s": round(self.seconds, 1),
        }  # fmt: skip

    def lines(self) -> list[tuple[str, str]]:
        """The score for people: k of n, with the 95 % interval where it is a share."""
        return [
            ("breaches found", share(self.found, self.breaches)),
            ("covered twice within 2 s, counted apart", str(self.covered_sooner)),
            ("breaches missed, by reason", _counts(self.missed)),
            ("accusations", str(self.accusations)),
            ("false accusations, of games", share(min(self.false_accusations, self.games), self.games)),
            ("told of the right player with a wrong card", str(self.misnamed)),
            ("cannot tell, of landings", share(self.cannot_tell, self.landings)),
            ("stretches out of step", str(len(self.out_of_step))),
            ("landings out of step, most / 95 %", f"{max(self.out_of_step, default=0)} / {self.out_of_step_p95()}"),
            ("observations", f"{self.observations:,}"),
        ]

    def out_of_step_p95(self) -> int:
        """So long or shorter were 95 % of the stretches with a wrong top, in landings."""
        ordered = sorted(self.out_of_step)
        return ordered[int(0.95 * (len(ordered) - 1))] if ordered else 0


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{reason} {n}" for reason, n in sorted(counts.items(), key=lambda pair: -pair[1])) or "none"


class Story(msgspec.Struct, frozen=True):
    """One game as it was refereed: what was fed, what each observation was about, what was said when."""

    script: Script
    seen: list[Seen]
    said: list[tuple[int, AnyVerdict]]
    """Verdicts with the number (place in `seen`) of the observation that brought them."""
    numbers: dict[int, int]
    """From the running numbers that verdicts use to places in `seen`."""
    steps: list[bool]
    """At each landing: whether the tops were right just before it was reported."""
    position: Position | None = None
    """What the tracker believed at the end."""


def referee(script: Script, noise: Noise, rules: RuleSet, seed: int, start: Position | None = None) -> Story:
    """Let the tracker follow a script through noisy sensors, from a known position or from what it sees first."""
    tracker = Tracker(rules, start)
    truth = _TrueTops(script)
    seen = list(observe(script, noise, seed))
    said: list[tuple[int, AnyVerdict]] = []
    numbers: dict[int, int] = {}
    steps: list[bool] = []
    n = now_ns = 0
    for place, one in enumerate(seen):
        now_ns = max(now_ns, one.observation.at_ns)
        if isinstance(one.observation, CardLanded):
            steps.append(_in_step(tracker, truth, now_ns))
        numbers[n] = place
        verdicts = tracker.feed(one.observation, n)
        said += [(place, verdict) for verdict in verdicts]
        n += 1 + len(verdicts)
    return Story(script, seen, said, numbers, steps, tracker.position)


def _in_step(tracker: Tracker, truth: "_TrueTops", now_ns: int) -> bool:
    """Whether the piles that lay still for a moment are topped by what the tracker believes."""
    position = tracker.position
    if position is None:
        return True
    return all(
        not truth.is_still(pile, now_ns) or position.middle(pile).top == truth.at(pile, now_ns) for pile in PILES
    )


class _TrueTops:
    """The logical tops of a script at any moment."""

    def __init__(self, script: Script) -> None:
        self._changes: dict[Pile, list[tuple[int, Card | None]]] = {"A": [], "B": []}
        self._next: dict[Pile, int] = {"A": 0, "B": 0}
        for action in script.actions:
            if isinstance(action, Lay | SpitDown) and action.intent == "legal":
                self._changes[action.pile].append((action.at_ns, action.card))
            elif isinstance(action, Gather) and action.pile is not None:
                self._changes[action.pile].append((action.start_ns, None))

    def _now(self, pile: Pile, now_ns: int) -> int:
        changes = self._changes[pile]
        while self._next[pile] < len(changes) and changes[self._next[pile]][0] <= now_ns:
            self._next[pile] += 1
        return self._next[pile] - 1

    def at(self, pile: Pile, now_ns: int) -> Card | None:
        n = self._now(pile, now_ns)
        return self._changes[pile][n][1] if n >= 0 else None

    def is_still(self, pile: Pile, now_ns: int) -> bool:
        """Whether a card has lain on top for a while (a pile being gathered is nobody's business)."""
        n = self._now(pile, now_ns)
        return n >= 0 and self._changes[pile][n][1] is not None and now_ns - self._changes[pile][n][0] > SETTLED_NS


def breaches_of(script: Script) -> Iterator[AnyAction]:
    """Every action that somebody is to be blamed for; of two cards in one movement the upper one."""
    ended_ns = -JUST_OVER_NS
    actions = script.actions
    for action, after in zip(actions, (*actions[1:], None), strict=True):
        if isinstance(action, Slap) and action.intent == "false_slap":
            yield action
        if not isinstance(action, Lay | SpitDown) or action.intent in TRUE_WORDS:
            if isinstance(action, Lay) and action.intent == "legal":
                ended_ns = action.at_ns  # the last legal card before the end is the end
            continue
        if action.intent == "deal_is_over" and action.at_ns - ended_ns <= JUST_OVER_NS:
            continue
        lower = isinstance(after, Lay) and after.at_ns == action.at_ns and after.player == action.player
        if not lower:
            yield action


def score_story(story: Story) -> Score:
    """Compare what was said with what happened."""
    score = Score(games=1, observations=len(story.seen), landings=len(story.steps))
    breaches = {id(action): action for action in breaches_of(story.script)}
    named: dict[int, int] = {}
    for place, verdict in story.said:
        action, now_ns = _about(story, verdict), story.seen[place].observation.at_ns
        if isinstance(verdict, PlayJudged | SpitJudged) and verdict.ruling == "cannot_tell":
            score.cannot_tell += 1
        if not _accuses(verdict):
            continue
        score.accusations += 1
        if action is None or id(action) not in breaches or not _is_true(verdict, action):
            score.false_accusations += 1
            score.stories.append(f"seed {story.script.seed}: {verdict} about {action}")
        elif _names_the_card(verdict, action):
            named.setdefault(id(action), now_ns)
        else:
            score.misnamed += 1
    for key, action in breaches.items():
        _count(score, story.script, action, named.get(key))
    score.out_of_step = list(_stretches(story.steps))
    return score


def _about(story: Story, verdict: AnyVerdict) -> AnyAction | None:
    place = story.numbers.get(verdict.of) if verdict.of is not None else None
    return None if place is None else story.seen[place].about


def _accuses(verdict: AnyVerdict) -> bool:
    """Whether somebody is named for a fault."""
    if isinstance(verdict, SlapJudged):
        return verdict.ruling == "false_slap"
    if not isinstance(verdict, PlayJudged | SpitJudged) or verdict.player == "unknown":
        return False
    return verdict.ruling == "illegal" and not verdict.blameless


def _is_true(verdict: AnyVerdict, action: AnyAction) -> bool:
    """Whether the player who is accused did what the verdict is about."""
    return isinstance(verdict, PlayJudged | SpitJudged | SlapJudged) and verdict.player == getattr(action, "player", "")


def _names_the_card(verdict: AnyVerdict, action: AnyAction) -> bool:
    """Whether no other card is named than the one that was laid."""
    card = getattr(action, "card", UNREAD)
    return not isinstance(verdict, PlayJudged | SpitJudged) or verdict.card in (UNREAD, card)


def _count(score: Score, script: Script, action: AnyAction, named_ns: int | None) -> None:
    intent = getattr(action, "intent", "")
    score.breaches += 1
    score.by_reason[intent] = score.by_reason.get(intent, 0) + 1
    twice_ns = _covered_twice_ns(script, action)
    if named_ns is not None and named_ns <= min(action.at_ns + NAMED_WITHIN_NS, twice_ns):
        score.found += 1
    elif twice_ns <= action.at_ns + NAMED_WITHIN_NS:
        score.covered_sooner += 1
        score.breaches -= 1
    else:
        score.missed[intent] = score.missed.get(intent, 0) + 1


def _covered_twice_ns(script: Script, action: AnyAction) -> int:
    """When the second card after this one came down on its pile."""
    if not isinstance(action, Lay | SpitDown):
        return 2**62
    later = [
        other.at_ns
        for other in script.actions
        if isinstance(other, Lay | SpitDown) and other.pile == action.pile and other.at_ns > action.at_ns
    ]
    return later[1] if len(later) > 1 else 2**62


def _stretches(steps: Iterable[bool]) -> Iterator[int]:
    length = 0
    for right in steps:
        if not right:
            length += 1
        elif length:
            yield length
            length = 0
    if length:
        yield length


def score_game(seed: int, noise: Noise, rules: RuleSet | None = None, habits: Habits | None = None) -> Score:
    """Play, watch and referee one game."""
    return score_story(referee(play_game(seed, habits), noise, rules or RuleSet(), seed))
