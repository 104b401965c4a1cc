"""Gains from a file: what is read, and what is refused by name."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.errors import FileError
from dissensus.measures.gain_files import read_gains


def test_gains_by_number_and_name(tmp_path):
    path = tmp_path / "gains.json"
    path.write_text('{"weights": {"0": 0, "1": 0.25, "top": 1}}')
    assert read_gains(path) == {0: 0.0, 1: 0.25, "top": 1.0}


@pytest.mark.parametrize(
    "text",
    ['{"0": 0, "0": 1}', '{"0": NaN}', '{"0": 1e999}', '{"0": true}', '{"0": "1"}', "{}", "[1]", "[" * 100_000, "{"],
)
def test_what_is_not_a_gain_is_refused(tmp_path, text):
    path = tmp_path / "gains.json"
    path.write_text(text)
    with refused(FileError, "gains.json"):
        read_gains(path)


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path):
    path = tmp_path / "gains.json"
    path.write_text('{"0": 1}', encoding="utf-8-sig")
    assert read_gains(path) == {0: 1.0}


def test_a_score_table_without_scores_is_refused_by_name(tmp_path):
    import dissensus as ds

    path = tmp_path / "w.csv"
    path.write_text("topic\nq1\n")
    with refused(ds.DissensusError, "w.csv"):
        ds.read_scores(path)
