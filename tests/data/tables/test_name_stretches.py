"""Names where they change, coded in natural order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import refused

from dissensus.data.tables.ids import natural_order
from dissensus.data.tables.name_stretches import change_rows, name_stretches
from dissensus.errors import InputError

RNG = np.random.default_rng(1)
VALUES = np.repeat(RNG.integers(0, 12, 80), RNG.integers(1, 5, 80))


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(VALUES),
        pl.Series(VALUES - 5),
        pl.Series(VALUES.astype(np.uint64) + np.uint64(2**63)),
        pl.Series([f"t{v}" for v in VALUES]),
        pl.Series([f"a topic with a long name, {v}" for v in VALUES]),
        pl.Series([str(v) for v in VALUES], dtype=pl.Categorical),
        pl.Series([f"t{v}" for v in VALUES], dtype=pl.Enum([f"t{v}" for v in range(20)])),
    ],
)
@pytest.mark.parametrize("further", [(), ("t3", "7", "silent")])
def test_names_and_codes_are_those_of_every_row(column: pl.Series, further: tuple[str, ...]) -> None:
    texts = [str(v) for v in column]
    found = name_stretches(column, "topic", further)
    every = [*dict.fromkeys([*texts, *further])]
    assert found.names == tuple(every[i] for i in natural_order(every))
    codes = np.repeat(found.code, np.diff(np.r_[found.row, len(column)]))
    assert [found.names[c] for c in codes] == texts
    assert found.row.tolist() == [i for i in range(len(texts)) if i == 0 or texts[i] != texts[i - 1]]


def test_a_bad_name_is_refused() -> None:
    with refused(InputError, "' b'"):
        name_stretches(pl.Series(["a", " b"]), "topic")


def test_a_text_that_goes_on_in_the_next_chunk_is_no_change() -> None:
    long = "a text that is longer than a view"
    column = pl.concat([pl.Series([long]), pl.Series([long, "b"]), pl.Series(["c", long])], rechunk=False)
    assert change_rows(column).tolist() == [0, 2, 3, 4]
