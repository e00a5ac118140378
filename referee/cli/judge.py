"""`spit-referee judge`: the rules engine alone, on scenarios or as a partner on stdin and stdout."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.cli.yaml_file import load_yaml
from referee.errors import NotationError, RefereeError
from referee.game.protocol import Session
from referee.game.suite import differences


def judge(
    scenarios: Annotated[
        list[Path] | None,
        typer.Argument(help="Scenario files (YAML), or folders with such files.", metavar="SCENARIO..."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each file.")] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Answer JSON lines on stdin until it ends.")] = False,
) -> None:
    """Play scenarios through the rules engine and name each step that differs; exit 1 if one does."""
    if serve:
        _serve()
        return
    if not scenarios:
        raise NotationError("there is nothing to judge: name scenario files or a folder, or use --serve")
    passed = failed = 0
    for path in _files(scenarios):
        found = list(_play(path))
        passed, failed = passed + (not found), failed + bool(found)
        _report(path, found, as_json)
    if not as_json:
        print(f"{passed} passed, {failed} failed")
    raise typer.Exit(1 if failed else 0)


def _serve() -> None:
    """Whatever comes in, every line is answered by one line."""
    session = Session()
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(session.answer_line(line) + b"\n")
        sys.stdout.buffer.flush()


def _files(paths: list[Path]) -> Iterator[Path]:
    """The files that were named, and those in the folders that were named."""
    for path in paths:
        inside = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
        if not inside:
            raise NotationError(f"there is no scenario (*.yaml) in {path}: name another folder")
        yield from inside


def _play(path: Path) -> Iterator[str]:
    """Every difference of one file; raises NotationError with the file's name."""
    document = load_yaml(path)
    try:
        if not isinstance(document, dict):
            raise NotationError("this is no scenario: it must be a mapping with a start and steps")
        yield from differences(document)
    except RefereeError as error:
        raise NotationError(f"{path}: {error}") from None


def _report(path: Path, found: list[str], as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode({"file": str(path), "ok": not found, "differences": found}).decode())
        return
    for difference in found:
        print(f"{path}: {difference}")
