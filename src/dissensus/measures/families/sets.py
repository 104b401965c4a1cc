"""Measures of what was retrieved as a set, and counts.

Counts (NumRet, NumRel …) are summed over topics, not averaged; the other measures of this file are averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.measures.families.precision import R
from dissensus.measures.linear import by_system, lengths, relevant_found, weighted_sums
from dissensus.measures.measure import Binary, Grades, Linear, Measure, Ratio, relevant_count
from dissensus.measures.parameters import number, relevance
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class SetP(Binary, Linear):
    """The share of all retrieved documents that is relevant."""

    formula = "|relevant retrieved| / |retrieved|"
    user = "reads everything that was retrieved"
    reference = "Cleverdon 1967"

    takes_cutoff = False

    @classmethod
    def variant(cls, given: dict[str, object]) -> type[Measure]:
        return SetRelP if given.pop("relative", False) else cls

    def weights(self, n: int) -> Floats:
        return np.full(n, 1.0 / n) if n else np.empty(0)


@dataclass(frozen=True)
class SetR(R):
    """The share of the topic's relevant documents that was retrieved at all."""

    formula = "|relevant retrieved| / R"
    user = "reads everything and asks what share of everything relevant was there"

    needs_cutoff = False
    takes_cutoff = False


@dataclass(frozen=True)
class SetRelP(SetR):
    """Precision of the retrieved set over the best it could be: a/min(N, R). ir-measures' SetP(relative=True)."""

    formula = "a / min(N, R), a relevant among N retrieved"
    user = "reads everything that was retrieved, and compares with the best set of that size"
    reference = "trec_eval (set_relative_P)"

    @classmethod
    def variant(cls, given: dict[str, object]) -> type[Measure]:
        given.pop("relative", True)
        return cls

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        relevant = relevant_count(counts, self.rel, scale)
        return np.asarray(np.where(relevant > 0, np.maximum(np.minimum(n, relevant), 1), 0), np.float64)


@dataclass(frozen=True)
class SetF(Ratio):
    """F measure of the retrieved set: (1 + β²)·P·R / (β²·P + R); trec_eval's parameter is β².

    With a relevant documents among n retrieved and R in the pool this is (1 + β²)·a / (n + β²·R): linear given
    the pool.
    """

    formula = "(1+β²)·P·R / (β²·P + R) of the retrieved set"
    user = "reads everything and weighs recall β times as much as precision"
    reference = "van Rijsbergen 1979"

    beta: float = number(1.0, "weight of recall against precision", above=0)
    rel: int = relevance()
    takes_cutoff = False

    def weights(self, n: int) -> Floats:
        return np.full(n, 1.0 + self.beta**2)

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        relevant = relevant_count(counts, self.rel, scale)
        return np.asarray(np.where(relevant > 0, n + self.beta**2 * relevant, 0.0), np.float64)


@dataclass(frozen=True)
class SetAP(Binary):
    """Precision times recall of the retrieved set: a²/(N·R), a relevant documents among N retrieved.

    >>> round(SetAP().score([2, 0, 3, 1, None, 0, 1], pool=[2, 0, 3, 1, 0, 1, 3, 1, 0]), 6)
    0.380952
    """

    formula = "a²/(N·R), a relevant among N retrieved"
    user = "reads everything that was retrieved, and wants precision and recall"
    reference = "trec_eval (set_map)"

    takes_cutoff = False
    needs_relevant = True
    order_free = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        relevant, found = int((pool >= self.rel).sum()), int((grades >= self.rel).sum())
        return found**2 / (max(len(grades), 1) * relevant) if relevant else float("nan")

    def scores(self, joined: Joined) -> Floats:
        relevant = self.in_pool(joined).T[:, None]
        base = np.maximum(lengths(joined), 1)[None] * np.where(relevant > 0, relevant, np.nan)
        return np.asarray(relevant_found(self.rel, None, joined) ** 2 / base, np.float64)


@dataclass(frozen=True)
class RelP(R):
    """Precision at k over the best it could be: |relevant in the first k| / min(k, R)."""

    formula = "|relevant in the first k| / min(k, R)"
    user = "reads k results, and compares with the best k"
    reference = "trec_eval (relative_P)"

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        assert self.cutoff is not None
        return np.minimum(self.cutoff, relevant_count(counts, self.rel, scale)).astype(np.float64)


@dataclass(frozen=True)
class F1(R):
    """Harmonic mean of P@k and R@k: 2·|relevant in the first k| / (k + R). Without k it is SetF.

    >>> round(F1(cutoff=5).score([2, 0, 3, 1, None, 0, 1], pool=[2, 0, 3, 1, 0, 1, 3, 1, 0]), 6)
    0.545455
    """

    formula = "2·|relevant in the first k| / (k + R)"
    user = "reads k results, and wants precision and recall equally"
    reference = "van Rijsbergen 1979; ranx (f1)"

    @classmethod
    def variant(cls, given: dict[str, object]) -> type[Measure]:
        return cls if "cutoff" in given else SetF

    def weights(self, n: int) -> Floats:
        return np.full(n, 2.0)

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        assert self.cutoff is not None
        relevant = relevant_count(counts, self.rel, scale)
        return np.asarray(np.where(relevant > 0, self.cutoff + relevant, 0), np.float64)


