"""Names of 0.2 and what they are called now: public names live on for one version, keywords are answered.

>>> import dissensus as ds
>>> ds.agree is ds.agreement, ds.weights is ds.disagreement, ds.report is ds.write_report
(True, True, True)
"""

from __future__ import annotations

from collections.abc import Iterable

from dissensus.errors import InputError

#: the verb behind a command → the name under which it is defined, which 0.2 used
VERBS: dict[str, str] = {
    "agree": "agreement",
    "weights": "disagreement",
    "report": "write_report",
    "figures": "write_figures",
}

#: by the name of the function as it is defined: keyword of 0.2 → keyword of now
KEYWORDS: dict[str, dict[str, str]] = {
    "agreement": {"confidence": "level", "resamples": "replicates"},
    "ceiling": {"samples": "replicates"},
}


def refuse_respelled(verb: str, keywords: Iterable[str]) -> None:
    """Refuse a keyword of 0.2, and say what is written now."""
    renamed = KEYWORDS.get(verb, {})
    for name in keywords:
        if name in renamed:
            raise InputError(f"{verb}() no longer takes {name}=.", f"Write {renamed[name]}= instead.")
