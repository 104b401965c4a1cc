"""Time-biased gain and U: lengths from a file, and what is missing."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.measures.families.time_biased import TBG, U, with_lengths
from dissensus.tables.scale import Scale

RUNS = ds.Runs.from_dict({"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}})


JUDGED = ds.Judgments.from_dict({"x": {"1": {"a": 1, "c": 1}}})


TEXTS = {"a": "one two three", "b": "one", "c": "one two"}


def texts(tmp_path, names: str) -> str:
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(f'{{"doc": "{d}", "text": "{TEXTS[d]}"}}\n' for d in names))
    return str(path)


def test_seconds_until_a_rank_is_reached(tmp_path) -> None:
    score = ds.evaluate(RUNS, JUDGED, [TBG(lengths=texts(tmp_path, "abc"))])
    seconds = 4.4 + (0.018 * 3 + 7.8) * 0.64 + 4.4 + (0.018 * 1 + 7.8) * 0.39
    assert next(iter(score.values())).item() == pytest.approx(0.4928 * (1 + 2 ** (-seconds / 224)))


def test_gain_fades_with_the_characters_read() -> None:
    grades, lengths = np.array([[2], [0], [1]], np.int8), np.array([1000.0, 50.0, 500.0])
    value = U(L=2000).of_ranking(grades, lengths, Scale.range(0, 2))[0]
    assert value == pytest.approx(3 / 4 * (1 - 400 / 2000) + 1 / 4 * (1 - 900 / 2000))
    assert U(L=300).of_ranking(grades, lengths, Scale.range(0, 2))[0] == 0  # nobody gets so far


def test_documents_without_a_text_are_refused_unless_cut_off(tmp_path) -> None:
    path = texts(tmp_path, "ab")
    with refused(MeasureError, 1, 3, "docs.jsonl"):
        ds.evaluate(RUNS, JUDGED, [TBG(lengths=path)])
    cut = ds.evaluate(RUNS, JUDGED, [TBG(lengths=path, cutoff=2)])
    assert next(iter(cut.values())).item() == pytest.approx(0.4928)
    with refused(MeasureError, "TBG"):
        ds.evaluate(RUNS, JUDGED, ["TBG"])
    with refused(MeasureError, "TBG"):
        TBG().score([1])


def test_lengths_for_those_that_need_them() -> None:
    needy, plain = with_lengths([ds.measure("U"), ds.measure("AP")], "docs.jsonl")
    assert (needy.lengths, plain) == ("docs.jsonl", ds.measure("AP"))
    with refused(MeasureError, "AP"):
        with_lengths([ds.measure("AP")], "docs.jsonl")


@pytest.mark.parametrize("name", ["TBG", "U"])
def test_lengths_are_needed(name: str) -> None:
    runs = {"s": {"1": {"a": 1.0}}}
    labels = ds.Judgments.from_dict({"ann": {"1": {"a": 1}}}, scale="0..3")
    with refused(MeasureError, options=["documents"]):
        ds.evaluate(runs, labels, [name])
