"""Real labels audited many times."""

from __future__ import annotations

import pytest
from audited_study import study
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.studies.audits.audited import audited_coverage
from dissensus.studies.audits.repetitions import GoldStandard


class TestRealLabels:
    def test_a_judge_who_errs_is_corrected(self):
        runs, bronze, gold = study(topics=30, pool=20)
        given = GoldStandard(runs, together(bronze, gold), "expert")
        table = audited_coverage(given, ["P@5", "AP"], budget=150, audits=12, seed=1)
        rows = {(r["measure"], r["audit"], r["method"]): r for r in table.iter_rows(named=True)}
        assert {r["judge"] for r in rows.values()} == {"llm"}
        assert set(rows) == {
            *(
                ("P@5", how, m)
                for how in ("planned", "random")
                for m in ("naive", "confusion", "gold only", "rectified")
            ),
            *(("AP", how, m) for how in ("planned", "random") for m in ("naive", "imputed", "rectified")),
        }
        for key in (("P@5", "planned", "rectified"), ("P@5", "random", "rectified"), ("AP", "planned", "rectified")):
            assert rows[key]["coverage"] > 0.8
            assert rows[key]["audits"] == 12
        assert rows["P@5", "planned", "rectified"]["rmse"] < rows["P@5", "planned", "gold only"]["rmse"]

    def test_auditing_everything_leaves_no_error(self):
        runs, bronze, gold = study(topics=10)
        given = GoldStandard(runs, together(bronze, gold), "expert")
        table = audited_coverage(given, ["P@5", "AP"], budget=10_000, audits=2)
        for row in table.filter(table["method"] == "rectified").iter_rows(named=True):
            assert row["rmse"] == pytest.approx(0, abs=1e-12)

    def test_whom_to_believe(self):
        runs, bronze, gold = study(topics=5)
        with refused(InputError, "gold"):
            audited_coverage(GoldStandard(runs, together(bronze, gold), "gold"), ["P@5"])
        with refused(InputError):
            audited_coverage(GoldStandard(runs, gold, "expert"), ["P@5"])


def together(*judgments):
    import polars as pl

    return ds.Judgments.from_frame(pl.concat([j.to_frame() for j in judgments]))
