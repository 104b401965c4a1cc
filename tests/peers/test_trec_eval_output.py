"""trec_eval 10.0's own test outputs, printed to four decimals."""

from __future__ import annotations

from pathlib import Path

import pytest
from paths import shared_data

import dissensus as ds

NAMES = {
    "map": "AP", "Rprec": "Rprec", "bpref": "Bpref", "recip_rank": "RR", "ndcg": "nDCG", "set_P": "SetP",
    "set_recall": "SetR", "set_F": "SetF",
    **{f"P_{k}": f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall_{k}": f"R@{k}" for k in (5, 10, 100, 1000)},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in (5, 10, 20, 100)},
    **{f"map_cut_{k}": f"AP@{k}" for k in (5, 10, 100)},
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
    **{f"iprec_at_recall_{level / 10:.2f}": f"IPrec(rounding='v10')@{level / 10:g}" for level in range(11)},
}  # fmt: skip


def printed(path: Path) -> dict[tuple[str, str], str]:
    rows = [line.split() for line in path.read_text().splitlines()]
    return {(row[0], row[1]): row[2] for row in rows if len(row) == 3}


def check(expected: dict[tuple[str, str], str], scores) -> int:
    count = 0
    for (name, topic), text in expected.items():
        if name not in NAMES:
            continue
        ours = scores[str(ds.measure(NAMES[name]))].isel(assessor=0, system=0)
        value = ours.mean("topic").item() if topic == "all" else ours.sel(topic=topic).item()
        assert value == pytest.approx(float(text), abs=5.1e-5), (name, topic)
        count += 1
    return count


@pytest.mark.parametrize(
    ("qrels", "run", "output"),
    [
        ("qrels.test", "results.test", "out.test.aq"),
        ("qrels.test", "results.trunc", "out.test.aqc"),
        ("qrels.comment.test", "results.comment.test.gz", "out.comment.test"),
        ("qrels.test.with-comments", "results.test", "out.test.aq"),
    ],
)
def test_expected_outputs(qrels: str, run: str, output: str) -> None:
    data = shared_data("trec_eval_test")
    expected = printed(data / output)
    scores = ds.evaluate(
        ds.read_runs(data / run), ds.read_judgments(data / qrels), list(dict.fromkeys(NAMES.values())), empty="zero"
    )
    assert check(expected, scores) > 20


def test_relevance_level_two() -> None:
    data = shared_data("trec_eval_test")
    expected = printed(data / "out.test.aql")
    level = {"map": "AP(rel=2)", "Rprec": "Rprec(rel=2)", "bpref": "Bpref(rel=2)", "recip_rank": "RR(rel=2)"}
    scores = ds.evaluate(
        ds.read_runs(data / "results.test"),
        ds.read_judgments(data / "qrels.rel_level"),
        list(level.values()),
        empty="zero",
    )
    for name, ours in level.items():
        for topic in scores.topic.values:
            value = scores[ours].isel(assessor=0, system=0).sel(topic=topic).item()
            assert value == pytest.approx(float(expected[name, topic]), abs=5.1e-5), (name, topic)


def test_several_assessors_in_column_two() -> None:
    """qrels_jg: column 2 names the assessor, the output averages over assessors."""
    data = shared_data("trec_eval_test")
    expected = printed(data / "out.test.qrels_jg")
    judgments = ds.read_judgments(data / "qrels.123", assessor="column")
    assert len(judgments.assessors) == 3
    scores = ds.evaluate(ds.read_runs(data / "results.test"), judgments, ["AP", "P@5", "P@10", "P@100"], empty="zero")
    for name, ours in {"map_avgjg": "AP", "P_avgjg_5": "P@5", "P_avgjg_10": "P@10", "P_avgjg_100": "P@100"}.items():
        for topic in scores.topic.values:
            mean = scores[ours].isel(system=0).sel(topic=topic).mean("assessor").item()
            assert mean == pytest.approx(float(expected[name, topic]), abs=5.1e-5), (name, topic)
