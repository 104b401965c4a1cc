"""What the kernel reads, and what it leaves to the exact reader."""

from __future__ import annotations

import pytest

from dissensus.engine.trec_scan import scan_trec


@pytest.mark.parametrize(
    "line",
    [
        "1 Q0 d 1 2.5\n", "1 Q0 d 1 2.5 t x\n", "1 Q0 d 1 2.5x t\n", "1\vQ0 d 1 2.5 t\n", "1 Q0 d 1 2.5 t\r2",
        "1 Q0 d\x00 1 2.5 t\n", "1 Q0 d 1 2.5 t\n#\x01\n", "1\n", "1 Q0\n", "1 Q0 d\n", "1 Q0 d 1\n",
    ],
)  # fmt: skip
def test_odd_lines_are_left_to_the_exact_reader(tmp_path, line):
    path = tmp_path / "a.run"
    path.write_bytes(b"1 Q0 e 1 3.5 t\n" + line.encode())
    assert scan_trec(path, "run") is None


def test_rank_against_score(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("1 Q0 a 1 3 t\n1 Q0 b 2 4 t\n1 Q0 c 3 4 t\n2 Q0 a 4 9 t\n2 Q0 b 3 99 t\n")
    assert scan_trec(path, "run").disorder == 1
    path.write_text("1 Q0 a 1 3 s\n1 Q0 a 2 4 t\n1 Q0 b 3 5 t\n1 Q0 c 4 6 t \n")  # another system is another ranking
    assert scan_trec(path, "run").disorder == 2
