"""Runs and judgments given the wrong way round, or not made yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import dissensus as ds
from dissensus.errors import InputError

RUNS = ds.Runs.from_dict({"s": {"q": {"d": 1.0}}})
JUDGMENTS = ds.Judgments.from_dict({"a": {"q": {"d": 1}}})


@pytest.mark.parametrize(
    "call",
    [
        lambda: ds.evaluate(JUDGMENTS, RUNS, ["AP"]),  # type: ignore[arg-type]
        lambda: ds.Collection(JUDGMENTS, RUNS),  # type: ignore[arg-type]
        lambda: ds.aware(JUDGMENTS, RUNS, ["AP"]),  # type: ignore[arg-type]
        lambda: ds.check(JUDGMENTS),  # type: ignore[arg-type]
    ],
)
def test_exchanged_arguments_are_named(call: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match=r"(?s)runs is a Judgments, not Runs.*Runs come first"):
        call()


@pytest.mark.parametrize("call", [ds.agreement, ds.merge, ds.disagreement])
@pytest.mark.parametrize(("wrong", "name"), [(RUNS, "Runs"), (7, "int"), (None, "NoneType"), ([1, 2], "list")])
def test_what_is_no_judgments_is_named(call: Callable[[Any], Any], wrong: object, name: str) -> None:
    with pytest.raises(InputError, match=f"judgments is a {name}, not Judgments"):
        call(wrong)


GRADES = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d4": 1}}
SCORES = {"q1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}, "q2": {"d4": 1.0, "d1": 2.0}}


def rows(table: dict[str, dict[str, Any]], value: str) -> dict[str, list[Any]]:
    pairs = [(t, d, v) for t, docs in table.items() for d, v in docs.items()]
    return {"query_id": [p[0] for p in pairs], "doc_id": [p[1] for p in pairs], value: [p[2] for p in pairs]}


def ways_in(tmp_path: Any) -> dict[str, tuple[Any, Any]]:
    """Runs and judgments in every form, from which every verb must make the same."""
    pandas, ir_measures, ranx = (pytest.importorskip(m) for m in ("pandas", "ir_measures", "ranx"))
    run_rows, qrel_rows = rows(SCORES, "score"), rows(GRADES, "relevance")
    runs, judgments = ds.Runs.from_dict({"run": SCORES}), ds.Judgments.from_dict({"assessor": GRADES})
    runs.write(tmp_path / "run.csv")
    judgments.write(tmp_path / "assessor.csv")
    return {
        "objects": (runs, judgments),
        "dicts": (SCORES, GRADES),
        "named dicts": ({"run": SCORES}, {"assessor": GRADES}),
        "columns": (run_rows, qrel_rows),
        "polars": (pl.DataFrame(run_rows), pl.DataFrame(qrel_rows)),
        "pandas": (pandas.DataFrame(run_rows), pandas.DataFrame(qrel_rows)),
        "paths": (tmp_path / "run.csv", str(tmp_path / "assessor.csv")),
        "ir_measures": (
            [ir_measures.ScoredDoc(*r) for r in zip(*run_rows.values(), strict=True)],
            [ir_measures.Qrel(*r) for r in zip(*qrel_rows.values(), strict=True)],
        ),
        "ranx": (ranx.Run(SCORES, name="run"), ranx.Qrels(GRADES, name="assessor")),
    }


def test_every_form_gives_the_same_scores(tmp_path: Any) -> None:
    found = {name: ds.evaluate(r, j, ["AP", "nDCG@10"]) for name, (r, j) in ways_in(tmp_path).items()}
    expected = found.pop("objects")
    for name, scores in found.items():
        assert scores["nDCG@10"].values.tolist() == expected["nDCG@10"].values.tolist(), name
        assert scores["AP"].system.values.tolist() == ["run"], name


def test_every_verb_takes_every_form(tmp_path: Any) -> None:
    ways = ways_in(tmp_path)
    crowd = {
        a: {t: {d: (g + i) % 3 for d, g in docs.items()} for t, docs in GRADES.items()} for i, a in enumerate("abc")
    }
    for _, (runs, judgments) in ways.items():
        assert len(ds.inject_noise(judgments, ds.Confusion.uniform(3, 0.2))) == 5
        assert float(ds.pair_noise(judgments, judgments)) == 0
        assert ds.check(runs, judgments).ok
    assert ds.merge(crowd).judgments.n_items == 5
    assert ds.agreement(crowd).percent is not None
    assert ds.disagreement(crowd).count


def test_iterations_that_differ_are_assessors() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels = [ir_measures.Qrel("q", "d", 1, "ann"), ir_measures.Qrel("q", "d", 0, "bob")]
    assert ds.agreement(qrels).pairs.height == 1


def test_a_dict_without_documents_says_so() -> None:
    with pytest.raises(InputError):
        ds.evaluate({"q": 1}, GRADES, ["AP"])
