"""dissensus: evaluate rankings when the judges disagree or err.

    >>> import dissensus as ds
    >>> ds.measure("nDCG@10").score([2, 0, 1], pool=[2, 1, 1, 0, 0])  # doctest: +SKIP

Names are imported on first use (PEP 562), so that `import dissensus` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

from dissensus.work.on_use import on_use

__version__ = "0.2.0"

# public name → the module that defines it
_HOME = {
    "Scale": "data.tables.scale",
    "Runs": "data.tables.runs",
    "Judgments": "data.tables.judgments",
    "Collection": "measures.evaluate",
    "Audit": "data.tables.audit",
    "read_runs": "data.readers.api",
    "read_judgments": "data.readers.api",
    "read_audit": "data.readers.api",
    "read_clicks": "data.readers.click_files",
    "read_scores": "data.readers.score_files",
    "read_features": "data.tables.features",
    "check": "data.check.api",
    "Measure": "measures.measure",
    "Linear": "measures.measure",
    "measure": "measures.catalog",
    "register": "measures.catalog",
    "list_measures": "measures.listing",
    "evaluate": "measures.evaluate",
    "agreement": "judges.agreement.api",
    "Confusion": "judges.confusion.api",
    "confusion": "judges.confusion.counting",
    "merge": "judges.merging.api",
    "aware": "judges.aware.api",
    "replaceability": "judges.replaceability",
    "leaderboards": "judges.leaderboards",
    "disagreement": "judges.disagreement.api",
    "read_preferences": "judges.preferences.reading",
    "Preferences": "judges.preferences.table",
    "preferences": "judges.preferences.api",
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
    "inject_noise": "noise.injection",
    "pair_noise": "noise.pairs",
    "expected_pair_noise": "noise.expected",
    "order": "theory.order",
    "check_axioms": "theory.axioms",
    "balancing_index": "theory.balancing",
    "MarkovUser": "users.chain",
    "UserDynamic": "users.dynamic",
    "robustness": "studies.rankers.robustness",
    "top_k_labelling": "learning.labelling",
    "write_report": "report.api",
    "write_figures": "report.api",
    "DissensusError": "errors",
    "DissensusWarning": "errors",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name == "stats":  # a room with names that are public, too
        return importlib.import_module("dissensus.stats")
    return on_use(__name__, name, _HOME)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
