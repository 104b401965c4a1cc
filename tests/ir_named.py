"""ir_measures' measures by name, without its parser, whose `ast.Num` warns in Python 3.12 and is gone in 3.14."""

from __future__ import annotations

import ast
import re
from typing import Any

import ir_measures
from ir_measures.measures import registry


def named(text: str) -> Any:
    """What `ir_measures.parse_measure` gives."""
    found = re.fullmatch(r"(\w+)\s*(?:\((.*)\))?(?:@([0-9.]+))?", text)
    assert found is not None, text
    measure = registry[found[1]]
    if found[2]:
        call = ast.parse(f"f({found[2]})", mode="eval").body
        assert isinstance(call, ast.Call)
        measure = measure(**{str(k.arg): ast.literal_eval(k.value) for k in call.keywords})
    if found[3]:
        measure = measure @ (float(found[3]) if "." in found[3] else int(found[3]))
    assert isinstance(measure, ir_measures.Measure)
    return measure
