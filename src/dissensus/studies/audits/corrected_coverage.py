"""Are corrected differences honest? Coverage, size, power and error of four ways to compare two systems.

Two systems rank ten documents each for every topic and share five of them. A judge errs in one of several ways; a gold
judge audits a random share of the documents. `naive` believes the bronze labels, `confusion` corrects through the
confusion matrix learned from the audit, `rectified` corrects bronze labels by the audit, `gold only` forgets the bronze
labels; `auto` is what `ds.correct` chooses. Every repetition goes through the library's own estimators.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.estimate import Estimate, Method
from dissensus.inference.correction.fieller import fieller_difference, score_intervals
from dissensus.inference.correction.matrix import Calibration, Documents, matrix_estimate
from dissensus.inference.correction.rectified import AuditedLabels, rectified_estimate
from dissensus.inference.correction.weights import Weights
from dissensus.stats.intervals import quantile, two_sided_p
from dissensus.studies.audits.repetitions import ErringJudge, by_method, repeated, settings_named
from dissensus.work.seeds import generator

METHODS = ("naive", "confusion", "rectified", "gold only", "auto")
ALONE, SHARED = 5, 5  # documents per topic that only one system shows, and that both show
BASE = 0.42  # share of relevant documents
BLOCK = 250
VALUES = np.array([0.0, 1.0])


@dataclass(frozen=True)
class CoverageSetting(ErringJudge):
    """One way a judge may err, and how much of its work is audited.

    `tilt_system`, `tilt_rank`, `tilt_topic` are added to the false positive rate on the first system's own documents,
    on the upper half of the ranks, or (uniformly between ± the number) by topic. `calibration` > 0: no audit among the
    scored documents, but that many calibration documents from elsewhere, one in ten of them relevant.
    """

    topics: int = 50
    audited: float = 200
    tilt_system: float = 0.0
    tilt_rank: float = 0.0
    tilt_topic: float = 0.0
    calibration: int = 0


SETTINGS: dict[str, CoverageSetting] = {
    "homogeneous": CoverageSetting(),
    "weak judge": CoverageSetting(sensitivity=0.65, specificity=0.6),
    "differential by system": CoverageSetting(tilt_system=0.15),
    "differential by rank": CoverageSetting(tilt_rank=0.25, specificity=0.85),
    "differential by topic": CoverageSetting(tilt_topic=0.18),
    "few topics": CoverageSetting(topics=10, audited=60),
    "few labels": CoverageSetting(audited=40),
    "external prevalence": CoverageSetting(calibration=400),
}


@dataclass(frozen=True, eq=False)
class SimulatedStudy:
    """One simulated study."""

    weights: Weights
    gold: Ints
    bronze: Ints
    audited: Ints  # 0 or 1
    inclusion: float
    calibration: Documents | None
    truth: float

    @property
    def true_scores(self) -> Floats:
        """Both systems' expected P@10: half of each list makes the difference."""
        return np.array([BASE + self.truth / 2, BASE - self.truth / 2])


@lru_cache(maxsize=8)
def layout(q: int) -> tuple[Weights, Ints, Ints]:
    """(weights, which system shows a document: first, both, second; is it in the upper ranks) for q topics."""
    per = 2 * ALONE + SHARED
    place = np.tile(np.arange(per), q)
    group = np.where(place < ALONE, 0, np.where(place < ALONE + SHARED, 1, 2))
    weight = np.zeros((2, q * per))
    weight[0, group < 2] = weight[1, group > 0] = 1 / (ALONE + SHARED)
    return Weights.from_dense(weight, np.repeat(np.arange(q), per)), group, (place % ALONE < 3).astype(np.int64)


