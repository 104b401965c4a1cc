"""noise, train, rank, label from the shell: what they print, write and refuse."""

from __future__ import annotations

import io
import json

import pytest

from dissensus.cli import main
from dissensus.data.readers.writers import write_judgments
from dissensus.data.tables.judgments import Judgments
from dissensus.studies.generated.features import Shape, generate


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = generate(Shape(12, 15, 4, (0.6, 0.25, 0.15)), seed=1)
    for name, topics in (("train.txt", data.topics[:8]), ("vali.txt", data.topics[8:])):
        part = data.select(topics)
        with open(name, "w") as file:
            for x, y, t, d in zip(part.X, part.y, part.topic, part.docs, strict=True):
                values = " ".join(f"{i + 1}:{v!r}" for i, v in enumerate(x.tolist()))
                file.write(f"{int(y)} qid:{part.topics[t]} {values} #docid = {d}\n")
    write_judgments(data.judgments("gold"), "gold.csv")
    return tmp_path


def run(capsys, *words):
    status = main([str(w) for w in words])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_train_rank_evaluate(files, capsys):
    status, out, err = run(
        capsys, "train", "train.txt", "-r", "ranksvm", "--validation", "vali.txt", "--model", "m.json", "--set", "C=10"
    )
    assert status == 0, err
    assert "RankSVM(C=10.0)" in out
    assert "best feature" in out
    status, out, err = run(capsys, "rank", "m.json", "vali.txt", "--run", "svm.run", "--qrels", "v.csv", "-m", "AP")
    assert status == 0, err
    here = float(out.splitlines()[3].split()[-1])
    status, out, _ = run(capsys, "evaluate", "svm.run", "-j", "v.csv", "-m", "AP", "--json")
    assert status == 0
    assert f"{here:.4f}" in out or str(here)[:5] in out


def test_cross_validation(files, capsys):
    status, out, err = run(capsys, "train", "train.txt", "-r", "PRank", "--folds", "3", "--json")
    assert status == 0, err
    rows = json.loads(out)["tables"]["table"]
    assert [r["fold"] for r in rows] == ["fold 1", "fold 2", "fold 3", "mean"]
    assert rows[-1]["AP"] == pytest.approx(sum(r["AP"] for r in rows[:3]) / 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("train", "train.txt", "-r", "Oracle"), "no ranker 'Oracle'"),
        (("train", "train.txt", "--set", "colour=1"), "settings are"),
        (("train", "absent.txt"), "absent.txt cannot be read"),
        (("train", "absent.txt", "-m", "XX"), "there is no measure XX"),  # before anything is read
        (("train", "absent.txt", "--model", "nowhere/m.json"), "the folder nowhere does not exist"),
        (("train", "absent.txt", "--model", "."), "--model . is a folder"),
        (("train", "train.txt", "--folds", "3", "--model", "m.json"), "for a single file"),
        (("rank", "train.txt", "train.txt"), "is not a ranker"),
        (("noise", "gold.csv", "--levels", "much"), "levels are FROM:TO:STEP"),
        (("noise", "gold.csv", "--levels", "0.5:0:0.1"), "levels are FROM:TO:STEP"),
        (("noise", "gold.csv", "--inject", "x.csv"), "Name it: --levels 0.2"),
        (("noise", "gold.csv", "--levels", "0.1,0.2", "--inject", "x.csv"), "one level of noise"),
        (("noise", "gold.csv", "--against", "gold.csv", "--plot", "x.svg"), "--plot would do nothing"),
        (("noise", "gold.csv", "--levels", "0:2:0.5"), "between 0 and 1"),
        (("noise", "gold.csv", "--profile", "x.json"), "neither uniform, distance, nor a file"),
        (("label", "gold.txt"), "a table comes as"),
    ],
)
def test_refused(files, capsys, words, said):
    status, _, err = run(capsys, *words)
    assert status == 2
    assert said in err


def test_noise_forecast_inject_and_against(files, capsys):
    status, out, err = run(capsys, "noise", "gold.csv", "--levels", "0:0.2:0.1", "--samples", "3", "--plot", "n.svg")
    assert status == 0, err
    assert "At dNoise 0.1, " in out
    assert (files / "n.svg").stat().st_size > 2000
    status, _, err = run(capsys, "noise", "gold.csv", "--levels", "0.3", "--profile", "distance", "--inject", "n.csv")
    assert status == 0, err
    assert "labels changed (seed 0)" in err
    status, out, _ = run(capsys, "noise", "gold.csv", "--against", "n.csv", "--json")
    assert status == 0
    assert 0.15 < json.loads(out)["pnoise"] < 0.45


def test_label_asks_stops_and_goes_on(files, capsys, monkeypatch):
    (files / "d.csv").write_text("topic,doc,text\n1,a,apple\n1,b,bean\n1,c,\n1,d,date\n")
    words = ("label", "d.csv", "--top-k", "2", "--in-order", "--judgments", "mine.csv")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nwhat\n2\nq\n"))
    status, out, err = run(capsys, *words)
    assert status == 0, err
    assert "  1  a  apple" in err
    assert "  2  b  bean" in err
    assert "stopped at topic 1" in out
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n2\n2\n"))  # c over b, then d over b
    status, out, err = run(capsys, *words)
    assert status == 0, err
    assert "2 answers known before" in out
    from dissensus.data.readers.api import read_judgments

    mine = read_judgments("mine.csv")
    grades = dict(zip(mine.doc_ids(), mine.grade.tolist(), strict=True))
    assert grades == {"a": 0, "b": 0, "c": 2, "d": 1}
    assert isinstance(mine, Judgments)


def test_experiment_noise_at_toy_size(files, capsys):
    toy = ["sets=OHSUMED,OHSUMED2G", "rankers=PRank", "profiles=uniform", "levels=0,0.3", "documents=1500"]
    status, out, err = run(capsys, "experiment", "noise", *(w for t in toy for w in ("--set", t)), "--plot", "n.svg")
    assert status == 0, err
    assert "trainings" in out
    for chart in ("dnoise", "pnoise", "theory"):
        assert (files / f"n-{chart}.svg").stat().st_size > 2000


def test_experiment_dynamics_at_toy_size(files, capsys):
    toy = ["documents=1000", "trees=2", "full=4", "leaves=5"]
    status, out, err = run(capsys, "experiment", "dynamics", *(w for t in toy for w in ("--set", t)), "--plot", "d.svg")
    assert status == 0, err
    assert "user dynamics assumed" in out
    assert (files / "d-difference.svg").stat().st_size > 2000
