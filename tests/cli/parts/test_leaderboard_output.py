"""The leaderboards of several judges, side by side."""

from __future__ import annotations

import json

import pytest

from dissensus.cli import main


def test_the_leaderboards_of_several_judges(tmp_path, capsys):
    for judge, values in (("llm", (0.3, 0.2, 0.1)), ("people", (0.3, 0.1, 0.2))):
        rows = [f"{s},t{t},AP,{v + t / 100}" for s, v in zip("xyz", values, strict=True) for t in range(5)]
        (tmp_path / f"{judge}.csv").write_text("\n".join(["system,topic,measure,value", *rows]) + "\n")
    files = [w for j in ("llm", "people") for w in ("--score-table", str(tmp_path / f"{j}.csv"))]
    assert main(["compare", *files, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["tables"]
    assert shown["agreement"][0]["tau"] == pytest.approx(1 / 3)
    assert {r["system"]: (r["llm"], r["people"]) for r in shown["ranks"]} == {"x": (1, 1), "y": (2, 3), "z": (3, 2)}
    assert main(["compare", *files, "--assessor", "llm"]) == 0
