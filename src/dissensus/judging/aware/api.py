"""AWARE: merge scores instead of labels, weighting assessors by how unlike random judging their scores are.

    aware-m(t, run) = Σ_k a_k(t) · m(t, run | assessor k),   Σ_k a_k(t) = 1

(Ferrante, Ferro & Maistro 2017.) A majority vote decides document by document and lets one wrong document pull a whole
ranking. AWARE lets every assessor score the run and averages, with less weight for those whose scores a coin could have
produced.

>>> import dissensus as ds
>>> run = ds.Runs.from_dict({"run": {"t": {f"d{i}": 5 - i for i in range(5)}}})
>>> said = {"a": (1, 1, 0, 0, 0, 1), "b": (1, 1, 1, 0, 0, 0), "c": (0, 1, 1, 0, 1, 0)}
>>> judged = {who: {"t": {f"d{i}": g for i, g in enumerate(grades)}} for who, grades in said.items()}
>>> scores = aware(run, ds.Judgments.from_dict(judged), ["AP"], estimator="uni")
>>> round(float(scores["AP"].sel(assessor="aware", system="run", topic="t")), 5)
0.75185
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import InputError, MeasureError, Option, ReliabilityWarning, Text
from dissensus.io.options import ReadKeywords
from dissensus.judging.aware.estimators import GAPS, Estimator, closeness, gap_sums, normalised, weights
from dissensus.judging.aware.random_judges import (
    BLOCK,
    CLASSES,
    Variants,
    bare_rankings,
    block_scores,
    judged_alike,
    scores_of,
    variants,
)
from dissensus.judging.label_table import with_gold
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.measures.policies import Empty, Policies, Ties, Topics
from dissensus.measures.scores import ScoreArrays
from dissensus.measures.worth import on_gains
from dissensus.tables.coercion import coerced
from dissensus.tables.collection import Joined, answered_by_all, join, refuse_other_documents
from dissensus.tables.judgments import Judgments
from dissensus.tables.other_scales import check_one_scale
from dissensus.tables.runs import Runs
from dissensus.work.executor import stream_units
from dissensus.work.seeds import block_sizes

if TYPE_CHECKING:
    import xarray as xr

ESTIMATOR = "sgl_rmse_msd"
REPLICATES = 1000  # random judges of each class
THIN = 0.5  # coverage below which an assessor is flagged


@dataclass(frozen=True, eq=False)
class Assessed:
    """One measure's scores by every assessor (NaN for topics not judged), and what the weights are made of."""

    scores: Floats  # assessor, system, topic
    judged: NDArray[np.bool_]  # assessor, topic
    gaps: dict[tuple[str, str], Floats]  # (granularity, gap) → class × assessor (× topic)

    def merged(self, estimator: Estimator, who: NDArray[np.int64] | None = None, *, quiet: bool = False) -> Floats:
        """Merged scores (system, topic) of some assessors; NaN for topics none of them judged."""
        chosen = np.arange(len(self.scores)) if who is None else who
        gaps = {key: value[:, chosen] for key, value in self.gaps.items()}
        return combine(self.scores[chosen], weights(gaps, estimator, self.judged[chosen], quiet=quiet))


def combine(scores: Floats, weight: Floats) -> Floats:
    """Σ_k a_k(t) · scores, (system, topic); NaN where no weight is."""
    total = np.einsum("kst,kt->st", np.nan_to_num(scores, nan=0.0), weight)
    return np.where(weight.sum(axis=0) > 0, total, np.nan)


