"""Normalised Markov cumulated gain: nDCG whose discount is how users really look at ranks.

    nMCG@k = Σ_{i≤k} (2^g_i − 1)·δ_c(i) / ideal,    δ_c(i) = α/i + βi + γ

with one curve δ_c per query class c, fitted to click logs (Ferro, Lucchese, Maistro & Perego, CLEF 2017). δ may rise
with the rank, so the ideal is the best ordering *under δ*: the largest gains on the ranks seen most. Sorting by grade
alone would let nMCG exceed 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import Fix, MeasureError, Option, Text
from dissensus.measures import parameters
from dissensus.measures.linear import by_system, weighted_sums
from dissensus.measures.measure import Grades, Measure, count_grades, value_of
from dissensus.measures.user_models import Dynamic, UserModel, read_user_model
from dissensus.tables.scale import Scale
from dissensus.tables.topic_groups import read_groups

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined

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


def given_classes(
    topics: Sequence[str], table: Mapping[str, str], curves: Collection[str], who: str, classes: str, dynamic: str
) -> list[str]:
    """The class that a table gives each topic; every topic has one, and every class is one of `curves`.

    `who` asks, `classes` and `dynamic` are where table and curves come from: all for the error.
    """
    missing = [t for t in topics if t not in table]
    if missing:
        some = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        raise MeasureError(
            f"{who}: {classes} gives no class to {len(missing):,} of {len(topics):,} topics: {some}.",
            f"Give them one ({classes} has the topics {', '.join(list(table)[:3])} …), or leave them out.",
        )
    for topic in topics:
        if table[topic] not in curves:
            raise MeasureError(
                f"{who}: {classes} gives topic {topic} the class {table[topic]}, and {dynamic} has no dynamic "
                f"for {table[topic]} queries, only for {', '.join(curves)}.",
                "Fit the dynamic with the same classes: dissensus clicks LOG --class-file FILE -o user.json.",
            )
    return [table[t] for t in topics]


@dataclass(frozen=True)
class nMCG(Measure):
    """Normalised Markov cumulated gain with the user dynamic of a file (`dissensus clicks LOG -o user.json`).

    Whose curve a topic gets: its class is read off its pool (`query_class`; a file with one curve for "all" queries
    serves all), or given, by `classes='classes.csv'` for each topic (columns topic and class, or JSON; see
    `tables.topic_groups`) or by `kind=` for all topics. With `classes=` every topic must have a class and
    every class a curve; what knows no topic (a list of grades, axioms) is refused and never falls back to the pool:
    `for_topic("301")` is the measure of one topic.

    Not for ranks deeper than the log showed: the curve is then a guess, and where it falls below zero the measure is
    refused.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> user, classes = str(folder / "user.json"), str(folder / "classes.csv")
    >>> curves = {"quick": Dynamic(alpha=1, beta=0, gamma=0), "patient": Dynamic(alpha=0, beta=0, gamma=1)}
    >>> _ = pathlib.Path(user).write_text(UserModel(dynamics=curves).to_json())
    >>> nMCG(dynamic=user, kind="quick", cutoff=3).score([0, 1, 0])
    0.5
    >>> _ = pathlib.Path(classes).write_text("topic,class\\n301,quick\\n302,patient\\n")
    >>> given = nMCG(dynamic=user, classes=classes, cutoff=3)
    >>> [given.for_topic(t).score([0, 1, 0]) for t in ("301", "302")]
    [0.5, 1.0]
    """

    formula = "Σ_{r≤k} (2^g − 1)·δ(r) / ideal under δ"
    user = "loses interest as users of the fitted click model do"
    reference = "Ferro, Lucchese, Maistro & Perego 2017"

    dynamic: str | None = parameters.file("a user-model file with the user dynamic", required=True)
    kind: str | None = parameters.name("the query class of all topics")
    classes: str | None = parameters.file("a file with the columns topic and class")

    needs_cutoff = True
    needs_relevant = True

    def __post_init__(self) -> None:
        if self.dynamic is None and self.cutoff is not None:
            raise MeasureError(
                "nMCG needs the user dynamic it discounts by.",
                f"Write nMCG(dynamic='user.json')@{self.cutoff}; `dissensus clicks LOG -o user.json` makes the file.",
            )
        super().__post_init__()
        if self.kind is not None and self.classes is not None:
            raise MeasureError(
                Text(
                    f"{self}: ",
                    Option("kind", None),
                    " gives all topics one class, ",
                    Option("classes", None),
                    " gives each topic its own.",
                ),
                "Write one of them.",
            )

    # ── whose curve ──
    def for_topic(self, topic: str) -> Measure:
        """The measure of one topic: with `kind=` its given class; itself where classes are read off pools."""
        return self.for_topics([topic])[0]

    def for_topics(self, topics: Sequence[str]) -> list[Measure]:
        """`for_topic` of each; topics without a class are named together."""
        if self.classes is None:
            return [self] * len(topics)
        kinds = self.given(topics)
        own = {kind: replace(self, classes=None, kind=kind) for kind in kinds}
        return [own[kind] for kind in kinds]

    def given(self, topics: Sequence[str]) -> list[str]:
        """The class that `classes=` gives each topic; every topic has one, and every class a curve."""
        files = str(self.classes), str(self.dynamic)
        return given_classes(topics, read_groups(files[0]), self.dynamics(), str(self), *files)

    def class_of(self, counts: NDArray[np.int64], scale: Scale) -> str:
        """The class of a query of which only the pool is known; refused where classes are given by topic."""
        if self.classes is not None:
            written = f"nMCG(dynamic={self.dynamic!r}, kind={next(iter(self.dynamics()))!r})@{self.cutoff}"
            raise MeasureError(
                f"{self}: {self.classes} gives classes to topics, and here grades are scored without their topic.",
                f"Name the class of all: {written}.",
                Fix(
                    "Take the measure of one topic with for_topic('301'); evaluate(), and ceiling() of "
                    "judgments or of {topic: grades}, find every topic's class themselves.",
                    reader="python",
                ),
            )
        return self.kind or query_class(counts, scale)

    def dynamics(self) -> Mapping[str, Dynamic]:
        """The curves of the file, by query class."""
        model: UserModel = read_user_model(str(self.dynamic))
        if not model.dynamics:
            raise MeasureError(
                f"{self}: {self.dynamic} has a walk but no dynamic.",
                Fix("Fit one with UserDynamic.fit().", reader="python"),
                Fix("Fit both on more clicks: dissensus clicks LOG -o user.json", reader="command"),
            )
        return model.dynamics

    def curve(self, kind: str) -> Dynamic:
        """The dynamic of a class; a class that was read off pools may be served by the curve for "all"."""
        dynamics = self.dynamics()
        by_rule = self.kind is None and self.classes is None
        for name in (kind, ANY) if by_rule else (kind,):
            if name in dynamics:
                return dynamics[name]
        raise MeasureError(
            f"{self}: {self.dynamic} has no dynamic for {kind} queries, only for {', '.join(dynamics)}.",
            f"Choose one for all topics: nMCG(dynamic={self.dynamic!r}, kind={next(iter(dynamics))!r})@{self.cutoff}.",
        )

    def discount(self, kind: str) -> Floats:
        """δ(1)…δ(k) of a class."""
        delta = self.curve(kind).delta(int(self.cutoff or 0))
        below = np.flatnonzero(delta < 0)
        if len(below):
            raise MeasureError(
                f"{self}: the user dynamic falls below zero at rank {below[0] + 1} ({delta[below[0]]:.4g}).",
                f"Cut there (@{below[0]}), or fit the dynamic on deeper result pages."
                if below[0]
                else "Fit the dynamic on more clicks.",
            )
        return delta

    # ── scores ──
    def linear_form(self, counts: NDArray[np.int64], n: int, scale: Scale) -> tuple[Floats, Floats]:
        delta = self.discount(self.class_of(counts, scale))
        weights = np.zeros(n)
        weights[: len(delta)] = delta[:n]
        return weights / (float(best_sum(counts, delta, scale)) or np.nan), exponential(scale)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        counts = count_grades(pool, scale)
        if not best_sum(counts, self.discount(self.class_of(counts, scale)), scale):
            return float("nan")
        weights, values = self.linear_form(counts, len(grades), scale)
        return float(weights @ value_of(grades, values, scale))

    def scores(self, joined: Joined) -> Floats:
        out = np.full(joined.shape, np.nan)
        counts = joined.pool_counts  # (topic, assessor, grade)
        start = np.zeros(len(joined.length), np.int64)
        for kind, here in self._classes(joined):  # one walk over the rankings per query class
            delta = self.discount(kind)
            sums = weighted_sums(joined, delta, start, exponential(joined.scale), self.cutoff)
            ideal = best_sum(counts, delta, joined.scale)
            chosen = np.where(here & (ideal > 0), ideal, np.nan).T[:, None, :]
            out = np.where(np.isnan(chosen), out, by_system(sums, joined) / chosen)
        return out

    def _classes(self, joined: Joined) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """The classes that occur among judged topics, each with where it does: (topic, assessor)."""
        judged = joined.pool_counts.sum(axis=2) > 0
        if self.classes is not None:
            given = np.array(self.given(joined.topics), dtype=object)
            where = {str(name): judged & (given == name)[:, None] for name in dict.fromkeys(given)}
        elif self.kind is not None:
            where = {self.kind: judged}
        else:
            one = navigational(joined.pool_counts, joined.scale)
            where = {INFORMATIONAL: judged & ~one, NAVIGATIONAL: judged & one}
        return ((kind, here) for kind, here in where.items() if here.any())


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
