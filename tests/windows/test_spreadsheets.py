"""CSV files that a spreadsheet shows and does not run, and that read back as they were."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import OutputError, visible
from dissensus.windows.spreadsheets import as_written, inert

NASTY = ["=cmd|'/c calc'!A1", "+1", "-1", "@SUM(A1)", "'=x", "''-y", "plain", "a=b"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_texts_are_inert_and_come_back(tmp_path, ending):
    judgments = ds.Judgments.from_dict({"=ann": {"-1": dict.fromkeys(NASTY, 1)}})
    path = tmp_path / f"a.{ending}"
    judgments.write(path)
    back = ds.read_judgments(path, scale="0..1")
    assert back.to_frame().rows() == judgments.to_frame().rows()
    if ending in ("csv", "tsv"):
        separator = "," if ending == "csv" else "\t"
        cells = [cell.strip('"') for line in path.read_text().splitlines()[1:] for cell in line.split(separator)]
        assert not [c for c in cells if c[:1] in set("=+@-")]


def test_an_apostrophe_of_somebody_else_belongs_to_the_id(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("topic,doc,assessor,grade\n1,'-a,ann,1\n1,-a,ann,0\n")
    assert ds.read_judgments(path).doc_ids() == ["'-a", "-a"]
    path.write_text("topic,'doc,assessor,grade\n1,''-a,ann,1\n1,'-a,ann,0\n")
    assert ds.read_judgments(path).doc_ids() == ["'-a", "-a"]


def test_column_names_are_inert_too():
    frame = pl.DataFrame({"=cmd": [1.0, 2.0], "'y": ["-1", "="], "z": ["'a", "-"]})
    assert inert(frame).columns == ["'=cmd", "''y", "z"]
    assert inert(frame)["z"].to_list() == ["'a", "-"]  # a sign alone is no formula
    assert as_written(inert(frame).cast(pl.String)).equals(frame.cast(pl.String))


def test_numbers_stay_numbers(tmp_path):
    runs = ds.Runs.from_dict({"a": {1: {"d": -1.5}}})
    runs.write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "system,topic,doc,score\na,1,d,-1.5\n"


@pytest.mark.parametrize("system", ["..", ".", "a/b"])
def test_systems_name_no_folders(tmp_path, system):
    runs = ds.Runs.from_dict({system: {1: {"d": 1.0}}})
    with refused(OutputError):
        runs.write(str(tmp_path / "d" / "{system}" / "x.run"))
    assert list(tmp_path.iterdir()) == []


def test_messages_show_what_terminals_would_obey(tmp_path):
    path = tmp_path / "a\x1b[31m\u202e.run"
    with pytest.raises(ds.DissensusError) as caught:
        ds.read_runs(path)
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)
    assert "\\x1b[31m" in str(caught.value)
    assert visible("plain\n  text\té") == "plain\n  text\té"
