"""What the audit says about the judge and about itself: findings, each a sentence with its number.

Silence does not mean that all is well: with few audited documents these tests find only gross faults. None of them
chooses the method.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Array, Floats, Ints
from dissensus.inference.correction.design import DEPTHS, Design
from dissensus.inference.correction.estimate import Estimate
from dissensus.inference.correction.fieller import Accuracies, accuracies
from dissensus.inference.correction.matrix import calibration_covariance
from dissensus.inference.correction.rectified import AuditedLabels, largest_share
from dissensus.inference.correction.weights import Weights
from dissensus.stats.intervals import WEAK, p_text, two_sided_p
from dissensus.stats.resampling import shuffled_within
from dissensus.wording import counted
from dissensus.work.seeds import generator

TOO_FEW = 50
TOO_FEW_PER_GRADE = 10
LONG_SCALE = 12
DOMINATES = 0.05
PERMUTATIONS = 199
REVERSED = 2.58  # standard errors below 0 from which on a judge is worse than a coin
#: findings that cast doubt on scores corrected through the matrix, and on no others
MATRIX = ("errors by rank", "errors by topic", "errors by system", "admissibility", "discrimination", "condition")


@dataclass(frozen=True)
class JudgeFinding:
    """One fact about the audit or the judge, with two flags.

    `worry`: it casts doubt on a number above it, marked "!". `judge`: it is a fact about the judge that is worth
    knowing, and no number above rests on it, marked "*".
    """

    name: str
    sentence: str
    worry: bool = False
    value: float = float("nan")
    p_value: float = float("nan")
    judge: bool = False

    @property
    def mark(self) -> str:
        """`!` for a doubt about a number, `*` for a fact about the judge, a blank for neither."""
        return "!" if self.worry else "*" if self.judge else " "

    def __str__(self) -> str:
        return f"{self.mark} {self.sentence}"

    def concerning(self, by_matrix: bool) -> JudgeFinding:
        """The finding beside scores that were, or were not, corrected through the matrix: its faults touch no others.

        >>> JudgeFinding("errors by rank", "…", True).concerning(by_matrix=False).mark
        '*'
        """
        if by_matrix or self.name not in MATRIX:
            return self
        return replace(self, worry=False, judge=self.judge or self.worry)


def chi2_p(statistic: float, df: int) -> float:
    """P(χ²_df ≥ statistic)."""
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic)) if df > 0 else 1.0


# ── the audit ────────────────────────────────────────────────────────────────────────────────────────────────────────
def audit_findings(design: Design) -> Iterator[JudgeFinding]:
    """Size of the audit, and whether plain gold judgments look like a random sample."""
    seen = design.audited
    n = int(seen.sum())
    if not n:
        return
    by_grade = np.bincount(design.gold[seen], minlength=len(design.gold_scale))
    names = [design.gold_scale.name(int(g)) for g in design.gold_scale.grades]
    long = len(names) > LONG_SCALE  # of 0 to 100, only the grades that were given
    counts = [(name, c) for name, c in zip(names, by_grade, strict=True) if c or not long]
    topics = f"{len(np.unique(design.topic[seen]))} of {counted(len(design.joined.topics), 'topic')}"
    grades = ", ".join(f"{name}: {c:,}" for name, c in counts)
    yield JudgeFinding("audit", f"{counted(n, 'audited document')} in {topics} ({grades}).", False, n)
    if n < TOO_FEW:
        text = f"only {counted(n, 'audited label')}: normal approximations are strained."
        yield JudgeFinding("few labels", text, True, n)
    if few := ", ".join(name for name, c in counts if c < TOO_FEW_PER_GRADE):
        text = f"fewer than {TOO_FEW_PER_GRADE} audited documents of gold grade {few}."
        yield JudgeFinding("few labels", text, True)
    lost = np.bincount(design.bronze[~seen], minlength=design.n_labels)
    lost[np.bincount(design.bronze[seen], minlength=design.n_labels) > 0] = 0
    lost[-1] = 0
    if lost.any():
        unaudited = ", ".join(design.bronze_scale.name(int(j) + design.bronze_scale.low) for j in np.flatnonzero(lost))
        some = counted(int(lost.sum()), "document")
        text = f"no audited document has the bronze label {unaudited} ({some}): they take the overall mean, and "
        yield JudgeFinding("label without audit", f"{text}nothing repairs that.", True)
    if not design.given:
        yield from _representative(design)


def _representative(design: Design) -> Iterator[JudgeFinding]:
    """χ² of audited against all documents by label, topic and depth; z by system (Bonferroni)."""
    frame = np.ones(len(design.bronze), bool) if design.sampled is None else design.sampled[design.topic]
    frame &= design.bronze < design.n_labels - 1
    seen = design.audited & frame
    if not seen.any():
        return
    flat = np.full(len(seen), seen.sum() / frame.sum())
    total = np.bincount(design.bronze[frame], minlength=design.n_labels)
    hit = np.bincount(design.bronze[seen], minlength=design.n_labels)
    within = np.divide(hit, total, out=np.zeros(design.n_labels), where=total > 0)[design.bronze]
    depth = np.searchsorted(np.array(DEPTHS), design.best_rank())
    for name, category, rate, harm in (
        ("label", design.bronze, flat, False),
        ("topic", design.topic, within, design.sampled is None),
        ("depth", depth, within, True),
    ):
        p = _against(category[frame], seen[frame], rate[frame])
        odd = p < 0.01
        consequence = "" if not odd else (
            "; inclusion within bronze labels takes care of it." if not harm
            else "; if depth or topic decided what was audited, give the inclusion probabilities."
        )  # fmt: skip
        text = f"audited against all documents by {name}: χ² p {p_text(p)}" + (consequence or ".")
        yield JudgeFinding(f"sample by {name}", text, odd and harm, p_value=p)
    yield from _by_system(design, frame, seen, within)


def _by_system(
    design: Design, frame: NDArray[np.bool_], seen: NDArray[np.bool_], rate: Floats
) -> Iterator[JudgeFinding]:
    joined = design.joined
    who = np.repeat(joined.segment_system, np.diff(joined.hits))
    inside = frame[joined.hit_item]
    n = len(joined.systems)
    item, who = joined.hit_item[inside], who[inside]
    expected = np.bincount(who, rate[item], n)
    spread = np.sqrt(np.bincount(who, rate[item] * (1 - rate[item]), n))
    z = np.divide(np.bincount(who, seen[item], n) - expected, spread, out=np.zeros(n), where=spread > 0)
    worst = int(np.abs(z).argmax())
    p = min(1.0, n * two_sided_p(float(z[worst])))
    yield JudgeFinding(
        "sample by system",
        f"audited against all documents by system: worst {joined.systems[worst]} (z = {z[worst]:+.1f}), "
        f"p {p_text(p)} adjusted for {counted(n, 'system')}.",
        p < 0.01,
        float(z[worst]),
        p,
    )


def _against(category: Ints, seen: NDArray[np.bool_], rate: Floats) -> float:
    """p of a χ² test that audited counts per category are what the rates say; categories expecting < 1 are pooled."""
    expected, observed = np.bincount(category, rate), np.bincount(category[seen], minlength=int(category.max()) + 1)
    small = expected < 1
    e = np.append(expected[~small], expected[small].sum())
    o = np.append(observed[~small], observed[small].sum())
    keep = e > 0
    statistic = float(((o[keep] - e[keep]) ** 2 / e[keep]).sum())
    return chi2_p(statistic, int(keep.sum()) - 1)


# ── the judge ────────────────────────────────────────────────────────────────────────────────────────────────────────
def judge_findings(estimate: Estimate, systems: tuple[str, ...]) -> Iterator[JudgeFinding]:
    """D, condition, admissibility: what the confusion matrix says, whichever method was used."""
    for k, part in enumerate(estimate.parts):  # every calibration has findings of its own
        mine = tuple(name for name, (where, _) in zip(systems, estimate.part_of, strict=True) if where == k)
        yield from (replace(f, sentence=f"{', '.join(mine)}: {f.sentence}") for f in judge_findings(part, mine))
    if estimate.parts:
        return
    solved = estimate.solved
    if solved is None:
        if estimate.why_not:
            yield JudgeFinding("matrix", f"no confusion matrix: {estimate.why_not}.", True)
        return
    graded = len(solved.values) > 2
    rates = accuracies((solved.as_binary() if graded else None) or solved.calibration)
    if rates is not None:
        yield _discrimination(rates, graded, bool(estimate.why_not))
    if estimate.why_not:
        text = f"no correction through the matrix: {estimate.why_not}."
        yield JudgeFinding("matrix", text, False, solved.condition)
        return
    text = f"the confusion matrix has condition number {solved.condition:.1f}."
    yield JudgeFinding("condition", text, False, solved.condition)
    yield from _admissible(estimate, systems)


def _discrimination(rates: Accuracies, graded: bool, refused: bool) -> JudgeFinding:
    """How well the judge tells relevant documents from others, and what follows where it hardly does."""
    d, z = rates.discrimination, rates.discrimination_z
    text = "grades taken as relevant or not, " if graded else ""
    text += (
        f"the judge finds {rates.sensitivity:.1%} of relevant and rejects {rates.specificity:.1%} of non-relevant "
        f"documents: D = {d:.3f}"
    )
    if np.isfinite(z):
        text += f", {abs(z):.1f} standard errors from 0"
    weak = abs(z) < WEAK
    told = "; it is a weak judge." if graded else "; through the matrix only Fieller's sets hold."
    text += told if weak else "."
    if d < 0 and z < -REVERSED:
        text += " It is worse than a coin: are the grades reversed?"
    elif refused and abs(d) < 0.01:
        text += " It is not better than a coin."
    elif d < 0:
        text += " It may be no better than a coin."
    return JudgeFinding("discrimination", text, weak or d < 0.01, d)


def _admissible(estimate: Estimate, systems: tuple[str, ...]) -> Iterator[JudgeFinding]:
    """Corrected weights per gold class must not be negative: 1 − Sp ≤ j̄ ≤ Se in the binary case."""
    solved, mass, by_label = estimate.solved, estimate.mass, estimate.by_label
    if solved is None or mass is None or by_label is None:
        return
    worst: tuple[float, int, int] | None = None
    for grade in range(mass.shape[1]):
        for s in np.flatnonzero(mass[:, grade] < 0).tolist():
            se = _mass_se(estimate, s, grade)
            z = float(mass[s, grade] / se) if se > 0 else -np.inf
            if worst is None or z < worst[0]:
                worst = (z, s, grade)
    if worst is None:
        yield JudgeFinding(
            "admissibility", "every system's bronze labels are possible for this judge (1 − Sp ≤ j̄ ≤ Se)."
        )
        return
    z, s, grade = worst
    p = two_sided_p(z) / 2
    doubt = "the calibration documents are not like the scored ones" if p < 0.05 else "which chance allows"
    yield JudgeFinding(
        "admissibility",
        f"{systems[s]}: the matrix gives gold class {grade} the share {mass[s, grade]:.3f} < 0 "
        f"(z = {z:.2f}, p {p_text(p)}), {doubt}; nothing is clipped.",
        p < 0.05,
        z,
        p,
    )


def _mass_se(estimate: Estimate, system: int, grade: int) -> float:
    """Standard error of one system's corrected weight of a gold class."""
    assert estimate.solved is not None and estimate.by_label is not None and estimate.mass is not None  # noqa: PT018
    matrix = estimate.solved.calibration.matrix
    unit = np.eye(len(matrix))[grade]
    gains = np.linalg.lstsq(matrix, unit, rcond=None)[0]
    per_topic = estimate.by_label[system] @ gains
    part = calibration_covariance(estimate.solved.calibration, estimate.mass[[system]], gains, unit, clustered=False)
    spread = per_topic.var(ddof=1) / len(per_topic) if len(per_topic) > 1 else 0.0
    return float(np.sqrt(spread + part[0, 0]))


