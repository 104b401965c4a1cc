"""Two versions of a judge on the same documents: what changed, and whether it matters.

- *flips*: documents whose label changed, up or down, grade by grade;
- *symmetry*: McNemar's test, Bowker's for more grades, B = Σ_{i<j} (n_ij − n_ji)² / (n_ij + n_ji), n_ij documents that
  went from i to j. Documents of a topic change together, so the p-value exchanges the two versions topic by topic
  (random signs of each topic's n_ij − n_ji), 9,999 times;
- *against gold*: Se, Sp at a grade, and Cohen's κ, of both versions and their change, with jackknife intervals over
  topics;
- *systems*: pairs of systems whose order by mean score differs between the versions.

Before changing a judge, ask for all four: a new version can be nearer to gold and still reverse a comparison that was
published with the old one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError
from dissensus.judging.agreement.cohen import kappas
from dissensus.judging.label_table import labels
from dissensus.measures.evaluate import evaluate
from dissensus.results import Result, Table
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.seeds import generator

RESAMPLES = 9_999
FEW_TOPICS = 10
MEANINGS = {
    "old": "label, or value, before",
    "new": "label, or value, now",
    "share": "share of the documents that changed",
    "what": "what is measured against gold",
}


@dataclass(frozen=True, eq=False)
class Drift(Result):
    """`flips`: old, new, documents, share; `against_gold`: what, old, new, change, low, high (None without gold).

    `swapped` (None without runs) has the pairs of systems whose order differs: better_old, better_new, by_old, by_new.
    """

    old: str
    new: str
    n_documents: int
    n_topics: int
    changed: float
    upward: float
    kappa: float
    p_value: float
    flips: pl.DataFrame
    against_gold: pl.DataFrame | None = None
    swapped: pl.DataFrame | None = None
    n_pairs: int = 0
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        frames = {"flips": self.flips, "against gold": self.against_gold, "swapped": self.swapped}
        return {name: Table.of(frame, MEANINGS) for name, frame in frames.items() if frame is not None}

    def sentences(self) -> list[str]:
        """What changed, in words."""
        lean = (
            "" if self.p_value >= 0.05 else (", more often upwards" if self.upward > 0.5 else ", more often downwards")
        )
        lines = [
            f"{self.new} differs from {self.old} on {self.changed:.1%} of {self.n_documents:,} documents{lean} "
            f"(symmetry by topic: p = {self.p_value:.3g}; κ between them {self.kappa:.3f})."
        ]
        if self.against_gold is not None:
            surely = [r for r in self.against_gold.iter_rows(named=True) if r["low"] > 0 or r["high"] < 0]
            lines += [
                f"{r['what']} {'rose' if r['change'] > 0 else 'fell'} from {r['old']:.3f} to {r['new']:.3f} "
                f"({r['change']:+.3f} [{r['low']:+.3f}, {r['high']:+.3f}])."
                for r in surely
            ] or ["Against gold no change of Se, Sp or κ is shown."]
        if self.swapped is not None:
            lines.append(f"{self.swapped.height:,} of {self.n_pairs:,} pairs of systems change their order.")
        return lines

    def __str__(self) -> str:
        return "\n".join((*self.sentences(), *self.notes))


def drift(
    judgments: Judgments,
    old: str,
    new: str,
    *,
    gold: str | None = None,
    rel: int | str | None = None,
    runs: Runs | None = None,
    measure: str = "nDCG@10",
    seed: int = 0,
) -> Drift:
    """Compare the labels of two versions of a judge; `rel` is the grade at which Se and Sp are taken (default: the
    lowest above the bottom)."""
    _check(judgments, old, new, gold)
    table = labels(judgments).first()
    k, names = table.n_levels, table.scale.names
    level = {w: table.by(judgments.assessors.index(w)) for w in (old, new, *([gold] if gold else []))}
    both = np.flatnonzero((level[old] >= 0) & (level[new] >= 0))
    if not len(both):
        raise InputError(f"{old!r} and {new!r} share no judged document.", "Check topic and document ids.")
    topic = np.unique(judgments.item_topic[both], return_inverse=True)[1].astype(np.int64)
    before, after = level[old][both], level[new][both]
    cells = np.bincount(before * k + after, minlength=k * k).reshape(k, k)
    moved = before != after
    flips = pl.DataFrame(
        [
            {"old": names[i], "new": names[j], "documents": int(cells[i, j]), "share": cells[i, j] / len(both)}
            for i in range(k)
            for j in range(k)
            if i != j and cells[i, j]
        ],
        schema={"old": pl.String, "new": pl.String, "documents": pl.Int64, "share": pl.Float64},
    ).sort("documents", descending=True)
    against = None
    if gold:
        cut = 1 if rel is None else judgments.scale.grade(rel) - judgments.scale.low
        against = _against_gold(before, after, level[gold][both], topic, k, cut)
    swapped, n_pairs = (None, 0) if runs is None else _swapped(judgments, runs, old, new, measure)
    n_topics = int(topic.max()) + 1
    few = (f"{n_topics} topics: intervals are unreliable under {FEW_TOPICS}",) if n_topics < FEW_TOPICS else ()
    return Drift(
        old=old, new=new, n_documents=len(both), n_topics=n_topics, changed=float(moved.mean()),
        upward=float((after > before)[moved].mean()) if moved.any() else float("nan"),
        kappa=float(kappas(cells[None], np.eye(k))[0]), p_value=symmetry(before, after, topic, k, seed), flips=flips,
        against_gold=against, swapped=swapped, n_pairs=n_pairs, notes=(*judgments.notes, *table.notes, *few),
    )  # fmt: skip


def symmetry(before: Ints, after: Ints, topic: Ints, k: int, seed: int) -> float:
    """p-value of Bowker's statistic when the two versions are exchanged topic by topic."""
    i, j = np.triu_indices(k, 1)
    n_topics = int(topic.max()) + 1
    cells = np.bincount((topic * k + before) * k + after, minlength=n_topics * k * k).reshape(n_topics, k, k)
    difference = (cells[:, i, j] - cells[:, j, i]).astype(np.float64)
    size = (cells[:, i, j] + cells[:, j, i]).sum(axis=0).astype(np.float64)
    used = size > 0
    if not used.any():
        return 1.0
    difference, size = difference[:, used], size[used]
    seen = float((difference.sum(axis=0) ** 2 / size).sum())
    rng = generator(seed)
    hits, left = 0, RESAMPLES
    while left:
        n = min(left, max(1, 2_000_000 // n_topics))
        signs = rng.integers(0, 2, (n, n_topics)) * 2.0 - 1
        hits += int((((signs @ difference) ** 2 / size).sum(axis=1) >= seen - 1e-9).sum())
        left -= n
    return (1 + hits) / (1 + RESAMPLES)


def _against_gold(before: Ints, after: Ints, truth: Ints, topic: Ints, k: int, cut: int) -> pl.DataFrame:
    from scipy.special import stdtrit

    known = truth >= 0
    if not known.any():
        raise InputError("gold shares no document with both versions of the judge.", "Check topic and document ids.")
    before, after, truth = before[known], after[known], truth[known]
    topic = np.unique(topic[known], return_inverse=True)[1]
    n = int(topic.max()) + 1

    def cells(said: Ints) -> Floats:
        return np.bincount((topic * k + truth) * k + said, minlength=n * k * k).reshape(n, k, k).astype(np.float64)

    parts = [cells(before), cells(after)]
    totals = [p.sum(axis=0)[None] for p in parts]
    rows = []
    for what in ("sensitivity", "specificity", "κ with gold"):
        value = [float(_rate(what, t, cut)[0]) for t in totals]
        without = _rate(what, totals[1] - parts[1], cut) - _rate(what, totals[0] - parts[0], cut)
        without = without[np.isfinite(without)]
        change = value[1] - value[0]
        m = len(without)
        pseudo = m * change - (m - 1) * without
        half = float(stdtrit(m - 1, 0.975) * pseudo.std(ddof=1) / np.sqrt(m)) if m > 1 else np.nan
        rows.append((what, *value, change, change - half, change + half))
    return pl.DataFrame(rows, schema=["what", "old", "new", "change", "low", "high"], orient="row")


def _rate(what: str, tables: Floats, cut: int) -> Floats:
    """Sensitivity, specificity or κ of each table gold × judge; NaN where it is undefined."""
    if what == "κ with gold":
        return kappas(tables.astype(np.int64), np.eye(tables.shape[1]))
    rows = slice(cut, None) if what == "sensitivity" else slice(None, cut)
    of = tables[:, rows].sum(axis=(1, 2))
    hits = tables[:, rows, rows].sum(axis=(1, 2))
    out: Floats = np.divide(hits, of, out=np.full(len(of), np.nan), where=of > 0)
    return out


def _swapped(judgments: Judgments, runs: Runs, old: str, new: str, measure: str) -> tuple[pl.DataFrame, int]:
    """Pairs of systems that the two versions order differently; ties count as no order."""
    scores = evaluate(runs, judgments.select(assessors=[old, new]), [measure])
    mean = scores[str(next(iter(scores.data_vars)))].mean("topic")
    systems = [str(s) for s in mean.coords["system"].values]
    by_old, by_new = (np.asarray(mean.sel(assessor=w).values, np.float64) for w in (old, new))
    rows = []
    for a, b in combinations(range(len(systems)), 2):
        first, second = by_old[a] - by_old[b], by_new[a] - by_new[b]
        if first * second < 0:
            better, worse = (a, b) if first > 0 else (b, a)
            rows.append((systems[better], systems[worse], abs(float(first)), abs(float(second))))
    schema = {"better_old": pl.String, "better_new": pl.String, "by_old": pl.Float64, "by_new": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row"), len(systems) * (len(systems) - 1) // 2


def _check(judgments: Judgments, old: str, new: str, gold: str | None) -> None:
    for option, name in (("old", old), ("new", new), ("gold", gold)):
        if name is not None and name not in judgments.assessors:
            known = ", ".join(judgments.assessors[:10])
            raise InputError(f"{option}={name!r}: no assessor has that name.", f"Assessors: {known}")
    if len({old, new, gold}) < 3 and (old == new or gold in (old, new)):
        raise InputError("old, new and gold must be different assessors.", "Name the two versions and, if known, gold.")