@dataclass(frozen=True)
class Accuracy(Binary):
    """The share of (relevant, other) pairs of retrieved documents that are in the right order.

    Unjudged documents are "other". Undefined (NaN) where one of the two kinds is absent.

    >>> round(Accuracy().score([2, 0, 3, 1, None, 0, 1]), 6)
    0.583333
    """

    formula = "|pairs with the relevant document above| / |pairs (relevant, other)|, of the first k"
    user = "is shown one relevant and one other document, and asks which the system prefers"
    reference = "ir-measures; Fawcett 2006 (area under the ROC curve)"

    needs_relevant = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        relevant = grades[: self.cutoff] >= self.rel
        n = int(relevant.sum())
        pairs = n * (len(relevant) - n)
        below = np.cumsum(~relevant[::-1])[::-1]
        return float(below[relevant].sum() / pairs) if pairs else float("nan")

    def scores(self, joined: Joined) -> Floats:
        # a relevant document at rank r with c relevant ones up to it has r − c others above it
        n = lengths(joined) if self.cutoff is None else np.minimum(lengths(joined), self.cutoff)
        ranks = np.arange(1, int(joined.length.max(initial=0)) + 1, dtype=np.float64)
        binary = (joined.scale.grades >= self.rel).astype(float)
        start = np.zeros(len(joined.length), np.int64)
        total = by_system(weighted_sums(joined, ranks, start, binary, self.cutoff), joined)
        found = relevant_found(self.rel, self.cutoff, joined)
        others = n[None] - found
        above = total - found * (found + 1) / 2
        pairs = found * others
        return np.asarray(np.where(pairs > 0, 1 - above / np.where(pairs > 0, pairs, 1), np.nan), np.float64)


# ── counts ──
@dataclass(frozen=True)
class Count(Measure):
    """What the counts share: they are summed over topics and do not depend on the order."""

    takes_cutoff = False
    bounded = False
    order_free = True
    aggregate = "sum"

    def count(self, joined: Joined) -> NDArray[np.int64]:
        """The number of every ranking, broadcastable to (assessor, system, topic)."""
        raise NotImplementedError(f"{type(self).__name__} must define count()")

    def scores(self, joined: Joined) -> Floats:
        return np.full(joined.shape, self.count(joined), np.float64)


@dataclass(frozen=True)
class NumQ(Count):
    """1 for every topic: summed, the number of topics."""

    formula = "1"
    user = "is not modelled: the number of topics"
    reference = "trec_eval (num_q)"

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return 1.0

    def count(self, joined: Joined) -> NDArray[np.int64]:
        return np.ones((1, 1, 1), np.int64)


@dataclass(frozen=True)
class NumRet(Count):
    """Documents retrieved. NumRet(rel=1) is NumRelRet."""

    formula = "N"
    user = "is not modelled: the number of documents retrieved"
    reference = "trec_eval (num_ret)"

    @classmethod
    def variant(cls, given: dict[str, object]) -> type[Measure]:
        return NumRelRet if "rel" in given else cls

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float(len(grades))

    def count(self, joined: Joined) -> NDArray[np.int64]:
        return lengths(joined)[None]


@dataclass(frozen=True)
class NumRel(Binary, Count):
    """Relevant documents in the pool."""

    formula = "R"
    user = "is not modelled: the number of relevant documents in the pool"
    reference = "trec_eval (num_rel)"

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float((pool >= self.rel).sum())

    def count(self, joined: Joined) -> NDArray[np.int64]:
        return self.in_pool(joined).T[:, None]


@dataclass(frozen=True)
class NumRelRet(Binary, Linear):
    """Relevant documents retrieved."""

    formula = "|relevant retrieved|"
    user = "reads everything that was retrieved, and counts the relevant documents"
    reference = "trec_eval (num_rel_ret)"

    takes_cutoff = False
    bounded = False
    aggregate = "sum"

    def weights(self, n: int) -> Floats:
        return np.ones(n)


@dataclass(frozen=True)
class NumNonRelRet(NumRelRet):
    """Judged documents retrieved that are not relevant; less is better."""

    formula = "|judged non-relevant retrieved|"
    user = "reads everything that was retrieved, and counts what was judged and useless"
    reference = "trec_eval (num_nonrel_judged_ret)"
    higher_is_better = False

    def values(self, scale: Scale) -> Floats:
        return (scale.grades < self.rel).astype(np.float64)
