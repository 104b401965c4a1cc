"""Names of 0.2 and what they are called now: public names live on for one version, keywords are answered.

>>> import dissensus as ds
>>> ds.agree is ds.agreement, ds.weights is ds.disagreement, ds.report is ds.write_report
(True, True, True)
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar

from dissensus.docstrings import completed
from dissensus.errors import InputError, UnknownName, UnknownParameter

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


#: what other libraries, and other words for the same, are called here
ELSEWHERE: dict[str, str] = {
    "alpha": "agree", "cohen_kappa": "agree", "fleiss_kappa": "agree", "kappa": "agree", "krippendorff": "agree",
    "Qrels": "Judgments", "qrels": "read_judgments", "read_labels": "read_judgments", "read_qrels": "read_judgments",
    "Run": "Runs", "load_runs": "read_runs", "score": "evaluate", "fuse": "merge", "majority": "merge",
    "power": "plan", "significance": "compare", "test": "compare", "html": "report", "plot": "figures",
}  # fmt: skip


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names that are most like a name, the best first.

    >>> nearest("agrement", ["agreement", "agree", "merge"])
    ['agreement', 'agree']
    """
    given = list(known)
    like = difflib.get_close_matches(name.lower(), {k.lower() for k in given}, n=3)
    return sorted(
        (k for m in like for k in given if k.lower() == m), key=lambda k: k[:1].isupper() != name[:1].isupper()
    )


def refuse_name(package: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for a name that a package does not have: it says which one was meant."""
    meant = [ELSEWHERE[name]] if package == "dissensus" and name in ELSEWHERE else nearest(name, known)
    short = "ds" if package == "dissensus" else package
    way_out = f"Did you mean {' or '.join(f'{short}.{m}' for m in meant)}?" if meant else "All names: dir(ds)."
    return UnknownName(f"module {package!r} has no attribute {name!r}.", way_out, name=name)


def refuse_unknown(verb: str, keywords: Iterable[str], taken: Collection[str]) -> None:
    """Refuse a keyword that a verb does not take: one of 0.2 with what is written now, others with the nearest."""
    renamed = KEYWORDS.get(verb, {})
    for name in keywords:
        if name in renamed:
            now = renamed[name]
            raise InputError(f"{verb}() no longer takes {name}=.", now if " " in now else f"Write {now}= instead.")
        if name not in taken:
            meant = nearest(name, taken)
            way_out = " or ".join(f"{m}=" for m in meant)
            way_out = f"Did you mean {way_out}?" if meant else f"It takes {', '.join(taken)}."
            raise UnknownParameter(f"{verb}() has no parameter {name}=.", way_out)


def described(verb: Callable[P, R]) -> Callable[P, R]:
    """A public verb: its docstring describes shared parameters, too, and keywords it does not take are answered."""
    verb.__doc__ = completed(verb.__doc__ or "", inspect.signature(verb).parameters)

    @wraps(verb)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        if keywords:
            refuse_unknown(verb.__name__, keywords, inspect.signature(call).parameters)
        return verb(*args, **keywords)

    return call
