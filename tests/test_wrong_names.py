"""Names that do not exist are answered with the nearest, and a notebook shows the sentence first."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError, UnknownMeasure, UnknownName, UnknownParameter

LABELS = {"ann": {"1": {"x": 1, "y": 0}}, "bob": {"1": {"x": 1, "y": 1}}}
RUNS = {"A": {"1": {"x": 2.0, "y": 1.0}}, "B": {"1": {"y": 2.0, "x": 1.0}}}


@pytest.mark.parametrize(
    ("name", "meant"),
    [("agrement", "ds.agreement"), ("read_qrels", "ds.read_judgments"), ("kappa", "ds.agree"),
     ("Judgment", "ds.Judgments"), ("evalute", "ds.evaluate"), ("read_run", "ds.read_runs")],
)  # fmt: skip
def test_a_wrong_name_is_answered_with_the_nearest(name: str, meant: str) -> None:
    with pytest.raises(UnknownName) as found:
        getattr(ds, name)
    assert found.value.name == name
    assert next(word for word in found.value.fixes[0].split() if word.startswith("ds.")).rstrip("?") == meant
    assert not hasattr(ds, name)


@pytest.mark.parametrize(
    ("verb", "given", "keyword", "meant"),
    [
        (ds.merge, (LABELS,), "metod", "method="),
        (ds.agree, (LABELS,), "column", "columns="),
        (ds.evaluate, (RUNS, LABELS, "AP"), "topic", "topics="),
        (ds.read_judgments, ("x.csv",), "scales", "scale="),
        (ds.kendall_tau, ([1, 2], [1, 2]), "varient", "variant="),
        (ds.order, ([1], [0]), "bye", "by="),
    ],
)
def test_a_wrong_parameter_is_answered_with_the_nearest(verb, given, keyword: str, meant: str) -> None:
    with refused(UnknownParameter, f"{keyword}=") as found:
        verb(*given, **{keyword: "x"})
    assert meant in found.value.fixes[0]
    assert isinstance(found.value, TypeError)


def test_a_parameter_like_no_other_lists_what_is_taken() -> None:
    with refused(UnknownParameter, "zzzz=") as found:
        ds.rbo([1, 2], [1, 2], zzzz=1)
    assert found.value.fixes[0].rstrip(".").endswith(list(inspect.signature(ds.rbo).parameters)[-1])


def test_the_measure_asked_for_is_the_one_found() -> None:
    scores = ds.evaluate(RUNS, LABELS, ["P(rel=1)@1", "map"])
    assert float(scores["P(rel=1)@1"].sel(assessor="ann", system="A", topic="1")) == 1
    assert scores["map"].identical(scores["AP"])
    assert list(scores[["P(rel=1)@1"]].data_vars) == ["P@1"]
    assert float(scores.mean("topic")["P_1"].sel(assessor="ann", system="B")) == 0
    with refused(UnknownMeasure, "P@1", "AP"):
        scores["nDCG@10"]


def test_scores_of_one_measure_are_compared_by_it() -> None:
    runs = {s: {str(t): {"x": 2.0 + (s == "A") * (t % 3), "y": 3.0} for t in range(9)} for s in "AB"}
    labels = {"ann": {str(t): {"x": 1, "y": 0} for t in range(9)}}
    found = ds.compare(ds.evaluate(runs, labels, "RR"))
    assert found.measures == ["RR"]
    with refused(InputError, "RR", "AP", options=["measures"]):
        ds.compare(ds.evaluate(runs, labels, ["RR", "AP"]))


def test_read_features_says_what_takes_arrays() -> None:
    with refused(InputError, "ds.Features.from_arrays"):
        ds.read_features({"x": [1.0]})  # type: ignore[arg-type]


CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import dissensus as ds")
shell.run_cell("labels = 1\\nds.merge({'a': {'1': {'x': 1}}}, metod='x')")
"""


def test_a_notebook_shows_the_sentence_first_and_the_line_of_the_cell() -> None:
    pytest.importorskip("IPython")
    shown = subprocess.run([sys.executable, "-c", CELLS], capture_output=True, text=True, check=True).stdout
    lines = [line for line in shown.splitlines() if line.strip()]
    assert lines[0].startswith("UnknownParameter: merge()")
    assert "metod='x'" in shown
    assert len(lines) == 4
