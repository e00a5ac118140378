"""Writes `docs/messages.md`: every sentence that the referee may say about a fault, collected from its source text.

`python docs/make_messages.py` writes it anew; `--check` only says whether it is up to date (exit 1 if not).
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FILE: Final = ROOT / "docs" / "messages.md"
PARTS: Final = (
    ("referee/web", "The pages"),
    ("referee/cli", "Commands"),
    ("referee/log", "Games on the disk"),
    ("referee/replay", "Replay"),
    ("referee/rules", "House rules"),
    ("referee/settings.py", "Settings"),
    ("hardware/cameras", "Camera"),
    ("hardware/pads", "Pads"),
    ("hardware/signals", "Lights and buzzer"),
    ("hardware/checks", "`spit-referee check`"),
    ("calibration", "Set-up"),
    ("hardware", "Table, pictures and deck"),
    ("referee", "The rest"),
)
HEAD: Final = """# Every message

What the referee says when something is wrong, and where it comes from. Words in ⟨angle brackets⟩ are filled in. A
sentence says what is wrong and, after the semicolon or the colon, what to do. Look for a few words of yours with the
browser's search; [trouble by symptom](trouble.md) starts from what you see instead. Written by `docs/make_messages.py`.
"""


Words = dict[str, str]
"""Texts that a function has given names to."""


def messages(path: Path) -> Iterator[str]:
    """Yield the sentences of a module: what it raises, what its checks answer, what its pages refuse."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _said_in(part)


def _said_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    nodes = sorted((node for node in ast.walk(function) if hasattr(node, "lineno")), key=lambda node: node.lineno)
    words: Words = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if text := told(value, {}):
                words[name] = text
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[first, *_])) if name.endswith("Error"):
                yield told(first, words)
            case ast.Call(func=ast.Name(id="refusal"), args=[first, *_]):
                yield told(first, words)
            case ast.Call(func=ast.Name(id="fail" | "warn" as state), args=[says, cure]):
                first, then = told(says, words), told(cure, words)
                if first and then:
                    yield f"{state.upper()} {first}. {then[:1].upper()}{then[1:]}"


def told(node: ast.expr, words: Words) -> str:
    """Return a text of the source with what is filled in in angle brackets; empty where it is no text."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr():
            return "".join(told(part, words) for part in node.values)
        case ast.FormattedValue(value=ast.Name(id=name)) if name in words:
            return words[name]
        case ast.FormattedValue():
            return f"⟨{_name(node.value)}⟩"
        case ast.Name(id=name):
            return words.get(name, f"⟨{name}⟩")
        case _:
            return ""


def _name(node: ast.expr) -> str:
    """Return the first name in an expression, as words."""
    found = [part.attr if isinstance(part, ast.Attribute) else part.id for part in ast.walk(node)
             if isinstance(part, ast.Attribute | ast.Name)]  # fmt: skip
    return found[0].replace("_", " ").strip() if found else "…"


def _is_sentence(text: str) -> bool:
    """Whether a text says something besides what is filled in."""
    return len(re.sub(r"⟨[^⟩]*⟩", "", text).split()) > 2


def index() -> str:
    """Return the page."""
    found: dict[str, dict[str, set[str]]] = {title: {} for _, title in PARTS}
    for folder in ("referee", "hardware", "calibration"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if "training" in path.parts or "simulated" in path.parts or "measure_" in name:
                continue
            title = next(title for start, title in PARTS if name.startswith(start))
            for text in messages(path):
                if _is_sentence(text):
                    found[title].setdefault(text.replace("|", "\\|").replace("\n", " "), set()).add(name)
    lines = [HEAD]
    for title, texts in found.items():
        if texts:
            lines += [f"\n## {title}\n", "| it says | from |", "|---|---|"]
            lines += [f"| {text} | {', '.join(sorted(names))} |" for text, names in sorted(texts.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    fresh = index()
    if "--check" in sys.argv:
        sys.exit(0 if FILE.exists() and FILE.read_text(encoding="utf-8") == fresh else f"{FILE} is out of date")
    FILE.write_text(fresh, encoding="utf-8")
