"""Novelty: a document is worth less the more documents about the same intents came before it.

    x_r = Σ over intents j of document r of (1 − α)^(documents about j above r)

alpha_DCG, ERR_IA and NRBP are Σ δ_r·x_r for a discount δ, over the most that M intents could give; alpha_nDCG, nERR_IA
and nNRBP divide by the greedy ideal instead (the largest x next, of equal ones the larger id), which is not always the
best ranking, so they can pass 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dissensus.arrays import Bools, Floats
from dissensus.engine.sparse_walks import greedy_sums
from dissensus.errors import MeasureError
from dissensus.measures.families.intent_measure import IntentMeasure
from dissensus.measures.linear import by_system, geometric, log_discount, reciprocal
from dissensus.measures.parameters import number

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined

ENDS = 1e-17  # of a sum that converges: what is left out


@dataclass(frozen=True)
class NoveltyGain(IntentMeasure):
    """Σ δ_r·x_r over a normaliser; `ideal` says which."""

    #: True: over the greedy ideal; False: over M times the most that one intent could give
    ideal: ClassVar[bool] = False
    #: Σ δ_r·x_r written out
    gain: ClassVar[str] = ""

    @property
    def kept(self) -> float:
        """1 − α: what a further document about the same intent is worth."""
        return 0.5

    def discount(self, n: int) -> Floats:
        """δ₁ … δ_n."""
        raise NotImplementedError(f"{type(self).__name__} must define discount()")

    def most(self) -> float:
        """Σ δ_r·(1 − α)^(r−1) down to the cut-off: one intent, and every document about it."""
        deepest = self.cutoff
        if deepest is None:
            if self.kept >= 1:
                raise MeasureError(
                    f"{self}: without a cut-off alpha must be above 0.", f"Write {self}@20, for example."
                )
            deepest = 1 if self.kept == 0 else int(np.ceil(np.log(ENDS) / np.log(self.kept)))
        return float(self.discount(deepest) @ self.kept ** np.arange(deepest))

    def of_ranking(self, ranking: Bools, pool: Bools) -> float:
        total = self._gain(ranking[: self.cutoff])
        if not self.ideal:
            return float(total / (pool.shape[1] * self.most()))
        return float(total / self._gain(greedy(pool, self.kept)[: self.cutoff]))

    def _gain(self, ranking: Bools) -> float:
        seen: Floats = np.cumsum(ranking, axis=0, dtype=np.float64) - ranking
        x = np.where(ranking, self.kept**seen, 0.0).sum(axis=1)
        return float(self.discount(len(ranking)) @ x)

    def scores(self, joined: Joined) -> Floats:
        lists = self.relevant_lists(joined)
        deepest = int(max(joined.length.max(initial=0), np.diff(joined.topic_bounds).max(initial=0)))
        delta = self.discount(deepest if self.cutoff is None else min(deepest, self.cutoff))
        sums = self.intent_sums(joined, lists, delta, self.kept)
        _, intents = self.intent_counts(joined)
        if self.ideal:
            best: Floats = np.zeros((len(joined.topics), len(joined.assessors)))
            # every rank of the ideal looks through the documents that are left: more than the arrays tell
            greedy_sums.fast(joined.topic_bounds, *lists, delta, self.kept, best)
        else:
            best = np.asarray(intents * self.most(), np.float64)
        base = np.where(intents > 0, best, np.nan).T[:, None]
        return np.asarray(by_system(sums, joined) / base, np.float64)


@dataclass(frozen=True)
class OverIdeal(NoveltyGain):
    """Over the greedy ideal, which moves with every label and is not always the best; named before its measure."""

    ideal = True
    mean_of_intents = False
    bounded = False

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        cls.formula = f"{cls.gain} / the same of the greedy ideal"
        if "user" not in cls.__dict__:
            cls.user = f"{cls.user}; compares with an ideal"


def greedy(pool: Bools, kept: float) -> Bools:
    """The pool in greedy order: the document worth most next, of equal ones the last (the larger id)."""
    left = list(range(len(pool)))[::-1]
    seen: Floats = np.zeros(pool.shape[1])
    order: list[int] = []
    while left:
        worth = [float(np.where(pool[d], kept**seen, 0.0).sum()) for d in left]
        best: int = left.pop(int(np.argmax(np.round(worth, 12))))
        order.append(best)
        seen = np.asarray(seen + pool[best], np.float64)
    chosen: Bools = pool[order]
    return chosen


@dataclass(frozen=True)
class LosesInterest(NoveltyGain):
    """A user for whom a further document about the same intent loses a share α of its worth."""

    alpha: float = number(0.5, "what a further document about the same intent loses", least=0, most=1)

    @property
    def kept(self) -> float:
        return 1.0 - self.alpha


@dataclass(frozen=True)
class alpha_DCG(LosesInterest):
    """DCG of novel documents, as ndeval normalises it (Clarke et al. 2008; the paper has no divisor)."""

    gain = "Σ x_r/log₂(r+1)"
    formula = f"{gain} / (M·Σ_{{r≤k}} (1−α)^(r−1)/log₂(r+1))"
    user = "loses interest slowly, and in what was already read about an intent"
    reference = "Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon 2008"

    discount = staticmethod(log_discount)


@dataclass(frozen=True)
class alpha_nDCG(OverIdeal, alpha_DCG):
    """DCG of novel documents over that of the greedy ideal ranking (Clarke et al. 2008)."""


@dataclass(frozen=True)
class ERR_IA(NoveltyGain):
    """ERR over intents, as ndeval computes it: α = ½, discount 1/r (Chapelle et al. 2011)."""

    gain = "Σ x_r/r"
    formula = f"{gain} / (M·Σ_{{r≤k}} ½^(r−1)/r), α = ½"
    user = "has one of the intents, and stops where it is satisfied"
    reference = "Chapelle, Ji, Liao, Velipasaoglu, Lai & Wu 2011"

    discount = staticmethod(reciprocal)


@dataclass(frozen=True)
class nERR_IA(OverIdeal, ERR_IA):
    """ERR_IA over that of the greedy ideal ranking."""


@dataclass(frozen=True)
class NRBP(LosesInterest):
    """Novelty- and rank-biased precision of the whole ranking (Clarke, Kolla & Vechtomova 2009)."""

    gain = "Σ β^(r−1)·x_r"
    formula = f"(1 − (1−α)β)/M · {gain}"
    user = "goes on with probability β, and loses interest in what was already read about an intent"
    reference = "Clarke, Kolla & Vechtomova 2009"

    beta: float = number(0.5, "probability to go on to the next document", above=0, below=1)
    takes_cutoff = False

    def discount(self, n: int) -> Floats:
        return geometric(self.beta, n)

    def most(self) -> float:
        return 1.0 / (1.0 - self.kept * self.beta)


@dataclass(frozen=True)
class nNRBP(OverIdeal, NRBP):
    """NRBP over that of the greedy ideal ranking."""

    user = "does what NRBP's user does, and compares with an ideal"
