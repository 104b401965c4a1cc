"""Labels without an order under measures that have gains: gains say what each label is worth, and so order them.

"Sure, Rel" and "Maybe, HRel" are neither higher nor lower than each other until somebody says what they are worth
(Demeester et al., WSDM 2014, §7). Here the labels of all judges are put on one scale, by their gain.

    >>> from dissensus.measures.catalog import measure_list
    >>> labels = Judgments.from_dict({"ann": {1: {"x": "good", "y": "bad", "z": "fair"}}})
    >>> measures = [m.with_gains({"bad": 0, "fair": 0.4, "good": 1}) for m in measure_list(["nDCG@10", "GAP"])]
    >>> on_gains(measures, labels)[0].scale.names
    ('bad', 'fair', 'good')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

from dissensus.errors import MeasureError
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.measures.parameters import gain_table
from dissensus.tables.facets import on_classes
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale, unordered


def on_gains(measures: Sequence[Measure], judgments: Judgments, *others: Judgments) -> tuple[Judgments, ...]:
    """The judgments as they are where labels have an order; else on one scale by the gains that every measure has."""
    every = (judgments, *others)
    scales = [one.scale for one in every]
    if all(scale.ordered for scale in scales):
        return every
    plain = next((scale for scale in scales if scale.ordered), None)
    needy = [str(m) for m in measures if getattr(m, "gains", None) is None]
    own = next(scale for scale in scales if not scale.ordered)
    if plain is not None or needy or not measures:
        what = (
            f"{', '.join(needy)} need{'s' if len(needy) == 1 else ''} an order."
            if needy
            else f"Other labels are on the scale {plain}."
        )
        raise unordered(own, what if needy or plain else "")
    names = tuple(dict.fromkeys(name for scale in scales for name in scale.names))
    scale = Scale(names, declared=any(s.declared for s in scales), ordered=False, facets=own.facets)
    tables = [gain_table(m.gains, scale, m) for m in measures]  # type: ignore[attr-defined]
    order = sorted(range(len(names)), key=lambda i: (*(float(table[i]) for table in tables), names[i]))
    for measure, table in zip(measures, tables, strict=True):
        wrong = next(((a, b) for a, b in pairwise(order) if table[a] > table[b]), None)
        if wrong is not None:
            a, b = (names[i] for i in wrong)
            raise MeasureError(
                f"{measures[0]} and {measure} order the labels differently: {a!r} and {b!r}.",
                "Ask for one of them at a time.",
            )
    scale = replace(scale, names=tuple(names[i] for i in order), worth=tuple(float(tables[0][i]) for i in order))
    return tuple(on_classes(one, scale) for one in every)


def with_gains(measures: Iterable[str | Measure], gains: Mapping[Any, float] | str) -> list[Measure]:
    """The measures with these gains, or those of a file, where they take gains and have none of their own.

    At least one must take them.
    """
    every = measure_list(measures)
    out = []
    for m in every:
        takes = "gains" in {f.name for f in fields(m)} and getattr(m, "gains", None) is None
        out.append(m.with_gains(gains) if takes else m)
    if out == every:
        raise MeasureError(f"none of {', '.join(map(str, out))} takes gains.", "DCG, nDCG, CG, NCG, RBP and GAP do.")
    return out
