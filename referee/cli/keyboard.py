"""Single keys from the terminal, without Enter, while something else runs."""

import sys
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Self

CHECK_S: Final = 0.2


class Keyboard:
    """In a `with` block every key goes to `on_key`, from a thread. Without a terminal it does nothing."""

    def __init__(self, on_key: Callable[[str], object]) -> None:
        self._on_key = on_key
        self._stopping = Event()
        self._thread: Thread | None = None
        self._before: Any = None  # what tcgetattr gives, handed back as it was

    def __enter__(self) -> Self:
        if sys.stdin.isatty():
            import termios
            import tty

            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
            self._thread = Thread(target=self._read, name="keyboard", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=1)
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def _read(self) -> None:
        import select

        while not self._stopping.is_set():
            if select.select([sys.stdin], [], [], CHECK_S)[0] and (key := sys.stdin.read(1)):
                self._on_key(key)
