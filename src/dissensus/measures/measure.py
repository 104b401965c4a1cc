"""What a measure is: a frozen object that scores one judged ranking, and whose name reads back to itself.

Three shapes, from general to special:

- `Measure`: gives `compute(grades, pool, scale)`, the definition, for one ranking. Enough for everything to work.
- `Ratio`: linear once the pool is known: Σ_r w(r)·v(g_r) / denominator(pool). nDCG, R@k, Rprec …
- `Linear`: Σ_r w(r)·v(g_r), a weight per rank and a value per grade. P@k, DCG, RBP … From those two functions follow
  the score, its residual under unjudged documents, the exact ceiling, the correction for judge error and the audit
  plan, once for all of them.

A ranking is an array of grades by rank. Two kinds of documents have none: `UNJUDGED` (never put into the pool), and
grades below zero (in the pool, but not judged). Both are worth nothing; `is_judged` tells grades from both.

Adding a measure takes five lines:

    >>> import numpy as np, dissensus as ds
    >>> from dataclasses import dataclass
    >>> @ds.register
    ... @dataclass(frozen=True)
    ... class Halving(ds.Linear):
    ...     def weights(self, n): return 0.5 ** np.arange(1, n + 1)
    >>> ds.measure("Halving").score([1, 0, 1])
    0.625
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.errors import Fix, MeasureError, Option
from dissensus.measures.bounds import linear_bounds, scenarios
from dissensus.measures.linear import by_system, lengths, weight_table, weighted_sums
from dissensus.measures.parameters import KEY, Parameter, relevance
from dissensus.measures.single import score_all, score_one
from dissensus.measures.ties import expected_ratio
from dissensus.tables.scale import Scale, unordered
from dissensus.windows.notebook import summary_html

if TYPE_CHECKING:
    from dissensus.measures.ties import TieGroups
    from dissensus.tables.collection import Joined

Grades = NDArray[np.int8]
Shape = Literal["linear", "ratio", "not linear"]
DEEPEST = 2**31 - 1  # ranks are 32-bit numbers


def is_judged(grades: Grades) -> NDArray[np.bool_]:
    """True where a document has a grade; false for unjudged ones and for grades below zero."""
    return grades >= 0


@dataclass(frozen=True)
class Measure:
    """Base of all measures; subclasses are frozen dataclasses whose fields are the measure's parameters."""

    cutoff: int | None = field(default=None, kw_only=True)

    #: name in the catalog; the class name unless set
    name: ClassVar[str] = ""
    #: True: a ranking cannot be scored without its cut-off (P, R, Success, Judged, Fallout)
    needs_cutoff: ClassVar[bool] = False
    #: False: the measure takes no cut-off at all
    takes_cutoff: ClassVar[bool] = True
    #: True: divided by R or by an ideal, so undefined for topics without relevant documents
    needs_relevant: ClassVar[bool] = False
    #: the parameter that a name gives after its @
    written_after: ClassVar[str] = "cutoff"
    #: the score of a topic where the measure is undefined, under `empty="zero"`
    when_empty: ClassVar[float] = 0.0
    #: parameters that a name shows even where they have their default
    always_written: ClassVar[tuple[str, ...]] = ()
    #: True: scores lie in [0, 1]
    bounded: ClassVar[bool] = True
    #: True: a larger score is better
    higher_is_better: ClassVar[bool] = True
    #: what a measure needs beside runs and judgments; such measures have scores, but no ceiling, correction or plan
    further_input: ClassVar[tuple[str, ...]] = ()
    #: True: the order of the documents does not matter, so ties do not either
    order_free: ClassVar[bool] = False
    #: the value of a set of topics: their mean, their sum (counts), or their geometric mean
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "mean"
    #: the definition in one line
    formula: ClassVar[str] = ""
    #: what the user of the measure does: "the user …"
    user: ClassVar[str] = ""
    #: where the measure was published
    reference: ClassVar[str] = ""
    #: linear: a weight per rank and a value per grade; ratio: linear once the pool is known
    shape: ClassVar[Shape] = "not linear"

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    def __post_init__(self) -> None:
        cut = self.cutoff
        if cut is not None and (isinstance(cut, bool) or not isinstance(cut, int | np.integer) or cut < 1):
            raise MeasureError(f"{self.name}@{cut}: a cut-off must be a whole number, at least 1.")
        if cut is not None and cut > DEEPEST:
            raise MeasureError(f"{self.name}@{cut}: a cut-off must be at most {DEEPEST:,}.")
        if cut is not None and not self.takes_cutoff:
            raise MeasureError(f"{self.name}@{cut}: {self.name} takes no cut-off.", f"Write {self.name}.")
        if cut is None and self.needs_cutoff:
            raise MeasureError(f"{self.name} needs a cut-off.", f"Write {self.name}@10, for example.")
        for name, parameter in self.declared().items():
            object.__setattr__(self, name, parameter.checked(self.name, name, getattr(self, name)))

    @classmethod
    def declared(cls) -> dict[str, Parameter]:
        """The declarations of the parameters, by name."""
        return {f.name: f.metadata[KEY] for f in fields(cls) if KEY in f.metadata}

    @classmethod
    def variant(cls, given: Values) -> type[Measure]:
        """The class that a name with these parameters means: other people's parameters may name a class of ours.

        `given` is changed where a parameter is called differently here.
        """
        return cls

    # ── the definition ──
    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        """The score of one ranking: its grades by rank, the grades of all documents in the topic's pool, the scale.

        NaN where the measure is undefined (`needs_relevant` and nothing relevant in the pool).
        """
        raise NotImplementedError(f"{type(self).__name__} must define compute()")

    def score(
        self,
        ranking: Sequence[int | None],
        pool: Sequence[int] | None = None,
        scale: Scale | Sequence[str] | str | None = None,
    ) -> float:
        """Score one judged ranking: its grades from the top, None for an unjudged document.

        `pool` holds the grades of all judged documents of the topic, those of the ranking included; without it the
        ranking's own documents are the pool. `scale` is needed only by measures that ask for the top grade.
        """
        return score_one(self, ranking, pool, scale)

    def scores(self, joined: Joined) -> Floats:
        """Scores of all rankings under all assessors, (assessor, system, topic); families override this by a kernel.

        A system without a ranking for a topic is scored as having retrieved nothing; NaN where undefined.
        """
        return score_all(self, joined)

    def for_topic(self, topic: str) -> Measure:
        """The measure as it is on one topic: itself, unless it treats topics differently (`nMCG(classes=…)`)."""
        return self

    def for_topics(self, topics: Sequence[str]) -> list[Measure]:
        """`for_topic` of each."""
        return [self.for_topic(t) for t in topics]

    # ── ties and unjudged documents ──
    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        """The mean score over all orders of tied documents, exactly; None: estimated from random orders."""
        return self.scores(joined) if self.order_free else None

    def bounds(self, joined: Joined) -> dict[str, Floats]:
        """What the labels of retrieved unjudged documents can do: variables by suffix, (assessor, system, topic).

        `low` and `high` where they are exact; else two scenarios, `unjudged_bottom` and `unjudged_top`.
        """
        return scenarios(self, joined)

    # ── relevance ──
    def relevant_from(self, scale: Scale) -> int:
        """The lowest grade that counts as relevant (`rel=` where the measure has it, else the first with a gain)."""
        return int(getattr(self, "rel", 1))

    def in_pool(self, joined: Joined) -> NDArray[np.int64]:
        """R: relevant documents in the pool, (topic, assessor)."""
        return relevant_count(joined.pool_counts, self.relevant_from(joined.scale), joined.scale)

    def check_scale(self, scale: Scale) -> None:
        """Refuse labels without an order, and a scale that ends below `rel=`: no document could be relevant."""
        if not scale.ordered and getattr(self, "gains", None) is None:
            raise unordered(scale, f"{self} needs an order.")
        rel = getattr(self, "rel", None)
        if rel is not None and rel > scale.top:
            raise MeasureError(
                f"{self}: no document can be relevant, because the scale {scale} ends below grade {rel}.",
                f"Write {replace(self, rel=scale.top)}, for example.",  # type: ignore[call-arg]
                *(
                    []
                    if scale.declared
                    else [Fix("Declare higher grades, if any: ", Option("scale", f"0..{rel}"), ".")]
                ),
            )

    def needs_top(self) -> bool:
        """Does the score depend on the highest grade of the scale, even if no document has it?"""
        return False

    # ── linear algebra ──
    def linear_form(self, counts: NDArray[np.int64], n: int, scale: Scale) -> tuple[Floats, Floats] | None:
        """(w by rank 1…n, v by grade) with score = Σ w(r)·v(g_r) for a pool with `counts` documents per grade.

        None for measures that are not linear even when the pool is known. Grades run from `scale.low` to `scale.top`.
        """
        return None

    # ── names ──
    def parameters(self) -> Values:
        """The parameters a name shows: those that differ from their defaults, in order, without the cut-off."""
        out: Values = {}
        for f in fields(self):
            value = getattr(self, f.name)
            default = f.default if f.default is not MISSING else None
            if f.name != "cutoff" and (value != default or f.name in self.always_written):
                out[f.name] = value
        return out

    def _repr_html_(self) -> str:
        facts = [("formula", self.formula), ("the user", self.user), ("reference", self.reference), ("", self.shape)]
        return summary_html(str(self), [(name, text) for name, text in facts if text])

    def __str__(self) -> str:
        return self.written()

    def written(self, **further: object) -> str:
        """The name, with further parameters that the measure itself does not have."""
        shown = {k: v for k, v in self.parameters().items() if k != self.written_after} | further
        inner = ", ".join(f"{k}={_written(k, v)}" for k, v in shown.items())
        after = getattr(self, self.written_after)
        number = np.format_float_positional(after, trim="-") if isinstance(after, float) else after
        return self.name + (f"({inner})" if inner else "") + ("" if after is None else f"@{number}")

    def with_gains(self, gains: Mapping[Any, float] | str) -> Self:
        """The same measure with other gains per grade, for example user-disagreement weights, or their file."""
        if "gains" not in {f.name for f in fields(self)}:
            raise MeasureError(f"{self} has no gains; DCG, nDCG, CG, NCG, RBP and GAP do.")
        return replace(self, gains=gains)  # type: ignore[call-arg]


