"""`dissensus audit`: from the order to the report on the command line, and the server as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from audit_studies import sample
from wording import phrase

import dissensus as ds
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study
from dissensus.cli import main
from dissensus.cli.audit import SUBCOMMANDS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("audit")
    sample().write(place)
    return place


def new(folder: Path, place: Path, *more: str) -> int:
    return main(
        ["audit", "new", str(place), f"{folder}/runs/*.run", "-j", f"{folder}/labels.csv", "-a", "llm", "-m",
         "P(rel=2)@5", "--documents", f"{folder}/documents.jsonl", "--topic-texts", f"{folder}/topics.tsv",
         "--between", "crossenc", "llm-rewrite", "--seed", "5", *more]
    )  # fmt: skip


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_shows_an_example_and_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", name, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"dissensus audit {name}" in text.split("\n\n", 1)[1]
    assert "--json" in text


def test_from_the_order_to_the_report(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "study.db"
    assert new(folder, place, "--expert", "ann", "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert made["documents"] == 56
    assert len(made["order_hash"]) == 64
    assert oct((tmp_path / "study.db.links").stat().st_mode)[-3:] == "600"
    assert main(["audit", "status", str(place), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["labels"] == 0
    page = tmp_path / "page.html"
    assert main(["audit", "page", str(place), "-o", str(page), "--count", "30"]) == 0
    assert page.stat().st_size > 10_000
    capsys.readouterr()
    with StudyStore.open(place) as store:
        study = Study.load(store)
        rows = [
            {"dissensus_audit": 1, "study": study.id, "assignment": i, "action": "grade", "grade": "1",
             "request": f"r{i}", "at": 1.0}
            for i in range(1, 31)
        ]  # fmt: skip
    back = tmp_path / "back.jsonl"
    back.write_text("".join(json.dumps(r) + "\n" for r in rows))
    assert main(["audit", "import", str(place), str(back), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["labels"] == 30
    assert main(["audit", "export", str(place), "-o", str(tmp_path / "audit.csv")]) == 0
    assert ds.read_audit(tmp_path / "audit.csv", scale="0..3").order.completed == 30
    assert main(["audit", "backup", str(place), "-o", str(tmp_path / "copy.db")]) == 0
    assert main(["audit", "close", str(place), "-o", str(tmp_path / "closed")]) == 0
    assert phrase("cli-audit.expert-judged") in capsys.readouterr().out
    assert {f.name for f in (tmp_path / "closed").iterdir()} >= {"audit.csv", "report.html", "log.csv"}
    assert main(["audit", "import", str(place), str(back)]) == 0  # known already: harmless after closing, too


def test_missing_texts_are_listed_before_the_study_starts(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (folder / "documents.jsonl").read_text().splitlines(keepends=True)
    some = tmp_path / "some.jsonl"
    some.write_text("".join(lines[:90]))  # the first topic only
    files = [f"{folder}/runs/*.run", "-j", f"{folder}/labels.csv", "-a", "llm"]
    common = [*files, "-m", "P(rel=2)@5", "--between", "crossenc", "llm-rewrite"]
    place = tmp_path / "study.db"
    assert main(["audit", "new", str(place), *common, "--documents", str(some)]) == 2
    error = capsys.readouterr().err
    assert phrase("cli-audit.documents-may-judged-no", 56, "q0") in error
    assert "--without-texts" in error
    assert not place.exists()
    assert main(["audit", "new", str(place), *common, "--documents", str(some), "--without-texts"]) == 0
    assert phrase("cli-audit.no-text") in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--stop", "soon"], phrase("cli-audit.not-valid-stop-rule")),
        (["-m", "nDCG@10"], phrase("cli-audit.not-linear")),
        (["--grades", "0..1"], "P(rel=2)"),
        (["--grade-names", "a,b"], phrase("cli-audit.names-grades", 2, 4)),
        (["--expert", "ann", "--expert", "ann"], phrase("cli-audit.two-experts-one-name")),
        (["--between", "crossenc", "none"], phrase("cli-audit.no-system-called")),
    ],
)
def test_wrong_settings_are_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert new(folder, tmp_path / "study.db", *more) == 2
    assert message in capsys.readouterr().err


def test_the_server_prints_links_and_answers(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    assert new(folder, place) == 0
    command = [sys.executable, "-m", "dissensus", "audit", "serve", str(place), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as server:
        assert server.stdout is not None
        links = json.loads(server.stdout.readline())["links"]
        assert set(links) == {"expert-1", "expert-2", "owner"}
        assert all(link.startswith("http://127.0.0.1:") for link in links.values())
        with urllib.request.urlopen(links["expert-1"], timeout=30) as answer:
            assert b"Judge documents" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(links["owner"][:-2] + "xx", timeout=30)
        server.terminate()
        assert server.wait(timeout=30) in (0, -15)


# ── samples that are judged whole ────────────────────────────────────────────────────────────────────────────────────
def sampled(folder: Path, place: Path, *more: str) -> int:
    return main(
        ["audit", "new", str(place), f"{folder}/runs/*.run", "-j", f"{folder}/labels.csv", "-a", "llm",
         "--without-texts", "--expert", "ann", "--json", *more]
    )  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_planned_sample_of_any_measure_becomes_a_study(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    file = tmp_path / f"to-audit.{ending}"
    plan = ["plan", f"{folder}/runs/*.run", "-j", f"{folder}/labels.csv", "-a", "llm", "-m", "nDCG@5"]
    assert main([*plan, "--budget", "60", "--sample", str(file)]) == 0
    capsys.readouterr()
    assert sampled(folder, tmp_path / "study.db", "--sample", str(file)) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["measure"], made["documents"], made["stop"]) == ("nDCG@5", 60, "budget:60")
    assert main(["audit", "close", str(tmp_path / "study.db"), "-o", str(tmp_path / "closed")]) == 2
    assert phrase("cli-audit.not-judged-yet", 60, 60) in capsys.readouterr().err
    assert sampled(folder, tmp_path / "b.db", "--sample", str(file), "--stop", "budget:20") == 2
    assert "--stop" in capsys.readouterr().err


def test_a_measure_that_is_not_linear_takes_a_fixed_number_of_labels(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sampled(folder, tmp_path / "a.db", "-m", "nDCG@5") == 2
    assert "--stop budget:300" in capsys.readouterr().err
    assert sampled(folder, tmp_path / "b.db", "--stop", "budget:30") == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["measure"], made["documents"], made["sample"]) == ("nDCG@10", 30, True)
    assert sampled(folder, tmp_path / "c.db") == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["measure"], made["stop"], made["sample"]) == ("P@10", "decided", False)
