"""Which noise hurts rankers: six of them on noisy labels, against dNoise and against pNoise.

Niu, Lan, Guo, Wan & Cheng (2015), Figs. 1–14 and Table 2 in shape; Figs. 7 and 11 and Table 2's
printed values beside ours. Sets: OHSUMED, TD2003, MSLR-WEB10K (generated with
their shapes), endings 2G (two grades) and P1, P7, P5, P50 (balance) for the training labels, or a LETOR folder.
`--workspace DIR` keeps finished trainings there: stopped half-way, the same command goes on where it was. The full
size is `--set documents=20000 --set repeats=3 --set folds=5`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.label_noise.expected import expected_pair_noise
from dissensus.label_noise.injection import PROFILES
from dissensus.learning import GBDT, AdaRank, ListNet, PRank, RankBoost, RankSVM
from dissensus.learning.rankers.ranker import Ranker
from dissensus.studies.rankers.collapse import collapse
from dissensus.studies.rankers.noise_sets import noise_sets
from dissensus.studies.rankers.robustness import MEASURES, Robustness, robustness
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.folds import Fold

RANKERS = ("PRank", "GBDT", "RankSVM", "RankBoost", "ListNet", "AdaRank")
#: Table 2 as printed, in the order of RANKERS
TABLE_2 = {
    "OHSUMED": (0.49, 0.45, 0.49, 0.45, 0.48, 0.44),
    "TD2003": (0.50, 0.49, 0.50, 0.49, 0.50, 0.47),
    "MSLR-WEB10K": (0.50, 0.49, 0.50, 0.49, 0.49, 0.44),
}
Proportions = tuple[float, ...]
#: proportions of grades, of the set itself and simulated, Fig. 7: more grades
GRADES: dict[str, dict[str, Proportions]] = {
    "TD2003": {"C = 2": (0.992, 0.008), "C = 3": (0.792, 0.2, 0.008), "C = 5": (0.792, 0.1, 0.1, 0.004, 0.004)},
    "OHSUMED": {"C = 2": (0.7, 0.3), "C = 3": (0.7, 0.16, 0.14), "C = 5": (0.5, 0.2, 0.16, 0.07, 0.07)},
    "MSLR-WEB10K": {
        "C = 2": (0.842, 0.158),
        "C = 3": (0.842, 0.133, 0.025),
        "C = 5": (0.517, 0.325, 0.133, 0.017, 0.008),
    },
}
#: Fig. 11: better balance
BALANCE: dict[str, dict[str, Proportions]] = {
    "TD2003": {"R1": (0.992, 0.008), "R2": (0.7, 0.3), "Rbest": (0.5, 0.5)},
    "OHSUMED": {"R1": (0.9, 0.05, 0.05), "R2": (0.7, 0.16, 0.14), "Rbest": (1 / 3, 1 / 3, 1 / 3)},
    "MSLR-WEB10K": {
        "R1": (0.89, 0.05, 0.05, 0.005, 0.005),
        "R2": (0.517, 0.325, 0.133, 0.017, 0.008),
        "Rbest": (0.2, 0.2, 0.2, 0.2, 0.2),
    },
}

SETTINGS: Values = {
    "sets": tuple(TABLE_2),
    "rankers": RANKERS,
    "profiles": ("uniform", "distance"),
    "levels": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
    "repeats": 1,
    "folds": 3,
    "documents": 6000,
}


def run(request: Request) -> StudyOutcome:
    study = noise_study(**request.settings, seed=request.seed, executor=request.workers)
    return StudyOutcome(
        tables=study.tables(),
        notes=(study.headline, *study.notes),
        facts={"headline": study.headline},
        figures={
            "dnoise": Figure("noise", "degradation_chart", (study.curves, "dnoise")),
            "pnoise": Figure("noise", "degradation_chart", (study.curves, "pnoise")),
            "theory": Figure("noise", "pair_noise_chart", (study.theory, study.curves)),
            "fig3": Figure("noise", "loss_chart", (study.loss,)),
            "fig7": Figure("noise", "scale_chart", (study.scales, "Fig. 7")),
            "fig11": Figure("noise", "scale_chart", (study.scales, "Fig. 11")),
        },
    )


@dataclass(frozen=True, eq=False)
class NoiseStudy:
    """Trainings at rising noise (`result`), and what is expected of the labels alone: `theory` of the sets (Figs. 6,
    12), `scales` of more grades and better balance (Figs. 7, 11)."""

    result: Robustness
    theory: pl.DataFrame
    scales: pl.DataFrame
    notes: tuple[str, ...]

    @cached_property
    def curves(self) -> pl.DataFrame:
        """Figs. 1, 2, 4, 5, 9, 10, 13, 14."""
        return self.result.curves()

    @cached_property
    def claim(self) -> pl.DataFrame:
        """How much of the variation between the sets is gone against pNoise."""
        return collapse(self.result.table, MEASURES)

    @cached_property
    def same_grade(self) -> pl.DataFrame:
        """Table 2: ours, and the printed value in a row below where the set is one of the paper's."""
        clean = self.result.table.filter(pl.col("level") == 0)
        means = clean.group_by(["set", "ranker"], maintain_order=True).agg(pl.col("same_grade").mean())
        ours = means.pivot("ranker", index="set", values="same_grade").with_columns(pl.lit("ours").alias("whose"))
        rows = [
            {
                "set": name,
                "whose": "printed",
                **{r: dict(zip(RANKERS, printed, strict=True)).get(r) for r in ours.columns[1:-1]},
            }
            for name, printed in TABLE_2.items()
            if name in ours["set"]
        ]
        table = pl.concat([ours, pl.DataFrame(rows).select(ours.columns)]) if rows else ours
        return table.select("set", "whose", pl.exclude("set", "whose")).sort("set", maintain_order=True)

    @cached_property
    def loss(self) -> pl.DataFrame:
        """Fig. 3: set, profile, level, loss of the rankers that predict grades (PRank), and how much it rose."""
        key = ["set", "ranker", "profile"]
        means = self.curves.drop_nulls("loss").select(*key, "level", "dnoise", "loss")
        clean = means.filter(pl.col("level") == 0).select(*key, pl.col("loss").alias("clean"))
        return means.join(clean, on=key, maintain_order="left").select(
            *key, "dnoise", "loss", (pl.col("loss") - pl.col("clean")).alias("rise")
        )

    def tables(self) -> dict[str, pl.DataFrame]:
        return {
            "claim": self.claim,
            "same grade": self.same_grade,
            "more grades, better balance": orders_hold(self.scales),
            "Fig. 3": self.loss,
            "Figs. 7, 11": self.scales,
            "theory": self.theory,
            "curves": self.curves,
        }

    @property
    def headline(self) -> str:
        """The paper's claim as one number, over all rankers, profiles and measures."""
        d, p = (float((self.claim[c] ** 2).mean()) for c in ("between_dnoise", "between_pnoise"))  # type: ignore[arg-type]
        if d <= 0:
            return "the sets do not differ against dNoise: there is nothing for pNoise to explain"
        better = int((self.claim["between_pnoise"] < self.claim["between_dnoise"]).sum())
        cases = f"(less in {better} of {self.claim.height} cases)"
        share = 1 - p / d
        known = self.claim.drop_nulls("shared_gone")
        shared = known["shared_gone"].to_numpy()
        if share < 0:
            whole = f"against pNoise the sets differ {-share:.0%} more than against dNoise {cases}"
        else:
            whole = f"against pNoise instead of dNoise, {share:.0%} of the variation between the sets is gone {cases}"
        if not len(shared):
            return (
                f"{whole}; the sets share hardly any stretch of pNoise, so this cannot test the claim: add small levels"
            )
        middle, least = float(np.median(shared)), min(known["shared_points"].to_list())
        rest = f"{middle:.0%} is gone" if middle >= 0 else f"they differ {-middle:.0%} more"
        return f"{whole}; where all sets reach the same pNoise (at least {least} noisy levels), in the median {rest}"