def draw(setting: CoverageSetting, gap: float, rng: np.random.Generator) -> SimulatedStudy:
    """One study with a true mean difference `gap` in P@10."""
    q, per = setting.topics, 2 * ALONE + SHARED
    weights, group, upper = layout(q)
    item_topic = weights.item_topic
    # documents of one system alone make the difference: half of each list
    rate = BASE + np.array([gap, 0.0, -gap])[group] + 0.12 * (upper - 0.6)
    rate = rate + rng.uniform(-0.15, 0.15, q)[item_topic] + rng.uniform(-0.1, 0.1, (q, 3))[item_topic, group]
    gold = (rng.random(q * per) < rate).astype(np.int64)
    tilt = setting.tilt_system * (group == 0) + setting.tilt_rank * upper
    bronze = setting.labels(gold, rng, tilt + setting.tilt_topic * rng.uniform(-1, 1, q)[item_topic])
    share = 0.0 if setting.calibration else setting.audited / (q * per)
    audited = (rng.random(q * per) < share).astype(np.int64)
    elsewhere = None
    if setting.calibration:
        n = setting.calibration
        truth = (rng.random(n) < 0.1).astype(np.int64)
        elsewhere = Documents(truth, setting.labels(truth, rng), np.ones(n), np.arange(n))
    return SimulatedStudy(weights, gold, bronze, audited, share, elsewhere, gap)


def estimates(sample: SimulatedStudy, methods: tuple[str, ...] = METHODS) -> dict[str, Estimate]:
    """The study as each method sees it; methods that need an audit are left out where there is none."""
    w, topic = sample.weights, sample.weights.item_topic
    seen = sample.audited == 1
    mass = w.mass(sample.bronze, 2)
    naive = mass[:, :, 1]
    n = naive.shape[1]
    out = {
        "naive": Estimate(Method.NAIVE, "", naive, naive.mean(axis=1), np.cov(naive) / n, float(n - 1)),
    }
    calibration = sample.calibration
    if calibration is None:
        calibration = Documents(
            sample.gold[seen], sample.bronze[seen], np.full(seen.sum(), 1 / sample.inclusion), topic[seen], scored=True
        )
        pi = np.full(len(seen), sample.inclusion)
        labels = AuditedLabels(sample.bronze, 3, np.where(seen, sample.gold, np.nan), seen, pi, topic)
        out["rectified"] = rectified_estimate(w, labels, pi)
        if "gold only" in methods:
            out["gold only"] = rectified_estimate(w, labels, pi, use_bronze=False)
    out["confusion"] = matrix_estimate(mass, Calibration.from_documents(calibration, 2, 2), VALUES)
    out["auto"] = out.get("rectified", out["confusion"])
    return out


def scores_held(estimate: Estimate, sample: SimulatedStudy, level: float = 0.95) -> float:
    """The share of the two scores' intervals that hold the truth; refused in words, nothing wrong is said."""
    if estimate.why_not:
        return 1.0
    low, high = score_intervals(estimate, level)
    return float(np.mean((low <= sample.true_scores) & (sample.true_scores <= high)))


def judge(estimate: Estimate, truth: float, level: float = 0.95) -> tuple[float, float, bool, bool]:
    """(difference, half width, does the set hold the truth, is a difference claimed)."""
    if estimate.why_not:
        return math.nan, math.inf, True, False  # refused in words: nothing wrong is said
    pair = np.array([0]), np.array([1])
    delta, se = float(estimate.theta[0] - estimate.theta[1]), float(estimate.se_between(*pair)[0])
    df = float(estimate.df_between(*pair)[0])
    half = quantile(level, df) * se
    if estimate.method is Method.CONFUSION:
        found, p, weak = fieller_difference(estimate, 0, 1, level)
        if weak and found is not None:
            low, high = found.hull
            return delta, (high - low) / 2, truth in found, p < 1 - level
    return delta, half, abs(delta - truth) <= half, two_sided_p(delta / se, df) < 1 - level


def block(
    unit: tuple[str, float, int], methods: tuple[str, ...], rng: np.random.Generator
) -> dict[str, list[list[float]]]:
    """Some repetitions of one setting: per method, rows of (difference, half width, covered, claimed, scores held)."""
    name, gap, repetitions = unit
    out: dict[str, list[list[float]]] = {}
    for _ in range(repetitions):
        sample = draw(SETTINGS[name], gap, rng)
        seen: dict[int, list[float]] = {}
        for method, estimate in estimates(sample, methods).items():
            if id(estimate) not in seen:  # auto is one of the others
                found = (*judge(estimate, sample.truth), scores_held(estimate, sample))
                seen[id(estimate)] = [float(x) for x in found]
            out.setdefault(method, []).append(seen[id(estimate)])
    return out


