"""A calibration for each system: scores corrected through matrices of their own.

One judge treats two systems' documents differently (an LLM is kinder to its own kin), or two judges worked, one per
system. Then one matrix for both is biased, and its bias does not cancel. With a matrix per system, X_s the scores
corrected through C_s and ψ_s(d) how far calibration document d moves θ_s (`matrix.influence`),

    Cov(θ_a, θ_b) = cov_q(X_a, X_b)/n + Σ_clusters ψ_a ψ_b.

- Calibrations from different documents: the second sum is 0, and Var(θ_a − θ_b) is the sum of the two systems'
  variances, eq. 10 of the correction paper (less the covariance of queries that both answered).
- Two systems given the very same `Confusion`: they share it, and its error enters both with Σ_j m_aj m_bj V_j.
- Accuracies estimated from an audit, each system's from the audited documents it retrieved (weights 1/π): documents
  that both retrieved are in both calibrations, and their ψ_a ψ_b count. Clusters are topics where there are several,
  and what a topic does to scores and calibrations is taken together (see `matrix`).

Reference: eqs. 5, 7 and 10 of the correction paper; influence sums by cluster as in Huber (1967), Liang & Zeger (1986).

When not to use it: where one judge errs equally on all documents. The calibration's error then cancels in differences
through a shared matrix, and does not here: in the paper's example the standard error grows from 0.010 to 0.129.
Within a system, errors must still not depend on rank or topic; rectified scores need neither assumption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.correction.design import Design, where_judged
from dissensus.inference.correction.estimate import Estimate, MeasureResult, Method, covariance_population, refused
from dissensus.inference.correction.matrix import (
    Calibration,
    Documents,
    calibration_of,
    clustered_influence,
    comparable_values,
    influence,
    joint_covariance,
    label_mass,
    matrix_estimate,
)
from dissensus.inference.correction.weights import Weights
from dissensus.judging.confusion.api import Confusion
from dissensus.measures.measure import Linear
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.inference.correction.result import Corrected
    from dissensus.inference.rates.difference import Judge


METHOD = Method.SEPARATE
OWN = "the judge errs equally on all documents of one system, at all ranks, on all topics"
FEW = 10  # audited documents of a gold grade below which a system's matrix is called uncertain


# ── matrices from elsewhere ──────────────────────────────────────────────────────────────────────────────────────────
def check_calibrations(given: Mapping[str, object], systems: Sequence[str]) -> dict[str, Confusion]:
    """One `Confusion` for every system and no other, or an error that names what is missing."""
    way_out = "Give every system of the runs its confusion matrix, or one matrix for all of them."
    unknown = [str(s) for s in given if s not in systems]
    if unknown:
        raise InputError(f"the calibrations name {_few(unknown)}, but the systems are {_few(systems)}.", way_out)
    missing = [s for s in systems if s not in given]
    if missing:
        raise InputError(f"there is no calibration for {_few(missing)}; there are {_few(list(given))}.", way_out)
    out: dict[str, Confusion] = {}
    for system in systems:
        found = given[system]
        if not isinstance(found, Confusion):
            raise InputError(
                f"the calibration of {system} is a {type(found).__name__}, not a Confusion.",
                Fix(
                    "An audit of scored documents is the third argument itself; compare(…, "
                    "judge='separate') then estimates a matrix per system (method='confusion').",
                    reader="python",
                ),
            )
        out[system] = found
    return out


def by_own_confusion(measure: Linear, design: Design, weights: Weights, given: Mapping[str, Confusion]) -> Estimate:
    """Every system through the `Confusion` it was given; systems given the same object share its error."""
    members: dict[Confusion, list[int]] = {}  # Confusions are told apart by identity
    for s, name in enumerate(design.joined.systems):
        members.setdefault(given[name], []).append(s)
    values, bronze_values = comparable_values(measure, design)
    calibrations = [calibration_of(design, confusion) for confusion in members]
    return given_estimate(
        label_mass(design, weights), calibrations, list(members.values()), values, bronze_values, design.joined.systems
    )


def given_estimate(
    mass: Floats,
    calibrations: Sequence[tuple[Calibration | None, str]],
    members: Sequence[Sequence[int]],
    values: Floats,
    bronze_values: Floats | None,
    names: Sequence[str],
) -> Estimate:
    """The same from arrays: independent calibrations (or why there is none), and which systems each one serves."""
    parts = []
    covariance = np.zeros((len(mass), len(mass)))
    for (calibration, why), rows in zip(calibrations, members, strict=True):
        if calibration is None:
            made = refused(Method.CONFUSION, (len(rows), mass.shape[1]), why)
        else:
            made = matrix_estimate(mass[list(rows)], calibration, values, bronze_values)
        covariance[np.ix_(rows, rows)] = np.nan if made.calibration_part is None else made.calibration_part
        parts.append(made)
    groups = [_few([names[s] for s in rows]) for rows in members]
    said = f"{len(parts)} calibrations ({' | '.join(groups[:5])}{' …' if len(groups) > 5 else ''}): "
    said += "errors of different ones are independent; systems that were given the same one share its error."
    return _stacked(parts, members, covariance, names, [said])


def _as_if_apart(estimate: Estimate, names: Sequence[str]) -> Estimate:
    """One calibration for all, read as independent ones that happened to come out equal."""
    solved, mass = estimate.solved, estimate.by_label
    if estimate.why_not or solved is None or mass is None:
        return estimate
    alone = [[s] for s in range(len(names))]
    return given_estimate(mass, [(solved.calibration, "")] * len(names), alone, solved.values, None, names)


# ── matrices from an audit ───────────────────────────────────────────────────────────────────────────────────────────
def by_own_audit(measure: Linear, design: Design, weights: Weights) -> Estimate:
    """Every system through the matrix that the audited documents it retrieved (weight ≠ 0) give."""
    items = np.flatnonzero(design.calibrating())
    mass, (values, bronze_values) = label_mass(design, weights), comparable_values(measure, design)
    if not len(items):
        why = "no audited document with a bronze label lies in a scored topic, so none belongs to a system"
        return refused(METHOD, mass.shape[:2], why, assumption=OWN)
    mine = weights.dense(items) != 0
    return own_estimate(mass, design.documents_of(items), mine, values, bronze_values, design.joined.systems)


def own_estimate(
    mass: Floats,
    everyone: Documents,
    mine: NDArray[np.bool_],
    values: Floats,
    bronze_values: Floats | None,
    names: Sequence[str],
) -> Estimate:
    """The same from arrays: `mass` is systems × topics × labels, `mine` systems × calibration documents."""
    parts = []
    for s in range(len(mass)):
        # all systems keep one list of documents, others' with weight 0: influences then line up
        own = replace(everyone, weight=everyone.weight * mine[s])
        calibration = Calibration.from_documents(own, len(values), mass.shape[2])
        parts.append(_enough(matrix_estimate(mass[[s]], calibration, values, bronze_values), everyone))
    psi = np.vstack([_influence(e, everyone, mass.shape[1]) for e in parts])
    said = "accuracies are estimated per system, from the audited documents it retrieved."
    made = _stacked(parts, [[s] for s in range(len(parts))], psi @ psi.T, names, [said])
    if everyone.scored and everyone.n_topics > 1 and not made.why_not:
        made = replace(made, covariance=joint_covariance(made.scores, psi))
    few = [n for n, e in zip(names, parts, strict=True) if not e.why_not and _smallest(e) < FEW]
    note = f"{_few(few)}: fewer than {FEW} audited documents of a gold grade; the normal interval is strained."
    return replace(made, notes=(*made.notes, note)) if few else made


def _smallest(estimate: Estimate) -> float:
    """Calibration documents of the rarest gold class."""
    n = None if estimate.solved is None else estimate.solved.calibration.n_per_grade()
    return np.inf if n is None else float(n.min())


def _enough(estimate: Estimate, everyone: Documents) -> Estimate:
    """The estimate, or the sentence why its variance cannot be known."""
    documents = None if estimate.solved is None else estimate.solved.calibration.documents
    if estimate.why_not or documents is None:
        return estimate
    if _smallest(estimate) < 2:
        why = "the calibration holds one document only of some gold grade, so its uncertainty is unknown"
    elif documents.n_topics < 2 <= everyone.n_topics:
        why = "its audited documents lie in one topic, so it is not known how the judge's errors vary between topics"
    else:
        return estimate
    return refused(Method.CONFUSION, estimate.scores.shape, why, solved=estimate.solved)


def _influence(estimate: Estimate, everyone: Documents, n_topics: int) -> Floats:
    """ψ of one system by cluster: by (scored) topic, or by document where all documents are of one topic."""
    clustered = everyone.n_topics > 1
    scored = n_topics if everyone.scored else None
    solved, gold = estimate.solved, estimate.mass
    if solved is None or gold is None or solved.gains is None or solved.calibration.documents is None:
        n = (scored or len(np.unique(everyone.topic))) if clustered else len(everyone.topic)
        return np.full((1, n), np.nan)
    psi = influence(solved.calibration, gold, solved.gains, solved.values)
    return clustered_influence(psi, solved.calibration.documents, scored) if clustered else psi


# ── all systems again ────────────────────────────────────────────────────────────────────────────────────────────────
def _stacked(
    parts: Sequence[Estimate], members: Sequence[Sequence[int]], part: Floats, names: Sequence[str], notes: list[str]
) -> Estimate:
    """One estimate of all systems from one per calibration; `part` is the calibrations' joint covariance."""
    shape = (len(names), parts[0].scores.shape[1])
    part_of: list[tuple[int, int]] = [(0, 0)] * len(names)
    scores = np.empty(shape)
    said: dict[str, list[str]] = {}
    for k, (made, rows) in enumerate(zip(parts, members, strict=True)):
        for row, s in enumerate(rows):
            part_of[s] = (k, row)
            scores[s] = made.scores[row]
        why = (f"no corrected score, because {made.why_not}.",) if made.why_not else ()
        for note in (*made.notes, *why):
            said.setdefault(note, []).extend(names[s] for s in rows)
    notes += [note if len(who) == len(names) else f"{_few(who)}: {note}" for note, who in said.items()]
    if all(made.why_not for made in parts):
        why_not = "; ".join(dict.fromkeys(made.why_not for made in parts))
        return replace(refused(METHOD, shape, why_not, assumption=OWN), parts=tuple(parts), part_of=tuple(part_of))
    return Estimate(
        METHOD, OWN, scores, scores.mean(axis=1), covariance_population(scores) + part, float(shape[1] - 1),
        notes=tuple(notes), calibration_part=part, df_part=_df_part(parts), parts=tuple(parts),
        part_of=tuple(part_of),
    )  # fmt: skip


