"""C/W/L measures: a user at rank r goes on to rank r + 1 with probability C(r) (Moffat, Bailey, Scholer & Thomas 2017).

With w₁ = 1 and w_{r+1} = w_r·C(r), the score is Σ w_r·v_r / Σ w_r: the gain per document read. A document's gain is
v = (g − min_rel)/(max_rel − min_rel), cut off at 0 and 1; `max_rel` must be given, because the score depends on it.

The sums go over exactly `depth` = 1000 ranks, as in cwl-eval: longer rankings are cut, shorter ones padded with
worthless documents. `depth=None` gives the papers' infinite sums.

SDCG and INSQ are linear. In the others the user's next step depends on what was read before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats
from dissensus.engine.user_walks import bpm_scores, inst_scores, normalised_cascade
from dissensus.errors import MeasureError
from dissensus.measures.linear import by_label, by_system, geometric, log_discount, reciprocal, sparse_walk
from dissensus.measures.measure import Grades, Linear, Measure, value_of
from dissensus.measures.parameters import KEY, Parameter, choice, number, whole
from dissensus.tables.scale import HIGHEST, Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined

DEPTH = 1000  # cwl-eval's


@dataclass(frozen=True)
class GainPerDocument(Measure):
    """What all C/W/L measures share: gains between 0 and 1 from grades between `min_rel` and `max_rel`."""

    max_rel: int = whole(None, "the grade of the best document", required=True, least=1, most=HIGHEST)
    min_rel: int = whole(0, "highest grade that is worth nothing", least=0, most=HIGHEST)
    depth: int | None = field(
        default=DEPTH,
        kw_only=True,
        metadata={KEY: Parameter("whole number", "ranks that the sums go over; None: all", least=1, optional=True)},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_rel >= self.max_rel:
            raise MeasureError(f"{self}: min_rel must be below max_rel.")

    def relevant_from(self, scale: Scale) -> int:
        return self.min_rel + 1

    def gains(self, scale: Scale) -> Floats:
        """v per grade of the scale, lowest first."""
        share = (scale.grades - self.min_rel) / (self.max_rel - self.min_rel)
        return np.asarray(np.clip(share, 0.0, 1.0), np.float64)

    def read(self, grades: Grades, scale: Scale) -> Floats:
        """v by rank, down to the depth."""
        return value_of(grades[: self.depth], self.gains(scale), scale)

    def gain_by_label(self, joined: Joined) -> Floats:
        """v by label + 128."""
        return by_label(self.gains(joined.scale), joined.scale)

    def walk_gains(self, joined: Joined, kernel: Callable[..., None], *further: object, cutoff: int | None) -> Floats:
        """Run a kernel over what is worth something in every ranking; (assessor, system, topic)."""
        return by_system(sparse_walk(joined, self.min_rel + 1, kernel, joined.labels, *further, cutoff=cutoff), joined)


@dataclass(frozen=True)
class WantsGain(GainPerDocument):
    """A user who wants a certain gain, and is the less likely to go on the closer it is."""

    T: float = number(1.0, "how much gain the user wants", above=0)


@dataclass(frozen=True)
class WantsMore(WantsGain):
    """INSQ's patience: who expects to need T documents is the less likely to stop the further down (Moffat 2012)."""

    takes_cutoff = False

    def fading(self, n: int) -> Floats:
        """w₁ … w_n: (2T/(r − 1 + 2T))²."""
        rank = np.arange(n, dtype=np.float64)
        return np.asarray((2 * self.T / (rank + 2 * self.T)) ** 2, np.float64)

    def total(self) -> float:
        """Σ w over the depth; over all ranks (2T)²·ζ(2, 2T), Hurwitz's zeta."""
        if self.depth is not None:
            return float(self.fading(self.depth).sum())
        from scipy.special import zeta

        return float((2 * self.T) ** 2 * zeta(2.0, 2 * self.T))