def coverage(
    repetitions: int = 10_000,
    seed: int = 0,
    *,
    gap: float = 0.06,
    settings: tuple[str, ...] = (),
    methods: tuple[str, ...] = METHODS,
    executor: object = None,
) -> pl.DataFrame:
    """Coverage of 95 % intervals (`scores`: of single scores), size, power at `gap`, bias and RMSE, per setting."""
    names = settings_named(settings, SETTINGS)
    keys = [(name, g) for name in names for g in (gap, 0.0)]
    done = by_method(
        repeated(
            block, keys, repetitions, BLOCK, shared={"methods": methods}, seed=seed, executor=executor,
            progress="simulating",
        )
    )  # fmt: skip
    rows = []
    for name in names:
        for method in methods:
            if (name, gap, method) in done:  # a setting has it with and without a difference, or not at all
                there, null = (np.array(done[name, g, method]) for g in (gap, 0.0))
                rows.append({"setting": name, "method": method, **_summary(there, null, gap)})
    return pl.DataFrame(rows)


def _summary(there: Floats, null: Floats, gap: float) -> dict[str, float]:
    n = len(there) + len(null)
    covered = float((there[:, 2].sum() + null[:, 2].sum()) / n)
    error = there[:, 0] - gap
    return {
        "coverage": covered,
        "mc_error": math.sqrt(covered * (1 - covered) / n),
        "scores": float((there[:, 4].sum() + null[:, 4].sum()) / n),
        "size": float(null[:, 3].mean()),
        "power": float(there[:, 3].mean()),
        "bias": float(np.nanmean(error)),
        "rmse": float(np.sqrt(np.nanmean(error**2))),
        "half_width": float(np.median(there[:, 1])),
        "repetitions": len(there),
    }


# ── the paper's own simulation and example ───────────────────────────────────────────────────────────────────────────
def published_simulation(repetitions: int = 10_000, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(naive and corrected P@10 of every run, the share of 95 % intervals that hold 0.4): §5 of the paper, Figure 2.

    True P@10 0.4 (0.49, 0.47, …, 0.31 by rank), Se 0.9, Sp 0.8, 250 + 250 gold labels, 50 queries. The naive standard
    error is that of 50 per-query values (the paper's text says 10, but only 50 gives its 5 %).
    """
    rng = generator(seed)
    truth, n, n1, n0, se, sp = 0.49 - 0.02 * np.arange(10), 50, 250, 250, 0.9, 0.8
    gold = rng.random((repetitions, n, 10)) < truth
    bronze = np.where(gold, rng.random(gold.shape) < se, rng.random(gold.shape) < 1 - sp).mean(axis=2)
    naive, spread = bronze.mean(axis=1), bronze.var(axis=1, ddof=1) / n
    se_hat, sp_hat = rng.binomial(n1, se, repetitions) / n1, rng.binomial(n0, sp, repetitions) / n0
    d = se_hat + sp_hat - 1
    fixed = (naive - 1 + sp_hat) / d
    variance = spread + fixed**2 * se_hat * (1 - se_hat) / n1 + (1 - fixed) ** 2 * sp_hat * (1 - sp_hat) / n0
    z = 1.959964
    runs = pl.DataFrame({"run": np.arange(repetitions), "naive": naive, "corrected": fixed})
    covers = {
        "naive": np.abs(naive - 0.4) <= z * np.sqrt(spread),
        "corrected": np.abs(fixed - 0.4) <= z * np.sqrt(variance) / d,
    }
    rows = [
        {
            "method": name,
            "mean": float(value.mean()),
            "sd": float(value.std(ddof=1)),
            "coverage": float(covers[name].mean()),
            "above_truth": float((value > 0.4).mean()),
        }
        for name, value in (("naive", naive), ("corrected", fixed))
    ]
    return runs, pl.DataFrame(rows)