def _df_part(parts: Sequence[Estimate]) -> float:
    """The fewest degrees of freedom of any calibration: cautious where they differ."""
    known = [e.df_part for e in parts if np.isfinite(e.df_part)]
    return min(known, default=np.nan)


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(str, names[:5])) + (" …" if len(names) > 5 else "")


# ── what `judge=` asks for ───────────────────────────────────────────────────────────────────────────────────────────
def under(
    corrected: Corrected, result: MeasureResult, judge: Judge, systems: Ints
) -> tuple[MeasureResult, tuple[str, ...]]:
    """(the result with the estimate that `judge` asks for, what to say about it) for comparisons of `systems`.

    Estimates without a matrix do not care.
    """
    if judge not in ("shared", "separate"):
        raise InputError(Text(Option("judge", judge), " is neither 'shared' nor 'separate'."))
    estimate = result.estimate
    if estimate.method is Method.NONE:
        return result, ()
    if not estimate.method.by_matrix:
        note = f" changes nothing: {estimate.method} scores use no calibration of the judge."
        return result, (Text(Option("judge", judge), note),)
    if estimate.parts:
        if judge == "shared" and len({estimate.part_of[s][0] for s in systems.tolist()}) > 1:
            raise InputError(
                Text(
                    Option("judge", "shared"),
                    f", but {_few([corrected.systems[s] for s in systems])} were given calibrations of "
                    "their own, and errors of different calibrations do not cancel.",
                ),
                Fix("Leave ", Option("judge", None), " out, or correct with one matrix for all of them."),
            )
        return result, ()
    if judge == "shared":
        return result, ()
    design = corrected.design
    if not design.audited.any() and design.outside is None:
        return replace(result, estimate=_as_if_apart(estimate, corrected.systems)), (
            "one Confusion was given for all systems: it is taken as if each had been calibrated on as many documents "
            "of its own, with the same outcome (eq. 10).",
        )
    if result.weights is None or not isinstance(result.measure, Linear):
        return result, ()
    own = by_own_audit(result.measure, design, result.weights)
    return replace(result, estimate=own), (*own.notes, *_sizes(own, corrected.systems, systems))


