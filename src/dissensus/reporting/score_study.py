"""What a report on a table of scores is about: no rankings, no labels, one leaderboard or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import InputError, Option, Text
from dissensus.inference.correction.score_tables import correct_scores
from dissensus.measures.other_names import held, the_one
from dissensus.measures.scores import ScoreArrays, aggregated
from dissensus.reporting.explorer import no_documents, pack

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.inference.correction.score_tables import CorrectedScores
    from dissensus.reporting.explorer import Packed


@dataclass(frozen=True, eq=False)
class ScoreStudy:
    """Scores by assessor, system and topic, as `read_scores` gives them; `measures[0]` is the verdict's.

    `assessor` names the leaderboard that the verdict is about, where there are several; `gold` a judge whose scores on
    some of the topics correct it.
    """

    scores: xr.Dataset
    measures: tuple[str, ...]
    assessor: str | None = None
    seed: int = 0
    topic_texts: Mapping[str, str] = field(default_factory=dict)
    progress: Callable[[str], None] = field(default=lambda stage: None)
    gold: str | None = None
    negligible: float | None = None
    by: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if self.gold is not None:
            _ = self.corrected  # wrong names are errors before any work
            return
        if len(self.assessors) > 1 and self.assessor is None:
            raise InputError(
                f"the table holds the scores of {len(self.assessors)} judges: {', '.join(self.assessors[:8])}.",
                Text("Name the one that the verdict is about with ", Option("assessor"), "."),
            )
        if self.assessor is not None and self.assessor not in self.assessors:
            raise InputError(Text(Option("assessor", self.assessor), f" is none of {', '.join(self.assessors[:8])}."))

    @property
    def assessors(self) -> tuple[str, ...]:
        return tuple(str(a) for a in self.scores.coords["assessor"].values)

    @property
    def measure(self) -> str:
        return self.measures[0]

    @property
    def systems(self) -> tuple[str, ...]:
        return self.judge_scores.systems

    @property
    def judge_name(self) -> str:
        if self.corrected is not None:
            return self.corrected.judge
        return self.assessor or self.assessors[0]

    @cached_property
    def corrected(self) -> CorrectedScores | None:
        """The scores corrected by the gold judge, where one is named."""
        if self.gold is None:
            return None

        return correct_scores(self.scores, self.measures, gold=self.gold, assessor=self.assessor)

    @property
    def basis(self) -> str:
        if self.corrected is not None:
            return (
                f"{self.measure} by the scores of {self.judge_name}, corrected topic by topic by those of {self.gold}"
            )
        whose = f" of {self.assessor}" if self.assessor else ""
        return f"{self.measure}, scores{whose} from a table, uncorrected"

    @property
    def caution(self) -> str:
        """What must be known of scores without labels."""
        if self.corrected is not None:
            topics = self.corrected.results[self.measure].topics
            return (
                f"{self.basis}, which has scored {int(topics.audited.sum()):,} of {len(topics.topics):,} topics. This "
                "assumes that those topics are a random sample of all."
            )
        return (
            f"{self.basis}: the labels behind them are not here, so nothing is known of the judge's errors. Give runs, "
            "judgments and an audit to correct them."
        )

    @cached_property
    def judge_scores(self) -> ScoreArrays:
        """The scores of the verdict's leaderboard."""
        chosen = self.scores.sel(assessor=[self.judge_name]).transpose("assessor", "system", "topic")
        names = {d: tuple(str(x) for x in chosen.coords[d].values) for d in ("assessor", "system", "topic")}
        values = {m: np.asarray(chosen[m].values, np.float64) for m in self.measures}
        return ScoreArrays(values, names["assessor"], names["system"], names["topic"], {"footer": self.basis})

    def explorer(self, order: Sequence[str]) -> Packed:
        """Topics for the page; there are no documents. `order` is the verdict's."""
        held = self.judge_scores
        means = [
            (a, m, "", aggregated(np.asarray(self.scores[m].sel(assessor=a).transpose("system", "topic").values)))
            for a in (self.judge_name, *(a for a in self.assessors if a != self.judge_name))
            for m in self.measures
        ]
        return pack(
            {m: v[0] for m, v in held.values.items()}, held.systems, held.topics,
            no_documents(len(held.systems), len(held.topics)),
            specifications=means, topic_texts=self.topic_texts, order=order,
        )  # fmt: skip


def chosen_measures(scores: xr.Dataset, asked: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
    """The measures of a report: those asked for; without a wish the usual ones that the table has, else all it has."""
    there = [str(v) for v in scores.data_vars]
    if list(asked) == list(default):
        return tuple([found for m in asked if (found := held(there, m))] or there)
    return tuple(dict.fromkeys(the_one(there, name) for name in asked))
