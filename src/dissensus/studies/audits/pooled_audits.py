"""One audit's naive, rectified and pooled scores against the truth: what both halves of the study `pooled` count."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.inference.correction.estimate import Estimate
from dissensus.stats.intervals import quantiles

ROUNDING = 1e-12  # with every document audited, error and half width are 0 but for the last digits
METHODS = ("naive", "rectified", "pooled")
NAMES = ("square", "tau", "apart", "wrong", "covered", "scores", "first", "half", "refused")
Counts = dict[str, float]  # of one audit and method


def judged(
    method: str,
    theta: Floats,
    estimate: Estimate | None,
    truth: Floats,
    level: float = 0.95,
    first: tuple[int, ...] = (0,),
) -> Counts:
    """How one method's scores did: squared error of differences, order, claims, coverage.

    `first` are the systems whose differences are counted once more by themselves, those that the judge favours.
    Naive scores have no interval: without an audit a difference is taken as it is, and all of them are claimed.
    """
    a, b = np.triu_indices(len(truth), 1)
    gap, found = truth[a] - truth[b], theta[a] - theta[b]
    error = found - gap
    differ = gap != 0
    out = {
        "square": float((error**2).mean()),
        "tau": float((np.sign(found) * np.sign(gap))[differ].mean()) if differ.any() else math.nan,
    }
    if estimate is None:
        return out
    half = estimate.half_between(a, b, level)
    known = estimate.effective_labels_between(a, b) >= 3
    claimed = known & (np.abs(found) > half + ROUNDING)
    low = quantile_half(estimate, level)
    held = np.abs(error) <= half + ROUNDING
    theirs = np.isin(a, first) | np.isin(b, first)
    scored = ~estimate.too_few
    return out | {
        "apart": float(claimed.mean()),
        "wrong": float((claimed & (found * gap < 0)).mean()),
        "covered": float(held[known].mean()) if known.any() else math.nan,
        "scores": float((np.abs(theta - truth) <= low + ROUNDING)[scored].mean()) if scored.any() else math.nan,
        "first": float(held[theirs].mean()),
        "half": float(np.median(half)),
        "refused": float(1 - known.mean()),
    }


def quantile_half(estimate: Estimate, level: float) -> Floats:
    """Half widths of the intervals of scores."""
    return np.asarray(quantiles(level, estimate.df_of()) * estimate.se, np.float64)


def refused_audit() -> Counts:
    """An audit after which nothing was reported."""
    return dict.fromkeys(NAMES, math.nan) | {"refused": 1.0}


def row(rows: Iterable[Counts]) -> dict[str, Any]:
    """Means over audits that were not refused; `rmse` the root of the mean square, `refused` the share of refused
    pairs over all audits. `mc_error` is the standard error of the coverage over audits, `rmse_se`, `tau_se`,
    `apart_se` and `scores_se` those of the others (of a root by the delta method)."""
    listed = list(rows)
    names = [name for name in listed[0] if name != "square"]
    mean = {name: _mean([r.get(name, math.nan) for r in listed]) for name in names}
    out: dict[str, Any] = {"rmse": math.sqrt(_mean([r["square"] for r in listed]))} | mean
    out["rmse_se"] = _error(listed, "square") / (2 * out["rmse"]) if out["rmse"] > 0 else 0.0
    out["tau_se"] = _error(listed, "tau")
    if "covered" in mean:
        out["apart_se"], out["mc_error"] = _error(listed, "apart"), _error(listed, "covered")
        out["scores_se"] = _error(listed, "scores")
    return out | {"audits": len(listed)}


def _error(listed: list[Counts], name: str) -> float:
    """The standard error of a mean over audits."""
    values = np.array([r[name] for r in listed])
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return math.nan
    return float(values.std(ddof=1) / math.sqrt(len(values))) if np.ptp(values) > 0 else 0.0


def _mean(values: list[float]) -> float:
    known = [v for v in values if not math.isnan(v)]
    return sum(known) / len(known) if known else math.nan


def table(found: dict[tuple[Any, ...], list[Counts]], names: tuple[str, ...]) -> pl.DataFrame:
    """One row per key, whose last part is the method; `names` are those of the parts before it."""
    rows = []
    for key, counts in found.items():
        if not counts:
            continue
        rows.append({**dict(zip((*names, "method"), key, strict=True)), **row(counts)})
    return pl.DataFrame(rows, infer_schema_length=None)
