"""What stands in a script element cannot end it, and is still the same data."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from dissensus.reporting.embedding import script_json, vega_bundle


@given(st.recursive(st.none() | st.booleans() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)))
def test_script_json_reads_back_and_holds_no_markup(value: object) -> None:
    text = script_json(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)


def test_not_a_number_is_null() -> None:
    assert script_json([float("nan"), float("inf"), 0.5]) == "[null,null,0.5]"


def test_the_bundle_cannot_end_its_element() -> None:
    assert "</script" not in vega_bundle()
    assert "<!--" not in vega_bundle()
