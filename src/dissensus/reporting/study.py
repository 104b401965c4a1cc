"""What a report is about: the files' contents, and everything computed from them, each thing once and when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dissensus.errors import InputError, Option, Text
from dissensus.inference.correction.api import correct_under
from dissensus.inference.correction.design import check_policies
from dissensus.inference.correction.questions import CorrectionOptions
from dissensus.inference.planning.units import forecast
from dissensus.judging.agreement.api import Agreement, agreement
from dissensus.judging.aware.api import aware_arrays
from dissensus.judging.merging.api import merge
from dissensus.judging.merging.result import Merged
from dissensus.measures.catalog import measure_list
from dissensus.measures.evaluate import Collection
from dissensus.measures.measure import Measure
from dissensus.measures.policies import Policies
from dissensus.measures.scores import ScoreArrays
from dissensus.measures.worth import on_gains
from dissensus.reporting.explorer import deepest, documents, pack, specifications
from dissensus.tables.audit import Audit
from dissensus.tables.collection import Joined, join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

if TYPE_CHECKING:
    from dissensus.inference.correction.result import Corrected
    from dissensus.judging.aware.api import AwareArrays
    from dissensus.reporting.explorer import Packed

REPLICATES = 200  # random judges of each class that AWARE holds assessors against


class ScoredSystems(Protocol):
    """What a verdict without an audit needs: scores by topic under one judge, and what they are."""

    @property
    def measure(self) -> str: ...
    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def judge_scores(self) -> ScoreArrays: ...
    @property
    def basis(self) -> str: ...
    @property
    def caution(self) -> str: ...
    @property
    def negligible(self) -> float | None: ...
    @property
    def by(self) -> Mapping[str, str] | None: ...


@dataclass(frozen=True, eq=False)
class ReportedStudy:
    """Runs, judgments and, where they exist, an audit and the truth; `measures[0]` is the one the verdict is about.

    `assessor` is the judge whose word counts for the verdict; without it the only assessor, or the majority of several.
    """

    runs: Runs
    judgments: Judgments
    measures: tuple[Measure, ...]
    audit: Audit | None = None
    truth: Judgments | None = None
    assessor: str | None = None
    seed: int = 0
    policies: Policies = field(default_factory=Policies)
    texts: Mapping[str, str] = field(default_factory=dict)  # of documents, for the explorer
    topic_texts: Mapping[str, str] = field(default_factory=dict)
    before: str | None = None  # the judge's version before: what drifted since?
    new_runs: Runs | None = None  # runs that the calibration was not made with: does it hold for them?
    probe: Audit | None = None  # audited documents of the new runs
    by: Mapping[str, str] | None = None  # the group of each topic: does the order differ between them?
    negligible: float | None = None  # a loss that does not matter to the recommendation
    margin: float = 0.02  # what the calibrated score of a new run may be off by
    progress: Callable[[str], None] = field(default=lambda stage: None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", tuple(measure_list(self.measures)))
        self._order_labels()
        odd = [str(m) for m in self.measures if m.aggregate != "mean"]
        if odd:
            raise InputError(f"{', '.join(odd)}: a report compares means over topics, which this is not.")
        self.policies.only("a report compares single scores, not ranges", unjudged=("nonrelevant", "condense"))
        if self.audit is not None:
            check_policies(self.policies, self.measures)
        for role in ("assessor", "before"):
            name = getattr(self, role)
            if name is not None and name not in self.judgments.assessors:
                known = ", ".join(self.judgments.assessors[:8])
                raise InputError(Text(Option(role, name), f" is not one of the assessors {known}."))

    def _order_labels(self) -> None:
        """Labels without an order are put on one scale by what gains say they are worth."""
        audit, truth = self.audit, self.truth
        others = [*([] if audit is None else [audit.judgments]), *([] if truth is None else [truth])]
        judgments, *found = on_gains(self.measures, self.judgments, *others)
        if judgments.scale.ordered:
            return
        object.__setattr__(self, "judgments", judgments)
        if audit is not None:
            object.__setattr__(self, "audit", replace(audit, judgments=found.pop(0)))
        if truth is not None:
            object.__setattr__(self, "truth", found.pop(0))

    # ── names ──
    @property
    def measure(self) -> str:
        return str(self.measures[0])

    @property
    def several(self) -> bool:
        return len(self.judgments.assessors) > 1

    @cached_property
    def judge_name(self) -> str:
        """Whose labels the verdict rests on, in words."""
        if self.assessor is not None:
            return self.assessor
        return (
            f"the majority of {len(self.judgments.assessors)} assessors"
            if self.several
            else self.judgments.assessors[0]
        )

    @property
    def basis(self) -> str:
        return f"{self.measure} by the labels of {self.judge_name}, uncorrected"

    @cached_property
    def caution(self) -> str:
        """What must be known of scores without an audit."""
        worth = forecast(self.measures[0], self.runs, self.judge, self.policies, self.seed)
        return (
            f"{self.basis}. No expert audit was given, so it is not known how much its errors moved these scores. "
            + (worth or "dissensus plan says what a given number of expert labels would show.")
        )

    # ── labels ──
    @cached_property
    def judge(self) -> Judgments:
        """The labels the verdict rests on, as those of one assessor."""
        if self.assessor is not None:
            return self.judgments.select(assessors=[self.assessor])
        return self.merged["majority"].judgments if self.several else self.judgments

    @cached_property
    def merged(self) -> dict[str, Merged]:
        """Labels merged in each way."""
        return {
            name: merge(self.judgments, method=name, seed=self.seed, temper=False) for name in ("majority", "em-mv")
        }

    # ── rankings ──
    @cached_property
    def joined(self) -> Joined:
        """The runs joined with every document that anybody graded: the one join of a report."""
        graded = [self.truth, None if self.audit is None else self.audit.judgments]
        return join(self.runs, all_documents(self.judgments, [g for g in graded if g is not None]))

    def under(self, judgments: Judgments) -> Collection:
        """The rankings under somebody's labels."""
        return Collection.of(self.joined.under(judgments))

    @cached_property
    def collection(self) -> Collection:
        """The rankings under every assessor's labels."""
        return self.under(self.judgments)

    # ── scores ──
    def score(self, collection: Collection, measures: Sequence[str | Measure] | None = None) -> ScoreArrays:
        """Scores under the study's policies; standard errors of sampled orders of ties are left out."""
        wanted = measure_list(measures or self.measures)
        found = collection.score(wanted, **self.policies.to_dict(), seed=self.seed)
        return replace(found, values={str(m): found.values[str(m)] for m in wanted})

    @cached_property
    def scores(self) -> ScoreArrays:
        """Every system under every assessor."""
        return self.score(self.collection)

    @cached_property
    def judge_scores(self) -> ScoreArrays:
        """Every system under the judge of the verdict."""
        return self.score(self.under(self.judge))

    @cached_property
    def merged_scores(self) -> dict[str, ScoreArrays]:
        """Every system under the labels merged in each way."""
        return {
            name: self.judge_scores if merged.judgments is self.judge else self.score(self.under(merged.judgments))
            for name, merged in self.merged.items()
        }

    @cached_property
    def true_scores(self) -> ScoreArrays | None:
        return None if self.truth is None else self.score(self.under(self.truth))

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.judge_scores.systems)

    @cached_property
    def corrected(self) -> Corrected | None:
        """Scores corrected by the audit; None without one."""
        if self.audit is None:
            return None

        labels = self.judge if self.assessor is None else self.judgments
        options = CorrectionOptions(self.policies, assessor=self.assessor, seed=self.seed, by=self.by)
        return correct_under(self.runs, labels, self.audit, self.measures, options, self.joined)

    @cached_property
    def verdict(self) -> Corrected | None:
        """The same for the measure of the verdict alone: its comparisons are one family."""
        if self.corrected is None:
            return None
        return replace(self.corrected, results={self.measure: self.corrected.results[self.measure]})

    @cached_property
    def aware(self) -> AwareArrays:
        """Scores merged by AWARE, and the assessors' weights."""
        chosen = self.policies
        return aware_arrays(
            self.runs, self.judgments, [self.measures[0]], Policies(chosen.topics, ties=chosen.ties, empty="zero"),
            None if chosen.unjudged == "nonrelevant" else chosen.unjudged, replicates=REPLICATES, seed=self.seed,
            joined=self.joined,
        )  # fmt: skip

    def explorer(self, order: Sequence[str]) -> Packed:
        """Topics and documents for the page; see `report.explorer`. `order` is the verdict's."""
        joined = self.collection.joined
        place = [joined.topics.index(t) for t in self.judge_scores.topics]
        scores = {}
        for name, values in self.judge_scores.values.items():  # topics that the judge did not judge stay undefined
            scores[name] = np.full((len(joined.systems), len(joined.topics)), np.nan)
            scores[name][:, place] = values[0]
        shown = documents(joined, depth=deepest(self.measures), audit=self.audit, judge=self.assessor, texts=self.texts)
        return pack(
            scores, joined.systems, joined.topics, shown,
            specifications=specifications(self), topic_texts=self.topic_texts, order=order,
        )  # fmt: skip

    # ── judges ──
    @cached_property
    def agreement(self) -> Agreement:
        return agreement(self.judgments, seed=self.seed)


def all_documents(judgments: Judgments, others: Sequence[Judgments]) -> Judgments:
    """A pool that holds every document graded by anyone; the judgments themselves where the others add none."""
    added: dict[tuple[str, str], None] = {}
    for other in others:
        known = set(judgments.same_documents(other)[1].tolist())
        names = other.doc_ids()
        added |= {(other.topics[t], names[i]): None for i, t in enumerate(other.item_topic.tolist()) if i not in known}
    if not added:
        return judgments
    topics = [judgments.topics[t] for t in judgments.item_topic.tolist()] + [t for t, _ in added]
    docs = [*judgments.doc_ids(), *(d for _, d in added)]
    nothing = ["-1"] * len(docs)
    return Judgments.from_columns(topics, docs, ["pool"] * len(docs), nothing, scale=judgments.scale, place="the pool")
