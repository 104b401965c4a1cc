"""Which documents to audit next, and what an audit can and cannot settle.

A gold label is worth most where it counts and where the bronze label says least: π is proportional to both (`chances`
has the formulas by purpose), at most 1, at least 0.01 where a document counts (less where the budget is too small for
it). Measures that are not linear get the weights they have near the labels at hand (`linearised`). Half of the budget
then goes to all judged documents equally, because R and ideals depend on all of them, and because under gold labels the
weights may be others. nDCG has a plan of its own (`ndcg.plan`). A budget is a limit. Exactly so many documents are
drawn, together, and every one of their probabilities is known (`stats.sampling`).

Look at the result once: growing an audit until something is significant voids the p-value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from shlex import join
from typing import Unpack, get_args

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.ap.scores import FROM
from dissensus.inference.checks import audit_checks, other_judges, refuse_bad
from dissensus.inference.comparison.api import compare
from dissensus.inference.comparison.engine import POWER, check_difference
from dissensus.inference.comparison.outcome import Outcome
from dissensus.inference.correction.api import correct
from dissensus.inference.correction.coverage import uncovered
from dissensus.inference.correction.design import Design, check_policies, lay_out, one_judge
from dissensus.inference.correction.estimate import naive
from dissensus.inference.correction.weights import Weights
from dissensus.inference.planning.chances import Purpose, covers_of, draw
from dissensus.inference.planning.prospect import outlook
from dissensus.inference.planning.result import Plan
from dissensus.inference.planning.units import UNITS, Unit, cost, options, said, units_drawn
from dissensus.inference.sequential.order import ordered_sample
from dissensus.io.options import ReadKeywords
from dissensus.measures.catalog import measure_list
from dissensus.measures.evaluate import Collection
from dissensus.measures.measure import Linear, Measure
from dissensus.measures.policies import DEFAULT_LINEAR, Empty, Policies, Ties, Topics, Unjudged
from dissensus.measures.scores import aggregated, refuse_geometric
from dissensus.measures.worth import on_gains
from dissensus.tables.audit import Audit, as_audit
from dissensus.tables.coercion import coerced
from dissensus.tables.design import Coverage
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.wording import counted

DEFAULT_BUDGET = 200


@coerced
def plan(
    runs: Runs,
    judgments: Judgments,
    audit: Audit | Judgments | None = None,
    budget: float | None = None,
    difference: float | None = None,
    power: float = POWER,
    *,
    measures: Iterable[str | Measure] | str | Measure = DEFAULT_LINEAR,
    unit: Unit = "document",
    minutes_per_label: float | None = None,
    price: float | None = None,
    systems: tuple[str, str] | None = None,
    purpose: Purpose | None = None,
    assessor: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    order: bool = False,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    **reading: Unpack[ReadKeywords],
) -> Plan:
    """Which documents experts should grade, and how many are enough.

    Parameters
    ----------
    judgments
        The labels of the judge that the audit is about: Judgments, paths, a frame or a dict.
    audit
        An audit made before. It tells how much each label leaves open, and the sample returned holds it with
        joint probabilities.
    budget
        Documents to audit. Without it, what `difference` needs at `power`, else 200.
    difference
        A difference that would matter to you.
    power
        Probability of finding it.
    measures
        The measure that is planned for. Further ones are held against it at the same budget (`options`).
    unit
        What is drawn: single documents, whole topics (any measure is then corrected without a model), or both, topics
        first and then documents within them.
    minutes_per_label
        Minutes that one label takes.
    price
        Price of one label.
    systems
        Two systems to tell apart. Without them, the two best are asked about.
    purpose
        What the audit is for: scores, differences alone (as with order), or the order of pooled scores.
    order
        Commit to an order of all documents, to be graded from the top and looked at after every label with
        `sequential`.

    Returns
    -------
    Plan
        `.labels` and `.queries` are what the difference needs, `.outcome` is what is concluded without these
        labels, and `.write(path)` keeps the sample and its frame. Its tables:

        - `precision`: labels, se, detectable
        - `sample`: topic, doc, grade, inclusion, covers
        - `sample` of a committed order: topic, doc, grade, draw, rate, next_key, covers, pairs
        - `options`: measure, unit, labels, half_width, detectable, useless

    Examples
    --------
    >>> import dissensus as ds
    >>> runs = {s: {f"q{q}": {f"d{i}": float((i * up + q) % 9) for i in range(9)} for q in range(12)}
    ...         for s, up in (("A", 2), ("B", 5))}
    >>> judge = {"llm": {f"q{q}": {f"d{i}": (i + q) % 2 for i in range(9)} for q in range(12)}}
    >>> made = ds.plan(runs, judge, budget=30, measures="P@3", seed=1)
    >>> made.sample.height, made.sample.columns[:3]
    (30, ['topic', 'doc', 'grade'])
    """
    purpose = _purpose(purpose, order)
    _check(audit, budget, difference, power, order)
    m, *others = _asked(measures)
    policies = Policies(topics, unjudged, ties, empty)
    check_policies(policies, [m])
    if order:
        defaults = {policy: (value,) for policy, value in Policies().to_dict().items()}
        policies.only("a committed order is followed under the default policies", **defaults)
    gold = None if audit is None else as_audit(audit)
    judgments, *graded = on_gains([m, *others], judgments, *([] if gold is None else [gold.judgments]))
    bronze = one_judge(judgments, assessor)
    design = lay_out(runs, bronze, gold and replace(gold, judgments=graded[0]), policies)
    refuse_bad(audit_checks(design, other_judges(design, judgments, bronze.assessors[0])))
    best = _best_first(systems, design, m)
    many = (budget or DEFAULT_BUDGET) + int(design.audited.sum()) >= FROM
    laid = outlook(m, design, seed, many)
    if not laid.weights.weight.any():
        raise InputError(f"no single document's label moves {m} on these runs.", "Plan for another measure.")
    _refuse_uncovered(design, laid.weights)
    a, b = _pair(best, design.joined.systems, laid.weights, m)
    notes = list(laid.notes)
    names = design.joined.systems
    pair = (a, b) if systems or len(names) == 2 else None
    one = laid.prospect((a, b), seed)
    if one.by_bronze and design.audited.any():
        notes.append("the audit is too small to tell how the difference varies by topic: taken from bronze labels.")
    _check_unit(unit, order, design, minutes_per_label, price)
    chances = laid.chances(purpose, pair, budget or DEFAULT_BUDGET)
    found = None if difference is None else one.needed(chances, difference, power, level)
    wanted, queries = (math.nan, math.nan) if found is None else (found.labels, found.topics)
    sentence = "name a difference to learn how many labels it needs." if found is None else f"{found.sentence}."
    number = round(budget) if budget is not None else wanted if wanted > 0 else DEFAULT_BUDGET
    drawn = units_drawn(unit, design, chances, number, seed)
    whole = purpose != "differences" or not isinstance(m, Linear)
    about = Coverage() if whole else Coverage.of_pairs((names[a], names[b])) if pair else Coverage.differences()
    covers = covers_of(design, about)
    sample, everyone = draw(design, laid.weights, drawn.pi, seed, covers, drawn.among)
    if order:
        chosen = (names[a], names[b]) if pair else names
        sample, more = ordered_sample(runs, judgments, m, chosen, assessor, scores=whole, seed=seed, covers=about)
        notes += more
    else:
        notes += _promises(design, laid.weights, drawn.pi, number, covers)
    bought = None
    if not order:
        bought = options([m, *others], design, (a, b), number, purpose, seed)
        notes += [*said(bought), *cost(sample["grade"].null_count(), minutes_per_label, price)]
    asked_about = runs if systems is None else runs.select(systems=list(systems))
    command = _command(m, purpose, systems, number, seed, policies, unit)
    command += " --audit EARLIER.csv" if audit is not None else ""
    return Plan(
        sample, one.table(chances, number, difference, power, level), wanted, queries, sentence, (names[a], names[b]),
        number, tuple(notes), everyone, command, covers, bought, drawn.topics,
        partial(_concluded, asked_about, bronze, audit, m, policies, level, seed),
    )  # fmt: skip


def _concluded(
    runs: Runs, bronze: Judgments, audit: Audit | Judgments | None, m: Measure, policies: Policies, level: float,
    seed: int,
) -> Outcome:  # fmt: skip
    """What is concluded before the audit that is planned: from the judge's labels, or from the audit made before."""
    if audit is not None:
        made = correct(runs, bronze, audit, [m], level=level, seed=seed, **policies.to_dict())
        return made.outcome
    scores = Collection(runs, bronze).checked([m], **policies.to_dict())
    return compare(scores, str(m), level=level, seed=seed).outcome


