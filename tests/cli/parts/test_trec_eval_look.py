"""Scores in trec_eval's look: its names, its numbers, and back through `read_scores`."""

from __future__ import annotations

from pathlib import Path

import pytest
from random_collections import random_dicts

import dissensus as ds
from dissensus.cli import main
from dissensus.cli.parts.trec_eval_look import OFFICIAL, trec_name
from dissensus.measures.catalog import ours

pytrec_eval = pytest.importorskip("pytrec_eval")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict, dict]:  # type: ignore[type-arg]
    judged, runs = random_dicts(7)
    grades = {t: {d: max(g, 0) for d, g in docs.items()} for t, docs in next(iter(judged.values())).items()}
    run = next(iter(runs.values()))
    ds.Runs.from_dict({"bm25": run}).write(tmp_path / "bm25.run")
    ds.Judgments.from_dict({"a": grades}).write(tmp_path / "a.qrels")
    monkeypatch.chdir(tmp_path)
    return grades, run


def printed(capsys: pytest.CaptureFixture[str], *more: str) -> dict[tuple[str, str], str]:
    assert main(["evaluate", "bm25.run", "-j", "a.qrels", "--trec-eval", *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    return {(line[:22].rstrip(), line[23:].split("\t")[0]): line.split("\t")[-1] for line in lines}


@pytest.mark.parametrize("name", OFFICIAL)
def test_every_official_name_comes_back(name: str) -> None:
    assert trec_name(str(ds.measure(ours(name, trec_eval=True)))) == name


def test_the_numbers_of_every_topic_are_trec_evals(files, capsys) -> None:
    grades, run = files
    both = {t: docs for t, docs in run.items() if t in grades}
    names = ["map", "P_5", "recall_10", "ndcg_cut_10", "recip_rank", "Rprec", "bpref", "success_5", "num_rel_ret"]
    theirs = pytrec_eval.RelevanceEvaluator(grades, {n.replace("_cut", "_cut") for n in names}).evaluate(both)
    found = printed(capsys, "-q", "-m", ",".join(names))
    for topic, values in theirs.items():
        for name in names:
            assert float(found[name, topic]) == pytest.approx(values[name], abs=5.1e-5), (name, topic)
    assert found["runid", "all"] == "bm25"


def test_without_measures_it_is_the_official_set(files, capsys) -> None:
    found = printed(capsys)
    assert {name for name, topic in found if topic == "all"} == {"runid", *OFFICIAL}
    assert "." not in found["num_ret", "all"]


def test_out_and_back(files, capsys, tmp_path) -> None:
    assert main(["evaluate", "bm25.run", "-j", "a.qrels", "--trec-eval", "-q", "-m", "map,P_5"]) == 0
    (tmp_path / "bm25.txt").write_text(capsys.readouterr().out)
    back = ds.read_scores("bm25.txt")
    scores = ds.evaluate("bm25.run", "a.qrels", ["AP", "P@5"], empty="zero")
    assert back.system.values.tolist() == ["bm25"]
    for theirs, name in (("map", "AP"), ("P_5", "P@5")):
        assert back[theirs].values.ravel() == pytest.approx(scores[name].values.ravel(), abs=5.1e-5)


def test_several_assessors_have_no_room(files, capsys, tmp_path) -> None:
    (tmp_path / "b.qrels").write_text((tmp_path / "a.qrels").read_text())
    assert main(["evaluate", "bm25.run", "-j", "*.qrels", "--trec-eval"]) == 2
    assert "--assessor" in capsys.readouterr().err
