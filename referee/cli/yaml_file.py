"""A YAML file of a person's: what it holds, or in one sentence why it cannot be used."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import yaml

from referee.errors import NotationError
from referee.files import read_given

MOST_VALUES: Final = 1_000_000
"""A file that means more than that, by aliases of aliases, is meant to do harm."""


def load_yaml(path: Path) -> Any:
    """Return what a YAML file holds.

    Raises:
        NotationError: it cannot be read, is not YAML, or would fill the memory.
    """
    try:
        document = yaml.load(read_given(path), Loader=yaml.CSafeLoader)
        values = count_values(document, {})
    except OSError as error:
        raise NotationError(f"{path} cannot be read ({error.strerror}): check the path") from None
    except RecursionError:
        raise NotationError(f"{path} is nested too deeply: give YAML or JSON as in a scenario") from None
    except (yaml.YAMLError, ValueError) as error:
        raise NotationError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    if values > MOST_VALUES:
        raise NotationError(f"{path} repeats itself without end: leave the aliases (*name) out")
    return document


def count_values(value: Any, counted: dict[int, int]) -> int:
    """Return how many values there are with all aliases written out; `counted` remembers parts by their identity."""
    inside: Iterable[Any] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if id(value) not in counted:
        count = 1 + sum(count_values(one, counted) for one in inside)
        if count == 1:
            return 1
        counted[id(value)] = count
    return counted[id(value)]
