"""Can this audit carry a conclusion? One answer for everything that rests on an audit: pass, warn or refuse, and why.

An audit is doubted as much as the judge. Four questions, each answered by a `AuditCheck`:

1. **Rows.** The frame says with which probability π each document was chosen, so the audit has Σπ rows, give or take
   √Σπ(1−π). A file that was cut in half has too few.
2. **Balance.** Whatever the labels say, what was chosen is known. This is counted down to every depth, in every topic,
   under every label and among every system's documents. With a frame, the audit holds Σπ rows there. Without one, its
   rows stand for no more documents than there are, Σ1/π ≤ N. A probability that was made up breaks this somewhere.
3. **Direction.** Grades that run against every judge, while the judges agree with each other, are reversed. Grades that
   fit the documents one row above or below are shifted.
4. **Sense.** Grades that agree with none of the judges, while the judges agree with each other, are no grades of these
   documents.

With a frame, k rows where e are expected have a probability of at most exp(−(k ln(k/e) − k + e)), whatever the single
probabilities are (Chernoff 1952). Without one, p ≤ exp(−z²/2) with z the excess of Σ1/π over N in standard errors. Both
are multiplied by the number of groups looked at. A sample of whole topics is judged by how much topics vary, Student's
t. An audit is refused at p < 0.000001: no honest one in a lifetime.

    >>> tail(300, 600.0) < 1e-30, tail(623, 600.0) > 0.3
    (True, True)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError
from dissensus.inference.correction.design import DEPTHS, Design
from dissensus.stats.intervals import p_text
from dissensus.tables.judgments import Judgments
from dissensus.wording import counted

REFUSED, DOUBTED = 1e-6, 1e-3
TIMES = 3.0  # Σ 1/π may exceed the pool this many times, if chance allows it
RARE = 0.01  # expected documents of the least probability: a draw of one is hardly chance
COPY = 20  # documents from which agreement on all of them is worth a word
SENSE = 50  # documents from which agreement with no judge is worth a word
FAIR = 3.3  # standard errors from which on grades agree with a judge
PANEL = 12  # judges that the audit is held against
SURE = 5.26  # standard errors that have p < 1e-6

NAMES = ("rows", "depth", "topic", "label", "system", "copy", "shift", "direction", "sense")
Pairs = tuple[Ints, Ints]  # group and item, one row for each membership


@dataclass(frozen=True)
class AuditCheck:
    """One question about an audit: `pass`, `warn` or `refuse`, with the reason and the ways out."""

    name: str
    verdict: Literal["pass", "warn", "refuse"]
    reason: str = ""
    statistic: float = float("nan")
    p_value: float = 1.0
    fixes: tuple[str, ...] = ()


def audit_checks(design: Design, judges: Sequence[Ints] = ()) -> tuple[AuditCheck, ...]:
    """Every check of an audit; `judges` are the grades of further judges by item, −1 where one gave none."""
    if not design.audited.any():
        return ()
    found = [*_probabilities(design)] if design.given else []
    return (*found, *_grades(design, judges))


def refuse_bad(checks: Sequence[AuditCheck]) -> None:
    """Raise the first check that refuses the audit."""
    for check in checks:
        if check.verdict == "refuse":
            raise InputError(check.reason, *check.fixes)


def tail(count: float, expected: float) -> float:
    """Chernoff's bound on the chance of a count as far from what is expected, on its own side.

    >>> round(float(tail(10, 2.0)), 5), bool(tail(0, 20.0) == np.exp(-20))
    (0.00031, True)
    """
    if expected <= 0:
        return 0.0 if count > 0 else 1.0
    grown = count * np.log(count / expected) if count > 0 else 0.0
    return float(np.exp(-(grown - count + expected)))


# ── rows and balance ─────────────────────────────────────────────────────────────────────────────────────────────────
def _probabilities(design: Design) -> Iterator[AuditCheck]:
    """Are the stated probabilities those with which these documents were chosen?"""
    least = _too_small(design)
    if least is not None:
        yield least
        return
    groups = _groups(design)
    tests = sum(int(group.max()) + 1 for group, _ in groups.values() if len(group))
    framed, whole = design.chances is not None, _whole_topics(design)
    for name, pairs in groups.items():
        if not len(pairs[0]) or (name == "topic" and whole):
            continue
        sums = _by_topics(design, pairs) if whole else _counts(design, pairs)
        worst = int(np.argmin(sums.p))
        yield _verdict(design, name, worst, sums, framed and not whole, min(1.0, float(sums.p[worst]) * tests))


def _verdict(design: Design, name: str, group: int, sums: Sums, framed: bool, p: float) -> AuditCheck:
    count, expected, spread = (float(x[group]) for x in (sums.counts, sums.expected, sums.spread))
    ratio = count / expected if expected else float("inf")
    if p >= DOUBTED:
        return AuditCheck(name, "pass", "", ratio, p)
    where = _named(design, name, group)
    if framed:
        less = "fewer" if count < expected else "more"
        text = (
            f"the audit holds {counted(int(count), 'row')} {where}, and its frame expects {expected:,.0f} ± "
            f"{spread:,.0f}: {less} than chance allows (p {p_text(p)})."
        )
        fixes = (
            "Give the whole file as it was drawn, with a row for every document that was chosen.",
            "Rows without a grade stay in the file: their grade is empty.",
        )
    else:
        text = (
            f"the inclusion probabilities stand for {count:,.6g} documents {where} (Σ 1/π), and there are "
            f"{expected:,.0f}: more than chance allows (p {p_text(p)})."
        )
        fixes = (
            "Give the probability with which each document was chosen, between 0 and 1, as plan writes it.",
            "If it is not known, leave the column inclusion out: it is then taken within each bronze label.",
        )
    return AuditCheck(name, "refuse" if p < REFUSED else "warn", text, ratio, p, fixes)


def _named(design: Design, name: str, group: int) -> str:
    """Where a group of documents is, in words."""
    if name == "rows":
        return "in all"
    if name == "topic":
        return f"of topic {design.joined.topics[group]}"
    if name == "system":
        return f"that {design.joined.systems[group]} retrieved"
    if name == "label":
        return f"that the judge gave {design.bronze_scale.name(group + design.bronze_scale.low)}"
    return f"in some system's first {DEPTHS[group]}"


def _too_small(design: Design) -> AuditCheck | None:
    """The refusal of probabilities so small that no draw of the document is chance: percentages, or divided twice."""
    judged = design.bronze < design.n_labels - 1
    seen = judged & design.audited
    if not seen.any() or design.sampled is not None:  # whole topics have any size
        return None
    pi, n = design.inclusion[seen], int(judged.sum())
    found, most = float((1 / pi).sum()), float(1 / pi.min())
    spread = most * float(np.sqrt(((1 - pi) * (1 / pi / most) ** 2).sum()))  # 1/π² may be too large for a number
    if not (found > TIMES * n and found - n > 2 * spread) and n * float(pi.min()) >= RARE:
        return None
    least = int(np.flatnonzero(seen)[np.argmin(pi)])
    names, topic = design.joined.judgments, design.joined.topics[design.topic[least]]
    return AuditCheck(
        "rows",
        "refuse",
        f"the inclusion probabilities of {int(seen.sum()):,} audited documents stand for {found:,.6g} documents "
        f"(Σ 1/π), but {n:,} were judged; the smallest, {pi.min():g}, is that of topic {topic}, document "
        f"{names.doc_ids(np.array([least]))[0]}.",
        found / n,
        0.0,
        (
            "Give the probability with which each document was chosen, between 0 and 1, as plan writes it.",
            "If it is not known, leave the column inclusion out: it is then taken within each bronze label.",
        ),
    )


def _groups(design: Design) -> dict[str, Pairs]:
    """The documents in all, by depth, topic, label and system, as (group, item)."""
    judged = design.bronze < design.n_labels - 1
    items = np.flatnonzero(judged if design.chances is None else judged | (design.chances > 0) | design.drawn)
    within = [items[design.best_rank()[items] <= depth] for depth in DEPTHS]
    labelled = items[design.bronze[items] < design.n_labels - 1]
    joined, inside = design.joined, np.isin(np.arange(len(judged)), items)
    shown = inside[joined.hit_item]
    who = np.repeat(joined.segment_system, np.diff(joined.hits))[shown]
    return {
        "rows": (np.zeros(len(items), np.int64), items),
        "depth": (np.repeat(np.arange(len(DEPTHS)), list(map(len, within))), np.concatenate(within)),
        "topic": (design.topic[items], items),
        "label": (design.bronze[labelled], labelled),
        "system": (who.astype(np.int64), joined.hit_item[shown].astype(np.int64)),
    }


@dataclass(frozen=True)
class Sums:
    """Of each group: what is counted, what is expected, the standard deviation, and p before adjustment."""

    counts: Floats
    expected: Floats
    spread: Floats
    p: Floats


def _counts(design: Design, pairs: Pairs) -> Sums:
    """Rows against Σπ with a frame, Σ 1/π against N without one."""
    group, item = pairs
    if design.chances is not None:
        counts = np.bincount(group, design.drawn[item]).astype(np.float64)
        expected = np.bincount(group, design.chances[item]).astype(np.float64)
        spread = np.sqrt(np.bincount(group, (design.chances * (1 - design.chances))[item]))
        p = np.array([tail(k, e) for k, e in zip(counts.tolist(), expected.tolist(), strict=True)])
        return Sums(counts, expected, spread, p)
    seen = design.audited[item]
    pi = design.inclusion[item[seen]]
    size = int(group.max()) + 1
    counts = np.bincount(group[seen], 1 / pi, size).astype(np.float64)
    expected = np.bincount(group, minlength=size).astype(np.float64)
    spread = np.sqrt(np.bincount(group[seen], (1 - pi) / pi**2, size))
    z = np.divide(counts - expected, spread, out=np.zeros(size), where=spread > 0)
    return Sums(counts, expected, spread, np.exp(-(np.maximum(z, 0.0) ** 2) / 2))


def _whole_topics(design: Design) -> bool:
    """Were topics sampled, and then documents within them? Then Σ 1/π over the topics that are there exceeds them."""
    if design.sampled is not None:
        return True
    seen = design.audited & (design.bronze < design.n_labels - 1)
    n_topics = len(design.joined.topics)
    here = np.bincount(design.topic[seen], minlength=n_topics) > 0
    if here.all() or not seen.any():
        return False
    inside = here[design.topic] & (design.bronze < design.n_labels - 1)
    pi = design.inclusion[seen]
    spread = float(np.sqrt(((1 - pi) / pi**2).sum()))
    return float((1 / pi).sum()) - float(inside.sum()) > 2 * spread


def _by_topics(design: Design, pairs: Pairs) -> Sums:
    """The same where topics were sampled: Σ 1/π − N of each topic, by Student's t over all topics."""
    from scipy.special import stdtr

    group, item = pairs
    size, n_topics = int(group.max()) + 1, len(design.joined.topics)
    weight = np.where(design.audited, 1 / np.where(design.audited, design.inclusion, 1.0), 0.0)
    cell = design.topic[item] * size + group
    found = np.bincount(cell, weight[item], n_topics * size).reshape(n_topics, size)
    there = np.bincount(cell, minlength=n_topics * size).reshape(n_topics, size)
    apart = found - there
    spread = np.sqrt(n_topics * apart.var(axis=0, ddof=1)) if n_topics > 1 else np.zeros(size)
    t = np.divide(apart.sum(axis=0), spread, out=np.zeros(size), where=spread > 0)
    p = np.asarray(stdtr(n_topics - 1, -t), np.float64)
    return Sums(found.sum(axis=0), there.sum(axis=0).astype(np.float64), spread, p)


