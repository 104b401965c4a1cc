"""User-model files: what they hold reads back, and what is wrong with them is said."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import FileError, MeasureError
from dissensus.measures.user_models import Dynamic, UserModel, Walk, dead_ends, read_user_model, stationary_distribution


def test_a_model_reads_back() -> None:
    walk = Walk(np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([0.1, np.nan]))
    model = UserModel(walk=walk, dynamics={"all": Dynamic(1, 2, 3)}, notes=("from 10 clicks",))
    back = UserModel.from_json(model.to_json())
    assert back.walk is not None
    assert back.walk.transition.tolist() == walk.transition.tolist()
    assert back.walk.holding is not None
    assert back.walk.holding[0] == 0.1
    assert np.isnan(back.walk.holding[1])
    assert dict(back.dynamics) == {"all": Dynamic(1.0, 2.0, 3.0)}
    assert back.notes == ("from 10 clicks",)


def test_a_bare_matrix_is_a_walk() -> None:
    for text in ("[[0.5, 0.5], [0.5, 0.5]]", '{"walk": [[0.5, 0.5], [0.5, 0.5]]}'):
        model = UserModel.from_json(text)
        assert model.walk is not None
        assert model.walk.stationary.tolist() == [0.5, 0.5]


def test_a_changed_file_is_read_again(tmp_path) -> None:
    file = tmp_path / "user.json"
    file.write_text(UserModel(dynamics={"all": Dynamic(1, 0, 0)}).to_json())
    assert read_user_model(str(file)).dynamics["all"].alpha == 1
    file.write_text(UserModel(dynamics={"all": Dynamic(2.5, 0, 0)}).to_json())
    assert read_user_model(str(file)).dynamics["all"].alpha == 2.5


@pytest.mark.parametrize(
    ("matrix", "values"),
    [
        ([[0.5, 0.4], [0.5, 0.5]], (1, "0.9")),
        ([[1.2, -0.2], [0.5, 0.5]], (0,)),
        ([[0.5, 0.5]], ()),
        ([[float("nan"), 1.0], [0.5, 0.5]], ()),
        ([[0.0, 1.0], [0.0, 0.0]], (2, 0)),
    ],
)
def test_what_is_no_walk(matrix: list[list[float]], values: tuple[object, ...]) -> None:
    with refused(MeasureError, *values):
        Walk(np.array(matrix))


@pytest.mark.parametrize(
    ("text", "error", "values"),
    [
        ('{"walk": {"transition": [[1, 2], [3]]}}', FileError, ()),
        ('{"walk": {"transition": [[2]]}}', MeasureError, ("user.json", 1, 2)),
        ('{"dynamic": {"all": {"alpha": 1}}}', FileError, ()),
        ('{"dynamic": {"all": {"alpha": "x", "beta": 0, "gamma": 0}}}', MeasureError, ("x",)),
        ('{"walk": {"transition": [[1]], "holding": [0]}}', MeasureError, (1, 0)),
        ('{"walk": {}}', FileError, ("transition",)),
        ("0.5,0.5\n0.5,0.5", FileError, ("user.json:1",)),
        ("3", FileError, ("walk", "dynamic")),
    ],
)
def test_what_is_no_user_model(text: str, error: type[Exception], values: tuple[object, ...]) -> None:
    with refused(error, "user.json", *values):
        UserModel.from_json(text, "user.json")


def test_dead_ends_name_the_smallest_trap() -> None:
    p = np.array([[0.5, 0.5, 0, 0], [0.3, 0.2, 0.5, 0], [0, 0, 0.5, 0.5], [0, 0, 1.0, 0]])
    assert dead_ends(p) == phrase("user-models.ranks-walk-never-comes", 3, 4, 1, 2)
    assert dead_ends(np.zeros((2, 2))) == phrase("user-models.no-rank-visited")
    ring = np.roll(np.eye(7), 1, axis=1)
    assert dead_ends(ring) is None
    np.testing.assert_allclose(stationary_distribution(ring), 1 / 7)


def test_a_file_written_again_within_a_clock_tick_is_read_again(tmp_path) -> None:
    import os

    path = tmp_path / "user.json"
    for stay in (0.25, 0.75):  # of one size, and with one time
        path.write_text(f"[[{stay}, {1 - stay}], [0.50, 0.50]]")
        os.utime(path, ns=(1, 1))
        walk = read_user_model(str(path)).walk
        assert walk is not None
        assert walk.transition[0, 0] == stay


def test_json_that_no_parser_holds_is_refused(tmp_path) -> None:
    path = tmp_path / "user.json"
    for text in ("[" * 100_000, '{"walk": ' + "9" * 5000 + "}"):
        path.write_text(text)
        with refused(FileError, "user.json"):
            read_user_model(str(path))
