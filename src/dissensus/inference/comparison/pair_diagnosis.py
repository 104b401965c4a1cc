"""What speaks for or against a pair's corrected difference: values first, sentences from them.

- **Sensitivity**: the same difference through the judge's shared confusion matrix, and Hausman's test of the two,
  z = (Δ_rectified − Δ_matrix)/se. It has low power: no alarm is not a licence to use the matrix.
- **f\\***: the audited share of the documents that tell the two apart below which the matrix, if it held, would have
  the smaller variance: 1/(1 + [p·Se(1−Se) + (1−p)Sp(1−Sp)]/(D²·E[f(1−f)])).
- **Errors** of the judge on audited documents that only a shows, only b shows, both show, with a χ² test within gold
  classes: where these differ, the judge favours one system.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dissensus.inference.correction.diagnosis import differential, worth_classes
from dissensus.inference.correction.estimate import contrast
from dissensus.inference.correction.fieller import accuracies
from dissensus.measures.measure import Linear
from dissensus.stats.intervals import p_text, two_sided_p
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.inference.comparison.differences import Differences
    from dissensus.inference.correction.estimate import MeasureResult
    from dissensus.inference.correction.result import Corrected

NAN = math.nan
DIAGNOSED = 28  # pairs of a measure
EXPLAINED = 3  # pairs whose diagnosis is told in sentences
#: the columns of the table
DIAGNOSIS = {
    "matrix": "difference through the shared confusion matrix",
    "matrix_se": "standard error of the difference through the matrix",
    "hausman_z": "Hausman's test of the difference against the one through the matrix: standard errors from 0",
    "hausman_p": "p-value of Hausman's test",
    "audited": "audited share of the documents that distinguish the two",
    "f_star": "audited share below which the matrix, if it were right, would have the smaller variance",
    "only_a_documents": "audited documents that only a shows",
    "only_a_errors": "share of them on which the judge's label has another value than the experts'",
    "only_b_documents": "audited documents that only b shows",
    "only_b_errors": "share of them on which the judge's label has another value than the experts'",
    "both_documents": "audited documents that both show",
    "both_errors": "share of them on which the judge's label has another value than the experts'",
    "errors_p": "p-value of equal errors on the three kinds",
}


@dataclass(frozen=True)
class Errors:
    """Audited documents of one kind, and the share on which the judge's label has another value than gold."""

    documents: int
    rate: float


@dataclass(frozen=True)
class PairDiagnosis:
    """The diagnosis of a − b; NaN, or None for `errors`, where something cannot be computed."""

    a: str
    b: str
    measure: str
    matrix_difference: float = NAN
    matrix_se: float = NAN
    hausman_z: float = NAN
    hausman_p: float = NAN
    audited_share: float = NAN  # of the documents that tell the two apart
    f_star: float = NAN
    errors: dict[str, Errors] | None = None  # "a", "b", "both"
    errors_p: float = NAN

    def row(self) -> dict[str, object]:
        """One row of a table."""
        out: dict[str, object] = {
            "measure": self.measure, "a": self.a, "b": self.b, "matrix": self.matrix_difference,
            "matrix_se": self.matrix_se, "hausman_z": self.hausman_z, "hausman_p": self.hausman_p,
            "audited": self.audited_share, "f_star": self.f_star,
        }  # fmt: skip
        for key in ("a", "b", "both"):
            errors = (self.errors or {}).get(key, Errors(0, NAN))
            name = "both" if key == "both" else f"only_{key}"
            out |= {f"{name}_documents": errors.documents, f"{name}_errors": errors.rate}
        return {**out, "errors_p": self.errors_p}

    def sentences(self) -> tuple[str, ...]:
        """The diagnosis in words; nothing where nothing could be computed."""
        out = []
        if math.isfinite(self.matrix_difference):
            out.append(
                f"through the shared matrix {self.a} − {self.b} would be {self.matrix_difference:+.4f} ± "
                f"{self.matrix_se:.4f} (sensitivity line); Hausman z = {self.hausman_z:+.2f}, "
                f"p {p_text(self.hausman_p)}; a large p does not show that the matrix holds."
            )
        if math.isfinite(self.f_star):
            out.append(
                f"{self.audited_share:.1%} of the documents that tell the two apart are audited; below f* = "
                f"{self.f_star:.1%} the matrix, if it held, would have the smaller variance."
            )
        if self.errors and math.isfinite(self.errors_p):
            kinds = {"a": f"of {self.a} alone", "b": f"of {self.b} alone", "both": "of both"}
            rates = ", ".join(
                f"{kinds[k]} {e.rate:.1%} of {e.documents:,}" for k, e in self.errors.items() if e.documents
            )
            worry = "; the judge treats the two systems' documents differently" if self.errors_p < 0.05 else ""
            out.append(f"errors on audited documents that count, {rates}: χ² p {p_text(self.errors_p)}{worry}.")
        return tuple(out)


def diagnose_pair(corrected: Corrected, result: MeasureResult, a: int, b: int) -> PairDiagnosis:
    """Everything there is to say about a − b, from the audit behind `corrected`."""
    sensitivity = _sensitivity(corrected, result, a, b)
    share, limit = audited_share(corrected, result, a, b)
    errors, errors_p = _errors(corrected, result, a, b)
    return PairDiagnosis(
        corrected.systems[a], corrected.systems[b], result.name, *sensitivity, share, limit, errors, errors_p
    )


