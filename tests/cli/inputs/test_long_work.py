"""Options that commands get for what they do: long work (and data in pieces), how files are read, judgments."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import pytest
from paths import ROOT
from units_of_work import recorded
from wording import phrase

from dissensus.cli import main
from dissensus.cli.build import option
from dissensus.cli.commands import Command
from dissensus.cli.inputs.long_work import LongWork, parameters
from dissensus.work.settings import AUTO, settings
from dissensus.work.units import Store

RUN = "".join(f"{t} Q0 d{(t * r) % 11} {r} {20 - r} tag\n" for t in range(1, 9) for r in range(1, 8))
QRELS = "".join(f"{t} 0 d{d} {(t + d) % 3}\n" for t in range(1, 9) for d in range(11))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "one.run").write_text(RUN)
    (tmp_path / "ann.qrels").write_text(QRELS)
    return tmp_path


def scores(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    assert main([str(w) for w in words]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_long_command_has_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("evaluate", "aware", "correct", "compare", "ceiling", "noise", "experiment"):
        assert main([name, "--help"]) == 0
        text = capsys.readouterr().out
        assert "--cluster" in text
        assert "--workspace" in text


def test_evaluate_on_a_cluster_gives_the_same_document(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", files / "one.run", "-j", files / "ann.qrels", "-m", "AP", "-m", "nDCG@5", "--json")
    here = scores(capsys, *words)
    assert scores(capsys, *words, "--cluster", "local:2") == here
    assert scores(capsys, *words, "--workspace", files / "ws") == here


def test_evaluate_with_a_workspace(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("evaluate", files / "one.run", "-j", files / "ann.qrels", "-m", "AP")
    words = (*asked, "--json", "--workspace", files / "ws")
    first = scores(capsys, *words)
    assert recorded(files / "ws")["topics-1"] == 8
    assert scores(capsys, *words) == first
    assert main([*map(str, asked), "-m", "P@5", "--workspace", str(files / "ws")]) == 2
    message = capsys.readouterr().err
    assert phrase("work.measure-workspace-now", "AP", "AP", "P@5") in message


@pytest.mark.parametrize(
    "words",
    [
        ["aware", "runs/*", "-j", "labels.csv", "-m", "AP", "--replicates", "300"],
        ["compare", "runs/*", "-j", "labels.csv", "-m", "AP", "-a", "ann", "--test", "bootstrap"],
        ["ceiling", "labels.csv", "--method", "simulate", "--replicates", "20"],
        ["noise", "labels.csv", "--levels", "0.1,0.2"],
        ["experiment", "balancing", "--set", "trials=20", "--set", "length=50"],
    ],
    ids=lambda words: "-".join(words[:1] + words[-1:]),
)
def test_work_is_recorded_and_not_done_again(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "examples")
    space = tmp_path / "ws"
    first = scores(capsys, *words, "--json", "--workspace", space)
    units = recorded(space)
    assert units
    monkeypatch.setattr(Store, "put", None)  # nothing is written a second time
    assert scores(capsys, *words, "--json", "--workspace", space) == first
    assert recorded(space) == units
    assert scores(capsys, *words, "--json") == first


def test_large_parquet_data_are_read_in_pieces(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [line.split() for line in RUN.splitlines()]
    (files / "runs").mkdir()
    pl.DataFrame(
        {
            "topic": [int(r[0]) for r in rows],
            "doc": [r[2] for r in rows],
            "score": [float(r[4]) for r in rows],
            "system": "one",
        }
    ).write_parquet(files / "runs" / "part-0.parquet")
    labels = [line.split() for line in QRELS.splitlines()]
    pl.DataFrame(
        {"topic": [int(r[0]) for r in labels], "doc": [r[2] for r in labels], "grade": [int(r[3]) for r in labels]}
    ).write_parquet(files / "ann.parquet")
    streamed = scores(capsys, "evaluate", files / "runs", "-j", files / "ann.parquet", "-m", "AP", "--json")
    whole = scores(capsys, "evaluate", files / "one.run", "-j", files / "ann.qrels", "-m", "AP", "--json")
    assert streamed["tables"] == whole["tables"]
    assert streamed["notes"] == whole["notes"]
    monkeypatch.setattr("dissensus.io.partition.LARGE", 10)
    by_glob = scores(
        capsys, "evaluate", files / "runs" / "*.parquet", "-j", files / "ann.parquet", "-m", "AP", "--json"
    )
    assert by_glob["tables"] == whole["tables"]
    assert by_glob["notes"] == whole["notes"]


def test_a_cluster_that_is_not_there(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", str(files / "one.run"), "-j", str(files / "ann.qrels"), "--cluster", "local:none"]
    assert main(words) == 2
    assert "local:4" in capsys.readouterr().err


def test_the_options_reach_the_work(tmp_path: Path) -> None:
    seen: list[Any] = []

    def toy(
        name: Annotated[str, option("--name")],
        count: Annotated[int, option("--count")] = 1,
        work: LongWork = LongWork(),  # noqa: B008
    ) -> None:
        seen.append((name, count, settings().executor, settings().workspace))

    command = Command("toy", toy)
    command.main(["--name", "x", "--count", "2"], standalone_mode=False)
    assert seen == [("x", 2, AUTO, None)]
    command.main(["--name", "y", "--workspace", str(tmp_path / "ws")], standalone_mode=False)
    assert seen[1][3].parameters["name"] == "y"
    assert settings().executor is None


def test_a_workspace_is_about_inputs_and_not_about_looks(files: Path) -> None:
    about = parameters("aware", {"runs": [str(files / "*.run")], "seed": 3, "json": True, "output": Path("x.csv")})
    assert about["command"] == "aware"
    assert about["seed"] == 3
    assert "json" not in about
    assert "output" not in about
    assert next(iter(about["files"])) == str(files / "one.run")
    (files / "user.json").write_text("{}")
    measure = parameters("evaluate", {"measures": [f"MP(walk={str(files / 'user.json')!r})"]})
    assert list(measure["files"]) == [str(files / "user.json")]  # what a measure reads is input, too
    for name in ("audit.csv", "audit.frame.parquet"):
        (files / name).write_text("x")
    audited = parameters("report", {"judgments": [f"gold={files / 'audit.csv'}"]})
    assert list(audited["files"]) == [str(files / "audit.csv"), str(files / "audit.frame.parquet")]
    (files / "data" / "system=a").mkdir(parents=True)
    (files / "data" / "system=a" / "part-0.parquet").write_text("x")
    folder = parameters("evaluate", {"runs": [str(files / "data")]})
    assert list(folder["files"]) == [str(files / "data" / "system=a" / "part-0.parquet")]


def test_an_option_that_had_nothing_to_do_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with LongWork(workspace=str(tmp_path / "ws")).during("toy", {}):
        pass
    assert phrase("work.workspace-had-nothing") in capsys.readouterr().err
    with LongWork().during("toy", {}):
        pass
    assert capsys.readouterr().err == ""


def test_nested_work_is_recorded_call_by_call(tmp_path: Path) -> None:
    from dissensus.work.executor import run_units

    for _ in range(2):
        with LongWork(workspace=str(tmp_path / "ws")).during("toy", {}):
            first = run_units(draw, range(3), seed=1)
            second = run_units(draw, range(3), seed=2)
    assert recorded(tmp_path / "ws") == {"draw-1": 3, "draw-2": 3}
    assert first != second


def draw(unit: int, rng: np.random.Generator) -> float:
    return float(rng.random())


KILLED = """
import sys
from dissensus.cli import main
from dissensus.cli.build import option
from dissensus.cli.commands import Command
from dissensus.cli.inputs.long_work import LongWork, parameters
import dissensus.measures.divided as divided
import time
whole = divided._scored_part
def slowly(*args):
    time.sleep(0.15)
    return whole(*args)
