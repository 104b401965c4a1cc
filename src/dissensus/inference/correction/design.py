"""How the audit was drawn: which documents have gold labels, with what probability, and whether that can be believed.

Given inclusion probabilities are used as they are. Plain gold judgments are read as a random sample within each bronze
label: π = audited/all; `diagnosis` tests whether they look like one. Where whole topics are missing beyond any chance,
the audit is a sample of topics, and π is not invented for the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import Fix, InputError, Option
from dissensus.inference.correction.matrix import Documents
from dissensus.inference.correction.rectified import AuditedLabels, Prior, odds_of_the_others
from dissensus.inference.correction.weights import Weights
from dissensus.measures.condense import condensed
from dissensus.measures.families.gain import over_ideal
from dissensus.measures.measure import Linear, Measure
from dissensus.measures.policies import Policies
from dissensus.tables.audit import Audit
from dissensus.tables.collection import (
    Joined,
    answered_by_all,
    join,
    refuse_other_documents,
)
from dissensus.tables.columns import names_of
from dissensus.tables.counterparts import refuse_other_spellings
from dissensus.tables.design import EVERYTHING, Coverage
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale

CHANCE = 1e-6  # topics missing with less than this probability were not missed by chance
DEPTHS = (5, 10, 20, 100)
DEFAULTS = Policies()


@dataclass(frozen=True, eq=False)
class Design:
    """Rankings joined with bronze labels, and the audit laid over them.

    `bronze` is a label 0…n_labels−1 per item, the last one being "no bronze label"; `gold` a gold level per item, −1
    where not audited. `sampled` marks the audited topics where the audit is a sample of topics, else it is None.
    `outside` are audited documents of topics that are not scored: calibration from elsewhere.
    """

    joined: Joined
    bronze_scale: Scale
    gold_scale: Scale
    bronze: Ints
    gold: Ints
    inclusion: Floats
    topic: Ints
    sampled: NDArray[np.bool_] | None
    outside: Documents | None
    given: bool
    covers_unjudged: bool
    notes: tuple[str, ...]
    covers: Coverage = EVERYTHING  # what the plan behind the audit can answer
    chances: Floats | None = None  # π of every item, where the audit's frame is known: 0 where it could not be chosen
    policies: Policies = DEFAULTS
    chosen: NDArray[np.bool_] | None = None  # items with a row in the audit, where some of them could not be graded
    sequence: Ints | None = None  # the row of each audited item in the audit's file, −1 for others
    stage: float | None = None  # a topic's chance to be drawn, where documents were drawn within drawn topics

    @property
    def drawn(self) -> NDArray[np.bool_]:
        """Items that were chosen for the audit, graded or not."""
        return self.audited if self.chosen is None else self.chosen

    @property
    def audited(self) -> NDArray[np.bool_]:
        return self.gold >= 0

    @property
    def n_labels(self) -> int:
        return len(self.bronze_scale) + 1

    @property
    def fixed_size(self) -> bool:
        """Was the number of audited documents fixed in advance? Then the frame's probabilities add up to it."""
        return self.chances is not None and abs(float(self.chances.sum()) - int(self.audited.sum())) < 1e-6

    def values_of(self, measure: Linear) -> tuple[Floats, Floats]:
        """(a measure's values by gold level, by bronze label with 0 for 'no label')."""
        return measure.values(self.gold_scale), np.append(measure.values(self.bronze_scale), 0.0)

    def labels(self, values: Floats, bronze: Floats | None = None) -> AuditedLabels:
        """The labels with gold grades turned into a measure's values (by gold level).

        `bronze` are the values of bronze labels: with them, what is expected of each label before the audit.
        """
        prior = None if bronze is None else Prior.of(bronze, values)
        value = np.full(len(self.gold), np.nan)
        value[self.audited] = values[self.gold[self.audited]]
        return AuditedLabels(self.bronze, self.n_labels, value, self.audited, self.inclusion, self.topic, prior)

    def everyones_inclusion(self, weights: Weights | None = None) -> Floats:
        """π of every item, as the audit's frame says; without one, what the odds of audited ones like them say.

        Alike are documents of the same bronze label, and, where probabilities were given, those among them whose
        weights differ as much between systems (the nearest ten; plans choose by that). Documents that are likely to be
        chosen are common among audited ones and rare among the others: see `odds_of_the_others`.
        """
        seen = self.audited
        if self.chances is not None:
            return np.where(seen, self.inclusion, np.where(self.chances > 0, self.chances, np.nan))
        weight = np.bincount(self.bronze[seen], 1 / self.inclusion[seen], self.n_labels)
        count = np.bincount(self.bronze[seen], minlength=self.n_labels)
        rate = np.divide(count, weight, out=np.full(self.n_labels, np.nan), where=weight > 0)
        out = np.where(seen, self.inclusion, rate[self.bronze])
        if not self.given:
            return out
        weight_sd = np.zeros(len(seen)) if weights is None else weights.weight_sd
        scored_items = np.zeros(len(seen), bool) if weights is None else weights.scored_items
        for label in np.flatnonzero(count):
            for scored in (False, True):
                alike = (self.bronze == label) & (scored_items == scored)
                known, asked = np.flatnonzero(alike & seen), np.flatnonzero(alike & ~seen)
                if len(known) and len(asked):
                    odds = odds_of_the_others(self.inclusion[known], weight_sd[known], weight_sd[asked])
                    out[asked] = 1 / (1 + odds)
        return out

    def calibrating(self) -> NDArray[np.bool_]:
        """Items that calibrate the judge: audited, with a bronze label (or none, where the audit covers such)."""
        return self.audited & (self.bronze < self.n_labels - 1 if not self.covers_unjudged else True)

    def documents_of(self, items: NDArray[np.intp] | NDArray[np.bool_]) -> Documents:
        """Audited items as calibration documents."""
        return Documents(
            self.gold[items], self.bronze[items], 1 / self.inclusion[items], self.topic[items], scored=True
        )

    def documents(self) -> Documents | None:
        """The calibration documents: audited and bronze-judged, inside the scored topics or else outside them."""
        use = self.calibrating()
        return self.documents_of(use) if use.any() else self.outside

    def fully_audited(self) -> NDArray[np.bool_]:
        """Topics in which every bronze-judged document has a gold label."""
        judged = self.bronze < self.n_labels - 1
        n_topics = len(self.joined.topics)
        todo = np.bincount(self.topic[judged & ~self.audited], minlength=n_topics)
        return np.asarray((todo == 0) & (np.bincount(self.topic[judged], minlength=n_topics) > 0))

    def best_rank(self) -> Ints:
        """The best rank at which any system shows an item; a large number where none does."""
        best = np.full(len(self.bronze), np.iinfo(np.int64).max)
        np.minimum.at(best, self.joined.hit_item, self.joined.hit_rank.astype(np.int64))
        return best


