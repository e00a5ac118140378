"""What can be wrong with a table's rig, as a table of checks; each answers with a state, a finding and its cure."""

from hardware.checks.report import Answer, Check, State, worst
from hardware.checks.table import CHECKS, run_checks

__all__ = ["CHECKS", "Answer", "Check", "State", "run_checks", "worst"]