def quick_rankers() -> dict[str, Ranker]:
    """The six rankers of the paper, sized so that thousands of trainings are a matter of minutes."""
    return {
        "PRank": PRank(rounds=10),
        "GBDT": GBDT(trees=60, learning_rate=0.1, leaves=15, workers=1),
        "RankSVM": RankSVM(),
        "RankBoost": RankBoost(rounds=150, bins=32),
        "ListNet": ListNet(),
        "AdaRank": AdaRank(rounds=150),
    }


def noise_study(
    sets: Sequence[str],
    rankers: Sequence[str],
    profiles: Sequence[str],
    levels: Sequence[float],
    folds: int,
    documents: int,
    *,
    seed: int = 0,
    **training: Any,
) -> NoiseStudy:
    """Train, test, and compare the axes; `training` is for `robustness`: repeats, executor, workspace."""
    parts = noise_sets(sets, documents=documents, folds=folds, seed=seed)
    known = quick_rankers()
    missing = [name for name in rankers if name not in known]
    if missing:
        raise InputError(f"the experiment has no ranker {missing[0]!r}.", f"It has: {', '.join(known)}.")
    chosen = {name: known[name] for name in rankers}
    result = robustness(
        parts, chosen, profiles, levels=levels, seed=seed, replicates=training.pop("repeats", 3), **training
    )
    size = ", ".join(f"{n}: {sum(len(f.test) for f in fs):,} documents" for n, fs in parts.items())
    expected = theory(parts, profiles, levels)
    return NoiseStudy(result, expected, pair_noise_by_scale(profiles, levels), (*result.notes, size))