def where_judged(judgments: Judgments) -> Judgments:
    """The judgments without topics in which nothing was judged: those are not scored, rather than scored 0."""
    here = np.bincount(judgments.item_topic, minlength=len(judgments.topics)) > 0
    if here.all():
        return judgments
    return judgments.select(topics=[t for t, judged in zip(judgments.topics, here, strict=True) if judged])


def one_judge(judgments: Judgments, assessor: str | None) -> Judgments:
    """The bronze judge, the only assessor or the one named, on the topics that it judged."""
    if assessor is None and len(judgments.assessors) == 1:
        return where_judged(judgments)
    if assessor is None:
        raise InputError(
            f"the judgments hold {len(judgments.assessors)} assessors ({', '.join(judgments.assessors[:5])}); one is "
            "corrected at a time.",
            Fix("Name one with ", Option("assessor"), "."),
            Fix("Merge them first: ds.merge(judgments).judgments.", reader="python"),
            Fix("Merge them first with ", Option("merge", "majority"), ".", reader="command"),
        )
    return where_judged(judgments.select(assessors=[assessor]))


def check_policies(policies: Policies, measures: Iterable[Measure]) -> None:
    """Refuse policies that corrected scores of these measures cannot follow.

    All systems are corrected on the same topics. What unjudged documents could change is shown beside every score. A
    gold label is known for few documents, so which topics are empty by gold is not known, either; nDCG alone has a
    model that says how likely that is.
    """
    policies.only("systems are corrected on the same topics", topics=("judged", "shared"))
    policies.only("corrected scores show their bounds anyway", unjudged=("nonrelevant", "condense"))
    curved = [m for m in measures if not isinstance(m, Linear)]
    if curved:
        named = ", ".join(map(str, curved))
        policies.only(f"{named} is not linear, and is corrected ranking by ranking", ties=("trec",))
    if empty := [str(m) for m in curved if not over_ideal(m)]:
        policies.only(f"which topics are empty for {', '.join(empty)} under gold labels is not known", empty=("skip",))


