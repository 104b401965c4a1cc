"""Markov Precision: the average precision a user meets who walks back and forth on the ranks.

The user's walk is watched on L, the ranks of relevant documents; π is its invariant distribution there, and

    MP = Σ_{j∈L} π_j · Prec(j)          (Ferrante, Ferro & Maistro, ICTIR 2014)

Eight built-in walks: GL or LO (jumps to any rank, or to neighbours) × AD or OR (walk on all documents, or only on the
relevant ones) × ID or LID (jumps weighted by α(d) = 1/(d+1), or by 1/log₁₀(d+2), d the distance). Each of them is a
random walk on a weighted graph, so no linear system has to be solved: π_j is proportional to the weight of the edges
that meet in j, and the walk watched on a subset has the restriction of π, renormalised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.engine.user_walks import walks_on_all, walks_on_relevant
from dissensus.errors import MeasureError
from dissensus.measures.linear import by_system, over_pool, walk
from dissensus.measures.measure import Grades, Measure
from dissensus.measures.parameters import choice, file, flag, list_or_file, relevance
from dissensus.measures.user_models import checked_rates, read_user_model
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined

MODELS = tuple(f"{c}_{s}_{t}" for c in ("GL", "LO") for s in ("AD", "OR") for t in ("ID", "LID"))
TINY = 1e-300  # vanishes beside any jump


def jump_weights(model: str, n: int) -> Floats:
    """α(d) for distances d = 0…n−1 (α(0) = 0: a jump goes somewhere else).

    >>> jump_weights("GL_AD_ID", 4).round(4).tolist()
    [0.0, 0.5, 0.3333, 0.25]
    """
    d = np.arange(max(n, 1))
    alpha = 1 / np.log10(d + 2) if model.endswith("_LID") else 1 / (d + 1)
    alpha[0] = 0.0
    return np.asarray(alpha, np.float64)


def jump_sums(model: str, n: int) -> Floats:
    """Σ_{d≤m} α(d) for m = 0…n−1: the weight of all jumps in one direction from a rank with m ranks that way.

    A ranking of one document leaves nowhere to go; its rank then weighs TINY, so that it still has all of π.
    """
    alpha = jump_weights(model, n)
    if model.startswith("LO"):
        alpha[2:] = 0.0
    alpha[0] = TINY
    return np.cumsum(alpha)


def rank_weights(model: str, n: int) -> Floats:
    """Weight of the edges that meet in each of n ranks, for walks on all documents (AD): π before normalising.

    >>> rank_weights("LO_AD_ID", 4).tolist()
    [0.5, 1.0, 1.0, 0.5]
    """
    below = jump_sums(model, n)
    return below + below[::-1]


def edge_weights(model: str, ranks: Floats) -> Floats:
    """Weight of the edges that meet in each relevant rank, for walks on relevant documents only (OR)."""
    if len(ranks) == 1:
        return np.ones(1)
    alpha = jump_weights(model, int(ranks.max()) + 1)
    if model.startswith("LO"):
        gap: Floats = alpha[np.diff(ranks).astype(np.int64)]
        return np.asarray(np.r_[gap, 0.0] + np.r_[0.0, gap], np.float64)
    if len(ranks) > 200:  # one convolution instead of a large matrix
        here = np.zeros(len(alpha))
        here[ranks.astype(np.int64)] = 1.0
        around = np.convolve(here, np.r_[alpha[:0:-1], alpha])[len(alpha) - 1 : 2 * len(alpha) - 1]
        return np.asarray(around[ranks.astype(np.int64)], np.float64)
    weights: Floats = alpha[np.abs(ranks[:, None] - ranks[None, :]).astype(np.int64)].sum(axis=1)
    return weights


@dataclass(frozen=True)
class MP(Measure):
    """Markov Precision (Ferrante, Ferro & Maistro 2014; eight walks, or the user's own).

    - `model`: one of GL_AD_ID … LO_OR_LID (see the module's text).
    - `rec=True` multiplies by RR/R, relevant retrieved over relevant: then MP knows what AP knows.
    - `holding`: continuous time. A list of rates μ by rank, or a user-model file that has them; the user stays 1/μ_j
      at rank j, and π_j becomes proportional to π_j/μ_j.
    - `walk`: a user-model file with a transition matrix of n ranks instead of a built-in model. Its user never looks
      below rank n: it acts as a cut-off at n.

    Nothing relevant retrieved scores 0. Not a utility-oriented measure, so not for tuning: replacing a non-relevant
    document by a relevant one may lower it, because the walk then also counts that document's lower precision.
    `rec=True` fixes the shortest cases only (`dissensus.check_axioms` finds others with 5 to 10 documents).

    >>> round(MP().score([1, 1, 1, 1, 0, 0, 0, 1, 0, 0]), 4)
    0.9205
    >>> MP().score([1, 0, 0, 0]), round(MP().score([1, 0, 1, 0]), 3)
    (1.0, 0.816)
    """

    formula = "Σ over relevant ranks j of π_j·P@j"
    user = "walks up and down the list as a Markov chain, and looks at precision at relevant documents"
    reference = "Ferrante, Ferro & Maistro 2014"

    model: str = choice("GL_AD_ID", "the walk", *MODELS)
    rec: bool = flag(False, "multiply by the share of relevant documents that were retrieved")
    holding: tuple[float, ...] | str | None = list_or_file("rates μ by rank of continuous time, or a user-model file")
    walk: str | None = file("a user-model file with the user's own walk")
    rel: int = relevance()

    def __post_init__(self) -> None:
        if isinstance(self.model, str):
            object.__setattr__(self, "model", self.model.upper())
        if self.walk is not None and not isinstance(self.walk, str):
            raise MeasureError(
                f"MP(walk=…) takes the path of a user-model file, not a {type(self.walk).__name__}.",
                "Write the matrix with UserModel(walk=Walk(matrix)).to_json(), or fit one with MarkovUser.",
            )
        super().__post_init__()
        if self.walk is not None and self.model != "GL_AD_ID":
            raise MeasureError(
                f"MP(model={self.model!r}, walk={self.walk!r}): a model or a walk of your own, not both."
            )
        if self.holding is not None and not isinstance(self.holding, str):
            rates = checked_rates(self.holding, "MP(holding=…)")
            object.__setattr__(self, "holding", tuple(float(r) for r in rates))
        object.__setattr__(self, "needs_relevant", self.rec)  # only RR/R is undefined without relevant documents

    @property
    def on_relevant(self) -> bool:
        """True where the walk is on relevant documents only."""
        return self.walk is None and "_OR_" in self.model

    def depth(self) -> int | None:
        """How far down the walk goes: the cut-off, or the last rank of the user's own walk."""
        limits = [k for k in (self.cutoff, None if self.walk is None else len(self._walk())) if k is not None]
        return min(limits) if limits else None

    def stay(self, n: int) -> Floats:
        """Mean time spent at each of ranks 1…n: 1/μ in continuous time, 1 otherwise."""
        if self.holding is None:
            return np.ones(n)
        if isinstance(self.holding, str):
            model = read_user_model(self.holding)
            if model.walk is None or model.walk.holding is None:
                raise MeasureError(f"{self}: {self.holding} has no holding rates; its log had no times.")
            rates, source = model.walk.holding, self.holding
            if self.walk is not None:  # where the walk never is, it never stays
                never = self._walk()[: len(rates)] == 0
                rates = np.where(np.isnan(rates) & np.r_[never, np.zeros(len(rates) - len(never), bool)], 1.0, rates)
        else:
            rates, source = np.asarray(self.holding), "holding=[…]"
        short = np.flatnonzero(np.isnan(rates[:n]))
        known = int(short[0]) if len(short) else len(rates)
        if known < n:
            raise MeasureError(
                f"{self}: {source} gives holding rates for ranks 1…{known}, but a ranking has {n:,} documents.",
                f"Cut the ranking where the rates end: @{known}." if known else "Give rates from rank 1 on.",
            )
        return 1 / rates[:n]

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        grades = grades[: self.depth()]
        n = len(grades)
        relevant = grades >= self.rel
        share = 1.0
        if self.rec:
            total = int(np.count_nonzero(pool >= self.rel))
            if total == 0:
                return float("nan")
            share = np.count_nonzero(relevant) / total
        ranks = np.flatnonzero(relevant)
        if not len(ranks):
            return 0.0
        precision = np.arange(1, len(ranks) + 1) / (ranks + 1)
        if self.walk is not None:
            pi = self._walk()[ranks]
        elif self.on_relevant:
            pi = edge_weights(self.model, ranks.astype(np.float64))
        else:
            pi = rank_weights(self.model, n)[ranks]
        pi = pi * self.stay(n)[ranks]
        total_weight = pi.sum()  # 0 where a user of the walk never visits a relevant rank
        return float(share * (pi @ precision) / total_weight) if total_weight > 0 else 0.0

    def scores(self, joined: Joined) -> Floats:
        depth = self.depth()
        length = joined.length if depth is None else np.minimum(joined.length, depth)
        sums = walk(joined, *self._kernel(joined, length, int(length.max(initial=1))), cutoff=depth)
        if not self.rec:
            return by_system(sums, joined)
        return over_pool(sums, joined, self.in_pool(joined))

    def _kernel(self, joined: Joined, length: NDArray[np.int64], longest: int) -> tuple[Any, ...]:
        """The loop over segments and its arguments, tables laid out for rankings of up to `longest` documents."""
        rel, stay = np.int8(self.rel), self.stay(longest)
        hits = (joined.hit_rank, joined.hit_item, joined.labels, rel)
        if self.on_relevant:
            local = self.model.startswith("LO")
            # between all relevant documents there are far more edges than the arrays tell
            kernel = walks_on_relevant if local else walks_on_relevant.fast
            return kernel, *hits, jump_weights(self.model, longest), stay, local, self.rec
        if self.walk is not None:
            head, tail = self._walk()[:longest], np.zeros(longest)
        else:
            head = tail = jump_sums(self.model, longest)
        return walks_on_all, *hits, length, head, tail, stay, self.rec

    def _walk(self) -> Floats:
        """Stationary distribution of the user's own walk."""
        path = str(self.walk)
        model = read_user_model(path)
        if model.walk is None:
            raise MeasureError(f"{self}: {path} has no walk.", "Write one with `dissensus clicks LOG -o user.json`.")
        try:
            return model.walk.stationary
        except MeasureError as error:
            raise MeasureError(f"{self}: {error.what}", *error.fixes) from None

    def parameters(self) -> Values:
        """The model is always written: MP alone would not say which walk it is."""
        given = super().parameters()
        return given if self.walk is not None else {"model": self.model, **given}
