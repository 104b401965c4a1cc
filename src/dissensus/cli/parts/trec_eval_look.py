"""`evaluate --trec-eval`: scores as trec_eval prints them, under its names, for scripts that read its output.

A line is name, topic and value, `%-22s\\t%s\\t%6.4f` (counts without decimals); `all` is the summary over topics.
Without `-m` it is trec_eval's own default set.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import Fix, InputError, Option
from dissensus.measures.catalog import TREC_EVAL

if TYPE_CHECKING:
    from dissensus.measures.scores import ScoreArrays

OFFICIAL = (
    "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
    *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
)  # fmt: skip
SUMMARY_ONLY = ("num_q", "gm_map", "gm_bpref")  # trec_eval prints them for all topics together only


def trec_name(name: str) -> str:
    """trec_eval's name of a measure; one that it does not have keeps ours.

    >>> trec_name("nDCG@10"), trec_name("P@5"), trec_name("IPrec(rounding='v10')@0.1"), trec_name("RBP(p=0.8)")
    ('ndcg_cut_10', 'P_5', 'iprec_at_recall_0.10', 'RBP(p=0.8)')
    """
    plain = name.replace("(rounding='v10')", "")
    level = re.fullmatch(r"IPrec@([\d.]+)", plain)
    if level:
        return f"iprec_at_recall_{float(level[1]):.2f}"
    for theirs, ours in {**TREC_EVAL, "rbp": "TrecRBP"}.items():
        found = re.fullmatch(ours.replace("{k}", r"(\d+)"), plain)
        if found:
            return theirs.format(k=found[found.re.groups])
    return name


def trec_lines(scores: ScoreArrays, *, per_topic: bool) -> list[str]:
    """The lines that trec_eval would print for each system: topics first where they are asked for, then the summary."""
    if len(scores.assessors) > 1:
        raise InputError(
            f"there are {len(scores.assessors)} assessors, and trec_eval's output has room for one.",
            Fix("Name one with ", Option("assessor"), "."),
        )
    means = scores.means()
    lines: list[str] = []
    for s, system in enumerate(scores.systems):
        if per_topic:
            for t, topic in enumerate(scores.topics):
                lines += [
                    _line(name, topic, float(values[0, s, t]))
                    for name, values in scores.values.items()
                    if trec_name(name) not in SUMMARY_ONLY and not np.isnan(values[0, s, t])
                ]
        lines.append(f"{'runid':<22}\tall\t{system}")
        lines += [_line(name, "all", float(mean[0, s])) for name, mean in means.items()]
    return lines


def _line(name: str, topic: str, value: float) -> str:
    shown = trec_name(name)
    number = f"{value:.0f}" if shown.startswith("num_") else f"{value:6.4f}"
    return f"{shown:<22}\t{topic}\t{number}"
