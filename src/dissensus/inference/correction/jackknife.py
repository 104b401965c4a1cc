"""Few labels per topic and a measure with an ideal or R: the bias that 1/ideal brings, and a variance that sees it.

E[1/ideal] is not 1/E[ideal]: with few gold labels per topic, imputed and rectified nDCG, AP, ERR and RR are biased, all
systems' in the same direction. Delete-a-group jackknife over audited documents: five random groups, each left out in
turn (the others' π becomes 4/5 of it), θ_(g) the scores without group g:

    bias = 4(mean θ_(g) − θ),   common bias_s = θ_s·mean(bias)/mean(θ),   V = ⅘ Σ (θ_(g) − mean)(θ_(g) − mean)ᵀ.

The bias is never subtracted (with 100 labels even its sign is wrong), but belongs into the standard error: se² = the
larger of C and V, plus the square of the common bias. A large bias is no reason to refuse: it is in the interval. Of
220 audits of six judges 15 had a bias above the rest of the standard error, and their intervals held all scores and
.998 of the differences. With fewer than two audited documents per topic there is nothing to report.

Five groups see the bias badly (500 random labels, nDCG@10, a binary judge: true +.08, seen .05 ± .045), and where they
see none the intervals are too short. So half the step from the model's mean to the rectified one counts as well, if it
is larger: the step is a first-order correction, and what it leaves out grows with it. Scores of three binary judges
were covered .84 to .96 by the jackknife alone and .975 to 1.0 with the step (500 and 1,000 random labels, DL21).

Scores are means over draws of gold labels, which differ by chance: what that alone makes of the bias, 4√(v/n + v/5m)
for n draws in all and m per group, is its noise, and is taken out of its square.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from dissensus.inference.correction.design import Design
from dissensus.inference.correction.imputation import IMPUTATIONS, Imputed, impute
from dissensus.inference.correction.weights import Floats
from dissensus.measures.measure import Measure
from dissensus.work.seeds import generator

GROUPS = 5
DRAWS = 6  # of the gold labels, for each group
PER_TOPIC = 2.0  # audited documents; with fewer, ideals are guesses


@dataclass(frozen=True, eq=False)
class Jackknife:
    """The bias that all systems share, by system, the covariance V of the means, and the bias's noise by the draws.

    `step` is what rectification added to the model's scores, shared by all systems in the same way.
    """

    bias: Floats
    covariance: Floats
    noise: float
    step: Floats

    @property
    def beyond(self) -> Floats:
        """The bias beyond its noise, √(bias² − noise²), by system; or half the step where that is larger."""
        size, half = float(np.abs(self.bias).mean()), self.step / 2
        left = max(1 - (self.noise / size) ** 2, 0.0) if size > 0 else 0.0
        seen = self.bias * float(np.sqrt(left))
        return seen if np.abs(seen).mean() >= np.abs(half).mean() else half


@lru_cache(maxsize=1)  # measures asked for together share the groups, and so their draws
def left_out(design: Design, seed: int) -> tuple[Design, ...]:
    """The audit without each of five random groups of its documents, the others' π times 4/5."""
    seen = np.flatnonzero(design.audited)
    group = np.full(len(design.gold), -1)
    group[seen] = generator(seed, GROUPS).permutation(len(seen)) % GROUPS
    share = 1 - 1 / GROUPS
    return tuple(
        replace(
            design,
            gold=np.where(group == g, -1, design.gold),
            inclusion=design.inclusion * share,
            chances=None if design.chances is None else design.chances * share,
        )
        for g in range(GROUPS)
    )


def jackknife(measure: Measure, design: Design, made: Imputed, seed: int) -> Jackknife | None:
    """Leave each group of audited documents out; None where the measure is then undefined almost everywhere."""
    without = []
    for left in left_out(design, seed):
        one = impute(measure, left, "these_topics", seed=seed, n=DRAWS)
        if one is None:
            return None
        without.append(one.scores)
    kept = np.isfinite(made.scores).all(axis=0) & np.isfinite(without).all(axis=(0, 1))
    if not kept.any():
        return None
    theta = np.array([scores[:, kept].mean(axis=1) for scores in without])
    whole = made.scores[:, kept].mean(axis=1)
    bias = (GROUPS - 1) * (theta.mean(axis=0) - whole)
    away = theta - theta.mean(axis=0)
    noise = (GROUPS - 1) * float(np.sqrt(made.draws / IMPUTATIONS + made.draws / (GROUPS * DRAWS)))
    step = _common(made.theta - made.model, made.theta)
    return Jackknife(_common(bias, whole), (1 - 1 / GROUPS) * (away.T @ away), noise, step)


def _common(part: Floats, scores: Floats) -> Floats:
    """The mean of `part`, given to systems in proportion to their scores."""
    level, mean = float(scores.mean()), float(part.mean())
    return scores * (mean / level) if abs(level) > 1e-12 else np.full(len(scores), mean)


def too_few(measure: Measure, design: Design) -> str:
    """Why there is nothing to report, with what to do instead; empty where there is."""
    per_topic = float(design.audited.sum()) / len(design.joined.topics)
    if per_topic >= PER_TOPIC:
        return ""
    return instead(f"there are {per_topic:.1f} audited documents per topic, and {measure} needs {PER_TOPIC:g} at least")


def instead(why: str) -> str:
    """The reason, and what works where this does not."""
    return (
        f"{why}; audit more documents or whole topics, or take a linear measure (P@k, RBP, DCG@k) or nDCG-ratio, which "
        "need no topic's ideal"
    )