# ── grades ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def _grades(design: Design, judges: Sequence[Ints]) -> Iterator[AuditCheck]:
    """Are these the experts' grades of these documents?"""
    seen = np.flatnonzero(design.audited & (design.bronze < design.n_labels - 1))
    n = len(seen)
    if n < COPY:
        return
    gold, bronze = design.gold[seen], design.bronze[seen]
    yield _copy(design, gold, bronze)
    panel = [bronze, *(other[seen] for other in judges if (other[seen] >= 0).sum() >= SENSE)]
    own = np.array([rank_correlation(gold, judge) for judge in panel])
    shifted = _shifted(design, seen, gold, panel, own)
    if shifted is not None:
        yield shifted
        return
    number = np.array([int((judge >= 0).sum()) for judge in panel])
    pairs = [(a, b) for i, a in enumerate(panel) for b in panel[i + 1 :] if ((a >= 0) & (b >= 0)).sum() >= SENSE]
    among = np.array([rank_correlation(a, b) for a, b in pairs])
    together = float(np.median(among)) if len(among) else float("nan")
    agree = len(among) > 0 and together * np.sqrt(SENSE) > 2
    direction = _direction(own, number, together, agree)
    yield direction
    if agree and direction.verdict == "pass":
        yield _sense(own, number, together)


