"""new − base for the gate, under every measure: from labels as they are, from scores, or corrected by gold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
import polars as pl

from dissensus.errors import InputError
from dissensus.inference.comparison.api import compare, one_assessor
from dissensus.inference.comparison.engine import margin, units_needed
from dissensus.inference.comparison.outcome import Outcome, with_base
from dissensus.inference.correction.api import correct_under
from dissensus.inference.correction.gold_topics import notes_of, rectified
from dissensus.inference.correction.questions import CorrectionOptions
from dissensus.inference.planning.prospect import labels_needed
from dissensus.measures.evaluate import Collection
from dissensus.measures.policies import Policies
from dissensus.measures.scores import ScoreArrays, aggregate_of, for_means
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.inference.correction.result import Corrected
    from dissensus.io.options import Missing
    from dissensus.measures.scores import How


class CompareOptions(TypedDict, total=False):
    """Those of `compare` that a gate has."""

    assessor: str | None
    gold: str | None
    missing: Missing | None
    level: float
    negligible: float | None
    seed: int


@dataclass(frozen=True)
class GateDifference:
    """new − base under one measure; `needs` says what it takes to find a distance of that size with 80 % power."""

    measure: str
    base: float
    new: float
    difference: float
    se: float
    df: float
    remark: str = ""
    how: How = "mean"
    needs: Callable[[float], str] | None = field(default=None, compare=False)  # what finds a distance, in words


def both_runs(base: Runs, new: Runs) -> tuple[Runs, tuple[str, str]]:
    """Both runs together, and their names; files of the same name become base and new."""
    frames, names = [], []
    for runs, role in ((base, "base"), (new, "new")):
        if len(runs.systems) != 1:
            some = ", ".join(runs.systems[:5])
            raise InputError(f"{role} holds {len(runs.systems)} systems ({some}); a gate compares one with one.")
        frames.append(runs.to_frame())
        names.append(runs.systems[0])
    if names[0] == names[1]:
        names = ["base", "new"]
    together = [f.with_columns(system=pl.lit(name)) for f, name in zip(frames, names, strict=True)]
    return Runs.from_frame(pl.concat(together)), (names[0], names[1])


def evaluated(
    runs: Runs, labels: Judgments, measures: list[str], policies: Policies, seed: int
) -> tuple[ScoreArrays, list[str]]:
    table = Collection(runs, labels).checked(
        measures, policies.topics, policies.unjudged, policies.ties, policies.empty, seed=seed
    )
    return table, ["labels taken as true: no audit was given", str(table.attrs.get("footer", ""))]


def as_scored(
    scores: xr.Dataset | ScoreArrays, names: tuple[str, str], measures: list[str], assessor: str | None
) -> list[GateDifference]:
    """Paired t on the topics that both systems have."""
    out = []
    for name in measures:
        how = aggregate_of(name, scores.attrs)
        systems, values = one_assessor(scores, name, assessor)
        _check_names(systems, names)
        for s in names:
            if _never_ran(scores, s):
                raise InputError(f"{s} has no results on any judged topic: it can neither pass nor fail.")
        pair = values[[systems.index(s) for s in names]]
        pair = pair[:, np.isfinite(pair).all(axis=0)]
        if pair.shape[1] < 2:
            raise InputError(f"{name}: {pair.shape[1]} topics have a score for both systems; a test needs 2.")
        pair = for_means(pair, how, name)
        d = pair[1] - pair[0]
        spread = float(d.std(ddof=1))
        se = 0.0 if spread < 1e-12 else spread / math.sqrt(len(d))
        before, after = (math.exp(x) if how == "geometric" else x for x in pair.mean(axis=1).tolist())
        needs = partial(_topics_needed, se, len(d))
        out.append(GateDifference(name, before, after, float(d.mean()), se, len(d) - 1.0, how=how, needs=needs))
    return out


def _topics_needed(se: float, topics: int, distance: float) -> str:
    """How many topics find a distance, by the spread of the ones at hand."""
    wanted = units_needed(topics, se * margin(topics - 1.0), distance)
    return f"a difference of {distance:.3g} needs about {wanted:,} topics instead of {topics:,} (power 80%)"


def _check_names(systems: Sequence[str], names: tuple[str, str]) -> None:
    for s in names:
        if s not in systems:
            raise InputError(f"{s} is not among the systems {', '.join(systems[:10])}.")


def corrected_by_gold(
    scores: xr.Dataset,
    names: tuple[str, str],
    measures: list[str],
    assessor: str | None,
    gold: str,
    missing: Missing | None,
) -> tuple[list[GateDifference], list[str]]:
    """Differences of the two systems, corrected topic by topic by the gold judge's scores on some of the topics."""
    two = _two_systems(scores, names)
    out, notes = [], []
    for name in measures:
        r = rectified(two, name, gold, assessor, "population", missing)
        pair = r.family((np.array([1]), np.array([0])))
        before, after = r.means().tolist()
        out.append(
            GateDifference(
                r.topics.measure, before, after, float(pair.difference[0]), float(pair.se[0]), float(pair.df[0]),
                how=r.aggregate,
            )
        )  # fmt: skip
        notes += notes_of(r)
    return out, [f"corrected topic by topic by the scores of {gold}", *notes]


