"""Training for how users look: LambdaMART against nMCG-MART, by nDCG@10 and nMCG@10.

Thesis Table 5.5 in shape: fewer trees and as many as the validation data want, randomisation test on queries.
`--set dynamic=user.json` takes the user dynamic that `dissensus clicks` fitted; without it a user is assumed.
`--workspace DIR` keeps finished trainings there: stopped half-way, the same command goes on where it was. Trees,
leaves and learning rate are the thesis's; the size of the documented run is `--set documents=40000 --set folds=5`.
"""

from __future__ import annotations

from typing import Any

from dissensus.cli.studies import Outcome, Request

SETTINGS: dict[str, Any] = {
    "sets": ("MSLR-WEB10K",),
    "trees": (100, 500),
    "full": 1500,
    "leaves": 64,
    "learning_rate": 0.05,
    "dynamic": None,
    "documents": 6000,
    "folds": 3,
}


def run(request: Request) -> Outcome:
    from dissensus.studies.dynamics import dynamics_study

    study = dynamics_study(**request.settings, seed=request.seed, executor=request.workers)

    def difference() -> Any:
        from dissensus.report.charts.noise import dynamics_chart

        return dynamics_chart(study.table)

    return Outcome(tables=study.tables(), notes=study.notes, charts={"difference": difference})
