"""Do intervals hold at every look, and what does looking cost? Audits in a committed order against a known truth.

Simulated judges (honest, weak, hostile, nearly always right with rare errors that favour one side): `paths` audits of
each, looked at after every label; how often a set left out the truth at some look, at the decision, at a random label,
and at closing. With --runs and --judgments, real labels instead: `gold` names the assessor to believe; `pairs` pairs of
systems in bins of their true gap, every other assessor as the judge, `paths` orders of each: labels to a decision
beside a fixed plan that knows the gap, failures, and what an ordinary interval does when looked at after every label.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.inference.sequential.layout import SampleLayout, lay_along
from dissensus.inference.sequential.order import doubt, rates
from dissensus.measures.catalog import measure as named
from dissensus.measures.evaluate import evaluate
from dissensus.measures.measure import Measure
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.studies.audits.stopping_paths import Contrast, PathFacts, as_row, follow, shrinking, summary
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.executor import run_units
from dissensus.work.seeds import block_sizes, generator

SETTINGS: Values = {"paths": 0, "gold": "gold", "measure": "P(rel=2)@10", "pairs": 120}
SIMULATED, REAL = 2000, 5  # paths per judge, and per judge and pair, where the setting is 0
SHOWN = range(3)  # paths in the figure
DOCUMENTS = 800
BLOCK = 50
# judge: (P(label 1 | relevant), P(label 1 | not relevant)), or the share of documents with an error for the first
JUDGES: dict[str, tuple[float, float] | float] = {
    "honest": (0.85, 0.2),
    "weak": (0.6, 0.4),
    "hostile": (0.2, 0.8),
    "one-sided errors, 0.3 %": 0.003,
    "one-sided errors, 1 %": 0.01,
    "one-sided errors, 3 %": 0.03,
}
BINS = (0.0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 1.0)  # of the true gap between real systems


def run(request: Request) -> StudyOutcome:
    return real(request) if request.runs or request.judgments else simulated(request)


def simulated(request: Request) -> StudyOutcome:
    paths = request.settings["paths"] or SIMULATED
    table = simulated_table(paths, seed=request.seed, executor=request.workers)
    contrast = simulated_contrast("honest", request.seed)
    return StudyOutcome(
        tables={"failures": table},
        notes=[
            "exact, ruling, plain asymptotic: share of paths on which the set left out the truth at some look",
            "closing: the ordinary estimate at the decision, with m of that look, and with 1.96",
            "labels: median to a decision",
        ],
        figures={
            "shrinking": Figure("correction", "shrinking_chart", (shrinking(contrast, SHOWN), contrast.truth)),
        },
    )


def real(request: Request) -> StudyOutcome:
    asked = request.settings
    runs, judgments = request.collection()
    gold, m = asked["gold"], named(asked["measure"])
    given = GoldStandard(runs, judgments, gold)
    tables = real_tables(
        given, m, pairs=asked["pairs"], paths=asked["paths"] or REAL, seed=request.seed,
        executor=request.workers,
    )  # fmt: skip
    pairs = chosen_pairs(runs, judgments.select(assessors=[gold]), m, asked["pairs"], request.seed)
    judge = next(a for a in judgments.assessors if a != gold)
    contrasts = real_contrasts(given, judge, m, pairs)
    shown = min(contrasts.values(), key=lambda c: abs(abs(c.truth) - 0.1))
    return StudyOutcome(
        tables=tables,
        notes=[
            f"truth is what {gold} says; a retrieved document without its grade counts as not relevant",
            "ruling, exact: median labels to a decision; fixed plan: labels for 80 % power if the gap were known",
            "failed: the set left out the truth at some look; peeking: an ordinary 95 % interval, looked at after each "
            "label from the 30th until the ruling set decides",
        ],
        figures={"shrinking": Figure("correction", "shrinking_chart", (shrinking(shown, SHOWN), shown.truth))},
    )


# ── simulated judges ──
def simulated_contrast(judge: str, seed: int, documents: int = DOCUMENTS) -> Contrast:
    """Documents that one or the other system shows, 40 % of them relevant; the first system's a little more often."""
    rng = generator(seed, 0)
    sign = np.where(rng.random(documents) < 0.5, 1.0, -1.0)
    c = sign * rng.choice([1.0, 0.5, 0.25], documents) / documents
    gold = (rng.random(documents) < 0.4 + 0.05 * sign).astype(np.float64)
    how = JUDGES[judge]
    if isinstance(how, tuple):
        label = (rng.random(documents) < np.where(gold > 0, how[0], how[1])).astype(np.int64)
    else:
        label = gold.astype(np.int64)
        able = np.flatnonzero(np.where(sign > 0, gold == 0, gold == 1))  # errors that favour the first system
        wrong = rng.choice(able, max(round(how * documents), 1), replace=False)
        label[wrong] = 1 - label[wrong]
    prior = np.array([0.1, 0.9])
    return Contrast(c, np.abs(c) * doubt(prior)[label], label, prior, gold)


