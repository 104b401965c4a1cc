"""The crowd labels of the Relevance Feedback track."""

from __future__ import annotations

import polars as pl
import pytest
from paths import shared_data
from refusals import refused

from dissensus.errors import FileError
from dissensus.studies.disagreement import (
    SETTINGS,
    disagreement_study,
)
from dissensus.studies.labels import rf10


class TestTheirData:
    def test_table_1_beside_the_printed_numbers(self):
        file = shared_data("trec-rf10-crowd") / "trec-rf10-data.txt.gz"
        j = rf10.read_rf10(file)
        study = disagreement_study(
            j,
            SETTINGS | {"min_labels": rf10.MIN_LABELS, "repeats": "others", "draws": 10, "mutual": False},
            printed=rf10.TABLE_1,
        )
        rel = study.frames["Table 1"].filter(grade="Rel")
        assert rel["printed.counted"].to_list() == [0.49, 0.10, 0.23, 0.35]
        assert rel["counted"].to_list() == pytest.approx(rel["printed.counted"].to_list(), abs=0.01)
        assert rel["predicted"].to_list() == pytest.approx(rel["printed.predicted"].to_list(), abs=0.009)
        again = study.frames["Figs. 2, 3"]
        top = again.filter(grade="HRel").group_by("who").agg(pl.col("p").mean())
        mean = dict(top.rows())
        assert mean["self"] > 0.65 > 0.4 > mean["other"]

    def test_other_files_are_not_taken_for_it(self, tmp_path):
        other = tmp_path / "labels.csv"
        other.write_text("topic,doc,assessor,grade\n1,a,x,1\n")
        assert not rf10.is_rf10(other)
        assert not rf10.is_rf10(tmp_path / "missing")
        with refused(FileError, "labels.csv"):
            rf10.read_rf10(other)


def test_workers_repeat_themselves_and_broken_links_are_no_grades(tmp_path):
    file = tmp_path / "release.txt"
    rows = ["20\tw1\td1\t2\t1", "20\tw1\td1\t2\t0", "20\tw2\td1\t2\t-2", "20\tw2\td2\t-1\t1"]
    file.write_text("\n".join(["\t".join(rf10.COLUMNS), *rows]) + "\n")
    assert rf10.is_rf10(file)
    found = rf10.read_rf10(file)
    assert found.assessors == ("NIST", "w1", "w2")
    assert found.n_repeats() == 1
    assert found.scale.names == ("Non", "Rel", "HRel")
    nist = found.select(assessors=["NIST"]).to_frame()
    assert nist.select("doc", "grade").rows() == [("d1", "HRel")]  # d2 has no gold grade
    assert len(found.judged().select(assessors=["w2"])) == 1
