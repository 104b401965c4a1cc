"""Table 3 in shape: clear-sighted annotators leave only new pairs; blur hurts every way to label."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.studies.labelling import SETTINGS, run
from dissensus.studies.study import Request, StudyOutcome


def labelling_study(seed: int = 0, **settings: object) -> StudyOutcome:
    return run(Request(settings=SETTINGS | settings, seed=seed))


def test_table():
    study = labelling_study(queries=40, blur=(0.0, 0.5, 1.5), seed=2)
    table = study.tables["table"]
    value = {(b, m): p for b, m, p in table.select("blur", "method", "pnoise").iter_rows()}
    asked = dict(table.select("method", "questions").iter_rows())
    for method in ("three grades", "five grades", "top 10"):
        assert value[0.0, method] < value[0.5, method] < value[1.5, method] < 0.5
    # 4 of 50 relevant; without blur nothing is inverse, and the new pairs of the top 10 are known:
    # 4·3/2 among the relevant, 6·40 + 6·5/2 among the others, of 10·40 + 10·9/2 ordered ones
    assert value[0.0, "top 10"] == pytest.approx(0.5 * (6 + 240 + 15) / 445)
    assert asked["three grades"] == 50
    assert 49 < asked["top 10"] <= 49 + 9 * 6
    assert labelling_study(queries=40, blur=(0.0, 0.5, 1.5), seed=2).tables["table"].equals(table)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("relevant", 2), ("documents", 1), ("blur", (-1.0,)), ("blur", ()), ("queries", 0), ("annotators", 0), ("k", 0)],
)
def test_refused(setting, value):
    with refused(InputError, f"{setting}={value}"):
        labelling_study(**{setting: value})


def test_methods_are_named():
    assert labelling_study(queries=5, blur=(0.3,), k=5).tables["table"].filter(pl.col("method") == "top 5").height == 1
