"""Scores of parts, put together: the one road of `evaluate`, in memory, in files larger than it, and on clusters.

    part  = score_partition(runs, judgments, ["AP"])      # whole topics: every ranking and every label of each
    scores = combine([part, …])

Every measure is a function of one topic's rankings and pool, so scores of parts only have to be put side by side. A
guard needs the grades that each assessor uses, documents that were retrieved and judged, topic ids on both sides, and
depths. They are counted in each part, and `combine` decides once. A study in memory is one part. Nothing depends on how
topics are divided: numbers, notes and refusals are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from dissensus.aliases import described
from dissensus.arrays import Floats
from dissensus.errors import InputError, MeasureError, Note, Option, Text
from dissensus.io.options import ReadKeywords
from dissensus.measures.account import account, depth_note, empty_topics, remarks, tied_documents, unjudged_counts
from dissensus.measures.catalog import measure_list
from dissensus.measures.condense import condensed_scores
from dissensus.measures.grades_used import check_grades
from dissensus.measures.measure import Measure
from dissensus.measures.policies import Empty, Policies, Ties, Topics, Unjudged
from dissensus.measures.scores import ScoreArrays, aggregates, refuse_too_large
from dissensus.measures.ties import expected_scores
from dissensus.measures.worth import on_gains
from dissensus.tables.coercion import coerced
from dissensus.tables.collection import Joined, join, unjudged_ranking
from dissensus.tables.counterparts import (
    UnjudgedRanking,
    refuse_lost_systems,
    refuse_other_topics,
    refuse_unjudged_ranking,
)
from dissensus.tables.ids import natural_order
from dissensus.tables.judgment_table import count_note
from dissensus.tables.judgments import Judgments
from dissensus.tables.other_scales import grade_counts, refuse_other_scales
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale, refuse_unordered

if TYPE_CHECKING:
    import xarray as xr

Measures = Iterable[str | Measure] | str | Measure
TOP = 10  # ranks whose unjudged documents the account counts


@dataclass(frozen=True, eq=False)
class ScoredPart:
    """Scores of whole topics, and what the account under a table and the guards need of them.

    `values` are (assessor, system, topic), NaN where an assessor did not judge a topic; `blank` (assessor, topic) is
    what a system without a ranking scores there, for systems that only other parts have.
    """

    measures: tuple[Measure, ...]
    policies: Policies
    scale: Scale
    assessors: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]  # judged ones
    run_topics: tuple[str, ...]  # judged or not
    values: dict[str, Floats]
    blank: dict[str, Floats]
    ranked: NDArray[np.bool_]  # (system, topic)
    judged: NDArray[np.bool_]  # (assessor, topic)
    silent: NDArray[np.bool_]  # (system,): it has no ranking at all
    depth: NDArray[np.int64]  # (system,): documents of its longest ranking
    given: NDArray[np.int64]  # (assessor, level): how often each grade was given
    empty: NDArray[np.int64]  # (assessor,): judged topics without relevant documents
    unjudged: int  # of the `seen` documents at the top
    seen: int
    tied: int
    repeats: int
    unjudged_ranking: UnjudgedRanking | None  # where no retrieved document was judged
    notes: tuple[str, ...]


@coerced
def score_partition(
    runs: Runs,
    judgments: Judgments,
    measures: Measures,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    *,
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> ScoredPart:
    """Scores of some topics, to be put together with those of others by `combine`.

    A partition holds whole topics, with every ranking and every label of each. Declare the scale: partitions whose
    scales are read off their own labels may differ, and `combine` refuses them.

    Returns
    -------
    ScoredPart
        The scores and everything that guards need of this part.

    Examples
    --------
    >>> import dissensus as ds
    >>> runs = {"a": {"q1": {"d1": 2.0, "d2": 1.0}}, "b": {"q2": {"d1": 2.0}}}
    >>> labels = {"ann": {"q1": {"d1": 0, "d2": 1}, "q2": {"d1": 1}}}
    >>> parts = [
    ...     ds.score_partition({s: {t: r[t]} for s, r in runs.items() if t in r}, {"ann": {t: labels["ann"][t]}}, "AP")
    ...     for t in ("q1", "q2")
    ... ]
    >>> ds.combine(parts)["AP"].sel(assessor="ann").values.tolist()
    [[0.5, 0.0], [0.0, 1.0]]
    """
    wanted = measure_list(measures)
    joined = join(runs, *on_gains(wanted, judgments), whole=False)
    part = counted_part(joined, wanted, Policies(topics, unjudged, ties, empty))
    return with_scores(part, joined, seed)


@described
def combine(parts: Iterable[ScoredPart]) -> xr.Dataset:
    """The scores of all parts as `evaluate` gives them, guarded and accounted for as a whole.

    A topic in two parts, parts of other measures, policies or scales, and everything that `evaluate` refuses is an
    error.

    Parameters
    ----------
    parts
        What `score_partition` returned for each part.

    Returns
    -------
    xarray.Dataset
        As of `evaluate`.

    Examples
    --------
    >>> import dissensus as ds
    >>> part = ds.score_partition({"a": {"q1": {"d1": 1.0}}}, {"ann": {"q1": {"d1": 1}}}, "AP")
    >>> float(ds.combine([part])["AP"].mean())
    1.0
    """
    return combined(parts).to_dataset()


def combined(parts: Iterable[ScoredPart]) -> ScoreArrays:
    """As `combine`, without xarray."""
    every = list(parts)
    decide(every)
    for m in every[0].measures:
        m.check_scale(every[0].scale)
    return put_together(every)


# ── one part ──
def counted_part(
    joined: Joined, measures: Sequence[Measure], policies: Policies, *, guarded: bool = True
) -> ScoredPart:
    """What a part counts, its scores still to come; for guards only where there are any."""
    runs, judgments = joined.runs, joined.judgments
    unjudged, seen = unjudged_counts(joined, TOP)
    depth = np.zeros(len(runs.systems), np.int64)
    np.maximum.at(depth, runs.segment_system, np.diff(runs.bounds))
    silent = np.ones(len(runs.systems), bool)
    silent[runs.segment_system] = False
    nothing = np.zeros((len(joined.assessors), len(joined.scale)), np.int64)
    own = guarded and joined.assessors == judgments.assessors  # simulated label sets are as they are
    given = grade_counts(judgments) if own else nothing
    return ScoredPart(
        tuple(measures), policies, joined.scale, joined.assessors, joined.systems, joined.topics, runs.topics, {}, {},
        joined.segment_of >= 0, joined.in_topic, silent, depth, given,
        empty_topics(joined, measures), unjudged, seen, tied_documents(runs), judgments.n_repeats(),
        unjudged_ranking(joined) if guarded else None, tuple(dict.fromkeys([*runs.notes, *judgments.notes])),
    )  # fmt: skip


def runs_alone(
    systems: tuple[str, ...], topics: tuple[str, ...], measures: Sequence[Measure], policies: Policies, scale: Scale
) -> ScoredPart:
    """A part whose topics nobody judged: it has no scores."""
    there, depth = np.zeros((len(systems), 0), bool), np.zeros(len(systems), np.int64)
    given, none = np.zeros((0, len(scale)), np.int64), np.zeros(0, np.int64)
    return ScoredPart(
        tuple(measures), policies, scale, (), systems, (), topics, {}, {}, there, there[:0], depth > 0, depth, given,
        none, 0, 0, 0, 0, None, (),
    )  # fmt: skip


def check_scale(scale: Scale, measures: Sequence[Measure]) -> None:
    """Refuse a scale on which no measure has a meaning, before anything is scored."""
    refuse_unordered(scale)
    check_grades(scale, (), np.zeros((0, len(scale)), np.int64), measures)


def with_scores(part: ScoredPart, joined: Joined, seed: int, *, alone: bool = False) -> ScoredPart:
    """The part with its scores; one that stands `alone` needs no scores of systems that it does not have."""
    try:
        for m in part.measures:
            m.check_scale(joined.scale)
    except MeasureError:
        if alone:
            raise
        return part  # `combined` says why, once it is known that nothing else is wrong
    empty = {} if alone else _values(_without_rankings(joined), part, seed)
    values = _values(joined, part, seed) if alone or joined.systems else {k: v[:, :0] for k, v in empty.items()}
    return replace(part, values=values, blank={k: v[:, 0] for k, v in empty.items()})


def _values(joined: Joined, part: ScoredPart, seed: int) -> dict[str, Floats]:
    values: dict[str, Floats] = {}
    for m in part.measures:
        for suffix, scores in _variables(m, joined, part.policies, seed).items():
            settled = np.nan_to_num(scores, nan=m.when_empty) if part.policies.empty == "zero" else scores
            values[f"{m}.{suffix}" if suffix else str(m)] = _only(joined.in_topic[:, None, :], settled)
    return values


def _without_rankings(joined: Joined) -> Joined:
    """The same pools, and one system that retrieved nothing."""
    nothing = np.empty(0, np.int64)
    few: Any = nothing.astype(np.int32)
    return replace(
        joined, systems=("",), segment_system=few, segment_topic=few, length=nothing, hits=np.zeros(1, np.int64),
        hit_rank=few, hit_item=few, run_rows=nothing,
    )  # fmt: skip


def _only(counted: NDArray[np.bool_], scores: Floats) -> Floats:
    """Contiguous scores, NaN where they do not count; whole tables are laid out anew, once."""
    if counted.all():
        return np.ascontiguousarray(scores)
    out = np.full(scores.shape, np.nan)
    np.copyto(out, scores, where=counted)
    return out


def _variables(m: Measure, joined: Joined, policies: Policies, seed: int) -> dict[str, Floats]:
    if policies.unjudged == "condense":
        return {"": condensed_scores(m, joined)}
    if policies.ties == "expected":
        mean, error = expected_scores(m, joined, seed)
        return {"": mean} if error is None else {"": mean, "se": error}
    if policies.unjudged == "bounds":
        return {"": m.scores(joined), **m.bounds(joined)}
    return {"": m.scores(joined)}


# ── all parts: what is refused ──
def decide(parts: Sequence[ScoredPart]) -> None:
    """Refuse parts that do not belong together, and what makes scores of all of them meaningless."""
    if not parts:
        raise InputError("there is no part to combine.", "Score some with score_partition first.")
    _refuse_other_settings(parts)
    topics = _union(p.topics for p in parts)
    if len(topics) < sum(len(p.topics) for p in parts):
        twice = next(t for i, p in enumerate(parts) for t in p.topics if any(t in q.topics for q in parts[:i]))
        raise InputError(f"topic {twice} is in two parts.", "A part holds whole topics: divide the data by topic.")
    first = parts[0]
    refuse_other_topics(_union(p.run_topics for p in parts), topics)
    systems, assessors = (_union(getattr(p, axis) for p in parts) for axis in ("systems", "assessors"))
    refuse_too_large(len(assessors), len(systems), len(topics), first.measures)
    ranked, present = set[str](), set[str]()
    for p in parts:
        ranked.update(s for s, there in zip(p.systems, np.asarray(p.ranked.any(axis=1)), strict=True) if there)
        present.update(s for s, silent in zip(p.systems, p.silent, strict=True) if not silent)
    refuse_lost_systems([s for s in systems if s in present and s not in ranked], topics)
    given = np.zeros((len(assessors), len(first.scale)), np.int64)
    for p in parts:
        given[_places(assessors, p.assessors)] += p.given
    check_grades(first.scale, assessors, given, first.measures)
    refuse_other_scales(first.scale, assessors, given)
    lost = [p.unjudged_ranking for p in parts if p.ranked.any()]
    if lost and all(s is not None for s in lost):
        order = {t: i for i, t in enumerate(topics)}
        refuse_unjudged_ranking(min((s for s in lost if s is not None), key=lambda s: order[s.topic]))


def _refuse_other_settings(parts: Sequence[ScoredPart]) -> None:
    first = parts[0]
    for number, part in enumerate(parts[1:], 2):
        for name in ("measures", "policies"):
            one, other = getattr(first, name), getattr(part, name)
            if one != other:
                shown = [", ".join(map(str, v)) if name == "measures" else v for v in (one, other)]
                raise InputError(f"part 1 was scored with the {name} {shown[0]}, part {number} with {shown[1]}.")
        if part.scale != first.scale:
            raise InputError(
                f"part 1 was scored on the scale {first.scale}, part {number} on {part.scale}.",
                Text("Declare the scale of all parts with ", Option("scale"), "."),
            )


# ── all parts: scores and account ──
def put_together(parts: Sequence[ScoredPart]) -> ScoreArrays:
    """The scores of all parts, topics in their natural order, counts added up."""
    first = parts[0]
    policies, measures = first.policies, list(first.measures)
    topics, systems, assessors = (
        _union(getattr(p, axis) for p in parts) for axis in ("topics", "systems", "assessors")
    )
    ranked = np.zeros((len(systems), len(topics)), bool)
    judged = np.zeros((len(assessors), len(topics)), bool)
    empty = np.zeros(len(assessors), np.int64)
    depth = np.zeros(len(systems), np.int64)
    for p in parts:
        at = _places(topics, p.topics)
        who, ran = _places(assessors, p.assessors), _places(systems, p.systems)
        depth[ran] = np.maximum(depth[ran], p.depth)
        ranked[np.ix_(ran, at)] = p.ranked
        judged[np.ix_(who, at)] = p.judged
        empty[who] += p.empty
    values = _side_by_side(parts, topics, systems, assessors)
    if policies.topics == "own" and not ranked.all():
        values = {name: np.where(ranked[None], scores, np.nan) for name, scores in values.items()}
    kept = np.flatnonzero(ranked.all(axis=0)) if policies.topics == "shared" else np.arange(len(topics))
    if len(kept) < len(topics):
        values = {name: np.ascontiguousarray(scores[:, :, kept]) for name, scores in values.items()}
    seen = sum(p.seen for p in parts)
    known = set(topics)
    unknown = len({t for p in parts for t in p.run_topics if t not in known})
    notes = [
        *_notes(parts), *remarks(sum(p.repeats for p in parts), unknown, judged.sum(axis=1), len(topics)),
        *depth_note(systems, depth, measures),
    ]  # fmt: skip
    attrs = account(
        measures, first.scale, policies, len(topics), n_topics=len(kept),
        missing=[(systems[s], topics[t]) for s, t in np.argwhere(~ranked)],
        unjudged_top10=sum(p.unjudged for p in parts) / seen if seen else float("nan"),
        tied_documents=sum(p.tied for p in parts),
        empty_topics={a: int(n) for a, n in zip(assessors, empty, strict=True) if n},
        notes=list(dict.fromkeys(notes)),
    )  # fmt: skip
    attrs["aggregates"] = aggregates(values, measures)
    return ScoreArrays(values, assessors, systems, tuple(topics[t] for t in kept), attrs)


def _side_by_side(
    parts: Sequence[ScoredPart], topics: Sequence[str], systems: Sequence[str], assessors: Sequence[str]
) -> dict[str, Floats]:
    """Every variable of all parts; what a system has no ranking for in a part is scored as an empty ranking."""
    first = next((p for p in parts if p.values), parts[0])
    if len(parts) == 1 and (first.topics, first.systems, first.assessors) == (topics, systems, assessors):
        return first.values
    together: dict[str, Floats] = {}
    for name in first.values:
        scores = np.full((len(assessors), len(systems), len(topics)), np.nan)
        for p in parts:
            if not p.topics:
                continue
            who, at = _places(assessors, p.assessors), _places(topics, p.topics)
            if p.systems != systems:
                scores[np.ix_(who, np.arange(len(systems)), at)] = p.blank[name][:, None]
            scores[np.ix_(who, _places(systems, p.systems), at)] = p.values[name]
        together[name] = scores
    return together


def _union(names: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """All names in natural order; as they are where there is one part."""
    every = list(names)
    if len(every) == 1 or all(n == every[0] for n in every):
        return tuple(every[0])
    unique = list(dict.fromkeys(n for some in every for n in some))
    return tuple(unique[i] for i in natural_order(unique))


def _places(names: Sequence[str], some: Sequence[str]) -> NDArray[np.int64]:
    if tuple(names) == tuple(some):
        return np.arange(len(names))
    at = {name: i for i, name in enumerate(names)}
    return np.array([at[name] for name in some], np.int64)


def _notes(parts: Sequence[ScoredPart]) -> list[str]:
    """The notes of all parts, each once; counts added up."""
    if len(parts) == 1:
        return list(parts[0].notes)
    counts: dict[tuple[str, ...], int] = {}
    words: dict[tuple[str, ...], str] = {}
    for note in (n for p in parts for n in p.notes):
        adds = isinstance(note, Note) and "n" in note.values
        key = (note.kind, note.values["what"]) if isinstance(note, Note) and adds else (str(note),)
        counts[key] = counts.get(key, 0) + (int(note.values["n"]) if isinstance(note, Note) and adds else 1)
        words.setdefault(key, note)
    return [count_note(key[0], n, key[1]) if len(key) > 1 else words[key] for key, n in counts.items()]