# ── pieces ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def _asked(measures: Iterable[str | Measure] | str | Measure) -> list[Measure]:
    """The measure that is planned for, and those held against it."""
    asked = measure_list(measures)
    if not asked:
        raise InputError("no measure was named.", Fix("Name one: ", Option("measures", DEFAULT_LINEAR), "."))
    refuse_geometric(asked[0])
    return asked


def _purpose(purpose: Purpose | None, order: bool) -> Purpose:
    if purpose is None:
        purpose = "differences" if order else "scores"
    if purpose not in get_args(Purpose):
        there = ", ".join(get_args(Purpose))
        raise InputError(Text(Option("purpose", purpose), f" is not a valid purpose; there are {there}."))
    return purpose


def _check(
    audit: Audit | Judgments | None, budget: float | None, difference: float | None, power: float, order: bool
) -> None:
    if order and audit is not None:
        raise InputError(
            "an order is committed before the first label; an audit made before cannot be part of it.",
            Fix("Leave the audit out, or plan without ", Option("order", True), "."),
        )
    if budget is not None and not (math.isfinite(budget) and budget > 0):
        number = int(budget) if math.isfinite(budget) and budget == int(budget) else budget
        raise InputError(Text(Option("budget", number), ": the number of documents to audit must be above 0."))
    check_difference(difference)
    if not 0 < power < 1:
        raise InputError(Text(Option("power", power), " is not between 0 and 1."))