def diagnoses(corrected: Corrected, compared: Differences, most: int = DIAGNOSED) -> list[PairDiagnosis]:
    """The diagnosis of every pair compared; of more than `most` pairs, that of the first against the rest, and of
    neighbours in the order, until there are as many."""
    out = []
    for name, result in corrected.results.items():
        pairs = [(d.a, d.b) for d in compared.pairs if d.measure == name and d.claim.kind != "unanswered"]
        if len(pairs) > most:
            order = compared.standing(name).systems
            wanted = dict.fromkeys([*((order[0], s) for s in order[1:]), *pairwise(order)])
            pairs = [(a, b) for a, b in wanted if (a, b) in pairs or (b, a) in pairs][:most]
        out += [diagnose_pair(corrected, result, corrected.place_of(a), corrected.place_of(b)) for a, b in pairs]
    return [d for d in out if d.sentences()]


def diagnosis_lines(diagnosis: Sequence[PairDiagnosis], everything: bool = False) -> list[str]:
    """The diagnosis in sentences for a few pairs, else how many pairs raise a doubt; the table has them all."""
    if everything or len(diagnosis) <= EXPLAINED:
        return [f"{d.measure}, {d.a} − {d.b}: {text}" for d in diagnosis for text in d.sentences()]
    tested = [d for d in diagnosis if d.hausman_p == d.hausman_p]
    compared = [d for d in diagnosis if d.errors_p == d.errors_p]
    out = []
    if tested:
        off = [d for d in tested if d.hausman_p < 0.05]
        out.append(
            f"diagnosis of {counted(len(tested), 'pair')}: Hausman's test speaks against the shared matrix in "
            f"{len(off)} (p < 0.05, not adjusted)" + _first(off)
        )
    if compared:
        off = [d for d in compared if d.errors_p < 0.05]
        out.append(
            f"errors on documents of one system alone, the other alone, both: they differ in {len(off)} of "
            f"{counted(len(compared), 'pair')} (p < 0.05, not adjusted){_first(off)}; the table diagnosis lists them"
        )
    return out


def _first(pairs: Sequence[PairDiagnosis]) -> str:
    return ": " + ", ".join(f"{d.a} − {d.b}" for d in pairs[:3]) + (" …" if len(pairs) > 3 else "") if pairs else ""


def _sensitivity(corrected: Corrected, result: MeasureResult, a: int, b: int) -> tuple[float, float, float, float]:
    """(Δ through the matrix, its se, Hausman's z and p)."""
    other, n = result.sensitivity, len(corrected.topics)
    if other is None or other.why_not or result.weights is None or not isinstance(result.measure, Linear) or n < 2:
        return NAN, NAN, NAN, NAN
    main = result.estimate
    gap = (main.scores[a] - main.scores[b]) - (other.scores[a] - other.scores[b])
    part = other.calibration_part
    extra = 0.0 if part is None else float(contrast(part, np.array([a]), np.array([b]))[0])
    spread = math.sqrt(float(gap.var(ddof=1)) / n + extra)
    z = float(gap.mean()) / spread if spread > 0 else 0.0
    delta, se = other.theta[a] - other.theta[b], other.se_between(np.array([a]), np.array([b]))[0]
    return float(delta), float(se), z, two_sided_p(z)


def audited_share(corrected: Corrected, result: MeasureResult, a: int, b: int) -> tuple[float, float]:
    """(audited share of the documents that tell a and b apart, f*); NaN where there is no binary matrix."""
    other, weights, design = result.sensitivity, result.weights, corrected.design
    if other is None or other.solved is None or weights is None or not isinstance(result.measure, Linear):
        return NAN, NAN
    rates = accuracies(other.solved.as_binary() or other.solved.calibration)
    differ = (weights.row(a) != weights.row(b)) & (design.bronze < design.n_labels - 1)
    seen = differ & design.audited
    if rates is None or rates.discrimination <= 0 or not seen.any():
        return NAN, NAN
    values, _ = design.values_of(result.measure)
    relevant = (values > values.min())[design.gold[seen]].astype(np.float64)
    w = 1 / design.inclusion[seen]
    p = float((w * relevant).sum() / w.sum())
    label = design.bronze[seen]
    size = np.bincount(label, w, design.n_labels)
    f = np.divide(
        np.bincount(label, w * relevant, design.n_labels), size, out=np.full(design.n_labels, p), where=size > 0
    )
    doubt = float((f * (1 - f))[design.bronze[differ]].mean())
    se, sp, d = rates.sensitivity, rates.specificity, rates.discrimination
    noise = p * se * (1 - se) + (1 - p) * sp * (1 - sp)
    limit = 1 / (1 + noise / (d**2 * doubt)) if doubt > 0 else 0.0
    return float(seen.sum() / differ.sum()), limit


def _errors(corrected: Corrected, result: MeasureResult, a: int, b: int) -> tuple[dict[str, Errors] | None, float]:
    """(errors by who shows the document, p that the judge errs equally on all three kinds)."""
    design, weights = corrected.design, result.weights
    seen = design.audited & (design.bronze < design.n_labels - 1)
    if weights is None or seen.sum() < 2 or not isinstance(result.measure, Linear):
        return None, NAN
    items = np.flatnonzero(seen)
    place = (weights.row(a)[items] != 0) * 1 + (weights.row(b)[items] != 0) * 2
    shown = place > 0
    if not shown.any():
        return None, NAN
    values, bronze_values = design.values_of(result.measure)
    gold, bronze = design.gold[items], design.bronze[items]
    wrong = values[gold] != bronze_values[bronze]
    w = 1 / design.inclusion[items]
    errors = {}
    for key, code in (("a", 1), ("b", 2), ("both", 3)):
        mine = place == code
        rate = float((w * wrong)[mine].sum() / w[mine].sum()) if mine.any() else NAN
        errors[key] = Errors(int(mine.sum()), rate)
    if len(np.unique(place[shown])) < 2:
        return errors, NAN
    return errors, differential(*worth_classes(values[gold[shown]], bronze_values[bronze[shown]]), place[shown])
