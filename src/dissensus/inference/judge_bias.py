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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError
from dissensus.results import Result, Table
from dissensus.stats.intervals import p_text
from dissensus.stats.multiplicity import holm
from dissensus.stats.resampling import shuffled_within
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.seeds import generator

Given = Literal["gold", "label"]
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

    def favoured(self, level: float = 0.05) -> list[tuple[dict[str, Any], list[str]]]:
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
    runs: Runs | None = None,
    documents: Mapping[str, str] | None = None,
    topic_texts: Mapping[str, str] | None = None,
    rel: int | str | None = None,
    given: Given = "gold",
    depth: int = DEPTH,
    seed: int = 0,
) -> BiasTable:
    """The bias table of `judge` against `gold` (an assessor's name, an audit, or other judgments).

    `runs` add ranks and systems (documents in the top `depth`), `documents` (id → text) lengths, and with
    `topic_texts` (topic → text) the share of query terms. `rel` cuts the grades in two instead of
    using them all. `given` says whose grade is held fixed: see the module.
    """
    pairs, scale_low, scale_top = audited_pairs(judgments, judge, gold)
    cut = None if rel is None else judgments.scale.grade(rel)
    name = gold if isinstance(gold, str) else "the audit" if isinstance(gold, Audit) else "gold"
    return bias_of_pairs(
        pairs, scale_low, scale_top, judge, name, runs=runs, documents=documents, topic_texts=topic_texts, cut=cut,
        given=given, depth=depth, seed=seed, notes=judgments.notes,
    )  # fmt: skip


