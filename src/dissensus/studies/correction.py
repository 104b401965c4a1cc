"""Are corrected differences honest? Coverage, size, power and error of naive, confusion, rectified and gold-only.

Two systems, ten documents each, a judge who errs in one of several ways, a gold judge who audits some documents:
`repetitions` studies per setting, each with and without a true difference of `gap`. Beside it, §5 of the correction
paper (10,000 runs; its Figure 2) and the example of §6 with what is printed there. The table "labels needed" asks how
many labels find a difference, and counts how often they do: `power` times, 0 for none.

`experiment coverage` has audits of real labels, and measures that are not linear.
"""

from __future__ import annotations

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.inference.rates.api import CorrectedRate, corrected_rate
from dissensus.inference.rates.difference import compare_rates
from dissensus.studies.audits.corrected_coverage import SETTINGS as known
from dissensus.studies.audits.corrected_coverage import coverage, published_simulation
from dissensus.studies.audits.labels_needed import power_table
from dissensus.studies.study import Figure, Request, StudyOutcome

SETTINGS: Values = {"repetitions": 10_000, "gap": 0.06, "settings": (), "power": 400}
TOPICS, DEPTH = 33, 20  # TREC Enterprise 2007: 33 topics were judged again, P@20
#: Table 2: run, (found, relevant), (rejected, non-relevant), naive P@20
TABLE_2 = (
    ("DocRun02", (17, 38), (216, 262), 0.527),
    ("YORK07ED4", (14, 50), (230, 285), 0.513),
)
PRINTED_QUERIES, PRINTED_LABELS = 569_154, 23_027_371


def run(request: Request) -> StudyOutcome:
    if request.runs or request.judgments:
        raise InputError(
            "experiment correction draws its judges and takes no files.",
            "experiment coverage audits labels of your own: --runs, --judgments and --set gold=NAME.",
        )
    asked = request.settings
    chosen = tuple(asked["settings"]) or tuple(known)
    table = coverage(asked["repetitions"], request.seed, gap=asked["gap"], settings=chosen, executor=request.workers)
    runs, summary = published_simulation(seed=request.seed)
    tables = {"coverage": table, "section 5": summary, "section 6": published_example(), "Table 2": published_runs()}
    if asked["power"]:
        tables["labels needed"] = power_table(asked["power"], request.seed, executor=request.workers)

    return StudyOutcome(
        tables=tables,
        notes=[
            "coverage is over both runs, with and without a difference; size is the share of claims without one",
            "'differential' settings break the matrix's assumption: rectified, gold only and auto must cover there",
            "labels needed: the power that was asked for, and how often the labels named for it found the difference",
            "Table 2: neither observed rate can be what a judge of these accuracies would give, so the "
            f"{PRINTED_QUERIES:,} queries and {PRINTED_LABELS:,} gold labels of section 7 follow from nothing",
            "section 6: printed 0.841 should be 0.854; and adding variances is wrong for one judge: p = 0.017",
        ],
        figures={
            "coverage": Figure("correction", "coverage_chart", (table,)),
            "simulation": Figure("correction", "simulation_chart", (runs, 0.4)),
        },
    )


# ── the paper's §6 and §7, from counts alone ──
def engines() -> tuple[CorrectedRate, CorrectedRate]:
    """§6: two search engines ten days apart, one judge, 143 gold labels."""
    accuracies = (43, 59), (67, 84)
    return (
        corrected_rate(0.6260, 10278, *accuracies, sd=0.414),
        corrected_rate(0.6385, 20604, *accuracies, sd=0.402),
    )


def published_example() -> pl.DataFrame:
    """§6 of the paper, as printed and as it follows; with what would settle the difference."""
    a, b = engines()
    shared, separate = compare_rates(a, b), compare_rates(a, b, "separate")
    needed = shared.needed(abs(shared.difference))
    rows: list[tuple[str, float, float | None]] = [
        ("corrected a", a.estimate, 0.805),
        ("se of a", a.se, 0.09032),
        ("se of a, bootstrap (Algorithm 1)", a.bootstrap_se(), None),
        ("corrected b", b.estimate, 0.828),
        ("se of b", b.se, 0.0923),
        ("naive p", shared.p_fieller, 0.011),
        ("p, variances added (eq. 11)", separate.p_value, 0.841),
        ("se of the difference, variances added", separate.se, None),
        ("se of the difference, one judge", shared.se, None),
        ("p, one judge", shared.p_value, None),
        ("queries that would find it (power 0.8), one judge", needed.queries, None),
    ]
    return pl.DataFrame(rows, schema=["quantity", "computed", "printed"], orient="row")


def published_runs() -> pl.DataFrame:
    """Table 2 (§7): the observed rate beside the range that the accuracies admit, and the corrected one.

    Neither can be: j̄ lies outside [1 − Sp, Se], so no number of queries or gold labels follows from such counts.
    """
    rows = []
    for name, relevant, nonrelevant, observed in TABLE_2:
        se, sp = relevant[0] / relevant[1], nonrelevant[0] / nonrelevant[1]
        one = corrected_rate(observed, TOPICS * DEPTH, relevant, nonrelevant)
        rows.append(
            {
                "run": name,
                "observed": observed,
                "lowest possible": 1 - sp,
                "highest possible": se,
                "corrected": one.estimate,
                "se": one.se,
                "admissible": 1 - sp <= observed <= se,
            }
        )
    return pl.DataFrame(rows)
