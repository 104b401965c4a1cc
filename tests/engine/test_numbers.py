"""Numbers in text: as Python reads them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.engine.trec_scan import scan_trec

DIGITS = st.text("0123456789", max_size=25)


@given(
    st.sampled_from(["", "-", "+"]),
    DIGITS,
    st.sampled_from(["", "."]),
    DIGITS,
    st.sampled_from(["", "e", "E"]),
    st.sampled_from(["", "-", "+"]),
    st.text("0123456789", max_size=4),
)
@settings(max_examples=250, deadline=None, derandomize=True)
def test_numbers_are_read_as_python_reads_them(tmp_path_factory, sign, whole, point, part, e, minus, power):
    text = sign + whole + point + part + (e + minus + power if e else "")
    path = tmp_path_factory.getbasetemp() / "number.run"
    path.write_text(f"1 Q0 d 1 {text} t\n")
    scanned = scan_trec(path, "run")
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if np.isfinite(value):
        assert scanned is not None
        assert scanned.value.tolist() == [value]
    else:
        assert scanned is None
