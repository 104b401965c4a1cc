"""Build wheel and sdist into a folder, look at them, try them: `python tools/dist.py dist [--try]` (`make dist`).

The sources are copied first, so that nothing is left behind in the checkout and nothing in it that is not part of the
package can get into the files. The wheel carries a bill of materials (CycloneDX, where PEP 770 puts it): what it is,
its licence, what it needs. With `--try` the metadata are checked by twine, the contents by check-wheel-contents, and
the wheel is installed into an empty environment, where it runs the demo.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("src", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")


def build(target: Path) -> list[Path]:
    """The wheel and the sdist."""
    from setuptools import build_meta

    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        here = Path.cwd()
        for part in PARTS:
            source, copy = ROOT / part, Path(temporary, part)
            if source.is_dir():
                shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "*.nb[ic]"))
            else:
                shutil.copy(source, copy)
        os.chdir(temporary)
        try:
            names = [build_meta.build_wheel(str(target)), build_meta.build_sdist(str(target))]
        finally:
            os.chdir(here)
    add_materials(target / names[0])
    return [target / name for name in names]


def materials() -> dict[str, object]:
    """The bill of materials: this package, and the packages that it asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needs = [need.partition(">=") for need in project["dependencies"]]
    own = f"pkg:pypi/{project['name']}@{project['version']}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "purl": own,
                "name": project["name"],
                "version": project["version"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": [
            {"type": "library", "bom-ref": f"pkg:pypi/{name}", "purl": f"pkg:pypi/{name}", "name": name,
             "properties": [{"name": "lowest version", "value": lowest}]}
            for name, _, lowest in needs
        ],
        "dependencies": [{"ref": own, "dependsOn": [f"pkg:pypi/{name}" for name, _, _ in needs]}],
    }  # fmt: skip


def add_materials(wheel: Path) -> None:
    """Put the bill of materials into the wheel, and its line into RECORD."""
    text = json.dumps(materials(), indent=1).encode()
    with zipfile.ZipFile(wheel) as old:
        record = next(name for name in old.namelist() if name.endswith(".dist-info/RECORD"))
        place = record.replace("RECORD", "sboms/dissensus.cdx.json")
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
        line = f"{place},sha256={digest},{len(text)}\n".encode()
        with zipfile.ZipFile(wheel.with_suffix(".new"), "w", zipfile.ZIP_DEFLATED) as new:
            for item in old.infolist():
                if item.filename == record:
                    new.writestr(place, text)
                new.writestr(item, (line if item.filename == record else b"") + old.read(item))
    wheel.with_suffix(".new").replace(wheel)


def try_out(wheel: Path, sdist: Path) -> None:
    """What a stranger would do: check, install into an empty environment, run the demo."""
    run = subprocess.check_call
    run([sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)])
    run([sys.executable, "-m", "check_wheel_contents", "--ignore", "W002", str(wheel)])  # empty __init__.py are equal
    with tempfile.TemporaryDirectory() as temporary:
        venv.create(temporary, with_pip=True)
        home = Path(temporary, "Scripts" if os.name == "nt" else "bin")
        run([str(home / "python"), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt"), str(wheel)])
        run([str(home / "dissensus"), "demo"], cwd=temporary)


if __name__ == "__main__":
    names = [word for word in sys.argv[1:] if word != "--try"]
    files = build(Path(names[0] if names else "dist").resolve())
    for file in files:
        sys.stdout.write(f"{file}\n")
    if "--try" in sys.argv:
        try_out(*files)
