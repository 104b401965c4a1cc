"""What `evaluate` shows: the mean of every system by every judge's labels, or its score of each topic.

People compare systems, so a screen has systems in rows and judges in columns, a table for each measure, ordered by the
mean over judges. Files and JSON have a row per judge and system.

    >>> import numpy as np
    >>> values = {"AP": np.array([[[0.2, 0.4], [0.5, 0.7]], [[0.1, 0.3], [0.2, 0.2]]])}
    >>> attrs = {"footer": "ties=trec", "aggregates": {}, "missing": [], "topics": "judged"}
    >>> scores = Scores(ScoreArrays(values, ("ann", "bob"), ("A", "B"), ("1", "2"), attrs))
    >>> print(scores)
    AP, mean over topics
    system  all judges     ann     bob
    ──────  ──────────  ──────  ──────
    B           0.4000  0.6000  0.2000
    A           0.2500  0.3000  0.2000
    <BLANKLINE>
    ties=trec
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.measures.catalog import lower_is_better
from dissensus.measures.scores import ScoreArrays, aggregated
from dissensus.results import Result, Table, Tables

Form = Literal["means", "rows", "topics", "perquery"]
OTHER = {"sum": "sum over topics", "geometric": "geometric mean over topics"}
PER_TOPIC = ("topics", "perquery")
PERQUERY = {"name": "name of the system", "qid": "id of the topic", "value": "score of the topic"}
ALL = "all judges"
ACROSS = 12  # judges that stand beside each other on a screen


@dataclass(frozen=True, eq=False)
class Scores(Result):
    """Scores by judge, system and measure: means over topics, or a row per topic.

    "rows" are means, a row per judge and system on a terminal, too. `headings` are shorter names of measures for
    people.
    """

    arrays: ScoreArrays = field(repr=False)
    form: Form = "means"
    headings: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "Scores per topic" if self.form in PER_TOPIC else "Mean scores"

    @property
    def tables(self) -> dict[str, Table]:
        """One table: a row per judge and system, or per judge, system and topic."""
        if self.form == "perquery":
            return {"scores": Table.of(perquery_rows(self.arrays), PERQUERY)}
        rows = topic_rows(self.arrays) if self.form in PER_TOPIC else mean_rows(self.arrays)
        return {"scores": self._described(rows)}

    def _described(self, rows: pl.DataFrame) -> Table:
        meanings = {name: _meaning(name, self.arrays, self.form) for name in self.arrays.values}
        titles = {n: self.headings.get(n, n) for n in meanings}
        return Table.of(rows, meanings, titles=titles)

    def screen(self, whole: bool = False) -> Result:
        """Systems in rows and judges in columns, a table for each measure; of one judge, its measures in columns."""
        arrays = self.arrays
        whose = arrays.assessors
        if self.form != "means" or len(whose) > ACROSS or {"system", ALL} & {*whose}:
            return self
        counts = mean_rows(arrays)["topics"]
        if len(whose) == 1:
            rows = mean_rows(arrays).drop("assessor", *(["topics"] if counts.n_unique() == 1 else []))
            return Tables({"scores": self._described(rows)}, f"Mean scores using {whose[0]}'s labels", self.notes)
        heads = {n: f"{self.headings.get(n, n)}, {_over(n, arrays)}" for n in arrays.values}
        tables = {head: self._across(n) for n, head in heads.items()}
        title = next(iter(tables)) if len(tables) == 1 else ""
        few = [f"{who} {n}" for who, n in zip(whose, self._topics(), strict=True) if n < len(arrays.topics)]
        more = [f"topics with a score, of {len(arrays.topics)}: {', '.join(few)}"] if few else []
        return Tables(tables, title, [*more, *self.notes])

    def _across(self, name: str) -> Table:
        """system, the mean over judges, and each judge; the best system first."""
        means = self.arrays.means()[name]
        over = aggregated(means.T)
        order = np.argsort(over if lower_is_better(name) else -over, kind="stable")
        columns = {who: means[a, order] for a, who in enumerate(self.arrays.assessors)}
        frame = pl.DataFrame({"system": [self.arrays.systems[s] for s in order], ALL: over[order], **columns})
        meanings = {ALL: "mean over the judges"} | {who: f"{name} using {who}'s labels" for who in columns}
        return Table.of(frame, meanings, titles={who: who for who in columns})

    def _topics(self) -> list[int]:
        """Topics of each judge with a score by the first measure, of the system that has most."""
        first = next(iter(self.arrays.values.values()))
        return [int(n) for n in (~np.isnan(first)).sum(axis=2).max(axis=1)]

    @property
    def notes(self) -> list[str]:
        """The account: policies, what is no mean, and missing topics by name while they are few."""
        attrs = self.arrays.attrs
        lines = [attrs["footer"]]
        for how, words in OTHER.items():
            names = [name for name, own in attrs["aggregates"].items() if own == how]
            if names:
                lines.append(f"{words.replace(' over', 's over')}, not means: {', '.join(names)}")
        missing = [f"{system} {topic}" for system, topic in attrs["missing"]]
        if missing and attrs["topics"] != "shared":
            more = f" … ({len(missing):,} in all; see dissensus check)" if len(missing) > 8 else ""
            effect = "scored as empty rankings" if attrs["topics"] == "judged" else "left out of that system's means"
            lines.append(f"missing topics, {effect}: {', '.join(missing[:8])}{more}")
        return lines

    @property
    def facts(self) -> Values:
        """The policies, and what they did."""
        return {"policies": {k: v for k, v in self.arrays.attrs.items() if k != "footer"}}


def _over(name: str, arrays: ScoreArrays) -> str:
    return OTHER.get(arrays.attrs.get("aggregates", {}).get(name, "mean"), "mean over topics")


def _meaning(name: str, arrays: ScoreArrays, form: Form) -> str:
    """What a column of scores means; bounds and standard errors go with the measure before the dot."""
    over = "score of the topic by" if form in PER_TOPIC else f"{_over(name, arrays)} of"
    base, dot, part = name.rpartition(".")
    if dot and base in arrays.values and part in ("low", "high", "se"):
        what = {"low": "lowest", "high": "highest"}.get(part)
        return f"{what} {over} {base} that unjudged documents allow" if what else f"standard error of {base}"
    return f"{over} {name}"


def mean_rows(scores: ScoreArrays) -> pl.DataFrame:
    """Means over topics, best system first for each judge; `topics` is how many went into the first measure's."""
    first = next(iter(scores.values))
    count = (~np.isnan(scores.values[first])).sum(axis=2)
    shape = count.shape
    means = scores.means()
    best_first = means[first] if lower_is_better(first) else -means[first]  # NaN goes last either way
    rank = np.lexsort((np.broadcast_to(np.arange(shape[1]), shape), best_first), axis=1)
    who = np.repeat(np.arange(shape[0]), shape[1])
    which = rank.reshape(-1)
    table: Values = {
        "assessor": [scores.assessors[a] for a in who],
        "system": [scores.systems[s] for s in which],
        **{name: mean[who, which] for name, mean in means.items()},
        "topics": count[who, which],
    }
    return pl.DataFrame(table, strict=False)


def topic_rows(scores: ScoreArrays) -> pl.DataFrame:
    """One row per judge, system and topic."""
    shape = next(iter(scores.values.values())).shape
    a, s, t = (index.reshape(-1) for index in np.indices(shape))
    names: Values = {
        "assessor": [scores.assessors[i] for i in a],
        "system": [scores.systems[i] for i in s],
        "topic": [scores.topics[i] for i in t],
    }
    return pl.DataFrame(names | {name: values.reshape(-1) for name, values in scores.values.items()}, strict=False)


def perquery_rows(scores: ScoreArrays) -> pl.DataFrame:
    """PyTerrier's perquery.csv: name, qid, measure, value; `assessor` in front where there are several."""
    wide = topic_rows(scores).rename({"system": "name", "topic": "qid"})
    long = wide.unpivot(index=["assessor", "name", "qid"], variable_name="measure").filter(pl.col("value").is_not_nan())
    return long if len(scores.assessors) > 1 else long.drop("assessor")
