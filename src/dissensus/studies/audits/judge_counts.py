"""The correction paper's §6 and §7 from counts alone: two search engines, and two TREC Enterprise runs (Table 2).

§6 is a pair of rates that one judge served; §7 two runs whose "corrected" P@20 cannot be: j̄ lies outside [1 − Sp, Se],
so no number of queries or gold labels follows from such counts, and `needed` is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dissensus.inference.rates.api import CorrectedRate, corrected_rate
from dissensus.inference.rates.difference import compare_rates

if TYPE_CHECKING:
    import polars as pl

TOPICS, DEPTH = 33, 20  # TREC Enterprise 2007: 33 topics were judged again, P@20
#: Table 2: run, (found, relevant), (rejected, non-relevant), naive P@20, and what the paper makes of it (eq. 5)
TABLE_2 = (
    ("DocRun02", (17, 38), (216, 262), 0.527, 1.293),
    ("YORK07ED4", (14, 50), (230, 285), 0.513, 3.678),
)
PRINTED_QUERIES, PRINTED_LABELS = 569_154, 23_027_371


def engines() -> tuple[CorrectedRate, CorrectedRate]:
    """§6: two search engines ten days apart, one judge, 143 gold labels."""
    accuracies = (43, 59), (67, 84)
    return (
        corrected_rate(0.6260, 10278, *accuracies, sd=0.414),
        corrected_rate(0.6385, 20604, *accuracies, sd=0.402),
    )


def published_example() -> pl.DataFrame:
    """§6 of the paper, as printed and as it follows; with what would settle the difference."""
    import polars as pl

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
    """Table 2: the observed rate beside the range that the accuracies admit, and the corrected one."""
    import polars as pl

    rows = []
    for name, relevant, nonrelevant, observed, printed in TABLE_2:
        se, sp = relevant[0] / relevant[1], nonrelevant[0] / nonrelevant[1]
        one = corrected_rate(observed, TOPICS * DEPTH, relevant, nonrelevant)
        rows.append(
            {
                "run": name,
                "observed": observed,
                "lowest possible": 1 - sp,
                "highest possible": se,
                "corrected": one.estimate,
                "printed": printed,
                "se": one.se,
                "admissible": 1 - sp <= observed <= se,
            }
        )
    return pl.DataFrame(rows)