@dataclass(frozen=True)
class Binary(Measure):
    """A measure for which a document is relevant or not: it is if its grade is at least `rel`."""

    rel: int = relevance()


@dataclass(frozen=True)
class Ratio(Measure):
    """Linear once the pool is known: Σ_r w(r)·v(g_r) / denominator(pool).

    `denominator` is vectorised: counts of documents per grade on the last axis, lengths of rankings beside them.
    """

    needs_relevant = True
    shape: ClassVar[Shape] = "ratio"

    def weights(self, n: int) -> Floats:
        """Weight of ranks 1…n of a ranking of n documents."""
        raise NotImplementedError(f"{type(self).__name__} must define weights()")

    def values(self, scale: Scale) -> Floats:
        """Value of each grade of the scale, lowest first; documents without a grade are worth 0."""
        return (scale.grades >= self.relevant_from(scale)).astype(np.float64)

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        """What the sum is divided by, for `counts[..., grade]` documents in the pool and rankings of n documents."""
        raise NotImplementedError(f"{type(self).__name__} must define denominator()")

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return expected_ratio(self, joined, groups)

    def linear_form(self, counts: NDArray[np.int64], n: int, scale: Scale) -> tuple[Floats, Floats]:
        base = float(self.denominator(np.asarray(counts), np.array(n), scale))
        return cut(self.weights(n), self.cutoff) / (base if base else np.nan), self.values(scale)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        weights, values = self.linear_form(count_grades(pool, scale), len(grades), scale)
        if not len(grades):  # nothing retrieved: 0, unless the measure itself is undefined
            base = self.denominator(count_grades(pool, scale), np.array(0), scale)
            return 0.0 if base else float("nan")
        return float(weights @ value_of(grades, values, scale))

    def scores(self, joined: Joined) -> Floats:
        weight, offset = weight_table(self, joined.length)
        sums = weighted_sums(joined, weight, offset, self.values(joined.scale), self.cutoff)
        return np.divide(by_system(sums, joined), self.denominators(joined))

    def denominators(self, joined: Joined) -> Floats:
        """The denominators of all rankings, broadcastable to (assessor, system, topic); NaN where they are 0."""
        counts = joined.pool_counts.transpose(1, 0, 2)[:, None]
        base = np.asarray(self.denominator(counts, lengths(joined)[None], joined.scale), float)
        return np.where(base == 0, np.nan, base)


