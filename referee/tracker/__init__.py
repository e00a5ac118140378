"""From noisy observations to verdicts: order in time, gestures, evidence over several possible worlds, decisions."""

from referee.tracker.tracker import Tracker

__all__ = ["Tracker"]
