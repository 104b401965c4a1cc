"""What `dissensus experiment NAME` does, one module per experiment, imported only when that one runs.

A module has

- its docstring: the first line is shown in the list of experiments, the whole by `dissensus experiment NAME --about`;
- `SETTINGS`: {name: default}, what `--set name=value` may change; a value is read as its default's type (tuples as
  comma-separated lists, None as text);
- `run(request) -> Outcome`: no thinking of its own, it calls `dissensus.studies` and hands on tables and charts.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from dissensus.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from dissensus.data.tables.judgments import Judgments
    from dissensus.data.tables.runs import Runs


@dataclass(frozen=True)
class Outcome:
    """Tables to print, what was done in words, single facts for JSON, and charts (functions, drawn only if wanted)."""

    tables: Mapping[str, pl.DataFrame]
    notes: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    charts: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """What the command line asked for."""

    runs: Sequence[str]
    judgments: Sequence[str]
    audit: str | None
    files: Sequence[str]
    assessor: str | None
    scale: str | None
    workers: int | None
    seed: int
    settings: Mapping[str, Any]

    def collection(self) -> tuple[Runs, Judgments]:
        """The runs and judgments named on the command line."""
        if not self.runs or not self.judgments:
            raise InputError(
                "this experiment needs runs and judgments.",
                'Name them: --runs "runs/*" --judgments qrels.txt',
            )
        from dissensus.data.readers.api import read_judgments, read_runs

        return read_runs(*self.runs), read_judgments(*self.judgments, scale=self.scale)


def names() -> list[str]:
    """All experiments there are."""
    return sorted(module.name for module in iter_modules(__path__))


def load(name: str) -> Any:
    """The module of an experiment."""
    known = names()
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, 1)
        raise InputError(
            f"there is no experiment {name!r}.",
            *([f"Did you mean {near[0]}?"] if near else []),
            f"Experiments: {', '.join(known)}.",
        )
    return importlib.import_module(f"{__name__}.{name}")


def settings(module: Any, given: Sequence[str]) -> dict[str, Any]:
    """The module's settings with `name=value` words put in, each read as its default's type."""
    out = dict(module.SETTINGS)
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or name not in out:
            raise InputError(f"--set {word}: the settings are {', '.join(out) or 'none'}.", "Write --set name=value.")
        out[name] = _as_default(word, value, module.SETTINGS[name])
    return out


def _as_default(word: str, value: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
        if isinstance(default, tuple):
            kind = type(default[0]) if default else str
            parts = re.split(r",(?![^(]*\))", value)  # a measure's own commas stand in brackets
            return tuple(kind(part.strip()) for part in parts if part.strip())
        return value if default is None else type(default)(value)
    except (ValueError, KeyError):
        example = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
        raise InputError(f"--set {word}: expected a value like {example}.") from None
