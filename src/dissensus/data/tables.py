"""From columns to Runs and Judgments: check every rule, then code.

All ways in that are not TREC files (dicts, frames, CSV, JSONL, Parquet) come through here as columns, together with
`place(row)`, which says where a row came from ("labels.csv:17"), so that every error can name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.ids import IdColumn, natural_order
from dissensus.data.judgments import Judgments, Repeated
from dissensus.data.runs import Runs
from dissensus.data.scale import HIGHEST, Scale, as_scale
from dissensus.errors import FileError, InputError, JudgmentError, RunError, ScaleError

Place = Callable[[int], str]

SYNONYMS = {
    "system": ("system", "run", "run_id", "runid", "run_name", "tag", "system_id", "model"),
    "topic": ("topic", "topic_id", "topicid", "query", "query_id", "queryid", "qid", "q_id"),
    "doc": ("doc", "doc_id", "docid", "docno", "document", "document_id", "item", "item_id", "pid", "url", "task"),
    "assessor": ("assessor", "assessor_id", "judge", "annotator", "worker", "worker_id", "workerid", "rater", "user"),
    "grade": ("grade", "label", "rel", "relevance", "rating", "judgment", "judgement", "gain"),
    "score": ("score", "sim", "similarity"),
}


# ── columns ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def as_polars(frame: Any) -> pl.DataFrame:
    """A Polars frame from a Polars or pandas one (or anything Polars can read columns from)."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if hasattr(frame, "columns") and hasattr(frame, "to_numpy"):  # pandas, without needing pyarrow
        return pl.DataFrame({str(c): pl.Series(str(c), frame[c].tolist(), strict=False) for c in frame.columns})
    if isinstance(frame, dict):
        return pl.DataFrame(frame)
    raise InputError(f"expected a Polars or pandas frame, not {type(frame).__name__}.")


def find_column(columns: Sequence[str], role: str, source: str, *, needed: bool = True) -> str | None:
    """The column that plays a role, by its name or a synonym, whatever its case."""
    lower = {c.strip().lower(): c for c in columns}
    for name in SYNONYMS[role]:
        if name in lower:
            return lower[name]
    if not needed:
        return None
    raise FileError(
        f"{source} has no column '{role}'; its columns are {', '.join(map(repr, columns)) or 'none'}.",
        f"Name it '{role}' (also understood: {', '.join(SYNONYMS[role][1:])}).",
    )


def id_strings(values: Sequence[Any] | pl.Series, role: str, place: Place) -> pl.Series:
    """Ids as strings; integers and strings alike, nothing else."""
    if not isinstance(values, pl.Series):
        values = list(values)
        if not all(isinstance(v, str | int | np.integer) and not isinstance(v, bool) for v in values):
            row = next(
                i for i, v in enumerate(values) if not isinstance(v, str | int | np.integer) or isinstance(v, bool)
            )
            raise InputError(f"{place(row)}: the {role} {values[row]!r} is neither a whole number nor a string.")
        values = pl.Series(role, [str(v) for v in values], dtype=pl.String)
    series = values
    missing = series.is_null().arg_true()
    if len(missing):
        raise InputError(f"{place(int(missing[0]))}: the {role} is missing.")
    if series.dtype.is_integer():
        return series.cast(pl.String)
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if series.dtype != pl.String:
        raise InputError(
            f"{place(0)}: the {role} {series[0]!r} is of type {series.dtype}; ids are whole numbers or strings."
        )
    empty = (series.str.strip_chars() == "").arg_true()
    if len(empty):
        raise InputError(f"{place(int(empty[0]))}: the {role} is empty.")
    return series


