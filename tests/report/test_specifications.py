"""The choices that a reader may make: labels, measures, ties."""

from __future__ import annotations

import numpy as np

import dissensus as ds
from dissensus.measures.evaluate import measure_list
from dissensus.report.specifications import specifications
from dissensus.report.study import Study

RUNS = ds.Runs.from_dict(
    {
        "A": {f"q{q}": {"x": 1.0, "y": 1.0, "z": 0.5} for q in range(4)},
        "B": {f"q{q}": {"z": 2.0, "y": 1.0} for q in range(4)},
    }
)
LABELS = ds.Judgments.from_dict(
    {a: {f"q{q}": {"x": 1, "y": int(a == "ann"), "z": 0} for q in range(4)} for a in ("ann", "bob", "cyd")}
)


def test_every_assessor_each_left_out_the_vote_and_the_other_ties_are_there() -> None:
    study = Study(RUNS, LABELS, tuple(measure_list(["P@1"])), assessor="bob")
    found = {(name, ties): means.tolist() for name, measure, ties, means in specifications(study)}
    assert {"bob", "ann", "cyd", "majority", "EM", "majority without bob"} <= {name for name, _ in found}
    assert found["bob", ""][0] == 0.0  # y before x: document ids break ties
    assert found["bob", "expected"][0] == 0.5
    assert next(iter(found)) == ("bob", "")


def test_without_ties_there_is_no_second_policy() -> None:
    plain = ds.Runs.from_dict({"A": {f"q{q}": {"x": 2.0, "y": 1.0} for q in range(4)}})
    study = Study(plain, LABELS, tuple(measure_list(["P@1"])), assessor="bob")
    assert not [s for s in specifications(study) if s[2]]
    assert all(np.isfinite(s[3]).all() for s in specifications(study))
