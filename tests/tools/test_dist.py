"""The wheel, installed into an empty environment outside the checkout, evaluates and writes a report."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from once import once
from paths import ROOT

E = ROOT / "examples"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pytest.importorskip("setuptools", minversion="77", reason="building needs setuptools 77 or newer")

    def build(folder: Path) -> None:
        subprocess.run([sys.executable, str(ROOT / "tools" / "dist.py"), str(folder)], check=True, capture_output=True)

    folder = once(tmp_path_factory, "dist", build)
    return {p.suffix: p for p in folder.iterdir()}


def test_everything_is_packed(built: dict[str, Path]) -> None:
    in_wheel = set(zipfile.ZipFile(built[".whl"]).namelist())
    source = ROOT / "src"
    wanted = {
        str(p.relative_to(source))
        for p in (source / "dissensus").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts and p.suffix not in (".nbi", ".nbc")
    }
    assert wanted <= in_wheel, sorted(wanted - in_wheel)
    with tarfile.open(built[".gz"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in wanted} | {"pyproject.toml", "README.md", "LICENSE"} <= names


def test_the_wheel_says_what_it_needs(built: dict[str, Path]) -> None:
    wheel = zipfile.ZipFile(built[".whl"])
    (place,) = [name for name in wheel.namelist() if name.endswith(".dist-info/sboms/dissensus.cdx.json")]
    bill = json.loads(wheel.read(place))
    assert bill["bomFormat"] == "CycloneDX"
    assert {"numpy", "polars", "scipy"} <= {part["name"] for part in bill["components"]}
    record = wheel.read(place.replace("sboms/dissensus.cdx.json", "RECORD")).decode().splitlines()
    (line,) = [line for line in record if line.startswith(place)]
    digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(place)).digest()).rstrip(b"=").decode()
    assert line == f"{place},sha256={digest},{len(wheel.read(place))}"
    assert sorted(line.split(",")[0] for line in record) == sorted(wheel.namelist())


def test_the_installed_wheel_works(built: dict[str, Path], tmp_path: Path) -> None:
    home = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([*command, "--disable-pip-version-check", str(built[".whl"])], check=True, capture_output=True)
    own = next((home / "lib").glob("python*/site-packages"))
    (own / "packages.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")  # numpy and the others, from here
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(*words: object) -> str:
        command = [str(home / "bin" / "dissensus"), *map(str, words)]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path, env=clean).stdout

    where = [str(python), "-c", "import dissensus; print(dissensus.__file__)"]
    found = subprocess.run(where, check=True, capture_output=True, text=True, cwd=tmp_path, env=clean).stdout
    assert found.startswith(str(home))
    few = [E / "runs" / "bm25.run.gz", E / "runs" / "crossenc.run.gz", "-j", E / "labels.csv"]
    assert len(json.loads(run("evaluate", *few, "-m", "AP", "--json"))["tables"]) >= 1
    run("report", *few, "--output", tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 50_000
