"""The names of tests depend on nothing that changes: two workers that name a test differently run none at all."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from paths import ROOT

# Collects in a process with another hash seed, some months later, and prints the names.
LATER = """
import sys, time
import pytest
now = time.time
time.time = lambda: now() + 1e7
class Names:
    def pytest_collection_finish(self, session):
        print("NAMES", *[item.nodeid.encode("unicode_escape").decode() for item in session.items], sep="\\n")
sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[Names()]))
"""


def test_names_are_the_same_at_any_time(request: pytest.FixtureRequest) -> None:
    here = {str(item.path.relative_to(ROOT)) for item in request.session.items}
    names = {item.nodeid.encode("unicode_escape").decode() for item in request.session.items}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    later = subprocess.run(
        [sys.executable, "-c", LATER, *sorted(here)],
        cwd=ROOT, env={**environment, "PYTHONHASHSEED": "77"}, capture_output=True, text=True,
    )  # fmt: skip
    assert later.returncode == 0, later.stdout + later.stderr
    listed = set(later.stdout.partition("NAMES\n")[2].splitlines())
    assert names - listed == set()