def error_findings(design: Design, values: Floats, bronze_values: Floats) -> Iterator[JudgeFinding]:
    """Does the judge err equally at all depths, on all topics, on all systems' documents? χ² within gold classes.

    An error is a label of another worth to the measure: two grades that both count as relevant are no error.
    """
    seen = design.audited & (design.bronze < design.n_labels - 1)
    if seen.sum() < 2:
        return
    gold, bronze = worth_classes(values[design.gold[seen]], bronze_values[design.bronze[seen]])
    depth = np.searchsorted(np.array(DEPTHS), design.best_rank())[seen]
    for name, stratum in (("rank", depth), ("topic", design.topic[seen])):
        if len(np.unique(stratum)) < 2:
            continue
        p = differential(gold, bronze, stratum)
        odd = p < 0.05
        doubt = f"; the judge does not err equally on every {name}, which a confusion matrix assumes." if odd else "."
        yield JudgeFinding(f"errors by {name}", f"errors by {name}: χ² p {p_text(p)}{doubt}", odd, p_value=p)
    yield _errors_by_system(design, seen, gold, bronze)


def _errors_by_system(design: Design, seen: NDArray[np.bool_], gold: Ints, bronze: Ints) -> JudgeFinding:
    joined = design.joined
    who = np.repeat(joined.segment_system, np.diff(joined.hits))
    shallow = joined.hit_rank <= DEPTHS[2]
    p_of = np.ones(len(joined.systems))
    for s in range(len(joined.systems)):
        mine = np.zeros(len(seen), bool)
        mine[joined.hit_item[(who == s) & shallow]] = True
        p_of[s] = differential(gold, bronze, mine[seen].astype(np.int64), quick=True)
    worst = int(p_of.argmin())
    p = min(1.0, float(p_of[worst]) * len(p_of))
    text = (
        f"errors on a system's own top {DEPTHS[2]} against the rest: smallest p {p_text(p)} ({joined.systems[worst]}, "
        f"adjusted for {counted(len(p_of), 'system')})"
    )
    odd = p < 0.05
    return JudgeFinding(
        "errors by system", text + ("; a confusion matrix assumes equal errors." if odd else "."), odd, p_value=p
    )


