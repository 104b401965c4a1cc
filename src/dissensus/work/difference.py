"""What differs between the parameters of earlier work and those of now, in lines that a person can act on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def difference(old: Mapping[str, Any], new: Mapping[str, Any], then: str = "in the workspace") -> list[str]:
    """One line per parameter that differs; of a table in it, one per entry.

    >>> difference({"seed": 0, "measure": "AP"}, {"seed": 1, "measure": "AP"})
    ['seed: 0 in the workspace, 1 now']
    >>> difference({"files": {"a.csv": "17", "b.csv": "4"}}, {"files": {"a.csv": "17", "b.csv": "5"}})
    ['files, b.csv: "4" in the workspace, "5" now']
    """
    absent = object()

    def shown(value: Any) -> str:
        text = "absent" if value is absent else json.dumps(value, ensure_ascii=False)
        return text if len(text) <= 80 else text[:77] + "…"

    lines = []
    for key in [*old, *(k for k in new if k not in old)]:
        before, now = old.get(key, absent), new.get(key, absent)
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            lines += [f"{key}, {line}" for line in difference(before, now, then)]
        elif before != now:
            lines.append(f"{key}: {shown(before)} {then}, {shown(now)} now")
    return lines
