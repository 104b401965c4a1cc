"""Do corrected differences hold on real labels? Documents that have a gold label are audited as if few of them had.

Given runs, gold judgments and other judges of the same documents: `audits` times, `budget` documents are drawn, their
gold labels revealed, all differences between systems corrected, and compared with what the full gold labels say of the
same topics. Audits are drawn as `ds.plan` would (`planned`) or from all judged documents equally (`random`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.inference.correction.api import estimated
from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.estimate import Estimate, naive, naive_estimate
from dissensus.inference.correction.matrix import by_confusion
from dissensus.inference.correction.questions import Target
from dissensus.inference.correction.rectified import by_rectifying
from dissensus.inference.correction.weights import weights_of
from dissensus.inference.planning.api import plan
from dissensus.measures.catalog import measure_list
from dissensus.measures.grades_used import reachable
from dissensus.measures.measure import Linear, Measure
from dissensus.studies.audits.repetitions import GoldStandard, by_method, error_of_mean, repeated
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

BLOCK = 5
Unit = tuple[str, str, str, int]  # judge, measure, how audited, audits


def audited_coverage(
    given: GoldStandard,
    measures: Iterable[str | Measure],
    *,
    budget: float = 200,
    audits: int = 20,
    seed: int = 0,
    executor: object = None,
) -> pl.DataFrame:
    """RMSE of all pairs' differences and coverage of their 95 % intervals, per judge, measure, audit and method.

    `mc_error` is the standard error of the coverage over audits; within one audit all pairs share its luck.
    """
    named = {str(m): m for m in measure_list(measures)}
    keys = [(judge, name, how) for judge in given.others() for name in named for how in ("planned", "random")]
    shared = {"given": given, "measures": named, "budget": budget}
    done = repeated(block, keys, audits, BLOCK, shared=shared, seed=seed, executor=executor, progress="auditing")
    out = []
    for (judge, name, how, method), rows in by_method(done).items():
        square, held, half = np.array(rows).T
        out.append(
            {
                "judge": judge,
                "measure": name,
                "audit": how,
                "method": method,
                "rmse": float(np.sqrt(square.mean())),
                "coverage": float(held.mean()),
                "mc_error": error_of_mean(held),
                "half_width": float(half.mean()),
                "audits": len(held),
            }
        )
    return pl.DataFrame(out)


def block(
    unit: Unit, given: GoldStandard, measures: dict[str, Measure], budget: float, rng: np.random.Generator
) -> dict[str, list[Floats]]:
    """Some audits of one judge: per method, (mean squared error, share of intervals that hold, median half width)."""
    judge, name, how, audits = unit
    m, runs, bronze, truth_of = measures[name], given.runs, given.alone(judge), given.alone(given.gold)
    bare = lay_out(runs, bronze, None)
    truth = np.nanmean(_gold_scores(m, bare, truth_of, runs), axis=1)
    chance = _chances(how, m, runs, bronze, truth_of, budget)
    out: dict[str, list[Floats]] = {}
    for _ in range(audits):
        keep = rng.random(len(chance)) < chance
        design = lay_out(runs, bronze, Audit(truth_of.rows(keep), chance[keep]))
        for method, estimate in _estimates(m, design, bronze, int(rng.integers(2**31))).items():
            if not estimate.why_not:
                out.setdefault(method, []).append(_judged(estimate, truth))
    return out


def _gold_scores(m: Measure, bare: Design, gold: Judgments, runs: Runs) -> Floats:
    known = set(bare.joined.topics)
    missing = known.difference(gold.topics)
    if missing:
        raise InputError(f"{len(missing)} topics have no gold labels, for example {sorted(missing)[0]}.")
    return naive(m, lay_out(runs, gold.select(topics=[t for t in gold.topics if t in known]), None))


def _chances(how: str, m: Measure, runs: Runs, bronze: Judgments, gold: Judgments, budget: float) -> Floats:
    """π of every gold label."""
    if how == "random":
        return np.full(len(gold), min(budget / len(gold), 1.0))

    everyone = plan(runs, bronze, budget=budget, measures=m).everyone
    asked = (
        gold.to_frame().select("topic", "doc").join(everyone, on=["topic", "doc"], how="left", maintain_order="left")
    )
    return np.asarray(asked.select(pl.col("inclusion").fill_null(0.0))["inclusion"].to_numpy(), np.float64)


def _estimates(m: Measure, design: Design, bronze: Judgments, seed: int) -> dict[str, Estimate]:
    target: Target = "these_topics"
    plain = naive_estimate(reachable(m, bronze.scale), design)
    out = {"naive": plain} if plain.df > 0 else {}
    if isinstance(m, Linear):
        weights = weights_of(m, design.joined, design.gold_scale)
        out["confusion"] = by_confusion(m, design, weights, None)
        out["gold only"] = by_rectifying(m, design, weights, target, use_bronze=False)
        out["rectified"] = by_rectifying(m, design, weights, target)
        return out
    result = estimated(m, design, target, seed)
    model = result.sensitivity
    return {**out, **({} if model is None else {"imputed": model}), "rectified": result.estimate}


def _judged(estimate: Estimate, truth: Floats, level: float = 0.95) -> Floats:
    a, b = np.triu_indices(len(truth), 1)
    error = estimate.theta[a] - estimate.theta[b] - (truth[a] - truth[b])
    half = estimate.half_between(a, b, level)
    return np.array([(error**2).mean(), (np.abs(error) <= half).mean(), np.median(half)])
