"""Which measures are utility-oriented, with counterexamples for those that are not.

Replacement and swap (thesis §3.4) on all binary rankings of 10 documents and all rankings of 4 documents with grades
0…3; `measures` is empty for the whole catalog.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from dissensus.arrays import Values
from dissensus.measures.families.markov import MODELS, MP
from dissensus.measures.user_models import Dynamic, UserModel
from dissensus.studies.study import Request, StudyOutcome
from dissensus.theory.axioms import check_axioms

PLAIN = (
    "P@5", "R@5", "Fallout@5", "Success@5", "Judged@5", "Rprec", "SetP", "SetR", "SetF", "IPrec@0.1", "IPrec@0.5",
    "AP", "AP@5", "NCP", "GAP", "CG@5", "NCG@5", "DCG@5", "nDCG", "nDCG@5", "nDCG(dcg='exp-log2')@5",
    "nDCG(dcg='jk')@5", "nDCG(dcg='zipf')@5", "RBP(p=0.8)", "RR", "ERR", "ERR@5", "ESL", "ESL(n=2)", "Bpref",
    "infAP", "SDCG(max_rel=3)@5", "INSQ(max_rel=3)", "INST(max_rel=3)", "BPM(max_rel=3)@5", "NERR8(max_rel=3)@5",
    "NERR9(max_rel=3)@5", "NERR10(max_rel=3)", "NERR11(max_rel=3)", "SetAP", "SetRelP", "RelP@5", "F1@5", "NumRelRet",
    "GMAP", "GMBpref", "IPrecAvg", "binG", "G", "RnDCG", "nDCG_rel", "Utility", "TrecRBP",
)  # fmt: skip
INTENTS = "needs judgments per intent: a ranking is not a list of grades"
#: measures that replacement and swap say nothing about, and why
NOT_APPLICABLE = {
    **dict.fromkeys(
        ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"), INTENTS
    ),
    **dict.fromkeys(("TBG", "U"), "needs the lengths of documents"),
    **dict.fromkeys(("AP_avgjg", "P_avgjg", "Rprec_avgjg"), "a mean over assessors of AP, P and Rprec"),
    **dict.fromkeys(("NumQ", "NumRet", "NumRel"), "does not depend on the ranking"),
    **dict.fromkeys(
        ("Unjudged", "TrecRBPResidual", "NumNonRelRet"), "counts documents that are not judged or relevant"
    ),
    "Accuracy": "undefined where nothing retrieved is relevant, or everything",
    "Compat": "its ideal ranking is made of the ranking's own documents, so no pool can be fixed for all rankings",
}
MARKOV = tuple(str(MP(model=model, rec=rec)) for rec in (False, True) for model in MODELS)
# nMCG with a curve that falls with the rank, and with one that rises, as informational logs can have it
CURVES = {
    "nMCG@4, falling curve": Dynamic(alpha=0.6, beta=0.0, gamma=0.02),
    "nMCG@4, rising curve": Dynamic(alpha=0.0, beta=0.02, gamma=0.05),
}
#: what the thesis says: proved or called trivial in §3.4.1; the models of ch. 5 are presented as measures
THESIS = {
    **dict.fromkeys(("AP", "RBP(p=0.8)", "nDCG", "ERR"), "utility-oriented (§3.4.1)"),
    **dict.fromkeys(MARKOV, "a measure (ch. 5)"),
}
SHORT = ((10, "0..1"), (4, "0..3"))

SETTINGS: Values = {"measures": ()}


def run(request: Request) -> StudyOutcome:
    chosen = request.settings["measures"]
    table = axiom_table(chosen, curves=False) if chosen else axiom_table()
    return StudyOutcome(
        tables={"axioms": table},
        notes=[
            "all binary rankings of 10 documents, all rankings of 4 with grades 0…3; R fixed at the length",
            "thesis: what it says of the measure; nothing where it says nothing",
        ],
    )


def _verdict(found: Sequence[object]) -> str:
    return next((str(violation) for violation in found if violation is not None), "holds")


def axiom_table(
    measures: Sequence[str] = (*PLAIN, *MARKOV), lengths: Sequence[tuple[int, str]] = SHORT, *, curves: bool = True
) -> pl.DataFrame:
    """Check every measure at every (length, scale): a row per measure.

    Its columns are measure, utility_oriented, replacement, swap (holds or a counterexample), blind (share of pairs
    unmoved), thesis (what it says of the measure).
    """
    checks = {name: tuple(check_axioms(name, n, scale) for n, scale in lengths) for name in measures}
    if curves:
        with TemporaryDirectory() as folder:
            for label, curve in CURVES.items():
                file = Path(folder, f"{len(checks)}.json")
                file.write_text(UserModel(dynamics={"all": curve}).to_json(), encoding="utf-8")
                name = f"nMCG(dynamic={str(file)!r})@4"
                checks[label] = tuple(check_axioms(name, n, scale) for n, scale in lengths)
    return pl.DataFrame(
        [
            {
                "measure": name,
                "utility_oriented": all(check.utility_oriented for check in pair),
                "replacement": _verdict([check.replacement for check in pair]),
                "swap": _verdict([check.swap for check in pair]),
                "blind": sum(sum(check.unchanged) for check in pair) / sum(sum(check.pairs) for check in pair),
                "thesis": THESIS.get(name),
            }
            for name, pair in checks.items()
        ]
    )