def bias_of_pairs(
    pairs: pl.DataFrame,
    scale_low: int,
    scale_top: int,
    judge: str,
    gold: str = "the audit",
    *,
    runs: Runs | None = None,
    documents: Mapping[str, str] | None = None,
    topic_texts: Mapping[str, str] | None = None,
    cut: int | None = None,
    given: Given = "gold",
    depth: int = DEPTH,
    seed: int = 0,
    notes: tuple[str, ...] = (),
) -> BiasTable:
    """The same from documents that both graded: topic, doc, gold, label, inclusion; grades from `cut` on are 1."""
    if given not in ("gold", "label"):
        raise InputError(f"given={given!r} is not valid.", 'Use given="gold" or given="label".')
    grades = {side: pairs[side].to_numpy().astype(np.int64) for side in ("gold", "label")}
    other = grades["label" if given == "gold" else "gold"]
    value = (other - scale_low) / max(scale_top - scale_low, 1) if cut is None else (other >= cut).astype(np.float64)
    topic = np.unique(pairs["topic"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    n_topics = int(topic.max()) + 1 if len(topic) else 0
    if n_topics < LEAST_TOPICS:
        raise InputError(
            f"gold and {judge!r} share documents of {n_topics} topics; a bias table needs at least {LEAST_TOPICS}.",
            "Audit documents of more topics.",
        )
    label = grades[given]
    weight = 1 / pairs["inclusion"].to_numpy()
    features = _features(pairs, runs, documents, topic_texts, depth)
    rows = []
    for name, (kind, x) in features.items():
        row = slope(value, label, x, weight, topic)
        if row is not None:
            rows.append({"feature": name, "kind": kind, "documents": int(np.count_nonzero(np.isfinite(x))), **row})
    rows.append({"feature": "topic", "kind": "topic", "documents": len(value),
                 **topic_effects(value, label, weight, topic, seed)})  # fmt: skip
    table = pl.DataFrame(rows)
    adjusted = holm(table["p_value"].to_numpy())
    table = table.with_columns(adjusted=pl.Series(adjusted)).sort("p_value")
    order = ["feature", "kind", "documents", "coefficient", "se", "low", "high", "p_value", "adjusted", "detectable"]
    return BiasTable(judge, gold, given, table.select(order), len(value), n_topics, notes)


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
def _features(
    pairs: pl.DataFrame,
    runs: Runs | None,
    documents: Mapping[str, str] | None,
    topic_texts: Mapping[str, str] | None,
    depth: int,
) -> dict[str, tuple[str, Floats]]:
    """name → (kind, value per audited document, NaN where unknown)."""
    out: dict[str, tuple[str, Floats]] = {}
    if documents is not None:
        texts = [documents.get(d) for d in pairs["doc"]]
        words = [np.nan if t is None else float(len(t.split())) for t in texts]
        out["document length (log)"] = ("number", np.log1p(np.array(words)))
        if topic_texts is not None:
            queries = [topic_texts.get(t) for t in pairs["topic"]]
            out["query terms in document"] = (
                "number",
                np.array([term_overlap(q, t) for q, t in zip(queries, texts, strict=True)]),
            )
    if runs is not None:
        ranks = np.arange(1, len(runs) + 1) - np.repeat(runs.bounds[:-1], np.diff(runs.bounds))
        ranked = runs.to_frame().with_columns(rank=pl.Series(ranks))  # rankings are kept in rank order
        best = ranked.group_by("topic", "doc").agg(rank=pl.col("rank").min())
        rank = pairs.join(best, on=["topic", "doc"], how="left", maintain_order="left")["rank"]
        out["best rank (log)"] = ("number", np.log2(rank.cast(pl.Float64).fill_null(np.nan).to_numpy() + 1))
        top = ranked.filter(pl.col("rank") <= depth)
        # beside what other systems show: documents that no system shows differ in more than who shows them
        by_anyone = np.nan_to_num(rank.cast(pl.Float64).to_numpy(), nan=np.inf) <= depth
        for system in sorted(set(top["system"])):
            mine = top.filter(pl.col("system") == system).select("topic", "doc", shown=pl.lit(1.0))
            shown = pairs.join(mine, on=["topic", "doc"], how="left", maintain_order="left")["shown"]
            out[f"shown by {system}"] = ("system", np.where(by_anyone, shown.fill_null(0.0).to_numpy(), np.nan))
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
def slope(value: Floats, label: Ints, x: Floats, weight: Floats, topic: Ints) -> dict[str, float] | None:
    """β of one feature beside the grades held fixed; None where the feature does not vary within labels."""
    from scipy.special import ndtri, stdtr, stdtrit

    known = np.isfinite(x)
    value, x, weight = value[known], x[known], weight[known]
    label, topic = label[known], topic[known]
    if len(x) < 3:
        return None
    if len(np.unique(x)) > 2:
        spread = x.std()
        x = (x - x.mean()) / spread if spread > 0 else x * 0
    within, rest = centred(x, label, weight), centred(value, label, weight)
    size = float((weight * within**2).sum())
    clusters = np.unique(topic, return_inverse=True)[1]
    n = int(clusters.max()) + 1
    if size <= 1e-12 * weight.sum() or n < LEAST_TOPICS:
        return None
    beta = float((weight * within * rest).sum() / size)
    score = np.bincount(clusters, weight * within * (rest - beta * within), n)
    leverage = np.bincount(clusters, weight * within**2, n) / size  # a topic that has all of x pulls β to itself
    pull = score / np.sqrt(np.maximum(1 - leverage, 1e-6))
    se = float(np.sqrt((pull**2).sum()) / size)
    t = beta / se if se > 0 else 0.0
    reach = float(stdtrit(n - 1, 0.975))
    p = float(2 * stdtr(n - 1, -abs(t))) if se > 0 else 1.0
    return {
        "coefficient": beta, "se": se, "low": beta - reach * se, "high": beta + reach * se, "p_value": p,
        "detectable": (reach + float(ndtri(0.8))) * se,
    }  # fmt: skip


def centred(x: Floats, label: Ints, weight: Floats) -> Floats:
    """x minus its weighted mean among documents with the same label."""
    code = np.unique(label, return_inverse=True)[1]
    mean = np.bincount(code, weight * x) / np.bincount(code, weight)
    return np.asarray(x - mean[code], np.float64)


def topic_effects(value: Floats, label: Ints, weight: Floats, topic: Ints, seed: int) -> dict[str, float]:
    """Standard deviation of topics' mean residuals beyond what chance gives, with a permutation test."""
    rest = centred(value, label, weight)
    clusters = np.unique(topic, return_inverse=True)[1]
    total = np.bincount(clusters, weight)

    # residuals change places only among documents with the same grade, whose spread is the same
    order = np.argsort(label, kind="stable")
    ends = np.cumsum(np.unique(label, return_counts=True)[1])
    shuffled = shuffled_within(rest[order], ends, PERMUTATIONS, generator(seed))
    share = np.zeros((len(order), len(total)))  # of each document in its topic's sum
    share[np.arange(len(order)), clusters[order]] = weight[order]
    seen, *by_chance = ((np.vstack([rest[order], shuffled]) @ share) ** 2 / total).sum(axis=1) / total.sum()
    chance = np.array(by_chance)
    return {
        "coefficient": float(np.sqrt(max(seen - chance.mean(), 0.0))), "se": np.nan, "low": np.nan, "high": np.nan,
        "p_value": float((1 + (chance >= seen - 1e-15).sum()) / (1 + PERMUTATIONS)), "detectable": np.nan,
    }  # fmt: skip


def _together(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Rows with the very same numbers in one group: systems that show the same documents are one finding."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
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
