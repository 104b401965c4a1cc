"""Qrels through the scanner are the qrels of the exact reader."""

from __future__ import annotations

import numpy as np
from small_files import file
from wording import phrase

import dissensus as ds
from dissensus.io.judgment_files import qrels_judgments


def test_scanned_judgments_are_those_of_a_frame(tmp_path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        (t, who, f"d{d}", int(rng.integers(-1, 3)))
        for t in (10, 9)
        for who in ("0", "ann")
        for d in rng.permutation(15)
    ]
    half = len(rows) // 2
    paths = [
        file(tmp_path, name, "# c\n" + "".join(f"{t} {w} {d} {g}\n" for t, w, d, g in part))
        for name, part in (("a.qrels", rows[:half]), ("b.qrels", rows[half:]))
    ]
    found = qrels_judgments([(p, None) for p in paths], "column", None, "error")
    topic, who, doc, grade = zip(*rows, strict=True)
    expected = ds.Judgments.from_columns(topic, doc, who, grade, place="test")
    assert found is not None
    assert found.to_frame().equals(expected.to_frame())
    assert phrase("judgment-files.comment-lines-skipped", 2) in found.notes
    one = qrels_judgments([(paths[0], "x")], None, "0..3", "last")
    assert one is not None
    assert (one.assessors, one.scale.top) == (("x",), 3)


def test_what_the_scanner_does_not_know_is_left_to_the_exact_reader(tmp_path) -> None:
    assert qrels_judgments([(file(tmp_path, "a.qrels", "1 0 d yes\n"), None)], None, None, "error") is None
    votes = "".join(f"{i % 20} q w{i % 4} {i % 2}\n" for i in range(400))
    assert qrels_judgments([(file(tmp_path, "v.qrels", votes), None)], None, None, "error") is None
