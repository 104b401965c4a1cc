"""The explorer's data: topics, the documents that systems show, every assessor's grade, packed for the page.

A reader walks from the verdict down to single documents without a network: all numbers are typed arrays in one buffer,
compressed with zlib, written as base64 into the page and unpacked by the browser itself (`DecompressionStream`). Ranks
are kept down to the deepest cut-off of the measures (20 if none has one); a document's text is cut to `TEXT` letters.

    header    JSON: names of systems, topics, assessors, grades, measures; where each array lies in the buffer
    buffer    scores (measures × topics × systems), labels (documents × assessors), gold, inclusion, what is shown where

`specifications` are the choices that a reader may make: the means of all systems under each of them.
"""

from __future__ import annotations

import base64
import json
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Array, Ints, Values
from dissensus.errors import DissensusError, DissensusWarning
from dissensus.judging.merging.api import merge
from dissensus.measures.catalog import lower_is_better
from dissensus.measures.scores import aggregated
from dissensus.tables.audit import Audit
from dissensus.tables.collection import Joined
from dissensus.tables.scale import UNJUDGED
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.measures.policies import Ties
    from dissensus.reporting.study import ReportedStudy


DEPTH = 20
DOCUMENTS = 300_000  # more shown documents than this: those without any label are counted, not listed
TEXT = 1_500
NONE = -128  # no label
TIED = 2_000_000  # rows of runs up to which scores are averaged over the orders of tied documents, too
SINGLE, LEFT_OUT = 12, 8  # assessors shown alone; assessors up to which each is left out once
Part = tuple[Values, dict[str, Array]]  # of the header and of the buffer
Specification = tuple[str, str, str, NDArray[np.float64]]  # whose labels, measure, ties ("" as in the report), means


@dataclass(frozen=True)
class Packed:
    """A page's data: `header` as JSON values, `data` the compressed buffer as base64."""

    header: Values
    data: str

    @property
    def line(self) -> str:
        """What there is to see, in one line."""
        topics = counted(len(self.header["topics"]), "topic")
        if not self.header["documents"]:
            return f"{topics}, with every system's score on each."
        found = counted(int(self.header["listed"]), "document")
        return f"{topics} and {found}: every score, every rank, every grade."


@dataclass(frozen=True, eq=False)
class Shown:
    """Which document every system shows at every rank: documents are numbered within their topic."""

    ids: list[list[str]]  # by topic: judged documents first, in the order of the joined items
    bounds: Ints  # of each (topic, system) in `place`
    place: Ints  # number of the document within its topic; -1 where documents without a label are not listed
    hidden: int


def deepest(measures: Sequence[Any]) -> int:
    """The deepest cut-off among the measures, `DEPTH` where none has one."""
    return max((int(m.cutoff) for m in measures if m.cutoff), default=DEPTH)


def shown_documents(joined: Joined, depth: int) -> Shown:
    """What each system shows down to `depth`, judged or not."""
    n_topics, n_systems = len(joined.topics), len(joined.systems)
    item_ids = joined.judgments.doc_ids()
    ids = [list(item_ids[a:b]) for a, b in zip(joined.topic_bounds[:-1], joined.topic_bounds[1:], strict=True)]
    number: list[dict[str, int]] = [{} for _ in range(n_topics)]
    parts: list[list[NDArray[np.int64]]] = [[np.empty(0, np.int64)] * n_systems for _ in range(n_topics)]
    room, hidden = DOCUMENTS - len(item_ids), 0
    for s in range(len(joined.length)):
        topic, system = int(joined.segment_topic[s]), int(joined.segment_system[s])
        length = min(int(joined.length[s]), depth)
        place = np.full(length, -1, np.int64)
        a, b = int(joined.hits[s]), int(joined.hits[s + 1])
        rank = joined.hit_rank[a:b]
        inside = rank <= length
        place[rank[inside] - 1] = joined.hit_item[a:b][inside] - joined.topic_bounds[topic]
        empty = np.flatnonzero(place < 0)
        if len(empty):
            rows = joined.run_rows[s] + empty
            known = number[topic]
            for at, doc in zip(empty.tolist(), joined.runs.ids.strings(rows), strict=True):
                if doc not in known:
                    if room <= 0:
                        hidden += 1
                        continue
                    room -= 1
                    known[doc] = len(ids[topic])
                    ids[topic].append(doc)
                place[at] = known[doc]
        parts[topic][system] = place
    flat = [place for topic in parts for place in topic]
    sizes = np.array([len(place) for place in flat], np.int64)
    return Shown(ids, np.r_[0, np.cumsum(sizes)], np.concatenate(flat) if flat else np.empty(0, np.int64), hidden)


