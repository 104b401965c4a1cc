"""Which column of scores a measure is, whatever it is called there: `ndcg_cut_10` of trec_eval is nDCG@10.

>>> held(["map", "ndcg_cut_10"], "nDCG@10"), held(["AP"], "map"), held(["faithfulness"], "nDCG@10")
('ndcg_cut_10', 'AP', None)
"""

from __future__ import annotations

from collections.abc import Iterable

from dissensus.errors import DissensusError, InputError, Option, Text


def held(names: Iterable[str], measure: str) -> str | None:
    """The name under which a measure is there: its own, or another one of the same measure; None where it is not."""
    given = list(names)
    if measure in given:
        return measure
    wanted = _canonical(measure)
    return next((name for name in given if _canonical(name) == wanted), None)


def the_one(names: Iterable[str], measure: str) -> str:
    """The name under which a measure is there, or the error that says what is."""
    given = list(names)
    found = held(given, measure)
    if found is None:
        raise InputError(Text(Option("measure", measure), f" is not among the scores: {', '.join(given[:12])}."))
    return found


def _canonical(name: str) -> str:
    from dissensus.measures.catalog import measure

    try:
        return str(measure(name))
    except DissensusError:
        return name
