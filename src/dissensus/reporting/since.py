"""What changed since the last report, and whether that is more than noise. The last report's JSON is enough for it.

A change of a naive score is paired by topic where both reports scored the same topics. Otherwise the two variances are
added, as if the reports shared nothing, which makes intervals rather too wide. Intervals hold for all systems together
(Bonferroni).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dissensus.errors import InputError
from dissensus.inference.comparison.claims import names
from dissensus.inference.comparison.outcome import Outcome
from dissensus.measures.scores import ScoreArrays
from dissensus.reporting.blocks import Block, Paragraph, Section, TableBlock
from dissensus.results import Table
from dissensus.stats.intervals import quantile
from dissensus.wording import counted

LEVEL = 0.95
TITLE = "What changed since the last report"
SCHEMA = {
    "system": pl.String, "before": pl.Float64, "now": pl.Float64, "change": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "noise": pl.String, "rests on": pl.String,
}  # fmt: skip
MEANINGS = {
    "before": "score in the last report",
    "now": "score in this report",
    "noise": "whether the change is more than noise",
    "rests on": "how the change was compared",
}
Interval = tuple[float, float, float]


@dataclass(frozen=True)
class LastReport:
    """The outcome of a report that was saved with `--json`, and its naive scores by system and topic."""

    name: str
    outcome: Mapping[str, Any]
    topics: Mapping[str, Mapping[str, float | None]]

    @classmethod
    def read(cls, path: str | Path) -> LastReport:
        """Read what `dissensus report --json` printed."""
        try:
            value = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"--before {path} cannot be read as JSON: {error}.", FIX) from None
        found = value.get("outcome") if isinstance(value, dict) else None
        if not isinstance(found, dict) or not {"measure", "judge", "best", "scores"} <= set(found):
            raise InputError(f"--before {path} is not the JSON of a report.", FIX)
        return cls(Path(path).name, found, value.get("topic_scores") or {})

    def scores(self) -> dict[str, tuple[str, Interval]]:
        """Each system's kind of score, and that score with its interval."""
        out = {}
        for row in self.outcome["scores"]:
            kind = row["kind"]
            values = (row.get(kind), row.get(f"{kind}_low"), row.get(f"{kind}_high"))
            out[row["system"]] = (kind, tuple(math.nan if v is None else float(v) for v in values))
        return out  # type: ignore[return-value]


FIX = "Save one with: dissensus report … --json > last.json"


