"""Are measures that are not linear corrected honestly when single documents were audited? Coverage, simulated.

Four systems of different skill rank a pool of documents; a judge errs in one of several ways; a gold judge audits a
random share of all documents. `naive` believes the bronze labels, `imputed` draws the missing gold labels from the
model and combines draws by Rubin's rule, `rectified` lets the audited documents correct the model
(`inference.imputation`, which is what `ds.correct` does). The truth is each measure's mean over all topics like these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.estimate import Estimate, naive, naive_estimate
from dissensus.inference.correction.imputation import by_imputation
from dissensus.measures.catalog import measure
from dissensus.studies.audits.repetitions import ErringJudge, error_of_mean, repeated, settings_named
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

SKILLS = (1.5, 1.2, 1.0, 0.6)
METHODS = ("naive", "imputed", "rectified")
BLOCK = 10


@dataclass(frozen=True)
class SimulatedPool(ErringJudge):
    """One kind of study: topics, documents, how many are relevant, how the judge errs, what share is audited.

    `tilt` is added to the false positive rate (on graded scales: the chance of a grade too many) on what the last
    system shows at the top.
    """

    topics: int = 40
    documents: int = 40
    relevant: float = 0.25
    audited: float = 0.25
    tilt: float = 0.0
    graded: bool = False


SETTINGS: dict[str, SimulatedPool] = {
    "even": SimulatedPool(),
    "favours one system": SimulatedPool(tilt=0.3),
    "weak judge": SimulatedPool(sensitivity=0.7, specificity=0.6),
    "few labels": SimulatedPool(audited=0.08),
    "few relevant": SimulatedPool(relevant=0.06, documents=60),
    "graded": SimulatedPool(graded=True),
}


def draw(pool: SimulatedPool, rng: np.random.Generator) -> tuple[Design, Design]:
    """(a study as the experimenter sees it, the same with gold labels throughout)."""
    n, depth = pool.documents, 20
    names = np.array([f"d{i}" for i in range(n)])
    runs: dict[str, dict[str, dict[str, float]]] = {f"s{i}": {} for i in range(len(SKILLS))}
    gold, bronze, audit = ({} for _ in range(3))
    for t in range(pool.topics):
        share = np.clip(rng.beta(8 * pool.relevant, 8 * (1 - pool.relevant)), 0.03, 0.9)
        worth = rng.standard_normal(n)
        steps = (share, share / 2, share / 5) if pool.graded else (share,)
        truth = np.digitize(worth, [np.quantile(worth, 1 - s) for s in steps])
        favoured = np.zeros(n, bool)
        swing = rng.normal(0, 0.3)  # the first system's skill differs by topic
        for i, skill in enumerate(SKILLS):
            order = np.argsort(-((skill + swing * (i == 0)) * worth + 1.2 * rng.standard_normal(n)))[:depth]
            runs[f"s{i}"][f"q{t}"] = dict(zip(names[order].tolist(), range(depth, 0, -1), strict=True))
            if i == len(SKILLS) - 1:
                favoured[order[:10]] = True
        if pool.graded:
            slip = rng.choice([-1, 0, 1], n, p=[0.15, 0.65, 0.2])
            said = np.clip(truth + slip + (rng.random(n) < pool.tilt) * favoured, 0, 3)
        else:
            said = pool.labels(truth, rng, pool.tilt * favoured)
        seen = rng.random(n) < pool.audited
        gold[f"q{t}"] = dict(zip(names.tolist(), truth.tolist(), strict=True))
        bronze[f"q{t}"] = dict(zip(names.tolist(), said.tolist(), strict=True))
        audit[f"q{t}"] = dict(zip(names[seen].tolist(), truth[seen].tolist(), strict=True))
    shown, known = Runs.from_dict(runs), Judgments.from_dict({"gold": {q: d for q, d in audit.items() if d}})
    sample = Audit(known, np.full(len(known), pool.audited))
    return (
        lay_out(shown, Judgments.from_dict({"judge": bronze}), sample),
        lay_out(shown, Judgments.from_dict({"gold": gold}), None),
    )


def block(
    unit: tuple[str, int], measures: tuple[str, ...], check: bool, rng: np.random.Generator
) -> dict[tuple[str, str], list[Floats]]:
    """Some studies of one setting: by measure and method, (difference, half width) of all pairs; the truth as well."""
    name, repetitions = unit
    out: dict[tuple[str, str], list[Floats]] = {}
    for _ in range(repetitions):
        study, whole = draw(SETTINGS[name], rng)
        seed = int(rng.integers(2**31))
        for m in measures:
            rectified, model = by_imputation(measure(m), study, "population", seed, check=check)
            if rectified.why_not:
                continue
            found = {
                "naive": naive_estimate(measure(m), study),
                "imputed": model or rectified,
                "rectified": rectified,
            }
            for method, estimate in found.items():
                out.setdefault((m, method), []).append(_pairs(estimate))
            true = np.nanmean(naive(measure(m), whole), axis=1)
            out.setdefault((m, "truth"), []).append(true)
    return out


def _pairs(estimate: Estimate, level: float = 0.95) -> Floats:
    a, b = np.triu_indices(len(estimate.theta), 1)
    return np.stack([estimate.theta[a] - estimate.theta[b], estimate.half_between(a, b, level)])


def imputed_coverage(
    repetitions: int = 100,
    seed: int = 0,
    *,
    measures: tuple[str, ...] = ("nDCG@10", "AP"),
    settings: tuple[str, ...] = (),
    check: bool = True,
    executor: object = None,
) -> pl.DataFrame:
    """Coverage of all pairs' 95 % intervals, what is left of a difference (1: all), and RMSE, per setting.

    `mc_error` is the standard error of the coverage over studies, whose pairs share documents. `check` looks for the
    bias of few labels per topic, as `ds.correct` does; studies that it refuses are left out.
    """
    names = settings_named(settings, SETTINGS)
    done = repeated(
        block, [(name,) for name in names], repetitions, BLOCK, shared={"measures": measures, "check": check},
        seed=seed, executor=executor, progress="imputing",
    )  # fmt: skip
    a, b = np.triu_indices(len(SKILLS), 1)
    rows = []
    for (name,), parts in done.items():
        for m in measures:
            if not any((m, "truth") in part for part in parts):
                continue  # all were refused
            truth = np.mean([t for part in parts for t in part.get((m, "truth"), [])], axis=0)
            gap = truth[a] - truth[b]
            for method in METHODS:
                found = np.array(
                    [f for part in parts for f in part.get((m, method), [])]
                )  # study × (difference, half) × pair
                error = found[:, 0] - gap
                held = (np.abs(error) <= found[:, 1]).mean(axis=1)
                rows.append(
                    {
                        "setting": name,
                        "measure": m,
                        "method": method,
                        "coverage": float(held.mean()),
                        "mc_error": error_of_mean(held),
                        "left": float((found[:, 0] * gap).sum() / (len(found) * (gap**2).sum())),
                        "rmse": float(np.sqrt((error**2).mean())),
                        "half_width": float(np.median(found[:, 1])),
                        "repetitions": len(found),
                    }
                )
    return pl.DataFrame(rows)