def assess(
    joined: Joined,
    measure: Measure,
    gaps: Iterable[str] = GAPS,
    *,
    replicates: int = 1000,
    seed: int = 0,
    condense: bool = False,
    label: str | None = None,
) -> Assessed:
    """Scores of every assessor and their gaps from random judges; `label` names the progress bar."""
    scores = scores_of(joined, measure, condense)
    which = variants(joined)
    wanted = tuple(gaps)
    n_topics = len(joined.topics)
    out = {
        (g, d): np.full((3, len(scores)) if g == "sgl" else (3, len(scores), n_topics), np.nan)
        for g in ("sgl", "tpc")
        for d in wanted
    }
    sums = {key: np.zeros_like(value) for key, value in out.items()}
    if wanted:
        units = [[kind, block, n] for kind in CLASSES for block, n in enumerate(block_sizes(replicates, BLOCK))]
        shared = {
            "bare": bare_rankings(joined, which, condense),
            "measure": measure,
            "which": which,
            "scores": scores,
            "wanted": wanted,
            "seed": seed,
        }
        blocks = stream_units(gaps_of_block, units, shared=shared, threads=True, progress=label, ahead=1)
        for (kind, _, _), found in zip(units, blocks, strict=True):
            for key, value in found.items():
                granularity, gap = key.split()
                sums[granularity, gap][CLASSES.index(kind)] += value
    judged: NDArray[np.bool_] = np.asarray(which.of >= 0)
    for key, total in sums.items():
        known = np.asarray(judged.any(axis=1))[None, :] if key[0] == "sgl" else judged[None]
        out[key] = np.where(known, total / replicates, np.nan)
    return Assessed(scores, judged, out)


def gaps_of_block(
    unit: list[Any],
    bare: list[Joined],
    measure: Measure,
    which: Variants,
    scores: Floats,
    wanted: tuple[str, ...],
    seed: int,
) -> dict[str, Floats]:
    """Gaps of all assessors, summed over one block of random judges: 'sgl rmse' → assessor, 'tpc rmse' → × topic."""
    kind, block, n = unit
    random = block_scores(bare, measure, which, kind=kind, block=block, n=n, seed=seed)
    single, by_topic = scores.shape[0], (scores.shape[0], scores.shape[2])
    sums = {f"{g} {d}": np.zeros(single if g == "sgl" else by_topic) for g in ("sgl", "tpc") for d in wanted}
    for members, topics in which.groups:
        if not len(topics):
            continue
        first = which.of[members[0], topics]
        same = len(np.unique(first)) == 1
        theirs = (
            random[first[0]][:, :, topics]
            if same
            else np.stack([random[v][:, :, t] for v, t in zip(first, topics, strict=True)], axis=2)
        )
        for (granularity, gap), value in gap_sums(scores[members][:, :, topics], theirs, wanted).items():
            place = members if granularity == "sgl" else np.ix_(members, topics)
            sums[f"{granularity} {gap}"][place] += value
    return sums


@coerced
def aware(
    runs: Runs,
    judgments: Judgments,
    measures: Iterable[str | Measure] | str | Measure,
    estimator: str = ESTIMATOR,
    replicates: int = REPLICATES,
    seed: int = 0,
    gold: str | Judgments | None = None,
    *,
    unjudged: str | None = None,
    topics: Topics = Policies.topics,
    ties: Ties = Policies.ties,
    empty: Empty = "zero",
    **reading: Unpack[ReadKeywords],
) -> xr.Dataset:
    """Scores merged over assessors, with each assessor's weight.

    Where assessors judged different documents, each one's rankings are condensed to what it judged. Each coverage is
    in `attrs`, flagged under 50%. The gaps `tau` and `apc` measure lack of correlation, which a coin has too. They
    reproduce the thesis and are warned of. Measures must lie in [0, 1]. Not for one assessor, and not a cure for
    shared errors.

    Parameters
    ----------
    estimator
        How weights are estimated: granularity, gap and weighing in one name, as in sgl_rmse_msd, or uni for
        equal weights.
    replicates
        How many random judges of each class the assessors are held against.
    gold
        An assessor's name, or Judgments. Closeness to it on its topics is the weight then.
    unjudged
        Unjudged documents: nonrelevant, or condense. Without it, the judgments decide.
    topics
        Topics that count: all judged ones, or those every assessor answered (shared).

    Returns
    -------
    xarray.Dataset
        The dims of `evaluate` with the assessor "aware" first, and `weight` (assessor, topic; with several
        measures also measure).

    Examples
    --------
    >>> import dissensus as ds
    >>> run = {"run": {"t": {f"d{i}": 5.0 - i for i in range(5)}}}
    >>> said = {"a": (1, 1, 0, 0, 0, 1), "b": (1, 1, 1, 0, 0, 0), "c": (0, 1, 1, 0, 1, 0)}
    >>> labels = {who: {"t": {f"d{i}": g for i, g in enumerate(grades)}} for who, grades in said.items()}
    >>> scores = ds.aware(run, labels, "AP", estimator="uni")
    >>> round(float(scores["AP"].sel(assessor="aware", system="run", topic="t")), 4)
    0.7519
    """
    policies = Policies(topics, "nonrelevant", ties, empty)
    return aware_arrays(
        runs, judgments, measure_list(measures), policies, unjudged, estimator=estimator, replicates=replicates,
        seed=seed, gold=gold, label="random judges",
    ).to_dataset()  # fmt: skip


