"""trec_eval 10.0's own test outputs, printed to four decimals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from paths import shared_data
from refusals import refused

import dissensus as ds

NOT_NUMBERS = ("runid", "relstring")


def printed(path: Path) -> dict[tuple[str, str], str]:
    rows = [line.split() for line in path.read_text().splitlines()]
    return {(row[0], row[1]): row[2] for row in rows if len(row) == 3 and not row[0].startswith(NOT_NUMBERS)}


def check(expected: dict[tuple[str, str], str], scores, names: dict[str, ds.Measure]) -> int:
    """Every printed number, of topics and of all of them together, to its last digit."""
    means = scores.means()
    for (name, topic), text in expected.items():
        ours = str(names[name])
        place = None if topic == "all" else scores.topics.index(topic)
        value = means[ours][0, 0] if place is None else scores.values[ours][0, 0, place]
        assert value == pytest.approx(float(text), abs=5.1e-5), (name, topic)
    return len(expected)


def scored(data: Path, run: str, qrels: str, names: dict[str, ds.Measure], **reading):
    collection = ds.Collection(ds.read_runs(data / run), ds.read_judgments(data / qrels, **reading))
    return collection.score(list(dict.fromkeys(names.values())), empty="zero")


@pytest.mark.parametrize(
    ("qrels", "run", "output", "numbers"),
    [
        ("qrels.test", "results.test", "out.test.aq", 383),
        ("qrels.test", "results.trunc", "out.test.aqc", 383),
        ("qrels.comment.test", "results.comment.test.gz", "out.comment.test", 1),
        ("qrels.test.with-comments", "results.test", "out.test.aq", 383),
        ("qrels.test", "results.test", "out.test.meas_params", 80),
    ],
)
def test_every_number_of_the_outputs(qrels: str, run: str, output: str, numbers: int) -> None:
    """All of all_trec and of the output with other parameters."""
    data = shared_data("trec_eval_test")
    expected = printed(data / output)
    gains = {"ndcg_1=3,2=9,4=4.5": "nDCG(gains={0: 0, 1: 3, 2: 9, 3: 3, 4: 4.5})"}
    names = {n: ds.measure(gains.get(n, n), trec_eval=True) for n, _ in expected if n not in gains}
    expected = {k: v for k, v in expected.items() if k[0] in names}
    assert check(expected, scored(data, run, qrels, names), names) >= numbers


def test_relevance_level_two() -> None:
    data = shared_data("trec_eval_test")
    expected = printed(data / "out.test.aql")
    names = {n: ds.measure(n, trec_eval=True) for n, _ in expected}
    names = {n: replace(m, rel=2) if "rel" in m.declared() else m for n, m in names.items()}
    assert check(expected, scored(data, "results.test", "qrels.rel_level", names), names) >= 383


def test_several_assessors_in_column_two() -> None:
    """qrels_jg: column 2 names the assessor, the output averages over assessors."""
    data = shared_data("trec_eval_test")
    expected = printed(data / "out.test.qrels_jg")
    names = {n: ds.measure(n, trec_eval=True) for n, _ in expected}
    scores = scored(data, "results.test", "qrels.123", names, assessor="column")
    assert len(scores.assessors) == 3
    assert check(expected, scores, names) == 81


def test_rbp_is_trec_evals_only_where_its_names_are_asked_for() -> None:
    assert str(ds.measure("rbp")) == "RBP(p=0.8)"
    assert str(ds.measure("rbp", trec_eval=True)) == "TrecRBP"


@pytest.mark.parametrize("name", ["runid", "relstring", "relstring_20", "prefs_simp", "prefs_avgjg_imp", "yaap"])
def test_what_is_not_computed_is_refused_by_name(name: str) -> None:
    with refused(ds.DissensusError, name):
        ds.measure(name)
