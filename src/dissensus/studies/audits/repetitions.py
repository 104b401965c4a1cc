"""What studies of audits share: repetitions in blocks, settings by name, judges beside gold, simulated ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.work.executor import Options, run_units
from dissensus.work.seeds import block_sizes

ByKey = dict[tuple[Any, ...], list[Any]]  # what blocks gave, by their key


def repeated(
    block: Callable[..., object],
    keys: Sequence[tuple[object, ...]],
    repetitions: int,
    size: int,
    **options: Unpack[Options],
) -> ByKey:
    """What `block((*key, n), …)` gave for each key, at most `size` repetitions at a time; `options` of `run_units`."""
    units = [(*key, n) for key in keys for n in block_sizes(repetitions, size)]
    done = run_units(block, units, **options)
    out: ByKey = {key: [] for key in keys}
    for (*key, _), result in zip(units, done, strict=True):
        out[tuple(key)].append(result)
    return out


def by_method(done: ByKey) -> ByKey:
    """The rows of all blocks by key and method, where a block gives rows by method."""
    out: ByKey = {}
    for key, blocks in done.items():
        for result in blocks:
            for method, rows in result.items():
                out.setdefault((*key, method), []).extend(rows)
    return out


def settings_named(wanted: tuple[str, ...], known: Iterable[str]) -> tuple[str, ...]:
    """The settings asked for, all of them where none is; one that does not exist is an error."""
    every = tuple(known)
    unknown = [name for name in wanted if name not in every]
    if unknown:
        raise InputError(f"no setting is called {unknown[0]!r}; there are {', '.join(every)}.")
    return wanted or every


@dataclass(frozen=True, eq=False)
class GoldStandard:
    """Runs and the labels of several judges of the same documents; `gold` names the judge to believe."""

    runs: Runs
    judgments: Judgments
    gold: str

    def others(self, wanted: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The judges to be held against gold: those asked for, all others where none is."""
        known, gold = self.judgments.assessors, self.gold
        if gold not in known:
            raise InputError(f"no assessor is called {gold!r}; there are {', '.join(known)}.")
        others = wanted or tuple(a for a in known if a != gold)
        if not others:
            raise InputError(
                f"there are gold labels of {gold} only.", "Give another judge's labels of the same documents."
            )
        return others

    def alone(self, who: str) -> Judgments:
        """One assessor's judgments; on a scale of its own, where the common one was only read off all labels."""
        mine = self.judgments.select(assessors=[who])
        scale, top = mine.scale, int(mine.grade.max(initial=0))
        if scale.declared or top >= scale.top or not len(mine):
            return mine
        return mine.with_grades(mine.grade, Scale.range(scale.low, max(top, scale.low + 1)))


@dataclass(frozen=True)
class ErringJudge:
    """A simulated judge of relevant documents (1) and others (0)."""

    sensitivity: float = 0.85
    specificity: float = 0.8

    def labels(
        self, gold: NDArray[np.int64], rng: np.random.Generator, tilt: NDArray[np.float64] | float = 0.0
    ) -> NDArray[np.int64]:
        """What it says of documents; `tilt` is added to its false positive rate."""
        chance = np.where(gold == 1, self.sensitivity, 1 - self.specificity + tilt)
        return (rng.random(len(gold)) < chance).astype(np.int64)
