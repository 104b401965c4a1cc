"""Settings that are typed as `name=value` words: each is read as the type of its default."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.arrays import Values
from dissensus.errors import InputError


def settings(defaults: Mapping[str, object], given: Sequence[str]) -> Values:
    """The defaults with `name=value` words put in, each read as its default's type."""
    out = dict(defaults)
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or name not in out:
            raise InputError(f"--set {word}: the settings are {', '.join(out) or 'none'}.", "Write --set name=value.")
        out[name] = _as_default(word, value, defaults[name])
    return out


def _as_default(word: str, value: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
        if isinstance(default, tuple):
            kind = type(default[0]) if default else str
            parts = re.split(r",(?![^(]*\))", value)  # commas in brackets belong to a measure's name
            return tuple(kind(part.strip()) for part in parts if part.strip())
        return value if default is None else type(default)(value)
    except (ValueError, KeyError):
        example = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
        raise InputError(f"--set {word}: expected a value like {example}.") from None
