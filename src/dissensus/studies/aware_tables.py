"""What the AWARE experiment finds, as tables: means, analyses of variance with ω², Tukey groups, the best of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Values
from dissensus.judging.aware.estimators import ESTIMATORS, GAPS, GRANULARITIES, WEIGHTS
from dissensus.stats.analysis_of_variance import Anova, TukeyGroups, anova

BY_LABELS = ("mv", "emmv", "emneu")
APPROACHES = (*ESTIMATORS, "uni", *BY_LABELS)
PARTS = ("Granularity", "Gap", "Weight")
#: ω² of Tables 4.1 (τ_ap) and 4.2 (RMSE) as printed
PRINTED = {
    "tau_ap": {
        "Approach": 0.4880, "Measure": 0.9109, "Systems": 0.6082,
        "Approach*Measure": 0.6164, "Approach*Systems": 0.1867, "Measure*Systems": 0.8063,
    },
    "rmse": {
        "Approach": 0.6680, "Measure": 0.7800, "Systems": 0.1907,
        "Approach*Measure": 0.7391, "Approach*Systems": 0.1305, "Measure*Systems": 0.0380,
    },
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class AwareStudy:
    """`tau_ap` and `rmse` are arrays (k, approach, measure, systems), averaged over tuples."""

    tau_ap: Floats
    rmse: Floats
    sizes: tuple[int, ...]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    tuples: int
    notes: tuple[str, ...]

    def to_frame(self) -> pl.DataFrame:
        """One row per k, approach, measure and set of systems."""
        k, a, m, s = (i.ravel() for i in np.indices(self.tau_ap.shape))
        return pl.DataFrame(
            {
                "k": np.array(self.sizes)[k],
                "approach": pl.Series(APPROACHES).gather(a),
                "measure": pl.Series(self.measures).gather(m),
                "systems": pl.Series(self.systems).gather(s),
                "tau_ap": self.tau_ap.ravel(),
                "rmse": self.rmse.ravel(),
            }
        )

    def tables(self) -> dict[str, pl.DataFrame]:
        """Means by approach, ANOVA tables with ω², Tukey groups, break-down of the estimators, top groups."""
        out: dict[str, pl.DataFrame] = {"approaches": means_by_approach(self)}
        best: dict[str, dict[str, list[str]]] = {}
        for name, values, larger in (("tau_ap", self.tau_ap, True), ("rmse", scaled_rmse(self), False)):
            whole, parts = whole_model(self, values), break_down(self, values)
            printed = pl.col("source").replace_strict(PRINTED[name], default=None, return_dtype=pl.Float64)
            out[f"ANOVA {name}"] = whole.to_frame().with_columns(printed.alias("printed ω²"))
            found = whole.tukey("Approach")
            if name == "tau_ap":  # means further apart than this differ
                out["approaches"] = out["approaches"].with_columns(tukey=pl.lit(found.critical))
            out[f"Tukey {name}"] = _tukey(found, larger)
            out[f"ANOVA of the estimators' parts, {name}"] = parts.to_frame()
            best[name] = {"Approach": _top(found, larger)}
            for part in PARTS:
                found = parts.tukey(part)
                out[f"Tukey {name}, {part}"] = _tukey(found, larger)
                best[name][part] = _top(found, larger)
        out["top groups"] = pl.DataFrame(
            {
                "factor": ["Approach", *PARTS],
                **{n: [", ".join(b[f]) for f in ("Approach", *PARTS)] for n, b in best.items()},
            }
        )
        return out


def means_by_approach(study: AwareStudy) -> pl.DataFrame:
    """Mean τ_ap and RMSE of every approach, best τ_ap first."""
    return pl.DataFrame(
        {
            "approach": list(APPROACHES),
            "tau_ap": study.tau_ap.mean(axis=(0, 2, 3)),
            "rmse": study.rmse.mean(axis=(0, 2, 3)),
        }
    ).sort("tau_ap", descending=True)


def scaled_rmse(study: AwareStudy) -> Floats:
    """RMSE divided by the largest of its measure."""
    largest = study.rmse.max(axis=(0, 1, 3), keepdims=True)
    return np.asarray(study.rmse / np.where(largest > 0, largest, 1), np.float64)


def whole_model(study: AwareStudy, values: Floats) -> Anova:
    """Approach × measure × systems with all interactions of two, the size of the tuple as subject."""
    return _anova(
        values,
        {
            "K-tuple size": list(map(str, study.sizes)),
            "Approach": list(APPROACHES),
            "Measure": list(study.measures),
            "Systems": list(study.systems),
        },
        [("Approach", "Measure"), ("Approach", "Systems"), ("Measure", "Systems")],
    )


def break_down(study: AwareStudy, values: Floats) -> Anova:
    """Granularity × gap × weight of the thirty estimators, net of everything else."""
    k, _, m, s = values.shape
    shape = (k, len(GRANULARITIES), len(GAPS), len(WEIGHTS), m, s)
    return _anova(
        values[:, : len(GRANULARITIES) * len(GAPS) * len(WEIGHTS)].reshape(shape),
        {
            "K-tuple size": list(map(str, study.sizes)),
            "Granularity": list(GRANULARITIES),
            "Gap": list(GAPS),
            "Weight": list(WEIGHTS),
            "Measure": list(study.measures),
            "Systems": list(study.systems),
        },
        [("Granularity", "Gap"), ("Granularity", "Weight"), ("Gap", "Weight")],
    )


def _anova(values: Floats, factors: dict[str, list[str]], interactions: list[tuple[str, str]]) -> Anova:
    """Factors with one level have no effect and are left out."""
    single = tuple(i for i, levels in enumerate(factors.values()) if len(levels) < 2)
    kept: Values = {name: levels for name, levels in factors.items() if len(levels) > 1}
    wanted = [pair for pair in interactions if all(name in kept for name in pair)]
    return anova(values.squeeze(axis=single), kept, wanted)


def _tukey(found: TukeyGroups, larger: bool) -> pl.DataFrame:
    frame = found.to_frame()
    return frame if larger else frame.reverse().with_columns(groups=frame.reverse()["groups"].str.reverse())


def _top(found: TukeyGroups, larger: bool) -> list[str]:
    """Levels that cannot be told from the best one."""
    best = found.levels[0] if larger else found.levels[-1]
    groups = [set(g) for g in found.groups if best in g]
    widest = max(groups, key=len) if groups else {best}
    return [level for level in (found.levels if larger else found.levels[::-1]) if level in widest]
