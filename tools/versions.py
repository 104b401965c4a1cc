"""Build the site of one version next to those of others, with a list from which readers choose.

    python tools/versions.py public            the site of this version in public/0.3, and public/versions.json
    python tools/versions.py public --latest   the same, and public/ leads to it

The list has the form that `mike` writes and the theme reads. Serve `public` with any server of files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from dissensus import __version__

ROOT = Path(__file__).resolve().parents[1]
HOME = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>dissensus</title>
<meta http-equiv="refresh" content="0; url={to}/index.html"><a href="{to}/index.html">dissensus {to}</a></html>
"""


def listed(known: list[dict[str, Any]], version: str, *, latest: bool) -> list[dict[str, Any]]:
    """The list with a version in it, newest first; at most one is the latest.

    >>> old = [{"version": "0.2", "title": "0.2", "aliases": ["latest"]}]
    >>> [(v["version"], v["aliases"]) for v in listed(old, "0.10", latest=True)]
    [('0.10', ['latest']), ('0.2', [])]
    """
    kept = [
        v | {"aliases": [a for a in v["aliases"] if not (latest and a == "latest")]}
        for v in known
        if v["version"] != version
    ]
    kept.append({"version": version, "title": version, "aliases": ["latest"] if latest else []})
    return sorted(kept, key=lambda v: [int(n) for n in v["version"].split(".")], reverse=True)


def build(public: Path, *, latest: bool) -> None:
    """The site of this version, in its folder."""
    version = ".".join(__version__.split(".")[:2])
    public.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str((public / version).resolve())],
        cwd=ROOT, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISSENSUS_DOCS_VERSIONED": "1"},
    )  # fmt: skip
    place = public / "versions.json"
    known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else []
    place.write_text(json.dumps(listed(known, version, latest=latest), indent=1) + "\n", encoding="utf-8")
    if latest:
        (public / "index.html").write_text(HOME.format(to=version), encoding="utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]), latest="--latest" in sys.argv)
