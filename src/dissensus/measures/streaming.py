"""Evaluate data larger than memory: piece by piece, on this machine or on a cluster, with the scores of `evaluate`.

Every measure is a function of one topic's rankings and pool, so the scores of pieces only have to be put together;
what the table's footer counts is added up. The pieces do not depend on who runs them, and neither do the numbers.

    scores = evaluate_files("runs.parquet", "labels.parquet", ["AP", "nDCG@10"])
    scores = evaluate_files("runs/", "labels/", ["AP"], executor="tcp://scheduler:8786", workspace="job/")

Not for small data: `dissensus.evaluate` keeps everything in memory and is faster.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.errors import Note, RunError
from dissensus.io.chunks import PIECE, Plan, plan, read_piece
from dissensus.io.files import PathLike
from dissensus.measures.evaluate import Collection, account, measure_list, remarks, unjudged_counts
from dissensus.measures.measure import Measure
from dissensus.measures.policies import Policies
from dissensus.measures.scores import ScoreArrays, aggregates
from dissensus.tables.ids import natural_order
from dissensus.tables.judgment_table import Repeated, count_note
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.work.executor import stream_units
from dissensus.work.workspace import Workspace, fingerprints

Measures = Iterable[str | Measure] | str | Measure


def evaluate_files(
    runs: PathLike | Iterable[PathLike],
    judgments: PathLike | Iterable[PathLike],
    measures: Measures,
    policies: Policies = Policies(),  # noqa: B008 (frozen)
    *,
    seed: int = 0,
    scale: Scale | Sequence[str] | str | None = None,
    repeated: Repeated = "error",
    piece: int = PIECE,
    executor: Any = None,
    workspace: str | os.PathLike[str] | Workspace | None = None,
    progress: str | None = None,
) -> ScoreArrays:
    """Scores of Parquet datasets whose rows stand together by topic; see `dissensus.evaluate` for the policies.

    `piece` is the number of rows held at a time (per worker). `executor` as in `run_units`: threads of this machine
    without it. With `workspace`, pieces that are finished are not done again.
    """
    wanted = measure_list(measures)
    whole = plan(_paths(runs), _paths(judgments), scale=scale, piece=piece)
    shared = {
        "whole": replace(whole, pieces=()),
        "measures": wanted,
        "policies": policies,
        "seed": seed,
        "repeated": repeated,
    }
    about = {"command": "evaluate", **policies.to_dict(), "seed": seed, "piece": piece, "repeated": repeated}
    with _opened(workspace, about, whole, wanted) as space:
        parts = stream_units(
            score_piece,
            whole.pieces,
            executor=executor,
            threads=True,
            shared=shared,
            progress=progress,
            workspace=space,
            task="pieces",
            ahead=2,
        )
        scores = put_together(parts, whole.systems, whole.assessors, whole.scale, wanted, policies, whole.unknown)
    note = f"read in {len(whole.pieces):,} pieces ({whole.rows:,} rows)"
    scores.attrs["notes"].append(note)
    scores.attrs["footer"] += f"  {note}"
    return scores


def score_blocks(
    collection: Collection,
    measures: Measures,
    policies: Policies = Policies(),  # noqa: B008 (frozen)
    *,
    seed: int = 0,
    executor: Any = None,
    blocks: int = 16,
    workspace: Workspace | None = None,
    progress: str | None = None,
) -> ScoreArrays:
    """The scores of a collection in memory, its topics divided into `blocks` and scored by an executor."""
    wanted = measure_list(measures)
    joined = collection.joined
    names = joined.topics
    edges = np.linspace(0, len(names), min(blocks, len(names)) + 1).astype(int)
    units = [list(names[a:b]) for a, b in itertools.pairwise(edges)]
    parts = stream_units(
        score_topics,
        units,
        executor=executor,
        shared={
            "runs": joined.runs,
            "judgments": joined.judgments,
            "measures": wanted,
            "policies": policies,
            "seed": seed,
        },
        progress=progress,
        workspace=workspace,
        task="topics",
        ahead=None,
    )
    unknown = len(set(joined.runs.topics) - set(names))
    notes = (*joined.runs.notes, *joined.judgments.notes)
    return put_together(parts, joined.systems, joined.assessors, joined.scale, wanted, policies, unknown, notes)


# ── one piece ────────────────────────────────────────────────────────────────────────────────────────────────────────
def score_piece(
    unit: dict[str, Any],
    whole: Plan,
    measures: list[Measure],
    policies: Policies,
    seed: int,
    repeated: Repeated,
) -> dict[str, Any]:
    """Scores of one piece of a dataset, and its share of the account."""
    runs, judgments = read_piece(whole, unit, repeated)
    return _part(runs, judgments, measures, policies, seed, whole.assessors)


def score_topics(
    unit: list[str],
    runs: Runs,
    judgments: Judgments,
    measures: list[Measure],
    policies: Policies,
    seed: int,
) -> dict[str, Any]:
    """Scores of some topics of a collection."""
    known = set(runs.topics)
    some = runs.select(topics=[t for t in unit if t in known])
    part = _part(some, judgments.select(topics=unit), measures, policies, seed, judgments.assessors)
    return {**part, "notes": []}  # a reader's notes are about the whole


def _part(
    runs: Runs,
    judgments: Judgments,
    measures: list[Measure],
    policies: Policies,
    seed: int,
    assessors: Sequence[str],
) -> dict[str, Any]:
    collection = Collection(runs, judgments)
    joined = collection.joined
    scores = collection.score(measures, **policies.to_dict(), seed=seed)
    place = [assessors.index(a) for a in scores.assessors]
    values = {}
    for name, array in scores.values.items():
        values[name] = np.full((len(assessors), *array.shape[1:]), np.nan)
        values[name][place] = array
    judged_in = np.zeros(len(assessors), np.int64)
    judged_in[place] = joined.in_topic.sum(axis=1)
    unjudged, seen = unjudged_counts(joined, 10)
    return {
        "topics": list(scores.topics),
        "values": values,
        "judged": len(joined.topics),
        "judged_in": judged_in,
        "present": np.bincount(joined.segment_system, minlength=len(joined.systems)),
        "missing": scores.attrs["missing"],
        "unjudged": [unjudged, seen],
        "tied": scores.attrs["tied_documents"],
        "empty": scores.attrs["empty_topics"],
        "notes": [_as_values(note) for note in dict.fromkeys([*runs.notes, *judgments.notes])],
        "repeats": judgments.n_repeats(),
    }


# ── together ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def put_together(
    parts: Iterator[dict[str, Any]],
    systems: tuple[str, ...],
    assessors: tuple[str, ...],
    scale: Scale,
    measures: list[Measure],
    policies: Policies,
    unknown: int,
    further: Sequence[str] = (),
) -> ScoreArrays:
    """The scores of all pieces, topics in their natural order, counts added up."""
    topics: list[str] = []
    values: dict[str, list[Any]] = {}
    total: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    notes: Counter[tuple[str, ...]] = Counter()
    missing: list[tuple[str, str]] = []
    judged_in = np.zeros(len(assessors), np.int64)
    present = np.zeros(len(systems), np.int64)
    for part in parts:
        topics += part["topics"]
        for name, array in part["values"].items():
            values.setdefault(name, []).append(array)
        missing += [(system, topic) for system, topic in part["missing"]]
        total.update(
            judged=part["judged"], unjudged=part["unjudged"][0], seen=part["unjudged"][1], tied=part["tied"],
            repeats=part["repeats"],
        )  # fmt: skip
        empty.update(part["empty"])
        for kind, *counted in part["notes"]:
            notes[(kind, counted[1]) if counted else (kind,)] += counted[0] if counted else 1
        judged_in += part["judged_in"]
        present += part["present"]
    _refuse_strangers(systems, present)
    order = np.array(natural_order(topics), np.int64)
    words = [*dict.fromkeys(further), *_together(notes)]
    words += remarks(total["repeats"], unknown, judged_in, total["judged"])
    attrs = account(
        measures,
        scale,
        policies,
        total["judged"],
        n_topics=len(topics),
        missing=missing,
        unjudged_top10=total["unjudged"] / total["seen"] if total["seen"] else float("nan"),
        tied_documents=total["tied"],
        empty_topics=dict(empty),
        notes=words,
    )
    # contiguous, as `evaluate` leaves them: numpy adds up other layouts in another order, and means are to the last bit
    together = {k: np.ascontiguousarray(np.concatenate(v, axis=2)[:, :, order]) for k, v in values.items()}
    attrs["aggregates"] = aggregates(together, measures)
    return ScoreArrays(together, assessors, systems, tuple(topics[i] for i in order), attrs)


def _as_values(note: str) -> list[Any]:
    """[kind, how many, of what] of a note that counts something, [words] of any other."""
    if isinstance(note, Note) and "n" in note.values:
        return [note.kind, int(note.values["n"]), note.values["what"]]
    return [str(note)]


def _together(counts: Counter[tuple[str, ...]]) -> list[str]:
    """The notes of all pieces, each once; counts added up."""
    return [count_note(key[0], n, key[1]) if len(key) > 1 else key[0] for key, n in counts.items()]


def _refuse_strangers(systems: Sequence[str], present: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    lost = [s for s, n in zip(systems, present, strict=True) if not n]
    if lost:
        raise RunError(
            f"none of the topics of {', '.join(lost[:3])} was judged.",
            "Check the topic ids of that run, or leave it out.",
        )


def _paths(paths: PathLike | Iterable[PathLike]) -> list[PathLike]:
    return [paths] if isinstance(paths, str | os.PathLike) else list(paths)


def _opened(workspace: Any, about: dict[str, Any], whole: Plan, measures: list[Measure]) -> Any:
    """The workspace, opened; it knows every input, the user models of measures included, by its content."""
    from contextlib import nullcontext

    if workspace is None or isinstance(workspace, Workspace):
        return nullcontext(workspace)
    named = dict.fromkeys(v for m in measures for v in m.parameters().values() if isinstance(v, str))
    files = [*(s.path for s in (*whole.runs, *whole.judgments)), *filter(os.path.isfile, named)]
    further = {"measures": [str(m) for m in measures], "scale": str(whole.scale), "files": fingerprints(files)}
    return Workspace(workspace, about | further)