def _check_unit(unit: Unit, order: bool, design: Design, minutes: float | None, price: float | None) -> None:
    if unit not in UNITS:
        raise InputError(Text(Option("unit", unit), f" is not a valid unit; there are {', '.join(UNITS)}."))
    if unit != "document" and (order or design.audited.any()):
        raise InputError(
            Text(Option("unit", unit), " draws topics at once: not in an order, and not on top of an audit."),
            Fix("Plan without the audit and without an order, or use ", Option("unit", "document"), "."),
        )
    for name, value in (("minutes_per_label", minutes), ("price", price)):
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise InputError(Text(Option(name, value), " must be a number of at least 0."))


def _best_first(systems: tuple[str, str] | None, design: Design, m: Measure) -> list[int]:
    """The systems whose difference may be planned for: the two named, or all, the best by bronze labels first."""
    names = design.joined.systems
    if systems is not None:
        for s in systems:
            if s not in names:
                raise InputError(f"no system is called {s!r}; there are {', '.join(names[:10])}.")
        if len(systems) != 2 or systems[0] == systems[1]:
            raise InputError(f"a plan is about two different systems, not {' and '.join(systems)}.")
        return [names.index(systems[0]), names.index(systems[1])]
    if len(names) < 2:
        raise InputError("a plan needs two systems at least.")
    best: list[int] = np.argsort(-aggregated(naive(m, design)), kind="stable").tolist()
    return best


def _pair(best: list[int], names: tuple[str, ...], weights: Weights, m: Measure) -> tuple[int, int]:
    """The first system and the next one that shows other documents: no label tells identical ones apart."""
    first = weights.row(best[0])
    for other in best[1:]:
        if (weights.row(other) != first).any():
            return best[0], other
    raise InputError(
        f"{' and '.join(names[s] for s in best[:2])} show the same documents as far as {m} looks: their scores are "
        "equal whatever the experts say.",
        "Plan for two systems that differ.",
    )


def _refuse_uncovered(design: Design, weights: Weights) -> None:
    """An audit whose probabilities leave documents out cannot be continued: what it lacks has no probability."""
    if design.audited.any() and design.chances is None and design.covers.scores:
        why = uncovered(design, weights.scored_items)
        if why:
            raise InputError(f"{why}.", "Correct the inclusion probabilities, or plan without that audit.")


def _command(
    m: Measure,
    purpose: Purpose,
    systems: tuple[str, str] | None,
    budget: float,
    seed: int,
    policies: Policies,
    unit: Unit,
) -> str:
    """The command that draws this plan again, runs and labels aside."""
    words = ["plan", "-m", str(m), "--for", purpose, "--budget", f"{budget:g}", "--seed", str(seed)]
    words += ["--between", *systems] if systems else []
    words += ["--unit", unit] if unit != "document" else []
    usual = Policies().to_dict()
    words += [w for name, value in policies.to_dict().items() if value != usual[name] for w in (f"--{name}", value)]
    return join(words)


def _promises(design: Design, weights: Weights, pi: Floats, budget: float, about: Coverage) -> list[str]:
    notes = [
        "fill the column grade, leave the others as they are, and give the file back as the audit.",
        "look at the result once: growing an audit until a difference is significant voids its p-value.",
    ]
    if not about.scores and (left_out := int((weights.scored_items & (pi <= 0) & ~design.audited).sum())):
        notes.append(
            Text(
                f"this sample can compare systems but not score them: {counted(left_out, 'document')} of equal weight "
                f"for {'all' if about.every_pair else 'both'} systems could not be drawn. Use ",
                Option("purpose", "scores"),
                " to include them.",
            )
        )
    if design.audited.any():
        new = round(float(pi[~design.audited].sum()))
        notes.append(
            f"{counted(new, 'document')} more. The {int(design.audited.sum()):,} documents audited before are in the "
            "sample, too, with joint inclusion probabilities."
        )
        if design.given and design.chances is None:
            notes.append(
                "how likely a new document was to be chosen then is not known, and taken from documents like it (same "
                "label, same weight): right for an earlier plan for these systems and this measure."
            )
    if budget >= (pi > 0).sum():
        notes.append("the budget covers every document that matters.")
    return notes
