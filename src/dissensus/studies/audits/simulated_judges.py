"""Twelve simulated systems, a judge that errs in one of five ways, planned audits: does pooling hold, and what for?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.estimate import Estimate, Method
from dissensus.inference.correction.pooled import audit_covariances, pool
from dissensus.inference.correction.rectified import AuditedLabels, Prior, rectified_estimate
from dissensus.inference.correction.weights import Weights, cosines, popularity
from dissensus.inference.planning.chances import inclusion
from dissensus.studies.audits.cells import Row, judged
from dissensus.studies.audits.repetitions import ByKey, repeated

SYSTEMS, TOPICS, POOL, DEPTH = 12, 40, 40, 10
BLOCK = 20
PRIOR = Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0]))


@dataclass(frozen=True)
class Setting:
    """What is added to the false positive rate: by system (normal, this sd), on what the first system shows, on what
    the first half of the systems shows (a family), on documents at the upper three ranks."""

    system: float = 0.0
    favoured: float = 0.0
    family: float = 0.0
    upper: float = 0.0


SETTINGS: dict[str, Setting] = {
    "exchangeable bias": Setting(system=0.1),
    "one favoured system": Setting(favoured=0.25),
    "two families": Setting(family=0.15),
    "bias by rank": Setting(upper=0.2),
    "no bias": Setting(),
}


@dataclass(frozen=True, eq=False)
class World:
    """Weights of all systems, gold and bronze labels of all documents, the true scores of these topics."""

    weights: Weights
    gold: Ints
    bronze: Ints
    truth: Floats

    @property
    def naive(self) -> Floats:
        return np.asarray(self.weights.scores(self.bronze.astype(np.float64)).mean(axis=1), np.float64)


def world(setting: Setting, rng: np.random.Generator) -> World:
    """Systems of rising skill in two families that rank a common pool; families share half of their noise."""
    n = TOPICS * POOL
    topic = np.repeat(np.arange(TOPICS), POOL)
    worth = rng.standard_normal(n)
    gold = (worth > 0.5).astype(np.int64)
    family = (np.arange(SYSTEMS) >= SYSTEMS // 2).astype(np.int64)
    common = rng.standard_normal((2, n))
    dense, upper = np.zeros((SYSTEMS, n)), np.zeros(n, bool)
    for s, skill in enumerate(np.linspace(1.4, 0.7, SYSTEMS)[rng.permutation(SYSTEMS)]):
        seen = skill * worth + 0.7 * common[family[s]] + 0.7 * rng.standard_normal(n)
        order = np.argsort(-seen.reshape(TOPICS, POOL), axis=1)[:, :DEPTH] + np.arange(TOPICS)[:, None] * POOL
        dense[s, order.ravel()] = 1 / DEPTH
        upper[order[:, :3].ravel()] = True
    shows = dense > 0
    tilt = setting.system * rng.standard_normal(SYSTEMS)
    number = np.maximum(shows.sum(axis=0), 1)
    false = 0.2 + (tilt @ shows) / number + setting.favoured * shows[0] / number + setting.upper * upper
    false = false + setting.family * shows[family == 0].sum(axis=0) / number
    chance = np.where(gold == 1, 0.8, np.clip(false, 0.01, 0.95))
    bronze = (rng.random(n) < chance).astype(np.int64)
    weights = Weights.from_dense(dense, topic)
    return World(weights, gold, bronze, weights.scores(gold.astype(np.float64)).mean(axis=1))


def estimates(made: World, budget: float, rng: np.random.Generator) -> dict[str, tuple[Floats, Estimate | None]]:
    """Naive, corrected and pooled scores after one planned audit."""
    w = made.weights
    key = np.sqrt(np.bincount(w.item, w.weight**2, w.n_items) / w.n_systems)
    pi = inclusion(key, key > 0, budget)
    seen = rng.random(len(pi)) < pi
    labels = AuditedLabels(made.bronze, 3, np.where(seen, made.gold, np.nan), seen, pi, w.item_topic, PRIOR)
    rectified = rectified_estimate(w, labels, np.where(pi > 0, pi, np.nan), "these_topics")
    together = pool(made.naive, rectified.theta, *audit_covariances(rectified), cosines(w), popularity(w))
    pooled = Estimate(Method.POOLED, "", rectified.scores, together.theta, together.covariance, np.inf)
    return {
        "naive": (made.naive, None),
        "corrected": (rectified.theta, rectified),
        "pooled": (pooled.theta, pooled),
    }


def block(unit: tuple[str, float, int], rng: np.random.Generator) -> dict[str, list[Row]]:
    """Some worlds of one setting, one audit each; the first system is the one that a setting favours."""
    name, budget, repetitions = unit
    out: dict[str, list[Row]] = {}
    for _ in range(repetitions):
        made = world(SETTINGS[name], rng)
        for method, (theta, estimate) in estimates(made, budget, rng).items():
            out.setdefault(method, []).append(judged(theta, estimate, made.truth, favoured=(0,)))
    return out


def simulated_audits(
    audits: int, budgets: tuple[int, ...], *, seed: int = 0, settings: tuple[str, ...] = (), executor: object = None
) -> ByKey:
    """What each audit showed, by setting, number of labels and method."""
    keys = [(name, b) for name in settings or tuple(SETTINGS) for b in budgets]
    return repeated(block, keys, audits, BLOCK, seed=seed, executor=executor, progress="simulating")
