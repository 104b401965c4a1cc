"""The account under every table of scores: which policies were followed, and what they did to how many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.measures.measure import Measure, relevant_count
from dissensus.measures.policies import Policies
from dissensus.tables.collection import Joined
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.wording import counted
from dissensus.work.threads import on_threads

PART = 1 << 18  # scores that are compared at once


def account(
    measures: Iterable[Measure], scale: Scale, policies: Policies, n_judged: int, **counts: object
) -> dict[str, object]:
    """Attributes of a score table: policies, counts, and `footer`, the same in one line; `n_judged` topics were judged.

    `counts`: n_topics (those kept), missing, unjudged_top10, tied_documents, empty_topics, notes.
    """
    attrs = {**policies.to_dict(), "measures": [str(m) for m in measures], "scale": str(scale), **counts}
    attrs["footer"] = "  ".join(footer(n_judged, policies, attrs))
    return attrs


def unjudged_counts(joined: Joined, depth: int) -> tuple[int, int]:
    """How many of the first `depth` retrieved documents the assessors of the topic did not judge, and of how many."""
    inside = joined.hit_rank <= depth
    judged = int(np.count_nonzero(joined.labels[joined.hit_item[inside]] >= 0))
    seen_by = joined.in_topic[:, joined.segment_topic].sum(axis=0)  # assessors per segment
    total = int((np.minimum(joined.length, depth) * seen_by).sum())
    return total - judged, total


def tied_documents(runs: Runs) -> int:
    """Documents whose score equals that of the document above them in the same ranking."""
    edges = np.unique(runs.bounds)  # of rankings, whose last and first document stand side by side

    def tied(b: int) -> int:
        score, first = runs.score_parts[b], runs.ids.bounds[b]
        parts = (score[a : a + PART + 1] for a in range(0, len(score), PART))
        same = sum(int(np.count_nonzero(part[1:] == part[:-1])) for part in parts)
        inner = edges[slice(*np.searchsorted(edges, (first + 1, first + len(score))))] - first
        return same - int(np.count_nonzero(score[inner] == score[inner - 1])) if len(inner) else same

    return sum(on_threads(tied, range(len(runs.score_parts))))


def empty_topics(joined: Joined, measures: Sequence[Measure]) -> NDArray[np.int64]:
    """Per assessor, how many judged topics lack relevant documents for the strictest measure that needs one."""
    needing = [m.relevant_from(joined.scale) for m in measures if m.needs_relevant]
    if not needing:
        return np.zeros(len(joined.assessors), np.int64)
    relevant = relevant_count(joined.pool_counts, max(needing), joined.scale)
    return np.asarray(((relevant == 0).T & joined.in_topic).sum(axis=1), np.int64)


def remarks(repeats: int, unknown: int, judged: NDArray[np.int64], n_topics: int) -> list[str]:
    """What happened to repeats, to unjudged topics, and to assessors who judged some topics only."""
    notes = []
    if repeats:
        notes.append(f"{counted(repeats, 'repeated judgment')}: the first one counts")
    if unknown:
        notes.append(f"{counted(unknown, 'topic')} of the runs left out because no assessor judged them")
    if len(judged) > 1 and (judged < n_topics).any():
        notes.append(
            f"assessors judged different topics ({judged.min()} to {judged.max()} of {n_topics}): "
            "their means are over different topics"
        )
    return notes


def depth_note(systems: Sequence[str], depth: NDArray[np.int64], measures: Iterable[Measure]) -> list[str]:
    """Rankings that end at different ranks, where some measure reads on: a run that was cut is scored as it is."""
    there = np.flatnonzero(depth > 0)
    if not len(there):
        return []
    short, long = (int(there[pick(depth[there])]) for pick in (np.argmin, np.argmax))
    reading = [str(m) for m in measures if m.cutoff is None or m.cutoff > depth[short]]
    if depth[short] == depth[long] or not reading:
        return []
    shown = ", ".join(reading[:3]) + (" and more" if len(reading) > 3 else "")
    return [
        f"rankings end at different depths, from {counted(int(depth[short]), 'document')} ({systems[short]}) to "
        f"{counted(int(depth[long]), 'document')} ({systems[long]}): what a ranking lacks scores 0 in {shown}"
    ]


def footer(n_judged: int, policies: Policies, attrs: Values) -> list[str]:
    """The footer, clause by clause; `n_judged` topics were judged, `attrs["n_topics"]` are kept."""
    n_topics = attrs["n_topics"]
    missing = len(attrs["missing"])
    match policies.topics:
        case "judged":
            topics = f"topics=judged ({n_topics:,}" + (f", {missing:,} missing scored as empty)" if missing else ")")
        case "own":
            topics = f"topics=own ({n_topics:,}" + (f", {missing:,} missing left out of means)" if missing else ")")
        case _:
            topics = f"topics=shared ({n_topics:,} of {n_judged:,} judged)"
    share = attrs["unjudged_top10"]
    empty = attrs["empty_topics"]
    without = f"empty={policies.empty}"
    if empty:
        total = sum(empty.values())
        verb = "left out" if policies.empty == "skip" else "scored 0"
        without += f" ({counted(total, 'assessor-topic')} without relevant documents {verb})"
    return [
        f"ties={policies.ties} ({counted(attrs['tied_documents'], 'tied document')})",
        topics,
        f"unjudged={policies.unjudged}" + ("" if np.isnan(share) else f" ({100 * share:.1f}% of the top 10)"),
        without,
        f"scale={attrs['scale']}",
        *attrs["notes"],
    ]
