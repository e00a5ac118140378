"""Work that is done bit by bit, a frame for each bit: no frame has to pay for all of it."""

from collections.abc import Generator
from typing import TypeAlias, TypeVar

Result = TypeVar("Result")
Steps: TypeAlias = Generator[None, None, Result]
"""Yields after each bit of work, and returns what came out."""


def at_once(steps: Steps[Result]) -> Result:
    """Do all bits now and return what came out."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: Result = done.value
            return result