# ── linear ──
@dataclass(frozen=True)
class SDCG(GainPerDocument, Linear):
    """Scaled DCG: DCG over the DCG of k best documents, whatever the pool holds.

    >>> round(SDCG(max_rel=4, cutoff=5).score([2, 0, 3, 1, None, 0, 1], scale="0..4"), 6)
    0.333282
    """

    formula = "Σ_{r≤k} v_r/log₂(r+1) / Σ_{r≤k} 1/log₂(r+1)"
    user = "loses interest slowly, by the logarithm of the rank, and reads k results at most"
    reference = "Järvelin & Kekäläinen 2002; Moffat et al. 2017"

    dcg: str = choice("log2", "the discount", "log2")
    needs_cutoff = True

    def weights(self, n: int) -> Floats:
        assert self.cutoff is not None
        k = self.cutoff if self.depth is None else min(self.cutoff, self.depth)
        w = log_discount(max(k, n))
        w[k:] = 0.0
        return np.asarray(w[:n] / w.sum(), np.float64)

    def values(self, scale: Scale) -> Floats:
        return self.gains(scale)


@dataclass(frozen=True)
class INSQ(WantsMore, Linear):
    """A user who expects to need T relevant documents and grows less likely to stop the further down (Moffat 2012).

    C(r) = ((r + 2T − 1)/(r + 2T))².

    >>> round(INSQ(max_rel=4).score([2, 0, 3, 1, None, 0, 1], scale="0..4"), 6)
    0.288509
    """

    formula = "Σ w·v / Σ w, C = ((r+2T−1)/(r+2T))²"
    user = "wants T documents, and goes on the more likely the more was already read"
    reference = "Moffat, Scholer & Thomas 2012"

    def weights(self, n: int) -> Floats:
        w = self.fading(n) / self.total()
        if self.depth is not None:
            w[self.depth :] = 0.0
        return w

    def values(self, scale: Scale) -> Floats:
        return self.gains(scale)


# ── what was read decides whether to go on ──
@dataclass(frozen=True)
class INST(WantsGain):
    """INSQ whose user also counts what was found so far (Bailey, Moffat, Scholer & Thomas 2015).

    C(r) = ((r + c − 1)/(r + c))² with c = 2T − Σ_{j≤r} v_j.

    >>> round(INST(max_rel=4).score([2, 0, 3, 1, None, 0, 1], scale="0..4"), 6)
    0.346023
    """

    formula = "Σ w·v / Σ w, C = ((r+c−1)/(r+c))², c = 2T − Σ_{j≤r} v_j"
    user = "wants T documents, and goes on the less likely the more of them were found"
    reference = "Bailey, Moffat, Scholer & Thomas 2015"

    takes_cutoff = False

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        v = self.read(grades, scale)
        last = len(v) if self.depth is None else self.depth
        v = np.concatenate([v, np.zeros(last - len(v))])
        c = 2 * self.T - np.cumsum(v)
        rank = np.arange(1, last + 1)
        w = np.concatenate([[1.0], np.cumprod(((rank + c - 1) / (rank + c)) ** 2)])
        beyond = 0.0
        if self.depth is None:  # below the ranking c stays as it is: Σ_{r>n} w_n·((n − 1 + c)/(r − 1 + c))²
            from scipy.special import zeta

            end = c[-1] if last else 2 * self.T
            beyond = float(w[last] * (last + end) ** 2 * zeta(2.0, last + end))
        return float(w[:last] @ v / (w[:last].sum() + beyond))

    def scores(self, joined: Joined) -> Floats:
        from scipy.special import zeta

        scale = self.max_rel - self.min_rel
        steps = np.rint(self.gain_by_label(joined) * scale).astype(np.int64)
        depth = 0 if self.depth is None else self.depth
        deepest = max(depth, int(joined.length.max(initial=0)))
        tail = zeta(2.0, 2 * self.T + np.arange(deepest * scale + 1) / scale)
        return self.walk_gains(joined, inst_scores, steps, scale, self.T, tail, depth, cutoff=self.depth)


