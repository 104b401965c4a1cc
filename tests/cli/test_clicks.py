"""`dissensus clicks`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wording import phrase

from dissensus.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_log(path: Path) -> None:
    """Navigational q0 comes back to rank 1; informational q1 walks up and down."""
    rows = ["session,query,rank,time"]
    for session in range(12):
        walk = [1, 2, 1, 3, 1, 4, 1] if session % 2 == 0 else [2, 1, 3, 4, 2, 3]
        rows += [f"{session},q{session % 2},{rank},{10 * step}" for step, rank in enumerate(walk)]
    path.write_text("\n".join([*rows, ""]))


def write_labels(path: Path) -> None:
    path.write_text("topic,doc,assessor,grade\nq0,a,x,1\nq0,b,x,0\nq1,a,x,1\nq1,b,x,1\n")


def test_clicks_write_a_model_that_measures_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import dissensus as ds

    write_log(folder / "log.csv")
    write_labels(folder / "labels.csv")
    assert main(["clicks", "log.csv", "-j", "labels.csv", "-o", "user.json"]) == 0
    printed = capsys.readouterr()
    assert phrase("cli-clicks.wrote", "user.json") in printed.err
    assert phrase("cli-clicks.clicks-pages", "informational", 36, 6) in printed.out
    model = json.loads((folder / "user.json").read_text())
    assert set(model["dynamic"]) == {"navigational", "informational"}
    assert model["walk"]["holding"][0] == pytest.approx(0.1 * 23 / 24)
    assert 0 < ds.measure("MP(walk='user.json')@4").score([0, 1, 0, 1]) < 1
    assert 0 < ds.measure("MP(walk='user.json', holding='user.json')").score([0, 1, 0, 1]) < 1


def test_clicks_of_single_clicks_say_that_there_is_no_move(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "log.csv").write_text("session,query,rank\n1,q,1\n2,q,3\n")
    assert main(["clicks", "log.csv"]) == 0
    out = capsys.readouterr().out
    assert phrase("cli-clicks.no-page-two-clicks") in out
    assert "nan" not in out
    assert main(["clicks", "log.csv", "--moves-only", "-o", "user.json"]) == 2
    assert phrase("cli-clicks.no-moves-no-chain") in capsys.readouterr().err


def test_clicks_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_log(folder / "log.csv")
    assert main(["clicks", "log.csv", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["backward"] == pytest.approx(30 / 66)
    assert out["reducible"] is None
    assert [row["class"] for row in out["tables"]["dynamics"]] == ["all"]


def test_clicks_plots(folder: Path) -> None:
    write_log(folder / "log.csv")
    write_labels(folder / "labels.csv")
    assert main(["clicks", "log.csv", "-j", "labels.csv", "--plot", "c.svg"]) == 0
    assert {p.name for p in folder.glob("c-*.svg")} == {"c-moves.svg", "c-stationary.svg", "c-dynamic.svg"}


def test_classes_from_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_log(folder / "log.csv")
    (folder / "classes.csv").write_text("query,class\nq0,quick\nq1,slow\n")
    assert main(["clicks", "log.csv", "--class-file", "classes.csv", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert {row["class"] for row in out["tables"]["ranks"]} == {"all", "quick", "slow"}
    (folder / "classes.csv").write_text("query,class\nq0,quick\nq0,slow\n")
    assert main(["clicks", "log.csv", "--class-file", "classes.csv"]) == 2
    assert phrase("cli-clicks.topic-two-classes", "classes.csv:3", "q0", "quick", "slow") in capsys.readouterr().err


def test_one_class_file_for_the_log_and_for_nmcg(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """clicks fits a curve per class of the file, and nMCG gives each topic the curve of its class."""
    write_log(folder / "log.csv")
    write_labels(folder / "labels.csv")
    (folder / "classes.csv").write_text("q0,slow\nq1,quick\n")
    (folder / "bm25.run").write_text("q0 Q0 b 1 2 x\nq0 Q0 a 2 1 x\nq1 Q0 c 1 2 x\nq1 Q0 a 2 1 x\n")
    assert main(["clicks", "log.csv", "--class-file", "classes.csv", "-o", "user.json"]) == 0
    capsys.readouterr()
    name = "nMCG(dynamic='user.json', classes='classes.csv')@2"
    assert main(["evaluate", "bm25.run", "-j", "labels.csv", "-m", name, "--per-topic", "--json"]) == 0
    text = capsys.readouterr().out
    curves = json.loads((folder / "user.json").read_text())["dynamic"]
    delta = {c: [v["alpha"] / i + v["beta"] * i + v["gamma"] for i in (1, 2)] for c, v in curves.items()}
    want = {"q0": delta["slow"][1] / max(delta["slow"]), "q1": delta["quick"][1] / sum(delta["quick"])}
    got = {row["topic"]: row[name] for row in json.loads(text)["tables"]["scores"]}
    assert got == pytest.approx(want)
    (folder / "C.json").write_text('{"matrix": [[0.9, 0.1], [0.2, 0.8]]}')
    limits = {}
    for m in (name, *(f"nMCG(dynamic='user.json', kind='{c}')@2" for c in ("slow", "quick"))):
        assert main(["ceiling", "labels.csv", "--confusion", "C.json", "-m", m, "--per-topic", "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["tables"]["ceiling"]
        limits[m] = {row["topic"]: row["ceiling"] for row in rows}
    own, slow, quick = limits.values()
    assert own == {"q0": slow["q0"], "q1": quick["q1"]}
    (folder / "classes.csv").write_text("q0,slow\n")
    for command in (["evaluate", "bm25.run", "-j", "labels.csv"], ["ceiling", "labels.csv", "--confusion", "C.json"]):
        assert main([*command, "-m", name]) == 2
        assert phrase("cli-clicks.gives-no-class-topics", "classes.csv", 1, 2, "q1") in capsys.readouterr().err


def test_reducible_log_is_reported_and_not_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "log.csv").write_text("session,rank\n1,1\n1,2\n1,3\n2,1\n2,3\n")
    assert main(["clicks", "log.csv"]) == 0
    assert phrase("cli-clicks.reducible-rank-walk-never", 3, 1, 2) in capsys.readouterr().out
    assert main(["clicks", "log.csv", "--moves-only", "-o", "user.json"]) == 2
    assert "reducible" in capsys.readouterr().err
    assert not (folder / "user.json").exists()
    assert main(["clicks", "log.csv", "--smoothing", "0.5", "-o", "user.json"]) == 0
    assert (folder / "user.json").exists()
