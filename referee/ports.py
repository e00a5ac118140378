"""What the edge fills in: the shape of what touches the world. The core imports nothing from the edge."""

from collections.abc import Callable

from referee.observations import AnyObservation

ObservationSink = Callable[[AnyObservation], None]
"""Where a sensor's thread drops what it saw: stamps and enqueues, nothing else."""