@dataclass(frozen=True)
class BPM(WantsGain):
    """Bejewelled player: reads until gains add up to T, or k documents were read (Zhang et al. 2017), static form.

    The mean gain of what is read.

    >>> round(BPM(max_rel=4, cutoff=10).score([2, 0, 3, 1, None, 0, 1], scale="0..4"), 6)
    0.416667
    """

    formula = "mean v of the documents read, until Σ v ≥ T or r = k"
    user = "stops when gains add up to T, or after k documents"
    reference = "Zhang, Liu, Li, Zhang, Xu & Ma 2017"

    needs_cutoff = True

    def last_rank(self) -> int:
        """The last rank that anybody reads."""
        assert self.cutoff is not None
        return self.cutoff if self.depth is None else min(self.cutoff, self.depth)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        v = self.read(grades, scale)[: self.last_rank()]
        enough = np.flatnonzero(np.cumsum(v) >= self.T)
        end = int(enough[0]) + 1 if len(enough) else self.last_rank()
        return float(v[:end].sum() / end)

    def scores(self, joined: Joined) -> Floats:
        end = self.last_rank()
        return self.walk_gains(joined, bpm_scores, self.gain_by_label(joined), self.T, end, cutoff=end)


@dataclass(frozen=True)
class NormalisedCascade(GainPerDocument):
    """C(r) = fading(r)·(1 − v_r): a user who stops when satisfied, and whose patience fades with the rank."""

    reference = "Azzopardi, Mackenzie & Moffat 2021"

    def fading(self, n: int) -> Floats:
        """Π_{i<r} fading(i) for ranks 1…n: the weight of a rank above which nothing is worth anything."""
        raise NotImplementedError(f"{type(self).__name__} must define fading()")

    def total(self) -> float:
        """Σ of the same over all ranks that count."""
        raise NotImplementedError(f"{type(self).__name__} must define total()")

    def last_rank(self) -> int | None:
        """The last rank that counts."""
        ends = [k for k in (self.cutoff, self.depth) if k is not None]
        return min(ends) if ends else None

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        v = self.read(grades, scale)[: self.last_rank()]
        faded = self.fading(len(v))
        going_on = np.concatenate([[1.0], np.cumprod(1.0 - v)])
        w = faded * going_on[:-1]
        return float(w @ v / (w.sum() + going_on[-1] * (self.total() - faded.sum())))

    def scores(self, joined: Joined) -> Floats:
        end = self.last_rank()
        longest = int(joined.length.max(initial=0))
        faded = self.fading(longest if end is None else min(longest, end))
        running = np.concatenate([[0.0], np.cumsum(faded)])
        table, total = self.gain_by_label(joined), self.total()
        return self.walk_gains(joined, normalised_cascade, table, running, total, cutoff=end)


@dataclass(frozen=True)
class NERR8(NormalisedCascade):
    """Normalised ERR: reads at most k documents, stops with probability v at each (Azzopardi et al. 2021, eq. 8)."""

    formula = "Σ w·v / Σ w, C = 1 − v for r < k"
    user = "stops at a document with probability v, or after k documents"
    reference = "Chapelle et al. 2009; Azzopardi, Mackenzie & Moffat 2021"
    needs_cutoff = True

    def fading(self, n: int) -> Floats:
        return np.ones(n)

    def total(self) -> float:
        return float(self.fading(int(self.last_rank() or 0)).sum())


@dataclass(frozen=True)
class NERR9(NERR8):
    """NERR8 with impatience r/(r + 1) (Azzopardi et al. 2021, eq. 9)."""

    formula = "Σ w·v / Σ w, C = (1 − v)·r/(r+1) for r < k"
    user = "stops at a document with probability v, grows impatient with 1/r, and reads k at most"

    fading = staticmethod(reciprocal)


@dataclass(frozen=True)
class NERR10(NormalisedCascade):
    """Normalised ERR with RBP's patience p (Azzopardi et al. 2021, eq. 10)."""

    formula = "Σ w·v / Σ w, C = p·(1 − v)"
    user = "stops at a document with probability v, else goes on with probability p"

    p: float = number(0.9, "probability to go on where a document was worth nothing", above=0, below=1)
    takes_cutoff = False

    def fading(self, n: int) -> Floats:
        return geometric(self.p, n)

    def total(self) -> float:
        return (1.0 - (self.p**self.depth if self.depth is not None else 0.0)) / (1.0 - self.p)


@dataclass(frozen=True)
class NERR11(WantsMore, NormalisedCascade):
    """Normalised ERR with INSQ's patience (Azzopardi et al. 2021, eq. 11)."""

    formula = "Σ w·v / Σ w, C = (1 − v)·((r+2T−1)/(r+2T))²"
    user = "stops at a document with probability v, else goes on as INSQ's user"