def _sizes(estimate: Estimate, names: Sequence[str], systems: Ints) -> tuple[str, ...]:
    """How many audited documents calibrate each system, and how many both of a pair."""
    solved = [estimate.parts[s].solved for s in systems.tolist()] if estimate.parts else []
    found = [None if one is None else one.calibration.documents for one in solved]
    mine = {names[s]: d.weight > 0 for s, d in zip(systems, found, strict=False) if d is not None}
    if not mine:
        return ()
    shown = ", ".join(f"{name} {int(has.sum()):,}" for name, has in list(mine.items())[:5])
    both = f", {int(np.logical_and(*mine.values()).sum()):,} of them in both" if len(mine) == 2 else ""
    return (f"audited documents by system: {shown}{' …' if len(mine) > 5 else ''}{both}.",)


# ── judges of their own ──────────────────────────────────────────────────────────────────────────────────────────────
def judged_apart(runs: Runs, judgments: Judgments, assessor: Mapping[str, str]) -> tuple[Runs, Judgments]:
    """(runs, one bronze judge) in which each system's documents carry the labels of its own assessor.

    One document may have two bronze labels then, and which one counts depends on the system that shows it. So a
    document is taken as many times as there are judges, each time with its judge before its name; a system shows its
    own judge's copy. Rankings and ties stay as they are, because all names of a system get the same prefix. Not for
    measures that need a topic's pool (nDCG, AP, R@k …), in which the copies would count twice.

    >>> runs = Runs.from_dict({"A": {"q": {"x": 2.0}}, "B": {"q": {"x": 1.0}}})
    >>> both = Judgments.from_dict({"ann": {"q": {"x": 1}}, "ben": {"q": {"x": 0}}})
    >>> apart, bronze = judged_apart(runs, both, {"A": "ann", "B": "ben"})
    >>> apart.ranking("B", "q"), bronze.to_frame().select("doc", "grade").rows()
    (['1/x'], [('0/x', 1), ('1/x', 0)])
    """
    _check_judges(runs, judgments, assessor)
    names = list(dict.fromkeys(assessor[s] for s in runs.systems))
    tables = [where_judged(judgments.select(assessors=[name])).first() for name in names]
    topics = [t for t in tables[0].topics if all(t in table.topics for table in tables)]
    if not topics:
        raise InputError(f"no topic was judged by all of {', '.join(names)}.", "Compare systems on the same topics.")
    frames = [
        table.select(topics=topics).to_frame().with_columns(doc=f"{k}/" + pl.col("doc"), assessor=pl.lit("bronze"))
        for k, table in enumerate(tables)
    ]
    place = {s: f"{names.index(assessor[s])}/" for s in runs.systems}
    shown = runs.to_frame().with_columns(doc=pl.col("system").replace_strict(place) + pl.col("doc"))
    bronze = Judgments.from_frame(pl.concat(frames), scale=judgments.scale)
    who = ", ".join(f"{s} by {assessor[s]}" for s in runs.systems[:5]) + (" …" if len(runs.systems) > 5 else "")
    notes = [f"systems were judged by judges of their own: {who}."]
    lost = len({t for table in tables for t in table.topics}) - len(topics)
    if lost:
        notes.append(
            f"{counted(lost, 'topic')} that only some of these judges judged {'is' if lost == 1 else 'are'} left out."
        )
    return Runs.from_frame(shown), replace(bronze, notes=(*judgments.notes, *notes))


def _check_judges(runs: Runs, judgments: Judgments, assessor: Mapping[str, str]) -> None:
    for what, wrong, there in (
        ("systems without an assessor", [s for s in runs.systems if s not in assessor], list(assessor)),
        ("assessors of unknown systems", [s for s in assessor if s not in runs.systems], runs.systems),
        ("unknown assessors", [a for a in assessor.values() if a not in judgments.assessors], judgments.assessors),
    ):
        if wrong:
            raise InputError(
                Text(
                    Option("assessor", None),
                    f" has {what}: {', '.join(map(str, wrong[:5]))}; there are {', '.join(there[:5])}.",
                ),
                'Name one assessor for every system: assessor={"A": "ann", "B": "ben"}.',
            )
