"""Confusion: rules of the matrix, noise profiles, sampling, files."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import ConfusionError, FileError
from dissensus.judging.confusion.api import Confusion, check_counts, check_rows, shares, square
from dissensus.tables.scale import Scale


def test_matrix_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Confusion.uniform(3, 0.1).matrix[0, 0] = 5


@pytest.mark.parametrize("grades", [2, 3, 5])
def test_noise_profiles(grades: int) -> None:
    uniform, distance = Confusion.uniform(grades, 0.3).matrix, Confusion.distance(grades, 0.3).matrix
    assert np.allclose(np.diag(uniform), 0.7)
    assert np.allclose(np.diag(distance), 0.7)
    assert np.allclose(distance.sum(axis=1), 1)
    off = uniform[~np.eye(grades, dtype=bool)]
    assert np.allclose(off, 0.3 / (grades - 1))
    for i in range(grades):  # proportional to 1/|i−j|
        others = [j for j in range(grades) if j != i]
        assert np.allclose([distance[i, j] * abs(i - j) for j in others], distance[i, others[0]] * abs(i - others[0]))


def test_sample_follows_the_matrix_and_the_seed() -> None:
    c = Confusion([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0, 0.5, 0.5]])
    labels = np.repeat([0, 1, 2], 40_000)
    noisy = c.sample(labels, seed=1)
    assert noisy.dtype == np.int8
    for grade in range(3):
        share = np.bincount(noisy[labels == grade], minlength=3) / 40_000
        assert np.allclose(share, c.matrix[grade], atol=0.01)
    assert np.array_equal(noisy, c.sample(labels, seed=1))
    assert not np.array_equal(noisy, c.sample(labels, seed=2))


def test_sample_keeps_unjudged_and_refuses_what_it_does_not_know() -> None:
    c = Confusion.uniform(2, 1.0)
    assert c.sample([[-2, 0], [1, -128]]).tolist() == [[-2, 1], [0, -128]]
    with refused(ConfusionError, 2, "0…1"):
        c.sample([2])
    with refused(ConfusionError, "float64"):
        c.sample([0.5])
    empty_row = Confusion(None, counts=[[3, 1], [0, 0]])
    assert empty_row.unknown == ("1",)
    assert empty_row.sample([0, 0]).shape == (2,)
    with refused(ConfusionError, "confusion.smoothed"):
        empty_row.sample([0, 1])


def test_smoothing_is_the_dirichlet_mean() -> None:
    c = Confusion(None, counts=[[8, 2], [1, 3]]).smoothed(0.5)
    assert np.allclose(c.matrix, [[8.5 / 11, 2.5 / 11], [1.5 / 5, 3.5 / 5]])
    assert np.array_equal(c.counts, [[8, 2], [1, 3]])
    assert phrase("confusion.added-every-cell", "0.5") in str(c)
    with refused(ConfusionError):
        Confusion.uniform(2, 0.1).smoothed(1)


def test_json_round_trip(tmp_path: object) -> None:
    c = Confusion(None, counts=[[67, 17], [0, 0]], scale=Scale(("no", "yes")), notes=("a note",))
    back = Confusion.from_json(c.to_json())
    assert np.allclose(back.matrix, c.matrix, equal_nan=True)
    assert np.array_equal(back.counts, c.counts)
    assert back.scale == c.scale
    assert back.notes == c.notes
    with refused(ConfusionError, 1, 2):
        Confusion.from_json("{")
    with refused(ConfusionError, "matrix", "counts"):
        Confusion.from_json("[]")
    with refused(FileError, "absent.json"):
        Confusion.read("absent.json")


@pytest.mark.parametrize(
    "text",
    ['{"matrix": 5}', '{"matrix": [[1, 0], [0, "x"]]}', '{"matrix": [[1]], "scale": {"low": 0}}', "[" * 100_000,
     '{"counts": {"a": 1}}', '{"matrix": [[1, 0], [0, 1]], "scale": [1, 1]}'],
)  # fmt: skip
def test_a_file_that_is_no_confusion_is_refused_by_name(tmp_path, text):
    path = tmp_path / "c.json"
    path.write_text(text)
    with refused(ConfusionError, "c.json"):
        Confusion.read(path)


def test_a_byte_order_mark_is_no_part_of_the_matrix(tmp_path):
    path = tmp_path / "confusion.json"
    path.write_bytes(b'\xef\xbb\xbf{"matrix": [[0.9, 0.1], [0.3, 0.7]], "scale": ["no", "yes"]}')
    assert Confusion.read(path).matrix[1, 0] == 0.3


def test_rows_must_sum_to_one_and_the_message_names_the_row() -> None:
    with refused(ConfusionError, 1, "0.9"):
        Confusion([[1, 0], [0.3, 0.6]])
    with refused(ConfusionError, 0, 1, "[1.2, -0.2]"):
        Confusion([[1.2, -0.2], [0, 1]])
    with refused(ConfusionError, "(1, 2)"):
        Confusion([[0.5, 0.5]])
    with refused(ConfusionError, "Confusion()"):
        Confusion()
    with refused(ConfusionError, "0…2"):
        Confusion([[1, 0], [0, 1]], scale=Scale.range(0, 2))


def test_noise_profiles_take_a_scale_and_refuse_nonsense() -> None:
    scale = Scale(("Non", "Rel", "HRel"))
    assert Confusion.uniform(scale, 0.1).scale == scale
    with refused(ConfusionError, 0, 1, "Confusion.uniform"):
        Confusion.uniform(3, 1.5)
    with refused(ConfusionError, 2, "Confusion.distance"):
        Confusion.distance(1, 0.1)


def test_shares_and_unknown_rows() -> None:
    counts = np.array([[3.0, 1.0], [0.0, 0.0]])
    matrix = shares(counts)
    assert matrix[0].tolist() == [0.75, 0.25]
    assert np.isnan(matrix[1]).all()
    check_rows(matrix, counts, Scale.range(0, 1))  # a row without counts is unknown, not wrong
    with refused(ConfusionError, 1, 0):
        check_rows(matrix, None, Scale.range(0, 1))
    check_rows(np.array([[0.5, 0.5 + 5e-7], [0, 1]]), None, Scale.range(0, 1))  # rounding


def test_counts_and_shapes() -> None:
    for wrong in ([[1, -1], [0, 1]], [[1, np.inf], [0, 1]]):
        with refused(ConfusionError, 0):
            check_counts(np.array(wrong, float), np.eye(2))
    with refused(ConfusionError, "(3, 3)"):
        check_counts(np.eye(3), np.eye(2))
    for wrong in ("text", [[1, 2]], [], [["a", "b"], ["c", "d"]]):
        with pytest.raises(ConfusionError):
            square(wrong, "matrix")