divided._scored_part = slowly
sys.exit(main(sys.argv[1:]))
"""


def test_killed_and_started_again(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "slow.py").write_text(KILLED)
    words = ["evaluate", str(files / "one.run"), "-j", str(files / "ann.qrels"), "-m", "AP", "--json"]
    command = [sys.executable, str(files / "slow.py"), *words, "--workspace", str(files / "ws")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    log = files / "ws" / "workspace.sqlite-wal"
    while process.poll() is None and (not log.exists() or log.stat().st_size < 60_000):
        time.sleep(0.01)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = recorded(files / "ws")["topics-1"]
    assert scores(capsys, *words, "--workspace", files / "ws") == scores(capsys, *words)
    assert 0 < before < recorded(files / "ws")["topics-1"] == 8


# ── nothing half-written ─────────────────────────────────────────────────────────────────────────────────────────────
FULL = """
import resource, signal, sys
from dissensus.cli import main
from dissensus.cli.build import option
from dissensus.cli.commands import Command
from dissensus.cli.inputs.long_work import LongWork, parameters
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_a_disk_without_room(files: Path, suffix: str) -> None:
    (files / "full.py").write_text(FULL)
    (files / "out").mkdir()
    target = files / "out" / f"scores.{suffix}"
    words = ["evaluate", str(files / "one.run"), "-j", str(files / "ann.qrels"), "--per-topic", "-o", str(target)]
    done = subprocess.run(
        [sys.executable, "-B", str(files / "full.py"), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert phrase("work.not-written", target) in done.stderr
    assert phrase("work.nothing-half-written-left") in done.stderr
    assert list((files / "out").iterdir()) == []


def test_input_that_breaks_off_leaves_no_output(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    topic = np.repeat(np.arange(400), 50)
    (files / "runs").mkdir()
    broken = files / "runs" / "part-0.parquet"
    frame = pl.DataFrame(
        {"system": "s", "topic": topic, "doc": np.tile(np.arange(50), 400), "score": rng.random(20_000)}
    )
    frame.write_parquet(broken, row_group_size=2000, compression="zstd")
    pl.DataFrame({"topic": topic, "doc": np.tile(np.arange(50), 400), "grade": 1, "assessor": "a"}).write_parquet(
        files / "labels.parquet"
    )
    data = bytearray(broken.read_bytes())
    middle = int(len(data) * 0.7)
    data[middle : middle + 3000] = rng.bytes(3000)
    broken.write_bytes(data)
    target = files / "scores.csv"
    words = ["evaluate", files / "runs", "-j", files / "labels.parquet", "-m", "AP", "-o", target]
    assert main([str(w) for w in words]) == 2
    assert "part-0.parquet" in capsys.readouterr().err
    assert not target.exists()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"{t},d{i},{a},{(i + k) % 3}" for t in "pq" for i in range(6) for k, a in enumerate(("ann", "bob"))]
    (tmp_path / "labels.csv").write_text("\n".join(["topic,doc,assessor,grade", *rows]) + "\n")
    (tmp_path / "nist.qrels").write_text("".join(f"{t} 0 d{i} {i % 2}\n" for t in "pq" for i in range(6)))
    (tmp_path / "a.run").write_text("".join(f"{t} Q0 d{i} {i} {9 - i} x\n" for t in "pq" for i in range(6)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", ["agree", "merge", "weights"])
def test_both_spellings_give_the_same(folder: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for words in (["labels.csv"], ["--judgments", "labels.csv"], ["-j", "labels.csv"]):
        main([command, *words, "--json"])
        printed.append(json.loads(capsys.readouterr().out))
    assert printed[0] == printed[1] == printed[2]


def test_no_judgments_at_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree"]) == 2
    assert phrase("judgments-option.no-judgments-given") in capsys.readouterr().err


@pytest.mark.parametrize("command", ["evaluate", "compare", "correct", "aware"])
def test_the_order_of_trec_eval_is_named(folder: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "nist.qrels", "a.run"]) == 2
    shown = capsys.readouterr().err
    assert phrase("judgments-option.looks-like-judgments", "nist.qrels") in shown
    assert phrase("judgments-option.dissensus-judgments", command, "a.run", "nist.qrels") in shown


def test_runs_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "a.run"]) == 2
    assert phrase("judgments-option.looks-like") not in capsys.readouterr().err
