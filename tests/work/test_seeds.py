"""One seed in, one result out."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.work.seeds import block_sizes, child, generator, sequence, spawn


def test_spawned_seeds_are_numpys_and_do_not_depend_on_their_number() -> None:
    ours, theirs = spawn(42, 5), np.random.SeedSequence(42).spawn(5)
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        np.testing.assert_array_equal(a.generate_state(4), b.generate_state(4))
        np.testing.assert_array_equal(child(42, i).generate_state(4), b.generate_state(4))
    np.testing.assert_array_equal(spawn(42, 2)[1].generate_state(4), spawn(42, 9)[1].generate_state(4))


def test_a_sequence_is_never_advanced() -> None:
    parent = np.random.SeedSequence(3)
    first = [s.generate_state(1)[0] for s in spawn(parent, 3)]
    assert [s.generate_state(1)[0] for s in spawn(parent, 3)] == first
    assert parent.n_children_spawned == 0


def test_units_draw_different_numbers() -> None:
    draws = {generator(0, i).integers(1 << 60) for i in range(100)} | {generator(0).integers(1 << 60)}
    assert len(draws) == 101
    assert generator(0, 1, 2).random() != generator(0, 2, 1).random()


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, None])
def test_what_is_no_seed(seed: object) -> None:
    with refused(InputError, 0, options=["seed"]):
        sequence(seed)  # type: ignore[arg-type]


def test_blocks_hold_every_repetition_once():
    assert (block_sizes(30, 10), block_sizes(7, 10), block_sizes(0, 10)) == ([10, 10, 10], [7], [])
