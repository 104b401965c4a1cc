"""Which way of merging assessors comes closest to gold: AWARE's 30 estimators, majority vote, EM.

k-tuples of assessors, all 30 estimators + uni + mv + emmv + emneu; τ_ap and RMSE to gold; ANOVA tables with ω² (Tables
4.1 and 4.2, the printed ω² beside ours), Tukey groups, main effects and interactions (thesis §4.5–4.6). With --runs and
--judgments, `gold` names the assessor that is the truth, and the systems are dealt into `split` sets for the Systems
factor (or `systems` names a CSV system,set); without files, a crowd is generated whose truth is known, `shared` of its
errors being common to all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.errors import InputError, Option, Text
from dissensus.judging.aware.api import Assessed, assess
from dissensus.judging.aware.estimators import ESTIMATORS, Estimator
from dissensus.judging.aware.random_judges import judged_alike, scores_of
from dissensus.judging.label_table import Labels, with_gold
from dissensus.judging.merging import em
from dissensus.judging.merging.methods import choose
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.stats.correlation import tau_ap
from dissensus.studies.aware_tables import APPROACHES, BY_LABELS, AwareStudy
from dissensus.studies.generated.crowd import generated_crowd
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.collection import Joined, join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import UNJUDGED
from dissensus.tables.topic_groups import read_groups
from dissensus.work.executor import stream_units

if TYPE_CHECKING:
    import polars as pl

MEASURES = ("AP", "nDCG@20", "ERR@20")

SETTINGS: Values = {
    "gold": "gold",
    "measures": MEASURES,
    "tuples": 50,
    "replicates": 1000,
    "sizes": (),
    "per_topic": False,
    "shared": 0.0,
    "systems": None,
    "split": 2,
}


def run(request: Request) -> StudyOutcome:
    chosen = request.settings
    gold: Any = chosen["gold"]
    notes: list[str] = []
    if request.runs or request.judgments:
        runs, judgments = request.collection()
        systems, note = sets_of_systems(runs, chosen["systems"], chosen["split"])
        notes.append(note)
    else:
        crowd = generated_crowd(request.seed, shared=chosen["shared"])
        systems, judgments, gold = crowd.systems, crowd.judgments, crowd.truth
        notes.append(f"generated crowd with known truth, {chosen['shared']:.0%} of the guesses shared by all")
    study = aware_study(
        systems,
        judgments,
        gold,
        chosen,
        seed=request.seed,
    )
    tables = study.tables()
    return StudyOutcome(tables=tables, notes=[*notes, *study.notes], figures=_figures(study, tables))


def sets_of_systems(runs: Runs, file: str | None, split: int) -> tuple[dict[str, Runs], str]:
    """Sets of systems for the Systems factor: those of a CSV system,set, or `split` sets by the order of names."""
    if file is not None:
        named = {str(k): str(v) for k, v in read_groups(file).items()}
        missing = [s for s in runs.systems if s not in named]
        if missing:
            raise InputError(f"{file} says nothing about the system {missing[0]!r}.", "Give every system a set.")
        sets = {name: [s for s in runs.systems if named[s] == name] for name in dict.fromkeys(named.values())}
        words = f"sets of systems from {file}"
    else:
        if split < 1:
            raise InputError(f"split={split}: the number of sets is a whole number of at least 1.")
        sets = {f"set {i + 1}": list(runs.systems[i::split]) for i in range(split)}
        words = f"systems dealt into {split} sets in the order of their names" if split > 1 else "one set of systems"
    small = [name for name, members in sets.items() if len(members) < 3]
    if small and len(sets) > 1:
        whole, words = {"runs": runs}, f"{words}: {small[0]} has fewer than 3, so there is no Systems factor"
        return whole, words
    if len(sets) == 1:
        return {"runs": runs}, words
    return {name: runs.select(systems=members) for name, members in sets.items()}, words


def _figures(study: AwareStudy, tables: dict[str, pl.DataFrame]) -> dict[str, Figure]:
    frame = study.to_frame()
    out: dict[str, Figure] = {}
    for name in ("tau_ap", "rmse"):
        short = name.replace("_", "-")
        out[f"{short}-approach"] = Figure("aware", "approach_chart", (frame, tables[f"Tukey {name}"], name))
        out[f"{short}-size"] = Figure("aware", "size_chart", (frame, name))
        out[f"{short}-interactions"] = Figure("aware", "interaction_chart", (frame, name))
        out[f"{short}-parts"] = Figure("aware", "parts_chart", (frame, name))
    return out


def aware_study(
    systems: Mapping[str, Runs],
    judgments: Judgments,
    gold: str | Judgments,
    settings: Values,
    *,
    seed: int = 0,
) -> AwareStudy:
    """Run the experiment on sets of systems judged by one crowd, with gold.

    `sizes` are the tuple sizes (2…K−1 without it); `per_topic` runs EM topic by topic, as the thesis does.
    """
    both, name = with_gold(judgments, gold)
    chosen = measure_list(settings["measures"])
    tuples, replicates, per_topic = (settings[name] for name in ("tuples", "replicates", "per_topic"))
    cells: list[list[Cell]] = []
    for m in chosen:
        cells.append([prepare(join(r, both), name, m, replicates, seed) for r in systems.values()])
    n = len(cells[0][0].crowd.assessors)
    used = tuple(map(int, settings["sizes"])) or tuple(range(2, n))
    if n < 3 or not used or min(used) < 1 or max(used) > n:
        raise InputError(
            Text(Option("sizes", list(used)), f": tuples are drawn from {n} assessors, so 2 to {n - 1} can be in one.")
        )

    units = [[k, i] for k in used for i in range(tuples)]
    shared = {"cells": cells, "per_topic": per_topic, "seed": seed}
    total = np.zeros((len(used), 2, len(APPROACHES), len(chosen), len(systems)))
    results = stream_units(one_tuple, units, shared=shared, threads=True, progress="tuples", ahead=2)
    for (k, _), found in zip(units, results, strict=True):
        total[used.index(k)] += found
    mean = total / tuples
    notes = (
        f"{tuples} tuples of each size {used[0]}…{used[-1]} of {n} assessors",
        f"{replicates:,} random judges of each class",
        f"gold: {name}; EM {'topic by topic' if per_topic else 'pooled over topics'}; seed {seed}",
    )
    names = tuple(str(m) for m in chosen)
    return AwareStudy(mean[:, 0], mean[:, 1], used, names, tuple(systems), tuples, notes)


@dataclass(frozen=True, eq=False)
class Cell:
    """One measure on one set of systems: assessors' scores and gaps, gold's mean scores, the rankings."""

    crowd: Joined
    measure: Measure
    assessed: Assessed
    gold: Floats  # system
    topics: NDArray[np.bool_]  # judged by gold
    condense: bool  # assessors judged different documents, so everybody's rankings are condensed


def prepare(joined: Joined, gold: str, measure: Measure, replicates: int, seed: int) -> Cell:
    """Everything about a measure and a set of systems that does not depend on the tuple."""
    place = joined.assessors.index(gold)
    keep = [i for i in range(len(joined.assessors)) if i != place]
    crowd = joined.with_labels(joined.labels[:, keep], [joined.assessors[i] for i in keep])
    condense = not judged_alike(joined)
    truth = scores_of(joined.with_labels(joined.labels[:, [place]], [gold]), measure, condense)[0]
    topics = np.isfinite(truth).all(axis=0)
    found = assess(crowd, measure, replicates=replicates, seed=seed, condense=condense, label="tuples")
    return Cell(crowd, measure, found, truth[:, topics].mean(axis=1), topics, condense)


def one_tuple(unit: list[int], cells: list[list[Cell]], per_topic: bool, seed: int) -> Floats:
    """(τ_ap and RMSE, approach, measure, systems) of one tuple of assessors."""
    k, number = unit
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7, k, number)))
    crowd = cells[0][0].crowd
    who = np.sort(rng.choice(len(crowd.assessors), k, replace=False))
    labels = np.stack([merged_labels(crowd, who, way, per_topic, seed + number) for way in BY_LABELS], axis=1)
    out = np.empty((2, len(APPROACHES), len(cells), len(cells[0])))
    for m, row in enumerate(cells):
        for s, cell in enumerate(row):
            means = _means(cell, who, labels)
            out[0, :, m, s] = tau_ap(cell.gold[None, :], means)
            out[1, :, m, s] = np.sqrt(((means - cell.gold[None, :]) ** 2).mean(axis=1))
    return out


def _means(cell: Cell, who: NDArray[np.int64], labels: NDArray[np.int8]) -> Floats:
    """Mean scores over gold's topics, approach × system."""
    merged = [cell.assessed.merged(Estimator.named(e), who, quiet=True) for e in (*ESTIMATORS, "uni")]
    own = scores_of(cell.crowd.with_labels(labels, BY_LABELS), cell.measure, cell.condense)
    scores = np.concatenate([np.stack(merged), own])[:, :, cell.topics]
    return np.asarray(np.nanmean(scores, axis=2), np.float64)


