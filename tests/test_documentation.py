"""What the documentation and the messages name is there: commands with their options, and files that are linked to."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer

from referee.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SOURCES = [path for folder in ("referee", "hardware", "calibration") for path in sorted((ROOT / folder).rglob("*.py"))]
COMMAND = re.compile(r"spit-referee((?: +[^\s`|)\"']+)+)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def commands_in(text: str) -> Iterator[tuple[click.Command, list[str]]]:
    """Yield each command that is told of, with the words after its name."""
    root = typer.main.get_command(app)
    for found in COMMAND.finditer(text):
        command, words = root, found[1].split()
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        if command is not root:
            yield command, words


def test_every_command_that_is_told_of_has_these_options() -> None:
    told = 0
    for path in (*PAGES, *SOURCES):
        for command, words in commands_in(path.read_text(encoding="utf-8")):
            known = {"--help"}.union(*(option.opts + option.secondary_opts for option in command.params))
            options = {word.rstrip(".,;:").partition("=")[0] for word in words if word.startswith("--")}
            assert options <= known, f"{path.name}: {command.name} {' '.join(words)}"
            told += 1
    assert told > 150


def test_a_package_is_put_where_the_referee_finds_it() -> None:
    for path in SOURCES:
        assert "`pip " not in path.read_text(encoding="utf-8"), f"{path}: name the environment's own, with hardware.pip"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_file_that_is_linked_to_is_there(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
