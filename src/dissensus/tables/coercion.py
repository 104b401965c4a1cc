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
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from dissensus.errors import InputError
from dissensus.tables.columns import as_polars, column_or_none
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

Verb = TypeVar("Verb", bound=Callable[..., Any])
Table = TypeVar("Table", Runs, Judgments)
RUN, ASSESSOR = "run", "assessor"  # the names of one run and one assessor that have none


def as_runs(given: Any) -> Runs:
    """Runs as they are, and Runs from paths, {system: {topic: {doc: score}}}, {topic: {doc: score}}, frames …"""
    table = _as_table(given, Runs, "runs", "system", RUN)
    if table is not None:
        return table
    topic, doc, score = _objects(given, "runs", ("query_id", "doc_id", "score"))
    return Runs.from_columns([RUN] * len(topic), topic, doc, score, source="the objects")


def as_judgments(given: Any) -> Judgments:
    """Judgments as they are, and Judgments from paths, {assessor: {topic: {doc: grade}}}, {topic: {doc: grade}}, …"""
    table = _as_table(given, Judgments, "judgments", "assessor", ASSESSOR)
    if table is not None:
        return table
    topic, doc, grade, iteration = _objects(given, "judgments", ("query_id", "doc_id", "relevance"), "iteration")
    who = list(map(str, iteration))
    if len(set(who)) < 2:  # an iteration that is always the same names no one
        who = [ASSESSOR] * len(who)
    return Judgments.from_columns(topic, doc, who, grade, source="the objects")


def _as_table(given: Any, kind: type[Table], role: str, owner: str, nameless: str) -> Table | None:
    """The table itself, or one from paths, a frame or a dict; None for all else.

    `owner` is whose the rows are, a system or an assessor: where only one is there, without a name, it is `nameless`.
    """
    if isinstance(given, kind):
        return given
    if isinstance(given, Runs | Judgments):
        raise _exchanged(role, given)
    if _is_paths(given):
        from dissensus.io import api

        read: Callable[..., Table] = getattr(api, f"read_{role}")
        return read(given)
    if _is_frame(given):
        frame = as_polars(given)
        named = column_or_none(frame.columns, owner, "the frame") is not None
        one: dict[str, Any] = {} if named else {owner: nameless}
        return kind.from_frame(frame, **one)
    nested = _nested(given)
    if nested is None:
        return None
    return kind.from_dict(nested if _depth(nested) > 2 else {_name(given) or nameless: nested})


def as_judge(given: Any) -> Any:
    """The name of an assessor as it is; everything else as Judgments."""
    return given if isinstance(given, str) else as_judgments(given)


def as_gold(given: Any) -> Any:
    """An audit, a confusion or calibrations as they are; paths, frames, dicts and objects as an audit."""
    from dissensus.tables.audit import Audit

    if isinstance(given, Audit | Judgments):
        return given
    if isinstance(given, str | os.PathLike):
        from dissensus.io.api import read_audit

        return read_audit(given)
    if _is_frame(given):
        return Audit.from_frame(as_polars(given))
    return as_judgments(given) if _is_nested(given) or _holds(given, "relevance") else given


def as_grades(given: Any) -> Any:
    """One topic's grades, and {topic: grades}, as they are; everything that holds documents as Judgments."""
    names = [str(c) for c in given] if isinstance(given, dict) else []  # {topic: grades}, or columns by name?
    tabular = _is_frame(given) and (not names or column_or_none(names, "doc", "the columns") is not None)
    documents = tabular or _is_paths(given) or _is_nested(given) or _holds(given, "relevance")
    return as_judgments(given) if documents else given


def as_scores(given: Any) -> Any:
    """A Dataset of scores as it is; paths, and frames with system, topic, measure and value, as one."""
    if _is_paths(given):
        from dissensus.io.score_files import read_scores

        return read_scores(given)
    if isinstance(given, dict) or _is_frame(given):
        from dissensus.io.score_files import scores_of_frame

        return scores_of_frame(as_polars(given))
    return given


_TURN: dict[str, Callable[[Any], Any]] = {
    "runs": as_runs,
    **dict.fromkeys(("judgments", "original", "noisy", "truth"), as_judgments),
    **dict.fromkeys(("reference", "observed", "gold"), as_judge),
    **dict.fromkeys(("audit", "audit_or_confusion"), as_gold),
    "grades": as_grades,
    "scores": as_scores,
}


def coerced(verb: Verb) -> Verb:
    """A verb that takes whatever a user holds, by the names of its arguments: runs, judgments, audit, scores …"""
    signature = inspect.signature(verb)
    mine = [name for name in signature.parameters if name in _TURN]

    @functools.wraps(verb)
    def call(*args: Any, **options: Any) -> Any:
        bound = signature.bind(*args, **options)
        for name in mine:
            if bound.arguments.get(name) is not None:
                bound.arguments[name] = _TURN[name](bound.arguments[name])
        return verb(*bound.args, **bound.kwargs)

    return call  # type: ignore[return-value]


def _is_paths(given: Any) -> bool:
    if isinstance(given, str | os.PathLike):
        return True
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(g, str | os.PathLike) for g in given)


def _is_frame(given: Any) -> bool:
    columns = isinstance(given, dict) and bool(given) and all(isinstance(c, list | tuple) for c in given.values())
    arrow = hasattr(given, "__arrow_c_stream__") and hasattr(given, "schema")  # tables; columns have it, too
    tabular = hasattr(given, "columns") or arrow
    return columns or (tabular and not isinstance(given, Mapping))


def _is_nested(given: Any) -> bool:
    """{topic: {doc: …}} or deeper, or an object of ranx."""
    nested = _nested(given)
    return nested is not None and any(isinstance(v, Mapping) for v in nested.values())


def _holds(given: Any, field: str) -> bool:
    """A list of objects that have a field, as ir_measures' have."""
    return isinstance(given, list | tuple) and bool(given) and all(hasattr(one, field) for one in given)


def _nested(given: Any) -> Mapping[Any, Any] | None:
    """A dict as it is, ranx' Run and Qrels as the dict they hold."""
    if isinstance(given, Mapping):
        return given
    if type(given).__module__.split(".")[0] == "ranx" and hasattr(given, "to_dict"):
        return {str(t): dict(docs) for t, docs in given.to_dict().items()}
    return None


def _depth(nested: Any) -> int:
    """How many dicts are inside one another, along the first path."""
    depth = 0
    while isinstance(nested, Mapping) and nested:
        depth += 1
        nested = next((v for v in nested.values() if v != {}), None)
    return depth + (isinstance(nested, Mapping) or nested is None) if depth < 2 else depth


def _name(given: Any) -> str | None:
    name = None if isinstance(given, Mapping) else getattr(given, "name", None)
    return str(name) if name else None


def _objects(given: Any, role: str, fields: tuple[str, ...], *further: str) -> list[list[Any]]:
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
