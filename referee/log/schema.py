"""The log's format for other programs: a JSON schema of one line, made from the types that write it."""

from typing import Any, Final, get_args

import msgspec

from referee.log.header import SCHEMA, Closed, Continued, Header
from referee.observations import AnyObservation
from referee.verdicts import AnyVerdict

KINDS: Final = (Header, *get_args(AnyObservation), *get_args(AnyVerdict), Continued, Closed)


def log_schema() -> dict[str, Any]:
    """Return the JSON schema (2020-12) that every line of a log fits, one definition for each `kind`."""
    references, definitions = msgspec.json.schema_components(KINDS, ref_template="#/$defs/{name}")
    for kind in KINDS:
        _tell_kind(definitions[kind.__name__], numbered=kind not in (Header, Continued, Closed))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One line of a Spit referee's game log, format {SCHEMA}",
        "anyOf": list(references),
        "$defs": dict(sorted(definitions.items())),
    }


def _tell_kind(definition: dict[str, Any], *, numbered: bool) -> None:
    """Lines always carry their kind, and observations and verdicts their running number."""
    if numbered:
        definition["properties"] = {"n": {"type": "integer", "minimum": 0}, **definition["properties"]}
    always = ["n", "kind"] if numbered else ["kind"]
    definition["required"] = always + [name for name in definition.get("required", []) if name not in always]
