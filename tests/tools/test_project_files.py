"""The files that other programs read: workflows, hooks and the action say what this repository has."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from paths import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
E = ROOT / "examples"


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_read_only_and_pin_what_they_use(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
            assert "${{" not in step.get("run", "")  # a name of a branch is not a command


def test_steps_call_what_the_makefile_and_the_noxfile_have() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    sessions = set(re.findall(r"^def (\w+)\(", (ROOT / "noxfile.py").read_text("utf-8"), re.MULTILINE))
    steps = [s.get("run", "") for p in WORKFLOWS for job in load(p)["jobs"].values() for s in job["steps"]]
    made = {m for s in steps for m in re.findall(r"^make (\w+)", s)}
    run = {m for s in steps for m in re.findall(r"^nox -s (\w+)", s)}
    assert made == {"test", "hashed", "docs", "dist"} <= targets
    assert run == {"lowest", "newest"} <= sessions


def test_the_matrix_the_classifiers_and_the_noxfile_name_the_same_pythons() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [c.rpartition(" ")[2] for c in project["classifiers"] if c.startswith("Programming Language") and "." in c]
    assert load(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["linux"]["strategy"]["matrix"]["python"] == named
    assert str(named).replace("'", '"') in (ROOT / "noxfile.py").read_text("utf-8")


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = load(ROOT / "CITATION.cff")
    first = re.search(r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    from dissensus import __version__

    assert first is not None
    assert project["version"] == citation["version"] == __version__ == first[1]


@pytest.mark.parametrize(
    ("base", "new", "cannot_tell", "status", "decision"),
    [
        ("bm25", "splade", "warn", 0, "pass"),
        ("crossenc", "bm25", "warn", 1, "fail"),
        ("bm25", "rm3", "warn", 0, "cannot tell"),
        ("bm25", "rm3", "fail", 3, "cannot tell"),
    ],
)
def test_the_action_runs_the_gate(
    tmp_path: Path, base: str, new: str, cannot_tell: str, status: int, decision: str
) -> None:
    action = load(ROOT / "action.yml")
    step = next(s for s in action["runs"]["steps"] if s.get("id") == "gate")
    given = {
        "base": E / "runs" / f"{base}.run.gz",
        "new": E / "runs" / f"{new}.run.gz",
        "judgments": E / "truth.csv",
        "tolerance": 0.01,
        "cannot-tell": cannot_tell,
    }
    inputs = {name: given.get(name, about.get("default", "")) for name, about in action["inputs"].items()}
    values = {n: str(inputs[v.removeprefix("${{ inputs.").removesuffix(" }}")]) for n, v in step["env"].items()}
    command = tmp_path / "dissensus"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dissensus "$@"\n')
    command.chmod(0o755)
    environment = {
        **os.environ, **values, "PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(tmp_path / "out"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_ACTION_PATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(["bash", "-c", step["run"]], cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == status, done.stderr.decode()
    assert (tmp_path / "out").read_text() == f"decision={decision}\n"
    assert decision in (tmp_path / "summary").read_text().lower()
    assert (tmp_path / "gate.xml").stat().st_size > 100


def test_every_package_of_ci_has_a_hash_and_the_version_of_the_constraints() -> None:
    text = (ROOT / "requirements-ci.txt").read_text("utf-8")
    pins = dict(re.findall(r"^([\w.-]+)==([\w.!+]+)", text, re.MULTILINE))
    entries = re.split(r"^(?=\S+==)", text, flags=re.MULTILINE)[1:]
    assert len(entries) == len(pins) > 100
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text
    wanted = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE))
    same = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in wanted.items()}
    assert {name: version for name, version in pins.items() if name in same} == {
        name: version for name, version in same.items() if name in pins
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = {need.partition(">=")[0].partition("[")[0].lower() for need in project["dependencies"]}
    assert asked <= set(pins)


def test_the_numbers_of_the_paper_are_those_of_the_claims() -> None:
    paper = (ROOT / "paper" / "paper.md").read_text("utf-8").partition("# Evidence")[2]
    claims = (ROOT / "docs" / "evidence" / "claims.md").read_text("utf-8")
    numbers = re.findall(r"0\.\d{3}(?: \[0\.\d{3}, 0\.\d{3}\])?", " ".join(paper.split()))
    assert len(numbers) >= 3
    assert [n for n in numbers if n not in claims] == []


def test_every_citation_of_the_paper_is_in_its_list() -> None:
    paper = (ROOT / "paper" / "paper.md").read_text("utf-8")
    known = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"\[@(\w+)\]", paper)) == known