def rank_correlation(a: Ints, b: Ints) -> float:
    """Spearman's correlation of two judges' grades where both are there (≥ 0); 0 where one of them is constant.

    >>> rank_correlation(np.array([0, 1, 2, -1]), np.array([2, 1, 0, 5]))
    -1.0
    """
    both = (a >= 0) & (b >= 0)
    if both.sum() < 3:
        return 0.0
    ranks = []
    for grades in (a[both], b[both]):
        _, place, count = np.unique(grades, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(count) - (count - 1) / 2)[place])
    x, y = (r - r.mean() for r in ranks)
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return round(float(x @ y) / spread, 12) if spread > 0 else 0.0


def _copy(design: Design, gold: Ints, bronze: Ints) -> AuditCheck:
    names = [
        [scale.name(int(g) + scale.low) for g in grades]
        for scale, grades in ((design.gold_scale, gold), (design.bronze_scale, bronze))
    ]
    n = len(gold)
    if names[0] != names[1]:
        return AuditCheck("copy", "pass", "", n)
    text = (
        f"all {counted(n, 'audited document')} have the grade that the judge gave them: is the audit a copy of the "
        "judge's labels?"
    )
    return AuditCheck("copy", "warn", text, n, 0.0)


def _direction(own: Floats, number: Ints, together: float, agree: bool) -> AuditCheck:
    """Grades that run against the judges: `own` correlations with each on a `number` of documents."""
    z, n = own * np.sqrt(number), int(number[0])
    if z[0] > -SURE:
        return AuditCheck("direction", "pass", "", float(z[0]))
    p = float(np.exp(-(z[0] ** 2) / 2))
    if agree and 2 * (z < -FAIR).sum() > len(z) and not (z > FAIR).any():
        text = (
            f"the audit's grades run against {int((z < -FAIR).sum())} of {len(own)} judges (rank correlation "
            f"{own.min():.2f}), who agree with each other ({together:.2f}): its grades are reversed."
        )
        fixes = ("Turn the audit's grades round: the highest grade is the most relevant one.",)
        return AuditCheck("direction", "refuse", text, float(z[0]), p, fixes)
    whose = "the judge's" if len(own) > 1 and 2 * (z[1:] > FAIR).sum() > len(z) - 1 else "the judge's or the audit's"
    text = (
        f"the judge's grades run against the audit's (rank correlation {own[0]:.2f} on {n:,} documents): {whose} are "
        "reversed."
    )
    return AuditCheck("direction", "warn", text, float(z[0]), p)


