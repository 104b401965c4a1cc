"""Other people's names for our measures: pattern → how we write it.

trec_eval's names, ir-measures' aliases, and what people say. Names of trec_eval that are not measures of ours are
refused by name, with the reason. `rbp` is ours (Moffat & Zobel's); trec_eval 10's, which differs, is read only where
trec_eval's names are asked for (`--trec-eval`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from dissensus.errors import MeasureError

_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"

#: trec_eval's names → ours, read here and printed by `evaluate --trec-eval`; {k} is a whole number
TREC_EVAL = {
    "map": "AP",
    "map_cut_{k}": "AP@{k}",
    "gm_map": "GMAP",
    "gm_bpref": "GMBpref",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "P_{k}": "P@{k}",
    "recall_{k}": "R@{k}",
    "relative_P_{k}": "RelP@{k}",
    "success_{k}": "Success@{k}",
    "ndcg": "nDCG",
    "ndcg_cut_{k}": "nDCG@{k}",
    "11pt_avg": "IPrecAvg",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonRelRet",
    "rbp_resid": "TrecRBPResidual",
}
_OTHERS = [
    (rf"iprec_at_recall_{_NUMBER}", r"IPrec@\1"),
    (rf"rprec_mult_{_NUMBER}", r"Rprec(mult=\1)"),
    (r"11pt_avg_([\d.,]+)", r"IPrecAvg(levels=[\1])"),
    (r"utility_(-?[\d.]+),(-?[\d.]+),(-?[\d.]+),(-?[\d.]+)", r"Utility(a=\1, b=\2, c=\3, d=\4)"),
    (r"set_relative_p", "SetRelP"),
    (r"unj_(\d+)", r"Unjudged@\1"),
    (r"map_avgjg", "AP_avgjg"),
    (r"p_avgjg_(\d+)", r"P_avgjg@\1"),
    (rf"rprec_mult_avgjg_{_NUMBER}", r"Rprec_avgjg(mult=\1)"),
    (r"map(\(.*\))?(@\d+)?", r"AP\1\2"),
    (r"mrr(\(.*\))?(@\d+)?", r"RR\1\2"),
    (r"precision(\(.*\))?[_@](\d+)", r"P\1@\2"),
    (r"recall(\(.*\))?@(\d+)", r"R\1@\2"),
    (r"map_ia(\(.*\))?", r"AP_IA\1"),
    (r"hit[ _-]?rate(\(.*\))?(@\d+)?", r"Success\1\2"),
]
_VERSION_10 = [
    (r"rbp", "TrecRBP"),
    (rf"iprec_at_recall_{_NUMBER}", r"IPrec(rounding='v10')@\1"),
    (r"11pt_avg", "IPrecAvg(rounding='v10')"),
    (r"11pt_avg_([\d.,]+)", r"IPrecAvg(levels=[\1], rounding='v10')"),
]
_REFUSED = [
    (r"runid", "it is the name of the run, not a number"),
    (r"relstring(_\d+)?", "it is a text of grades, not a number"),
    (r"prefs_\w+", "it counts preferences; `dissensus.preferences` reads and compares them"),
    (r"yaap", "it is not among the measures that trec_eval prints by default"),
]


@lru_cache(1024)  # sixty patterns a name, and names are asked for again and again
def ours(name: str, *, trec_eval: bool = False) -> str:
    """A name as we write it; `trec_eval` reads it as version 10 of that program does.

    >>> ours("ndcg_cut_10"), ours("MAP(rel=2)"), ours("rbp"), ours("rbp", trec_eval=True)
    ('nDCG@10', 'AP(rel=2)', 'rbp', 'TrecRBP')
    """
    text = name.strip()
    if text[:2].lower() == "α_":
        text = "alpha" + text[1:]
    for pattern, reason in _REFUSED:
        if re.fullmatch(pattern, text, re.IGNORECASE):
            raise MeasureError(f"{name!r} of trec_eval is not computed: {reason}.")
    for pattern, written in (*(_VERSION_10 if trec_eval else ()), *_patterns(), *_OTHERS):
        if re.fullmatch(pattern, text, re.IGNORECASE | re.DOTALL):
            return re.sub(pattern, written, text, count=1, flags=re.IGNORECASE | re.DOTALL)
    return text


@cache
def _patterns() -> list[tuple[str, str]]:
    return [(theirs.replace("{k}", r"(\d+)"), name.replace("{k}", r"\1")) for theirs, name in TREC_EVAL.items()]
