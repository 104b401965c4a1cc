"""The file form of a user model: how somebody walks on ranks, and how much each rank is seen.

One JSON file may hold both halves, and each measure takes the half it needs: `MP(walk='user.json')` the transition
matrix, `MP(holding='user.json')` the holding rates, `nMCG(dynamic='user.json')@10` the curve per query class.

    {"dissensus": "user-model", "version": 1,
     "walk": {"transition": [[0.2, 0.8], [0.5, 0.5]], "holding": null},
     "dynamic": {"navigational": {"alpha": 0.6, "beta": 0.0, "gamma": 0.02}}}

Row i of the transition matrix is rank i. A row and column of zeros is a rank that was never visited: it stays out of
the stationary distribution, which must be unique, so a reducible matrix is refused with the ranks that make it so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import FileError, Fix, MeasureError


# ── walks ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def dead_ends(transition: Floats) -> str | None:
    """Why a walk has no single stationary distribution, in words; None for an irreducible walk.

    Unvisited ranks (zero row, zero column) are left out. Ranks are counted from 1.

    >>> dead_ends(np.array([[0.5, 0.5], [0.0, 1.0]]))
    'from rank 2 the walk never comes back to rank 1'
    """
    seen = np.flatnonzero((transition.sum(0) > 0) | (transition.sum(1) > 0))
    if not len(seen):
        return "no rank was visited"
    connected = transition[np.ix_(seen, seen)] > 0
    np.fill_diagonal(connected, True)
    for _ in range(int(np.ceil(np.log2(max(len(seen), 2))))):  # paths twice as long each time
        connected = (connected.astype(np.float64) @ connected.astype(np.float64)) > 0
    if connected.all():
        return None
    stuck = seen[np.flatnonzero(~connected.all(axis=1))]
    # the smallest set that is never left explains best
    start = min(stuck, key=lambda rank: int(connected[np.searchsorted(seen, rank)].sum()))
    inside = connected[np.searchsorted(seen, start)]
    return f"from {_ranks(seen[inside])} the walk never comes back to {_ranks(seen[~inside])}"


def _ranks(ranks: NDArray[np.integer]) -> str:
    numbers = [int(r) + 1 for r in ranks]
    shown = ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")
    return f"rank{'s' if len(numbers) > 1 else ''} {shown}"


def stationary_distribution(transition: Floats) -> Floats:
    """π with π = πP, zero on unvisited ranks; the walk must be irreducible on the others.

    One balance equation is redundant and gives way to Σπ = 1.

    >>> stationary_distribution(np.array([[0.2, 0.8], [0.4, 0.6]])).round(4).tolist()
    [0.3333, 0.6667]
    """
    seen = np.flatnonzero((transition.sum(0) > 0) | (transition.sum(1) > 0))
    inner = transition[np.ix_(seen, seen)]
    equations = inner.T - np.eye(len(seen))
    equations[-1] = 1.0
    right = np.zeros(len(seen))
    right[-1] = 1.0
    pi = np.zeros(len(transition))
    pi[seen] = np.linalg.solve(equations, right)
    return pi


@dataclass(frozen=True, eq=False)
class Walk:
    """A user's walk on ranks 1…n: transition matrix and, where known, holding rates (NaN where unknown)."""

    transition: Floats
    holding: Floats | None = None

    def __post_init__(self) -> None:
        matrix = np.asarray(self.transition, np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
            raise MeasureError(f"a walk is a square matrix of ranks × ranks, not of shape {matrix.shape}.")
        if not np.isfinite(matrix).all() or (matrix < 0).any():
            raise MeasureError("a walk holds probabilities: no entry below 0, none missing.")
        sums = matrix.sum(axis=1)
        arrivals = matrix.sum(axis=0) > 0
        bad = np.flatnonzero((np.abs(sums - 1) > 1e-6) & ~((sums == 0) & ~arrivals))
        if len(bad):
            rank = int(bad[0])
            raise MeasureError(
                f"row {rank + 1} of the walk sums to {sums[rank]:.6g}, not to 1.",
                "Divide each row by its sum; a rank that was never visited has a row and a column of zeros.",
            )
        object.__setattr__(self, "transition", matrix)
        if self.holding is not None:
            object.__setattr__(self, "holding", checked_rates(self.holding, "the walk's holding rates", gaps=True))

    @cached_property
    def stationary(self) -> Floats:
        """The stationary distribution; a reducible walk is refused with the reason."""
        reason = dead_ends(self.transition)
        if reason is not None:
            raise MeasureError(
                f"the walk is reducible: {reason}, so it has no single stationary distribution.",
                "Fit it on more clicks, leave those ranks out, or add pseudo-counts.",
                Fix("Add them with MarkovUser.fit(…, smoothing=0.5).", reader="python"),
                Fix("Add them with dissensus clicks LOG --smoothing 0.5 -o user.json", reader="command"),
                "In a matrix of your own, give every rank a way to every other.",
            )
        return stationary_distribution(self.transition)


def checked_rates(rates: Any, what: str, *, gaps: bool = False) -> Floats:
    """Holding rates by rank as an array: finite and above zero (`gaps`: NaN for ranks without dwell times)."""
    values = np.array([np.nan if r is None else r for r in rates], np.float64)
    wrong = np.flatnonzero(~((np.isfinite(values) & (values > 0)) | (np.isnan(values) if gaps else False)))
    if not len(values) or len(wrong):
        where = f"rank {int(wrong[0]) + 1} has {values[wrong[0]]:g}" if len(wrong) else "there are none"
        raise MeasureError(f"{what}: rates are finite numbers above 0, one per rank; {where}.")
    return values


# ── dynamics ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Dynamic:
    """δ(i) = α/i + βi + γ, how much rank i is seen."""

    alpha: float
    beta: float
    gamma: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
                raise MeasureError(f"the user dynamic's {name} is {value!r}; it must be a finite number.")
            object.__setattr__(self, name, float(value))

    def delta(self, k: int) -> Floats:
        """δ(1)…δ(k)."""
        rank = np.arange(1, k + 1)
        return self.alpha / rank + self.beta * rank + self.gamma


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class UserModel:
    """What one file says about the user: a walk, dynamics by query class, or both."""

    walk: Walk | None = None
    dynamics: Mapping[str, Dynamic] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def to_json(self) -> str:
        """The text of the file that `MP(walk=…)` and `nMCG(dynamic=…)` read."""
        out: dict[str, object] = {"dissensus": "user-model", "version": 1}
        if self.walk is not None:
            rates = self.walk.holding
            out["walk"] = {
                "transition": self.walk.transition.tolist(),
                "holding": None if rates is None else [None if np.isnan(r) else float(r) for r in rates],
            }
        if self.dynamics:
            out["dynamic"] = {
                name: {"alpha": d.alpha, "beta": d.beta, "gamma": d.gamma} for name, d in self.dynamics.items()
            }
        if self.notes:
            out["notes"] = list(self.notes)
        return json.dumps(out, indent=1, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str, source: str = "the text") -> UserModel:
        """Read what `to_json` wrote; a bare transition matrix (list of rows), alone or as "walk", is a walk, too."""
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise FileError(f"{source}:{error.lineno}: not JSON ({error.msg}).", *_HOW) from None
        except (ValueError, RecursionError) as error:  # numbers of thousands of digits, or nested too deeply
            raise FileError(f"{source}: not JSON that can be read ({error}).", *_HOW) from None
        if isinstance(data, list):
            data = {"walk": {"transition": data}}
        if not isinstance(data, dict) or not ({"walk", "dynamic"} & set(data)):
            raise FileError(f"{source} holds neither a 'walk' nor a 'dynamic'.", *_HOW)
        try:
            walk = data.get("walk")
            if isinstance(walk, list):
                walk = {"transition": walk}
            dynamics = {str(name): Dynamic(**curve) for name, curve in (data.get("dynamic") or {}).items()}
            return cls(
                walk=None if walk is None else Walk(np.array(walk["transition"], np.float64), walk.get("holding")),
                dynamics=dynamics,
                notes=tuple(data.get("notes", ())),
            )
        except MeasureError as error:
            raise MeasureError(f"{source}: {error.what}", *error.fixes) from None
        except KeyError as error:
            raise FileError(f"{source} is not a user model: its walk has no {error}.", *_HOW) from None
        except (TypeError, ValueError, AttributeError) as error:
            raise FileError(f"{source} is not a user model: {error}.", *_HOW) from None


_HOW = (
    Fix("User models are written by MarkovUser.to_json() and UserDynamic.to_json().", reader="python"),
    Fix("User models are written by dissensus clicks LOG -o user.json", reader="command"),
    "A transition matrix of your own is JSON, one row per rank: [[0.2, 0.8], [0.5, 0.5]].",
)


def read_user_model(path: str) -> UserModel:
    """The user model in a file; parsed again only when its bytes have changed."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read the user model {path}: {error.strerror or error}.", *_HOW) from None
    return _read(path, data)


@lru_cache(maxsize=32)
def _read(path: str, data: bytes) -> UserModel:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{path} is not UTF-8 text.", *_HOW) from None
    return UserModel.from_json(text, path)
