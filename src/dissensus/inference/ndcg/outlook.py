"""nDCG laid out for planning: what each label is worth, and how wide intervals will be.

Before anything is audited, the rough model of `plan` says how uncertain every document's gain and every topic's ideal
is. After a pilot audit the fitted chances do. The audit's part of a variance is then that of corrected scores
(`corrected`), Σ ψ² s²(1 − π)/π. What is not known of the ideals is tried out. One draw of the rough model is taken for
the truth, an audit is drawn from it, and corrected as a real one would be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.weights import Weights
from dissensus.inference.ndcg.chances import TopicPools
from dissensus.inference.ndcg.corrected import MODEL, RELEVANT, Gains, Sampled, ideals_of, sampled_scores, scaled
from dissensus.inference.ndcg.plan import Worth, rough_chances, worth
from dissensus.inference.ndcg.scores import gains_of, pool_of, why_not
from dissensus.measures.measure import Measure
from dissensus.stats.sampling import fixed_size
from dissensus.work.seeds import generator

TRIAL = 100  # draws of an audit that is tried out


@dataclass(frozen=True, eq=False)
class Modelled:
    """What π is proportional to (`key`), sd of every document's gain, and how an audit would turn out (`ideals`)."""

    key: Floats
    spread: Floats
    pool: TopicPools
    gains: Gains
    grades: np.ndarray[tuple[int], np.dtype[np.int64]]
    seed: int

    def ideals(self, pi: Floats) -> Floats:
        """Variance of every system's score that the model of the ideals brings; infinite where it cannot be fitted."""
        made = self._tried(pi)
        if made is None:
            return np.full(self.pool.weights.n_systems, np.inf)
        return np.asarray(np.diag(made.ideals) + (MODEL * made.theta) ** 2)

    def _tried(self, pi: Floats) -> Sampled | None:
        seen = fixed_size(pi, generator(self.seed, 2))
        gold = np.full(len(pi), -1, np.int64)
        gold[seen] = self.grades[seen]
        if (self.gains.values[self.grades[seen]] > 0).sum() < RELEVANT:
            return None
        chances = np.maximum(pi, 0.002)
        return sampled_scores(replace(self.pool, gold=gold, inclusion=chances), self.gains, seed=self.seed, draws=TRIAL)


def modelled(measure: Measure, design: Design, seed: int) -> tuple[Weights, Floats, Floats, tuple[str, ...], Modelled]:
    """(weights of gains over ideals, values by gold level, nothing by label, what was assumed, the model)."""
    gains = gains_of(measure, design)
    if gains is None:
        gains = Gains(np.linspace(0.0, 1.0, len(design.gold_scale)), np.ones(1))
    ones = np.ones(len(design.bronze))
    bare = replace(design, gold=np.full(len(ones), -1), inclusion=ones, chances=ones)
    pool = pool_of(measure, bare)
    rough = worth(pool, gains, generator(seed))
    spread, inverse = rough.spread, rough.inverse
    notes = ["no audit yet: what labels are worth comes from a rough model of what the judge's grades mean."]
    if design.audited.any() and not why_not(measure, design, gains):
        made = ideals_of(pool_of(measure, design), gains, seed)
        spread, inverse = np.sqrt(np.maximum(made.spread, 0.0)), made.expected
        notes = ["what labels leave open comes from a model of gold grades, fitted to the audit."]
    model = Modelled(rough.key, spread, pool, gains, _as_known(rough, design), seed)
    return scaled(pool.weights, inverse[pool.topic]), gains.values, np.zeros(design.n_labels), tuple(notes), model


def drawn_grades(design: Design, seed: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """One draw of the gold levels of all documents from the rough model, audited ones as they are."""
    top = max(design.n_labels - 2, 1)
    bronze = np.where(design.bronze < design.n_labels - 1, design.bronze / top, 0.5)
    rng = generator(seed, 3)
    zeta = rng.standard_normal(len(design.joined.topics))
    at_least = rough_chances(bronze, zeta[design.topic], len(design.gold_scale))
    return np.where(design.audited, design.gold, (rng.random(len(bronze)) < at_least).sum(axis=0))


def _as_known(rough: Worth, design: Design) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """One draw of gold grades, audited ones as they are."""
    return np.where(design.audited, design.gold, rough.grades)
