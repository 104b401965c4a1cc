"""Means, sums and geometric means over topics, and what is compared and corrected by them."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from refusals import refused
from score_datasets import dataset

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import InputError, MeasureError
from dissensus.measures.other_names import held
from dissensus.measures.scores import aggregate_of, aggregated, for_means

DIMS = ("assessor", "system", "topic")


def scores(name: str, values: list[list[float]], **attrs: object) -> xr.Dataset:
    coords = {"assessor": ["nist"], "system": ["a", "b"], "topic": [str(t) for t in range(len(values[0]))]}
    return xr.Dataset({name: (DIMS, np.array([values]))}, coords=coords, attrs=attrs)


def test_aggregates() -> None:
    values = np.array([[0.5, 0.125, np.nan]])
    assert aggregated(values, "mean").item() == pytest.approx(0.3125)
    assert aggregated(values, "sum").item() == pytest.approx(0.625)
    assert aggregated(values, "geometric").item() == pytest.approx(0.25)
    assert np.isnan(aggregated(np.array([[np.nan]]), "sum")).all()


def test_a_variable_is_aggregated_as_its_attributes_or_its_measure_say() -> None:
    assert aggregate_of("gm_map", {}) == "geometric"
    assert aggregate_of("NumRelRet", {}) == "sum"
    assert aggregate_of("NumRelRet", {"aggregates": {"NumRelRet": "mean"}}) == "mean"
    assert aggregate_of("latency", {}) == "mean"


def test_compare_goes_by_sums_and_by_logarithms() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.1, 0.9, (2, 20))
    counts = ds.compare(scores("NumRelRet", [a.tolist(), b.tolist()]), "NumRelRet")
    assert counts.scores["NumRelRet"]["a"] == pytest.approx(a.sum())
    assert abs(counts.pairs[0].difference) == pytest.approx(abs(a.sum() - b.sum()))
    logs = ds.compare(scores("GMAP", [a.tolist(), b.tolist()]), "GMAP")
    assert logs.scores["GMAP"]["b"] == pytest.approx(np.exp(np.log(b).mean()))
    assert abs(logs.pairs[0].difference) == pytest.approx(abs(np.log(a / b).mean()))
    plain = ds.compare(scores("AP", [a.tolist(), b.tolist()]), "AP")
    assert counts.pairs[0].p_value == pytest.approx(plain.pairs[0].p_value)
    assert any("sums" in note for note in counts.notes)
    assert any("logarithm" in note for note in logs.notes)


def test_zero_has_no_logarithm() -> None:
    with refused(InputError, 0, "GMAP"):
        for_means(np.array([[0.5, 0.0]]), "geometric", "GMAP")


def test_geometric_means_are_not_corrected_or_planned() -> None:
    runs = {s: {str(t): {"d1": 2.0, "d2": 1.0} for t in range(6)} for s in ("a", "b")}
    labels = ds.Judgments.from_dict({"llm": {str(t): {"d1": t % 2, "d2": 1} for t in range(6)}})
    with refused(MeasureError, "AP"):
        ds.correct(runs, labels, labels, ["GMAP"])
    with refused(MeasureError, "GMAP"):
        ds.plan(runs, labels, measures="GMAP", budget=3)


def test_sums_are_gated_as_sums() -> None:
    made = ds.gate("a", "b", None, "NumRelRet", scores=scores("NumRelRet", [[1.0, 2.0, 3.0]] * 2), tolerance=0.1)
    assert (made.decision, made.checks[0].how, made.checks[0].difference) == ("pass", "sum", 0.0)


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
    with refused(ds.DissensusError, 'measures="AP"', "ndcg_cut_10"):
        ds.compare(scores, "AP")


def test_a_gate_asks_which_of_several_measures(tmp_path, capsys):
    path = tmp_path / "s.csv"
    rows = [f"{s},{t},{m},{t % 3}" for s in "ab" for t in range(5) for m in ("x", "y")]
    path.write_text("\n".join(["system,topic,measure,value", *rows]) + "\n")
    assert main(["gate", "a", "b", "--score-table", str(path), "--tolerance", "0.1"]) == 2
    assert "x, y" in capsys.readouterr().err
    assert main(["gate", "a", "b", "--score-table", str(path), "-m", "y", "--tolerance", "0.1"]) == 0