def lay_out(
    runs: Runs,
    bronze: Judgments,
    audit: Audit | None,
    policies: Policies = DEFAULTS,
    joined: Joined | None = None,
) -> Design:
    """Join the runs with one bronze judge's labels (from `joined`, where that was done) and lay the audit over them."""
    notes = list(bronze.notes)
    refuse_other_spellings(runs.topics, bronze.topics)
    if audit is not None:
        refuse_other_spellings(bronze.topics, audit.judgments.topics, "the judgments and of the audit")
    answered = set(runs.topics)
    scored = [t for t in bronze.topics if t in answered]
    if policies.topics == "shared":
        scored = list(answered_by_all(runs, bronze).topics)
    if scored and len(scored) < len(bronze.topics):
        who = "not every run answers" if policies.topics == "shared" else "no run answers"
        notes.append(f"{len(bronze.topics) - len(scored):,} judged topics that {who} are not scored.")
    inside = bronze.select(topics=scored) if scored and len(scored) < len(bronze.topics) else bronze
    extra = [] if audit is None else _never_judged(inside, audit)
    pool = _with_unjudged(inside, extra) if extra else inside
    joined = join(runs, pool) if joined is None else joined.under(pool)
    if policies.unjudged == "condense":
        (joined,) = condensed(joined)
        notes.append("rankings are condensed: documents without a bronze label were taken out of them.")
    level = joined.labels[:, 0].astype(np.int64) - bronze.scale.low
    n_labels = len(bronze.scale) + 1
    label = np.where((level < 0) | (level >= n_labels - 1), n_labels - 1, level)
    refuse_other_documents(joined, label < n_labels - 1)
    topic = np.repeat(np.arange(len(joined.topics)), np.diff(joined.topic_bounds))
    gold, pi = np.full(len(label), -1, np.int64), np.full(len(label), np.nan)
    outside = chosen = sequence = None
    gold_scale = bronze.scale if audit is None else widened_scale(bronze.scale, audit.judgments.scale)
    if audit is not None:
        notes.extend(audit.notes)
        outside, said = _place(audit, joined, bronze, gold, pi, gold_scale)
        notes.extend(said)
        place = _found_in(joined.judgments, audit.judgments)[audit.judgments.item]
        chosen = np.zeros(len(label), bool)
        chosen[place[place >= 0]] = True
        if audit.sequence is not None:
            sequence = np.full(len(label), -1, np.int64)
            sequence[place[place >= 0]] = audit.sequence[place >= 0]
    seen, given = gold >= 0, audit is not None and audit.inclusion is not None
    sampled = None
    covers = bool((seen & (label == n_labels - 1)).any())
    if seen.any() and not given:
        sampled = _sampled_topics(label, seen, topic, len(joined.topics), n_labels)
        unseen = _retrieved_outside(joined, sampled) if covers and policies.unjudged != "condense" else 0
        notes.append(_within_label(joined, label, seen, topic, sampled, pi, unseen))
    elif seen.any():
        sampled = _whole_topics(label < n_labels - 1, seen, pi, topic, len(joined.topics))
    chances = stage = None
    if audit is not None and audit.frame is not None:
        stage = audit.frame.stage
        if stage is not None:
            sampled = np.bincount(topic[seen], minlength=len(joined.topics)) > 0
        chances = audit.frame.of(names_of(joined.topics, topic), pl.Series(joined.judgments.doc_ids(), dtype=pl.String))
    return Design(
        joined, bronze.scale, gold_scale, label, gold, pi, topic, sampled, outside, given, covers, tuple(notes),
        EVERYTHING if audit is None else audit.covers, chances, policies, chosen, sequence, stage,
    )  # fmt: skip


