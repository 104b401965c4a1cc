"""The account under every table: which policies were followed, and what they did to how many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.collection import Joined
from dissensus.measures.measure import Measure, relevant_count
from dissensus.measures.policies import Policies
from dissensus.work.plural import counted


def describe(joined: Joined, measures: list[Measure], policies: Policies, kept: NDArray[np.int64]) -> dict[str, Any]:
    """Attributes of a score table: policies, counts, and `footer`, the same in one line."""
    missing = missing_topics(joined)
    unjudged = unjudged_at(joined, 10)
    tied = tied_documents(joined)
    empty = empty_topics(joined, measures)
    attrs: dict[str, Any] = {
        **policies.to_dict(),
        "measures": [str(m) for m in measures],
        "scale": str(joined.scale),
        "n_topics": len(kept),
        "missing": missing,
        "unjudged_top10": unjudged,
        "tied_documents": tied,
        "empty_topics": empty,
        "notes": list(dict.fromkeys([*joined.runs.notes, *joined.judgments.notes, *_notes(joined)])),
    }
    attrs["footer"] = "  ".join(lines(str(joined.scale), len(joined.topics), policies, attrs))
    return attrs


def missing_topics(joined: Joined) -> list[tuple[str, str]]:
    """(system, topic) for every judged topic that a system has no ranking for."""
    return [(joined.systems[s], joined.topics[t]) for s, t in np.argwhere(joined.segment_of < 0)]


def unjudged_at(joined: Joined, depth: int) -> float:
    """Share of the first `depth` retrieved documents that the assessors of the topic did not judge; NaN without any."""
    unjudged, seen = unjudged_counts(joined, depth)
    return unjudged / seen if seen else float("nan")


def unjudged_counts(joined: Joined, depth: int) -> tuple[int, int]:
    """How many of the first `depth` retrieved documents the assessors of the topic did not judge, and of how many."""
    inside = joined.hit_rank <= depth
    judged = int(np.count_nonzero(joined.labels[joined.hit_item[inside]] >= 0))
    seen_by = joined.in_topic[:, joined.segment_topic].sum(axis=0)  # assessors per segment
    total = int((np.minimum(joined.length, depth) * seen_by).sum())
    return total - judged, total


def tied_documents(joined: Joined) -> int:
    """Documents whose score equals that of the document above them in the same ranking."""
    score, bounds = joined.runs.score, joined.runs.bounds
    same = score[1:] == score[:-1]
    edges = bounds[1:-1] - 1
    return int(np.count_nonzero(same)) - int(np.count_nonzero(same[edges[edges >= 0]]))


def empty_topics(joined: Joined, measures: list[Measure]) -> dict[str, int]:
    """Per assessor, how many judged topics lack relevant documents for the strictest measure that needs one."""
    needing = [m.relevant_from(joined.scale) for m in measures if m.needs_relevant]
    if not needing:
        return {}
    relevant = relevant_count(joined.pool_counts, max(needing), joined.scale)
    counts = ((relevant == 0).T & joined.in_topic).sum(axis=1)
    return {a: int(n) for a, n in zip(joined.assessors, counts, strict=True) if n}


def _notes(joined: Joined) -> list[str]:
    unknown = len(set(joined.runs.topics) - set(joined.topics))
    return remarks(joined.judgments.n_repeats(), unknown, joined.in_topic.sum(axis=1), len(joined.topics))


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


def lines(scale: str, n_judged: int, policies: Policies, attrs: dict[str, Any]) -> list[str]:
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
        without += f" ({total:,} assessor-topics without relevant documents {verb})"
    return [
        f"ties={policies.ties} ({attrs['tied_documents']:,} tied documents)",
        topics,
        f"unjudged={policies.unjudged}" + ("" if np.isnan(share) else f" ({100 * share:.1f} % of the top 10)"),
        without,
        f"scale={scale}",
        *attrs["notes"],
    ]
