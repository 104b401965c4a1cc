"""A short, seeded run of the fuzzer: nothing read differently, nothing foreign; a child that dies is counted."""

from __future__ import annotations

import pytest

from bench.fuzz import Child, table
from bench.fuzz.child import outcome
from bench.fuzz.formats import formats

FORMATS = formats()


@pytest.mark.parametrize("number", range(len(FORMATS)), ids=lambda n: f"{n}-{FORMATS[n].name}")
def test_mutated_files_are_refused_or_read_right(tmp_path, number):
    letters = []
    for seed in range(12):
        letter, why = outcome(FORMATS[number], 900 + seed, tmp_path)
        assert letter in "r=.", why
        letters.append(letter)
        for left in tmp_path.iterdir():
            left.unlink()
    assert len(letters) == 12


def test_a_child_that_dies_costs_one_input():
    child = Child()
    assert set(child.run(0, 0, 3)) <= set("r=.")
    child.process.kill()
    child.process.wait()
    assert child.run(0, 3, 3) == "a"
    assert len(child.run(0, 4, 2)) == 2
    child.end()


def test_the_table_counts_every_letter():
    from collections import Counter

    text = table(["x", "x", "y"], [Counter("r=="), Counter("f"), Counter("!a.")])
    assert text.splitlines()[1].split() == ["x", "4", "1", "2", "0", "0", "1", "0"]
    assert text.splitlines()[-1].split() == ["all", "7", "1", "2", "1", "1", "1", "1"]
