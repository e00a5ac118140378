"""Who may see the pages: only this machine, or the local network with a PIN. Kept in one file beside the table file."""

import secrets
from collections import deque
from collections.abc import Callable
from hmac import compare_digest
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

import msgspec

from hardware.wholefile import replace_whole
from referee.errors import NOT_YOURS, SettingsError, cause_of
from referee.files import read_given

ACCESS_FILE: Final = "web.json"
PIN_DIGITS: Final = 6
MADE_AGAIN: Final = "make it again with `spit-referee web open` or `spit-referee web close`"


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the local network may come in, by which PIN; `secret` signs the sessions and changes with the PIN."""

    open: bool = False
    pin: str = ""
    secret: str = ""

    def lets_in(self, pin: str) -> bool:
        """Return whether this is the PIN; takes the same time whatever is wrong."""
        return bool(self.pin) and compare_digest(pin.encode(), self.pin.encode())


def fresh_access(open_: bool) -> Access:
    """Return a new PIN and secret: everybody who was signed in is out."""
    pin = "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
    return Access(open=open_, pin=pin, secret=secrets.token_urlsafe(32))


def access_file(table_file: Path) -> Path:
    """Return where it is kept: beside the table file, so that the service and its owner mean the same one."""
    return table_file.with_name(ACCESS_FILE)


def load_access(path: Path) -> Access:
    """Return what is kept, or a closed door with a secret of its own.

    Raises:
        SettingsError: the file is damaged or foreign, or has no PIN for those whom it lets in.
    """
    try:
        access = msgspec.json.decode(read_given(path), type=Access)
    except FileNotFoundError:
        return fresh_access(open_=False)
    except PermissionError:
        raise SettingsError(f"{path} cannot be read; {NOT_YOURS}") from None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{path} does not say who may see the pages ({cause_of(error)}); {MADE_AGAIN}") from None
    if access.open and not (access.pin and access.secret):
        raise SettingsError(f"{path} opens the pages without a PIN; {MADE_AGAIN}")
    return access if access.secret else fresh_access(open_=False)


def save_access(access: Access, path: Path) -> None:
    """Write it, for its owner and group only."""
    replace_whole(path, msgspec.json.format(msgspec.json.encode(access)), mode=0o660)


class Limiter:
    """Lets a key through `count` times in any `seconds`, and all keys together `count_all` times."""

    def __init__(
        self, count: int, seconds: float, count_all: int | None = None, now: Callable[[], float] = monotonic
    ) -> None:
        self._count, self._count_all, self._seconds, self._now = count, count_all, seconds, now
        self._times: dict[str, deque[float]] = {}
        self._lock = Lock()

    def allows(self, key: str) -> bool:
        """Count one more try; return whether it is still within the limit."""
        with self._lock:
            begin = self._now() - self._seconds
            for old in [name for name, times in self._times.items() if times[-1] < begin]:
                del self._times[old]
            times = self._times.setdefault(key, deque(maxlen=self._count))
            while times and times[0] < begin:
                times.popleft()
            everybody = sum(time >= begin for one in self._times.values() for time in one)
            if len(times) >= self._count or (self._count_all is not None and everybody >= self._count_all):
                if not times:
                    del self._times[key]
                return False
            times.append(self._now())
            return True
