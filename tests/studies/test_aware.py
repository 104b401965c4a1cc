"""The AWARE experiment on a small generated crowd: shapes, seeds, degrees of freedom, and who wins where."""

from __future__ import annotations

import numpy as np
import pytest
from aware_example import SMALL, small_study
from refusals import refused

from dissensus.errors import InputError
from dissensus.judging.merging.api import merge
from dissensus.studies.aware import SETTINGS, aware_study, merged_labels
from dissensus.studies.aware_tables import APPROACHES, AwareStudy
from dissensus.studies.generated.crowd import generated_crowd
from dissensus.tables.collection import join


@pytest.fixture(name="study")
def _study() -> AwareStudy:
    return small_study()


def test_every_approach_is_scored(study: AwareStudy) -> None:
    assert len(APPROACHES) == 34
    assert study.tau_ap.shape == study.rmse.shape == (4, 34, 2, 2)
    assert np.isfinite(study.tau_ap).all()
    assert ((study.rmse >= 0) & (study.rmse < 1)).all()
    assert study.to_frame().height == 4 * 34 * 2 * 2


def test_more_assessors_help_and_em_wins_where_errors_are_independent(study: AwareStudy) -> None:
    by_size = study.tau_ap.mean(axis=(1, 2, 3))
    assert by_size[-1] > by_size[0]
    rmse = dict(zip(APPROACHES, study.rmse.mean(axis=(0, 2, 3)), strict=True))
    assert rmse["emmv"] < rmse["uni"]


def test_merged_labels_are_those_of_merge() -> None:
    crowd = generated_crowd(2, **SMALL)
    joined = join(crowd.systems["strong"], crowd.judgments)
    who = np.arange(len(joined.assessors))
    for way, method in (("emmv", "em-mv"), ("emneu", "em-neu")):
        ours = merged_labels(joined, who, way, per_topic=False, seed=0)
        assert (ours == merge(crowd.judgments, method).judgments.grade).mean() > 0.995


def test_one_seed_one_result() -> None:
    crowd = generated_crowd(4, **SMALL)
    asked = SETTINGS | {"measures": "AP", "sizes": [3], "tuples": 2, "replicates": 20}
    first, again, other = (
        aware_study({"all": crowd.systems["weak"]}, crowd.judgments, crowd.truth, asked, seed=s).tau_ap
        for s in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_sizes_are_checked() -> None:
    crowd = generated_crowd(5, **SMALL)
    asked = SETTINGS | {"measures": "AP", "sizes": [13], "tuples": 1, "replicates": 1}
    with refused(InputError, 12, "sizes=[13]"):
        aware_study(crowd.systems, crowd.judgments, crowd.truth, asked)
