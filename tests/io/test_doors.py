"""Every door: a plain file, an awkward one and a wrong one; from the file to the verb that uses it."""

from __future__ import annotations

import numpy as np
import pytest
from door_files import DOORS, UMBRELA_REQUEST
from refusals import stated
from small_files import file

import dissensus as ds


def found(path, kind, **more):
    if kind == "runs":
        runs = ds.read_runs(path)
        return [
            (runs.systems[s], runs.topics[t], d)
            for s, t in zip(runs.segment_system, runs.segment_topic, strict=True)
            for d in runs.ranking(runs.systems[s], runs.topics[t])
        ]
    if kind == "scores":
        data = ds.read_scores(path)
        frame = data.to_dataframe().reset_index().melt(["assessor", "system", "topic"], var_name="m").dropna()
        return sorted(frame[["system", "topic", "m", "value"]].itertuples(index=False, name=None))
    paths = [path, *more.get("beside", [])]
    judged = ds.read_judgments(*paths, missing="skip")
    return sorted((t, d, a, g) for t, d, a, g in judged.to_frame().iter_rows())


@pytest.mark.parametrize("which", [0, 1], ids=["plain", "awkward"])
@pytest.mark.parametrize("door", DOORS)
def test_what_is_read(tmp_path, door, which):
    name, content, kind, expected = DOORS[door][which]
    path = file(tmp_path, name, content)
    beside = []
    if door == "umbrela" and which:
        beside = [file(tmp_path, "request.jsonl", UMBRELA_REQUEST)]
    rows = found(path, kind, beside=beside)
    if expected is None:
        assert rows
        return
    assert rows == (expected if kind == "runs" else sorted(expected))


@pytest.mark.parametrize("door", DOORS)
def test_wrong_files_are_refused_by_name(tmp_path, door):
    name, content = DOORS[door][2]
    path = file(tmp_path, name, content)
    kind = DOORS[door][0][2]
    for read in {"runs": [ds.read_runs], "judgments": [ds.read_judgments], "scores": [ds.read_scores]}[kind]:
        with pytest.raises(ds.DissensusError) as caught:
            read(path)
        assert name in str(caught.value)


def test_what_was_mapped_and_dropped_is_said(tmp_path):
    name, content, *_ = DOORS["umbrela"][1]
    request = file(tmp_path, "request.jsonl", UMBRELA_REQUEST)
    notes = ds.read_judgments(file(tmp_path, name, content), request).notes
    assert stated(notes, 1, 2)
    notes = ds.read_judgments(file(tmp_path, "b.json", DOORS["quepid"][1][1])).notes
    assert stated(notes, 2, 3)


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "run", "parquet"])
def test_runs_go_out_and_come_back(tmp_path, ending):
    runs = ds.Runs.from_dict({"a": {"q1": {"d1": 0.1, "d2": -1.0}}, "b": {"q2": {"d1": 1e-9}}})
    runs.write(tmp_path / f"r.{ending}")
    back = ds.read_runs(tmp_path / f"r.{ending}", system="tag" if ending == "run" else None)
    assert back.to_frame().rows() == runs.to_frame().rows()


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "qrels", "parquet"])
def test_judgments_go_out_and_come_back(tmp_path, ending):
    judged = ds.Judgments.from_dict({"ann": {"q1": {"d1": 2, "d2": 0}}, "bob": {"q1": {"d1": 1}}})
    judged.write(tmp_path / f"j.{ending}")
    back = ds.read_judgments(tmp_path / f"j.{ending}", assessor="column" if ending == "qrels" else None)
    assert back.to_frame().rows() == judged.to_frame().rows()


class TestOut:
    """What goes out in another tool's form comes back as it was; Quepid and Label Studio are in tests/audit."""

    def test_perquery_of_pyterrier(self, tmp_path, monkeypatch):
        from dissensus.cli import main

        monkeypatch.chdir(tmp_path)
        runs = ds.Runs.from_dict(
            {s: {t: {f"d{i}": 1 / (i + n) for i in range(n)} for t in "pqr"} for s, n in (("a", 3), ("b", 5))}
        )
        judged = ds.Judgments.from_dict({"ann": {t: {"d1": 1, "d2": 0, "d3": 2} for t in "pqr"}})
        runs.write("r.csv")
        judged.write("ann.csv")
        assert main(["evaluate", "r.csv", "-j", "ann.csv", "-m", "AP,nDCG@2", "--perquery", "-o", "perquery.csv"]) == 0
        assert (tmp_path / "perquery.csv").read_text().splitlines()[0] == "name,qid,measure,value"
        back, scores = ds.read_scores("perquery.csv"), ds.evaluate(runs, judged, ["AP", "nDCG@2"])
        for m in ("AP", "nDCG@2"):
            np.testing.assert_array_equal(back[m].values, scores[m].values)

    def test_junit_and_markdown_of_a_gate(self, tmp_path, monkeypatch):
        import xml.etree.ElementTree as ET

        from dissensus.cli import main

        monkeypatch.chdir(tmp_path)
        rng = np.random.default_rng(0)
        table = ["system,topic,measure,value"]
        table += [f"{s},{t},AP,{v + rng.normal(0, 0.01)}" for s, v in (("old", 0.5), ("new", 0.3)) for t in range(9)]
        (tmp_path / "s.csv").write_text("\n".join(table) + "\n")
        words = ["gate", "old", "new", "--score-table", "s.csv", "-m", "AP", "--tolerance", "0.05"]
        assert main([*words, "-o", "g.xml", "-o", "g.md"]) == 1
        suite = ET.parse(tmp_path / "g.xml").getroot()
        case = next(suite.iter("testcase"))
        assert case.find("failure") is not None
        assert "fail" in (tmp_path / "g.md").read_text()
