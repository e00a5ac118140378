"""What judging costs: the tracker on a released corpus of simulated games, and a long game judged again.

The corpus is a recipe: game `n` of it is `play_game(7000 + n)`, seen by sensors that misread 3 % of all cards
(`Noise()` with the same seed). It has 100 games; `digest` shows that two measurements were of the same observations.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time_ns
from typing import Final

import msgspec

from referee.log import GameLog, Header, LoggedGame
from referee.observations import AnyObservation
from referee.replay.rejudge import differences, judge_for
from referee.rules.rule_set import rule_set
from referee.session import Session
from referee.simulated.noise import Noise, observe
from referee.simulated.players import play_game
from referee.tracker import Tracker

GAMES: Final = 100
FIRST_SEED: Final = 7000
LONG_GAME_NS: Final = 20 * 60 * 1_000_000_000


class Cost(msgspec.Struct, frozen=True):
    """CPU time of one core for so many observations."""

    observations: int
    seconds: float
    digest: str
    """The beginning of the SHA-256 of the observations as JSON."""

    @property
    def per_second(self) -> float:
        return self.observations / max(self.seconds, 1e-9)


def corpus_game(n: int) -> list[AnyObservation]:
    """Return what the sensors report of game `n` of the corpus."""
    seed = FIRST_SEED + n
    return [seen.observation for seen in observe(play_game(seed), Noise(), seed)]


def cost_of_tracking(games: int = GAMES, progress: Callable[[float], None] = lambda share: None) -> Cost:
    """Measure the tracker on the first games of the corpus, from observation to verdict."""
    count, spent_ns, digest = 0, 0, hashlib.sha256()
    for n in range(games):
        progress(n / games)
        seen = corpus_game(n)
        digest.update(msgspec.json.encode(seen))
        tracker = Tracker(rule_set("pagat"))
        begun_ns = process_time_ns()
        for observation in seen:
            tracker.feed(observation)
        spent_ns += process_time_ns() - begun_ns
        count += len(seen)
    return Cost(count, spent_ns / 1e9, digest.hexdigest()[:12])


def cost_of_rejudging() -> Cost:
    """Measure `rejudge` on the log of a game of 20 minutes: read it, judge it again, compare every verdict."""
    seen = list(_long_game())
    header = Header(rules_name="pagat", source="simulated")
    with tempfile.TemporaryDirectory() as folder:
        with GameLog.create(Path(folder), header) as log:
            session = Session(Tracker(rule_set("pagat")), log)
            for observation in seen:
                session.take(observation)
        logged = LoggedGame(log.directory)
        begun_ns = process_time_ns()
        differing = sum(1 for _ in differences(logged, judge_for(logged.header)))
        spent_ns = process_time_ns() - begun_ns
    assert not differing, "the same observations brought other verdicts"
    return Cost(len(seen), spent_ns / 1e9, hashlib.sha256(msgspec.json.encode(seen)).hexdigest()[:12])


def _long_game() -> Iterator[AnyObservation]:
    """The first 20 minutes of the first game of the corpus that lasts so long."""
    games = (corpus_game(n) for n in range(GAMES))
    seen = next(game for game in games if game[-1].at_ns - game[0].at_ns >= LONG_GAME_NS)
    return (one for one in seen if one.at_ns - seen[0].at_ns <= LONG_GAME_NS)