def worth_classes(gold: Floats, bronze: Floats) -> tuple[Ints, Ints]:
    """What documents are worth by gold and by bronze label, as classes that both share.

    >>> [c.tolist() for c in worth_classes(np.array([0.0, 1.0]), np.array([0.5, 1.0]))]
    [[0, 2], [1, 2]]
    """
    codes = np.unique(np.concatenate([gold, bronze]), return_inverse=True)[1].astype(np.int64)
    return codes[: len(gold)], codes[len(gold) :]


def differential(gold: Ints, bronze: Ints, stratum: Ints, *, quick: bool = False) -> float:
    """p that P(bronze | gold) is the same in all strata: χ² summed over gold classes.

    By the χ² distribution where cells are full enough (or `quick`), else by permuting strata within gold classes.
    """
    strata, labels = int(stratum.max()) + 1, int(bronze.max()) + 1
    cell = (gold * strata) * labels + bronze
    shape = (int(gold.max()) + 1, strata, labels)
    observed, df, sparse = _homogeneity(cell + stratum * labels, shape)
    if df == 0:
        return 1.0
    if quick or not sparse:
        return chi2_p(observed, df)
    mixed = _mixed(stratum, gold)
    size = int(np.prod(shape))
    cells = cell + mixed * labels + np.arange(PERMUTATIONS)[:, None] * size
    tables = np.bincount(cells.ravel(), minlength=PERMUTATIONS * size).reshape(PERMUTATIONS, *shape)
    above = int((_statistic(tables, _expected(tables[0])) >= observed - 1e-9).sum())
    return (above + 1) / (PERMUTATIONS + 1)


