"""The documentation's index of messages holds every one that the source can say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_index_of_messages_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make_messages.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr.strip()}: run `python docs/make_messages.py`"


def test_messages_are_found_with_their_cure() -> None:
    text = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
    for sentence in (
        "FAIL white paper is at ⟨level⟩ of 255: far too dark. Put a lamp over the table",
        "port ⟨port⟩ is taken by another program; choose another one with web.port",
        "there is no such setting",
    ):
        assert sentence in text, sentence