def _shifted(design: Design, seen: Ints, gold: Ints, panel: Sequence[Ints], own: Floats) -> AuditCheck | None:
    """Grades that fit the document one row above or below in the audit's file, and not their own."""
    if design.sequence is None:
        return None
    order = np.argsort(design.sequence[seen])
    for by, word in ((1, "above"), (-1, "below")):  # the grade of the next row fits this document, or the last one's
        there = np.array([rank_correlation(np.roll(gold[order], -by), judge[order]) for judge in panel])
        gain = (there - own) * np.sqrt(len(seen) / 2)
        best = int(np.argmax(gain))
        if gain[best] > SURE and there[best] * np.sqrt(len(seen)) > SURE:
            text = (
                f"the audit's grades fit the documents one row {word} (rank correlation with a judge "
                f"{there[best]:.2f}) and not their own ({own[best]:.2f}): the column of grades is shifted by one row."
            )
            fixes = ("Put the grades back beside their documents, and write the file again.",)
            return AuditCheck("shift", "refuse", text, float(gain[best]), float(np.exp(-(gain[best] ** 2) / 2)), fixes)
    return None


def _sense(own: Floats, number: Ints, together: float) -> AuditCheck:
    """Grades that agree with no judge although the judges agree."""
    z, n = float((own * np.sqrt(number)).max()), int(number.max())
    if n < SENSE or z > FAIR:
        return AuditCheck("sense", "pass", "", z)
    certain = bool(((own + SURE / np.sqrt(number)) < together / 2).all())
    text = (
        f"the audit's grades agree with none of {len(own)} judges (rank correlation at most {own.max():.2f} on {n:,} "
        f"documents), who agree with each other ({together:.2f}): these are not grades of these documents."
    )
    fixes = ("Check that each grade stands beside its topic and document, and that ids are those of the runs.",)
    p = float(np.exp(-(max(0.0, together / 2 - own.max()) ** 2) * n / 2))
    return AuditCheck("sense", "refuse" if certain else "warn", text, z, p, fixes)


def other_judges(design: Design, judgments: Judgments, bronze: str) -> list[Ints]:
    """Grades by item of the judges beside the one that is corrected, −1 where one gave none; at most `PANEL` of them.

    Of many judges those with the most labels are asked.
    """
    count = np.bincount(judgments.assessor, minlength=len(judgments.assessors))
    busy = [j for j in np.argsort(-count, kind="stable").tolist() if judgments.assessors[j] != bronze][:PANEL]
    if not busy:
        return []
    here, there = design.joined.judgments.same_documents(judgments)
    panel = []
    for j in busy:
        rows = (judgments.assessor == j) & (judgments.repeat == 0)
        given = np.full(judgments.n_items, -1, np.int64)
        given[judgments.item[rows]] = judgments.grade[rows]
        grades = np.full(len(design.bronze), -1, np.int64)
        grades[here] = given[there]
        panel.append(grades)
    return panel