@dataclass(frozen=True)
class Linear(Ratio):
    """Σ_r w(r)·v(g_r): a weight per rank and a value per grade, whatever the pool."""

    needs_relevant = False
    shape = "linear"

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        return np.ones(counts.shape[:-1])

    def denominators(self, joined: Joined) -> Floats:
        if type(self).denominator is not Linear.denominator:
            return super().denominators(joined)
        return np.ones((1, 1, 1))  # whatever the pool: no need to count it

    def bounds(self, joined: Joined) -> dict[str, Floats]:
        return linear_bounds(self, joined)


# ── shared pieces ────────────────────────────────────────────────────────────────────────────────────────────────────
def cut(weights: Floats, cutoff: int | None) -> Floats:
    """Weights with zero beyond the cut-off."""
    if cutoff is not None and len(weights) > cutoff:
        weights = weights.copy()
        weights[cutoff:] = 0.0
    return weights


def value_of(grades: Grades, values: Floats, scale: Scale) -> Floats:
    """Value of each document: `values` by grade, 0 without a grade."""
    out = np.zeros(len(grades))
    judged = is_judged(grades)
    out[judged] = values[grades[judged].astype(np.int64) - scale.low]
    return out


def count_grades(pool: Grades, scale: Scale) -> NDArray[np.int64]:
    """Documents per grade of the scale; those without a grade are not counted."""
    judged = pool[is_judged(pool)].astype(np.int64) - scale.low
    return np.bincount(judged, minlength=len(scale)).astype(np.int64)


