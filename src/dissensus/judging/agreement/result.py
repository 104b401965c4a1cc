"""What `agree` finds: every coefficient, the grades, the judges and who stands out, pairs and topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.judging.agreement.coefficient_interval import Coefficient
from dissensus.judging.agreement.effective import Effective
from dissensus.judging.agreement.flags import looks_lines
from dissensus.judging.agreement.score_strata import by_agreement
from dissensus.results import Result, Table, Tables, described, single_values
from dissensus.wording import counted

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.judging.agreement.consistency import SelfConsistency
    from dissensus.judging.agreement.score_strata import ByAgreement
    from dissensus.measures.scores import ScoreArrays

LOOKED = 0.99  # level of the intervals that say who stands out
MEANINGS = {
    "coefficient": "name of the coefficient",
    "value": "value of the coefficient",
    "n": "number of documents with two labels or more that count",
    "note": "why there is no value",
    "labels": "number of labels with this grade",
    "agreement": "chance that another judge of the document says this grade, too",
    "same": "chance that the same judge says this grade again",
    "other": "chance that another judge of these documents says this grade, too",
    "n_other": "number of pairs of labels by different judges",
    "correlation": "correlation of the two judges' labels",
    "explained": "correlation that their agreement with the others explains",
    "excess": "correlation beyond that",
    "z": "standard errors between the excess and 0",
    "column": "column of labels, of which a label is put together",
    "values": "labels of the column, lowest first where they have an order",
    "equal": "share of pairs of labels of one document that are equal in this column",
    "alpha": "Krippendorff's alpha of the column: ordinal where its labels have an order, else nominal",
    "percent": "share of pairs of labels of one document that are equal",
    "overlap": "documents above the lowest grade for both, as a share of those above it for either",
}
PEOPLE = {
    "labels": "number of labels that the judge gave",
    "shared": "number of these documents that others judged, too",
    "agreement": "share of the others' labels of the same documents that are equal to the judge's",
    "kappa": "the same beyond chance: 1 is perfect, 0 is a coin",
    "looks": "random, lazy (nearly always one grade), contrary, or too few labels to say",
}


@dataclass(frozen=True)
class Agreement(Result):
    """Coefficients are numbers that carry `.low`, `.high`, `.n`. `.to_frame()` lists them all.

    `alpha` is ordinal (nominal where labels have no order). `kappa` is Cohen's, over all pairs of assessors (Conger).
    `overlap` maps each grade g above the bottom to |A ∩ B| / |A ∪ B| of the documents graded g or higher. `pairs` is
    assessor by assessor. `assessors` says who looks random, lazy or contrary (99% intervals). `alike` lists pairs that
    agree more than their agreement with the others explains. `self_consistency` is None where no assessor judged a
    document twice. `effective` is the number of independent assessors the crowd is worth.
    """

    percent: Coefficient
    overlap: dict[str, Coefficient]
    kappa: Coefficient
    kappa_linear: Coefficient
    kappa_quadratic: Coefficient
    fleiss: Coefficient
    alpha_nominal: Coefficient
    alpha_ordinal: Coefficient
    alpha_interval: Coefficient
    ac1: Coefficient
    ac2: Coefficient
    pairs: pl.DataFrame
    assessors: pl.DataFrame
    alike: pl.DataFrame
    per_topic: pl.DataFrame
    per_grade: pl.DataFrame
    per_column: pl.DataFrame
    self_consistency: SelfConsistency | None
    effective: Effective
    n_labels: int
    n_documents: int
    n_assessors: int
    notes: tuple[str, ...] = ()
    level: float = 0.95
    also: tuple[str, ...] = ()  # tables that the first screen shows, too

    @property
    def alpha(self) -> Coefficient:
        """Ordinal α, or nominal α where labels have no order."""
        return self.alpha_nominal if self.alpha_ordinal.undefined == "no order" else self.alpha_ordinal

    def coefficients(self) -> dict[str, Coefficient]:
        """Every coefficient by its full name; over more than two assessors Cohen's κ is Conger's."""
        whose = "Cohen's" if self.n_assessors == 2 else "Conger's"
        top = next(reversed(self.overlap), None)
        return {
            "percent agreement": self.percent,
            **{f"overlap at {g}{'' if g == top else ' or above'}": e for g, e in self.overlap.items()},
            f"{whose} kappa": self.kappa,
            f"{whose} kappa, linear": self.kappa_linear,
            f"{whose} kappa, quadratic": self.kappa_quadratic,
            "Fleiss' kappa": self.fleiss,
            "Krippendorff's alpha, nominal": self.alpha_nominal,
            "Krippendorff's alpha, ordinal": self.alpha_ordinal,
            "Krippendorff's alpha, interval": self.alpha_interval,
            "Gwet's AC1": self.ac1,
            "Gwet's AC2, quadratic": self.ac2,
        }

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return (
            f"Agreement of {counted(self.n_assessors, 'judge')} on {counted(self.n_documents, 'document')} "
            "with two labels or more"
        )

    @property
    def claims(self) -> list[str]:
        """How often two judges say the same, the coefficient that fits the scale, and who stands out."""
        same = f"Two judges give a document the same label {self.percent:.0%} of the time. "
        said = "" if np.isnan(self.percent) else same
        looks = dict(self.assessors.select("assessor", "looks").iter_rows())
        return [said + _beyond_chance(*self._fitting()), str(self.effective), *looks_lines(looks)]

    def _fitting(self) -> tuple[str, Coefficient]:
        """The coefficient that fits the scale, which is alpha, by its name."""
        return next((name, c) for name, c in self.coefficients().items() if c is self.alpha)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        columns = {"by column": self.per_column} if self.per_column.height else {}
        frames = {"coefficients": self._rows(), **columns, "by grade": self.per_grade}
        people = {"assessors": Table.of(self.assessors.sort("kappa", nulls_last=True), PEOPLE, level=LOOKED)}
        same = {} if self.self_consistency is None else {"self-consistency": self.self_consistency.table}
        rest = {"alike": self.alike, "pairs": self.pairs, "by topic": self.per_topic}
        first = described(frames, MEANINGS, level=self.level)
        return first | people | described({**same, **rest}, MEANINGS, level=self.level)

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        return {**single_values(self), "effective": self.effective.to_dict()}

    def screen(self, whole: bool = False) -> Result:
        """The coefficient that fits the scale, grades, judges, and what stands out; all coefficients where `whole`."""
        if whole:
            return self
        tables = self.tables
        fitting, _ = self._fitting()
        row = tables["coefficients"].frame.filter(pl.col("coefficient") == fitting)
        if not row["note"].item():
            row = row.drop("note")
        tables["coefficients"] = Table.of(row, MEANINGS, level=self.level)
        odd = ["alike"] if self.alike.height else []
        shown = [
            n
            for n in ("coefficients", "by column", "by grade", "assessors", "self-consistency", *odd, *self.also)
            if n in tables
        ]
        return Tables({name: tables[name] for name in shown}, self.title, self.notes, claims=self.claims)

    def _rows(self) -> pl.DataFrame:
        """Polars frame coefficient, value, low, high, n, note."""
        return pl.DataFrame([{"coefficient": name, **e.to_dict()} for name, e in self.coefficients().items()])

    def by_stratum(self, scores: xr.Dataset | ScoreArrays, *, level: float = 0.95, seed: int = 0) -> ByAgreement:
        """Scores from `evaluate` by how far the judges agree on the topic; see `judges.by_agreement`."""
        return by_agreement(scores, self.per_topic, level=level, seed=seed)


def _beyond_chance(name: str, found: Coefficient) -> str:
    if np.isnan(found):
        return f"{name}, cannot be computed: {found.note}."
    ends = "" if np.isnan(found.low) else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{name}, is {found:.2f}{ends}. 1 is perfect, 0 is chance."
