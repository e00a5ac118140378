"""What every test of the pages may ask for."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from served import Table
from visitor import Visitor


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with ExitStack() as stack:
        yield Table(tmp_path, stack)


@pytest.fixture
def visit(table: Table) -> Callable[[], Visitor]:
    """Put the pages up for this machine; call it to come to them."""
    server = table.serve()
    return lambda: Visitor(server.port)
