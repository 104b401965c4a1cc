"""Runs and judgments in, scores out: one Dataset, every assessor, every policy stated.

`dissensus.measures.policies` says what each policy does and what its default is; the result states all four, and what
they did to how many. Before anything is scored: does every assessor use the grades that a measure needs? A binary judge
under P(rel=2) scores every system 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import DataWarning, Fix, InputError, MeasureError, Option, Text
from dissensus.io.options import ReadKeywords
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Floats, Measure, relevant_count
from dissensus.measures.policies import Empty, Policies, Ties, Topics, Unjudged
from dissensus.measures.scores import ScoreArrays, aggregates
from dissensus.tables.coercion import coerced
from dissensus.tables.collection import Joined, join, refuse_other_documents
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.windows.notebook import summary_html
from dissensus.wording import counted
from dissensus.work.threads import on_threads

if TYPE_CHECKING:
    import xarray as xr

PART = 1 << 18  # scores that are compared at once
ENOUGH = 10  # labels of an assessor from which on an unused grade is not an accident


@coerced
def evaluate(
    runs: Runs,
    judgments: Judgments,
    measures: Iterable[str | Measure] | str | Measure,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    *,
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> xr.Dataset:
    """Scores of every system on every topic under every assessor.

    Returns an `xarray.Dataset` with one variable per measure, dims (assessor, system, topic), policies and counts in
    `attrs`; `attrs["footer"]` is the line that belongs under every table made of it.

    >>> import dissensus as ds
    >>> runs = ds.Runs.from_dict({"a": {"q1": {"d1": 2.0, "d2": 1.0}}})
    >>> judgments = ds.Judgments.from_dict({"ann": {"q1": {"d1": 0, "d2": 1}}})
    >>> float(ds.evaluate(runs, judgments, ["AP"])["AP"].sel(assessor="ann", system="a", topic="q1"))
    0.5
    """
    return Collection(runs, judgments).evaluate(measures, topics, unjudged, ties, empty, seed=seed)


class Collection:
    """Runs joined with judgments, to be evaluated as often as you like.

    `with_labels(labels)` puts other label sets (documents × assessors, int8, as `labels`) under the same rankings
    without copying them; that is how hundreds of simulated judges are scored.
    """

    def __init__(self, runs: Runs, judgments: Judgments) -> None:
        self.joined: Joined = join(runs, judgments)

    @classmethod
    def of(cls, joined: Joined) -> Collection:
        """A collection around arrays that are already joined."""
        made = cls.__new__(cls)
        made.joined = joined
        return made

    def __repr__(self) -> str:
        counts = (len(self.joined.systems), len(self.joined.topics), *self.labels.shape)
        sizes = zip(counts, ("system", "topic", "document", "assessor"), strict=True)
        return f"Collection({', '.join(counted(n, what) for n, what in sizes)})"

    def _repr_html_(self) -> str:
        documents, assessors = self.labels.shape
        facts = (
            ("systems", len(self.joined.systems)), ("topics", len(self.joined.topics)), ("documents", documents),
            ("assessors", assessors),
        )  # fmt: skip
        return summary_html("Collection", facts)

    @property
    def labels(self) -> NDArray[np.int8]:
        """Labels, documents × assessors; rows are the judgments' items."""
        return self.joined.labels

    def with_labels(self, labels: NDArray[np.int8], assessors: Sequence[str] | None = None) -> Collection:
        """The same rankings under other label sets."""
        return Collection.of(self.joined.with_labels(labels, assessors))

    def evaluate(
        self,
        measures: Iterable[str | Measure] | str | Measure,
        topics: Topics = Policies.topics,
        unjudged: Unjudged = Policies.unjudged,
        ties: Ties = Policies.ties,
        empty: Empty = Policies.empty,
        *,
        seed: int = 0,
    ) -> xr.Dataset:
        """As `dissensus.evaluate`."""
        return self.checked(measures, topics, unjudged, ties, empty, seed=seed).to_dataset()

    def checked(
        self, measures: Iterable[str | Measure] | str | Measure, *policies: Any, seed: int = 0, **named_policies: Any
    ) -> ScoreArrays:
        """As `evaluate`, without xarray, whose import takes longer than scoring a small collection."""
        measures = measure_list(measures)
        self.check(measures)
        return self.score(measures, *policies, seed=seed, **named_policies)

    def check(self, measures: list[Measure]) -> None:
        """Refuse judgments that say nothing of the runs, or have no grade that a measure needs."""
        check_grades_used(self.joined.judgments, measures)
        refuse_other_documents(self.joined)

    def score(
        self, measures: Iterable[str | Measure] | str | Measure, *policies: Any, seed: int = 0, **named_policies: Any
    ) -> ScoreArrays:
        """The scores as plain arrays: what `evaluate` labels, for code that needs no labels; policies are its."""
        return _score(self.joined, measure_list(measures), Policies(*policies, **named_policies), seed)


