"""What the handler of an event returns: the ruling, the table afterwards, and what the table is told."""

from collections.abc import Sequence

from referee.game.announcements import AnyAnnouncement
from referee.game.events import AnyEvent
from referee.game.position import Position
from referee.game.rulings import IGNORED, NOTHING, Ruling

Said = tuple[AnyAnnouncement, ...]
Outcome = tuple[Ruling, Position, Said]
Burst = Sequence[AnyEvent]
"""All events of the burst, for the few questions that depend on what came at the same time."""


def nothing(position: Position, *said: AnyAnnouncement) -> Outcome:
    """There is nothing to rule."""
    return NOTHING, position, said


def ignored(position: Position, *said: AnyAnnouncement) -> Outcome:
    """It changes nothing."""
    return IGNORED, position, said
