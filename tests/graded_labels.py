"""A file of two assessors' labels with named grades."""

from __future__ import annotations

import pytest

LABELS = "topic,doc,assessor,grade\n" + "".join(
    f"{t},d{d},{who},{grade}\n"
    for t in range(1, 4)
    for d in range(8)
    for who, grade in (("ann", ["Non", "Rel", "HRel"][(d + t) % 3]), ("bob", ["Non", "Rel", "HRel"][(d * t) % 3]))
)


@pytest.fixture(name="labels")
def graded_labels(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(LABELS)
    return path
