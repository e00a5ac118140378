"""Which tests run: slow ones on request, tests with system tools where the tool is. Nothing is skipped in silence."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")  # how long an example takes says how busy the machine is

ROOT = Path(__file__).parents[1]

TOOLS = {
    "browser": ("chromium", "chromium-browser", "google-chrome"),
    "systemd": ("systemd-analyze",),
    "broker": ("mosquitto",),
    "vm": ("qemu-system-x86_64",),
}
"""Marker -> programs, any of which serves."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests too")


def find_tool(marker: str) -> str | None:
    """Return the path of the program that tests with this marker need, or None."""
    extra = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    return next((path for name in TOOLS[marker] if (path := shutil.which(name, path=extra))), None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = {marker for marker in TOOLS if find_tool(marker) is None}
    required = {name.strip() for name in os.environ.get("REQUIRE", "").split(",") if name.strip()}
    if required - set(TOOLS):
        raise pytest.UsageError(f"REQUIRE names {sorted(required - set(TOOLS))}; known are {sorted(TOOLS)}")
    for item in items:
        for marker in missing:
            if item.get_closest_marker(marker) and marker in required:
                raise pytest.UsageError(f"REQUIRE={marker}, but none of {', '.join(TOOLS[marker])} is installed")
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=f"{TOOLS[marker][0]} is not installed ({marker})"))
        # Root, 5 GB and up to an hour: nobody who types `make test` asks for that. The summary counts what was not run.
        if item.get_closest_marker("vm") and "vm" not in required and "VM_CHECKS" not in os.environ:
            item.add_marker(pytest.mark.skip(reason="boots a virtual machine, takes long: make test-vm"))
        if item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow (make test SLOW=1)"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"not run: {count} x {reason.removeprefix('Skipped: ')}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, for tests marked `browser`; it asks nobody on the network for anything."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as engine:
        found = engine.chromium.launch(
            executable_path=find_tool("browser"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield found
        found.close()


@pytest.fixture(scope="session")
def wait_until() -> Callable[[Any, str], None]:
    """Waits until an expression is true in a page. Playwright's own way evaluates it there, which our pages forbid."""

    def wait(page: Any, expression: str) -> None:
        for _ in range(300):
            if page.evaluate(expression):
                return
            page.wait_for_timeout(50)
        raise AssertionError(f"never true: {expression}")

    return wait


@pytest.fixture(scope="session")
def mosquitto() -> str:
    """The path of the broker's program; tests that want it carry its marker."""
    program = find_tool("broker")
    assert program is not None
    return program


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with handed photographs and table pictures; tests that want it skip visibly where it is not."""
    folder = Path(os.environ.get("SPIT_SHARED", ROOT.parent / "shared"))
    if not (folder / "table").is_dir():
        pytest.skip(f"no measuring pictures here ({folder} or $SPIT_SHARED)")
    return folder
