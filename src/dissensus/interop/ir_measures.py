# mypy: disable-error-code="no-untyped-call"
"""dissensus as a provider of ir_measures: the same call, computed here.

    import ir_measures
    from dissensus.interop.ir_measures import DissensusProvider

    provider = DissensusProvider()
    provider.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)

`register()` makes it one of those that `ir_measures.calc_aggregate` chooses from. Topics without relevant documents
count 0, as ir_measures counts them. Qrels of several assessors (iterations that differ) are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dissensus.errors import InputError, MissingExtra
from dissensus.measures.evaluate import evaluate
from dissensus.tables.coercion import as_judgments

try:
    import ir_measures
    from ir_measures import providers
    from ir_measures.providers.base import NOT_PROVIDED, Choices
    from ir_measures.providers.base import Any as AnyValue
except ImportError as error:
    raise MissingExtra("dissensus.interop.ir_measures", "ir-measures") from error

_M = ir_measures.measures


class DissensusProvider(providers.Provider):
    """ir_measures' provider interface."""

    NAME = "dissensus"
    SUPPORTED_MEASURES = [  # noqa: RUF012  (ir_measures reads it from the class)
        _M._P(cutoff=AnyValue(), rel=AnyValue(), judged_only=Choices(False)),
        _M._R(cutoff=AnyValue(), rel=AnyValue(), judged_only=Choices(False)),
        _M._Rprec(rel=AnyValue(), judged_only=Choices(False)),
        _M._AP(cutoff=AnyValue(), rel=AnyValue(), judged_only=Choices(False)),
        _M._RR(cutoff=AnyValue(), rel=AnyValue(), judged_only=Choices(False)),
        _M._nDCG(cutoff=AnyValue(), dcg=Choices("log2", "exp-log2"), gains=Choices(NOT_PROVIDED),
                 judged_only=Choices(False)),
        _M._Bpref(rel=AnyValue()),
        _M._Success(cutoff=AnyValue(required=True), rel=AnyValue(), judged_only=Choices(False)),
    ]  # fmt: skip

    def _evaluator(self, measures: Iterable[object], qrels: object) -> DissensusEvaluator:
        return DissensusEvaluator(list(measures), list(ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter()))


class DissensusEvaluator(providers.Evaluator):
    """One set of qrels, joined with each run that comes."""

    def __init__(self, measures: list[Any], qrels: list[Any]) -> None:
        super().__init__(measures, {q.query_id for q in qrels})
        self.judgments = as_judgments(qrels)
        if len(self.judgments.assessors) > 1:
            raise InputError(
                f"the qrels are of {len(self.judgments.assessors)} assessors; ir_measures has one value per topic.",
                "Use ds.evaluate, which scores by every assessor, or merge them first.",
            )

    def _iter_calc(self, run: object) -> Iterator[Any]:
        rows = list(ir_measures.util.RunConverter(run).as_namedtuple_iter())
        if not rows:
            return
        names = {str(m): m for m in self.measures}
        scores = evaluate(rows, self.judgments, list(names), empty="zero")
        present = {row.query_id for row in rows}
        for variable, m in zip(scores.data_vars, names.values(), strict=True):
            values = scores[variable].values[0, 0]
            for topic, value in zip(scores.coords["topic"].values, values, strict=True):
                if topic in present:
                    yield ir_measures.Metric(query_id=str(topic), measure=m, value=float(value))


def register() -> DissensusProvider:
    """Make dissensus one of the providers that ir_measures chooses from."""
    provider = DissensusProvider()
    providers.register(provider)
    return provider
