"""Runs and judgments from whatever a user holds: files, dicts, frames, Arrow tables, objects of ir_measures and ranx.

Every verb goes through `as_runs` and `as_judgments` (the decorator `coerced` does it by the names of its arguments), so
what one of them takes all of them take.

    >>> as_runs({"q1": {"d1": 2.0, "d2": 1.0}})
    Runs(1 system, 1 topic, 2 rows)
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar, get_type_hints

import polars as pl

from dissensus.aliases import described
from dissensus.arrays import Values
from dissensus.errors import InputError, Option, Text
from dissensus.io import audit_files, reading
from dissensus.io.options import PARTS, ReadKeywords, ReadOptions, Role, RoleOptions, spelled_out
from dissensus.io.score_files import scores_from_files, scores_of_frame
from dissensus.tables.audit import Audit
from dissensus.tables.columns import as_polars, column_or_none, plain_column
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

P = ParamSpec("P")
R = TypeVar("R")
RUN, ASSESSOR = "run", "assessor"  # the names of one run and one assessor that have none


def as_runs(given: Any, options: RoleOptions | None = None) -> Runs:
    """Runs as they are, and Runs from paths, {system: {topic: {doc: score}}}, {topic: {doc: score}}, frames …"""
    if isinstance(given, Runs):
        return given
    if isinstance(given, Judgments):
        raise _exchanged("runs", given)

    how = options or ReadOptions().runs
    if is_paths(given):
        return reading.runs_from_files([given], how)
    if _is_frame(given):
        return reading.runs_from_frame(as_polars(given), how, RUN)
    nested = _nested(given)
    if nested is None:
        columns = _objects(given, "runs", ("query_id", "doc_id", "score"))
        return reading.runs_from_frame(_frame(("topic", "doc", "score"), columns), how, RUN)
    return reading.runs_from_dict(nested if _depth(nested) > 2 else {_name(given) or RUN: nested}, how)


def as_judgments(given: Any, options: RoleOptions | None = None) -> Judgments:
    """Judgments as they are, and Judgments from paths, {assessor: {topic: {doc: grade}}}, {topic: {doc: grade}}, …"""
    if isinstance(given, Judgments):
        return given
    if isinstance(given, Runs):
        raise _exchanged("judgments", given)

    how = options or ReadOptions().judgments
    if is_paths(given):
        return reading.judgments_from_files([given], how)
    if _is_frame(given):
        return reading.judgments_from_frame(as_polars(given), how, ASSESSOR)
    nested = _nested(given)
    if nested is None:
        topic, doc, grade, who = _objects(given, "judgments", ("query_id", "doc_id", "relevance"), "iteration")
        by = len(set(map(str, who))) > 1  # an iteration that is always the same names no one
        columns = [topic, doc, grade, *([list(map(str, who))] if by else [])]
        frame = _frame(("topic", "doc", "grade", "assessor")[: len(columns)], columns)
        return reading.judgments_from_frame(frame, how, ASSESSOR)
    return reading.judgments_from_dict(nested if _depth(nested) > 2 else {_name(given) or ASSESSOR: nested}, how)


def _frame(names: Sequence[str], columns: Sequence[list[Any]]) -> pl.DataFrame:
    return pl.DataFrame({name: plain_column(name, values) for name, values in zip(names, columns, strict=True)})


def as_judge(given: object, options: RoleOptions | None = None) -> object:
    """The name of an assessor as it is; everything else as Judgments."""
    return given if isinstance(given, str) else as_judgments(given, options)


def as_gold(given: object, options: RoleOptions | None = None) -> object:
    """An audit, a confusion or calibrations as they are; paths, frames, dicts and objects as an audit."""
    if isinstance(given, Audit | Judgments):
        return given

    how = options or ReadOptions().audit
    if isinstance(given, str | os.PathLike):
        return audit_files.audit_from_file(given, how)
    if _is_frame(given):
        return audit_files.audit_from_frame(as_polars(given), how)
    return as_judgments(given, how) if _is_nested(given) or _holds(given, "relevance") else given


def as_grades(given: object, options: RoleOptions | None = None) -> object:
    """One topic's grades, and {topic: grades}, as they are; everything that holds documents as Judgments."""
    names = [str(c) for c in given] if isinstance(given, dict) else []  # {topic: grades}, or columns by name?
    tabular = _is_frame(given) and (not names or column_or_none(names, "doc", "the columns") is not None)
    documents = tabular or is_paths(given) or _is_nested(given) or _holds(given, "relevance")
    return as_judgments(given, options) if documents else given


def as_scores(given: Any, options: RoleOptions | None = None) -> Any:
    """A Dataset of scores as it is; paths, and frames with system, topic, measure and value, as one."""
    if is_paths(given):
        return scores_from_files([given], options or ReadOptions().scores)
    if isinstance(given, dict) or _is_frame(given):
        return scores_of_frame(as_polars(given), options)
    return given


def as_side(name: str, given: object, options: RoleOptions) -> Runs:
    """One side of a gate; what has no name of its own gets that of its side."""
    runs = as_runs(given, options)
    return replace(runs, systems=(name,)) if runs.systems == (RUN,) and not isinstance(given, Runs) else runs


# argument → (its role, what makes a table of it)
_TURN: dict[str, tuple[Role, Callable[..., Any]]] = {
    "runs": ("runs", as_runs),
    "base": ("runs", functools.partial(as_side, "base")),
    "new": ("runs", functools.partial(as_side, "new")),
    **dict.fromkeys(("judgments", "original", "noisy", "truth"), ("judgments", as_judgments)),
    **dict.fromkeys(("reference", "observed", "gold"), ("judgments", as_judge)),
    **dict.fromkeys(("audit", "audit_or_confusion"), ("audit", as_gold)),
    "grades": ("judgments", as_grades),
    "scores": ("scores", as_scores),
}
_KEYWORDS = get_type_hints(ReadKeywords)