def code(
    names: pl.Series, *, order: Callable[[Sequence[str]], list[int]] = natural_order
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """(vocabulary in order, code of every row)."""
    unique = names.unique().to_list()
    vocabulary = [unique[i] for i in order(unique)]
    lookup = pl.DataFrame(
        {"name": pl.Series(vocabulary, dtype=pl.String), "code": np.arange(len(vocabulary), dtype=np.int32)}
    )
    codes = pl.DataFrame({"name": names}).join(lookup, on="name", how="left", maintain_order="left")["code"]
    return tuple(vocabulary), codes.to_numpy().astype(np.int32)


def by_bytes(names: Sequence[str]) -> list[int]:
    """Positions that sort names by their UTF-8 bytes, trec_eval's order of document ids."""
    return sorted(range(len(names)), key=lambda i: names[i].encode())


def keys_of(ids: IdColumn) -> NDArray[np.uint64]:
    """64-bit hashes of a column's ids."""
    from dissensus.data.hashing import hash_ids

    keys: NDArray[np.uint64] = hash_ids(ids.buffers[0], ids.start.astype(np.int64, copy=False), ids.length)
    return keys


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def runs_from_frame(frame: Any, *, system: str | None, source: str, place: Place | None = None) -> Runs:
    """Runs from a frame with columns system, topic, doc, score."""
    table = as_polars(frame)
    where = place or (lambda row: f"{source}, row {row + 1}")
    columns = {role: find_column(table.columns, role, source) for role in ("topic", "doc", "score")}
    column = find_column(table.columns, "system", source, needed=system is None)
    names = table[column] if column and system is None else pl.Series([system] * table.height, dtype=pl.String)
    return runs_from_columns(
        names, table[columns["topic"]], table[columns["doc"]], table[columns["score"]], source=source, place=where
    )


def runs_from_columns(
    system: Any,
    topic: Any,
    doc: Any,
    score: Any,
    *,
    source: str,
    place: Place | None = None,
    systems: Sequence[str] = (),
) -> Runs:
    """Runs from four columns of equal length; `systems` may name systems that retrieved nothing."""
    where = place or (lambda row: f"{source}, row {row + 1}")
    system = id_strings(system, "system", where)
    topic = id_strings(topic, "topic", where)
    doc = id_strings(doc, "doc", where)
    scores = _finite_scores(score, where)
    if systems:  # a dict may hold a system without topics: it must stay visible
        extra = [str(s) for s in systems if str(s) not in set(system.unique().to_list())]
    else:
        extra = []
    system_names, system_code = code(pl.concat([system, pl.Series(extra, dtype=pl.String)]))
    system_code = system_code[: len(system)]
    topic_names, topic_code = code(topic)
    doc_names, doc_code = code(doc, order=by_bytes)

    # rank order: system, topic, score descending, document id descending
    order = np.lexsort((-doc_code, -scores, topic_code, system_code))
    system_code, topic_code, doc_code, scores = (a[order] for a in (system_code, topic_code, doc_code, scores))
    segment = system_code.astype(np.int64) * max(len(topic_names), 1) + topic_code
    starts = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]]) if len(segment) else np.empty(0, np.int64)
    _refuse_duplicates(segment, doc_code, order, doc_names, system_names, topic_names, where)

    vocabulary = IdColumn.from_strings(doc_names)
    return Runs(
        systems=system_names,
        topics=topic_names,
        segment_system=system_code[starts].astype(np.int32),
        segment_topic=topic_code[starts].astype(np.int32),
        bounds=np.r_[starts, len(segment)].astype(np.int64),
        score=np.ascontiguousarray(scores),
        key=keys_of(vocabulary)[doc_code],
        ids=vocabulary.pick(doc_code),
    )


def _finite_scores(values: Any, place: Place) -> NDArray[np.float64]:
    series = values if isinstance(values, pl.Series) else pl.Series("score", list(values), strict=False)
    if series.dtype == pl.String:
        numbers = series.str.strip_chars().cast(pl.Float64, strict=False)
    elif series.dtype.is_numeric():
        numbers = series.cast(pl.Float64)
    elif not len(series):
        return np.empty(0)
    else:
        raise RunError(f"{place(0)}: the score {series[0]!r} is not a number.")
    bad = (numbers.is_null() | numbers.is_nan() | numbers.is_infinite()).arg_true()
    if len(bad):
        row = int(bad[0])
        raise RunError(
            f"{place(row)}: the score {series[row]!r} is not a finite number.",
            "A score is a finite number; leave out what a system did not retrieve.",
        )
    return numbers.to_numpy().astype(np.float64)


