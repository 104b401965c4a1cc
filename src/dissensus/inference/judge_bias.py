"""Where a judge errs: does its error go with length, rank, query terms, the systems that show a document, the topic?

On documents with a gold grade G and the judge's label J, regress what the judge says on gold's grades and on one
feature x at a time, with weights 1/π (π the probability with which the document was audited):

    v(J) = a(G) + β x + e,    se by sandwich, topics as clusters, t with C − 1 degrees of freedom

so that β is error that goes with x among documents of the same gold grade: with β > 0 the judge is too generous where
x is large. Numbers (length, log₂ of the best rank, share of query terms in the document) are in standard deviations;
"shown by S" is 1 where system S has the document in its top ranks, among documents that some system shows there. β is
in units of the score, v running from 0 (lowest grade) to 1 (highest). Over the features p-values are Holm's. "topic" is
the standard deviation of topic effects beyond chance, tested by permuting residuals over topics.

`given="label"` turns the question round: v(G) = f(J) + β x + e, the audit's residuals given the judge's label. That is
what a correction by f(J) would miss. It also moves where the judge is fair but x tells something about relevance
(documents that good systems show are relevant more often, whatever the label), so it is not evidence of a bias.

A feature that goes with the error need not cause it. Few audited documents find only gross biases: the table has the
smallest β that would be found with 80 % power. Fewer than five topics are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints, Values
from dissensus.errors import InputError
from dissensus.results import Result, Table
from dissensus.stats.intervals import p_text
from dissensus.stats.multiplicity import holm
from dissensus.stats.resampling import shuffled_within
from dissensus.tables.audit import Audit
from dissensus.tables.collection import Joined, join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import unordered
from dissensus.work.seeds import generator

Given = Literal["gold", "label"]
Feature = tuple[str, list[str], Floats]  # its kind, its names, documents × names; NaN where unknown
LEAST_TOPICS = 5
PERMUTATIONS = 999
DEPTH = 10
TOLD = 5  # biases told in sentences, the largest first


@dataclass(frozen=True, eq=False)
class BiasTable(Result):
    """`table`: feature, kind, documents, coefficient, se, low, high, p_value, adjusted, detectable.

    A coefficient above zero: the judge is too generous where the feature is large (`given="label"`: too strict).
    """

    judge: str
    gold: str
    given: Given
    table: pl.DataFrame
    n_documents: int
    n_topics: int
    notes: tuple[str, ...] = ()

    def found(self, level: float = 0.05) -> list[str]:
        """Features with an adjusted p below `level`."""
        rows = self.table.select("feature", "adjusted").iter_rows()
        return [str(f) for f, p in rows if p is not None and p < level]

    def favoured(self, level: float = 0.05) -> list[tuple[Values, list[str]]]:
        """(row, systems) of every bias for or against documents of systems, the largest first."""
        names = set(self.found(level))
        rows = [r for r in self.table.iter_rows(named=True) if r["feature"] in names and r["kind"] == "system"]
        rows.sort(key=lambda r: -abs(r["coefficient"]))
        return [(g[0], [str(r["feature"]).removeprefix("shown by ") for r in g]) for g in _together(rows)]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {
            "bias": Table.of(
                self.table, {"coefficient": "what the feature adds to the label", "adjusted": "p-value after Holm"}
            )
        }

    def sentences(self, level: float = 0.05) -> list[str]:
        """What was found, in words; or that nothing was."""
        names = set(self.found(level))
        rows = [r for r in self.table.iter_rows(named=True) if r["feature"] in names]
        rows.sort(key=lambda r: -abs(r["coefficient"]))
        if not rows:
            return [f"No bias of {self.judge} was found on {self.n_documents:,} documents; smaller ones may be there."]
        groups = _together(rows)
        more = [f"{sum(map(len, groups[TOLD:]))} more are in the table."] if len(groups) > TOLD else []
        return [_sentence(self.judge, g[0], self.given, [r["feature"] for r in g]) for g in groups[:TOLD]] + more

    def __str__(self) -> str:
        return "\n".join((str(self.table), *self.sentences(), *self.notes))


def judge_bias(
    judgments: Judgments,
    judge: str,
    gold: str | Audit | Judgments,
    *,
    runs: Runs | Exposure | None = None,
    documents: Mapping[str, str] | None = None,
    topic_texts: Mapping[str, str] | None = None,
    rel: int | str | None = None,
    given: Given = "gold",
    seed: int = 0,
) -> BiasTable:
    """The bias table of `judge` against `gold` (an assessor's name, an audit, or other judgments).

    `runs` add ranks and systems (documents in the top 10; for many judges give their `Exposure`), `documents` (id →
    text) lengths, and with `topic_texts` (topic → text) the share of query terms. `rel` cuts the grades in two instead
    of using them all. `given` says whose grade is held fixed: see the module.
    """
    if not judgments.scale.ordered:
        raise unordered(judgments.scale, "A bias has a direction.")
    pairs, scale_low, scale_top = audited_pairs(judgments, judge, gold)
    cut = None if rel is None else judgments.scale.grade(rel)
    name = gold if isinstance(gold, str) else "the audit" if isinstance(gold, Audit) else "gold"
    seen = Exposure.of(runs, judgments) if isinstance(runs, Runs) else runs
    features = [("number", [of], x[:, None]) for of, x in _numbers(pairs, documents, topic_texts).items()]
    features += [] if seen is None else seen.features(pairs)
    graded = GradedPairs(pairs, scale_low, scale_top, cut, name)
    return replace(bias_of_pairs(graded, judge, features, given=given, seed=seed), notes=judgments.notes)


@dataclass(frozen=True, eq=False)
class GradedPairs:
    """Documents that both graded: topic, doc, gold, label, inclusion; the ends of the scale; whose grades are gold.

    Grades from `cut` on are 1, where there is a cut.
    """

    frame: pl.DataFrame
    low: int
    top: int
    cut: int | None = None
    gold: str = "the audit"

    def worth(self, grade: Ints) -> Floats:
        """Grades between 0 and 1."""
        if self.cut is not None:
            return (grade >= self.cut).astype(np.float64)
        return np.asarray((grade - self.low) / max(self.top - self.low, 1), np.float64)


def bias_of_pairs(
    graded: GradedPairs, judge: str, features: Sequence[Feature], *, given: Given = "gold", seed: int = 0
) -> BiasTable:
    """The same from documents that both graded, and features of them: kind, names, values (NaN where unknown)."""
    pairs = graded.frame
    if given not in ("gold", "label"):
        raise InputError(f"given={given!r} is not valid.", 'Use given="gold" or given="label".')
    grades = {side: pairs[side].to_numpy().astype(np.int64) for side in ("gold", "label")}
    other = grades["label" if given == "gold" else "gold"]
    value = graded.worth(other)
    topic = np.unique(pairs["topic"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    n_topics = int(topic.max()) + 1 if len(topic) else 0
    if n_topics < LEAST_TOPICS:
        raise InputError(
            f"gold and {judge!r} share documents of {n_topics} topics; a bias table needs at least {LEAST_TOPICS}.",
            "Audit documents of more topics.",
        )
    label = np.unique(grades[given], return_inverse=True)[1]
    weight = 1 / pairs["inclusion"].to_numpy()
    rows: list[dict[str, object]] = []
    for kind, names, x in features:
        known = np.isfinite(x).all(axis=1)
        found = slopes(value[known], label[known], x[known], weight[known], topic[known])
        about = {"kind": kind, "documents": int(known.sum())}
        rows += [{"feature": n, **about, **row} for n, row in zip(names, found, strict=True) if row is not None]
    of_topics = topic_effects(value, label, weight, topic, seed)
    rows.append({"feature": "topic", "kind": "topic", "documents": len(value), **of_topics})
    table = pl.DataFrame(rows)
    adjusted = holm(table["p_value"].to_numpy())
    table = table.with_columns(adjusted=pl.Series(adjusted)).sort("p_value", maintain_order=True)
    order = ["feature", "kind", "documents", "coefficient", "se", "low", "high", "p_value", "adjusted", "detectable"]
    return BiasTable(judge, graded.gold, given, table.select(order), len(value), n_topics)


def audited_pairs(judgments: Judgments, judge: str, gold: str | Audit | Judgments) -> tuple[pl.DataFrame, int, int]:
    """(topic, doc, gold, label, inclusion) of documents that both judged, and the ends of the scale."""
    if judge not in judgments.assessors:
        raise InputError(f"judge={judge!r}: no assessor has that name.", f"Assessors: {_names(judgments)}")
    if isinstance(gold, str) and gold not in judgments.assessors:
        raise InputError(f"gold={gold!r}: no assessor has that name.", f"Assessors: {_names(judgments)}")
    if gold == judge:
        raise InputError(f"judge and gold are both {judge!r}.", "Name two assessors.")
    truth = judgments.select(assessors=[gold]) if isinstance(gold, str) else gold
    reference = truth.judgments if isinstance(truth, Audit) else truth
    known = truth.inclusion if isinstance(truth, Audit) else None
    inclusion = np.ones(len(reference)) if known is None else known
    left = _rows(reference).with_columns(inclusion=pl.Series(inclusion)).filter(pl.col("grade") >= 0)
    if reference.n_repeats():
        left = left.unique(["topic", "doc"], keep="first", maintain_order=True)
    right = _rows(judgments.select(assessors=[judge]).first()).filter(pl.col("grade") >= 0)
    both = left.rename({"grade": "gold"}).join(right.rename({"grade": "label"}), on=["topic", "doc"])
    if not both.height:
        raise InputError(f"gold and {judge!r} share no judged document.", "Check topic and document ids.")
    return both, judgments.scale.low, judgments.scale.top


def _rows(judgments: Judgments) -> pl.DataFrame:
    """topic, doc and grade, as a number."""
    return judgments.to_frame().select("topic", "doc", grade=pl.Series(judgments.grade.astype(np.int64)))


def _names(judgments: Judgments) -> str:
    return ", ".join(judgments.assessors[:10])


# ── features ──
@dataclass(frozen=True, eq=False)
class Exposure:
    """How high systems show each document, and which show it in their top ranks: found once for all judges.

    `documents` are topic and doc; `rank` is the best rank of each, NaN where no system has it.
    """

    systems: tuple[str, ...]
    documents: pl.DataFrame
    rank: Floats
    shown: NDArray[np.bool_]

    @classmethod
    def of(cls, runs: Runs, judgments: Judgments, depth: int = DEPTH) -> Exposure:
        """Of all documents that anybody judged."""
        return cls.of_joined(join(runs, judgments, whole=False), depth)

    @classmethod
    def of_joined(cls, joined: Joined, depth: int = DEPTH) -> Exposure:
        """The same where rankings and judgments are joined already; systems without a top document are left out."""
        n = len(joined.labels)
        rank = np.full(n, np.inf)
        np.minimum.at(rank, joined.hit_item, joined.hit_rank)
        system = np.repeat(joined.segment_system, np.diff(joined.hits))
        top = joined.hit_rank <= depth
        shown = np.zeros((n, len(joined.systems)), bool)
        shown[joined.hit_item[top], system[top]] = True
        shows = [i for i in sorted(range(len(joined.systems)), key=joined.systems.__getitem__) if shown[:, i].any()]
        topics = pl.Series(joined.topics, dtype=pl.String).gather(joined.judgments.item_topic)
        documents = pl.DataFrame({"topic": topics, "doc": joined.judgments.doc_ids()})
        seen = np.where(np.isfinite(rank), rank, np.nan)
        return cls(tuple(joined.systems[i] for i in shows), documents, seen, shown[:, shows])

    def at(self, pairs: pl.DataFrame) -> tuple[Floats, Floats]:
        """(best rank, 1 where a system shows it) of each document; NaN where no system shows it in its top ranks.

        Documents that no system shows differ in more than who shows them, so they tell nothing of a system.
        """
        place = self.documents.with_row_index("place")
        where = pairs.join(place, on=["topic", "doc"], how="left", maintain_order="left")["place"]
        here = where.fill_null(len(self.rank)).to_numpy()
        shown = np.vstack([self.shown, np.zeros((1, len(self.systems)), bool)])[here]
        by_anyone = shown.any(axis=1)
        return np.append(self.rank, np.nan)[here], np.where(by_anyone[:, None], shown.astype(np.float64), np.nan)

    def features(self, pairs: pl.DataFrame) -> list[Feature]:
        """Best ranks and who shows a document, as features of the bias table."""
        rank, shown = self.at(pairs)
        names = [f"shown by {s}" for s in self.systems]
        return [("number", ["best rank (log)"], np.log2(rank + 1)[:, None]), ("system", names, shown)]


def _numbers(
    pairs: pl.DataFrame, documents: Mapping[str, str] | None, topic_texts: Mapping[str, str] | None
) -> dict[str, Floats]:
    """What texts say of each document."""
    if documents is None:
        return {}
    texts = [documents.get(d) for d in pairs["doc"]]
    words = [np.nan if t is None else float(len(t.split())) for t in texts]
    out = {"document length (log)": np.log1p(np.array(words))}
    if topic_texts is not None:
        queries = [topic_texts.get(t) for t in pairs["topic"]]
        overlap = [term_overlap(q, t) for q, t in zip(queries, texts, strict=True)]
        out["query terms in document"] = np.array(overlap)
    return out


def term_overlap(query: str | None, text: str | None) -> float:
    """Share of the query's distinct words that occur in the text; NaN where one is unknown.

    >>> term_overlap("solar panels cost", "The cost of panels")
    0.6666666666666666
    """
    if query is None or text is None or not query.split():
        return float("nan")
    words = set(query.lower().split())
    return len(words & set(text.lower().split())) / len(words)


# ── tests ──
def slopes(value: Floats, label: Ints, x: Floats, weight: Floats, topic: Ints) -> list[dict[str, float] | None]:
    """β of each column of x beside the labels held fixed (0, 1, …); None where it does not vary within them."""
    from scipy.special import ndtri, stdtr, stdtrit

    nothing: list[dict[str, float] | None] = [None] * x.shape[1]
    clusters = np.unique(topic, return_inverse=True)[1]
    n = int(clusters.max(initial=-1)) + 1
    if len(x) < 3 or n < LEAST_TOPICS:
        return nothing
    many = ~((x == x.min(axis=0)) | (x == x.max(axis=0))).all(axis=0)
    spread = np.where(many, x.std(axis=0), 1.0)
    x = (x - np.where(many, x.mean(axis=0), 0.0)) / np.where(spread > 0, spread, 1.0)
    within, rest = centred(x, label, weight), centred(value, label, weight)
    size = weight @ within**2
    varies = size > 1e-12 * weight.sum()
    within, size = within[:, varies], size[varies]
    beta = (weight * rest) @ within / size
    by_topic = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[by_topic], np.arange(n))
    error = weight[:, None] * within * (rest[:, None] - beta * within)
    score = np.add.reduceat(error[by_topic], starts)
    leverage = np.add.reduceat((weight[:, None] * within**2)[by_topic], starts) / size
    # a topic that has all of x draws β to itself
    se = np.sqrt((score**2 / np.maximum(1 - leverage, 1e-6)).sum(axis=0)) / size
    t = np.divide(beta, se, out=np.zeros_like(beta), where=se > 0)
    p = np.where(se > 0, 2 * stdtr(n - 1, -np.abs(t)), 1.0)
    half = float(stdtrit(n - 1, 0.975))
    numbers = (beta, se, beta - half * se, beta + half * se, p, (half + float(ndtri(0.8))) * se)
    columns = ("coefficient", "se", "low", "high", "p_value", "detectable")
    for place, row in zip(np.flatnonzero(varies), np.column_stack(numbers).tolist(), strict=True):
        nothing[place] = dict(zip(columns, row, strict=True))
    return nothing


def centred(x: Floats, label: Ints, weight: Floats) -> Floats:
    """x (a column or several) minus its weighted mean among documents with the same label (0, 1, …)."""
    of_label = (label[:, None] == np.arange(int(label.max()) + 1)).T * weight
    total = of_label.sum(axis=1)
    mean = ((of_label @ x).T / np.where(total > 0, total, 1.0)).T
    return np.asarray(x - mean[label], np.float64)


def topic_effects(value: Floats, label: Ints, weight: Floats, topic: Ints, seed: int) -> dict[str, float]:
    """Standard deviation of topics' mean residuals beyond what chance gives, with a permutation test."""
    # residuals change places only among documents with the same grade, whose spread is the same
    order = np.argsort(label, kind="stable")
    rest, weight, clusters = centred(value, label, weight)[order], weight[order], topic[order]
    total = np.bincount(clusters, weight)

    def effect(residual: Floats) -> float:
        return float((np.bincount(clusters, weight * residual) ** 2 / total).sum() / total.sum())

    seen = effect(rest)
    ends = np.cumsum(np.bincount(label))
    chance = np.array([effect(row) for row in shuffled_within(rest, ends, PERMUTATIONS, generator(seed))])
    return {
        "coefficient": float(np.sqrt(max(seen - chance.mean(), 0.0))), "se": np.nan, "low": np.nan, "high": np.nan,
        "p_value": float((1 + (chance >= seen - 1e-15).sum()) / (1 + PERMUTATIONS)), "detectable": np.nan,
    }  # fmt: skip


def _together(rows: list[Values]) -> list[list[Values]]:
    """Rows with the very same numbers in one group: systems that show the same documents are one finding."""
    groups: dict[tuple[Any, ...], list[Values]] = {}
    for row in rows:
        key = tuple(row[c] for c in ("kind", "documents", "coefficient", "low", "high", "adjusted"))
        groups.setdefault(key if row["kind"] == "system" else (row["feature"],), []).append(row)
    return list(groups.values())


def _sentence(judge: str, row: Mapping[str, object], given: Given, names: list[str]) -> str:
    beta = float(str(row["coefficient"]))
    if row["kind"] == "topic":
        return f"{judge}'s error differs from topic to topic (standard deviation {beta:.3f} of the scale)."
    direction = "too generous" if (beta > 0) == (given == "gold") else "too strict"
    shown = [name.removeprefix("shown by ") for name in names]
    where = (
        f"to documents shown by {', '.join(shown)}"
        if row["kind"] == "system"
        else f"with each standard deviation of {names[0]}"
    )
    p = float(str(row["adjusted"]))
    return (
        f"{judge} is {direction} {where}, by {abs(beta):.3f} of the grade scale [{row['low']:.3f}, {row['high']:.3f}] "
        f"(adjusted p {p_text(p)})."
    )
