"""Do curves of different data sets fall together? A number for "pNoise, not dNoise, explains the damage".

Each set's points (noise, score relative to no noise) are fitted by a falling curve for the set and by one falling
curve common to all sets, both by isotonic regression. What the common curve misses beyond the own curves is the
variation *between* sets. Put on the axis of dNoise and on that of pNoise,

    share gone = 1 − between(pNoise) / between(dNoise):

1 if the sets fall on one curve against pNoise, 0 if pNoise explains no more than dNoise, negative if it does worse.

Where sets occupy different stretches of pNoise, any falling curve can join them and the number flatters the claim. So
it is also computed on the stretch that all sets share, with the number of noisy points the poorest set has there:
levels must be fine enough for the most fragile set.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats


def falling(x: Floats, y: Floats) -> Floats:
    """Fitted values of the least-squares non-increasing curve of y on x (pool adjacent violators).

    >>> falling(np.array([0.0, 1, 2, 3]), np.array([1.0, 0.6, 0.8, 0.2])).round(6).tolist()
    [1.0, 0.7, 0.7, 0.2]
    """
    from scipy.optimize import isotonic_regression

    # points with one x are one point with their mean
    _, where, weight = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(where, y) / weight
    fitted: Floats = isotonic_regression(means, weights=weight, increasing=False).x[where]
    return fitted


def between_sets(x: Floats, y: Floats, sets: NDArray[np.integer]) -> float:
    """Mean square that a common falling curve misses beyond one falling curve per set."""
    common = float(((y - falling(x, y)) ** 2).mean())
    own = np.empty_like(y)
    for s in np.unique(sets):
        here = sets == s
        own[here] = falling(x[here], y[here])
    return max(common - float(((y - own) ** 2).mean()), 0.0)


def collapse(table: pl.DataFrame, measures: tuple[str, ...]) -> pl.DataFrame:
    """Per ranker, profile and measure: variation between sets against dNoise and pNoise, and the share that is gone.

    `table` is `Robustness.table`. `se` is the jackknife's over folds. `shared_gone` is the share on the stretch of
    pNoise that all sets reach, `shared_points` how many noisy levels the poorest set has there. Null where sets do not
    differ against dNoise either, or fewer than two points are shared.
    """
    rows = []
    for (ranker, profile), part in table.group_by(["ranker", "profile"], maintain_order=True):
        for measure in measures:
            points = _points(part, measure)
            d, p = _both(points)
            folds = part["fold"].unique().to_list()
            left_out = (
                [_both(_points(part.filter(pl.col("fold") != f), measure)) for f in folds] if len(folds) > 2 else []
            )
            known = np.array([s for s in (_share(*both) for both in left_out) if s is not None])
            n = len(known)
            se = float(np.sqrt((n - 1) / n * ((known - known.mean()) ** 2).sum())) if n > 1 else None
            shared, least = _shared(points)
            gone = _share(*_both(shared)) if least >= 2 else None
            rows.append((ranker, profile, measure, np.sqrt(d), np.sqrt(p), _share(d, p), se, gone, least))
    names = ["ranker", "profile", "measure", "between_dnoise", "between_pnoise", "share_gone", "se", "shared_gone"]
    kinds = [pl.String] * 3 + [pl.Float64] * 5
    schema = {**dict(zip(names, kinds, strict=True)), "shared_points": pl.Int64}
    return pl.DataFrame(rows, orient="row", schema=schema)


def _share(d: float, p: float) -> float | None:
    return 1 - p / d if d > 1e-12 else None


def _points(part: pl.DataFrame, measure: str) -> pl.DataFrame:
    """set, level, dnoise, pnoise, relative: one point per set and level."""
    means = part.group_by(["set", "level"]).agg(pl.col("dnoise", "pnoise", measure).mean()).sort("set", "level")
    clean = means.filter(pl.col("level") == 0).select("set", pl.col(measure).alias("clean"))
    points = means.join(clean, on="set").with_columns((pl.col(measure) / pl.col("clean")).alias("relative"))
    return points.filter(pl.col("relative").is_finite() & pl.col("pnoise").is_finite())


def _both(points: pl.DataFrame) -> tuple[float, float]:
    y = points["relative"].to_numpy()
    sets = np.unique(points["set"].to_numpy(), return_inverse=True)[1]
    d, p = (between_sets(points[axis].to_numpy(), y, sets) for axis in ("dnoise", "pnoise"))
    return d, p


def _shared(points: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Points up to the largest pNoise that every set reaches, and the noisy ones of the set with fewest."""
    reach = float(points.group_by("set").agg(pl.col("pnoise").max())["pnoise"].min())  # type: ignore[arg-type]
    inside = points.filter(pl.col("pnoise") <= reach)
    noisy = inside.filter(pl.col("level") > 0).group_by("set").len()
    least = int(noisy["len"].min()) if noisy.height == points["set"].n_unique() else 0  # type: ignore[arg-type]
    return inside, least