def measure_list(measures: Iterable[str | Measure] | str | Measure, *, trec_eval: bool = False) -> list[Measure]:
    """Measures from names or objects, each once, in the order given; `trec_eval` reads names as that program does."""
    if isinstance(measures, str | Measure):
        measures = [measures]
    found = list(dict.fromkeys(named(m, trec_eval=trec_eval) for m in measures))
    if not found:
        raise InputError("no measure was asked for.", 'Name at least one, for example ["AP", "nDCG@10"].')
    return found


def _score(joined: Joined, measures: list[Measure], policies: Policies, seed: int) -> ScoreArrays:
    values: dict[str, Floats] = {}
    for m in measures:
        m.check_scale(joined.scale)
    ranked = joined.segment_of >= 0
    counted = joined.in_topic[:, None, :] & (ranked[None] if policies.topics == "own" else True)
    for m in measures:
        for suffix, scores in _variables(m, joined, policies, seed).items():
            settled = np.nan_to_num(scores, nan=m.when_empty) if policies.empty == "zero" else scores
            values[f"{m}.{suffix}" if suffix else str(m)] = _only(counted, settled)
    keep = np.arange(len(joined.topics))
    if policies.topics == "shared":
        keep = np.flatnonzero(ranked.all(axis=0))
        values = {name: np.ascontiguousarray(scores[:, :, keep]) for name, scores in values.items()}
    return ScoreArrays(
        values,
        joined.assessors,
        joined.systems,
        joined.topics if len(keep) == len(joined.topics) else tuple(joined.topics[t] for t in keep),
        {**_described(joined, measures, policies, len(keep)), "aggregates": aggregates(values, measures)},
    )


def _described(joined: Joined, measures: list[Measure], policies: Policies, n_topics: int) -> dict[str, Any]:
    unjudged, seen = unjudged_counts(joined, 10)
    unknown = len(set(joined.runs.topics) - set(joined.topics))
    judged = joined.in_topic.sum(axis=1)
    notes = [*joined.runs.notes, *joined.judgments.notes]
    notes += remarks(joined.judgments.n_repeats(), unknown, judged, len(joined.topics))
    return account(
        measures,
        joined.scale,
        policies,
        len(joined.topics),
        n_topics=n_topics,
        missing=missing_topics(joined),
        unjudged_top10=unjudged / seen if seen else float("nan"),
        tied_documents=tied_documents(joined),
        empty_topics=empty_topics(joined, measures),
        notes=list(dict.fromkeys(notes)),
    )


def _only(counted: NDArray[np.bool_], scores: Floats) -> Floats:
    """Contiguous scores, NaN where they do not count; whole tables are laid out anew, once."""
    if counted.all():
        return np.ascontiguousarray(scores)
    out = np.full(scores.shape, np.nan)
    np.copyto(out, scores, where=counted)
    return out


def _variables(m: Measure, joined: Joined, policies: Policies, seed: int) -> dict[str, Floats]:
    if policies.unjudged == "condense":
        from dissensus.measures.condense import condensed_scores

        return {"": condensed_scores(m, joined)}
    if policies.ties == "expected":
        from dissensus.measures.ties import expected_scores

        mean, error = expected_scores(m, joined, seed)
        return {"": mean} if error is None else {"": mean, "se": error}
    if policies.unjudged == "bounds":
        return {"": m.scores(joined), **m.bounds(joined)}
    return {"": m.scores(joined)}


# ── the account under every table: which policies were followed, and what they did to how many ──
def account(
    measures: Iterable[Measure], scale: Scale, policies: Policies, n_judged: int, **counts: Any
) -> dict[str, Any]:
    """Attributes of a score table: policies, counts, and `footer`, the same in one line; `n_judged` topics were judged.

    `counts`: n_topics (those kept), missing, unjudged_top10, tied_documents, empty_topics, notes.
    """
    attrs = {**policies.to_dict(), "measures": [str(m) for m in measures], "scale": str(scale), **counts}
    attrs["footer"] = "  ".join(footer(n_judged, policies, attrs))
    return attrs


