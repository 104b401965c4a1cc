"""The chart of corrected scores: one file, or one for every measure."""

from __future__ import annotations

import polars as pl

from dissensus.cli.parts.corrected_chart import draw_corrected

ROW = {"system": "a", "naive": 0.7, "corrected": 0.5, "low": 0.4, "high": 0.6}


def test_one_file_per_measure(tmp_path, capsys):
    draw_corrected(pl.DataFrame([{"measure": "AP", **ROW}]), tmp_path / "c.html")
    assert "corrected" in (tmp_path / "c.html").read_text()
    draw_corrected(pl.DataFrame([{"measure": "AP", **ROW}, {"measure": "P@10", **ROW}]), tmp_path / "d.html")
    assert sorted(p.name for p in tmp_path.glob("d*")) == ["d-AP.html", "d-P-10.html"]
    capsys.readouterr()
