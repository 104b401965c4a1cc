"""Numbers that ir-measures' own tests assert, and ir-measures itself on generated data."""

from __future__ import annotations

import sys

import ir_measures
import pytest
from ir_named import named
from paths import shared_data
from random_collections import random_dicts
from refusals import refused

import dissensus as ds


def expected(path) -> dict[tuple[str, str], float]:
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    return {(name, topic): float(value) for name, topic, value in rows}


def test_cwl_evals_numbers() -> None:
    data = shared_data("ir_measures_tests")
    ours = {"AP": "AP", "P@1": "P@1", "P@5": "P@5", "P@10": "P@10", "P@20": "P@20", "RR": "RR"}
    ours["RBP(p=0.9, rel=1)"] = "RBP(p=0.9)"
    scores = ds.evaluate(ds.read_runs(data / "cwl.run"), ds.read_judgments(data / "cwl.qrels"), list(ours.values()))
    checked = 0
    for (name, topic), value in expected(data / "expected_cwl.tsv").items():
        if name in ours:
            got = scores[ours[name]].sel(topic=topic).item()
            assert got == pytest.approx(value, abs=1e-4), (name, topic)
            checked += 1
    assert checked == 21


def test_gdevals_numbers() -> None:
    """gdeval: exponential gains, and a top grade fixed at 4 for ERR."""
    data = shared_data("ir_measures_tests")
    runs, judgments = ds.read_runs(data / "gdeval.run"), ds.read_judgments(data / "gdeval.qrels")
    for (name, topic), value in expected(data / "expected_gdeval.tsv").items():
        family, depth = name.split("@")
        m = ds.measure({"nDCG": f"nDCG(dcg='exp-log2')@{depth}", "ERR": f"ERR(max=4)@{depth}"}[family])
        scores = ds.evaluate(runs, judgments, [m])[str(m)].isel(assessor=0, system=0)
        got = scores.mean().item() if topic == "all" else scores.sel(topic=topic).item()
        assert got == pytest.approx(value, abs=1e-5), (name, topic)


NAMES = ["AP", "nDCG@10", "P@5", "P(rel=2)@5", "R@10", "RR", "Rprec", "Bpref", "Success@5"]


@pytest.mark.parametrize("seed", range(3))
def test_generated_data(seed: int) -> None:
    judged, runs = random_dicts(seed, negative=False)
    scores = ds.evaluate(ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged), NAMES, empty="zero")
    measures = {name: named(name) for name in NAMES}
    for system, run in runs.items():
        for row in ir_measures.iter_calc(list(measures.values()), judged["a0"], run):
            name = next(n for n, m in measures.items() if m == row.measure)
            if row.query_id in run:
                got = scores[name].sel(system=system, topic=row.query_id).item()
                assert got == pytest.approx(row.value, abs=1e-4), (name, row.query_id)


def test_cwl_evals_files_parse() -> None:
    data = shared_data("cwl_eval_tests")
    judgments = ds.read_judgments(data / "qrel_file")
    assert (len(judgments), judgments.topics) == (23, ("T1", "T2", "T3"))
    for gains in ("gain_file", "big_gain_file", "neg_gain_file"):  # gains are no grades
        with refused(ds.DissensusError, gains):
            ds.read_judgments(data / gains)
    runs = ds.read_runs(data / "result_file")
    assert runs.ranking("result_file", "T1")[:3] == ["D1", "D2", "D3"]


def test_judged_divides_by_the_cut_off_where_ir_measures_divides_by_what_was_retrieved() -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "c": 0}}
    theirs = next(iter(ir_measures.iter_calc([named("Judged@10")], qrels, run))).value
    ours = ds.evaluate(ds.Runs.from_dict({"s": run}), ds.Judgments.from_dict({"j": qrels}), ["Judged@10"])
    assert (theirs, ours["Judged@10"].item()) == (0.5, 0.1)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="its parser uses ast.Num")
def test_names_are_read_as_ir_measures_reads_them():
    for name in [*NAMES, "P(rel=2)@10", "nDCG(gains={0: 0, 1: 5})@5", "IPrec@0.1", "AP(judged_only=True)"]:
        assert named(name) == ir_measures.parse_measure(name)