def relevant_count(counts: NDArray[np.int64], rel: int, scale: Scale) -> NDArray[np.int64]:
    """R: documents of grade `rel` or above, from counts per grade on the last axis."""
    total: NDArray[np.int64] = counts[..., max(rel - scale.low, 0) :].sum(axis=-1)
    return total


def topic_measures(measure: Measure, topics: Sequence[str]) -> tuple[tuple[Measure, ...], NDArray[np.int64]]:
    """(the different measures that topics are scored by, which of them each topic has); topics may come several times.

    >>> from dissensus.measures.catalog import measure
    >>> measures, which = topic_measures(measure("P@5"), ["301", "302", "301"])
    >>> [str(m) for m in measures], which.tolist()
    (['P@5'], [0, 0, 0])
    """
    names = list(dict.fromkeys(topics))
    own = measure.for_topics(names)
    if all(m is measure for m in own):
        return (measure,), np.zeros(len(topics), np.int64)
    place = {m: i for i, m in enumerate(dict.fromkeys(own))}
    which = {name: place[m] for name, m in zip(names, own, strict=True)}
    return tuple(place), np.array([which[t] for t in topics], np.int64)


def _written(key: str, value: Any) -> str:
    if key == "gains" and not isinstance(value, str):
        return "{" + ", ".join(f"{g!r}: {v:g}" if float(f"{v:g}") == v else f"{g!r}: {v!r}" for g, v in value) + "}"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
