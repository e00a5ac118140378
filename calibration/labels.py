"""Folders of photographs with `labels.csv`, as the measuring commands take them."""

import csv
from pathlib import Path
from typing import Final

from referee.errors import PictureError, cause_of
from referee.files import read_given_text

COLUMNS: Final = ("file", "kind", "cards", "deck", "notes")


def labels_in(folder: Path) -> list[dict[str, str]]:
    """Return the rows of `folder/labels.csv` by the names of its columns; cells that lack are empty.

    Raises PictureError where there is no such file, or one without a row or a column that is needed."""
    path = folder / "labels.csv"
    try:
        reader = csv.DictReader(read_given_text(path).splitlines(), restval="")
        rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PictureError(f"{path} cannot be read ({cause_of(error)}): give a folder with labels") from None
    lacking = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if lacking or not rows:
        lacks = f"has no column {', '.join(lacking)}" if lacking else "names no photograph"
        raise PictureError(f"{path} {lacks}: its first line is {','.join(COLUMNS)}, then a line for each photograph")
    return rows
