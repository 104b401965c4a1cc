"""The closing record: what went in, what was committed, what the log holds, and what came out, as one JSON file.

Numbers have ten significant digits and there are no dates, so that whoever has the study gets the same bytes again:
`dissensus audit verify study.db --record record.json`.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from dissensus import __version__
from dissensus.audit.seal import sha256, text
from dissensus.audit.study import Study
from dissensus.inference.sequential.result import Verdicts
from dissensus.inference.sequential.stop import Verdict

if TYPE_CHECKING:
    from dissensus.audit.closing import Closed

DIGITS = 10


def record(study: Study, closed: Closed) -> str:
    """The record of a closed study as text."""
    row = study.current()
    each = closed.verdict.each if isinstance(closed.verdict, Verdicts) else (closed.verdict,)
    results = {
        "labels": closed.labels,
        "level": rounded(closed.level),
        "verdicts": [_verdict(v) for v in each],
        "scores": rounded(closed.scores.to_dicts()),
        "differences": rounded(closed.differences.to_dicts()),
    }
    value = {
        "schema": 1,
        "version": __version__,
        "study": study.id,
        "measure": row.measure,
        "stop": row.stop,
        "commitment": study.commitment,
        "committed": None if row.committed is None else json.loads(row.committed),
        "log": row.closing,
        "audit": sha256(closed.audit.drop("assessor", "stop", strict=False).write_csv()),
        "results": results,
        "results_hash": sha256(text(results)),
    }
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _verdict(v: Verdict) -> dict[str, object]:
    return {
        "a": v.a, "b": v.b, "state": v.state, "winner": v.winner, "labels": v.labels, "low": rounded(v.low),
        "high": rounded(v.high),
    }  # fmt: skip


def rounded(value: object) -> object:
    """A value with its numbers at ten significant digits; what is not a number is left out.

    >>> rounded({"low": 0.1 + 0.2, "n": 3, "high": float("nan")})
    {'low': 0.3, 'n': 3, 'high': None}
    """
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, list | tuple) else value
