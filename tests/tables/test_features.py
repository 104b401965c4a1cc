"""Reading LETOR files: values as scikit-learn reads them, errors that name file and line."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import shared_data
from refusals import refused
from wording import phrase

from dissensus.errors import FileError, InputError, ScaleError
from dissensus.tables.features import Features, read_features


def write(tmp_path, text, name="train.txt"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_letor_rows_with_comments(tmp_path):
    path = write(tmp_path, "# head\n2 qid:10 1:0.5 3:-2e-1 #docid = GX1 inc = 1\n\n0 qid:10 2:1 # D2\r\n1 qid:7 1:3\n")
    f = read_features(path)
    np.testing.assert_array_equal(f.X, [[0.5, 0, -0.2], [0, 1, 0], [3, 0, 0]])
    assert f.y.tolist() == [2, 0, 1]
    assert f.topics == ("10", "7")
    assert f.docs == ("GX1", "D2", "7.1")
    assert f.group.tolist() == [2, 1]
    assert phrase("tables-features.documents-without-name", 1) in f.notes[0]


def test_a_byte_order_mark_is_no_label(tmp_path):
    file = tmp_path / "f.txt"
    file.write_bytes(b"\xef\xbb\xbf1 qid:1 1:0.5\n0 qid:1 1:2\n")
    assert read_features(file).y.tolist() == [1, 0]


def test_zero_based_and_wider(tmp_path):
    f = read_features(write(tmp_path, "1 qid:a 0:1 2:5\n"), n_features=4)
    assert f.first == 0
    np.testing.assert_array_equal(f.X, [[1, 0, 5, 0]])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1 qid:1 1:2\nx qid:1 1:2\n", (":2", "x")),
        ("1 qid:1 1:2 1:3\n", ("'1:3'",)),
        ("1 qid:1 3:2 2:3\n", ("'2:3'",)),
        ("1 qid:1 1:NULL\n", ("'1:NULL'",)),
        ("1 qid:1 1:inf\n", ("'1:inf'",)),
        ("1 qid:1 1:1e999\n", ("'1:1e999'",)),
        ("1 qid:1 a:1\n", ("'a:1'",)),
        ("1 qid:1 1:1 foo\n", ("foo",)),
        ("1 qid: 1:1\n", ()),
        ("1 1:1\n1 qid:2 1:1\n", (":1",)),
        ("-1 qid:1 1:1\n", ("-1",)),
        ("1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n", (":3", 1)),
        ("1 qid:1 1:1 #a\n1 qid:1 1:1 #a\n", (":1", ":2")),
        ("1 1:1\n", ()),
        ("# nothing\n", ()),
    ],
)
def test_errors_name_the_line(tmp_path, text, values):
    with refused(FileError, "train.txt", *values):
        read_features(write(tmp_path, text))


def test_missing_folder_and_damaged_files(tmp_path):
    with refused(FileError, "absent.txt"):
        read_features(tmp_path / "absent.txt")
    with refused(FileError, tmp_path.name):
        read_features(tmp_path)
    damaged = tmp_path / "x.gz"
    damaged.write_bytes(gzip.compress(b"1 qid:1 1:1\n" * 100)[:-20])
    with refused(FileError, "x.gz"):
        read_features(damaged)


def test_side_file_of_queries(tmp_path):
    path = write(tmp_path, "1 1:1\n0 1:2\n2 1:3\n", "rank.train")
    write(tmp_path, "2\n1\n", "rank.train.query")
    assert read_features(path).group.tolist() == [2, 1]
    with refused(FileError, 2, "rank.train"):
        read_features(path, queries=write(tmp_path, "2\n", "short"))
    with refused(FileError, 1, "two"):
        read_features(path, queries=write(tmp_path, "two\n", "short"))


def test_real_file_as_scikit_learn_reads_it():
    from sklearn.datasets import load_svmlight_file

    path = shared_data("ltr-lightgbm-example") / "rank.train.gz"
    f = read_features(path)
    X, y = load_svmlight_file(io.BytesIO(gzip.decompress(path.read_bytes())))
    np.testing.assert_array_equal(f.X, X.toarray())
    np.testing.assert_array_equal(f.y, y)
    assert len(f.topics) == 201
    assert np.bincount(f.grades()).tolist() == [645, 1211, 858, 222, 69]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_numbers_are_those_of_python(values):
    path = Path(tempfile.mkdtemp()) / "a.letor"
    path.write_text("".join(f"{abs(v)!r} qid:1 1:{v!r} 2:{v:.20e}#c{i}\n" for i, v in enumerate(values)))
    f = read_features(path)
    assert f.X.tolist() == [[v + 0.0, v + 0.0] for v in values]
    assert f.y.tolist() == [abs(v) for v in values]


def test_features_change_without_touching_the_original():
    f = Features.from_arrays(np.arange(8.0).reshape(4, 2), [0, 2, 1, 1], group=[3, 1], topics=["b", "a"])
    assert f.select(["a"]).docs == ("a.1",)
    assert f.rows(np.array([1, 3])).group.tolist() == [1, 1]
    assert f.rows(np.array([3])).topics == ("a",)
    assert f.with_labels([1, 1, 1, 0]).y.tolist() == [1, 1, 1, 0]
    assert f.y.tolist() == [0, 2, 1, 1]
    np.testing.assert_allclose(f.proportions(), [0.25, 0.5, 0.25])
    assert f.judgments().to_frame().sort("doc")["grade"].to_list() == [1, 0, 2, 1]
    assert f.runs([3, 1, 2, 0]).ranking("ranker", "b") == ["b.1", "b.3", "b.2"]


def test_soft_labels_are_no_grades():
    f = Features.from_arrays(np.eye(2), [0.5, 1], group=[2])
    assert not f.graded
    with refused(ScaleError, "0.5", "1.1"):
        f.judgments()


@pytest.mark.parametrize(
    ("X", "y", "group"),
    [(np.eye(2), [1], [2]), (np.eye(2), [1, 0], [3]), (np.eye(2), [1, -1], [2]), ([[np.nan]], [1], [1])],
)
def test_arrays_that_do_not_fit(X, y, group):
    with pytest.raises(InputError):
        Features.from_arrays(X, y, group)
