"""Ids as bytes: several buffers, choosing rows, natural order."""

from __future__ import annotations

import numpy as np
from refusals import refused

from dissensus.errors import InputError
from dissensus.tables.ids import IdColumn, natural_order


def test_ids_in_several_buffers():
    one, two = IdColumn.from_strings(["a", "bé"]), IdColumn.from_strings(["ccc", "", "e"])
    both = IdColumn((*one.texts, *two.texts))
    names = ["a", "bé", "ccc", "", "e"]
    assert both.strings() == names
    assert both.packed().strings() == names
    assert both.keys.tolist() == IdColumn.from_strings(names).keys.tolist()
    for rows in ([], [1, 2], [4, 0, 2], [3, 3]):
        assert both.strings(np.array(rows, int)) == [names[r] for r in rows]
        assert both.pick(np.array(rows, int)).strings() == [names[r] for r in rows]
    with refused(InputError, 65535):
        IdColumn.from_strings(["x" * 70_000])


def test_natural_order():
    names = ["10", "9", "b", "a10", "a9", "007", "7", "é", "1" * 30]
    assert [names[i] for i in natural_order(names)] == ["007", "7", "9", "10", "1" * 30, "a10", "a9", "b", "é"]