@dataclass(frozen=True)
class Since:
    """The two reports side by side."""

    last: LastReport
    outcome: Outcome
    table: pl.DataFrame

    @classmethod
    def of(cls, last: LastReport, outcome: Outcome, scores: ScoreArrays) -> Since:
        """Compare the scores of an outcome with those of the last report."""
        if last.outcome["measure"] != outcome.measure:
            raise InputError(
                f"--before {last.name} is about {last.outcome['measure']}, this report about {outcome.measure}.",
                f"Name {last.outcome['measure']} first: -m {last.outcome['measure']}.",
            )
        own = topic_scores(scores, outcome.measure)
        then = last.scores()
        both = [s for s in outcome.order if s in then]
        rows: list[tuple[object, ...]] = []
        for system in outcome.order:
            now = outcome.scores.get(system, (math.nan,) * 3)
            if system not in then:
                rows.append((system, None, now[0], None, None, None, "new", ""))
                continue
            kind, before = then[system]
            alike = kind == outcome.kinds.get(system)
            change, how = _change(before, now, alike, kind, (last.topics.get(system), own[system]), len(both))
            noise = "not compared" if math.isnan(change[1]) else "more than noise" if change[1] * change[2] > 0 else (
                "none" if change == (0.0, 0.0, 0.0) else "within noise"
            )  # fmt: skip
            rows.append((system, before[0], now[0], *change, noise, how))
        gone = [(s, v[1][0], None, None, None, None, "gone", "") for s, v in then.items() if s not in outcome.order]
        frame = pl.DataFrame([*rows, *gone], schema=SCHEMA, orient="row")
        return cls(last, outcome, frame.with_columns(pl.col(pl.Float64).fill_nan(None)))

    @property
    def described(self) -> Table:
        """The table with what its columns mean."""
        return Table.of(self.table, MEANINGS, level=LEVEL)

    def sentences(self) -> list[str]:
        """The best set then and now, whose scores changed, who came and went, and another judge or target."""
        then, now = tuple(self.last.outcome["best"]), self.outcome.best
        was = names(then, "or") if len(then) <= 3 else f"{len(then):,} systems"
        same = set(then) == set(now)
        out = [f"Since {self.last.name} the systems that could be the best are {'the same' if same else 'others'}."]
        out += [] if same else [f"Then it was {was}."]
        moved = self._named("more than noise")
        n = self.table.filter(pl.col("change").is_not_null()).height
        if n:
            out.append(f"{counted(len(moved), 'score')} of {n:,} changed by more than noise" + (
                f": {names(moved, 'and')}." if moved else "."
            ))  # fmt: skip
        for what in ("new", "gone"):
            out += [f"{what.capitalize()}: {names(s, 'and')}." for s in [self._named(what)] if s]
        for key, own in (("judge", self.outcome.judge), ("target", self.outcome.target)):
            if self.last.outcome.get(key) != own:
                out.append(f"The {key} was {self.last.outcome.get(key)}, and is {own} now.")
        return out

    def _named(self, what: str) -> list[str]:
        return self.table.filter(pl.col("noise") == what)["system"].to_list()

    def section(self) -> Section:
        """The two reports side by side, as a section of the page."""
        said = " ".join(self.sentences())
        caption = f"{self.outcome.measure}, then and now: changes with {LEVEL:.0%} intervals that hold together"
        how = (
            "Changes of naive scores are paired by topic. For other scores the variances of both reports are added, "
            "as if they shared nothing, so these intervals are rather too wide."
        )
        blocks: list[Block] = [
            Paragraph(said, "compare", "answer"),
            TableBlock("since", self.described, caption, digits=3),
            Paragraph(how, kind="quiet"),
        ]
        return Section("since", TITLE, blocks, line=said, short="Since last time")


def topic_scores(scores: ScoreArrays, measure: str) -> dict[str, dict[str, float | None]]:
    """{system: {topic: score}} using the judge's labels, uncorrected; None where there is no score."""
    values = scores.values[measure][0]
    return {
        s: {t: None if math.isnan(v) else float(v) for t, v in zip(scores.topics, row, strict=True)}
        for s, row in zip(scores.systems, values, strict=True)
    }


def _change(
    before: Interval,
    now: Interval,
    alike: bool,
    kind: str,
    topics: tuple[Mapping[str, float | None] | None, Mapping[str, float | None]],
    systems: int,
) -> tuple[Interval, str]:
    """(now − before with its interval, what the interval rests on); scores of two kinds are not compared."""
    if not alike:
        return (math.nan,) * 3, "scores of two kinds"
    level = 1 - (1 - LEVEL) / max(systems, 1)
    then, own = topics
    if kind == "naive" and then and set(then) == set(own):
        pairs = [(own[t], then[t]) for t in own]
        gaps = np.array([a - b for a, b in pairs if a is not None and b is not None])
        known = [sum(v is not None for v in scored.values()) for scored in (own, then)]
        if gaps.size > 1 and known == [gaps.size] * 2:
            mean, se = float(gaps.mean()), float(gaps.std(ddof=1) / math.sqrt(gaps.size))
            half = quantile(level, gaps.size - 1) * se
            return (mean, mean - half, mean + half), f"paired by {gaps.size:,} topics"
    wider = quantile(level) / quantile(LEVEL)
    half = wider * math.hypot((before[2] - before[1]) / 2, (now[2] - now[1]) / 2)
    gap = now[0] - before[0]
    return (gap, gap - half, gap + half), "variances added"
