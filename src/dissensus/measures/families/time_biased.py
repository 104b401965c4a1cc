"""Measures of users who need time: reading a long document takes longer than a short one.

They need the lengths of all retrieved documents, judged or not: `TBG(lengths='docs.jsonl')`, or for all of them
`--documents docs.jsonl`. Words are counted for TBG, characters for U. Their constants are those of the authors'
published calibration; no other package computes these measures, so they are checked by hand only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import Fix, MeasureError, Option
from dissensus.io.documents import read_documents
from dissensus.measures.linear import by_system
from dissensus.measures.measure import Grades, Measure
from dissensus.measures.parameters import file, number, relevance
from dissensus.tables.scale import UNJUDGED, Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class LengthMeasure(Measure):
    """Base of the measures that need the lengths of documents."""

    lengths: str | None = file("a file with the texts of the documents")
    bounded = False
    further_input = ("the lengths of documents",)

    def length_of(self, text: str) -> int:
        """The length of a text in this measure's unit."""
        raise NotImplementedError(f"{type(self).__name__} must define length_of()")

    def of_ranking(self, grades: NDArray[np.int8], lengths: Floats, scale: Scale) -> Floats:
        """Scores by assessor: grades by rank × assessor, lengths by rank."""
        raise NotImplementedError(f"{type(self).__name__} must define of_ranking()")

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        raise MeasureError(
            f"{self} depends on the lengths of documents, which a list of grades does not tell.",
            Fix("Evaluate runs with it, or call of_ranking(grades, lengths, scale).", reader="python"),
        )

    def bounds(self, joined: Joined) -> dict[str, Floats]:
        raise MeasureError(f"{self}: what unjudged documents could add is not known for it.", "Leave it out.")

    def scores(self, joined: Joined) -> Floats:
        if self.lengths is None:
            raise MeasureError(
                f"{self} needs the lengths of the documents.",
                f"Write {self.name}(lengths='docs.jsonl'), a file with the columns doc and text.",
                Fix("Give it to all measures: ", Option("documents", "docs.jsonl"), ".", reader="command"),
            )
        depth = joined.length if self.cutoff is None else np.minimum(joined.length, self.cutoff)
        ids = [joined.runs.ids.strings(np.arange(r, r + n)) for r, n in zip(joined.run_rows, depth, strict=True)]
        known = text_lengths(self.lengths, {d for own in ids for d in own}, self)
        out = np.zeros((len(depth), len(joined.assessors)))
        for s, own in enumerate(ids):
            grades = np.full((len(own), len(joined.assessors)), UNJUDGED, np.int8)
            hits = np.arange(joined.hits[s], joined.hits[s + 1])
            hits = hits[joined.hit_rank[hits] <= len(own)]
            grades[joined.hit_rank[hits] - 1] = joined.labels[joined.hit_item[hits]]
            out[s] = self.of_ranking(grades, np.array([known[d] for d in own], np.float64), joined.scale)
        return by_system(out, joined)


def text_lengths(path: str, wanted: set[str], measure: LengthMeasure) -> dict[str, int]:
    """The length of every wanted document; one that the file lacks is an error."""
    texts = read_documents([path], wanted)
    missing = sorted(wanted - set(texts))
    if missing:
        some = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
        raise MeasureError(
            f"{path} lacks {len(missing):,} of the {len(wanted):,} documents that the runs retrieved: {some}.",
            "Give the texts of all retrieved documents, or cut the measure off, for example @20.",
        )
    return {doc: measure.length_of(text.text) for doc, text in texts.items()}


@dataclass(frozen=True)
class TBG(LengthMeasure):
    """Time-biased gain: relevant documents that a user reaches before giving up (Smucker & Clarke 2012).

    TBG = Σ over relevant ranks of .4928·2^(−t_r/224); rank r is reached after t_r = Σ_{j<r} 4.4 + (.018·words + 7.8)·c
    seconds, c = .64 if j is relevant and .39 if not.

    >>> grades = np.array([[1], [0], [1]], np.int8)
    >>> round(float(TBG().of_ranking(grades, np.array([500.0, 1000.0, 200.0]), Scale.range(0, 1))[0]), 6)
    0.942448
    """

    formula = "Σ over relevant ranks of .4928·2^(−t_r/224), t_r the seconds until rank r is reached"
    user = "reads summaries and, if they look good, documents, and gives up with time (half after 224 s)"
    reference = "Smucker & Clarke 2012"

    rel: int = relevance()

    def length_of(self, text: str) -> int:
        return len(text.split())

    def of_ranking(self, grades: NDArray[np.int8], lengths: Floats, scale: Scale) -> Floats:
        relevant = grades >= self.rel
        seconds = 4.4 + (0.018 * lengths[:, None] + 7.8) * np.where(relevant, 0.64, 0.39)
        reached = np.cumsum(seconds, axis=0) - seconds
        return np.asarray(np.where(relevant, 0.4928 * 2 ** (-reached / 224), 0.0).sum(axis=0), np.float64)


@dataclass(frozen=True)
class U(LengthMeasure):
    """U-measure: gain that fades with the text a user has read (Sakai & Dou 2013).

    U = Σ v_r·max(0, 1 − pos_r/L), v = (2^g − 1)/2^G, pos_r the characters read up to the end of rank r: 200 of every
    summary, and a fifth of every relevant document.

    >>> grades = np.array([[3], [0], [1]], np.int8)
    >>> round(float(U().of_ranking(grades, np.array([10000.0, 4000.0, 20000.0]), Scale.range(0, 3))[0]), 6)
    0.979167
    """

    formula = "Σ v_r·max(0, 1 − pos_r/L), v = (2^g − 1)/2^G, pos_r the characters read so far"
    user = "reads summaries and parts of relevant documents, and stops after L characters"
    reference = "Sakai & Dou 2013"

    L: float = number(132000.0, "characters that a user reads at most", above=0)

    def needs_top(self) -> bool:
        return True

    def length_of(self, text: str) -> int:
        return len(text)

    def of_ranking(self, grades: NDArray[np.int8], lengths: Floats, scale: Scale) -> Floats:
        grade = np.maximum(grades, 0).astype(np.float64)
        value = (2**grade - 1) / 2.0**scale.top
        read = np.cumsum(200 + np.where(grade > 0, 0.2 * lengths[:, None], 0.0), axis=0)
        return np.asarray((value * np.maximum(0.0, 1 - read / self.L)).sum(axis=0), np.float64)


def with_lengths(measures: list[Measure], path: str) -> list[Measure]:
    """The measures, with the lengths of this file where they need lengths and have none."""
    needy = [isinstance(m, LengthMeasure) and m.lengths is None for m in measures]
    if not any(needy):
        raise MeasureError(f"none of {', '.join(map(str, measures))} needs the lengths of documents.", "TBG and U do.")
    return [replace(m, lengths=path) if needs else m for m, needs in zip(measures, needy, strict=True)]  # type: ignore[call-arg]
