"""Three ways to label, and the pNoise each leaves: three grades, five grades, top-k preferences.

Niu, Lan, Guo, Wan & Cheng (2015), Table 3 in shape, with simulated annotators.
"""

from __future__ import annotations

from typing import Any

from dissensus.cli.studies import Outcome, Request

SETTINGS: dict[str, Any] = {
    "queries": 200,
    "documents": 50,
    "relevant": 0.08,
    "k": 10,
    "blur": (0.25, 0.5, 1.0),
    "annotators": 3,
}


def run(request: Request) -> Outcome:
    from dissensus.studies.labelling import labelling_study

    study = labelling_study(**request.settings, seed=request.seed, executor=request.workers)
    return Outcome(tables=study.tables(), notes=study.notes)