def _refuse_duplicates(
    segment: NDArray[np.int64],
    doc: NDArray[np.int32],
    order: NDArray[np.int64],
    doc_names: Sequence[str],
    systems: Sequence[str],
    topics: Sequence[str],
    place: Place,
) -> None:
    by = np.lexsort((doc, segment))
    twice = np.flatnonzero((segment[by][1:] == segment[by][:-1]) & (doc[by][1:] == doc[by][:-1]))
    if not len(twice):
        return
    a, b = by[twice[0]], by[twice[0] + 1]
    first, second = sorted((int(order[a]), int(order[b])))
    system, topic = divmod(int(segment[a]), len(topics))
    more = f" ({len(twice):,} such repeats in all)" if len(twice) > 1 else ""
    raise RunError(
        f"{place(first)} and {place(second)}: system {systems[system]} retrieves document {doc_names[doc[a]]} "
        f"twice for topic {topics[topic]}{more}.",
        "A ranking holds a document once: keep its best score.",
    )


def select_runs(runs: Runs, systems: Iterable[str] | None, topics: Iterable[str] | None) -> Runs:
    """The segments of some systems and topics, vocabularies cut down to them."""
    keep_s = list(runs.systems) if systems is None else _chosen(runs.systems, systems, "system")
    keep_t = list(runs.topics) if topics is None else _chosen(runs.topics, topics, "topic")
    new_s = _recode(runs.systems, keep_s)[runs.segment_system]
    new_t = _recode(runs.topics, keep_t)[runs.segment_topic]
    keep = np.flatnonzero((new_s >= 0) & (new_t >= 0))
    rows = _ranges(runs.bounds[keep], runs.bounds[keep + 1])
    lengths = runs.bounds[keep + 1] - runs.bounds[keep]
    return Runs(
        systems=tuple(keep_s),
        topics=tuple(keep_t),
        segment_system=new_s[keep].astype(np.int32),
        segment_topic=new_t[keep].astype(np.int32),
        bounds=np.r_[0, np.cumsum(lengths)].astype(np.int64),
        score=runs.score[rows],
        key=runs.key[rows],
        ids=runs.ids.pick(rows),
        notes=runs.notes,
    )


def _chosen(names: Sequence[str], wanted: Iterable[str], role: str) -> list[str]:
    wanted = {str(w) for w in wanted}
    unknown = sorted(wanted - set(names))
    if unknown:
        raise InputError(
            f"no {role} is called {', '.join(map(repr, unknown[:5]))}; there are {', '.join(names[:10])}{' …' if len(names) > 10 else ''}."
        )
    return [n for n in names if n in wanted]


def _recode(names: Sequence[str], kept: Sequence[str]) -> NDArray[np.int64]:
    position = {n: i for i, n in enumerate(kept)}
    return np.array([position.get(n, -1) for n in names], np.int64)


def _ranges(start: NDArray[np.int64], stop: NDArray[np.int64]) -> NDArray[np.int64]:
    """start[0]…stop[0]−1, start[1]…stop[1]−1, … in one array."""
    lengths = stop - start
    offsets = np.repeat(start - np.r_[0, np.cumsum(lengths)[:-1]], lengths) if len(start) else np.empty(0, np.int64)
    return offsets + np.arange(lengths.sum())


# ── judgments ────────────────────────────────────────────────────────────────────────────────────────────────────────
def judgments_from_frame(
    frame: Any,
    *,
    assessor: str | None,
    scale: Scale | Sequence[str] | str | None,
    repeated: Repeated,
    source: str,
    place: Place | None = None,
) -> Judgments:
    """Judgments from a frame with columns topic, doc, assessor, grade."""
    table = as_polars(frame)
    columns = {role: find_column(table.columns, role, source) for role in ("topic", "doc", "grade")}
    column = find_column(table.columns, "assessor", source, needed=assessor is None)
    who = table[column] if column and assessor is None else pl.Series([assessor] * table.height, dtype=pl.String)
    return judgments_from_columns(
        table[columns["topic"]],
        table[columns["doc"]],
        who,
        table[columns["grade"]],
        scale=scale,
        repeated=repeated,
        source=source,
        place=place,
    )