def simulated_table(paths: int = 2000, *, seed: int = 0, executor: object = None) -> pl.DataFrame:
    """Failures of every kind by simulated judge, over `paths` paths each."""
    if paths < 1:
        raise InputError(f"paths={paths}: there must be at least one path.")
    sizes = block_sizes(paths, BLOCK)
    units = [(judge, block, n) for judge in JUDGES for block, n in enumerate(sizes)]
    done = run_units(_simulated, units, seed=seed, shared={"seed": seed}, executor=executor, progress="following")
    facts: dict[str, list[PathFacts]] = {}
    for (judge, _, _), block in zip(units, done, strict=True):
        facts.setdefault(judge, []).extend(PathFacts(*row) for row in block)
    return pl.DataFrame([{"judge": judge, **summary(rows)} for judge, rows in facts.items()])


def _simulated(unit: tuple[str, int, int], *, seed: int, rng: np.random.Generator) -> list[list[Any]]:
    judge, block, n = unit
    out = []
    for i in range(n):
        one = simulated_contrast(judge, 1_000_003 * seed + 1000 * block + i)
        out.append(as_row(follow(one, rng, peek=False)))
    return out


# ── real judges, the gold labels being the truth ──
def chosen_pairs(runs: Runs, gold: Judgments, measure: Measure, n: int, seed: int) -> list[tuple[str, str]]:
    """`n` pairs of systems, equally many from every bin of the true gap where it has so many, drawn by the seed."""
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
    given: GoldStandard, judge: str, measure: Measure, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Contrast]:
    """Every pair with this judge's labels; a retrieved document without a gold grade is not relevant."""
    systems = tuple(dict.fromkeys(s for pair in pairs for s in pair))
    layout = lay_along(given.runs, given.judgments, measure, systems, judge, given.judgments.scale)
    value = _gold_values(layout, given.judgments.select(assessors=[given.gold]))
    out: dict[tuple[str, str], Contrast] = {}
    for a, b in pairs:
        i, j = systems.index(a), systems.index(b)
        rate = rates(layout, [(i, j)])
        use = rate > 0
        if use.any():
            c = layout.contrast(i, j)[use]
            out[a, b] = Contrast(c, rate[use], layout.label[use], layout.prior, value[use])
    return out


def _gold_values(layout: SampleLayout, gold: Judgments) -> np.ndarray:
    grade = {
        (gold.topics[t], d): int(g)
        for t, d, g in zip(gold.item_topic, gold.doc_ids(), gold.matrix()[:, 0], strict=True)
    }
    levels = [grade.get(name, -1) for name in layout.names()]
    low = layout.scale.low
    return np.array([layout.values[g - low] if g >= low else layout.values[0] for g in levels])


def real_tables(
    given: GoldStandard, m: Measure, *, pairs: int, paths: int, seed: int = 0, executor: object = None
) -> dict[str, pl.DataFrame]:
    """By bin of the true gap, and by judge: labels to a decision, failures, what peeking does."""
    judges = given.others()
    chosen = chosen_pairs(given.runs, given.judgments.select(assessors=[given.gold]), m, pairs, seed)
    every = {judge: real_contrasts(given, judge, m, chosen) for judge in judges}
    units = [(judge, pair) for judge in judges for pair in every[judge]]
    work = [(every[judge][pair], paths) for judge, pair in units]
    done = run_units(_real, work, seed=seed, executor=executor, progress="following")
    rows: list[Values] = [
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


def _real(unit: tuple[Contrast, int], *, rng: np.random.Generator) -> list[list[object]]:
    contrast, paths = unit
    return [as_row(follow(contrast, rng)) for _ in range(paths)]


def _bin(cell: str, rows: list[Values]) -> Values:
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