@dataclass(frozen=True, eq=False)
class AwareArrays:
    """What `aware` returns, as arrays: xarray takes longer to import than a small crowd to merge."""

    scores: ScoreArrays  # the assessor "aware" first
    weight: dict[str, Floats]  # by measure: assessor (without "aware") × topic
    assessed: dict[str, Assessed]  # by measure; without gaps where gold gives the weights

    def to_dataset(self) -> xr.Dataset:
        """The scores as `evaluate` gives them, with `weight`."""
        made = self.scores.to_dataset()
        padded = [np.concatenate([np.full((1, w.shape[1]), np.nan), w]) for w in self.weight.values()]
        if len(padded) == 1:
            return made.assign(weight=(("assessor", "topic"), padded[0]))
        names = np.array(list(self.weight), dtype=object)
        return made.assign(weight=(("measure", "assessor", "topic"), np.stack(padded))).assign_coords(measure=names)


def aware_arrays(
    runs: Runs,
    judgments: Judgments,
    chosen: list[Measure],
    policies: Policies,
    unjudged: str | None,
    *,
    estimator: str = ESTIMATOR,
    replicates: int = REPLICATES,
    seed: int = 0,
    gold: str | Judgments | None = None,
    label: str | None = None,
    joined: Joined | None = None,
) -> AwareArrays:
    """As `aware`; `unjudged` is apart from the policies, because without it the judgments decide."""
    parts = Estimator.named(estimator)
    _check(chosen, replicates, unjudged, parts)
    _check_policies(policies)
    if policies.topics == "shared":
        judgments = answered_by_all(runs, judgments)
    check_one_scale(judgments)
    (judgments,) = on_gains(chosen, judgments)
    if gold is not None:
        judgments, gold_name = with_gold(judgments, gold)
    else:
        gold_name = None
    joined = join(runs, judgments) if joined is None else joined.under(judgments)
    refuse_other_documents(joined)
    for m in chosen:
        m.check_scale(joined.scale)
    crowd = _without(joined, gold_name)
    if not len(crowd.assessors):
        raise InputError("there is no assessor left to merge.", "gold is not merged; judgments need somebody else too.")
    condense = (not judged_alike(joined)) if unjudged is None else unjudged == "condense"
    merged, weight, assessed = [], [], {}
    for m in chosen:
        if gold_name is None:
            found = assess(crowd, m, [parts.gap] if parts.gap else [], replicates=replicates, seed=seed,
                           condense=condense, label=label)  # fmt: skip
            share = weights(found.gaps, parts, found.judged)
        else:
            found, share = _by_gold(joined, crowd, gold_name, m, parts, condense)
        merged.append(combine(found.scores, share))
        assessed[str(m)] = found
        weight.append(share)
    values = {
        name: np.concatenate([new[None], one.scores]) for new, (name, one) in zip(merged, assessed.items(), strict=True)
    }
    attrs = _attrs(crowd, parts, replicates, seed, gold_name, condense)
    return AwareArrays(
        ScoreArrays(values, ("aware", *crowd.assessors), crowd.systems, crowd.topics, attrs),
        dict(zip(assessed, weight, strict=True)),
        assessed,
    )


