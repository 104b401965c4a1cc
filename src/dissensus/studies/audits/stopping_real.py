"""Audits in order of real judges: pairs of systems in bins of their true gap, the gold labels being the truth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.errors import InputError
from dissensus.inference.sequential.layout import Layout, lay_along
from dissensus.inference.sequential.order import rates
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Measure
from dissensus.studies.audits.stopping_paths import Contrast, PathFacts, as_row, follow, summary
from dissensus.work.executor import run_units
from dissensus.work.seeds import generator

if TYPE_CHECKING:
    import polars as pl

BINS = (0.0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 1.0)


def chosen_pairs(runs: Runs, gold: Judgments, measure: Measure, n: int, seed: int) -> list[tuple[str, str]]:
    """`n` pairs of systems, equally many from every bin of the true gap where it has so many, drawn by the seed."""
    from dissensus.measures.evaluate import evaluate

    means = evaluate(runs, gold, [measure])[str(measure)].mean("topic").squeeze("assessor").to_numpy()
    first, second = np.triu_indices(len(means), 1)
    gap = np.abs(means[first] - means[second])
    order = generator(seed, 1).permutation(len(gap))
    bins = [[k for k in order.tolist() if a <= gap[k] < b and gap[k] > 0] for a, b in pairwise(BINS)]
    chosen: list[int] = []
    while len(chosen) < n and any(bins):
        chosen += [members.pop(0) for members in bins if members]
    return [(runs.systems[first[k]], runs.systems[second[k]]) for k in chosen[:n]]


def real_contrasts(
    runs: Runs, judgments: Judgments, gold: str, judge: str, measure: Measure, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Contrast]:
    """Every pair with this judge's labels; a retrieved document without a gold grade is not relevant."""
    systems = tuple(dict.fromkeys(s for pair in pairs for s in pair))
    layout = lay_along(runs, judgments, measure, systems, judge, judgments.scale)
    value = _gold_values(layout, judgments.select(assessors=[gold]))
    out: dict[tuple[str, str], Contrast] = {}
    for a, b in pairs:
        i, j = systems.index(a), systems.index(b)
        rate = rates(layout, [(i, j)])
        use = rate > 0
        if use.any():
            c = layout.contrast(i, j)[use]
            out[a, b] = Contrast(c, rate[use], layout.label[use], layout.prior, value[use])
    return out


def _gold_values(layout: Layout, gold: Judgments) -> np.ndarray:
    grade = {
        (gold.topics[t], d): int(g)
        for t, d, g in zip(gold.item_topic, gold.doc_ids(), gold.matrix()[:, 0], strict=True)
    }
    levels = [grade.get(name, -1) for name in layout.names()]
    low = layout.scale.low
    return np.array([layout.values[g - low] if g >= low else layout.values[0] for g in levels])


def real_tables(
    runs: Runs,
    judgments: Judgments,
    gold: str,
    measure: str | Measure = "P(rel=2)@10",
    *,
    pairs: int = 120,
    paths: int = 5,
    seed: int = 0,
    executor: Any = None,
) -> dict[str, pl.DataFrame]:
    """By bin of the true gap, and by judge: labels to a decision, failures, what peeking does."""
    import polars as pl

    m = named(measure)
    if gold not in judgments.assessors:
        raise InputError(f"no assessor is called {gold!r}; there are {', '.join(judgments.assessors)}.")
    chosen = chosen_pairs(runs, judgments.select(assessors=[gold]), m, pairs, seed)
    judges = [j for j in judgments.assessors if j != gold]
    every = {judge: real_contrasts(runs, judgments, gold, judge, m, chosen) for judge in judges}
    units = [(judge, pair) for judge in judges for pair in every[judge]]
    work = [(every[judge][pair], paths) for judge, pair in units]
    done = run_units(_real, work, seed=seed, executor=executor, progress="following")
    rows: list[dict[str, Any]] = [
        {
            "judge": judge,
            "pair": pair,
            "gap": abs(every[judge][pair].truth),
            "fixed": every[judge][pair].fixed_plan(),
            "documents": len(every[judge][pair].c),
            "facts": [PathFacts(*row) for row in block],
        }
        for (judge, pair), block in zip(units, done, strict=True)
    ]
    by_gap = [_bin(f"{a:g}–{b:g}", [r for r in rows if a <= r["gap"] < b]) for a, b in pairwise(BINS)]
    by_judge = [_bin(judge, [r for r in rows if r["judge"] == judge]) for judge in judges]
    return {
        "by gap": pl.DataFrame([{"gap": x.pop("cell"), **x} for x in by_gap if x]),
        "by judge": pl.DataFrame([{"judge": x.pop("cell"), **x} for x in by_judge if x]),
    }


def _real(unit: tuple[Contrast, int], *, rng: np.random.Generator) -> list[list[Any]]:
    contrast, paths = unit
    return [as_row(follow(contrast, rng)) for _ in range(paths)]


def _bin(cell: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    if not rows:
        return {}
    facts = [f for r in rows for f in r["facts"]]
    shares = summary(facts)
    return {
        "cell": cell,
        "pairs": len({r["pair"] for r in rows}),
        "paths": shares["paths"],
        "documents": float(np.median([r["documents"] for r in rows])),
        "ruling": shares["labels"],
        "exact": shares["labels, exact"],
        "fixed plan": float(np.median([r["fixed"] for r in rows])),
        "failed": shares["ruling"],
        "failed, exact": shares["exact"],
        "wrong winner": shares["wrong winner"],
        "closing, m": shares["closing, m"],
        "closing, 1.96": shares["closing, 1.96"],
        "peeking failed": float(np.mean([f.peeking_failed for f in facts])),
        "peeking wrong": float(np.mean([f.peeking_wrong for f in facts])),
    }
