"""dissensus: evaluate rankings when the judges disagree or err.

    >>> import dissensus as ds
    >>> ds.measure("nDCG@10").score([2, 0, 1], pool=[2, 1, 1, 0, 0])  # doctest: +SKIP

Names are imported on first use (PEP 562), so that `import dissensus` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

from dissensus.aliases import VERBS
from dissensus.work.on_use import on_use

__version__ = "0.3.0"

# public name → the module that defines it
_HOME = {
    "Scale": "tables.scale",
    "Runs": "tables.runs",
    "Judgments": "tables.judgments",
    "Collection": "measures.evaluate",
    "Audit": "tables.audit",
    "read_runs": "io.api",
    "read_judgments": "io.api",
    "read_audit": "io.api",
    "read_clicks": "io.click_files",
    "read_scores": "io.score_files",
    "read_features": "tables.features",
    "check": "judging.checking",
    "convert": "judging.converting",
    "Measure": "measures.measure",
    "Linear": "measures.measure",
    "measure": "measures.catalog",
    "register": "measures.catalog",
    "list_measures": "measures.listing",
    "evaluate": "measures.evaluate",
    "score_partition": "measures.parts",
    "combine": "measures.parts",
    "agreement": "judging.agreement.api",
    "Confusion": "judging.confusion.api",
    "confusion": "judging.confusion.counting",
    "merge": "judging.merging.api",
    "aware": "judging.aware.api",
    "judges": "reporting.judge_table",
    "replaceability": "judging.replaceability",
    "leaderboards": "judging.leaderboards",
    "multiverse": "inference.multiverse.api",
    "disagreement": "judging.disagreement.api",
    "read_preferences": "judging.preferences.reading",
    "Preferences": "judging.preferences.table",
    "preferences": "judging.preferences.api",
    "ceiling": "inference.ceiling.api",
    "correct": "inference.correction.api",
    "correct_scores": "inference.correction.score_tables",
    "corrected_rate": "inference.rates.api",
    "compare_rates": "inference.rates.difference",
    "plan": "inference.planning.api",
    "Sequential": "inference.sequential.api",
    "sequential": "inference.sequential.api",
    "compare": "inference.comparison.api",
    "gate": "inference.gate",
    "kendall_tau": "stats.correlation",
    "tau_ap": "stats.correlation",
    "rbo": "stats.overlap",
    "inject_noise": "label_noise.injection",
    "noise": "label_noise.api",
    "pair_noise": "label_noise.pairs",
    "expected_pair_noise": "label_noise.expected",
    "order": "theory.order",
    "check_axioms": "theory.axioms",
    "balancing_index": "theory.balancing",
    "balance": "theory.api",
    "clicks": "users.api",
    "Clicks": "tables.clicks",
    "Features": "tables.features",
    "MarkovUser": "users.chain",
    "UserDynamic": "users.dynamic",
    "train": "learning.training",
    "rank": "learning.training",
    "robustness": "studies.rankers.robustness",
    "experiment": "studies.api",
    "label": "learning.topics",
    "top_k_labelling": "learning.labelling",
    "audit_status": "audit.api",
    "audit_export": "audit.api",
    "audit_import": "audit.api",
    "audit_close": "audit.api",
    "audit_backup": "audit.safekeeping",
    "audit_restore": "audit.safekeeping",
    "audit_verify": "audit.safekeeping",
    "write_report": "reporting.api",
    "write_figures": "reporting.api",
    "Agreement": "judging.agreement.api",
    "Merged": "judging.merging.result",
    "Corrected": "inference.correction.result",
    "Differences": "inference.comparison.differences",
    "Plan": "inference.planning.result",
    "Gate": "inference.gate",
    "Policies": "measures.policies",
    "AxiomCheck": "theory.axioms",
    "BalancingCurve": "theory.balancing",
    "Ceiling": "inference.ceiling.api",
    "CheckReport": "io.check.findings",
    "CorrectedRate": "inference.rates.api",
    "CorrectedScores": "inference.correction.score_tables",
    "Converted": "judging.converting",
    "Disagreement": "judging.disagreement.model",
    "Experiment": "studies.api",
    "JudgeTable": "reporting.judge_table",
    "Labelled": "learning.topics",
    "Leaderboards": "judging.leaderboards",
    "Multiverse": "inference.multiverse.result",
    "NoiseForecasts": "label_noise.api",
    "PairNoise": "label_noise.pairs",
    "PreferenceResult": "judging.preferences.api",
    "Ranked": "learning.training",
    "RateComparison": "inference.rates.difference",
    "Replaceability": "judging.replaceability",
    "Robustness": "studies.rankers.robustness",
    "SequentialResult": "inference.sequential.result",
    "TopK": "learning.labelling",
    "Training": "learning.training",
    "UserFit": "users.api",
    "Result": "results",
    "Table": "results",
    "Column": "results",
    "DissensusError": "errors",
    "DissensusWarning": "errors",
}

_HOME |= {verb: _HOME[name] for verb, name in VERBS.items()}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name == "stats":  # a room with names that are public, too
        return importlib.import_module("dissensus.stats")
    return on_use(__name__, name, _HOME, VERBS.get(name))


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
