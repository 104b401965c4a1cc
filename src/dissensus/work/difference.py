"""What differs between the parameters of earlier work and those of now, in lines that a person can act on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def difference(old: Mapping[str, Any], new: Mapping[str, Any], then: str = "in the workspace") -> list[str]:
    """One line per parameter that differs.

    >>> difference({"seed": 0, "measure": "AP"}, {"seed": 1, "measure": "AP"})
    ['seed: 0 in the workspace, 1 now']
    """
    absent = object()

    def shown(value: Any) -> str:
        text = "absent" if value is absent else json.dumps(value, ensure_ascii=False)
        return text if len(text) <= 80 else text[:77] + "…"

    keys = [*old, *(k for k in new if k not in old)]
    return [
        f"{k}: {shown(old.get(k, absent))} {then}, {shown(new.get(k, absent))} now"
        for k in keys
        if old.get(k, absent) != new.get(k, absent)
    ]