def _mixed(stratum: Ints, gold: Ints) -> Ints:
    """Strata permuted within gold classes, one row per permutation."""
    mixed = np.empty((PERMUTATIONS, len(stratum)), stratum.dtype)
    order = np.argsort(gold, kind="stable")
    rows = shuffled_within(stratum[order], np.cumsum(np.bincount(gold)), PERMUTATIONS, generator(0))
    mixed[:, order] = list(rows)
    return mixed


def _homogeneity(cell: Ints, shape: tuple[int, int, int]) -> tuple[float, int, bool]:
    """(χ² of strata × labels summed over gold classes, degrees of freedom, is any expected count under 3)."""
    table = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    expected = _expected(table)
    rows, columns = table.sum(axis=2), table.sum(axis=1)
    free = np.maximum((rows > 0).sum(axis=1) - 1, 0) * np.maximum((columns > 0).sum(axis=1) - 1, 0)
    return float(_statistic(table, expected)), int(free.sum()), bool((expected[expected > 0] < 3).any())


def _expected(table: Array) -> Floats:
    """Counts by gold class, stratum and label if labels did not depend on strata; margins are all it needs."""
    rows, columns = table.sum(axis=2), table.sum(axis=1)
    total = np.maximum(rows.sum(axis=1), 1)
    return np.asarray(rows[:, :, None] * columns[:, None, :] / total[:, None, None], np.float64)


def _statistic(tables: Array, expected: Floats) -> Floats:
    """χ² of one table, or of each of many with the same margins."""
    filled = expected > 0
    away = tables[..., filled] - expected[filled]
    return np.asarray((away**2 / expected[filled]).sum(axis=-1), np.float64)


def weight_finding(weights: Weights, labels: AuditedLabels) -> Iterator[JudgeFinding]:
    """Warn where one audited document decides."""
    share = largest_share(weights, labels)
    if share > DOMINATES and labels.n_audited:
        text = f"one audited document carries {share:.0%} of all weight/π: intervals lean on it."
        yield JudgeFinding("one document", text, True, share)
