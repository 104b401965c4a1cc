"""Ranker files that were damaged, changed by hand or made up are refused, and never crash the process."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

from dissensus import learning
from dissensus.errors import FileError
from dissensus.learning import load_ranker
from dissensus.learning.rankers.model_file import checksum, numbers

NAMES = ("PRank", "RankSVM", "RankBoost", "LambdaMART")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    rng = np.random.default_rng(0)
    X = rng.random((90, 3))
    y = (X[:, 0] * 3).astype(int)
    few = {"PRank": {}, "RankSVM": {}, "RankBoost": {"rounds": 5}, "LambdaMART": {"trees": 4, "min_documents": 2}}
    return {n: getattr(learning, n)(**few[n]).fit(X, y, [30, 30, 30]).to_json() for n in NAMES}


def signed(document: dict[str, Any]) -> str:
    """A file whose checksum holds, whatever is in it."""
    inner = {k: v for k, v in document.items() if k not in ("format", "checksum")}
    return json.dumps({**document, "checksum": checksum(inner)})


@pytest.mark.parametrize("name", NAMES)
def test_no_damaged_byte_gets_through(name: str, texts: dict[str, str], tmp_path: Path) -> None:
    whole, path, rng = texts[name].encode(), tmp_path / "model.json", random.Random(1)
    original = load(path, whole)
    for _ in range(150):
        data = bytearray(whole)
        data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            back = load(path, bytes(data))
        except FileError:
            continue
        assert back.to_json() == original.to_json()  # white space, or the byte that was there
    for cut in range(0, len(whole) - 2, max(1, len(whole) // 40)):
        with pytest.raises(FileError):
            load(path, whole[:cut])


def load(path: Path, data: bytes) -> Any:
    path.write_bytes(data)
    return load_ranker(path)


@pytest.mark.parametrize(
    ("name", "key", "value", "values"),
    [
        ("RankSVM", "coef", [1.0], ("coef", 1, 3)),
        ("RankSVM", "coef", [1.0, 2.0, "x"], ("m.json", "coef")),
        ("RankSVM", "scale", [1.0, 0.0, 1.0], ("m.json", 0)),
        ("PRank", "grades", [], ("m.json",)),
        ("RankBoost", "feature", [7] * 5, ("m.json", 3)),
        ("RankBoost", "feature", [10**30] * 5, ("m.json",)),
        ("RankBoost", "alpha", [10**400] * 5, ("m.json",)),
        ("LambdaMART", "trees", [], ("m.json",)),
        ("LambdaMART", "trees", [{"leaf": []}], ("m.json",)),
    ],
)
def test_signed_nonsense(
    name: str, key: str, value: Any, values: tuple[object, ...], texts: dict[str, str], tmp_path: Path
) -> None:
    document = json.loads(texts[name])
    document["model"][key] = value
    with refused(FileError, *values):
        load(tmp_path / "m.json", signed(document).encode())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{", "m.json"),
        ("{}", "m.json"),
        ('{"format": "dissensus ranker 1", "ranker": "PRank"}', "m.json"),
        ('{"format": "dissensus ranker 2", "ranker": "PRank"}', "m.json"),
        ("[" * 100_000, "m.json"),
        ('{"format": ' + "1" * 5000 + "}", "m.json"),
        (signed({"format": "dissensus ranker 2", "ranker": "Oracle"}), "Oracle"),
        (signed({"format": "dissensus ranker 2", "ranker": "PRank"}), "settings"),
    ],
)
def test_files_that_are_not_rankers(text: str, value: object, tmp_path: Path) -> None:
    with refused(FileError, value):
        load(tmp_path / "m.json", text.encode())


def test_an_absent_file(tmp_path: Path) -> None:
    with refused(FileError, "absent.json"):
        load_ranker(tmp_path / "absent.json")


def test_numbers_are_finite() -> None:
    assert numbers({"a": 3}, "a", whole=True).tolist() == [3]
    with refused(ValueError):
        numbers({"a": [float("nan")]}, "a")
    with refused(ValueError):
        numbers({"a": [True]}, "a", whole=True)
