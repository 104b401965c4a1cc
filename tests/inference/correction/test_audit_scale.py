"""Audits on another scale than the judge's, and audits that are the judge's own labels."""

from __future__ import annotations

import polars as pl
import pytest
from audited_study import audit, study
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.audit_scale import scale_findings
from dissensus.inference.correction.design import lay_out


@pytest.fixture(scope="module")
def graded():
    return study(topics=12, grades=4)


def findings(runs, bronze, gold):
    return [(f.name, f.value) for f in scale_findings(lay_out(runs, bronze, gold))]


def test_an_audit_on_the_judges_scale_raises_no_doubt(graded):
    runs, bronze, gold = graded
    assert findings(runs, bronze, audit(gold)) == []


def test_the_judges_own_labels_as_an_audit(graded):
    runs, bronze, _ = graded
    copy = audit(bronze)
    assert findings(runs, bronze, copy) == [("copy", len(copy.judgments))]
    result = ds.correct(runs, bronze, copy, ["P(rel=2)@5"])
    # a judge without errors errs equally everywhere
    assert all(
        f.p_value == 1 for f in result.diagnosis["P(rel=2)@5"] if f.name.startswith(phrase("audit-scale.errors-by"))
    )
    assert result.compare("A", "B").diagnosis.errors_p == 1


@pytest.mark.parametrize("write", [lambda grade: grade * 10, lambda grade: (grade >= 2).cast(pl.Int64)])
def test_other_scales_are_named(graded, write):
    runs, bronze, gold = graded
    frame = audit(gold).to_frame().with_columns(grade=write(pl.col("grade").cast(pl.Int64)))
    assert [name for name, _ in findings(runs, bronze, ds.Audit.from_frame(frame))] == ["scale"]
