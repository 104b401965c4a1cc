"""Which noise hurts rankers: six of them on noisy labels, against dNoise and against pNoise.

Niu, Lan, Guo, Wan & Cheng (2015), Figs. 1–14 and Table 2 in shape. Sets: OHSUMED, TD2003, MSLR-WEB10K (generated with
their shapes), endings 2G (two grades) and P1, P7, P5, P50 (balance) for the training labels, or a LETOR folder.
`--workspace DIR` keeps finished trainings there: stopped half-way, the same command goes on where it was. The full
size is `--set documents=20000 --set repeats=3 --set folds=5`.
"""

from __future__ import annotations

from typing import Any

from dissensus.cli.studies import Outcome, Request

SETTINGS: dict[str, Any] = {
    "sets": ("OHSUMED", "TD2003", "MSLR-WEB10K"),
    "rankers": ("PRank", "GBDT", "RankSVM", "RankBoost", "ListNet", "AdaRank"),
    "profiles": ("uniform", "distance"),
    "levels": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
    "repeats": 1,
    "folds": 3,
    "documents": 6000,
}


def run(request: Request) -> Outcome:
    from dissensus.studies.noise import noise_study

    study = noise_study(**request.settings, seed=request.seed, executor=request.workers)

    def curves(axis: str) -> Any:
        from dissensus.report.charts.noise import degradation_chart

        return lambda: degradation_chart(study.curves, axis)

    def theory() -> Any:
        from dissensus.report.charts.noise import pair_noise_chart

        return pair_noise_chart(study.theory, study.curves)

    return Outcome(
        tables=study.tables(),
        notes=(study.headline, *study.notes),
        facts={"headline": study.headline},
        charts={"dnoise": curves("dnoise"), "pnoise": curves("pnoise"), "theory": theory},
    )