def coerced(verb: Callable[P, R]) -> Callable[P, R]:
    """A verb that takes whatever a user holds, by the names of its arguments: runs, judgments, audit, scores …

    Its last parameter, `**reading: Unpack[ReadKeywords]`, says how that is read: the verb itself never sees it. In
    `help()` each of these keywords stands by itself.
    """
    signature = inspect.signature(verb)
    mine = [name for name in signature.parameters if name in _TURN]
    reading = next((p for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), None)
    own = [] if reading is None else [name for name in signature.parameters if name in _KEYWORDS]

    @functools.wraps(verb)
    def call(*args: P.args, **options: P.kwargs) -> R:
        bound = signature.bind(*args, **options)
        keywords = {} if reading is None else bound.arguments.pop(reading.name, {})
        shared = {name: bound.arguments[name] for name in own if name in bound.arguments}
        how = ReadOptions.of(**keywords, **shared)
        named = {"base", "new"} if bound.arguments.get("scores") is not None else set()  # systems of a table
        given = {n: bound.arguments[n] for n in mine if n in bound.arguments and n not in named}
        bound.arguments.update(inputs(how, how.given & set(keywords), **given))
        return verb(*bound.args, **bound.kwargs)

    return spelled_out(call) if reading is not None else described(call)


def inputs(options: ReadOptions, said: frozenset[str] | None = None, /, **given: object) -> Values:
    """Every input as a table, by the name of its argument; nothing stays nothing.

    Columns that no input has are refused, and keywords (`said`, all that the options hold without it) that are about
    nothing that was read.
    """
    after = {
        name: one if one is None else _TURN[name][1](one, getattr(options, _TURN[name][0]))
        for name, one in given.items()
    }
    read = {_TURN[name][0] for name, table in after.items() if table is not given[name]}
    _refuse_idle(options, set(options.given if said is None else said), read)
    return after


def _refuse_idle(options: ReadOptions, keywords: set[str], read: set[Role]) -> None:
    """Refuse keywords of reading where nothing was read that they could be about."""
    options.refuse_unused()
    labels = {"map", "threshold", "repeated"}
    for name in sorted(options.given & keywords - {"columns"}):
        about = {"judgments"} if name in labels else {"judgments", "audit"} if name == "scale" else set(PARTS)
        if not read & about:
            raise InputError(
                Text(Option(name, None), " says how inputs are read, and what was given is read already."),
                "Give it where the file, frame or dict is read.",
            )


def is_paths(given: object) -> bool:
    """A path, or a list of paths."""
    if isinstance(given, str | os.PathLike):
        return True
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(g, str | os.PathLike) for g in given)


def _is_frame(given: object) -> bool:
    columns = isinstance(given, dict) and bool(given) and all(isinstance(c, list | tuple) for c in given.values())
    arrow = hasattr(given, "__arrow_c_stream__") and hasattr(given, "schema")  # tables; columns have it, too
    tabular = hasattr(given, "columns") or arrow
    return columns or (tabular and not isinstance(given, Mapping))


def _is_nested(given: object) -> bool:
    """{topic: {doc: …}} or deeper, or an object of ranx."""
    nested = _nested(given)
    return nested is not None and any(isinstance(v, Mapping) for v in nested.values())


def _holds(given: object, field: str) -> bool:
    """A list of objects that have a field, as ir_measures' have."""
    return isinstance(given, list | tuple) and bool(given) and all(hasattr(one, field) for one in given)


def _nested(given: object) -> Mapping[Any, Any] | None:
    """A dict as it is, ranx' Run and Qrels as the dict they hold."""
    if isinstance(given, Mapping):
        return given
    if type(given).__module__.split(".")[0] == "ranx" and hasattr(given, "to_dict"):
        return {str(t): dict(docs) for t, docs in given.to_dict().items()}
    return None


def _depth(nested: object) -> int:
    """How many dicts are inside one another, along the first path."""
    depth = 0
    while isinstance(nested, Mapping) and nested:
        depth += 1
        nested = next((v for v in nested.values() if v != {}), None)
    return depth + (isinstance(nested, Mapping) or nested is None) if depth < 2 else depth


def _name(given: object) -> str | None:
    name = None if isinstance(given, Mapping) else getattr(given, "name", None)
    return str(name) if name else None


def _objects(given: object, role: str, fields: tuple[str, ...], *further: str) -> list[list[Any]]:
    """The fields of ir_measures' ScoredDoc or Qrel objects, and `further` ones, "0" where an object lacks them.

    Anything else is an error that says what is taken.
    """
    rows = list(given) if isinstance(given, Iterable) and not isinstance(given, bytes) else None
    if not rows or not all(hasattr(row, f) for row in rows for f in fields):
        kind = "Runs" if role == "runs" else "Judgments"
        raise InputError(
            f"{role} is a {type(given).__name__}, not {kind}.",
            f"Give {kind}, a path, a Polars or pandas frame, an Arrow table, or a dict; read files with read_{role}.",
        )
    return [[getattr(row, field, "0") for row in rows] for field in (*fields, *further)]


def _exchanged(role: str, given: Runs | Judgments) -> InputError:
    kind = "Runs" if role == "runs" else "Judgments"
    return InputError(
        f"{role} is a {type(given).__name__}, not {kind}.", "Runs come first, then judgments, where both are wanted."
    )
