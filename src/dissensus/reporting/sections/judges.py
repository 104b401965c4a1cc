"""The judges: how far they agree, who errs how, and who looks random."""

from __future__ import annotations

import numpy as np
import polars as pl

from dissensus.errors import DissensusError
from dissensus.inference.judge_bias import judge_bias
from dissensus.judging.agreement.api import Agreement
from dissensus.judging.agreement.flags import KINDS
from dissensus.judging.confusion.api import Confusion
from dissensus.judging.confusion.counting import confusion
from dissensus.judging.label_table import with_gold
from dissensus.measures.scores import aggregated
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.judges import agreement_map, bias_chart, confusion_map, skill_chart, used, weight_bars
from dissensus.reporting.study import ReportedStudy

MAPS = 12
CONFUSION = {
    "reference": "grade by those who are taken as right",
    "observed": "label that the assessor gave",
    "share": "share of the documents of this grade that got the label",
    "n": "number of documents of this grade",
}
PAIRS = 60


def build(study: ReportedStudy) -> Section:
    """Coefficients, heat map, who stands out, confusion matrices."""
    blocks: list[Block] = []
    if study.several:
        blocks += _agreement(study)
    blocks += _confusions(study)
    blocks += _biases(study)
    if study.several:
        blocks += _weights(study)
    if not blocks:
        return Section("judges", "The judges", missing="one assessor and no audit: there is nothing to compare.")
    return Section("judges", "The judges", blocks, line=line(study), short="Judges")


def line(study: ReportedStudy) -> str:
    """How far the assessors agree, and who stands out."""
    if not study.several:
        return "One assessor, held against the expert labels."
    found = study.agreement
    odd = standing_out(found)
    names = [f"{r['assessor']} looks {r['looks']}" for r in odd.head(2).iter_rows(named=True)]
    more = f" and {odd.height - 2} more stand out" if odd.height > 2 else ""
    start = f"{found.n_assessors:,} assessors agree on {found.percent:.0%} of shared labels (α = {found.alpha:.2f})"
    return f"{start}; {', '.join(names)}{more}." if names else f"{start}."


def standing_out(found: Agreement) -> pl.DataFrame:
    """The assessors that look random, lazy or contrary."""
    return found.assessors.filter(pl.col("looks").is_in(KINDS))


def _agreement(study: ReportedStudy) -> list[Block]:
    found = study.agreement
    who, odd = found.assessors, standing_out(found)
    sentence = (
        f"{found.n_assessors:,} assessors agree on {found.percent:.0%} of shared labels; beyond chance, "
        f"Krippendorff's α is {found.alpha:.2f}. {found.effective}"
    )
    blocks: list[Block] = [Paragraph(sentence, "agreement", "answer")]
    blocks += [
        Paragraph(f"{r['assessor']} looks {r['looks']} (κ {r['kappa']:.2f} with the others).", "agreement", "warning")
        for r in odd.head(5).iter_rows(named=True)
    ]
    shown = ends(who.sort("kappa", descending=True, nulls_last=True))
    names = shown["assessor"].to_list()
    which = "" if shown.height == who.height else f" (the first and last {PAIRS // 2} of {who.height:,})"
    pairs = found.pairs.filter(pl.col("assessor_a").is_in(names) & pl.col("assessor_b").is_in(names))
    tables = found.tables
    coefficients = tables["coefficients"].showing(tables["coefficients"].frame.drop("note"))
    skill = shown.with_columns(pl.col("looks").replace("", "fine").fill_null("fine"))
    blocks += [
        ChartBlock(
            "skill", skill_chart(skill), f"Each assessor beside the others{which}",
            "Points with intervals: agreement of each assessor with the others beyond chance.",
            "agreement", TableBlock("assessors", found.tables["assessors"], "Assessors", "agreement"),
        ),
        ChartBlock(
            "map", agreement_map(pairs, names), f"Agreement of every pair beyond chance (κ){which}",
            "Heat map of Cohen's kappa between assessors; darker is higher.",
            "agreement", TableBlock("pairs", found.tables["pairs"], "Agreement by pair", "agreement"),
        ),
        TableBlock("coefficients", coefficients, "Coefficients of agreement", "agreement"),
    ]  # fmt: skip
    return blocks


