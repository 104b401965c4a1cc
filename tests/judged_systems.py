"""Generated systems, human assessors and judges with a known fault, for tests of what judges do to leaderboards."""

from __future__ import annotations

import numpy as np

import dissensus as ds

DOCS = 40
Grid = np.ndarray  # topics × documents


def systems(truth: Grid, rng: np.random.Generator, noise: tuple[float, ...]) -> tuple[ds.Runs, dict[str, Grid]]:
    """A system per noise level: documents scored by their true grade plus noise; also each system's scores."""
    scores = {f"s{k}": truth + rng.normal(0, sd, truth.shape) for k, sd in enumerate(noise)}
    content = {
        name: {f"t{t:02}": {f"d{d:02}": float(s[t, d]) for d in range(truth.shape[1])} for t in range(len(truth))}
        for name, s in scores.items()
    }
    return ds.Runs.from_dict(content), scores


def labels(said: dict[str, Grid], scale: str = "0..1") -> ds.Judgments:
    """Judgments from grids of grades by assessor; a grade of −1 is no label."""
    return ds.Judgments.from_dict(
        {
            who: {f"t{t:02}": {f"d{d:02}": int(g) for d, g in enumerate(row) if g >= 0} for t, row in enumerate(grades)}
            for who, grades in said.items()
        },
        scale=scale,
    )


def with_errors(truth: Grid, rng: np.random.Generator, accuracy: float) -> Grid:
    """Binary labels that are right with this probability."""
    return np.where(rng.random(truth.shape) < accuracy, truth, 1 - truth)


def favouring(truth: Grid, rng: np.random.Generator, accuracy: float, scores: Grid, depth: int = 10) -> Grid:
    """Labels as above, but everything that one system puts into its top ranks is called relevant."""
    said = with_errors(truth, rng, accuracy)
    top = np.argsort(-scores, axis=1)[:, :depth]
    np.put_along_axis(said, top, 1, axis=1)
    return said