def theory(parts: dict[str, tuple[Fold, ...]], profiles: Sequence[str], levels: Sequence[float]) -> pl.DataFrame:
    """Expected pNoise of the first fold's training labels, from each query's counts: set, profile, dnoise, pnoise."""
    rows = []
    for name, folds in parts.items():
        train = folds[0].train
        k = max(int(train.y.max()) + 1, 2)
        counts = np.bincount(train.topic * k + train.grades(), minlength=len(train.topics) * k).reshape(-1, k)
        rows += [(name, p, t, expected_pair_noise(counts, PROFILES[p](k, t))) for p in profiles for t in levels]
    return pl.DataFrame(rows, orient="row", schema=["set", "profile", "dnoise", "pnoise"])


# ── in theory: the number of grades and their balance ──
def pair_noise_by_scale(profiles: Sequence[str], levels: Sequence[float]) -> pl.DataFrame:
    """figure, set, scale, profile, dnoise, pnoise: the pNoise that a scale is expected to have (Figs. 7 and 11).

    >>> pair_noise_by_scale(["uniform"], [0.1]).columns
    ['figure', 'set', 'scale', 'profile', 'dnoise', 'pnoise']
    """
    rows = [
        (figure, name, scale, profile, float(t), expected_pair_noise(r, PROFILES[profile](len(r), t)))
        for figure, sets in (("Fig. 7", GRADES), ("Fig. 11", BALANCE))
        for name, scales in sets.items()
        for scale, r in scales.items()
        for profile in profiles
        for t in levels
        if t > 0
    ]
    return pl.DataFrame(rows, orient="row", schema=["figure", "set", "scale", "profile", "dnoise", "pnoise"])


def orders_hold(table: pl.DataFrame) -> pl.DataFrame:
    """figure, set, profile, step, share: at how many levels of dNoise pNoise falls from one scale to the next.

    The paper says that it always does: with more grades (Fig. 7), and with better balance (Fig. 11).
    """
    rows = []
    for (figure, name, profile), part in table.group_by(["figure", "set", "profile"], maintain_order=True):
        wide = part.pivot("scale", index="dnoise", values="pnoise")
        scales = wide.columns[1:]
        for one, two in itertools.pairwise(scales):
            falls = wide[two].to_numpy() < wide[one].to_numpy()
            first = [float(d) for d, fell in zip(wide["dnoise"], falls, strict=True) if not fell]
            rows.append((figure, name, profile, f"{one} → {two}", float(falls.mean()), max(first, default=None)))
    schema = ["figure", "set", "profile", "step", "falls at", "last level without a fall"]
    return pl.DataFrame(rows, orient="row", schema=schema, strict=False)