def _check_policies(policies: Policies) -> None:
    """AWARE scores thousands of random judges as it scores the assessors, so it takes the rules that suit them all."""
    policies.only("random judges are scored on the same topics as the assessors", topics=("judged", "shared"))
    policies.only("random judges are scored without averaging over orders", ties=("trec",))
    policies.only("a random judge may find nothing relevant, which counts as 0", empty=("zero",))


def _check(measures: list[Measure], replicates: int, unjudged: str | None, estimator: Estimator) -> None:
    for m in measures:
        if not m.bounded:
            raise MeasureError(f"{m} does not lie in [0, 1], and AWARE's gaps need that.", "Use its normalised form.")
    if replicates < 1:
        raise InputError(Text(Option("replicates", replicates), ": at least one random judge of each class is needed."))
    if unjudged not in (None, "nonrelevant", "condense"):
        raise InputError(Text(Option("unjudged", unjudged), ' is neither "nonrelevant" nor "condense".'))
    if estimator.gap in ("tau", "apc"):
        warnings.warn(
            f"{estimator}: {estimator.gap} measures lack of correlation with random judges, which a coin has too, so "
            "a coin gets weight; prefer rmse, fro or kld.",
            ReliabilityWarning,
            stacklevel=4,
        )


def _without(joined: Joined, gold: str | None) -> Joined:
    if gold is None:
        return joined
    keep = [i for i, name in enumerate(joined.assessors) if name != gold]
    return joined.with_labels(joined.labels[:, keep], [joined.assessors[i] for i in keep])


def _by_gold(
    joined: Joined, crowd: Joined, gold: str, measure: Measure, estimator: Estimator, condense: bool
) -> tuple[Assessed, Floats]:
    scores = scores_of(joined, measure, condense)
    place = joined.assessors.index(gold)
    mine = np.delete(scores, place, axis=0)
    judged = crowd.in_topic
    if not estimator.gap:
        return Assessed(mine, judged, {}), normalised(judged.astype(np.float64), judged, "uni")
    near = closeness(mine, scores[place], estimator.gap, estimator.granularity)
    near = near**2 if estimator.weight == "msd" else near
    return Assessed(mine, judged, {}), normalised(near, judged, str(estimator))


# ── the result ──
def _attrs(
    crowd: Joined, estimator: Estimator, replicates: int, seed: int, gold: str | None, condense: bool
) -> dict[str, object]:
    judged = crowd.labels >= 0
    pool = np.diff(np.searchsorted(np.flatnonzero(judged.any(axis=1)), crowd.topic_bounds))
    in_reach = crowd.in_topic @ pool  # documents of the topics each assessor judged
    coverage = judged.sum(axis=0) / np.maximum(in_reach, 1)
    thin = [name for name, c in zip(crowd.assessors, coverage, strict=True) if c < THIN]
    source = f"{replicates:,} random judges of each class, seed {seed}" if gold is None else f"closeness to {gold}"
    notes = [f"estimator={estimator} ({'equal weights' if not estimator.gap else source})"]
    notes.append(f"unjudged={'condense (assessors judged different documents)' if condense else 'nonrelevant'}")
    notes.append("topics without relevant documents score 0; topics an assessor did not judge have weight 0")
    if (coverage < 1).any():
        notes.append(f"coverage of the pool: {coverage.min():.0%} to {coverage.max():.0%}")
    if thin:
        more = " …" if len(thin) > 8 else ""
        notes.append(f"under 50% of their topics' pool was judged by {', '.join(thin[:8])}{more}")
    return {
        "estimator": str(estimator),
        "replicates": replicates if gold is None and estimator.gap else 0,
        "seed": seed,
        "gold": gold or "",
        "unjudged": "condense" if condense else "nonrelevant",
        "empty": "zero",
        "coverage": {name: float(c) for name, c in zip(crowd.assessors, coverage, strict=True)},
        "footer": "\n".join(notes),
    }
