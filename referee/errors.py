"""Everything this product raises on purpose. Each message is one sentence for a person and names the cure.

Errors are about files, devices and settings; what players do is never an error but a ruling.
"""

from typing import Final

NOT_YOURS: Final = "it belongs to somebody else: after the installation log out and in again, or use sudo"
"""The cure where this user may not read or write a file."""


class RefereeError(Exception):
    """Base of every error that a user may meet. The command line prints it and exits with 2."""


def cause_of(error: Exception) -> str:
    """Return why a file could not be read, in the system's words but without its numbers and paths."""
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text"
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


class NotationError(RefereeError, ValueError):
    """Text that is not a card, a row, a play or a position."""


class SettingsError(RefereeError, ValueError):
    """A setting or a house rule that cannot work; the message starts with its dotted name."""


class TableFileError(RefereeError, ValueError):
    """A table file that is missing, damaged, foreign or does not fit the picture."""


class PictureError(RefereeError, ValueError):
    """A picture or video that cannot be read, or in which no table can be found."""


class DeckError(RefereeError, ValueError):
    """A deck that cannot be enrolled, or the file of one that is damaged."""


class LogError(RefereeError, ValueError):
    """A game log that is missing, foreign or cannot be understood."""


class CorrectionError(RefereeError, ValueError):
    """Corrections that cannot be taken in: damaged, about another game, or of a game that is being played."""


class DeviceError(RefereeError, RuntimeError):
    """A camera, pad, light or buzzer that is missing, busy or silent."""


class PhaseError(RefereeError, RuntimeError):
    """A bug: the caller asked for a change of phase that the table of phases does not have."""