def merged_labels(crowd: Joined, who: NDArray[np.int64], way: str, per_topic: bool, seed: int) -> NDArray[np.int8]:
    """Labels of all documents merged from some assessors: "mv", "emmv" or "emneu", without the warnings of `merge`."""
    dense = crowd.labels[:, who]
    item, assessor = np.nonzero(dense >= 0)
    table = Labels(
        item.astype(np.int32), assessor.astype(np.int32), (dense[item, assessor] - crowd.scale.low).astype(np.int8),
        np.zeros(len(item), np.int32), crowd.scale, crowd.scale.grades.astype(np.int8), len(dense), len(who), 0,
    )  # fmt: skip
    posterior = table.shares()
    level, _ = choose(posterior, "coin", seed)
    if way != "mv":
        topic = np.repeat(np.arange(len(crowd.topics)), np.diff(crowd.topic_bounds))
        judge: Any = topic[item] * len(who) + assessor if per_topic else assessor
        group = topic if per_topic else np.zeros(len(dense), np.int64)
        data = em.Sparse.of(table, judge, len(who) * (len(crowd.topics) if per_topic else 1), group)
        start = (level[:, None] == np.arange(table.n_levels)).astype(np.float64) if way == "emmv" else None
        level, _ = choose(em.fit(data, start, threads=1).posterior, "coin", seed)
    return np.where(level >= 0, level + crowd.scale.low, int(UNJUDGED)).astype(np.int8)