def widened_scale(bronze: Scale, gold: Scale) -> Scale:
    """The gold judge's scale; a numeric one read off few gold labels is widened to the bronze one."""
    numeric = all(s.names == tuple(str(g) for g in s.grades) for s in (bronze, gold))
    if numeric and not gold.declared and gold.top < bronze.top:
        return Scale.range(min(gold.low, bronze.low), bronze.top, declared=bronze.declared)
    return gold


def _never_judged(bronze: Judgments, audit: Audit) -> list[tuple[str, str]]:
    """Audited documents of scored topics that have no bronze label."""
    gold, known = audit.judgments, set(bronze.topics)
    new = np.flatnonzero(_found_in(bronze, gold) < 0)
    topics = [gold.topics[t] for t in gold.item_topic[new]]
    return [(t, doc) for t, doc in zip(topics, gold.doc_ids(new), strict=True) if t in known]


def _with_unjudged(bronze: Judgments, extra: list[tuple[str, str]]) -> Judgments:
    """The same judgments with documents added to the pool that the bronze judge left without a grade (−1)."""
    first = bronze.first()
    names = bronze.doc_ids()
    topics = [bronze.topics[bronze.item_topic[i]] for i in first.item] + [t for t, _ in extra]
    docs = [names[i] for i in first.item] + [d for _, d in extra]
    who = [bronze.assessors[0]] * len(topics)
    grades = [bronze.scale.name(int(g)) for g in first.grade] + ["-1"] * len(extra)
    return Judgments.from_columns(topics, docs, who, grades, scale=bronze.scale, place="the judgments")


def _place(
    audit: Audit, joined: Joined, bronze: Judgments, gold: Ints, pi: Floats, scale: Scale
) -> tuple[Documents | None, list[str]]:
    """Write gold levels and given probabilities into the items; return documents outside the scored topics."""
    table, notes = audit.judgments, []
    graded, level = table.grade >= 0, table.grade.astype(np.int64) - scale.low
    place, elsewhere = (_found_in(pool, table)[table.item] for pool in (joined.judgments, bronze))
    inside = graded & (place >= 0)
    gold[place[inside]] = level[inside]
    if audit.inclusion is not None:
        pi[place[inside]] = audit.inclusion[inside]
    label = np.append(bronze.matrix()[:, 0].astype(np.int64) - bronze.scale.low, -1)[elsewhere]  # −1: not found
    beside = graded & ~inside & (label >= 0)
    ungraded, lost, outside = (int(x.sum()) for x in (~graded, graded & ~inside & ~beside, beside))
    if ungraded:
        notes.append(f"{ungraded:,} audited documents have a grade below zero (could not be judged) and are left out.")
    if lost:
        notes.append(
            f"{lost:,} audited documents of topics that are not scored have no bronze label and teach nothing."
        )
    if outside:
        notes.append(f"{outside:,} audited documents lie in topics that are not scored: calibration from elsewhere.")
    if not outside and not (gold >= 0).any():
        raise InputError(
            "no audited document is among the judged or retrieved ones.",
            "Check that the audit uses the topic and document ids of the runs and judgments.",
        )
    if not outside:
        return None, notes
    weight = np.ones(outside) if audit.inclusion is None else 1 / audit.inclusion[beside]
    topic = table.item_topic[table.item[beside]].astype(np.int64)
    return Documents(level[beside], label[beside], weight, topic), notes


