"""A measure under any of its names: `map` is `AP`, and `P(rel=1)@10` is `P@10`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dissensus.errors import DissensusError, Fix, InputError, Option, Text
from dissensus.measures.catalog import measure as named
from dissensus.wording import counted


def held(names: Iterable[str], measure: str) -> str | None:
    """The name under which a measure is there: its own, or another one of the same measure; None where it is not.

    >>> held(["map", "ndcg_cut_10"], "nDCG@10"), held(["AP"], "map"), held(["faithfulness"], "nDCG@10")
    ('ndcg_cut_10', 'AP', None)
    """
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
        raise InputError(Text(Option("measures", measure), f" is not among the scores: {', '.join(given[:12])}."))
    return found


def asked_or_only(names: Iterable[str], measures: str | Sequence[str] | None) -> list[str]:
    """The measures asked for; without any, the only one that there is.

    >>> asked_or_only(["AP", "AP.low", "AP.high"], None), asked_or_only(["AP", "RR"], "RR")
    (['AP'], ['RR'])
    """
    if measures is not None:
        return [measures] if isinstance(measures, str) else [str(m) for m in measures]
    there = [name for name in names if not name.endswith((".low", ".high", ".se"))]
    if len(there) != 1:
        raise InputError(
            f"the scores hold {counted(len(there), 'measure')}: {', '.join(there[:12])}.",
            Fix("Name those to compare: ", Option("measures", there[0] if there else "AP"), "."),
        )
    return there


def _canonical(name: str) -> str:
    try:
        return str(named(name))
    except DissensusError:
        return name
