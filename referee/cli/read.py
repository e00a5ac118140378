"""`spit-referee read PICTURE...`: every face-up card in still photographs."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.errors import PictureError

if TYPE_CHECKING:
    from hardware.vision.stills import StillCard


def read(
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURE...", help="Photographs: JPEG or PNG.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a picture.")] = False,
) -> None:
    """Read every face-up card in still photographs, without calibration."""
    from hardware.vision.stills import StillReader, open_picture

    reader, found, failed = StillReader(), 0, False
    for path in pictures:
        try:
            cards = reader.read(open_picture(path))
        except PictureError as error:
            failed = True
            _tell_failure(path, error, as_json)
            continue
        found += len(cards)
        print(
            json.dumps({"file": str(path), "cards": [_as_json(card) for card in cards]})
            if as_json
            else _sentence(path, cards),
            flush=True,
        )
    if failed:
        raise typer.Exit(2)
    if not found:
        raise typer.Exit(1)


def _tell_failure(path: Path, error: PictureError, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"file": str(path), "error": str(error)}), flush=True)
    else:
        print(f"spit-referee: {error}", file=sys.stderr)


def _as_json(card: "StillCard") -> dict[str, object]:
    unsure = {"best": card.best} if card.card != card.best else {}
    quad = None if card.quad is None else [[round(float(x), 1), round(float(y), 1)] for x, y in card.quad]
    return {"card": card.card, **unsure, "p": round(card.p, 4), "top": card.top, "quad": quad}


def _sentence(path: Path, cards: "list[StillCard]") -> str:
    if not cards:
        return f"{path}: no card"
    return f"{path}: " + ", ".join(_words(card) for card in cards)


def _words(card: "StillCard") -> str:
    name = card.card if card.card == card.best else f"?? (perhaps {card.best})"
    return name if card.top else f"{name} (partly covered)"
