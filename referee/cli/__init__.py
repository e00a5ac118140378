"""The command line: `spit-referee`. One module per command; each loads what it needs only when it runs."""

import os
import sys
from typing import Final

from referee.cli.app import app
from referee.errors import RefereeError

SILENCE: Final = (("OPENCV_LOG_LEVEL", "OFF"), ("OPENCV_FFMPEG_LOGLEVEL", "-8"))
"""The libraries' own words about a bad picture: the command says it in a sentence. Set these to hear them again."""


def main() -> None:
    """Run the command line. A `RefereeError`, or a file that cannot be used, becomes one sentence on
    stderr and exit code 2."""
    for variable, silent in SILENCE:
        os.environ.setdefault(variable, silent)
    try:
        app()
    except SystemExit as end:
        # Nobody reads any more (`read *.jpg | head -1`): the library that parses the command line calls that a 1,
        # which means something else here. It leaves this wrapper behind, so that nothing is written at the end.
        nobody_reads = type(sys.stdout).__name__ == "PacifyFlushWrapper"
        sys.exit(0 if end.code == 1 and nobody_reads else end.code)
    except RefereeError as error:
        print(f"spit-referee: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"spit-referee: {place}{error.strerror or error}; give another path or free this one", file=sys.stderr)
        sys.exit(2)


__all__ = ["app", "main"]
