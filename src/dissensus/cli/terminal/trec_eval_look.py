"""`evaluate --trec-eval`: scores as trec_eval prints them, under its names, for scripts that read its output.

A line is name, topic and value, `%-22s\\t%s\\t%6.4f` (counts without decimals); `all` is the summary over topics.
Without `-m` it is trec_eval's own default set.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import Fix, InputError, Option

if TYPE_CHECKING:
    from dissensus.measures.evaluate import ScoreArrays

OFFICIAL = (
    "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
    *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
)  # fmt: skip
_NAMES = [
    (r"AP", "map"),
    (r"AP@(\d+)", r"map_cut_\1"),
    (r"GMAP", "gm_map"),
    (r"GMBpref", "gm_bpref"),
    (r"Bpref", "bpref"),
    (r"RR", "recip_rank"),
    (r"(P|Success|R|RelP)@(\d+)", r"\1_\2"),
    (r"nDCG@(\d+)", r"ndcg_cut_\1"),
    (r"nDCG", "ndcg"),
    (r"NumQ", "num_q"),
    (r"NumRet", "num_ret"),
    (r"NumRel", "num_rel"),
    (r"NumRelRet", "num_rel_ret"),
    (r"NumNonRelRet", "num_nonrel_judged_ret"),
    (r"IPrecAvg(\(rounding='v10'\))?", "11pt_avg"),
    (r"Set(P|F)", r"set_\1"),
    (r"SetR", "set_recall"),
    (r"SetAP", "set_map"),
    (r"TrecRBP", "rbp"),
    (r"TrecRBPResidual", "rbp_resid"),
]
_SHORT = {"R": "recall", "Success": "success", "RelP": "relative_P"}
SUMMARY_ONLY = ("num_q", "gm_map", "gm_bpref")  # trec_eval prints them for all topics together only


def trec_name(name: str) -> str:
    """trec_eval's name of a measure; one that it does not have keeps ours.

    >>> trec_name("nDCG@10"), trec_name("P@5"), trec_name("IPrec(rounding='v10')@0.1"), trec_name("RBP(p=0.8)")
    ('ndcg_cut_10', 'P_5', 'iprec_at_recall_0.10', 'RBP(p=0.8)')
    """
    level = re.fullmatch(r"IPrec(?:\(rounding='v10'\))?@([\d.]+)", name)
    if level:
        return f"iprec_at_recall_{float(level[1]):.2f}"
    for pattern, written in _NAMES:
        if re.fullmatch(pattern, name):
            found = re.sub(pattern, written, name)
            head, _, tail = found.partition("_")
            return f"{_SHORT[head]}_{tail}" if head in _SHORT and "@" in name else found
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
