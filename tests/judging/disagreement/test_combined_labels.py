"""Two labels of one document as one."""

from __future__ import annotations

import math

import pytest
from labelled_documents import labels
from refusals import refused
from wording import phrase

from dissensus.errors import InputError
from dissensus.judging.disagreement.api import disagreement
from dissensus.judging.disagreement.combined_labels import paired_labels, read_label_pairs, read_two_labels


class TestPairs:
    def test_snippet_and_page(self):
        snippet = labels({"x": ["Sure", "Sure"], "y": ["No", "Sure"]}, scale=("No", "Sure"))
        page = labels({"x": ["Key", "Rel"], "y": ["Non", "Key"]}, scale=("Non", "Rel", "Key"))
        d = disagreement(paired_labels(snippet, page), top=("Sure", "Key"))
        assert d.p["Sure, Rel"] == 1
        assert d.p["No, Non"] == 1
        assert d.count["No, Key"] == 0
        weights = d.weights(1, 2, zero="*, Non")
        assert weights["No, Non"] == 0
        assert weights["Sure, Key"] == 1
        assert math.isnan(weights["No, Key"])

    def test_labels_without_order_need_a_top(self):
        pairs = paired_labels(labels({"x": [0, 1]}), labels({"x": [1, 1]}))
        with refused(InputError, 0, 1, options=["top", "scale"]):
            disagreement(pairs)

    def test_nothing_in_common(self):
        with refused(InputError):
            paired_labels(labels({"x": [0, 1]}), labels({"y": [1, 1]}))


def test_two_columns_of_a_table(tmp_path) -> None:
    path = tmp_path / "users.csv"
    path.write_text("topic,doc,assessor,snippet,page\n1,x,a,Sure,Key\n1,x,b,No,Non\n1,y,a,Sure,Non\n")
    scales = "No,Sure;Non,Key"
    first, second = read_two_labels([str(path)], ["snippet", "page"], scales)
    assert first.scale.names == ("No", "Sure")
    assert second.grade.tolist() == [1, 0, 0]
    assert read_label_pairs([str(path)], ["snippet", "page"], scales).to_frame()["grade"].to_list() == [
        "Sure, Key", "No, Non", "Sure, Non",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "scales", "value"),
    [
        (["page"], None, 1),
        (["page", "mood"], None, "mood"),
        (["a", "b"], "0..1", 1),
    ],
)
def test_a_pair_has_two_columns_and_two_scales(tmp_path, columns, scales, value) -> None:
    path = tmp_path / "users.csv"
    path.write_text("topic,doc,assessor,snippet,page\n1,x,a,Sure,Key\n")
    with refused(InputError, value):
        read_two_labels([str(path)], columns, scales)


def test_labels_without_their_counterpart_are_counted() -> None:
    pairs = paired_labels(labels({"x": [0, 1], "y": [1, 1]}), labels({"x": [1, 1]}))
    assert len(pairs) == 2
    assert phrase("combined-labels.labels-without-counterpart-left", 2) in pairs.notes
