"""dissensus: evaluate rankings when the judges disagree or err.

    >>> import dissensus as ds
    >>> ds.measure("nDCG@10").score([2, 0, 1], pool=[2, 1, 1, 0, 0])  # doctest: +SKIP

Names are imported on first use (PEP 562), so that `import dissensus` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# public name → the module that defines it
_HOME = {
    "Scale": "data.scale",
    "Runs": "data.runs",
    "Judgments": "data.judgments",
    "Collection": "measures.evaluate",
    "Audit": "data.audit",
    "read_runs": "data.reading",
    "read_judgments": "data.reading",
    "read_audit": "data.audit",
    "read_clicks": "data.clicks",
    "read_features": "data.features",
    "check": "data.check",
    "Measure": "measures.measure",
    "Linear": "measures.measure",
    "measure": "measures.catalog",
    "register": "measures.catalog",
    "evaluate": "measures.evaluate",
    "agreement": "judges.agreement",
    "Confusion": "judges.confusion",
    "confusion": "judges.confusion",
    "merge": "judges.merging",
    "aware": "judges.aware",
    "disagreement": "judges.disagreement",
    "ceiling": "inference.ceiling",
    "correct": "inference.correction",
    "corrected_rate": "inference.rates",
    "compare_rates": "inference.rate_difference",
    "plan": "inference.planning",
    "compare": "inference.significance",
    "kendall_tau": "stats.correlation",
    "tau_ap": "stats.correlation",
    "rbo": "stats.correlation",
    "inject_noise": "noise.injection",
    "pair_noise": "noise.pairs",
    "expected_pair_noise": "noise.expected",
    "order": "theory.order",
    "check_axioms": "theory.axioms",
    "balancing_index": "theory.balancing",
    "MarkovUser": "users.chain",
    "UserDynamic": "users.dynamic",
    "robustness": "learning.robustness",
    "top_k_labelling": "learning.labelling",
    "DissensusError": "errors",
    "DissensusWarning": "errors",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'dissensus' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"dissensus.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
