"""The command line: `spit-referee`. One module per command; each loads what it needs only when it runs."""

import os
import signal
import sys
import threading
from typing import Final

from referee.errors import NOT_YOURS, RefereeError

SILENCE: Final = (("OPENCV_LOG_LEVEL", "OFF"), ("OPENCV_FFMPEG_LOGLEVEL", "-8"))
"""The libraries' own words about a bad picture: the command says it in a sentence. Set these to hear them again."""

IN_NATIVE_CODE: Final = ("eyes", "camera")
"""First words of the names of threads that work inside drivers and OpenCV."""

LONGEST_SENTENCE: Final = 1000


def main() -> None:
    """Run the command line. A `RefereeError`, or a file that cannot be used, becomes one sentence on
    stderr and exit code 2."""
    for variable, silent in SILENCE:
        os.environ.setdefault(variable, silent)
    end_in_order()
    leave(exit_code())


def end_in_order() -> None:
    """Whoever ends a command, or closes its terminal, ends it as Ctrl-C does: lights go out, the buzzer is silent."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` keeps it running
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def exit_code() -> int | str | None:
    """Run the command and return how the process is to end."""
    try:
        from referee.cli.app import app  # takes a second on a small computer: Ctrl-C ends that, too

        app()
    except SystemExit as end:
        # Nobody reads any more (`read *.jpg | head -1`): the libraries that parse the command line and draw tables
        # call that a 1, which means something else here.
        return 0 if end.code == 1 and isinstance(end.__context__, BrokenPipeError) else end.code
    except RefereeError as error:
        print(f"spit-referee: {one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        cure = NOT_YOURS if isinstance(error, PermissionError) else "give another path or free this one"
        print(f"spit-referee: {place}{error.strerror or error}; {cure}", file=sys.stderr)
        return 2
    return 0


def one_line(error: RefereeError) -> str:
    """Return what an error says: a file's own words in it steer no terminal and fill no screen."""
    from referee.replay.words import plain

    return plain(str(error), LONGEST_SENTENCE)


def leave(code: int | str | None) -> None:
    """End the process. A thread that still hangs in a camera's driver or in OpenCV is not waited for.

    Python would end such a thread in the middle of C++ code, which aborts the process with a message that helps nobody.
    """
    hangs = any(thread.name.split()[0] in IN_NATIVE_CODE for thread in threading.enumerate())
    if hangs and isinstance(code, int | None):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code or 0)
    sys.exit(code)