def judgments_from_columns(
    topic: Any,
    doc: Any,
    assessor: Any,
    grade: Any,
    *,
    source: str,
    scale: Scale | Sequence[str] | str | None = None,
    repeated: Repeated = "error",
    place: Place | None = None,
    notes: tuple[str, ...] = (),
) -> Judgments:
    """Judgments from four columns of equal length."""
    where = place or (lambda row: f"{source}, row {row + 1}")
    topic = id_strings(topic, "topic", where)
    doc = id_strings(doc, "doc", where)
    assessor = id_strings(assessor, "assessor", where)
    labels = grade if isinstance(grade, pl.Series) else pl.Series("grade", list(grade), strict=False)
    grades, found = parse_grades(labels, as_scale(scale), where)
    topics, topic_code = code(topic)
    assessors, who = code(assessor)
    docs, doc_code = code(doc, order=by_bytes)

    # items: distinct (topic, document), in that order
    pair = topic_code.astype(np.int64) * max(len(docs), 1) + doc_code
    items, item = np.unique(pair, return_inverse=True)
    order = np.lexsort((np.arange(len(item)), who, item))
    item, who, grades = item[order].astype(np.int32), who[order], grades[order]
    same = np.r_[False, (item[1:] == item[:-1]) & (who[1:] == who[:-1])] if len(item) else np.empty(0, bool)
    run_start = np.maximum.accumulate(np.where(same, 0, np.arange(len(item)))) if len(item) else np.empty(0, np.int64)
    repeat = (np.arange(len(item)) - run_start).astype(np.int32)
    vocabulary = IdColumn.from_strings(docs)
    item_doc = items % max(len(docs), 1)
    result = Judgments(
        topics=topics,
        assessors=assessors,
        scale=found,
        item_topic=(items // max(len(docs), 1)).astype(np.int32),
        item_ids=vocabulary.pick(item_doc),
        item_key=keys_of(vocabulary)[item_doc],
        item=item,
        assessor=who,
        grade=grades,
        repeat=repeat,
        notes=notes,
    )
    return settle_repeats(result, repeated, lambda row: where(int(order[row])))


def settle_repeats(judgments: Judgments, repeated: Repeated, place: Place) -> Judgments:
    """Apply the policy for repeated judgments; identical repeats are accepted and counted under every policy."""
    if repeated not in ("error", "keep", "first", "last"):
        raise InputError(f'repeated={repeated!r} is none of "error", "keep", "first", "last".')
    again = np.flatnonzero(judgments.repeat > 0)
    if not len(again) or repeated == "keep":
        return judgments
    first = again - judgments.repeat[again]
    conflict = again[judgments.grade[again] != judgments.grade[first]]
    if repeated == "error" and len(conflict):
        row = int(conflict[0])
        start = row - int(judgments.repeat[row])
        item = int(judgments.item[row])
        more = f" ({len(conflict):,} such conflicts in all)" if len(conflict) > 1 else ""
        raise JudgmentError(
            f"{place(start)} and {place(row)} give topic {judgments.topics[judgments.item_topic[item]]}, document "
            f"{judgments.doc_ids(np.array([item]))[0]}, assessor {judgments.assessors[judgments.assessor[row]]} the grades "
            f"{judgments.scale.name(int(judgments.grade[start]))} and {judgments.scale.name(int(judgments.grade[row]))}{more}.",
            'Keep one with repeated="first" or "last", keep both as repeats with repeated="keep", '
            'or name the assessors with assessor="column".',
        )
    if repeated == "last":
        following = np.r_[judgments.repeat[1:] > judgments.repeat[:-1], False]
        keep = ~following
    else:  # "first", or "error" with identical repeats only
        keep = judgments.repeat == 0
    kept = judgments.rows(keep)
    word = "identical repeats dropped" if not len(conflict) else f"repeated judgments settled by repeated={repeated!r}"
    return Judgments(
        **{**_fields(kept), "repeat": np.zeros(len(kept), np.int32), "notes": (*kept.notes, f"{len(again):,} {word}")}
    )


def _fields(judgments: Judgments) -> dict[str, Any]:
    return {name: getattr(judgments, name) for name in judgments.__dataclass_fields__}


def parse_grades(labels: pl.Series, scale: Scale | None, place: Place) -> tuple[NDArray[np.int8], Scale]:
    """Grades of every row, and the scale they are on (read off the data if none is declared)."""
    if not len(labels):
        return np.empty(0, np.int8), scale or Scale.range(0, 1, declared=False)
    missing = labels.is_null().arg_true()
    if len(missing):
        raise JudgmentError(f"{place(int(missing[0]))}: the grade is missing.")
    if labels.dtype == pl.Boolean:
        labels = labels.cast(pl.Int64)
    texts = [_grade_text(v) for v in labels.unique().to_list()]
    numbers = {t: _whole(t) for t in texts}
    if scale is None:
        words = [t for t, n in numbers.items() if n is None]
        if words and len(words) < len(texts):
            raise _first_bad(
                labels,
                set(words),
                place,
                "is not a whole number, although other grades are",
                "Judges on different scales: declare one with scale=…, lowest grade first.",
            )
        if words:
            scale = Scale(tuple(sorted(words)), declared=False, ordered=False)
        else:
            top = max(n for n in numbers.values() if n is not None)
            if top > HIGHEST:
                raise _first_bad(
                    labels,
                    {t for t, n in numbers.items() if n == top},
                    place,
                    f"is above the highest possible grade, {HIGHEST}",
                    "Map grades to a smaller scale.",
                )
            scale = Scale.range(0, max(top, 1), declared=False)
    table: dict[str, int] = {}
    outside: set[str] = set()
    for text, number in numbers.items():
        if text in scale.names:
            table[text] = scale.grade(text)
        elif number is not None and (-127 <= number < 0 or number in scale):
            table[text] = number
        else:
            outside.add(text)
    if outside:
        raise _first_bad(
            labels,
            outside,
            place,
            f"is no grade of the scale {scale}",
            "Declare the scale with scale=…, lowest grade first, or correct the file.",
            error=ScaleError,
        )
    keys = labels.cast(pl.String) if labels.dtype != pl.String else labels
    mapping = {str(k): table[_grade_text(k)] for k in keys.unique().to_list()}
    return keys.replace_strict(mapping, return_dtype=pl.Int16).to_numpy().astype(np.int8), scale


def _grade_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value).strip()
    if text.endswith(".0") and text[:-2].lstrip("-").isdigit():
        return text[:-2]
    return text


