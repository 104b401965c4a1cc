"""Names of 0.2 and what they are called now: public names live on for one version, keywords are answered.

>>> import dissensus as ds
>>> ds.agree is ds.agreement, ds.weights is ds.disagreement, ds.report is ds.write_report
(True, True, True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar

from dissensus.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")

#: the verb behind a command → the name under which it is defined, which 0.2 used
VERBS: dict[str, str] = {
    "agree": "agreement",
    "weights": "disagreement",
    "report": "write_report",
    "figures": "write_figures",
}

BARS = "Leave it out: progress is shown on a terminal when work takes longer than two seconds."
JOINED = "Leave it out. To use a join again, make a ds.Collection(runs, judgments)."
#: by the name of the function as it is defined: keyword of 0.2 → keyword of now, or what to do
KEYWORDS: dict[str, dict[str, str]] = {
    "agreement": {"confidence": "level", "resamples": "replicates", "label": BARS},
    "aware": {"label": BARS, "joined": JOINED},
    "ceiling": {"samples": "replicates", "measure": "measures"},
    "check": {"joined": JOINED, "runs": "files"},
    "check_axioms": {"trials": "replicates"},
    "compare": {"measure": "measures"},
    "correct": {"joined": JOINED},
    "gate": {
        "measure": "measures",
        "policies": "Write the four policies as keywords: topics=, unjudged=, ties=, empty=.",
    },
    "leaderboards": {"measure": "measures"},
    "merge": {"label": BARS, "threads": "Set the environment variable DISSENSUS_THREADS instead."},
    "plan": {
        "measure": "measures",
        "also": 'Name all measures in measures=["P@10", "AP"]. The first is planned for.',
        "scores": 'Write purpose="scores" or purpose="differences" instead.',
    },
    "robustness": {"repeats": "replicates", "progress": BARS},
    "sequential": {"measure": "measures"},
    "tau_ap": {"samples": "replicates"},
}


def refuse_respelled(verb: str, keywords: Iterable[str]) -> None:
    """Refuse a keyword of 0.2, and say what is written now."""
    renamed = KEYWORDS.get(verb, {})
    for name in keywords:
        if name in renamed:
            now = renamed[name]
            raise InputError(f"{verb}() no longer takes {name}=.", now if " " in now else f"Write {now}= instead.")


def respelled(verb: Callable[P, R]) -> Callable[P, R]:
    """A verb that answers the keywords it had in 0.2; `tables.coercion.coerced` does so by itself."""

    @wraps(verb)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        refuse_respelled(verb.__name__, keywords)
        return verb(*args, **keywords)

    return call
