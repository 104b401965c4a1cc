"""One seed in, one result out, whatever the number of workers.

Every unit of work draws from a separate generator, derived from the seed and the unit's number alone: it does not
matter which worker runs the unit, or when, or whether the units before it were run at all. Repetitions too short to
be worth a message to another process are cut into blocks, each a unit.

    >>> float(generator(7, 3).random()) == float(generator(7, 3).random())
    True
    >>> [s.spawn_key for s in spawn(7, 3)] == [s.spawn_key for s in np.random.SeedSequence(7).spawn(3)]
    True
"""

from __future__ import annotations

import numpy as np

from dissensus.errors import Fix, InputError, Option, Text

Seed = int | np.random.SeedSequence


def sequence(seed: Seed) -> np.random.SeedSequence:
    """A fresh seed sequence; `seed` itself is never advanced, so that the same call gives the same numbers again."""
    if isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(
            Text(Option("seed", seed), ": a seed must be a whole number of at least 0."),
            Fix("Write ", Option("seed", 0), ", for example."),
        )
    return np.random.SeedSequence(int(seed))


def child(seed: Seed, *key: int) -> np.random.SeedSequence:
    """The seed of unit `key[0]` (and of its part `key[1]` …), without spawning the ones before it."""
    parent = sequence(seed)
    return np.random.SeedSequence(parent.entropy, spawn_key=(*parent.spawn_key, *map(int, key)))


def spawn(seed: Seed, n: int) -> list[np.random.SeedSequence]:
    """The seeds of units 0…n−1, the same as numpy's `SeedSequence(seed).spawn(n)`."""
    return sequence(seed).spawn(n)


def generator(seed: Seed, *key: int) -> np.random.Generator:
    """The random generator of unit `key`; without a key that of the seed itself."""
    return np.random.default_rng(child(seed, *key))


def block_sizes(total: int, block: int) -> list[int]:
    """Repetitions of each block; the last may be smaller.

    >>> block_sizes(25, 10)
    [10, 10, 5]
    """
    return [min(block, total - start) for start in range(0, total, block)]
