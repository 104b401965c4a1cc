"""Tables of scores."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.io.score_files import _MEASURE, scores_of_frame
from dissensus.measures.catalog import TREC_EVAL, names


class TestScores:
    def test_leaderboards_by_several_judges(self, tmp_path):
        one = file(tmp_path, "ann.csv", "system,topic,measure,value\na,1,AP,0.5\nb,1,AP,0.25\n")
        two = file(tmp_path, "bob.csv", "system,topic,measure,value\na,1,AP,0.1\nb,1,AP,0.3\n")
        data = ds.read_scores(one, two)
        assert data.sizes == {"assessor": 2, "system": 2, "topic": 1}
        assert data["AP"].sel(assessor="bob").values.ravel().tolist() == [0.1, 0.3]

    def test_the_dataset_of_evaluate(self, tmp_path):
        runs = ds.Runs.from_dict(
            {s: {t: {f"d{i}": float(i) for i in range(n)} for t in "pqr"} for s, n in (("a", 3), ("b", 5))}
        )
        judged = ds.Judgments.from_dict({"ann": {t: {"d1": 1, "d2": 0, "d3": 1} for t in "pqr"}})
        scores = ds.evaluate(runs, judged, ["AP", "P@2"])
        frame = scores.to_dataframe().reset_index().melt(["assessor", "system", "topic"], var_name="measure")
        frame.to_csv(tmp_path / "s.csv", index=False)
        back = ds.read_scores(tmp_path / "s.csv")
        for m in ("AP", "P@2"):
            np.testing.assert_array_equal(back[m].values, scores[m].values)

    def test_a_score_twice_is_refused(self, tmp_path):
        path = file(tmp_path, "s.csv", "system,topic,measure,value\na,1,AP,0.5\na,1,AP,0.5\n")
        with refused(ds.DissensusError, "s.csv:2", "s.csv:3"):
            ds.read_scores(path)


def test_means_must_be_the_means_they_claim_to_be(tmp_path) -> None:
    text = "num_rel\tq1\t3\nnum_rel\tq2\t4\nnum_rel\tall\t7\nmap\tq1\t0.5\nmap\tq2\t0.25\nmap\tall\t0.375\n"
    data = ds.read_scores(file(tmp_path, "bm25.txt", text))
    assert data["map"].values.ravel().tolist() == [0.5, 0.25]
    assert data["num_rel"].values.ravel().tolist() == [3, 4]
    with refused(ds.DissensusError, "0.4"):
        ds.read_scores(file(tmp_path, "bm25.txt", text.replace("0.375", "0.4")))


def test_a_line_ends_where_a_line_of_a_run_ends(tmp_path) -> None:
    data = ds.read_scores(file(tmp_path, "bm25.txt", "map 301 0.5\r\nmap q2 0.25\rmap q3 0\n"))
    assert data.sizes["topic"] == 3
    for mark in "\x85\u2028\u2029":
        with refused(ds.DissensusError, "bm25.txt:1"):
            ds.read_scores(file(tmp_path, "bm25.txt", f"map 30{mark}1 0.5\r\nmap q2 0.25\rmap q3 0\n"))
    with refused(ds.DissensusError, "bm25.txt:2", 2):
        ds.read_scores(file(tmp_path, "bm25.txt", "map\vq1 0.5\nmap q2\n"))


def test_which_of_four_columns_is_the_measure(tmp_path) -> None:
    for text in ("a q1 P@5 0.5\n", "a P@5 q1 0.5\n"):
        data = ds.read_scores(file(tmp_path, "s.txt", text))
        assert data["P@5"].sel(system="a", topic="q1").item() == 0.5
    with refused(ds.DissensusError, "s.txt"):
        ds.read_scores(file(tmp_path, "s.txt", "a x y 0.5\n"))


def test_a_frame_may_be_long_or_wide() -> None:
    wide = scores_of_frame(pl.DataFrame({"topic": ["1", "2"], "a": [0.5, 0.25], "b": [0.1, None]}))
    assert wide["score"].sel(system="a").values.ravel().tolist() == [0.5, 0.25]
    assert np.isnan(wide["score"].sel(system="b", topic="2").item())
    long = scores_of_frame(pl.DataFrame({"topic": ["1"], "measure": ["AP"], "value": [0.5]}))
    assert long["AP"].sel(system="run", assessor="scores").item() == 0.5


def test_numbers_of_topics_beyond_64_bits(tmp_path) -> None:
    big = 184467440737095516171
    record = f'{{"run_id": "a", "topic_id": {big}, "measure": "AP", "value": 0.5}}\n'
    assert ds.read_scores(file(tmp_path, "s.jsonl", record))["AP"].sel(topic=str(big)).item() == 0.5
    wide = ds.read_scores(file(tmp_path, "w.jsonl", f'{{"topic": {big}, "a": 0.5, "b": {big}}}\n'))
    assert wide["score"].sel(topic=str(big), system="b").item() == float(big)


class TestWideTables:
    """Measures are measures: a leaderboard was read with its measures as topics, `topics` averaged in among them."""

    def test_means_without_topics_are_refused(self, tmp_path) -> None:
        for header, who in (("system,nDCG@10,AP,P@10", ""), ("model,accuracy,latency,cost", ""),
                            ("assessor,system,nDCG@10,AP,topics", "llm,")):  # fmt: skip
            path = file(tmp_path, "leaderboard.csv", f"{header}\n{who}a,0.5,0.4,25\n{who}b,0.6,0.5,25\n")
            with refused(ds.DissensusError, "leaderboard.csv", "means", "--per-topic"):
                ds.read_scores(path)
        with refused(ds.DissensusError, "means", "no column of topics"):
            ds.read_scores(file(tmp_path, "long.csv", "system,measure,value\na,AP,0.5\nb,AP,0.4\n"))
        with refused(ds.DissensusError, "means", "all"):
            ds.read_scores(file(tmp_path, "all.csv", "system,topic,measure,value\na,all,AP,0.5\nb,all,AP,0.4\n"))

    def test_the_mean_of_all_topics_is_no_topic(self, tmp_path) -> None:
        rows = "system,topic,AP\na,1,0.5\na,2,0.25\na,all,0.375\n"
        data = ds.read_scores(file(tmp_path, "s.csv", rows))
        assert data["AP"].values.ravel().tolist() == [0.5, 0.25]
        with refused(ds.DissensusError, "s.csv:4", "0.4"):
            ds.read_scores(file(tmp_path, "s.csv", rows.replace("0.375", "0.4")))

    def test_what_evaluate_writes_is_read_back(self, tmp_path) -> None:
        runs = ds.Runs.from_dict(
            {s: {t: {f"d{i}": float(i) for i in range(n)} for t in "pqr"} for s, n in (("a", 3), ("b", 5))}
        )
        labels = {"ann": {t: {"d1": 1, "d2": 0, "d3": 1} for t in "pqr"}, "bob": {t: {"d1": 0, "d4": 1} for t in "pq"}}
        scores = ds.evaluate(runs, ds.Judgments.from_dict(labels), ["AP", "P@2"])
        table = pl.from_pandas(scores.to_dataframe().reset_index())
        table.write_csv(tmp_path / "s.csv")
        table.write_parquet(tmp_path / "s.parquet")
        (tmp_path / "s.json").write_text(json.dumps({"title": "Scores", "tables": {"table": table.to_dicts()}}))
        for name in ("s.csv", "s.parquet", "s.json"):
            back = ds.read_scores(tmp_path / name)
            for m in ("AP", "P@2"):
                np.testing.assert_array_equal(back[m].values, scores[m].values)

    def test_topics_down_and_measures_or_systems_across(self, tmp_path) -> None:
        one = ds.read_scores(file(tmp_path, "bm25.csv", "qid,AP,P@10,nDCG@10.low\n1,0.5,0.1,0\n2,0.25,0.2,0\n"))
        assert one["P@10"].sel(system="bm25").values.ravel().tolist() == [0.1, 0.2]
        two = ds.read_scores(file(tmp_path, "t.csv", "qid,rrf,mapper,P\n1,0.5,0.1,0\n2,0.25,0.2,0\n"))
        assert two["score"].sel(system="mapper").values.ravel().tolist() == [0.1, 0.2]
        with refused(ds.DissensusError, "'AP'", "'bm25'"):
            ds.read_scores(file(tmp_path, "t.csv", "qid,AP,bm25\n1,0.5,0.1\n"))
        across = ds.read_scores(file(tmp_path, "t.csv", "system,q1,q2\na,0.5,0.1\nb,0.25,0.2\n"))
        assert across["score"].sel(system="b").values.ravel().tolist() == [0.25, 0.2]

    def test_every_measure_of_the_catalog_is_known_by_its_name(self) -> None:
        for name in names():
            assert _MEASURE.fullmatch(f"{name}@10")
            assert _MEASURE.fullmatch(f"{name}(rel=2)@10")
        for name in TREC_EVAL:
            assert _MEASURE.fullmatch(name.replace("{k}", "10"))
        assert not any(map(_MEASURE.fullmatch, ("bm25", "rrf", "mapper", "recall-net", "q1", "P", "301")))
