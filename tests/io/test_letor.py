"""LETOR files: rows, names of documents, queries beside the file."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from small_files import file

from dissensus.errors import FileError
from dissensus.io.letor import read_letor


def test_rows_names_and_features(tmp_path) -> None:
    text = "# head\n2 qid:7 1:0.5 3:2e-1 #docid = D1 inc = 1\n0 qid:7 2:1 # D2\n1 qid:8\n"
    rows = read_letor(file(tmp_path, "a.txt", text))
    assert rows.X.tolist() == [[0.5, 0, 0.2], [0, 1, 0], [0, 0, 0]]
    assert (rows.y.tolist(), rows.topic, rows.doc) == ([2, 0, 1], ["7", "7", "8"], ["D1", "D2", "8.1"])
    assert (rows.line.tolist(), rows.first) == ([2, 3, 4], 1)
    assert read_letor(file(tmp_path, "b.txt", "1 qid:1 0:2\n"), n_features=3).X.tolist() == [[2, 0, 0]]


def test_numbers_only_python_can_round(tmp_path) -> None:
    number = "0.1000000000000000055511151231257827"
    assert read_letor(file(tmp_path, "a.txt", f"1 qid:1 1:{number}\n")).X[0, 0] == float(number)
    with refused(FileError, "a.txt:1", "'1:1e999'"):
        read_letor(file(tmp_path, "a.txt", "1 qid:1 1:1e999\n"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 2:1\n", ("a.txt:3", 1)),
        ("-1 qid:1 1:1\n", ("a.txt:1",)),
        ("1 1:1\n", ("a.txt", "a.txt.query")),
        ("1 qid:1 1:1\n1 1:1\n", ("a.txt:2",)),
        ("1 qid:1 1:1 #docid = D\n0 qid:1 1:2 #docid = D\n", ("a.txt:1", 2, "D")),
        ("# nothing\n", ("a.txt",)),
    ],
)
def test_rules(tmp_path, text: str, values: tuple[object, ...]) -> None:
    with refused(FileError, *values):
        read_letor(file(tmp_path, "a.txt", text))


def test_a_matrix_no_machine_holds(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISSENSUS_MAX_MATRIX", "1K")
    with refused(FileError, "DISSENSUS_MAX_MATRIX=2K"):
        read_letor(file(tmp_path, "a.txt", "1 qid:1 200:1\n"))


def test_queries_beside_the_file(tmp_path) -> None:
    path = file(tmp_path, "rank.train", "1 1:1\n0 1:2\n1 1:3\n")
    file(tmp_path, "rank.train.query", "2\n1\n")
    assert read_letor(path).topic == ["1", "1", "2"]
    file(tmp_path, "rank.train.query", "2\n2\n")
    with refused(FileError, 4, "rank.train.query"):
        read_letor(path)
    assert np.array_equal(read_letor(path, queries=file(tmp_path, "q", "3\n")).X, [[1], [2], [3]])
