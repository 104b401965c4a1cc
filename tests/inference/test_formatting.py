"""How a p-value is written."""

from __future__ import annotations

import pytest

from dissensus.inference.formatting import p_text


@pytest.mark.parametrize(
    ("p", "digits", "text"),
    [
        (0.0, 3, "< 0.001"),
        (0.00099, 3, "< 0.001"),
        (0.001, 3, "= 0.001"),
        (1.0, 3, "= 1.000"),
        (0.00009, 4, "< 0.0001"),
    ],
)
def test_no_p_value_is_zero(p, digits, text):
    assert p_text(p, digits) == text
