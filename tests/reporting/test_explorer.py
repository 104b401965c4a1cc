"""The explorer's buffer, unpacked again in Python, holds what the study holds."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import dissensus as ds
from dissensus.measures.catalog import measure, measure_list
from dissensus.reporting import explorer
from dissensus.reporting.explorer import (
    NONE,
    Packed,
    Specification,
    deepest,
    documents,
    pack,
    shown_documents,
    specifications,
)
from dissensus.reporting.study import ReportedStudy
from dissensus.tables.collection import join


def unpack(packed: Packed) -> dict[str, NDArray[Any]]:
    raw = zlib.decompress(base64.b64decode(packed.data))
    return {
        name: np.frombuffer(raw, place["type"], place["length"], place["at"])
        for name, place in packed.header["arrays"].items()
    }


@pytest.fixture(name="study")
def _study() -> tuple[ds.Runs, ds.Judgments, ds.Audit]:
    runs = ds.Runs.from_dict(
        {"A": {"q1": {"x": 3.0, "new": 2.0, "y": 1.0}, "q2": {"z": 1.0}}, "B": {"q1": {"y": 2.0, "new": 1.0}}}
    )
    judgments = ds.Judgments.from_dict({"ann": {"q1": {"x": 2, "y": 0}, "q2": {"z": 1}}, "bob": {"q1": {"y": 1}}})
    audit = ds.Audit.from_dict({"q1": {"y": 2}}, inclusion={"q1": {"y": 0.25}})
    return runs, judgments, audit


def packed_study(
    study: tuple[ds.Runs, ds.Judgments, ds.Audit], specifications: Sequence[Specification] = (), **options: Any
) -> tuple[Packed, dict[str, Any]]:
    runs, judgments, audit = study
    joined = join(runs, judgments)
    scores = {"P@2": ds.evaluate(runs, judgments, ["P@2"])["P@2"].values[0]}
    shown = documents(joined, depth=2, audit=audit, **options)
    packed = pack(scores, joined.systems, joined.topics, shown, specifications=specifications)
    return packed, unpack(packed)


def test_every_label_lies_where_its_document_and_assessor_say(study: tuple[Any, ...]) -> None:
    packed, arrays = packed_study(study)
    ids = bytes(arrays["ids"]).decode().split("\n")
    labels = arrays["labels"].reshape(len(ids), len(packed.header["assessors"]))
    assert dict(zip(ids, labels.tolist(), strict=True)) == {
        "x": [2, NONE],
        "y": [0, 1],
        "new": [NONE] * 2,
        "z": [1, NONE],
    }
    assert packed.header["assessors"] == ["ann", "bob"]


def test_what_systems_show_is_cut_at_the_depth(study: tuple[Any, ...]) -> None:
    packed, arrays = packed_study(study)
    ids = bytes(arrays["ids"]).decode().split("\n")
    shown = {}
    for t, topic in enumerate(packed.header["topics"]):
        for s, system in enumerate(packed.header["systems"]):
            a, b = arrays["shownBounds"][t * 2 + s : t * 2 + s + 2]
            shown[system, topic] = [ids[arrays["bounds"][t] + d] for d in arrays["shown"][a:b]]
    assert shown == {("A", "q1"): ["x", "new"], ("B", "q1"): ["y", "new"], ("A", "q2"): ["z"], ("B", "q2"): []}


def test_the_audit_is_beside_its_document(study: tuple[Any, ...]) -> None:
    packed, arrays = packed_study(study)
    at = bytes(arrays["ids"]).decode().split("\n").index("y")
    assert arrays["gold"][at] == 2
    assert arrays["inclusion"][at] == np.float32(0.25)
    assert (np.delete(arrays["gold"], at) == NONE).all()
    assert packed.header["expert"]


def test_scores_and_means_are_those_given(study: tuple[Any, ...]) -> None:
    means = np.array([0.5, 0.25])
    packed, arrays = packed_study(study, specifications=[("ann", "P@2", "", means), ("ann", "P@2", "expected", means)])
    assert arrays["means"].tolist() == [*means.tolist(), *means.tolist()]
    assert arrays["scores"].reshape(1, 2, 2)[0, 0].tolist() == [0.5, 0.0]
    assert packed.header["specifications"] == [
        {"name": "ann", "measure": "P@2"},
        {"name": "ann", "measure": "P@2", "ties": "expected"},
    ]


def test_texts_are_cut_and_only_of_listed_documents(study: tuple[Any, ...]) -> None:
    import json

    _, arrays = packed_study(study, texts={"x": "word " * 10, "elsewhere": "no"}, limit=9)
    assert json.loads(bytes(arrays["texts"])) == {"x": "word word…"}


def test_too_many_documents_are_counted_not_listed(study: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "DOCUMENTS", 3)
    found = shown_documents(join(study[0], study[1]), 2)
    assert found.hidden == 2  # "new" at a rank of A and of B
    assert found.ids == [["x", "y"], ["z"]]
    assert (found.place == -1).sum() == 2


def test_the_depth_is_the_deepest_cutoff() -> None:
    assert deepest([measure("P@5"), measure("nDCG@30"), measure("AP")]) == 30
    assert deepest([measure("AP")]) == explorer.DEPTH


RUNS = ds.Runs.from_dict(
    {
        "A": {f"q{q}": {"x": 1.0, "y": 1.0, "z": 0.5} for q in range(4)},
        "B": {f"q{q}": {"z": 2.0, "y": 1.0} for q in range(4)},
    }
)
LABELS = ds.Judgments.from_dict(
    {a: {f"q{q}": {"x": 1, "y": int(a == "ann"), "z": 0} for q in range(4)} for a in ("ann", "bob", "cyd")}
)


def test_every_assessor_each_left_out_the_vote_and_the_other_ties_are_there() -> None:
    study = ReportedStudy(RUNS, LABELS, tuple(measure_list(["P@1"])), assessor="bob")
    found = {(name, ties): means.tolist() for name, measure, ties, means in specifications(study)}
    assert {"bob", "ann", "cyd", "majority", "EM", "majority without bob"} <= {name for name, _ in found}
    assert found["bob", ""][0] == 0.0  # y before x: document ids break ties
    assert found["bob", "expected"][0] == 0.5
    assert next(iter(found)) == ("bob", "")


def test_without_ties_there_is_no_second_policy() -> None:
    plain = ds.Runs.from_dict({"A": {f"q{q}": {"x": 2.0, "y": 1.0} for q in range(4)}})
    study = ReportedStudy(plain, LABELS, tuple(measure_list(["P@1"])), assessor="bob")
    assert not [s for s in specifications(study) if s[2]]
    assert all(np.isfinite(s[3]).all() for s in specifications(study))
