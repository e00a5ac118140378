"""Who may import whom, checked on the source text: nothing is imported to find out."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

IMPURE = {
    "asyncio",
    "datetime",
    "logging",
    "multiprocessing",
    "os",
    "pathlib",
    "queue",
    "random",
    "socket",
    "subprocess",
    "threading",
    "time",
}
EDGE = {"cv2", "numpy", "gpiozero", "gpiod", "lgpio", "RPi", "picamera2", "libcamera", "onnxruntime"}
HARDWARE_LIBRARIES = {"gpiozero", "gpiod", "lgpio", "RPi", "picamera2", "libcamera"}
WEB_LIBRARIES = {"itsdangerous", "segno", "starlette", "uvicorn"}
TOP = {"benching.py", "cli", "demo.py", "judging_cost.py", "mqtt.py", "session.py", "watching.py", "web"}
"""Parts of `referee/` that sit on top of everything: they may import hardware and calibration."""
WITH_FILES = {"files.py", "house_rules.py", "log", "replay", "settings.py"}
WITH_CHANCE = {"simulated"}
"""Simulated games: seeded chance, all cores, and the time that the tracker takes."""
VOCABULARY = {
    "referee.cards",
    "referee.errors",
    "referee.files",
    "referee.observations",
    "referee.ports",
    "referee.script",
    "referee.settings",
    "referee.signals",
    "referee.table",
    "referee.units",
    "referee.verdicts",
}


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imports(path: Path, *, only_at_top: bool = False) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if only_at_top else list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: absolute imports only"
            found |= {node.module or ""}
    return found


def tops(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def part(path: Path) -> str:
    """The first name below `referee/`: a package or a module."""
    return path.relative_to(ROOT / "referee").parts[0]


@pytest.mark.parametrize("path", [p for p in sources("referee") if part(p) not in TOP], ids=str)
def test_the_core_knows_no_edge_and_no_effects(path: Path) -> None:
    allowed = {"os", "pathlib", "datetime", "time"} if part(path) in WITH_FILES else set()
    allowed |= {"random", "multiprocessing", "time"} if part(path) in WITH_CHANCE else set()
    banned = (EDGE | IMPURE | {"hardware", "calibration", "tests"}) - allowed
    assert not tops(imports(path)) & banned


@pytest.mark.parametrize("path", sources("hardware"), ids=str)
def test_hardware_speaks_the_vocabulary_and_never_judges(path: Path) -> None:
    names = imports(path)
    spoken = {name for name in names if name.split(".")[0] == "referee"}
    assert spoken <= VOCABULARY
    assert "calibration" not in tops(names)


@pytest.mark.parametrize("path", sources("hardware") + sources("calibration") + sources("referee"), ids=str)
def test_hardware_libraries_load_late(path: Path) -> None:
    assert not tops(imports(path, only_at_top=True)) & HARDWARE_LIBRARIES


@pytest.mark.parametrize("path", [p for p in sources("calibration") if "training" not in p.parts], ids=str)
def test_calibration_never_reaches_for_the_command_line(path: Path) -> None:
    assert not {n for n in imports(path) if n.startswith(("referee.cli", "referee.web", "referee.demo"))}
    assert "torch" not in tops(imports(path))


@pytest.mark.parametrize("path", sources("hardware") + sources("calibration") + sources("referee"), ids=str)
def test_only_the_command_line_knows_of_the_pages(path: Path) -> None:
    names = imports(path)
    of_the_pages = {name for name in names if name.startswith("referee.web")}
    if path.is_relative_to(ROOT / "referee" / "web"):
        assert not {name for name in names if name.startswith("referee.cli")}
        return
    assert not tops(names) & WEB_LIBRARIES
    assert not of_the_pages or path.is_relative_to(ROOT / "referee" / "cli")