def documents(
    joined: Joined,
    *,
    depth: int,
    audit: Audit | None = None,
    judge: str | None = None,
    texts: Mapping[str, str] | None = None,
    limit: int = TEXT,
) -> Part:
    """What systems show down to `depth`, with every grade; texts are cut to `limit` letters."""
    shown = shown_documents(joined, depth)
    counts = np.array([len(docs) for docs in shown.ids], np.int64)
    bounds = np.r_[0, np.cumsum(counts)]
    rows = _rows_of_items(joined, bounds)
    labels = np.full((int(bounds[-1]), len(joined.assessors)), NONE, np.int8)
    labels[rows] = np.where(joined.labels == UNJUDGED, NONE, joined.labels)
    gold, inclusion = _audited(joined, shown, bounds, audit)
    arrays: dict[str, Array] = {
        "bounds": bounds.astype(np.uint32),
        "labels": labels,
        "gold": gold,
        "inclusion": inclusion,
        "shownBounds": shown.bounds.astype(np.uint32),
        "shown": shown.place.astype(np.int32),
        "ids": _bytes("\n".join(doc for docs in shown.ids for doc in docs)),
        "texts": _bytes(json.dumps(_texts(shown, texts or {}, limit), ensure_ascii=False)),
    }
    header = {
        "assessors": list(joined.assessors),
        "grades": {int(g): joined.scale.name(int(g)) for g in joined.scale.grades},
        "depth": depth,
        "hidden": shown.hidden,
        "expert": audit is not None,
        "documents": True,
        "listed": int(bounds[-1]),
        "judge": joined.assessors.index(judge) if judge in joined.assessors else -1,
    }
    return header, arrays


def no_documents(systems: int, topics: int) -> Part:
    """The same where only scores are known."""
    arrays: dict[str, Array] = {
        "bounds": np.zeros(topics + 1, np.uint32),
        "labels": np.empty(0, np.int8),
        "gold": np.empty(0, np.int8),
        "inclusion": np.empty(0, np.float32),
        "shownBounds": np.zeros(topics * systems + 1, np.uint32),
        "shown": np.empty(0, np.int32),
        "ids": _bytes(""),
        "texts": _bytes("{}"),
    }
    nothing = {"assessors": [], "grades": {}, "depth": 0, "hidden": 0, "expert": False, "documents": False, "judge": -1}
    return nothing, arrays


def pack(
    scores: Mapping[str, NDArray[np.float64]],
    systems: Sequence[str],
    topics: Sequence[str],
    documents: Part,
    *,
    specifications: Sequence[Specification] = (),
    topic_texts: Mapping[str, str] | None = None,
    order: Sequence[str] = (),
) -> Packed:
    """Everything the explorer shows: `scores` (systems × topics by measure), the documents, the choices."""
    about, held = documents
    arrays = {
        "scores": np.stack([v.T for v in scores.values()]).astype(np.float32),
        "means": np.array([m for *_, m in specifications], np.float32).reshape(-1),
        **held,
    }
    buffer, places = _joined_bytes(arrays)
    header = {
        "systems": list(systems),
        "topics": list(topics),
        "queries": [(topic_texts or {}).get(t, "") for t in topics],
        "measures": list(scores),
        "lower": [lower_is_better(name) for name in scores],
        "order": list(order) or list(systems),
        "specifications": [_specification(*s) for s in specifications],
        **about,
        "arrays": places,
    }
    return Packed(header, base64.b64encode(zlib.compress(buffer, 6)).decode("ascii"))


def _specification(name: str, measure: str, ties: str, means: NDArray[np.float64]) -> dict[str, str]:
    return {"name": name, "measure": measure, **({"ties": ties} if ties else {})}


def _rows_of_items(joined: Joined, bounds: Ints) -> Ints:
    """The row of every joined item among all listed documents: items come first within their topic."""
    topic = np.repeat(np.arange(len(joined.topics)), np.diff(joined.topic_bounds))
    return np.asarray(bounds[topic] + np.arange(len(topic)) - joined.topic_bounds[topic], np.int64)


