"""Looking at a logged game: what happened, who was first and by how much, and how both played."""

from referee.replay.moments import Deal, Duel, Edge, Moment, Span, Timeline
from referee.replay.statistics import Statistics, statistics_of
from referee.replay.timeline import timeline_of

__all__ = ["Deal", "Duel", "Edge", "Moment", "Span", "Statistics", "Timeline", "statistics_of", "timeline_of"]