def missing_topics(joined: Joined) -> list[tuple[str, str]]:
    """(system, topic) for every judged topic that a system has no ranking for."""
    return [(joined.systems[s], joined.topics[t]) for s, t in np.argwhere(joined.segment_of < 0)]


def unjudged_counts(joined: Joined, depth: int) -> tuple[int, int]:
    """How many of the first `depth` retrieved documents the assessors of the topic did not judge, and of how many."""
    inside = joined.hit_rank <= depth
    judged = int(np.count_nonzero(joined.labels[joined.hit_item[inside]] >= 0))
    seen_by = joined.in_topic[:, joined.segment_topic].sum(axis=0)  # assessors per segment
    total = int((np.minimum(joined.length, depth) * seen_by).sum())
    return total - judged, total


def tied_documents(joined: Joined) -> int:
    """Documents whose score equals that of the document above them in the same ranking."""
    runs = joined.runs
    edges = np.unique(runs.bounds)  # of rankings, whose last and first document stand side by side

    def tied(b: int) -> int:
        score, first = runs.score_parts[b], runs.ids.bounds[b]
        parts = (score[a : a + PART + 1] for a in range(0, len(score), PART))
        same = sum(int(np.count_nonzero(part[1:] == part[:-1])) for part in parts)
        inner = edges[slice(*np.searchsorted(edges, (first + 1, first + len(score))))] - first
        return same - int(np.count_nonzero(score[inner] == score[inner - 1])) if len(inner) else same

    return sum(on_threads(tied, range(len(runs.score_parts))))


def empty_topics(joined: Joined, measures: list[Measure]) -> dict[str, int]:
    """Per assessor, how many judged topics lack relevant documents for the strictest measure that needs one."""
    needing = [m.relevant_from(joined.scale) for m in measures if m.needs_relevant]
    if not needing:
        return {}
    relevant = relevant_count(joined.pool_counts, max(needing), joined.scale)
    counts = ((relevant == 0).T & joined.in_topic).sum(axis=1)
    return {a: int(n) for a, n in zip(joined.assessors, counts, strict=True) if n}


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


def footer(n_judged: int, policies: Policies, attrs: dict[str, Any]) -> list[str]:
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
        f"scale={attrs['scale']}",
        *attrs["notes"],
    ]


# ── grades that a measure needs ──
def check_grades_used(judgments: Judgments, measures: Iterable[Measure], *, as_classes: bool = False) -> None:
    """Name assessors who never give a grade that a measure needs; an error where that is all of them.

    `as_classes`: the grades are only classes, whose worth an audit tells; then nothing is an error.
    """
    if judgments.scale.binned and not as_classes:
        raise MeasureError(
            "the judge gives scores, not grades: which of them count as relevant is not known.",
            Fix("Cut them into grades with ", Option("threshold", 0.5), ", or at several values."),
            Fix("Give classes their mean score as gain: measure.with_gains(judgments.gains()).", reader="python"),
        )
    reached = cache(partial(_never_reach, judgments))
    for m in measures:
        rel = getattr(m, "rel", None)
        if rel is None or judgments.scale.binned:
            continue
        coarse = reached(rel)
        if not coarse or (rel < 2 and len(coarse) < len(judgments.assessors)):  # a judge may find nothing relevant
            continue
        few = ", ".join(coarse[:5]) + (f" and {len(coarse) - 5} more" if len(coarse) > 5 else "")
        what = Text(f"{few} never give{'s' if len(coarse) == 1 else ''} grade {rel} or above, which {m} needs: by "
                    f"{'this assessor' if len(coarse) == 1 else 'them'} every system scores 0.")  # fmt: skip
        fix = (
            Fix(
                "On a scale with fewer grades, say what they are worth with ",
                Option("map"),
                f", as in {coarse[0]}:1={rel}.",
            )
            if rel > 1
            else Fix("Is this the right file? A ", Option("threshold"), " must be reached by some labels.")
        )
        if len(coarse) == len(judgments.assessors) and not as_classes:
            raise MeasureError(what, fix)
        warnings.warn(DataWarning(f"{what} {fix}"), stacklevel=3)


def _never_reach(judgments: Judgments, rel: int) -> list[str]:
    labels, highest = (np.zeros(len(judgments.assessors), np.int64) for _ in range(2))
    judged = judgments.grade >= 0
    np.add.at(labels, judgments.assessor[judged], 1)
    np.maximum.at(highest, judgments.assessor[judged], judgments.grade[judged].astype(np.int64))
    return [judgments.assessors[a] for a in np.flatnonzero((labels >= ENOUGH) & (highest < rel))]