def _whole(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _first_bad(
    labels: pl.Series, bad: set[str], place: Place, rule: str, way_out: str, error: type[JudgmentError] = JudgmentError
) -> JudgmentError:
    row = next(i for i, v in enumerate(labels) if _grade_text(v) in bad)
    return error(f"{place(row)}: the grade {labels[row]!r} {rule}.", way_out)


def select_judgments(judgments: Judgments, topics: Iterable[str] | None, assessors: Iterable[str] | None) -> Judgments:
    """Judgments of some topics and assessors, vocabularies cut down to them."""
    keep_t = list(judgments.topics) if topics is None else _chosen(judgments.topics, topics, "topic")
    keep_a = list(judgments.assessors) if assessors is None else _chosen(judgments.assessors, assessors, "assessor")
    topic = _recode(judgments.topics, keep_t)[judgments.item_topic]
    who = _recode(judgments.assessors, keep_a)[judgments.assessor]
    rows = np.flatnonzero((topic[judgments.item] >= 0) & (who >= 0))
    items, item = np.unique(judgments.item[rows], return_inverse=True)
    return Judgments(
        topics=tuple(keep_t),
        assessors=tuple(keep_a),
        scale=judgments.scale,
        item_topic=topic[items].astype(np.int32),
        item_ids=judgments.item_ids.pick(items),
        item_key=judgments.item_key[items],
        item=item.astype(np.int32),
        assessor=who[rows].astype(np.int32),
        grade=judgments.grade[rows],
        repeat=judgments.repeat[rows],
        notes=judgments.notes,
    )
