"""The command line: `spit-referee`. One module per command; each loads what it needs only when it runs."""

import sys

from referee.cli.app import app
from referee.errors import RefereeError


def main() -> None:
    """Run the command line. A `RefereeError`, or a file that cannot be used, becomes one sentence on
    stderr and exit code 2."""
    try:
        app()
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
