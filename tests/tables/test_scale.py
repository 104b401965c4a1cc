"""Scales: names, numbers, texts that mean them."""

from __future__ import annotations

import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import ScaleError
from dissensus.tables.scale import Scale, as_scale


def test_grades_by_name_and_number() -> None:
    scale = Scale(("Non", "Rel", "Key"), low=1)
    assert (scale.low, scale.top, scale.grades.tolist()) == (1, 3, [1, 2, 3])
    assert [scale.grade(label) for label in ("Non", "2", 3, " Key ")] == [1, 2, 3, 3]
    assert [scale.name(g) for g in (1, 3, -2)] == ["Non", "Key", "-2"]
    assert (2 in scale, 0 in scale, "Rel" in scale) == (True, False, False)
    for wrong in ("0", "4", "rel", 1.5):
        with refused(ScaleError, "Rel", "Key"):
            scale.grade(wrong)


@pytest.mark.parametrize(
    ("text", "scale"),
    [("0..3", Scale.range(0, 3)), ("1 … 4", Scale.range(1, 4)), ("Non, Rel", Scale(("Non", "Rel"))), (None, None)],
)
def test_what_users_write(text: str | None, scale: Scale | None) -> None:
    assert as_scale(text) == scale


@pytest.mark.parametrize("wrong", ["3..0", "a,a", "0..127", ()])
def test_what_is_not_a_scale(wrong: object) -> None:
    with pytest.raises(ScaleError):
        as_scale(wrong)


def test_texts() -> None:
    assert str(Scale.range(0, 3)) == "0…3"
    assert str(Scale(("Non", "Rel"))) == "Non < Rel"
    assert str(Scale(("cat", "dog"), ordered=False, declared=False)) == phrase("scale.read-off-data", "cat, dog")
    assert Scale.range(0, 1, declared=False) == Scale.range(0, 1)