def ends(frame: pl.DataFrame) -> pl.DataFrame:
    """The table, or its two ends where it is too long to be drawn."""
    return frame if frame.height <= PAIRS else pl.concat([frame.head(PAIRS // 2), frame.tail(PAIRS // 2)])


def _weights(study: ReportedStudy) -> list[Block]:
    """What each assessor weighs when scores are merged; left out, with the reason, where it cannot be computed."""
    try:
        found = study.aware
    except DissensusError as error:
        return [Paragraph(f"No AWARE weights: {error.what}", kind="quiet")]
    means = aggregated(found.weight[study.measure])
    table = dict(zip(found.scores.assessors[1:], means.tolist(), strict=True))  # the first one is "aware"
    names = [n for n in study.judgments.assessors if n in table]
    frame = pl.DataFrame({"assessor": names, "weight": [table[n] for n in names]}).sort("weight", descending=True)
    return [
        ChartBlock(
            "weights", weight_bars(ends(frame), 1 / frame.height),
            "What each assessor weighs when scores are merged (AWARE)",
            "Bars: the weight of each assessor, by how unlike random judges their scores are.",
            "aware", TableBlock("weights", frame, "AWARE weights", "aware"),
        )
    ]  # fmt: skip


def _confusions(study: ReportedStudy) -> list[Block]:
    reference, matrices = reference_confusions(study)
    if not matrices:
        return []
    frame = confusion_table(matrices)
    grades = list(study.judgments.scale.names)
    return [
        ChartBlock(
            "confusion", confusion_map(frame, grades),
            f"What each judge says where {reference} says a grade{unused_grades(frame, grades)}",
            f"Heat maps, one per judge: share of each label given, by the grade of {reference}.",
            "confusion", TableBlock("confusion", frame, "Confusion matrices", "confusion", meanings=CONFUSION),
        )
    ]  # fmt: skip


def _biases(study: ReportedStudy) -> list[Block]:
    """Where the judge of the verdict is too generous or too strict, by the truth or the audit; nothing without them."""
    reference = study.truth or study.audit
    if reference is None or len(study.judge.assessors) != 1:
        return []

    try:
        found = judge_bias(study.judge, study.judge.assessors[0], reference, runs=study.runs, seed=study.seed)
    except DissensusError as error:
        return [Paragraph(f"No bias table: {error.what}", kind="quiet")]
    drawn = ends(found.table.filter(pl.col("low").is_not_nan()).sort("coefficient", descending=True))
    table = TableBlock("bias", found.tables["bias"], "Bias table", "bias")
    chart = ChartBlock(
        "bias", bias_chart(drawn), f"Where {found.judge} is too generous or too strict",
        "Points with 95% intervals: error of the judge that goes with each feature, documents of one gold grade "
        "compared.",
        "bias", table,
    )  # fmt: skip
    kind = "warning" if found.found() else "text"
    return [*(Paragraph(text, "bias", kind) for text in found.sentences()[:3]), chart if drawn.height else table]


def reference_confusions(study: ReportedStudy) -> tuple[str, dict[str, Confusion]]:
    """Against the truth, the audit, or the consensus by EM, in that order; the first twelve assessors."""
    names = list(study.judgments.assessors)[:MAPS]
    reference = study.truth or (study.audit.judgments if study.audit else None)
    if reference is None:
        if len(study.judgments.assessors) < 3:
            return "", {}
        found = study.merged["em-mv"].confusions
        return "the consensus (EM)", {n: found[n] for n in names}
    word = "the truth" if study.truth is not None else "the audit (documents as sampled)"
    judgments = study.judgments.select(assessors=names)
    graded = np.isin(judgments.item, reference.same_documents(judgments)[1])
    shared = [n for i, n in enumerate(judgments.assessors) if graded[judgments.assessor == i].any()]
    if not shared:
        return word, {}
    both, truth = with_gold(judgments.select(assessors=shared), reference)
    return word, {n: confusion(both, truth, n) for n in shared}


def confusion_table(matrices: dict[str, Confusion]) -> pl.DataFrame:
    """Table assessor, reference, observed, share, n, without grades that neither the reference nor any judge gives."""
    rows = []
    for name, found in matrices.items():
        grades = found.scale.names
        n = found.n
        for i, given in enumerate(grades):
            for j, said in enumerate(grades):
                count = 0 if n is None else round(float(n[i]))
                rows.append((name, given, said, float(found.matrix[i, j]), count))
    return used(pl.DataFrame(rows, schema=["assessor", "reference", "observed", "share", "n"], orient="row"))


def unused_grades(frame: pl.DataFrame, grades: list[str]) -> str:
    """Which grades of the scale a table of confusions does not show, for its caption; empty where it shows all."""
    absent = [g for g in grades if g not in {*frame["reference"], *frame["observed"]}]
    return f"; no label has the grade {', '.join(absent)}" if absent else ""
