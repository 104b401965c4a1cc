"""Query classes from judgments."""

from __future__ import annotations

from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.users.classes import query_classes


def test_classes_need_one_assessor() -> None:
    judgments = ds.Judgments.from_dict({"a": {"q": {"x": 1}}, "b": {"q": {"x": 0}}})
    with refused(InputError, 2, by="classes.query_classes", options=["assessor"]):
        query_classes(judgments)
    assert query_classes(judgments, "a") == {"q": "navigational"}
