"""A small AWARE experiment on a generated crowd, made once."""

from __future__ import annotations

from functools import cache

from dissensus.studies.aware import SETTINGS, aware_study
from dissensus.studies.aware_tables import AwareStudy
from dissensus.studies.generated.crowd import generated_crowd

SMALL = {"topics": 4, "documents": 60, "systems": 8}


@cache
def small_study() -> AwareStudy:
    crowd = generated_crowd(1, **SMALL)
    asked = {"measures": ["AP", "nDCG@20"], "sizes": (2, 5, 8, 11), "tuples": 5, "replicates": 60}
    return aware_study(crowd.systems, crowd.judgments, crowd.truth, SETTINGS | asked, seed=3)