def _found_in(pool: Judgments, table: Judgments) -> Ints:
    """Where each document of `table` is among those of `pool`; −1 where it is not."""
    here, there = pool.same_documents(table)
    out = np.full(len(table.item_topic), -1, np.int64)
    out[there] = here
    return out


def _sampled_topics(
    label: Ints, seen: NDArray[np.bool_], topic: Ints, n_topics: int, n_labels: int
) -> NDArray[np.bool_] | None:
    """The audited topics, where the others cannot have been missed by chance; None for an ordinary sample."""
    here = np.bincount(topic[seen], minlength=n_topics) > 0
    if here.all():
        return None
    rate = np.bincount(label[seen], minlength=n_labels) / np.maximum(np.bincount(label, minlength=n_labels), 1)
    missed = ~here[topic] & (label < n_labels - 1)
    with np.errstate(divide="ignore"):
        surprise = -np.log1p(-np.minimum(rate[label[missed]], 1 - 1e-12)).sum()
    return here if surprise > -math.log(CHANCE) else None


def _whole_topics(
    judged: NDArray[np.bool_], seen: NDArray[np.bool_], pi: Floats, topic: Ints, n_topics: int
) -> NDArray[np.bool_] | None:
    """The audited topics, where topics were drawn whole and with one probability; None for a sample of documents."""
    here = np.bincount(topic[seen], minlength=n_topics) > 0
    left = judged & ~seen & here[topic]
    given = pi[seen & judged]
    alike = len(given) > 0 and float(given.max() - given.min()) < 1e-9 and float(given[0]) < 1
    return here if alike and not left.any() and not here.all() and int(here.sum()) > 1 else None


def _within_label(
    joined: Joined,
    label: Ints,
    seen: NDArray[np.bool_],
    topic: Ints,
    sampled: NDArray[np.bool_] | None,
    pi: Floats,
    unseen: int,
) -> str:
    """Fill π = audited/all within each bronze label; the sentence that says so."""
    n_labels = len(joined.scale) + 1  # the last one is "no bronze label"
    frame = np.ones(len(label), bool) if sampled is None else sampled[topic]
    total = np.bincount(label[frame], minlength=n_labels).astype(np.float64)
    total[-1] += unseen
    audited = np.bincount(label[seen], minlength=n_labels)
    rate = np.divide(audited, total, out=np.full(n_labels, np.nan), where=total > 0)
    pi[seen] = rate[label[seen]]
    names = [*(joined.scale.name(int(g)) for g in joined.scale.grades), "no bronze label"]
    shares = ", ".join(f"{name} {audited[j]:,} of {total[j]:,.0f}" for j, name in enumerate(names) if total[j])
    where = "" if sampled is None else f" (a sample of {int(sampled.sum())} of {len(sampled)} topics)"
    return f"the audit names no inclusion probabilities; taken within each bronze label{where}: {shares}."


def _retrieved_outside(joined: Joined, sampled: NDArray[np.bool_] | None) -> int:
    """How many distinct documents were retrieved without being in the pool."""
    runs, keys = joined.runs, joined.judgments.item_key
    count = 0
    for t in range(len(joined.topics)):
        if sampled is not None and not sampled[t]:
            continue
        segments = np.flatnonzero(joined.segment_topic == t)
        rows = [runs.key[joined.run_rows[s] : joined.run_rows[s] + joined.length[s]] for s in segments]
        if rows:
            found = np.unique(np.concatenate(rows))
            pool = keys[joined.topic_bounds[t] : joined.topic_bounds[t + 1]]
            count += int((~np.isin(found, pool)).sum())
    return count
