"""Measures by any of their names in a table of scores."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from score_datasets import dataset

import dissensus as ds
from dissensus.cli import main
from dissensus.measures.score_names import held


def test_a_measure_is_found_under_every_name_it_has():
    names = ["map", "ndcg_cut_10", "P_10", "quality"]
    found = [held(names, m) for m in ("AP", "nDCG@10", "P@10", "quality", "Quality")]
    assert found == ["map", "ndcg_cut_10", "P_10", "quality", None]


def test_tables_of_trec_eval_are_compared_by_our_names():
    values = np.random.default_rng(0).random((1, 2, 12))
    scores = dataset(values, "ndcg_cut_10")
    ours, theirs = (ds.compare(scores, name).pairs[0].difference for name in ("nDCG@10", "ndcg_cut_10"))
    assert ours == theirs
    result = ds.gate("s0", "s1", None, "nDCG@10", tolerance=0.01, scores=scores)
    assert result.checks[0].difference == pytest.approx(-ours)
    with refused(ds.DissensusError, 'measure="AP"', "ndcg_cut_10", by="score_names"):
        ds.compare(scores, "AP")


def test_a_gate_asks_which_of_several_measures(tmp_path, capsys):
    path = tmp_path / "s.csv"
    rows = [f"{s},{t},{m},{t % 3}" for s in "ab" for t in range(5) for m in ("x", "y")]
    path.write_text("\n".join(["system,topic,measure,value", *rows]) + "\n")
    assert main(["gate", "a", "b", "--score-table", str(path), "--tolerance", "0.1"]) == 2
    assert "x, y" in capsys.readouterr().err
    assert main(["gate", "a", "b", "--score-table", str(path), "-m", "y", "--tolerance", "0.1"]) == 0
