"""The user dynamic: a smooth curve through the stationary distribution of a walk.

    δ(i) = α/i + βi + γ

The first term is the navigational user, who looks at the top; the second the informational one, who goes on reading.
nMCG discounts by it (Ferro, Lucchese, Maistro & Perego 2017), one curve per query class; `query_classes` tells from
judgments whether a query looks for one page, or for whatever is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.measures.families.mcg import ANY, query_class
from dissensus.measures.user_models import Dynamic, UserModel
from dissensus.results import Result, Table
from dissensus.tables.judgments import Judgments
from dissensus.users.chain import MarkovUser
from dissensus.wording import counted

Rule = Literal["grade", "count"]
EXACT = 1e-14  # a distance from a probability that only rounding brings


@dataclass(frozen=True)
class UserDynamic(Result):
    """δ(i) = α/i + βi + γ, fitted by least squares or given.

    Not for ranks beyond those it was fitted on (`ranks`): with β ≠ 0 the curve runs off to ±∞.

    >>> UserDynamic.fit([0.55, 0.3, 0.22, 0.18])
    UserDynamic(alpha=0.5051, beta=0.0031, gamma=0.0418)
    """

    alpha: float
    beta: float
    gamma: float
    ranks: int | None = None  # how many ranks it was fitted on
    rmse: float | None = None  # root mean squared distance from the distribution it was fitted to

    def __post_init__(self) -> None:
        Dynamic(self.alpha, self.beta, self.gamma)  # checks that they are numbers

    @classmethod
    def fit(cls, stationary: Sequence[float] | Floats | MarkovUser) -> UserDynamic:
        """Least squares through π by rank; of a MarkovUser, through its visited ranks only."""
        if isinstance(stationary, MarkovUser):
            pi = stationary.stationary
            rank = np.flatnonzero(stationary.visited) + 1
        else:
            try:
                pi = np.atleast_1d(np.asarray(stationary, np.float64))
            except (TypeError, ValueError) as error:
                raise InputError(f"a stationary distribution is a list of probabilities by rank ({error}).") from error
            rank = np.arange(1, len(pi) + 1)
        if pi.ndim != 1 or not np.isfinite(pi).all() or (pi < 0).any():
            raise InputError("a stationary distribution is a list of probabilities by rank, none missing or negative.")
        if len(rank) < 3:
            raise InputError(
                f"{counted(len(rank), 'visited rank')} cannot settle the three parameters α, β, γ.",
                "Fit on deeper result pages.",
            )
        alpha, beta, gamma = least_squares(rank, pi[rank - 1]).tolist()
        fitted = cls(alpha, beta, gamma)
        rest = pi[rank - 1] - fitted(rank)
        rest[np.abs(rest) < EXACT] = 0.0  # rounding of the last bits is not an error, and differs between machines
        return cls(alpha, beta, gamma, int(rank[-1]), float(np.sqrt(np.mean(rest**2))))

    def __call__(self, rank: int | Sequence[int] | NDArray[np.integer]) -> Floats:
        """δ at the given ranks."""
        i = np.asarray(rank, np.float64)
        return np.asarray(self.alpha / i + self.beta * i + self.gamma)

    def delta(self, k: int) -> Floats:
        """δ(1)…δ(k)."""
        return self(np.arange(1, k + 1))

    def to_json(self, name: str = ANY) -> str:
        """The text of the file that `nMCG(dynamic=…)` reads; `name` is the query class the curve holds for."""
        return dynamics_json({name: self})

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"curve": Table.of(self._rows(), {"alpha": "parameter of the curve"})}

    def _rows(self) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "alpha": [self.alpha],
                "beta": [self.beta],
                "gamma": [self.gamma],
                "ranks": [self.ranks],
                "rmse": [self.rmse],
            }
        )

    def __repr__(self) -> str:
        return f"UserDynamic(alpha={self.alpha:.4f}, beta={self.beta:.4f}, gamma={self.gamma:.4f})"


def least_squares(rank: NDArray[np.integer], values: Floats) -> Floats:
    """(α, β, γ) of the curve through values at ranks with the smallest squared error."""
    design = np.column_stack([1 / rank, rank, np.ones(len(rank))])
    return np.asarray(np.linalg.lstsq(design, values, rcond=None)[0], np.float64)


def fit_dynamics(user: MarkovUser) -> tuple[dict[str, UserDynamic], tuple[str, ...]]:
    """A dynamic for every query class (for "all" queries without classes); and why any is missing or unfit for use."""
    fitted: dict[str, UserDynamic] = {}
    remarks = []
    for name, part in (user.classes or {ANY: user}).items():
        try:
            fitted[name] = UserDynamic.fit(part)
        except InputError as error:
            remarks.append(f"no dynamic for {name} queries: {error.what}")
            continue
        if part.visited.sum() == 3:
            remarks.append(f"the dynamic for {name} queries has three parameters for three ranks: it fits by necessity")
        below = np.flatnonzero(fitted[name].delta(len(part.visits)) < 0) + 1
        if len(below):
            remarks.append(
                f"the dynamic for {name} queries falls below zero at rank {below[0]}: nMCG can use it above that only"
            )
    return fitted, tuple(remarks)


def dynamics_json(dynamics: dict[str, UserDynamic]) -> str:
    """Dynamics by query class as the text of a user-model file."""
    return UserModel(dynamics={n: Dynamic(d.alpha, d.beta, d.gamma) for n, d in dynamics.items()}).to_json()


def user_model(user: MarkovUser) -> UserModel:
    """Walk, holding rates and dynamics in one: what `dissensus clicks LOG -o user.json` writes."""
    walk = user.to_model()
    dynamics, missing = fit_dynamics(user)
    return UserModel(
        walk=walk.walk,
        dynamics={n: Dynamic(d.alpha, d.beta, d.gamma) for n, d in dynamics.items()},
        notes=(*walk.notes, *missing),
    )


def dynamic_frame(user: MarkovUser, dynamics: dict[str, UserDynamic]) -> pl.DataFrame:
    """Stationary distribution, fitted curve and DCG's discount by class and rank: class, curve, rank, value.

    DCG's 1/log₂(i+1) is scaled to sum to 1, so that all three are distributions of attention over the page.
    """
    rows = []
    for name, dynamic in dynamics.items():
        part = user.classes[name] if user.classes else user
        rank = np.flatnonzero(part.visited) + 1
        discount = 1 / np.log2(rank + 1)
        for curve, values in (
            ("stationary", part.stationary[rank - 1]),
            ("fitted", dynamic(rank)),
            ("DCG discount", discount / discount.sum()),
        ):
            rows.append(
                pl.DataFrame({"class": [name] * len(rank), "curve": [curve] * len(rank), "rank": rank, "value": values})
            )
    return pl.concat(rows)


def query_classes(judgments: Judgments, assessor: str | None = None, rule: Rule = "grade") -> dict[str, str]:
    """Class of every judged topic.

    `rule="grade"`: *navigational* with exactly one document of grade ≥ 3 (exactly one of the top grade where the scale
    ends below 3, so exactly one relevant in binary data), *informational* otherwise. `rule="count"`: the number of
    relevant documents, "0", "1", … "9", "10+", as in the thesis's Fig. 5.7.

    >>> query_classes(Judgments.from_dict({"a": {"q1": {"x": 1, "y": 0}, "q2": {"x": 1, "y": 1}}}))
    {'q1': 'navigational', 'q2': 'informational'}
    """
    if rule not in ("grade", "count"):
        raise InputError(Text(Option("rule", rule), ' is neither "grade" nor "count".'))
    if assessor is None and len(judgments.assessors) > 1:
        raise InputError(
            f"there are {len(judgments.assessors)} assessors, and query classes need one: "
            f"{', '.join(judgments.assessors[:5])}.",
            Fix("Name one with ", Option("assessor"), ", or merge them first."),
        )
    if assessor is not None:
        judgments = judgments.select(assessors=[assessor])
    rows = judgments.first().judged()
    low, width = rows.scale.low, len(rows.scale)
    topic = rows.item_topic[rows.item].astype(np.int64)
    counts = np.bincount(topic * width + (rows.grade.astype(np.int64) - low), minlength=len(rows.topics) * width)
    table = counts.reshape(len(rows.topics), width)
    out = {}
    for name, by_grade in zip(rows.topics, table, strict=True):
        if not by_grade.sum():
            continue  # not judged by this assessor
        relevant = int(by_grade[rows.scale.grades >= 1].sum())
        count = str(relevant) if relevant < 10 else "10+"
        out[name] = query_class(by_grade, rows.scale) if rule == "grade" else count
    return out
