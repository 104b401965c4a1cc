"""Normalised Markov cumulated gain: nDCG whose discount is how users really look at ranks.

    nMCG@k = Σ_{i≤k} (2^g_i − 1)·δ_c(i) / ideal,    δ_c(i) = α/i + βi + γ

with one curve δ_c per query class c, fitted to click logs (Ferro, Lucchese, Maistro & Perego, CLEF 2017). δ may rise
with the rank, so the ideal is the best ordering *under δ*: the largest gains on the ranks seen most. Sorting by grade
alone would let nMCG exceed 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from dissensus.data.scale import Scale
from dissensus.errors import MeasureError
from dissensus.measures.measure import Floats, Grades, Measure, count_grades, value_of
from dissensus.measures.user_models import Dynamic, UserModel, read_user_model

if TYPE_CHECKING:
    from dissensus.data.collection import Joined

NAVIGATIONAL, INFORMATIONAL, ANY = "navigational", "informational", "all"


def query_class(counts: NDArray[np.int64], scale: Scale) -> str:
    """Navigational: exactly one document of grade ≥ 3 in the pool (of the top grade on scales that end below 3).

    `counts` holds the pool's documents per grade of the scale. On binary scales that is "exactly one relevant".

    >>> query_class(np.array([90, 7, 2, 1, 0]), Scale.range(0, 4)), query_class(np.array([8, 2]), Scale.range(0, 1))
    ('navigational', 'informational')
    """
    return NAVIGATIONAL if navigational(counts, scale) else INFORMATIONAL


def navigational(counts: NDArray[np.int64], scale: Scale) -> NDArray[np.bool_]:
    """The same rule for many pools at once, counts per grade on the last axis."""
    return np.asarray(counts[..., scale.grades >= min(3, scale.top)].sum(axis=-1) == 1)


@dataclass(frozen=True)
class nMCG(Measure):
    """Normalised Markov cumulated gain with the user dynamic of a file (`dissensus clicks LOG -o user.json`).

    The class of a query is read off its pool (`query_class`), unless the file has one curve for "all" queries or
    `kind=` names the class of all topics. Not for ranks deeper than the log showed: the curve is then a guess, and
    where it falls below zero the measure is refused.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "user.json")
    >>> _ = file.write_text(UserModel(dynamics={"all": Dynamic(alpha=1, beta=0, gamma=0)}).to_json())
    >>> nMCG(dynamic=str(file), cutoff=3).score([0, 1, 0])
    0.5
    """

    dynamic: str | None = None
    kind: str | None = None

    name: ClassVar[str] = "nMCG"
    needs_cutoff: ClassVar[bool] = True
    needs_relevant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.dynamic, str):
            raise MeasureError(
                "nMCG needs the user dynamic it discounts by.",
                f"Write nMCG(dynamic='user.json')@{self.cutoff}; `dissensus clicks LOG -o user.json` makes the file.",
            )
        if self.kind is not None and not isinstance(self.kind, str):
            raise MeasureError(f"nMCG(kind={self.kind!r}): the name of a query class, such as 'navigational'.")

    def curve(self, counts: NDArray[np.int64], scale: Scale) -> Dynamic:
        """The dynamic of a query, by the class of its pool."""
        model: UserModel = read_user_model(str(self.dynamic))
        dynamics = model.dynamics
        if not dynamics:
            raise MeasureError(f"{self}: {self.dynamic} has a walk but no dynamic.", "Fit one with UserDynamic.fit().")
        wanted = self.kind or query_class(counts, scale)
        for name in (wanted, ANY) if self.kind is None else (wanted,):
            if name in dynamics:
                return dynamics[name]
        raise MeasureError(
            f"{self}: {self.dynamic} has no dynamic for {wanted} queries, only for {', '.join(dynamics)}.",
            f"Choose one for all topics: nMCG(dynamic={self.dynamic!r}, kind={next(iter(dynamics))!r})@{self.cutoff}.",
        )

    def discount(self, counts: NDArray[np.int64], scale: Scale) -> Floats:
        """δ(1)…δ(k) of a query's class."""
        k = int(self.cutoff or 0)
        delta = self.curve(counts, scale).delta(k)
        below = np.flatnonzero(delta < 0)
        if len(below):
            raise MeasureError(
                f"{self}: the user dynamic falls below zero at rank {below[0] + 1} ({delta[below[0]]:.4g}).",
                f"Cut there (@{below[0]}), or fit the dynamic on deeper result pages."
                if below[0]
                else "Fit the dynamic on more clicks.",
            )
        return delta

    def ideal(self, counts: NDArray[np.int64], scale: Scale) -> float:
        """The best sum any ordering of the pool reaches: largest gains on the ranks seen most."""
        return float(best_sum(counts, self.discount(counts, scale), scale))

    def linear_form(self, counts: NDArray[np.int64], n: int, scale: Scale) -> tuple[Floats, Floats]:
        delta = self.discount(counts, scale)[:n]
        weights = np.zeros(n)
        weights[: len(delta)] = delta
        return weights / (self.ideal(counts, scale) or np.nan), exponential(scale)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        counts = count_grades(pool, scale)
        if not self.ideal(counts, scale):
            return float("nan")
        weights, values = self.linear_form(counts, len(grades), scale)
        return float(weights @ value_of(grades, values, scale))

    def scores(self, joined: Joined) -> Floats:
        from dissensus.measures.linear import by_system, weighted_sums

        out = np.full(joined.shape, np.nan)
        counts = joined.pool_counts  # (topic, assessor, grade)
        kind = navigational(counts, joined.scale)
        start = np.zeros(len(joined.length), np.int64)
        for one in (False, True):  # one walk over the rankings per query class
            here = (kind == one) & (counts.sum(axis=2) > 0)
            if not here.any():
                continue
            delta = self.discount(counts[here][0], joined.scale)
            sums = weighted_sums(joined, delta, start, exponential(joined.scale), self.cutoff)
            ideal = best_sum(counts, delta, joined.scale)
            chosen = np.where(here & (ideal > 0), ideal, np.nan).T[:, None, :]
            out = np.where(np.isnan(chosen), out, by_system(sums, joined) / chosen)
        return out


def best_sum(counts: NDArray[np.int64], delta: Floats, scale: Scale) -> Floats:
    """Σ gain·δ with the largest gains on the largest δ; `counts[..., grade]` documents in the pool.

    With D(m) the sum of the m largest δ, the documents of a grade add gain·(D(those at or above it) − D(those above)).
    """
    seen = np.r_[0.0, np.cumsum(np.sort(delta)[::-1])]
    at_or_above = np.minimum(np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1], len(delta))
    above = np.concatenate([at_or_above[..., 1:], np.zeros_like(at_or_above[..., :1])], axis=-1)
    total: Floats = ((seen[at_or_above] - seen[above]) * exponential(scale)).sum(axis=-1)
    return total


def exponential(scale: Scale) -> Floats:
    """2^g − 1 for every grade of the scale."""
    return np.asarray(np.exp2(scale.grades.astype(np.float64)) - 1, np.float64)