def _audited(
    joined: Joined, shown: Shown, bounds: Ints, audit: Audit | None
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The expert's grade and the inclusion probability of every listed document."""
    gold, inclusion = np.full(int(bounds[-1]), NONE, np.int8), np.zeros(int(bounds[-1]), np.float32)
    if audit is None:
        return gold, inclusion
    number = {topic: t for t, topic in enumerate(joined.topics)}
    rows: dict[str, dict[str, int]] = {}
    chances = audit.inclusion if audit.inclusion is not None else np.zeros(len(audit))
    for (topic, doc, _, grade), chance in zip(audit.judgments.to_frame().iter_rows(), chances, strict=True):
        t = number.get(topic)
        if t is None:
            continue
        if topic not in rows:
            rows[topic] = {d: int(bounds[t]) + i for i, d in enumerate(shown.ids[t])}
        row = rows[topic].get(doc)
        if row is not None:
            gold[row], inclusion[row] = audit.judgments.scale.grade(str(grade)), chance
    return gold, inclusion


def _texts(shown: Shown, texts: Mapping[str, str], limit: int) -> dict[str, str]:
    wanted = {doc for docs in shown.ids for doc in docs}
    return {doc: text[:limit] + ("…" if len(text) > limit else "") for doc, text in texts.items() if doc in wanted}


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8"), np.uint8)


def _joined_bytes(arrays: Mapping[str, Array]) -> tuple[bytes, dict[str, Values]]:
    """One buffer, each array at a multiple of four bytes, and where it lies."""
    out, places = bytearray(), {}
    for name, array in arrays.items():
        out += b"\0" * (-len(out) % 4)
        places[name] = {"type": array.dtype.name, "at": len(out), "length": int(array.size)}
        out += np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    return bytes(out), places


# ── choices of labels, measure and ties ──
def specifications(study: ReportedStudy) -> list[Specification]:
    """(whose labels, measure, ties, mean of every system), the labels of the verdict first.

    A specification curve: each assessor alone, the majority vote, the vote without one assessor (while assessors are
    few), EM, the correction by the audit. A winner that holds under every reasonable choice does not hang on one
    (Simonsohn, Simmons & Nelson 2020).
    """
    out: list[Specification] = [
        (study.judge_name, m, "", aggregated(values[0])) for m, values in study.judge_scores.values.items()
    ]
    out += _other_ties(study)
    if study.several:
        for m, values in study.scores.values.items():
            means = aggregated(values)
            out += [(a, m, "", means[i]) for i, a in enumerate(study.scores.assessors[:SINGLE]) if a != study.assessor]
        out += _merged(study)
    if study.corrected is not None:
        out += [
            ("corrected by the audit", name, "", result.estimate.theta)
            for name, result in study.corrected.results.items()
            if np.isfinite(result.estimate.theta).all() and not result.refused
        ]
    return out


def _other_ties(study: ReportedStudy) -> list[Specification]:
    """The verdict's labels under the other tie policy, where documents are tied and that can be computed."""
    chosen = study.policies
    if not study.judge_scores.attrs.get("tied_documents") or len(study.runs) > TIED or chosen.unjudged != "nonrelevant":
        return []
    other: Ties = "trec" if chosen.ties == "expected" else "expected"
    out: list[Specification] = []
    collection = study.under(study.judge)
    for m in study.measures:
        try:
            scores = collection.score(m, **{**chosen.to_dict(), "ties": other}, seed=study.seed)
        except DissensusError:
            continue
        out.append((study.judge_name, str(m), other, aggregated(scores.values[str(m)][0])))
    return out


def _merged(study: ReportedStudy) -> list[Specification]:
    names = study.judgments.assessors
    labels = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DissensusWarning)
        _ = study.merged  # what it warns of is told in its section
        for name in names if 2 < len(names) <= LEFT_OUT else ():
            others = study.judgments.select(assessors=[a for a in names if a != name])
            try:
                labels[f"majority without {name}"] = merge(others, method="majority", seed=study.seed).judgments
            except DissensusError:
                continue
    scores = {} if study.assessor is None else {"majority": study.merged_scores["majority"]}
    scores["EM"] = study.merged_scores["em-mv"]
    scores |= {who: study.score(study.under(merged)) for who, merged in labels.items()}
    return [(who, m, "", aggregated(values[0])) for who, found in scores.items() for m, values in found.values.items()]