def concluded(
    scores: xr.Dataset | ScoreArrays, names: tuple[str, str], measure: str, **options: Unpack[CompareOptions]
) -> Outcome:
    """What is concluded of the two systems, the base being in use."""
    return with_base(compare(_two_systems(scores, names), measure, **options).outcome, names[0])


def _two_systems(scores: xr.Dataset | ScoreArrays, names: tuple[str, str]) -> ScoreArrays:
    arrays = ScoreArrays.of(scores)
    _check_names(arrays.systems, names)
    places = [arrays.systems.index(s) for s in names]
    return replace(arrays, systems=names, values={m: v[:, places] for m, v in arrays.values.items()})


def _never_ran(scores: xr.Dataset | ScoreArrays, system: str) -> bool:
    """Did the run retrieve nothing on any topic? Known where the scores come from `evaluate`."""
    absent = {tuple(pair) for pair in scores.attrs.get("missing") or ()}
    return bool(absent) and all((system, str(t)) in absent for t in ScoreArrays.of(scores).topics)


def corrected_by_audit(
    runs: Runs,
    labels: Judgments,
    audit: Audit | Judgments,
    names: tuple[str, str],
    measures: list[str],
    options: CorrectionOptions,
) -> tuple[Corrected, list[GateDifference], list[str]]:
    """Corrected differences; one that the audit cannot give is NaN, with the reason."""
    result = correct_under(runs, labels, audit, measures, options)
    out = []
    for name in result.results:
        d = result.compare(names[1], names[0], measure=name)
        rows = result.table.filter(pl.col("measure") == name)
        score = dict(zip(rows["system"], rows["corrected"], strict=True))
        why = "" if math.isfinite(d.difference) else " ".join(d.notes)
        needs = partial(_labels_needed, result, name, names, options.level)
        pair = np.array([result.place_of(names[1])]), np.array([result.place_of(names[0])])
        df = d.df if why else min(d.df, float(result.results[name].estimate.df_one_sided(*pair)[0]))
        out.append(GateDifference(name, score[names[0]], score[names[1]], d.difference, d.se, df, why, needs=needs))
    worries = [f"{n}: {f.sentence}" for n, findings in result.diagnosis.items() for f in findings if f.worry]
    return result, out, ["corrected by the audit", *worries, result.footer]


def _labels_needed(result: Corrected, name: str, names: tuple[str, str], level: float, distance: float) -> str:
    """How many more audited documents, or topics, find a distance: the same computation as `plan` and `compare`."""
    r, pair = result.results[name], (result.place_of(names[1]), result.place_of(names[0]))
    if r.estimate.floor is None:  # an audit of whole topics
        d = result.compare(names[1], names[0], measure=name)
        return _topics_needed(d.se, len(result.topics), distance)
    rounded = float(f"{distance:.3g}")
    return labels_needed(
        r.measure, result.design, pair, rounded, made=r.estimate, target=result.target, level=level, seed=result.seed
    ).sentence
