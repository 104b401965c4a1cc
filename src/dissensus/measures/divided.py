"""Where the parts of an evaluation come from and are scored: one in memory, pieces of large files, blocks on a cluster.

Which of them it is depends on the size of the data and on where long work was asked to be done, and on nothing else.
`dissensus.measures.parts` puts them together.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.arrays import Values
from dissensus.errors import Note
from dissensus.io.options import ReadOptions
from dissensus.io.partition import Partition, partition, read_piece
from dissensus.measures.account import tied_documents
from dissensus.measures.measure import Measure
from dissensus.measures.parts import (
    ScoredPart,
    check_scale,
    combined,
    counted_part,
    decide,
    put_together,
    runs_alone,
    with_scores,
)
from dissensus.measures.policies import Policies
from dissensus.measures.scores import ScoreArrays
from dissensus.measures.worth import on_gains
from dissensus.tables.coercion import inputs
from dissensus.tables.collection import Joined, join
from dissensus.tables.counterparts import UnjudgedRanking
from dissensus.work.executor import stream_units
from dissensus.work.settings import AUTO, settings

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs

BLOCKS = 16  # into which a collection is divided for workers
SHARED = ("measures", "policies", "scale")  # what all parts have in common


def evaluated(
    runs: object,
    judgments: object,
    measures: Sequence[Measure],
    policies: Policies,
    seed: int,
    options: ReadOptions,
    progress: str | None = None,
) -> ScoreArrays:
    """The scores of whatever a user holds, divided where it is too large for memory."""
    plan = partition(runs, judgments, options)
    if plan is not None:
        options.refuse_unused()
        return _of_pieces(plan, measures, policies, seed, progress)
    both = inputs(options, runs=runs, judgments=judgments)
    (labels,) = on_gains(measures, both["judgments"])
    return scored(join(both["runs"], labels), measures, policies, seed, progress)


def scored(
    joined: Joined, measures: Sequence[Measure], policies: Policies, seed: int, progress: str | None = None
) -> ScoreArrays:
    """The guarded scores of a collection: one part, or blocks of topics for a cluster or a workspace."""
    if settings().workspace is None and settings().executor in (None, AUTO):
        return guarded(joined, measures, policies, seed)
    part = counted_part(joined, measures, policies)
    decide([part])
    units = _blocks(joined.runs, joined.judgments)
    shared = {"runs": joined.runs, "judgments": joined.judgments, "measures": measures, "policies": policies}
    plain = stream_units(
        score_topics, units, shared={**shared, "seed": seed}, progress=progress, task="topics", ahead=None
    )
    parts = [_from_plain(p, part) for p in plain]
    return put_together([replace(parts[0], notes=part.notes), *(replace(p, notes=()) for p in parts[1:])])


def guarded(joined: Joined, measures: Sequence[Measure], policies: Policies, seed: int) -> ScoreArrays:
    """The guarded scores of a collection in one part."""
    part = counted_part(joined, measures, policies)
    decide([part])
    return put_together([with_scores(part, joined, seed, alone=True)])


def _blocks(runs: Runs, judgments: Judgments) -> list[list[str]]:
    """Blocks of topics; those that nobody judged are with the first."""
    names = judgments.topics
    edges = np.linspace(0, len(names), min(BLOCKS, len(names)) + 1).astype(int)
    units = [list(names[a:b]) for a, b in itertools.pairwise(edges)]
    units[0] += [t for t in runs.topics if t not in set(names)]
    return units


def score_topics(
    unit: list[str], runs: Runs, judgments: Judgments, measures: Sequence[Measure], policies: Policies, seed: int
) -> Values:
    """Scores of some topics of a collection."""
    ran, judged = set(runs.topics), set(judgments.topics)
    some = runs.select(topics=[t for t in unit if t in ran])
    return _scored_part(some, judgments.select(topics=[t for t in unit if t in judged]), measures, policies, seed)


def _of_pieces(
    plan: Partition, measures: Sequence[Measure], policies: Policies, seed: int, progress: str | None
) -> ScoreArrays:
    check_scale(plan.scale, measures)
    shared = {"plan": replace(plan, pieces=()), "measures": measures, "policies": policies, "seed": seed}
    plain = stream_units(
        score_piece, plan.pieces, threads=True, shared=shared, progress=progress, task="pieces", ahead=2
    )
    common = runs_alone((), (), measures, policies, plan.scale)
    parts = [_from_plain(p, common) for p in plain]
    return combined([replace(parts[0], notes=(*plan.notes, *parts[0].notes)), *parts[1:]])


def score_piece(unit: Values, plan: Partition, measures: Sequence[Measure], policies: Policies, seed: int) -> Values:
    """Scores of one piece of a dataset, and its share of the account."""
    runs, judgments = read_piece(plan, unit)
    if judgments is None:
        alone = runs_alone(runs.systems, runs.topics, measures, policies, plan.scale)
        return _plain(replace(alone, tied=tied_documents(runs), notes=runs.notes))
    return _scored_part(runs, judgments, measures, policies, seed)


def _scored_part(
    runs: Runs, judgments: Judgments, measures: Sequence[Measure], policies: Policies, seed: int
) -> dict[str, object]:
    joined = join(runs, judgments, whole=False)
    return _plain(with_scores(counted_part(joined, measures, policies), joined, seed))


# ── parts on their way ──
def _plain(part: ScoredPart) -> dict[str, object]:
    """The part as numbers, texts and arrays, which travel and are recorded."""
    plain = {f.name: getattr(part, f.name) for f in fields(part) if f.name not in SHARED}
    lost = part.unjudged_ranking
    notes = [[n.kind, n.values] if isinstance(n, Note) else [str(n)] for n in part.notes]
    return {**plain, "unjudged_ranking": None if lost is None else astuple(lost), "notes": notes}


def _from_plain(plain: Mapping[str, Any], common: ScoredPart) -> ScoredPart:
    lost = plain["unjudged_ranking"]
    notes = tuple(Note(n[0], **n[1]) if len(n) > 1 else n[0] for n in plain["notes"])
    names = {k: tuple(plain[k]) for k in ("assessors", "systems", "topics", "run_topics")}
    unjudged_ranking = None if lost is None else UnjudgedRanking(*lost)
    return ScoredPart(
        **{
            **plain,
            **names,
            "unjudged_ranking": unjudged_ranking,
            "notes": notes,
            **{k: getattr(common, k) for k in SHARED},
        }
    )
