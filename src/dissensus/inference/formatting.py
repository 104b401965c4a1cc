"""How results of inference are written: JSON without the numbers JSON lacks, p-values in sentences."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Dataclasses, arrays and tuples as JSON values; NaN and infinite ends become null.

    >>> plain({"interval": (0.1, float("inf"))})
    {'interval': [0.1, None]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def as_json(result: Any) -> str:
    """A result as one JSON object."""
    return json.dumps(plain(result), ensure_ascii=False)


def p_text(p: float, digits: int = 3) -> str:
    """A p-value for a sentence: no p-value is 0.

    >>> p_text(0.0004), p_text(0.017), p_text(0.0171, 4)
    ('< 0.001', '= 0.017', '= 0.0171')
    """
    least = 10.0**-digits
    return f"< {least:.{digits}f}" if p < least else f"= {p:.{digits}f}"
