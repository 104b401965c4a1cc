"""A planned sample in a study: drawn before the first label, judged once, looked at once.

A committed order may be looked at after every label, for linear measures. Every other measure takes a sample of a fixed
size (`ds.plan`), all of which is judged before anything is computed. So there is nothing to follow: no interval, no
forecast, no early end. Closing waits for the last document, and then corrects scores with the probabilities that the
plan gave to *all* documents (its frame).
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import Fix, InputError, Option
from dissensus.inference.sequential.result import Verdicts
from dissensus.tables.audit import Audit
from dissensus.tables.columns import id_strings, numbers_of, placed
from dissensus.tables.design import Coverage, Frame, matching
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale
from dissensus.work.seeds import generator

SEEN = "The sample was looked at once, when the study was closed: the report has its results."
ABOUT = ("covers", "pairs", "design")  # what a sample's file says of itself, the same in every row


class Unseen(Verdicts):
    """No verdict: a sample is looked at once, when it is closed."""

    def __init__(self) -> None:
        super().__init__(())

    @property
    def open(self) -> int:
        return 1

    @property
    def headline(self) -> str:
        return "The sample is looked at once: its results come when the study is closed."

    def __str__(self) -> str:
        return self.headline


class SeenSample(Unseen):
    """What the one look showed, in sentences."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__()
        object.__setattr__(self, "lines", tuple(lines))

    lines: tuple[str, ...]

    @property
    def headline(self) -> str:
        return self.lines[0] if self.lines else "Nothing can be said."

    def __str__(self) -> str:
        return "\n".join(self.lines) or self.headline


class Once:
    """What stands in for the sequence of a study that follows nothing."""

    decided_at: int | None = None
    forecast: int | None = None
    forecast_if_half: int | None = None
    verdict = Unseen()

    def __init__(self) -> None:
        self.table = pl.DataFrame()

    def add(self, topic: str, doc: str, grade: str | None) -> None:
        """Labels are kept in the log alone."""

    def looks(self, number: int) -> list[Values]:
        """None: there is no look before the study is closed."""
        return []

    def notes(self) -> list[str]:
        """Nothing to say before that."""
        return []


@dataclass(frozen=True, eq=False)
class Planned:
    """The documents of a sample in the order in which they are judged, and the chances of all documents (`frame`).

    `documents` has topic, doc, inclusion, and what the file said of how it was drawn.
    """

    documents: pl.DataFrame
    frame: Frame

    @classmethod
    def of(cls, sample: pl.DataFrame, frame: pl.DataFrame, seed: int, source: str = "the sample") -> Planned:
        """From a plan's sample and frame: topics in random order, a topic's documents together."""
        lost = [c for c in ("topic", "doc", "inclusion", "design") if c not in sample.columns]
        if lost:
            raise InputError(
                f"{source} has no column {lost[0]!r}.",
                "Write it with dissensus plan --sample FILE, and leave it as it is.",
            )
        if "draw" in sample.columns:
            raise InputError(
                f"{source} is a committed order, which a study draws by itself.",
                Fix("Leave it out, or plan a sample without ", Option("order", True), "."),
            )
        if "grade" in sample.columns and sample["grade"].drop_nulls().cast(pl.String).str.strip_chars().ne("").any():
            raise InputError(
                f"{source} holds grades. A study begins without labels.",
                "Plan the labels to come with this file as --audit, and correct with both when they are judged.",
            )
        designs = sample["design"].drop_nulls().unique().to_list()
        kept = matching(frame, str(designs[0]) if designs else "", f"the frame of {source}")
        ids = {r: id_strings(sample[r], r, placed(source)) for r in ("topic", "doc")}
        table = pl.DataFrame({**ids, "inclusion": numbers_of(sample["inclusion"])})
        table = table.with_columns(sample[c].cast(pl.String) for c in ABOUT if c in sample.columns)
        topics = table["topic"].unique(maintain_order=True).to_list()
        rng = generator(seed, 5)
        place = dict(zip(topics, rng.permutation(len(topics)).tolist(), strict=True))
        keys = pl.DataFrame({"t": [place[t] for t in table["topic"]], "luck": rng.random(table.height)})
        order = np.lexsort((keys["luck"].to_numpy(), keys["t"].to_numpy()))
        made = cls(table[order], kept)
        made.audit(table.with_columns(grade=pl.lit("0")), None)  # refuses changed ids and lost rows
        return made

    def audit(self, graded: pl.DataFrame, scale: Scale | None) -> Audit:
        """Graded documents as an audit with the frame's probabilities."""
        return Audit.from_frame(graded, scale=scale, assessor="experts", source="the sample", everyone=self.frame.table)

    @property
    def order(self) -> pl.DataFrame:
        """The documents as an order: draw, topic, doc, rate (π), next_key."""
        n = self.documents.height
        return self.documents.select(
            draw=pl.int_range(1, n + 1), topic="topic", doc="doc", rate="inclusion",
            next_key=pl.lit(float("inf")),
        )  # fmt: skip

    @property
    def covers(self) -> Coverage:
        """What the sample can tell."""
        covers, pairs = (
            self.documents[c].drop_nulls().unique().to_list() if c in self.documents.columns else []
            for c in ("covers", "pairs")
        )
        return Coverage.from_columns(covers, pairs, "the sample")

    def bodies(self) -> dict[str, bytes]:
        """What a study keeps of it, as Parquet."""
        out = {}
        for name, table in (("sample", self.documents), ("frame", self.frame.table)):
            body = io.BytesIO()
            table.write_parquet(body)
            out[name] = body.getvalue()
        return out


def check_documents(planned: Planned, judge: Judgments) -> None:
    """Refuse a sample of documents that the judge did not grade."""
    topics = [judge.topics[t] for t in judge.item_topic]
    known = set(zip(topics, judge.doc_ids(), strict=True))
    strange = [row for row in planned.documents.select("topic", "doc").iter_rows() if row not in known]
    if strange:
        raise InputError(
            f"{len(strange):,} documents of the sample are not among those that the judge graded: topic "
            f"{strange[0][0]}, document {strange[0][1]}.",
            "Give the runs and labels that the sample was planned with.",
        )
